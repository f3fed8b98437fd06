//! Benchmark harnesses: how to recognise them, list and select benchmarks, and read their reports.
//!
//! A harness is a library inside a program: it runs parts of the program repeatedly, and reports
//! their times. [`ALL`] is the table of the supported ones; the command line, the recognition and
//! the readers follow from it. To add a harness, write its [`adapter::Harness`] and add it there.

pub mod adapter;
pub mod criterion;
pub mod criterion_rs;
pub mod divan;
pub mod go;
pub mod google;
pub mod lines;
pub mod measurement;
mod regex;
pub mod saved;
pub mod tasty_bench;

use adapter::Harness;
use measurement::HarnessError;
use memchr::memmem;
use serde_json::Value;

/// Every supported harness, in the order of help texts.
pub static ALL: [&Harness; 8] = [
    &criterion::HARNESS,
    &tasty_bench::HARNESS,
    &google::HARNESS,
    &criterion_rs::HARNESS,
    &criterion_rs::OLD,
    &divan::HARNESS,
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
