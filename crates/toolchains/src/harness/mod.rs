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
pub static ALL: [&Harness; 7] = [
    &criterion::HARNESS,
    &tasty_bench::HARNESS,
    &google::HARNESS,
    &criterion_rs::HARNESS,
    &divan::HARNESS,
    &go::HARNESS,
    &lines::HARNESS,
];

/// The harness of this name.
pub fn find(word: &str) -> Option<&'static Harness> {
    ALL.into_iter().find(|harness| harness.word == word)
}

/// The harnesses whose marks are complete in the contents of an executable file. One is the
/// answer; several may be found in a program that knows about harnesses, such as this one.
pub fn recognised(contents: &[u8]) -> Vec<&'static Harness> {
    let has = |mark: &&[u8]| memmem::find(contents, mark).is_some();
    let is_there = |harness: &&Harness| harness.marks.iter().any(|all| all.iter().all(has));
    ALL.into_iter().filter(is_there).collect()
}
