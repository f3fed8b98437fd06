//! The output of compilers, runtimes, profilers and harnesses, as typed facts.
//!
//! Text in, facts out: no file is opened and no process started here, so every parser can be fed
//! hostile input. A value that a tool did not report is absent, never zero.
//!
//! * [`project`]: the build system of a project, its programs and the commands that build them.
//! * [`code_equality`]: the proof that a run of one program is a run of another one.
//! * [`debug_functions`]: the functions of a program with their lines of source.
//! * [`diff`]: the lines that differ between two commits.
//! * [`executable`]: the kind of a build's file, and the parts that are loaded.
//! * [`symbol`]: names of functions as people know them.
//! * [`runtime`]: runtime systems: how to recognise them, query them and read their answers, and
//!   their knobs.
//! * [`harness`]: benchmark harnesses: how to recognise them, select benchmarks and read the
//!   results.
//! * [`series`]: tables of measurements over time.
//! * [`callgrind`]: instructions by function and line, and the calls between functions.
//! * [`cachegrind`]: the totals of simulated caches and branches.
//! * [`dhat`]: the bytes and blocks that a program allocated, by stack.
//! * [`sbcl`]: the notes of the Lisp compiler and the samples of its profiler.

pub mod cachegrind;
pub mod callgrind;
pub mod code_equality;
pub mod debug_functions;
pub mod dhat;
pub mod diff;
pub mod executable;
pub mod harness;
pub mod machine_code;
pub mod project;
pub mod runtime;
pub mod sbcl;
pub mod series;
pub mod source_change;
pub mod symbol;
pub mod system_calls;
