//! From samples to verdicts.
//!
//! The arithmetic is in the crate `stats`; its application is here: the comparisons that make up
//! the family whose error is controlled ([`contrasts`], [`family`]), the verdict of an interval
//! ([`verdict`]), the stopping rule ([`stopping`]), the origin of a change ([`step`]), and
//! everything else worth noting ([`diagnosis`]). `docs/method.md` justifies each choice.

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
