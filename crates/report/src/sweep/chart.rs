//! A sweep as pictures.

use draw::{Chart, Estimate};

use super::figures::{Objective, Point, Role, Sketch, Standing};
use super::points::{self, name, shown_best};
use crate::picture;
use findings::{Document, PointState, SweepFinding, SweepPoint};
use model::metric::MetricId;

/// The pictures of a sweep; `None` if the document is not about one.
pub fn chart(document: &Document) -> Option<Chart> {
    let sweep = document.sweep()?;
    let ids = objectives(sweep);
    let objective =
        |id: &MetricId| Objective { name: words::label(id).to_owned(), unit: id.unit() };
    let sketch = Sketch {
        title: sweep.command.clone(),
        subtitle: picture::subtitle(document),
        objectives: ids.iter().map(objective).collect(),
        parameters: sweep.parameters.clone(),
        reference: reference(document, sweep),
        points: sweep.points.iter().map(|part| point(document, sweep, &ids, part)).collect(),
    };
    Some(sketch.chart())
}

fn objectives(sweep: &SweepFinding) -> Vec<MetricId> {
    [&sweep.minimized].into_iter().chain(sweep.beside()).cloned().collect()
}

/// The reference point of the comparisons, as words in a sentence.
fn reference(document: &Document, sweep: &SweepFinding) -> String {
    match sweep.default {
        Some(_) => "the default".to_owned(),
        None => format!("`{}`", name(document, 0)),
    }
}

fn point(document: &Document, sweep: &SweepFinding, ids: &[MetricId], part: &SweepPoint) -> Point {
    Point {
        name: name(document, part.variant).to_owned(),
        at: at(document, sweep, part.variant),
        estimates: ids.iter().map(|id| estimate(document, part.variant, id)).collect(),
        standing: standing(&part.state),
        roles: roles(document, sweep, part.variant),
        remarks: remarks(document, sweep, ids, part),
    }
}

/// The indices of its parameters' values; `None` if one parameter lacks its value.
fn at(document: &Document, sweep: &SweepFinding, variant: u32) -> Option<Vec<usize>> {
    let labels = &document.variants.get(variant as usize)?.labels;
    let number = |parameter: &model::spec::parameters::Parameter| {
        let value = labels.parameter(&parameter.name)?;
        parameter.values.iter().position(|one| one == value)
    };
    sweep.parameters.iter().map(number).collect()
}

fn standing(state: &PointState) -> Standing {
    match state {
        state if state.is_on_front() => Standing::Front,
        PointState::Front
        | PointState::Equal { .. }
        | PointState::Dominated { .. }
        | PointState::Undecided { .. } => Standing::Behind,
        PointState::Dropped { .. } | PointState::OverLimit { .. } => Standing::Left,
        PointState::Failed { .. } => Standing::Failed,
    }
}

fn roles(document: &Document, sweep: &SweepFinding, variant: u32) -> Vec<Role> {
    let of = |role: &Role| match role {
        Role::Best => shown_best(document, sweep),
        Role::Knee => sweep.knee,
        Role::Thrifty => sweep.thrifty,
        Role::Default => sweep.default,
    };
    Role::ALL.into_iter().filter(|role| of(role) == Some(variant)).collect()
}

/// The value shown in the table, with its interval.
fn estimate(document: &Document, variant: u32, id: &MetricId) -> Option<Estimate> {
    let own = document.any_summary(variant, id)?;
    let value = points::value(document, variant, id)?;
    if own.at_most {
        return Estimate::at_most(value);
    }
    match points::ratio(document, variant, own) {
        Some((ratio, low, high)) => Estimate::new(value, low / ratio * value, high / ratio * value),
        None => {
            let (low, high) = (own.low.unwrap_or(value), own.high.unwrap_or(value));
            Estimate::new(value, low.min(value), high.max(value))
        }
    }
}

/// The ratios, the outcome of the point, and the number of rounds behind its values.
fn remarks(
    document: &Document,
    sweep: &SweepFinding,
    ids: &[MetricId],
    part: &SweepPoint,
) -> Vec<String> {
    let ratio = |id: &MetricId| {
        let source = document.any_summary(part.variant, id)?.source;
        let compared = document.comparison_of((0, part.variant), id, source)?;
        Some(words::amount_of(compared, reference(document, sweep)).text())
    };
    let is_failed = matches!(part.state, PointState::Failed { .. });
    let mut lines: Vec<String> = ids.iter().filter(|_| !is_failed).filter_map(ratio).collect();
    lines.extend(part.state.is_on_front().then(|| "on the front".to_owned()));
    lines.extend(points::state(document, part));
    if let PointState::Failed { stderr: Some(stderr), .. } = &part.state {
        lines.push(stderr.trim_end().to_owned());
    }
    let all = document.experiment.rounds;
    lines.push(match part.rounds {
        rounds if rounds < all => format!("{rounds} of {all} rounds"),
        rounds => words::counted(rounds, "round"),
    });
    lines
}
