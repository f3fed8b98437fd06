//! Experiments from the question to the finding: the library to use brisk from Rust.
//!
//! Five types are enough for a measurement:
//!
//! * [`comparison::Comparison`]: commands, compared with the usual settings. A
//!   [`question::Question`] has every setting, for suites and sweeps as well; what builds commits
//!   takes a request of the crate `configuration`.
//! * [`model::design::stopping::StoppingRule`]: the duration and the certainty of measuring.
//! * [`store::Place`]: the place of every run, before the next one starts.
//! * [`watcher::Event`]: an event of the work, for a closure or another [`watcher::Watcher`]. Nothing
//!   here knows a terminal.
//! * [`findings::Document`]: the finding, with one [`findings::Finding`] for its kind. The crate
//!   `report` makes pages, pictures and files of it.
//!
//! ```no_run
#![doc = include_str!("../examples/compare_two.rs")]
//! ```
//!
//! # Modules
//!
//! From a request to the finding:
//!
//! * [`history`]: every commit of a range, built and measured; a search for one of them; the steps.
//! * [`check`]: the expectations of `brisk.toml`, each with its result.
//! * [`tuning`]: the settings of a runtime with which a program is fastest.
//! * [`explaining`]: the causes of a program's cost, or of the change from one to another.
//! * `cause`: the hunk, the function and the class behind a change, with their proofs.
//! * [`doctor`]: this machine, now: its disturbances, and the smallest change it can show.
//!
//! For one experiment:
//!
//! * [`project`], [`commits`]: the programs of commits, built as the project says.
//! * [`conduct`]: an experiment while it runs; it passes each event to store, judge and progress.
//! * [`conducting`]: the same for a commission, wherever it comes from, on this machine; `remote` on
//!   another, by way of an engine.
//! * [`machine`]: this machine, held while something is measured, in turns with others.
//! * [`assemble`]: the document of an experiment from its runs.
//! * [`elsewhere`]: reports of harnesses that ran elsewhere, as an experiment.
//! * [`measured`]: experiments that have ended, judged and stored, or the words for their failure.
//! * [`archive`]: stores finished experiments, and makes documents of stored ones.

pub mod archive;
pub mod assemble;
mod cause;
pub mod check;
pub mod commits;
pub mod comparison;
pub mod conduct;
pub mod conducting;
pub mod doctor;
pub mod elsewhere;
pub mod explaining;
pub mod history;
pub mod machine;
pub mod measured;
pub mod project;
pub mod question;
mod reach;
mod remote;
pub mod tuning;
pub mod watcher;
