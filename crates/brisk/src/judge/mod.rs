//! From samples to verdicts.
//!
//! The arithmetic is in the crate `stats`; here is what it is applied to: which comparisons make up
//! the family whose error is controlled ([`contrasts`], [`family`]), what an interval says ([`verdict`]), when
//! to stop measuring ([`stopping`]), what a change comes from ([`step`]), and what else is worth saying ([`diagnosis`]).
//! `docs/method.md` justifies each choice.

pub mod acceptance;
pub mod comparison;
pub mod contrasts;
pub mod diagnosis;
pub mod equal_work;
pub mod expectation;
pub mod family;
pub mod foresight;
pub mod interval;
pub mod layouts;
pub mod level;
pub mod loops;
pub mod made;
pub mod orders;
pub mod parts;
pub mod payback;
pub mod ranking;
pub mod sequence;
pub mod stage;
pub mod step;
pub mod stopping;
pub mod verdict;
