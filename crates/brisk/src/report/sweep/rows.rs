//! The points of a sweep in the order in which they are shown, each as the words of its row.

use crate::metric::{self, MetricId, Source, Unit};
use crate::report::document::{Document, PointPart, PointState, SummaryPart, SweepPart};
use crate::report::quantity::scale_for;
use crate::report::words;
use crate::spec::parameters::Parameter;

/// One point as its row shows it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row<'a> {
    /// What became of it.
    pub(super) state: &'a PointState,
    /// The values of the parameters.
    pub(super) values: Vec<String>,
    /// What is minimised: the value, and how much the runs spread.
    pub(super) minimized: (String, String),
    /// What is minimised, against the default or the first point.
    pub(super) ratio: String,
    /// What shall be small beside it: the peak memory, mostly.
    pub(super) beside: Option<String>,
    /// How many rounds it took part in.
    pub(super) rounds: u32,
    /// What is to be said of it.
    pub(super) remark: String,
}

/// The headings of the columns behind the parameters, as far as there are such columns.
pub(super) struct Headings {
    pub(super) minimized: String,
    pub(super) ratio: &'static str,
    pub(super) beside: Option<String>,
}

/// What the columns are called.
pub(super) fn headings(sweep: &SweepPart) -> Headings {
    Headings {
        minimized: words::label(&sweep.minimized).to_owned(),
        ratio: if sweep.default.is_some() { "to default" } else { "to first" },
        beside: sweep.beside().map(|id| words::label(id).to_owned()),
    }
}

/// The front, the fastest first; then the others that were read, by what is minimised; then those
/// that left, the last first.
pub(super) fn rows<'a>(document: &Document, sweep: &'a SweepPart) -> Vec<Row<'a>> {
    let median = |point: &PointPart| {
        value(document, point.variant, &sweep.minimized).unwrap_or(f64::INFINITY)
    };
    let rank = |point: &PointPart| match point.state {
        PointState::Front => 0,
        PointState::Equal { .. } | PointState::Dominated { .. } | PointState::Undecided => 1,
        PointState::Dropped { .. } => 2,
        PointState::OverLimit { .. } => 3,
        PointState::Failed { .. } => 4,
    };
    let mut points: Vec<&PointPart> = sweep.points.iter().collect();
    points.sort_by(|a, b| {
        let by_rounds = b.rounds.cmp(&a.rounds);
        rank(a).cmp(&rank(b)).then(by_rounds).then(median(a).total_cmp(&median(b)))
    });
    points.into_iter().map(|point| row(document, sweep, point)).collect()
}

fn row<'a>(document: &Document, sweep: &SweepPart, point: &'a PointPart) -> Row<'a> {
    let part = document.comparison_of((0, point.variant), &sweep.minimized, Source::Run);
    let beside = sweep.beside().map(|id| reading(document, point.variant, id).0);
    Row {
        state: &point.state,
        values: values(document, sweep, point),
        minimized: reading(document, point.variant, &sweep.minimized),
        ratio: part.map(words::ratio).unwrap_or_default(),
        beside,
        rounds: point.rounds,
        remark: remark(document, sweep, point),
    }
}

/// The value of the first point times the ratio to it, by which the front is judged and which the
/// picture draws: the points ran in the same rounds, so the ratio says more than their own values do.
/// Where there is no such ratio, or only a bound of it, the point's own value.
pub(super) fn value(document: &Document, variant: u32, id: &MetricId) -> Option<f64> {
    let own = of(document, variant, id)?;
    let ratio = ratio(document, variant, own);
    let reference = of(document, 0, id).filter(|_| ratio.is_some());
    let from_ratio = ratio.zip(reference).map(|((ratio, ..), from)| ratio * document.figure(from));
    Some(from_ratio.unwrap_or_else(|| document.figure(own)))
}

/// The ratio to the first point, with its interval; none where that is unbounded, or the ratio is a
/// bound.
pub(super) fn ratio(
    document: &Document,
    variant: u32,
    own: &SummaryPart,
) -> Option<(f64, f64, f64)> {
    let part = document.comparison_of((0, variant), &own.metric, own.source)?;
    let is_known = part.bound.is_none() && part.low > 0.0 && !own.at_most;
    is_known.then_some((part.ratio, part.low, part.high?))
}

