//! The runtime systems of programs: how each is recognised, asked from outside, and understood.
//!
//! [`ALL`] is the table of them; from it follow what the command line accepts, what is recognised
//! and what is read. To add one, write its [`Adapter`] and add it there.

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
pub mod numbers;
pub mod ocaml;
pub mod ocaml_events;
pub mod polyml;
pub mod reports;
pub mod sbcl;
pub mod script;
pub mod tuning;

use adapter::Adapter;

/// Every runtime that can be asked, in the order of help texts.
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

/// The runtime of this name.
pub fn find(word: &str) -> Option<&'static Adapter> {
    ALL.into_iter().find(|adapter| adapter.word == word)
}
