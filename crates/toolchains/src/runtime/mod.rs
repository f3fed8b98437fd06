//! The runtime systems of programs: how to recognise them, query them from outside, and read their
//! answers.
//!
//! [`ALL`] is their table; the command line, the recognition and the readers follow from it. To add
//! one, write its [`Adapter`] and add it there.

pub mod adapter;
pub mod cpython;
pub mod executable;
pub mod figures;
pub mod ghc;
pub mod go;
pub mod jvm;
pub mod live_heap;
pub mod mlton;
pub mod node;
pub mod ocaml;
pub mod ocaml_events;
pub mod polyml;
pub mod sbcl;
pub mod tuning;

use adapter::Adapter;

/// Every runtime that can be queried, in the order of help texts.
pub static ALL: [&Adapter; 9] = [
    &ghc::ADAPTER,
    &ocaml::ADAPTER,
    &sbcl::ADAPTER,
    &mlton::ADAPTER,
    &polyml::ADAPTER,
    &go::ADAPTER,
    &jvm::ADAPTER,
    &node::ADAPTER,
    &cpython::ADAPTER,
];

/// The runtime with this name.
pub fn find(word: &str) -> Option<&'static Adapter> {
    ALL.into_iter().find(|adapter| adapter.word == word)
}
