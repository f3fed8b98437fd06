//! What compilers, runtimes, profilers and harnesses print, as typed facts.
//!
//! Text in, facts out: no file is opened and no process started here, so that every parser can be
//! fed hostile input. What a tool did not say is absent, never zero.

pub mod cachegrind;
pub mod callgrind;
pub mod executable;
pub mod ghc;
pub mod harness;
pub mod project;
pub mod runtime;
pub mod sbcl;
pub mod series;
pub mod symbol;
