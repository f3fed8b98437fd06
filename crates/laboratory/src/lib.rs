//! Experiments from the question to the finding: the library to use brisk from Rust.
//!
//! Five types are enough for a measurement:
//!
//! * [`comparison::Comparison`]: commands, compared with the usual settings. A
//!   [`question::Question`] has every setting, for suites and sweeps as well; what builds commits
//!   takes a request of the crate `configuration`.
//! * [`model::design::stopping::StoppingRule`]: how long to measure, and how sure to be.
//! * [`store::Place`]: where every run is kept, before the next one starts.
//! * [`watcher::Event`]: what happens meanwhile, for a closure or another [`watcher::Watcher`].
//!   Nothing here knows a terminal.
//! * [`findings::Document`]: what was found, with one [`findings::Finding`] for its kind. The crate
//!   `report` makes pages, pictures and files of it.
//!
//! ```no_run
#![doc = include_str!("../examples/compare_two.rs")]
//! ```
//!
//! # Modules
//!
//! From a request to what was found:
//!
//! * [`history`]: every commit of a range, built and measured; a search for one of them; the steps.
//! * [`check`]: the expectations of `brisk.toml`, each with its result.
//! * [`tuning`]: the settings of a runtime with which a program is fastest.
//! * [`explaining`]: why a program costs what it costs, or what changed from one to another.
//! * [`doctor`]: this machine, now: its disturbances, and the smallest change it can show.
//!
//! For one experiment:
//!
//! * [`project`], [`commits`], [`executables`]: the programs of commits, built as the project says.
//! * [`conduct`]: an experiment while it runs; it passes each event to store, judge and progress.
//! * [`conducting`]: the same for a commission, wherever it comes from, on this machine; `remote` on
//!   another, by way of an engine.
//! * [`machine`]: this machine, held while something is measured, in turns with others.
//! * [`assemble`]: the document of an experiment from its runs.
//! * [`measured`]: what is judged and stored, and what is said of an experiment that ended early.
//! * [`archive`]: stores finished experiments, and makes documents of stored ones.
//! * [`waiting`]: writes that are tried again while a store cannot be reached.

pub mod archive;
pub mod assemble;
pub mod check;
pub mod commits;
pub mod comparison;
pub mod conduct;
pub mod conducting;
pub mod doctor;
pub mod executables;
pub mod explaining;
pub mod history;
pub mod machine;
pub mod measured;
pub mod project;
pub mod question;
mod remote;
pub mod tuning;
pub mod waiting;
pub mod watcher;
