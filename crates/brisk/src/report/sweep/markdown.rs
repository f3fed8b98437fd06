//! A sweep as Markdown: the answer, and a table one can paste into a pull request.

use std::fmt::Write as _;

use super::rows::{headings, rows, shown};
use super::sentences;
use crate::report::document::{Document, PointState, SweepPart};
use crate::report::markdown::{code, escape};
use crate::report::words;

/// The report as Markdown.
pub fn render(document: &Document) -> String {
    let Some(sweep) = &document.sweep else { return String::new() };
    let mut text = format!("{}\n", code(&sweep.command));
    for (index, sentence) in sentences::answers(document, sweep).iter().enumerate() {
        let strong = if index == 0 { "**" } else { "" };
        let _ = writeln!(text, "\n{strong}{}{strong}", escape(sentence));
    }
    if let Some(line) = sweep.tuning.as_ref().and_then(|tuning| tuning.line.as_ref()) {
        let _ = writeln!(text, "\n```sh\n{line}\n```");
    }
    if sentences::has_figures(sweep) {
        table(document, sweep, &mut text);
    }
    for note in &document.notes {
        let _ = writeln!(
            text,
            "\n* {}",
            escape(&crate::report::notes::words(note, &crate::report::document::letter).text())
        );
    }
    text
}

/// The points, and how they were measured.
fn table(document: &Document, sweep: &SweepPart, text: &mut String) {
    let headings = headings(sweep);
    let parameters = shown(document, sweep).into_iter().map(|parameter| escape(&parameter.name));
    let names: Vec<String> = std::iter::once(String::new())
        .chain(parameters)
        .chain([headings.minimized, headings.ratio.to_owned()])
        .chain(headings.beside)
        .chain(["runs".to_owned(), String::new()])
        .collect();
    let _ = writeln!(text, "\n| {} |", names.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(names.len()));
    for row in rows(document, sweep) {
        let mark = if *row.state == PointState::Front { "\u{2605}" } else { "" };
        let cells: Vec<String> = std::iter::once(mark.to_owned())
            .chain(row.values.iter().map(|value| escape(value)))
            .chain([row.minimized.1, row.ratio])
            .chain(row.beside)
            .chain([row.rounds.to_string(), escape(&row.remark)])
            .collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    let circumstances = sentences::circumstances(document, sweep);
    let _ = writeln!(text, "\n{circumstances}; {}.", words::confidence(document));
}
