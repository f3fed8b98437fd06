//! Finds the commit, among many in a row, that changed a measurement: a binary search with noisy
//! answers.
//!
//! A search that takes a side after every probe goes astray with the first wrong answer. So no side
//! is taken: every commit has a probability of being the culprit, each round of runs updates it,
//! and the next probe is the commit that yields most for its price (Burnashev & Zigangirov,
//! *Problems of Information Transmission* 10, 1974; Karp & Kleinberg, *SODA* 2007). The rounds that
//! contradict a wrong turn undo it.
//!
//! 1. [`levels`]: the level of each artefact from all rounds, with its error.
//! 2. [`Assessment`]: the probability of each commit to be the culprit.
//! 3. [`probes`]: the next commits to run.
//! 4. [`State::next`]: the next step, until fresh rounds confirm the finding.
//!
//! The search is for the change between the ends. A commit whose level is certainly between the
//! levels of the ends shows that there are several changes; then the part with the larger share of
//! the change is searched.

mod cholesky;
pub mod levels;
mod posterior;
pub mod probes;
mod step;

pub use levels::{Difference, Levels, Round};
pub use posterior::{Assessment, Between, Place};
pub use step::{State, Step};

/// The distance by which the level of an artefact may differ from its neighbours without a relevant
/// change, as a fraction of the searched change: other commits have small effects, too, and so does
/// the layout chosen by the linker. It limits the evidence from a single artefact, for any number
/// of rounds.
const WANDERING_SHARE: f64 = 0.1;

/// The minimum of that distance, on the log scale.
const WANDERING: f64 = 0.001;

/// The standard deviation between artefacts without a relevant change.
fn wandering(change: f64) -> f64 {
    WANDERING.max(WANDERING_SHARE * change.abs())
}
