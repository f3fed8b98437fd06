//! The output of GHC, the Haskell compiler, about a program: its Core, the counters, heap profiles
//! and stacks of a run; the causes of its cost; and the differences between two builds.
//!
//! Text in, facts out: no file is opened and no process started here. Facts that GHC did not report
//! are absent, never zero.
//!
//! * [`core`], [`compiling`], [`performance_note`]: dumps of Core, and GHC's messages while it
//!   compiles.
//! * [`ticky`]: counters of a run, and the bindings of Core that they belong to.
//! * [`image`], [`instructions`], [`samples`], [`heap_census`]: names in an executable,
//!   and where a run spends its instructions and its time.
//! * [`heap_profile`], [`heap_census`]: memory over time, by what fills it.
//! * [`causes`]: patterns that are known to cost time or memory.
//! * [`difference`]: two builds of a program, function by function.

pub mod causes;
pub mod compiling;
pub mod core;
pub mod difference;
pub mod heap_census;
pub mod heap_profile;
pub mod image;
pub mod instructions;
pub mod performance_note;
pub mod samples;
pub mod ticky;
