//! Names written so that a harness takes them for themselves only.

use std::fmt::Write as _;

/// The characters with a meaning in every dialect in use: POSIX extended, ECMAScript, RE2 and
/// Rust's. Closing brackets alone have none, and some dialects refuse them escaped.
const SIGNS: &[char] = &['\\', '^', '$', '.', '|', '?', '*', '+', '(', ')', '[', '{'];

/// A regular expression that matches this text and nothing else.
pub(super) fn exact_regex(text: &str) -> String {
    let escape = |sign: char| SIGNS.contains(&sign).then_some('\\');
    let literal: String =
        text.chars().flat_map(|sign| escape(sign).into_iter().chain([sign])).collect();
    format!("^{literal}$")
}

/// A pattern of the package Glob that matches this name only: characters with a meaning are put in
/// classes of their own.
pub(super) fn glob(name: &str) -> String {
    let one = |character: char| match character {
        '*' | '?' | '[' | '<' => format!("[{character}]"),
        _ => character.to_string(),
    };
    name.chars().map(one).collect()
}

/// A Haskell string literal of this text, whose characters may all be given by their numbers
/// (`Test.Tasty.Patterns.Parser`), so the locale does not matter.
pub(super) fn haskell(text: &str) -> String {
    let mut literal = "\"".to_owned();
    for character in text.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | ' ' | '_' | '-' | '/' => {
                literal.push(character);
            }
            _ => write!(literal, "\\{}\\&", u32::from(character)).expect("writing to a string"),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signs_are_escaped() {
        assert_eq!(exact_regex("a.b(c) [d]{e}|ü/'\""), "^a\\.b\\(c\\) \\[d]\\{e}\\|ü/'\"$");
    }

    #[test]
    fn a_text_is_written_so_that_no_locale_can_change_it() {
        assert_eq!(haskell("All.fib 1"), "\"All.fib 1\"");
        // The empty escape keeps a digit from joining the number.
        assert_eq!(haskell("\"ü1"), "\"\\34\\&\\252\\&1\"");
    }

    #[test]
    fn what_means_something_in_a_pattern_stands_in_a_class() {
        assert_eq!(glob("a/b c"), "a/b c");
        assert_eq!(glob("[x]*?<1-2>"), "[[]x][*][?][<]1-2>");
    }
}
