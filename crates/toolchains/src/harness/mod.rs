//! Benchmark harnesses: how to recognise them, list and select benchmarks, and read their reports.
//!
//! A harness is a library inside a program: it runs parts of the program repeatedly, and reports
//! their times. [`ALL`] is the table of the supported ones; the command line, the recognition and
//! the readers follow from it. To add a harness, write its [`adapter::Harness`] and add it there.

pub mod adapter;
pub mod go;
pub mod google;
pub mod haskell;
pub mod lines;
pub mod measurement;
pub mod rust;
pub mod saved;

use adapter::Harness;
use measurement::HarnessError;
use memchr::memmem;
use serde_json::Value;

/// Every supported harness, in the order of help texts.
pub static ALL: [&Harness; 8] = [
    &haskell::CRITERION,
    &haskell::TASTY_BENCH,
    &google::HARNESS,
    &rust::CRITERION,
    &rust::CRITERION_0_3,
    &rust::DIVAN,
    &go::HARNESS,
    &lines::HARNESS,
];

/// The harness with this name.
pub fn find(word: &str) -> Option<&'static Harness> {
    ALL.into_iter().find(|harness| harness.word == word)
}

/// The harnesses whose marks are complete in the contents of an executable file; a harness whose
/// marks are all included in another's is dropped in favour of that. Several may be found in a
/// program that knows about harnesses, such as this one.
pub fn recognised(contents: &[u8]) -> Vec<&'static Harness> {
    let has = |mark: &&[u8]| memmem::find(contents, mark).is_some();
    let complete = |harness: &'static Harness| harness.marks.iter().find(|all| all.iter().all(has));
    let marked: Vec<_> = ALL.into_iter().filter_map(|one| Some((one, complete(one)?))).collect();
    let is_of_another = |marks: &[&[u8]]| {
        let mut others = marked.iter().filter(|(_, other)| other.len() > marks.len());
        others.any(|(_, other)| marks.iter().all(|mark| other.contains(mark)))
    };
    marked.iter().filter(|(_, marks)| !is_of_another(marks)).map(|(one, _)| *one).collect()
}

// Reading JSON that is only partly known: unknown parts are ignored, missing required ones are
// errors.

fn parse(file: &str, text: &str) -> Result<Value, HarnessError> {
    serde_json::from_str(text)
        .map_err(|source| HarnessError::Json { file: file.to_owned(), source })
}

fn lacking(file: &str, what: impl Into<String>) -> HarnessError {
    HarnessError::Lacking { what: what.into(), file: file.to_owned() }
}

/// A list of a JSON object.
fn list<'a>(value: &'a Value, key: &str, file: &str) -> Result<&'a Vec<Value>, HarnessError> {
    value[key].as_array().ok_or_else(|| lacking(file, format!("list `{key}`")))
}

/// A text of a JSON object.
fn text<'a>(value: &'a Value, key: &str, file: &str) -> Result<&'a str, HarnessError> {
    value[key].as_str().ok_or_else(|| lacking(file, format!("text `{key}`")))
}

/// A whole number, even if written with a decimal point.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
fn whole(value: &Value) -> Option<u64> {
    let of_float = |value: f64| {
        let fits = value.fract() == 0.0 && (0.0..9.0e15).contains(&value);
        fits.then_some(value as u64)
    };
    value.as_u64().or_else(|| value.as_f64().and_then(of_float))
}

/// The characters with a meaning in every dialect in use: POSIX extended, ECMAScript, RE2 and
/// Rust's. Closing brackets alone have none, and some dialects refuse them escaped.
const SIGNS: &[char] = &['\\', '^', '$', '.', '|', '?', '*', '+', '(', ')', '[', '{'];

/// The text with every such character escaped.
fn literal(text: &str) -> String {
    let escape = |sign: char| SIGNS.contains(&sign).then_some('\\');
    text.chars().flat_map(|sign| escape(sign).into_iter().chain([sign])).collect()
}

/// A regular expression that matches these texts and nothing else.
fn exact_regex(texts: &[&str]) -> String {
    let all: Vec<String> = texts.iter().map(|text| literal(text)).collect();
    match all.as_slice() {
        [one] => format!("^{one}$"),
        _ => format!("^({})$", all.join("|")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signs_are_escaped() {
        assert_eq!(literal("a.b(c) [d]{e}|ü/'\""), "a\\.b\\(c\\) \\[d]\\{e}\\|ü/'\"");
        assert_eq!(exact_regex(&["a+"]), "^a\\+$");
        assert_eq!(exact_regex(&["a", "b"]), "^(a|b)$");
    }
}
