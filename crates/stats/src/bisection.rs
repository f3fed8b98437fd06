//! Which of many commits in a row changed what is measured: a binary search whose answers are noisy.
//!
//! A search that takes a side after every probe goes astray with the first wrong answer. So no side is
//! taken: every commit has a probability of being the one, each round of runs moves it, and the next
//! probe is where the most is learned for its price (Burnashev & Zigangirov, *Problems of Information
//! Transmission* 10, 1974; Karp & Kleinberg, *SODA* 2007). A wrong turn is undone by the rounds that
//! contradict it.
//!
//! 1. [`levels`]: the level of each artefact from all rounds, with what it may be off.
//! 2. [`Assessment`]: for each commit the probability that it is the one.
//! 3. [`probes`]: where to look next.
//! 4. [`State::next`]: what to do, until fresh rounds confirm what was found.
//!
//! The change that is looked for is the one between the ends. A commit whose level is certainly
//! between the levels of the ends shows that there are several changes; then the part with the larger
//! share of the change is searched.

mod cholesky;
pub mod levels;
mod posterior;
pub mod probes;
mod step;

pub use levels::{Difference, Levels, Round};
pub use posterior::{Assessment, Between, Place};
pub use step::{State, Step};

/// How far the level of an artefact may lie from those of its neighbours although nothing changed that
/// matters, over the change that is looked for: other commits do something, too, and so does where a
/// linker puts the code. It limits what rounds of a single artefact can say, however many there are.
const WANDERING_SHARE: f64 = 0.1;

/// The least of that, on the log scale.
const WANDERING: f64 = 0.001;

/// The standard deviation of what artefacts differ in although nothing changed that matters.
fn wandering(change: f64) -> f64 {
    WANDERING.max(WANDERING_SHARE * change.abs())
}
