//! A suite on a terminal: for each metric a table with a row for each benchmark.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::rows::{Row, geometric_mean, rows};
use super::{missing, orders, processes, sentences};
use crate::judge::verdict::Verdict;
use crate::metric::MetricId;
use crate::report::document::{Document, SuitePart};
use crate::report::table::{Cell, lines, shorten};
use crate::report::terminal::wrap;
use crate::report::words;

const HEADING: Style = Style::new().dimmed();
/// What two programs are called.
const SIDES: [&str; 2] = ["old", "new"];

const STRONG: Style = Style::new().bold();

/// The report as text with terminal styles, for a terminal so many columns wide.
pub fn render(document: &Document, columns: usize) -> String {
    let Some(suite) = &document.suite else { return String::new() };
    let mut text = String::new();
    if let [old, new] = suite.programs.as_slice() {
        for (word, program) in SIDES.into_iter().zip([old, new]) {
            let name = shorten(&program.name, columns.saturating_sub(word.len() + 2));
            let _ = writeln!(text, "{STRONG}{word}{STRONG:#}  {name}");
        }
        text.push('\n');
    }
    for id in document.experiment.metrics.iter().flatten() {
        let Some(rows) = rows(document, suite, id) else { continue };
        let _ = writeln!(text, "{STRONG}{}{STRONG:#}", words::label(id));
        for line in lines(&table(document, suite, id, &rows, columns)) {
            let _ = writeln!(text, "{line}");
        }
        text.push('\n');
    }
    let dependent = orders::rows(suite);
    if !dependent.is_empty() {
        let _ = writeln!(text, "{STRONG}{}{STRONG:#}", orders::TITLE);
        for line in lines(&dependences(&dependent, columns)) {
            let _ = writeln!(text, "{line}");
        }
        text.push('\n');
    }
    let before = text.len();
    for finding in orders::sentences(suite).iter().chain(&processes::sentences(suite)) {
        for (index, line) in wrap(finding, columns.saturating_sub(2)).iter().enumerate() {
            let lead = if index == 0 { "* " } else { "  " };
            let _ = writeln!(text, "{lead}{line}");
        }
    }
    if text.len() > before {
        text.push('\n');
    }
    let mut small = missing::sentences(document, suite);
    small.extend(words::footnote(document).map(str::to_owned));
    small.extend(sentences::tally(document, suite));
    small.push(sentences::circumstances(document, suite));
    small.extend(words::detectable(document));
    small.extend(processes::of_one_process(suite));
    if !document.comparisons.is_empty() {
        small.push(words::confidence(document));
    }
    for line in small.iter().flat_map(|sentence| wrap(sentence, columns)) {
        let _ = writeln!(text, "{line}");
    }
    for note in &document.notes {
        for (index, line) in wrap(&note.to_string(), columns.saturating_sub(6)).iter().enumerate() {
            let lead = if index == 0 { "note:" } else { "     " };
            let _ = writeln!(text, "{HEADING}{lead}{HEADING:#} {line}");
        }
    }
    text
}

fn dependences(rows: &[[String; orders::HEADINGS.len()]], columns: usize) -> Vec<Vec<Cell>> {
    let heading = orders::HEADINGS.map(|heading| Cell::left(heading).styled(HEADING));
    let row = |[name, ratio, when, time, with]: &[String; orders::HEADINGS.len()]| {
        let [name, when] = [name, when].map(|text| shorten(text, (columns / 4).max(16)));
        [name, ratio.clone(), when, time.clone(), with.clone()].map(Cell::left).to_vec()
    };
    std::iter::once(heading.to_vec()).chain(rows.iter().map(row)).collect()
}

fn table(
    document: &Document,
    suite: &SuitePart,
    id: &MetricId,
    rows: &[Row<'_>],
    columns: usize,
) -> Vec<Vec<Cell>> {
    let is_comparison = suite.programs.len() > 1;
    let programs = match is_comparison {
        true => SIDES.map(Cell::right).to_vec(),
        false => vec![Cell::right("median ± sd")],
    };
    let headings = std::iter::once(Cell::left("benchmark"))
        .chain(programs)
        .chain((!is_comparison).then(|| Cell::left("another run")))
        .chain(is_comparison.then(|| Cell::left("ratio")))
        .chain([Cell::right(if is_comparison { "" } else { "runs" })])
        .map(|cell| cell.styled(HEADING));
    let mut table = vec![headings.collect::<Vec<Cell>>()];
    table.extend(rows.iter().map(|row| cells(row, is_comparison, columns)));
    if let Some(mean) = geometric_mean(document, suite, id) {
        let blanks = std::iter::repeat_n(Cell::left(""), suite.programs.len());
        let cells = std::iter::once(Cell::left("geometric mean"))
            .chain(blanks)
            .chain([Cell::left(format!("{mean:.3}"))]);
        table.push(cells.map(|cell| cell.styled(HEADING)).collect());
    }
    table
}

fn cells(row: &Row<'_>, is_comparison: bool, columns: usize) -> Vec<Cell> {
    // A third of the line is enough to know a benchmark by.
    let name = shorten(&row.name.replace('\n', " "), (columns / 3).max(16));
    let values = row.values.iter().map(Cell::right);
    let judged = row
        .verdict
        .as_ref()
        .map(|(verdict, words)| Cell::left(words.clone()).styled(style_of(*verdict)));
    let behind = match is_comparison {
        true => vec![Cell::left(row.ratio.clone()), judged.unwrap_or_default()],
        false => vec![Cell::left(row.again.clone()), Cell::right(row.runs.to_string())],
    };
    std::iter::once(Cell::left(name)).chain(values).chain(behind).collect()
}

fn style_of(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Improved => AnsiColor::Green.on_default().bold(),
        Verdict::Regressed => AnsiColor::Red.on_default().bold(),
        Verdict::Unchanged => Style::new(),
        Verdict::Inconclusive => AnsiColor::Yellow.on_default(),
    }
}
