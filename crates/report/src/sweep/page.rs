//! The page of a sweep: the best point and the line to copy, then a row for each point, best first.

use page::{Block, Column, Label, Line, Narrow, Page, Row, Span, Table, Tone, line};

use super::{points, sentences};
use crate::equal_work;
use crate::notes;
use findings::{Contender, Document, PointState, SweepFinding, SweepPoint};
use model::metric::{MetricId, Source};
use model::spec::parameters::Parameter;
use words::quantity::scale_for;

/// The largest number of points listed on a terminal; the exports have all of them.
const MOST_ROWS: usize = 60;

/// The least and the greatest width of the remark on a point.
const REMARK: (usize, usize) = (16, 200);

/// The page; empty if the document is not about a sweep.
pub fn page(document: &Document) -> Page {
    let mut page = Page::default();
    let Some(sweep) = document.sweep() else { return page };
    let mut answers = sentences::answers(document, sweep).into_iter();
    let is_good = points::shown_best(document, sweep).is_some_and(|best| best != 0);
    let tone = if is_good { Tone::Good } else { Tone::Plain };
    page.blocks.extend(answers.next().map(|answer| Block::Answer(answer.toned(tone))));
    page.sentences(answers);
    let line = sweep.tuning.as_ref().and_then(|tuning| tuning.line.clone());
    page.blocks.extend(line.map(Block::Command));
    // The figures of a search that chose nothing mean nothing.
    let has_figures = sweep.tuning.as_ref().is_none_or(|tuning| tuning.is_confirmed);
    match has_figures {
        true => page.push(Block::Table(table(document, sweep))),
        false => page.sentences([Span::code(&sweep.command)]),
    }
    let [warnings, remarks] = equal_work::findings(document);
    page.notes(Label::WARNING, warnings);
    if has_figures {
        page.sentences([sentences::circumstances(document, sweep)]);
        page.sentences((!document.comparisons.is_empty()).then(|| words::confidence(document)));
    }
    page.notes(Label::NOTE, remarks);
    notes::add(&mut page, document, &|variant| Span::code(points::name(document, variant)).into());
    page
}

fn table(document: &Document, sweep: &SweepFinding) -> Table {
    let label = |id: &MetricId| Column::right(words::label(id).to_owned());
    let parameters = parameters(document, sweep);
    let named = parameters.iter().map(|parameter| Column::right(parameter.name.clone()));
    let columns = std::iter::once(Column::left(""))
        .chain(named)
        .chain([label(&sweep.minimized), Column::right("± sd").giving_way(0)])
        .chain([Column::left(match sweep.default {
            Some(_) => "to default",
            None => "to first",
        })
        .giving_way(1)])
        .chain(sweep.beside().map(label))
        .chain([
            Column::right("runs"),
            Column::left("").cut(REMARK.0, REMARK.1).narrow(Narrow::Middle),
        ]);
    let mut table = Table { most_rows: Some(MOST_ROWS), ..Table::new(columns) };
    table.title = Span::code(&sweep.command).into();
    let points = points::sorted(document, sweep);
    table.rows.extend(points.into_iter().map(|point| row(document, sweep, &parameters, point)));
    table
}

fn row(
    document: &Document,
    sweep: &SweepFinding,
    parameters: &[&Parameter],
    point: &SweepPoint,
) -> Row {
    let mark = if point.state.is_on_front() { "*" } else { "" };
    let part = document.comparison_of((0, point.variant), &sweep.minimized, Source::Run);
    let ratio = part.map(|part| Span::quantity(words::ratio(part), part.ratio).into());
    let [minimized, spread] = reading(document, point.variant, &sweep.minimized);
    let beside = sweep.beside().map(|id| reading(document, point.variant, id)[0].clone());
    let tone = match point.state {
        PointState::Front => Tone::Good,
        PointState::Equal { .. } | PointState::Undecided { .. } => Tone::Plain,
        PointState::Failed { .. } => Tone::Bad,
        PointState::Dominated { .. }
        | PointState::Dropped { .. }
        | PointState::OverLimit { .. } => Tone::Quiet,
    };
    std::iter::once(Line::from(mark).toned(Tone::Good))
        .chain(values(document, parameters, point.variant))
        .chain([minimized, spread, ratio.unwrap_or_default()])
        .chain(beside)
        .chain([point.rounds.to_string().into(), remark(document, sweep, point).toned(tone)])
        .collect()
}

/// The parameters that some variant sets: a search may have many, but find few of them useful.
fn parameters<'a>(document: &Document, sweep: &'a SweepFinding) -> Vec<&'a Parameter> {
    let is_set = |parameter: &&Parameter| {
        document.variants.iter().any(|variant| variant.labels.parameter(&parameter.name).is_some())
    };
    sweep.parameters.iter().filter(is_set).collect()
}

/// The values of the parameters; `default` in the first column if none is set.
fn values(document: &Document, parameters: &[&Parameter], variant: u32) -> Vec<Line> {
    let variant: Option<&Contender> = document.variants.get(variant as usize);
    let is_unset = variant.is_some_and(|variant| variant.labels.parameters.is_empty());
    let value = |(place, parameter): (usize, &&Parameter)| match variant
        .and_then(|variant| variant.labels.parameter(&parameter.name))
    {
        Some(value) => value.to_owned().into(),
        None if place == 0 && is_unset => "default".into(),
        None => Line::default(),
    };
    parameters.iter().enumerate().map(value).collect()
}

/// A point's value of a metric, with the spread of its runs.
fn reading(document: &Document, variant: u32, id: &MetricId) -> [Line; 2] {
    let Some(part) = document.any_summary(variant, id) else { return ["?".into(), "".into()] };
    let centre = points::value(document, variant, id).unwrap_or_else(|| document.figure(part));
    let scale = scale_for(centre, id.unit());
    let decimals = scale.decimals(centre);
    let bound = if part.at_most { "<= " } else { "" };
    let value = scale.with_symbol(&format!("{bound}{}", scale.number(centre, decimals)));
    let spread = part.sd.filter(|_| !part.at_most);
    let spread =
        spread.map(|sd| Span::quantity(scale.with_symbol(&scale.spread(sd, decimals)), sd).into());
    [Span::quantity(value, centre).into(), spread.unwrap_or_default()]
}

/// The remark on a point: `default, worse than s=32M`.
fn remark(document: &Document, sweep: &SweepFinding, point: &SweepPoint) -> Line {
    let roles = [
        (sweep.default, "default"),
        (points::shown_best(document, sweep), "best"),
        (sweep.thrifty, "thrifty"),
        (sweep.knee, "knee"),
    ];
    let roles = roles.into_iter().filter(|(variant, _)| *variant == Some(point.variant));
    let state = points::state(document, point).map(Line::from);
    Line::join(roles.map(|(_, role)| line![role]).chain(state), ", ")
}
