//! The history of a suite on a terminal: all benchmarks at a glance, then each of them by itself.

use std::fmt::Write as _;

use super::terminal::{HEADING, mark, style_of};
use super::{Shown, shown, summary, value};
use crate::metric;
use crate::report::document::Document;
use crate::report::sparkline::{Heights, sparkline};
use crate::report::table::{Cell, lines, shorten, width};

/// Of more benchmarks than this, only those are shown by themselves to which something happened.
const MOST_TABLES: usize = 6;

/// The least and the most room for a name, and for the line over the commits.
const NAME: (usize, usize) = (12, 48);
const LINE: (usize, usize) = (8, 40);

/// Which of the benchmarks are shown by themselves.
pub(super) fn tabled(all: &[Document]) -> Vec<&Document> {
    let happened = |one: &&Document| {
        one.steps.iter().flatten().next().is_some() || one.drifts.iter().flatten().next().is_some()
    };
    match all.len() <= MOST_TABLES {
        true => all.iter().collect(),
        false => all.iter().filter(happened).collect(),
    }
}

/// A row for each benchmark: its first and its last value, the line over the commits, its largest
/// step.
pub(super) fn overview(text: &mut String, all: &[Document], columns: usize) {
    let Some(metric) = all.iter().find_map(|one| shown(one).into_iter().next()) else { return };
    let commits = all[0].commits.as_ref().map_or(0, Vec::len);
    let rows = |name: usize, line: usize| -> Vec<Vec<Cell>> {
        let heading = vec![
            Cell::left("benchmark"),
            Cell::right("first"),
            Cell::right("last"),
            Cell::left(metric.name.clone()),
        ];
        let heading = heading.into_iter().map(|cell| cell.styled(HEADING)).collect();
        let rows = all.iter().map(|one| row(one, &metric, name, line));
        std::iter::once(heading).chain(rows).collect()
    };
    let fits = |name: usize, line: usize| width(&rows(name, line)) <= columns;
    let most = LINE.1.min(commits.max(LINE.0));
    let name = (NAME.0..=NAME.1).rev().find(|&name| fits(name, LINE.0)).unwrap_or(NAME.0);
    let line = (LINE.0..=most).rev().find(|&line| fits(name, line)).unwrap_or(LINE.0);
    for row in lines(&rows(name, line)) {
        let _ = writeln!(text, "{row}");
    }
}

fn row(document: &Document, metric: &Shown, name: usize, line: usize) -> Vec<Cell> {
    let unit = metric::find(&metric.id).map_or(metric::Unit::Count, |metric| metric.unit);
    let commits = document.commits.as_deref().unwrap_or_default();
    let parts: Vec<_> =
        commits.iter().map(|commit| summary(document, commit.variant?, metric)).collect();
    let mut there = parts.iter().flatten();
    let first = there.next().map(|part| value(document, part, unit));
    let last = there.next_back().map(|part| value(document, part, unit));
    let steps = document.steps.iter().flatten().filter(|step| step.metric == metric.id);
    let largest = steps.max_by(|a, b| a.ratio.ln().abs().total_cmp(&b.ratio.ln().abs()));
    vec![
        Cell::left(shorten(&document.histories[0].benchmark, name)),
        Cell::right(first.clone().unwrap_or_default()),
        Cell::right(last.or(first).unwrap_or_default()),
        Cell::left(sparkline(&super::course(document, metric), line, Heights::ByRange)),
        largest.map_or_else(Cell::default, |step| mark(step).styled(style_of(step.verdict))),
    ]
}