/// Whether a point is certainly worse than another one in what is minimised, or in the metric
/// beside it: the intervals of their ratios to the first one are apart.
pub(super) fn is_shown_worse(
    document: &Document,
    sweep: &SweepPart,
    point: u32,
    other: u32,
) -> bool {
    let interval = |variant: u32, id: &MetricId| match variant {
        0 => Some((1.0, 1.0)),
        _ => ratio(document, variant, of(document, variant, id)?).map(|(_, low, high)| (low, high)),
    };
    [&sweep.minimized, &sweep.beside].into_iter().any(|id| {
        let both = interval(point, id).zip(interval(other, id));
        both.is_some_and(|((low, _), (_, high))| low > high)
    })
}

pub(super) fn of<'a>(
    document: &'a Document,
    variant: u32,
    id: &MetricId,
) -> Option<&'a SummaryPart> {
    let parts = || document.summaries_of(variant).filter(|part| part.metric == *id);
    parts().find(|part| part.source == Source::Run).or_else(|| parts().next())
}

/// The parameters that some variant has: a search may have many, and find that few are of use.
pub(super) fn shown<'a>(document: &Document, sweep: &'a SweepPart) -> Vec<&'a Parameter> {
    let is_set = |parameter: &&Parameter| {
        document.variants.iter().any(|variant| variant.labels.contains_key(&parameter.name))
    };
    sweep.parameters.iter().filter(is_set).collect()
}

fn values(document: &Document, sweep: &SweepPart, point: &PointPart) -> Vec<String> {
    let variant = document.variants.get(point.variant as usize);
    let label = |name: &str| variant.and_then(|variant| variant.labels.get(name)).cloned();
    let parameters = shown(document, sweep);
    let is_unset = variant.is_some_and(|variant| variant.labels.is_empty());
    parameters
        .into_iter()
        .enumerate()
        .map(|(index, parameter)| {
            let unset = if index == 0 && is_unset { "default" } else { "" };
            label(&parameter.name).unwrap_or_else(|| unset.to_owned())
        })
        .collect()
}

/// A point's value of a metric without and with its spread.
fn reading(document: &Document, variant: u32, id: &MetricId) -> (String, String) {
    let Some(part) = of(document, variant, id) else { return ("?".to_owned(), "?".to_owned()) };
    let centre = value(document, variant, id).unwrap_or_else(|| document.figure(part));
    let scale = scale_for(centre, metric::find(id).map_or(Unit::Count, |metric| metric.unit));
    let decimals = scale.decimals(centre);
    let bound = if part.at_most { "<= " } else { "" };
    let number = format!("{bound}{}", scale.number(centre, decimals));
    let plain = scale.with_symbol(&number);
    let spread = part
        .sd
        .filter(|_| !part.at_most)
        .map(|sd| scale.with_symbol(&format!("{number} ± {}", scale.spread(sd, decimals))));
    let spread = spread.unwrap_or_else(|| plain.clone());
    (plain, spread)
}

fn remark(document: &Document, sweep: &SweepPart, point: &PointPart) -> String {
    let roles = [
        (sweep.default, "default"),
        (super::sentences::shown_best(document, sweep), "best"),
        (sweep.thrifty, "thrifty"),
        (sweep.knee, "knee"),
    ];
    let roles = roles.into_iter().filter(|(variant, _)| *variant == Some(point.variant));
    let state = state(document, sweep, point);
    let words: Vec<String> = roles.map(|(_, role)| role.to_owned()).chain(state).collect();
    words.join(", ")
}

/// What became of a point, in words; none where it is on the front or nothing was decided.
pub(super) fn state(document: &Document, sweep: &SweepPart, point: &PointPart) -> Option<String> {
    let name = |variant: u32| {
        let of = document.variants.get(variant as usize);
        of.map_or("", |variant| variant.name.as_str())
    };
    match &point.state {
        PointState::Front | PointState::Undecided => None,
        PointState::Equal { to } => Some(format!("≈ {}", name(*to))),
        PointState::Dominated { by } if is_shown_worse(document, sweep, point.variant, *by) => {
            Some(format!("worse than {}", name(*by)))
        }
        PointState::Dominated { by } => Some(format!("not better than {}", name(*by))),
        PointState::Dropped { by } => Some(format!("left out for {}", name(*by))),
        PointState::OverLimit { limit } => Some(format!("not {limit}")),
        PointState::Failed { how, .. } => Some(how.clone()),
    }
}
