//! SBCL, the Lisp compiler: its notes about types that it lacked to make a program fast, and the
//! samples of its statistical profiler. (Its runtime is in `runtime::sbcl`.)
//!
//! The texts are those of SBCL 2.2.9.

pub mod notes;
pub mod profile;
