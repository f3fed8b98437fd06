//! Foreign text in a form suitable for a report: names, commands, subjects of commits, output of
//! programs and builds, contents of an import or a store.
//!
//! Characters that would move the cursor, colour, ring, hide, or turn the direction of writing are
//! shown by their number instead, in Rust's syntax: `\u{1b}` for an escape, `\r` for a carriage
//! return. A tab becomes spaces, and a Windows line break becomes a line break. Data files (JSON,
//! CSV) keep every text unchanged.

use std::borrow::Cow;

const TAB: &str = "    ";

/// True if a character is not shown as itself: controls (C0, DEL, C1), separators of lines and
/// paragraphs, and characters that change the direction of writing (Unicode Standard Annex 9, table
/// 4).
pub fn is_hidden(character: char) -> bool {
    match character {
        '\n' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        other => other.is_control(),
    }
}

/// The text in a form suitable for a report.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(escaped(text, |_| None))
}

/// The same for text with our own styles: the sequences that set colours and weights (SGR) stay.
pub fn plain_but_styles(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(escaped(text, style))
}

/// `text` with escapes. `keep` returns the length of an unchanged sequence at the beginning of its
/// argument.
fn escaped(text: &str, keep: fn(&str) -> Option<usize>) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let kept = if is_hidden(character) { keep(rest) } else { Some(character.len_utf8()) };
        let end = kept.unwrap_or(character.len_utf8());
        let (here, after) = rest.split_at(end);
        match (kept, character) {
            (Some(_), _) => out.push_str(here),
            (None, '\t') => out.push_str(TAB),
            (None, '\r') if after.starts_with('\n') => {}
            (None, other) => out.extend(other.escape_default()),
        }
        rest = after;
    }
    out
}

/// The length of a sequence that sets a style: `ESC [ 1 ; 31 m` (ECMA-48, SGR).
fn style(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|it: char| !(it.is_ascii_digit() || it == ';'))?;
    parameters[end..].starts_with('m').then_some(2 + end + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_cannot_be_seen_is_shown_by_its_number() {
        for (text, shown) in [
            ("plain, größe 日本 👩‍💻", "plain, größe 日本 👩‍💻"),
            ("a\u{1b}[31mb", "a\\u{1b}[31mb"),
            ("\u{7}\u{8}\u{0}\u{7f}\u{9b}", "\\u{7}\\u{8}\\u{0}\\u{7f}\\u{9b}"),
            ("100 %\rdone\r\nnext", "100 %\\rdone\nnext"),
            ("a\tb", "a    b"),
            (
                "\u{202e}gpj.exe\u{2066}\u{200f}\u{61c}",
                "\\u{202e}gpj.exe\\u{2066}\\u{200f}\\u{61c}",
            ),
            ("two\u{2028}lines", "two\\u{2028}lines"),
        ] {
            assert_eq!(plain(text), shown);
        }
    }

    #[test]
    fn styles_stay_and_other_sequences_do_not() {
        let given = "\u{1b}[1;31merror\u{1b}[0m \u{1b}[2J\u{1b}]0;title\u{7}\u{1b}[m\u{1b}[";
        let shown = "\u{1b}[1;31merror\u{1b}[0m \\u{1b}[2J\\u{1b}]0;title\\u{7}\u{1b}[m\\u{1b}[";
        assert_eq!(plain_but_styles(given), shown);
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left_and_escaping_twice_is_escaping_once(text in "(\\PC|[\\x00-\\x9f\\u{200e}\\u{2028}-\\u{202e}]){0,40}") {
            let shown = plain(&text).into_owned();
            prop_assert!(!shown.contains(is_hidden));
            prop_assert_eq!(plain(&shown), shown.as_str());
        }
    }
}
