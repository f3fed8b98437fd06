//! A history: many commits, each built, the built ones measured as variants of one experiment.
//!
//! From the plan on a history is an experiment like any other. Here is what comes before and after:
//! which artefacts are to be compared with which ([`lineage`]), what is still to be measured
//! ([`remaining`]; [`bisect`] needs only some), what all experiments about them say together
//! ([`merge`]), which commits changed what ([`steps`]), and what it comes to ([`outcome`]). Of a suite, each benchmark has a history
//! ([`strands`]); they are measured together ([`agenda`]) and told together ([`whole`]). [`series`] makes a history of what others measured.

pub mod agenda;
pub mod bisect;
pub mod figures;
pub mod lineage;
mod machines;

pub mod merge;
pub mod outcome;
pub mod remaining;
pub mod series;
pub mod steps;
pub mod strands;
pub mod whole;

#[cfg(test)]
mod tests;
