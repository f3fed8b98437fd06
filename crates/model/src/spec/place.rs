//! The place of an error in a text: line, column, the line itself, and marks below it.
//!
//! Errors in handwritten texts (`brisk.toml`, an expectation) are reported with their place, so
//! that nobody has to search, and with the known word nearest to a mistyped one. A place is the
//! source of an error; the error itself describes the problem.

use std::fmt;
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// A place in a text, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPosition {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    of: String,
    excerpt: String,
    marks: String,
}

/// The maximum number of characters of a line to show. Arbitrary; a terminal has 80 columns or
/// more.
const MOST_SHOWN: usize = 76;
/// The number of characters shown before the place if the line is cut. Arbitrary.
const SHOWN_BEFORE: usize = 30;

impl TextPosition {
    /// The place of `span` (in bytes) in `text`, whose name is `of`: "`brisk.toml`". A span beyond
    /// the text's end, or within a character, is moved to the nearest place that can be shown.
    pub fn new(text: &str, span: Range<usize>, of: &str) -> Self {
        let start = floor_boundary(text, span.start);
        let end = floor_boundary(text, span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let before: Vec<char> = text[line_start..start].chars().collect();
        let marked: Vec<char> = text[start..end.min(line_end)].chars().collect();
        let after: Vec<char> = text[end.min(line_end)..line_end].chars().collect();
        let (excerpt, marks) = show(&before, &marked, &after);
        Self {
            line: text[..line_start].matches('\n').count() + 1,
            column: before.len() + 1,
            of: of.to_owned(),
            excerpt,
            marks,
        }
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The line and the marks below it, cut to a window around the marked part.
fn show(before: &[char], marked: &[char], after: &[char]) -> (String, String) {
    let whole = before.len() + marked.len() + after.len();
    let skipped = if whole > MOST_SHOWN { before.len().saturating_sub(SHOWN_BEFORE) } else { 0 };
    let line = before.iter().chain(marked).chain(after).copied();
    let mut excerpt: String = if skipped > 0 { "…".into() } else { String::new() };
    excerpt.extend(line.skip(skipped).take(MOST_SHOWN).map(visible));
    if whole - skipped > MOST_SHOWN {
        excerpt.push('…');
    }
    let indent: usize = before[skipped..].iter().map(|&c| width(c)).sum();
    let room = MOST_SHOWN.saturating_sub(before.len() - skipped);
    let length: usize = marked.iter().take(room).map(|&c| width(c)).sum();
    let marks = " ".repeat(indent + usize::from(skipped > 0)) + &"^".repeat(length.max(1));
    (excerpt.trim_end().to_owned(), marks)
}

/// Replaces characters that would move the cursor or change colours.
fn visible(character: char) -> char {
    match character {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

fn width(character: char) -> usize {
    visible(character).width().unwrap_or(0)
}

impl fmt::Display for TextPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, of, excerpt, marks } = self;
        write!(formatter, "line {line}, column {column} of {of}:\n{excerpt}\n{marks}")
    }
}

impl std::error::Error for TextPosition {}

/// The known word that differs from `word` by the fewest insertions, deletions, replacements and
/// swaps of neighbours, ignoring case; `None` if even that one differs in more than a third of the
/// word: then it is a guess, not a slip.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The distance takes time and memory proportional to the product of the lengths.
    if word.len() > 100 {
        return None;
    }
    let typed = word.to_lowercase();
    let allowed = (typed.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&typed, &known.to_lowercase()), known))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, known)| *distance <= allowed && *distance < known.chars().count())
        .map(|(_, known)| known)
}

/// The hint after a mistyped word: the nearest known word, if any, and all of them behind an
/// introduction.
pub(crate) fn suggestion<'a>(
    typed: &str,
    introduction: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> String {
    let all = format!("{introduction} {}", listed(known.clone()));
    match nearest(typed, known) {
        Some(meant) => format!("did you mean `{meant}`? {all}"),
        None => all,
    }
}

/// Names in backquotes, separated by commas.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, span: Range<usize>) -> String {
        TextPosition::new(text, span, "it").to_string()
    }

    #[test]
    fn the_line_is_shown_with_marks_below() {
        assert_eq!(shown("a = 1\nbc = 2\n", 6..8), "line 2, column 1 of it:\nbc = 2\n^^");
        assert_eq!(shown("a = 1\r\nb = 2", 4..5), "line 1, column 5 of it:\na = 1\u{fffd}\n    ^");
    }

    #[test]
    fn marks_stand_below_wide_and_odd_characters() {
        // Columns count characters; the marks follow the width in a terminal.
        assert_eq!(shown("日本 x", 7..8), "line 1, column 4 of it:\n日本 x\n     ^");
        assert_eq!(shown("\tx\u{1b}[31m", 1..2), "line 1, column 2 of it:\n x\u{fffd}[31m\n ^");
    }

    #[test]
    fn any_span_has_a_place() {
        assert_eq!(shown("", 0..0), "line 1, column 1 of it:\n\n^");
        assert_eq!(shown("ab", 2..9), "line 1, column 3 of it:\nab\n  ^");
        assert_eq!(shown("é", 1..2), "line 1, column 1 of it:\né\n^");
        assert_eq!(shown("a\nb", 0..3), "line 1, column 1 of it:\na\n^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}WRONG{}", "x".repeat(500), "y".repeat(500));
        let place = TextPosition::new(&text, 500..505, "it");
        assert_eq!(place.column, 501);
        let (excerpt, marks) = (place.excerpt.chars(), place.marks.chars());
        let below: String =
            excerpt.zip(marks).filter(|(_, mark)| *mark == '^').map(|(c, _)| c).collect();
        assert_eq!(below, "WRONG");
        assert_eq!(place.excerpt.chars().count(), MOST_SHOWN + 2);
    }

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["command", "name", "runs", "MB", "s"];
        for (typed, expected) in [
            ("comand", Some("command")),
            ("nmae", Some("name")),
            ("Runs", Some("runs")),
            ("mb", Some("MB")),
            ("colour", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(typed, known), expected, "{typed}");
        }
        assert_eq!(nearest(&"x".repeat(1 << 20), known), None);
    }
}
