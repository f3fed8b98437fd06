//! A history: many commits, each built, the built ones measured as variants of one experiment.
//!
//! From the plan on a history is an experiment like any other. Here is what comes before and after:
//! which artefacts are to be compared with which ([`lineage`]), what is known of them already
//! ([`merge`]), and which commits changed what ([`steps`]).

pub mod lineage;
pub mod merge;
pub mod steps;
