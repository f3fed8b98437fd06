//! What SBCL, the Lisp compiler, says of a program: where it lacked types to make it fast, and what
//! its statistical profiler saw. (What its runtime says is in `runtime::sbcl`.)
//!
//! Read are the words of SBCL 2.2.9.

pub mod notes;
pub mod profile;
