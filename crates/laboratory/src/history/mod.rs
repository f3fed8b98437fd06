//! A history: many commits, each built, the built ones measured as variants of one experiment.
//!
//! From the plan on a history is an experiment like any other. The modules here cover the work
//! before and after: the pairs of artefacts to compare ([`lineage`]), the open measurements
//! ([`remaining`]; [`bisect`] needs only some), the combined results of all experiments
//! ([`merge`]), and the commits that changed something ([`steps`]). In a suite, each benchmark has a history ([`strands`]); they are measured together ([`agenda`]) and
//! reported together ([`whole`]). [`series`] makes a history from measurements of other tools.

pub mod agenda;
pub mod bisect;
pub mod lineage;
mod machines;

pub mod merge;
pub mod remaining;
pub mod series;
pub mod steps;
pub mod strands;
pub mod whole;

#[cfg(test)]
mod tests;
