//! brisk: a performance laboratory for programs.
//!
//! The modules, in the order in which a measurement travels through them. `ARCHITECTURE.md` has the
//! crates below this one, and follows an option, a reading and a commit through all of them.
//!
//! Measuring:
//!
//! * [`cli`]: the command line, with a file for each verb. Nothing else depends on its parser.
//! * [`conduct`]: one experiment while it runs; it passes each event to store, judge and
//!   progress.
//! * [`record`]: an experiment's question and events, as stored and sent.
//! * [`store`]: experiments and their runs in SQLite or PostgreSQL.
//!
//! Combining several, and finding reasons:
//!
//! * [`history`]: many commits as variants of one experiment; merged results, and steps.
//! * [`explain`]: the cost of a program by its code, counters and dumps.
//! * [`doctor`]: this machine, now: its disturbances, and the smallest change it can show.
//!
//! Showing it:
//!
//! * [`report`]: the document of an experiment, its page, pictures and files.
//! * [`archive`]: stores finished experiments, and makes documents of stored ones.
//! * [`serve`]: the stored experiments as pages over HTTP.
//! * [`parallel`]: the same work on many items, on all processors.

pub mod archive;
pub mod cli;
pub mod conduct;
pub mod doctor;
pub mod explain;
pub mod history;
pub mod parallel;
pub mod record;
pub mod report;
pub mod serve;
pub mod store;
