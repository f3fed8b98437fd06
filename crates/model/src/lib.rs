//! Experiments as brisk knows them: commands and their variants, the question, and the runs that
//! answer it. Nothing here runs, stores, judges or prints anything.
//!
//! The input of a user:
//!
//! * [`spec`]: commands, parameters, suites and `brisk.toml`, checked and turned into an experiment.
//! * [`expectation`]: the language of `[[expect]]` in `brisk.toml`.
//! * [`design`]: the comparisons that share the permitted error, and the rule that ends measuring.
//! * [`commission`]: the question of an experiment, complete enough to be answered elsewhere.
//!
//! The answers to it:
//!
//! * [`metric`]: the registry of metrics, and the readings of a run by their names.
//! * [`run`]: one execution of a variant, and what it printed.
//! * [`sample`]: runs as columns of values, by variant and round.
//! * [`sweep`]: the points of a sweep that stop early.
//! * [`verdict`]: the meaning of an interval, given a margin.
//! * [`note`]: remarks beside the verdicts, as values.
//! * [`host`]: the machine and its state; which results may be put together.
//!
//! For all crates above:
//!
//! * [`failure`]: errors as people read them, with causes and a way out.
//! * [`json`]: JSON without a loss, also of bytes and of infinite ratios.

pub mod commission;
pub mod design;
pub mod expectation;
pub mod failure;
pub mod host;
pub mod json;
pub mod metric;
pub mod note;
pub mod run;
pub mod sample;
pub mod spec;
pub mod sweep;
pub mod verdict;
