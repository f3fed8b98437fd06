//! What compilers, runtimes, profilers and harnesses print, as typed facts.
//!
//! Text in, facts out: no file is opened and no process started here, so that every parser can be
//! fed hostile input. What a tool did not say is absent, never zero.
//!
//! * [`project`]: the build system of a project, its programs and the commands that make them.
//! * [`executable`]: the kind of a file that a build made, and the parts that are loaded.
//! * [`symbol`]: names of functions as people know them.
//! * [`runtime`]: runtime systems: how each is recognised, asked and understood, and its knobs.
//! * [`harness`]: benchmark harnesses: how each is recognised, told what to run, and read.
//! * [`series`]: tables of measurements over time.
//! * [`callgrind`]: instructions by function and line, and the calls between functions.
//! * [`cachegrind`]: the totals of simulated caches and branches.
//! * [`sbcl`]: the notes of the Lisp compiler and the samples of its profiler.

pub mod cachegrind;
pub mod callgrind;
pub mod executable;
pub mod harness;
pub mod project;
pub mod runtime;
pub mod sbcl;
pub mod series;
pub mod symbol;
