//! Sentences on a terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
pub(crate) use page::text::wrap;

pub(in crate::report) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// A sentence behind a word that says what sort it is, further lines below its beginning.
pub(in crate::report) fn lead(
    text: &mut String,
    style: Style,
    word: &str,
    sentence: &str,
    columns: usize,
) {
    let indent = word.len() + 1;
    for (index, line) in wrap(sentence, columns.saturating_sub(indent)).iter().enumerate() {
        let word = if index == 0 { word } else { &" ".repeat(word.len()) };
        let _ = writeln!(text, "{style}{word}{style:#} {line}");
    }
}
