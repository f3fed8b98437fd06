//! A suite as Markdown: the tally, and tables one can paste into a pull request.

use std::fmt::Write as _;

use super::rows::{Row, geometric_mean, rows};
use super::{missing, orders, processes, sentences};
use crate::metric::MetricId;
use crate::report::document::{Document, SuitePart};
use crate::report::markdown::{code, escape};
use crate::report::words;

/// The report as Markdown.
pub fn render(document: &Document) -> String {
    let Some(suite) = &document.suite else { return String::new() };
    let mut text = String::new();
    if let Some(tally) = sentences::tally(document, suite) {
        let _ = writeln!(text, "**{}**\n", escape(&tally));
    }
    for id in document.experiment.metrics.iter().flatten() {
        if let Some(rows) = rows(document, suite, id) {
            table(&mut text, document, suite, id, &rows);
        }
    }
    let dependent = orders::rows(suite);
    if !dependent.is_empty() {
        let _ = writeln!(text, "**{}**\n", orders::TITLE);
        let _ = writeln!(text, "| {} |", orders::HEADINGS.join(" | "));
        let _ = writeln!(text, "|{}", "---|".repeat(orders::HEADINGS.len()));
        for row in &dependent {
            let _ = writeln!(text, "| {} |", row.each_ref().map(|cell| escape(cell)).join(" | "));
        }
        text.push('\n');
    }
    let found = [orders::sentences(suite), processes::sentences(suite)].concat();
    for sentence in found.iter().chain(&missing::sentences(document, suite)) {
        let _ = writeln!(text, "* {}", escape(sentence));
    }
    if let Some(why) = words::footnote(document) {
        let _ = writeln!(text, "\n{}", escape(why));
    }
    let circumstances = sentences::circumstances(document, suite);
    let _ = writeln!(text, "\n{circumstances}; {}.", words::confidence(document));
    for note in &document.notes {
        let _ = writeln!(text, "\n* {}", escape(&note.to_string()));
    }
    text
}

fn table(
    text: &mut String,
    document: &Document,
    suite: &SuitePart,
    id: &MetricId,
    rows: &[Row<'_>],
) {
    let is_comparison = suite.programs.len() > 1;
    let programs = suite.programs.iter().map(|program| code(&program.name));
    let behind: &[&str] =
        if is_comparison { &["ratio", "verdict"] } else { &["another run", "runs"] };
    let headings: Vec<String> = std::iter::once(words::label(id).to_owned())
        .chain(programs)
        .chain(behind.iter().map(|&heading| heading.to_owned()))
        .collect();
    let _ = writeln!(text, "| {} |", headings.join(" | "));
    let numbers = "---:|".repeat(suite.programs.len());
    let _ = writeln!(text, "|---|{numbers}{}", "---|".repeat(behind.len()));
    for row in rows {
        let behind = match &row.verdict {
            _ if !is_comparison => vec![row.again.clone(), row.runs.to_string()],
            Some((_, words)) => vec![escape(&row.ratio), words.clone()],
            None => vec![row.ratio.clone(), String::new()],
        };
        let cells: Vec<String> = std::iter::once(code(row.name))
            .chain(row.values.iter().cloned())
            .chain(behind)
            .collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    if let Some(mean) = geometric_mean(document, suite, id) {
        let blanks = "| ".repeat(suite.programs.len());
        let _ = writeln!(text, "| geometric mean {blanks}| {mean:.3} | |");
    }
    text.push('\n');
}
