//! Knobs of runtimes that make programs faster or smaller from outside: the values worth trying,
//! and the way to apply them to a command.
//!
//! A [`Tuning`] is a row of data for each runtime, like its adapter. [`Tuning::menu`] lists the
//! settings available for a machine and a program; a choice of places on it is a [`Setting`], which
//! [`Setting::apply`] adds to a command. Combinations that a runtime is known to refuse are not
//! permitted. A search sees only places, and which of them are permitted.

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

/// The knobs of every runtime.
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
