//! From samples to verdicts.
//!
//! The arithmetic is in the crate `stats`, and the design of an experiment in [`model::design`]. Here
//! both meet the runs: [`comparison`] gives the verdict of an interval, [`step`] the source of a
//! change, [`hunks`] and [`cause`] its cause, [`expectation`] the truth of an expectation, and [`diagnosis`] further remarks.
//! `docs/method.md` justifies each choice.

pub mod acceptance;
pub mod cause;
pub mod comparison;
pub mod diagnosis;
pub mod equal_work;
pub mod expectation;
pub mod forecast;
pub mod hunks;
pub mod level;
pub mod loops;
pub mod orders;
pub mod payback;
pub mod reach;
pub mod sequence;
pub mod step;
pub mod trial;
