//! The runtime systems of programs: how to recognise them, query them from outside, and read their
//! answers.
//!
//! [`ALL`] is their table; the command line, the recognition and the readers follow from it. To add
//! one, write its [`Adapter`] and add it there.

pub mod adapter;
pub mod executable;
pub mod figures;
pub mod ghc;
pub mod go;
pub mod jvm;
pub mod ocaml;
mod preludes;
mod sml;
pub mod tuning;

use adapter::Adapter;

/// Every runtime that can be queried, in the order of help texts.
pub static ALL: [&Adapter; 9] = [
    &ghc::ADAPTER,
    &ocaml::ADAPTER,
    &preludes::SBCL,
    &sml::MLTON,
    &sml::POLYML,
    &go::ADAPTER,
    &jvm::ADAPTER,
    &preludes::NODE,
    &preludes::CPYTHON,
];

/// The runtime with this name.
pub fn find(word: &str) -> Option<&'static Adapter> {
    ALL.into_iter().find(|adapter| adapter.word == word)
}
