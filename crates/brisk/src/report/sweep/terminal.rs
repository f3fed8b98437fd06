//! A sweep on a terminal: a row for each point, the best first, and what follows from them.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::rows::{Row, headings, rows, shown};
use super::sentences;
use crate::report::document::{Document, PointState, SweepPart};
use crate::report::equal_work::{self, Finding};
use crate::report::table::{Cell, lines, shorten, width};
use crate::report::terminal::{WARNING, lead, wrap};
use crate::report::words;

const HEADING: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default();

/// At most so many points are listed on a terminal; the exports have all of them.
const MOST_ROWS: usize = 60;

/// The report as text with terminal styles, for a terminal so many columns wide.
pub fn render(document: &Document, columns: usize) -> String {
    let Some(sweep) = &document.sweep else { return String::new() };
    let mut text = String::new();
    let _ = writeln!(text, "{STRONG}{}{STRONG:#}", shorten(&sweep.command, columns));
    if sentences::has_figures(sweep) {
        for line in table(document, sweep, columns) {
            let _ = writeln!(text, "{line}");
        }
    }
    if sweep.points.len() > MOST_ROWS {
        let more = sweep.points.len() - MOST_ROWS;
        let _ = writeln!(text, "{HEADING}and {more} more; the exports have all{HEADING:#}");
    }
    text.push('\n');
    for (index, sentence) in sentences::answers(document, sweep).iter().enumerate() {
        let style = if index == 0 { GOOD } else { Style::new() };
        for line in wrap(sentence, columns) {
            let _ = writeln!(text, "{style}{line}{style:#}");
        }
    }
    if let Some(line) = sweep.tuning.as_ref().and_then(|tuning| tuning.line.as_ref()) {
        let _ = writeln!(text, "\n    {STRONG}{line}{STRONG:#}\n");
    }
    let findings = equal_work::findings(document);
    for finding in &findings {
        if let Finding::Warning(words) = finding {
            lead(&mut text, WARNING, "warning:", words, columns);
        }
    }
    let mut small = Vec::new();
    if sentences::has_figures(sweep) {
        small.push(sentences::circumstances(document, sweep));
    }
    if !small.is_empty() && !document.comparisons.is_empty() {
        small.push(words::confidence(document));
    }
    for line in small.iter().flat_map(|sentence| wrap(sentence, columns)) {
        let _ = writeln!(text, "{line}");
    }
    for finding in &findings {
        if let Finding::Remark(words) = finding {
            lead(&mut text, HEADING, "note:", words, columns);
        }
    }
    for note in &document.notes {
        lead(
            &mut text,
            HEADING,
            "note:",
            &crate::report::notes::words(note, &crate::report::document::letter).text(),
            columns,
        );
    }
    text
}

/// What a table has room for.
#[derive(Debug, Clone, Copy)]
struct Layout {
    spread: bool,
    ratio: bool,
    /// How wide a remark may be.
    remark: usize,
}

/// The fullest layout first.
const LAYOUTS: [Layout; 5] = [
    Layout { spread: true, ratio: true, remark: usize::MAX },
    Layout { spread: false, ratio: true, remark: 40 },
    Layout { spread: false, ratio: true, remark: 24 },
    Layout { spread: false, ratio: true, remark: 16 },
    Layout { spread: false, ratio: false, remark: 24 },
];

fn table(document: &Document, sweep: &SweepPart, columns: usize) -> Vec<String> {
    let rows = rows(document, sweep);
    let laid_out = LAYOUTS.map(|layout| {
        let shown = rows.iter().take(MOST_ROWS).map(|row| cells(row, layout));
        std::iter::once(heading(document, sweep, layout)).chain(shown).collect::<Vec<_>>()
    });
    let fitting = laid_out.iter().find(|rows| width(rows) <= columns);
    lines(fitting.unwrap_or(&laid_out[LAYOUTS.len() - 1]))
}

fn heading(document: &Document, sweep: &SweepPart, layout: Layout) -> Vec<Cell> {
    let headings = headings(sweep);
    let parameters = shown(document, sweep).into_iter();
    let parameters = parameters.map(|parameter| Cell::right(parameter.name.clone()));
    let cells = std::iter::once(Cell::left(""))
        .chain(parameters)
        .chain([Cell::right(headings.minimized)])
        .chain(layout.ratio.then(|| Cell::left(headings.ratio)))
        .chain(headings.beside.map(Cell::right))
        .chain([Cell::right("runs")]);
    cells.map(|cell| cell.styled(HEADING)).collect()
}

fn cells(row: &Row<'_>, layout: Layout) -> Vec<Cell> {
    let mark = if *row.state == PointState::Front { "*" } else { "" };
    let minimized = if layout.spread { &row.minimized.1 } else { &row.minimized.0 };
    let style = match row.state {
        PointState::Front | PointState::Undecided => GOOD,
        PointState::Equal { .. } => Style::new(),
        PointState::Failed { .. } => BAD,
        PointState::Dominated { .. }
        | PointState::Dropped { .. }
        | PointState::OverLimit { .. } => HEADING,
    };
    std::iter::once(Cell::left(mark).styled(GOOD))
        .chain(row.values.iter().map(Cell::right))
        .chain([Cell::right(minimized)])
        .chain(layout.ratio.then(|| Cell::left(row.ratio.clone())))
        .chain(row.beside.as_ref().map(Cell::right))
        .chain([Cell::right(row.rounds.to_string())])
        .chain([Cell::left(shorten(&row.remark, layout.remark)).styled(style)])
        .collect()
}
