//! The front page: recent changes over all benchmarks, and the current state of each.

use page::{Block, Column, Line, Page, Section, Span, Table, line};

use super::{LATELY, Series, change, lately};
use crate::history::{shown, summary};
use findings::Document;
use findings::short;
use words::change_size::ChangeSize;
use words::quantity::quantity;
use words::tone;

/// The largest number of changes listed.
const MOST_CHANGES: usize = 200;

/// Builds the page.
pub(super) fn page(all: &[Series]) -> Page {
    let mut page = Page::default();
    let table = changes(all);
    let count = table.rows.len();
    let newest = all.iter().map(|series| series.commits).max().unwrap_or(0).min(LATELY);
    let answer = match count {
        0 => {
            format!("Nothing certainly changed in the newest {}", words::counted(newest, "commit"))
        }
        _ => format!(
            "{} in the newest {}",
            words::counted(count, "change"),
            words::counted(newest, "commit")
        ),
    };
    page.push(Block::Answer(answer.into()));
    if count > 0 {
        page.push(Block::Table(table));
    }
    let blocks = vec![Block::Table(standings(all))];
    page.push(Block::Section(Section::new("Where everything stands", blocks)));
    page
}

/// The steps, those of the newest commits first.
fn changes(all: &[Series]) -> Table {
    let mut table = Table::new([
        Column::left("commit"),
        Column::left("benchmark"),
        Column::left("metric"),
        Column::right("change"),
        Column::left("verdict"),
        Column::left("subject"),
    ]);
    for (series, late) in lately(all).into_iter().take(MOST_CHANGES) {
        let step = &late.step;
        let (change, verdict) = change(step);
        table.push([
            Line::from(Span::commit(short(&step.commit), step.commit.clone())),
            series.link().into(),
            line![words::label(&step.metric).to_owned(), step.source.mark()],
            Span::quantity(change, step.ratio).toned(tone(step.verdict)).into(),
            Span::from(verdict).toned(tone(step.verdict)).into(),
            late.subject.clone().into(),
        ]);
    }
    table
}

/// One row for each series: its newest value, and the change since its first commit.
fn standings(all: &[Series]) -> Table {
    let mut table = Table::new([
        Column::left("benchmark"),
        Column::left("metric"),
        Column::right("newest"),
        Column::right("since the first commit"),
        Column::left("commits"),
    ]);
    for series in all {
        let link = [Line::from(series.link())];
        table.rows.push(link.into_iter().chain(series.standing.iter().cloned()).collect());
    }
    table
}

/// The metric, the newest value, the change since the first commit, and the number of commits.
pub(super) fn standing(document: &Document) -> Vec<Line> {
    let Some(shown) = shown(document).into_iter().next_back() else {
        return vec!["no readings".into()];
    };
    let unit = shown.id.unit();
    let values: Vec<f64> = document
        .commits()
        .iter()
        .filter_map(|commit| summary(document, commit.variant?, &shown))
        .map(|part| document.figure(part))
        .collect();
    let since = match (values.first(), values.last()) {
        (Some(first), Some(last)) => ChangeSize::between(*first, *last, unit).amount(),
        _ => "missing".into(),
    };
    let newest = values.last().map_or_else(
        || Span::from("missing"),
        |value| Span::quantity(quantity(*value, unit), *value),
    );
    let count = document.commits().len().to_string();
    vec![Line::from(shown.name.clone()), newest.into(), since.into(), count.into()]
}
