//! The benchmarks of a suite's history: an overview, then each by itself, folded if nothing
//! changed.

use page::sparkline::{Heights, sparkline};
use page::{Block, Column, Line, Narrow, Row, Section, Span, Table, Tone};

use super::{Shown, commits, course, shown, summary, value};
use findings::Document;

/// Above this number of benchmarks, a terminal lists only those that changed.
const MOST_ROWS: usize = 20;

/// The least and the greatest width of a name.
const NAME: (usize, usize) = (12, 200);

/// The greatest width of the line over the commits.
const BARS: usize = 24;

/// The benchmarks, each with its own document.
pub(super) fn blocks(all: &[Document]) -> Vec<Block> {
    let mut blocks = Vec::new();
    if all.len() > 1 {
        let still = all.iter().filter(|own| is_measured(own) && !has_change(own)).count();
        let found = format!("no change was found in {still} of {} benchmarks", all.len());
        blocks.extend((still > 0).then(|| Block::Sentence(found.into())));
        blocks.extend(overview(all).map(Block::Table));
    }
    blocks.extend(all.iter().map(|own| {
        Block::Section(Section {
            title: name(own).into(),
            blocks: commits::blocks(own),
            is_folded: all.len() > 1 && !has_change(own),
        })
    }));
    blocks
}

fn name(document: &Document) -> Span {
    Span::code(&document.histories()[0].benchmark)
}

fn has_change(document: &Document) -> bool {
    !document.steps().is_empty() || !document.drifts().is_empty()
}

/// True if the newest commit has a figure for it.
fn is_measured(document: &Document) -> bool {
    document.commits().iter().next_back().is_some_and(|commit| commit.variant.is_some())
}

/// One row for each benchmark: its first and last value, the line over the commits, and its largest
/// step.
fn overview(all: &[Document]) -> Option<Table> {
    let metric = all.iter().find_map(|own| shown(own).into_iter().next())?;
    let columns = [
        Column::left("benchmark").cut(NAME.0, NAME.1).narrow(Narrow::Middle),
        Column::right("first"),
        Column::right("last"),
        Column::left("").giving_way(0),
        Column::left("largest step"),
    ];
    let mut table = Table::new(columns);
    table.title = metric.name.clone().into();
    table.most_rows = Some(MOST_ROWS);
    table
        .rows
        .extend(all.iter().map(|own| Row { gives_way: !has_change(own), ..row(own, &metric) }));
    Some(table)
}

fn row(document: &Document, metric: &Shown) -> Row {
    let commits = document.commits();
    let parts = commits.iter().filter_map(|commit| summary(document, commit.variant?, metric));
    let values: Vec<Span> = parts.map(|part| value(document, part)).collect();
    let end = |value: Option<&Span>| value.cloned().map(Line::from).unwrap_or_default();
    let newest = commits.last().filter(|commit| commit.variant.is_none());
    let last = newest.map(|commit| commits::absent(document, commit));
    let last = last.map(|why| Line::from(why).toned(Tone::Open));
    let steps = document.steps().iter().filter(|step| metric.is(step));
    let largest = steps.max_by(|a, b| a.weight().total_cmp(&b.weight()));
    let bars = sparkline(&course(document, metric), BARS, Heights::ByRange);
    let largest = largest.map(commits::mark).unwrap_or_default();
    let last = last.unwrap_or_else(|| end(values.last()));
    [name(document).into(), end(values.first()), last, bars.into(), largest].into_iter().collect()
}
