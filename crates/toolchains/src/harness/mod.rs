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
mod json;
pub mod lines;
pub mod measurement;
mod regex;
pub mod saved;
pub mod tasty_bench;
pub mod writer;

use memchr::memmem;

use adapter::Harness;

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
