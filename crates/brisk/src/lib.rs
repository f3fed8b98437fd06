//! brisk: a performance laboratory for programs.
//!
//! The modules, in the order in which a measurement passes through them. `ARCHITECTURE.md`
//! describes which may depend on which, and follows an option, a reading and a commit through them.
//!
//! From the command line to an experiment:
//!
//! * [`cli`]: the command line, with a file for each verb. Nothing else depends on its parser.
//! * [`failure`]: errors as shown to the user, with causes and a hint.
//! * [`spec`]: a user's input, checked: commands, parameters, suites and `brisk.toml` become an
//!   experiment.
//! * [`expectation`]: the language of `[[expect]]` in `brisk.toml`.
//! * [`commission`]: the question of an experiment, complete enough to be answered elsewhere.
//! * [`prepare`]: the commits of a range, and a program of each.
//! * [`json`], [`exact`], [`ratio`]: JSON, including bytes and infinite ratios.
//! * [`parallel`]: the same work on many items, on all processors.
//!
//! Running it:
//!
//! * [`plan`]: the order of the runs, drawn from a seed.
//! * [`run`]: executors and instruments, which carry out a plan and emit events.
//! * [`metric`]: the registry of metrics, and the readings of a run by their names.
//! * [`note`]: remarks beside the verdicts, as values.
//! * [`sample`]: runs as columns of values, by variant and round.
//!
//! Judging it while it runs:
//!
//! * [`judge`]: from samples to verdicts, and when to stop.
//! * [`forecast`]: the remaining time of a task.
//! * [`record`]: an experiment's question and events, as stored and sent.
//! * [`conduct`]: one experiment while it runs; it passes each event to store, judge and progress.
//!
//! Keeping it:
//!
//! * [`host`]: the machine and its conditions, as stored.
//! * [`machine_class`]: the class of a machine, so that only comparable results are combined.
//! * [`store`]: experiments and their runs in SQLite or PostgreSQL.
//!
//! Combining several, and finding reasons:
//!
//! * [`history`]: many commits as variants of one experiment; merged results, and steps.
//! * [`sweep`]: one command at many points of its parameters.
//! * [`tune`]: the search for the best settings of a runtime system.
//! * [`explain`]: the cost of a program by its code, counters and dumps.
//!
//! Showing it, here and elsewhere:
//!
//! * [`report`]: the document of an experiment, its page, pictures and files.
//! * [`archive`]: stores finished experiments, and makes documents of stored ones.
//! * [`engine`]: experiments on other machines, by ssh, Slurm or a custom command.
//! * [`serve`]: the stored experiments as pages over HTTP.
//! * [`doctor`]: this machine, now: its disturbances, and the smallest change it can show.

pub mod cli;
pub mod commission;
pub mod exact;
pub mod expectation;
pub mod failure;
pub mod json;
pub mod parallel;
pub mod prepare;
pub mod ratio;
pub mod spec;

pub mod metric;
pub mod note;
pub mod plan;
pub mod run;
pub mod sample;

pub mod conduct;
pub mod forecast;
pub mod judge;
pub mod record;

pub mod host;
pub mod machine_class;
pub mod store;

pub mod explain;
pub mod history;
pub mod sweep;
pub mod tune;

pub mod archive;
pub mod doctor;
pub mod engine;
pub mod report;
pub mod serve;
