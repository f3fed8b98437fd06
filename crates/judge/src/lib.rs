//! From samples to verdicts.
//!
//! The arithmetic is in the crate `stats`, and the design of an experiment in [`model::design`]. Here
//! both meet the runs: [`comparison`] decides what an interval says, [`step`] what a change comes from,
//! [`acceptance`] whether an expectation holds, and [`diagnosis`] what else is worth saying.
//! `docs/method.md` justifies each choice.

pub mod acceptance;
pub mod comparison;
pub mod diagnosis;
pub mod equal_work;
pub mod expectation;
pub mod forecast;
pub mod level;
pub mod loops;
pub mod orders;
pub mod payback;
pub mod sequence;
pub mod step;
