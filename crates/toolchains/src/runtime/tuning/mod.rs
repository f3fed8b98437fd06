//! What a runtime can be told from outside to be faster or smaller: its knobs, the values worth
//! trying, and how they are put into a command.
//!
//! A [`Tuning`] is a row of data for each runtime, like its adapter. From what is known of a
//! machine and a program, [`Tuning::menu`] makes the list of what can be chosen here; a choice of
//! places on it is a [`Setting`], which [`Setting::apply`] puts into a command. Nothing
//! that a runtime is known to refuse is ever on offer: what must not be together is not permitted.
//! Whoever searches sees only places and whether they are permitted.

pub mod apply;
pub mod cpython;
pub mod ghc;
pub mod go;
pub mod jvm;
pub mod knob;
pub mod menu;
pub mod mlton;
pub mod node;
pub mod ocaml;
pub mod polyml;
pub mod sbcl;

pub use apply::{ApplyError, Change, Start};
pub use knob::{Effect, Knob, Level, Need, Unit, Untouched};
pub use menu::{Choice, Facts, Host, Item, LeftOut, Menu, Setting, Tuning};

/// The knobs of every runtime that has some.
pub static ALL: [&Tuning; 9] = [
    &ghc::TUNING,
    &ocaml::TUNING,
    &sbcl::TUNING,
    &mlton::TUNING,
    &polyml::TUNING,
    &go::TUNING,
    &jvm::TUNING,
    &node::TUNING,
    &cpython::TUNING,
];

/// The knobs of the runtime whose adapter has this word.
pub fn find(word: &str) -> Option<&'static Tuning> {
    ALL.into_iter().find(|tuning| tuning.word == word)
}
