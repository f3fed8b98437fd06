//! The benchmark harnesses that people have: how each is recognised, asked what it has, told to run
//! exactly some of it, and understood.
//!
//! A harness is a library inside a program: it runs pieces of the program again and again, and
//! reports how long that took. [`ALL`] is the table of those that are known; from it follow what
//! the command line accepts, what is recognised and what is read. To add one, write its
//! [`adapter::Harness`] and add it there.

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

/// Every harness that can be driven, in the order of help texts.
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

/// The harness of this name.
pub fn find(word: &str) -> Option<&'static Harness> {
    ALL.into_iter().find(|harness| harness.word == word)
}

/// The harnesses whose marks are complete in the contents of an executable file; of those that have all
/// marks of another, that alone. One is the answer; several may be found in a program that knows about
/// harnesses, such as this one.
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
