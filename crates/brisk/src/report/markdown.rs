//! Markdown: the answer, and a table one can paste into a pull request.

use std::fmt::Write as _;

use super::document::{Document, letter};
use super::equal_work::{self, Finding};
use super::quantity::scale_for;
use super::{memory, setups, words};
use crate::metric;

/// The report as Markdown.
pub fn render(document: &Document) -> String {
    let mut text = String::new();
    for answer in &document.answers {
        let _ = writeln!(text, "**{}**\n", escape(&words::answer(document, answer)));
    }
    text.push_str("| | command | metric | median ± sd | min … max | ratio | verdict |\n");
    text.push_str("|---|---|---|---:|---:|---:|---|\n");
    for summary in &document.summaries {
        let Some(metric) = metric::find(&summary.metric) else { continue };
        if !document.shows(&summary.metric) {
            continue;
        }
        let scale = scale_for(summary.median, metric.unit);
        let decimals = scale.decimals(summary.median);
        let number = |value: f64| scale.number(value, decimals);
        let value = match (summary.at_most, summary.sd) {
            (true, _) => format!("<= {}", number(summary.median)),
            (false, Some(sd)) => format!("{} ± {}", number(summary.median), number(sd)),
            (false, None) => number(summary.median),
        };
        let part = document.comparison(summary.variant, &summary.metric, summary.source);
        let _ = writeln!(
            text,
            "| {} | {} | {}{} | {} | {} … {} | {} | {} |",
            letter(summary.variant),
            code(&document.variants[summary.variant as usize].name),
            metric.label,
            summary.source.mark(),
            scale.with_symbol(&value),
            number(summary.min),
            number(summary.max),
            part.map(|part| escape(&words::ratio_in_row(document, part))).unwrap_or_default(),
            part.map(|part| part.verdict.word()).unwrap_or_default(),
        );
    }
    if let Some(why) = words::footnote(document) {
        let _ = writeln!(text, "\n{}", escape(why));
    }
    let _ = write!(text, "\n{}", words::circumstances(document));
    for sentence in words::detectable(document).into_iter().chain([words::confidence(document)]) {
        let _ = write!(text, "; {sentence}");
    }
    text.push_str(".\n");
    for sentence in setups::sentences(document) {
        let _ = writeln!(text, "\n{}.", escape(&sentence));
    }
    for finding in equal_work::findings(document) {
        let _ = match finding {
            Finding::Warning(words) => writeln!(text, "\n* **Warning:** {}", escape(&words)),
            Finding::Remark(words) => writeln!(text, "\n* {}", escape(&words)),
        };
    }
    for verdict in document.memory_verdicts.iter().flatten() {
        let sentence = escape(&memory::words::sentence(verdict));
        let _ = writeln!(text, "\n* {}: {sentence}", letter(verdict.variant));
    }
    for note in &document.notes {
        let _ = writeln!(text, "\n* {}", escape(&note.to_string()));
    }
    text
}

/// `text` as code within a table cell: bars would end the cell, and backquotes the code.
pub(super) fn code(text: &str) -> String {
    let text = text.replace('\n', " ").replace('|', "\\|");
    let fence = if text.contains('`') { "``" } else { "`" };
    let pad = if text.contains('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Characters that Markdown would take as markup.
pub(super) fn escape(text: &str) -> String {
    text.chars().fold(String::new(), |mut escaped, character| {
        if matches!(character, '*' | '_' | '|' | '<') {
            escaped.push('\\');
        }
        escaped.push(character);
        escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_cannot_break_the_table() {
        assert_eq!(code("a | b"), "`a \\| b`");
        assert_eq!(code("echo `x`"), "`` echo `x` ``");
        assert_eq!(escape("a_b*c"), "a\\_b\\*c");
    }
}
