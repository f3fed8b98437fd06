//! What to do next, given all rounds so far.
//!
//! The ends are compared until they differ, commits between them are probed until one of them is
//! probably the one, and then it is compared with the commit before it, in fresh rounds. Only that
//! last comparison is a finding, so its error alone is the search's: the first attempt may err half of
//! what is permitted, the second a quarter, and so on. What fresh rounds contradict goes on: they count
//! like all others.

use super::levels::Levels;
use super::posterior::{Assessment, Place};
use super::probes::{Asked, Price, rounds_to_confirm, rounds_to_tell};

/// The least rounds of a batch.
const FIRST_ROUNDS: u32 = 6;

/// The most rounds of a batch: after that it is looked again whether the next ones are the right ones.
const MOST_ROUNDS: u32 = 100;

/// How sure it must be that the ends differ before anything is built between them. A mistake costs a
/// search that ends without a finding.
const ENDS_ALPHA: f64 = 0.03;

/// The error that a search may make, mostly.
const USUAL_ALPHA: f64 = 0.05;

/// How sure it must be that they do not.
const NO_CHANGE_ALPHA: f64 = 0.01;

/// How probable a commit must be before it is confirmed.
const PROBABLE: f64 = 0.9;

/// The comparison of the two neighbours is planned so that it finds their difference so often.
const POWER: f64 = 0.95;

/// The least rounds of a confirmation.
const LEAST_CONFIRMING: u32 = 14;

/// What a search has come to.
#[derive(Debug, Clone)]
pub struct State<'a> {
    /// The commits of the range, the ends among them.
    pub places: &'a [Place],
    /// What all rounds say of their levels; none where nothing is known yet.
    pub levels: Option<&'a Levels>,
    /// How many rounds the ends have in common.
    pub rounds_of_ends: u32,
    /// How many comparisons of neighbours did not confirm what they were for.
    pub unconfirmed: u32,
    /// What it takes to learn more.
    pub price: Price,
    /// The smallest change that matters, on the log scale.
    pub margin: f64,
    /// The error permitted to the search.
    pub alpha: f64,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Run the two ends for so many rounds.
    Ends {
        /// How many.
        rounds: u32,
    },
    /// Nothing: the ends differ by less than the margin.
    NoChange,
    /// Run these commits beside the ends of the part in which the change is looked for.
    Probe {
        /// Which, in their order.
        places: Vec<usize>,
        /// Those ends.
        ends: (usize, usize),
        /// For how many rounds.
        rounds: u32,
    },
    /// Compare two neighbours afresh.
    Confirm {
        /// The commit before the change.
        near: usize,
        /// The commit with the change.
        far: usize,
        /// For how many rounds.
        rounds: u32,
        /// How much this comparison may err.
        alpha: f64,
    },
    /// Nothing: no commit is left that could be the one.
    Nowhere,
}

impl State<'_> {
    /// What is known of the change, where the ends differ enough to tell.
    #[must_use]
    pub fn assessment(&self) -> Option<Assessment> {
        Assessment::of(self.places, self.levels?)
    }

    /// How much the next comparison of neighbours may err.
    #[must_use]
    pub fn confirming_alpha(&self) -> f64 {
        self.alpha * 0.5_f64.powi(i32::try_from(self.unconfirmed.min(100)).unwrap_or(100) + 1)
    }

    /// What to do next.
    #[must_use]
    pub fn next(&self) -> Step {
        let Some(levels) = self.levels else { return Step::Ends { rounds: FIRST_ROUNDS } };
        let Some(ends) = self.ends() else { return Step::Ends { rounds: FIRST_ROUNDS } };
        if ends.estimate.abs() + ends.reach(NO_CHANGE_ALPHA) < self.margin {
            return Step::NoChange;
        }
        // As much surer as the whole search is to be.
        if !ends.is_certain(ENDS_ALPHA * self.alpha / USUAL_ALPHA) {
            return Step::Ends { rounds: batch(f64::from(self.rounds_of_ends)) };
        }
        let Some(assessment) = self.assessment() else { return Step::Nowhere };
        let change = assessment.change.estimate;
        let (near, far, mass) = assessment.most_probable();
        let is_built = |place: usize| matches!(self.places[place], Place::Artefact(_));
        if mass >= PROBABLE && is_built(near) && is_built(far) {
            return self.confirm(near, far);
        }
        let rounds = batch(0.5 * rounds_to_tell(levels.noise, change));
        let price = Price { rounds, ..self.price };
        let asked = Asked { assessment: &assessment, noise: levels.noise, price };
        let places = asked.probes(&is_built);
        if places.is_empty() {
            return if is_built(near) && is_built(far) {
                self.confirm(near, far)
            } else {
                Step::Nowhere
            };
        }
        Step::Probe { places, ends: (assessment.near, assessment.far), rounds }
    }

    /// What is known of the ends of the whole range.
    #[must_use]
    pub fn ends(&self) -> Option<super::Difference> {
        let (Some(Place::Artefact(first)), Some(Place::Artefact(last))) =
            (self.places.first(), self.places.last())
        else {
            return None;
        };
        self.levels?.difference(*first, *last)
    }

    /// The comparison that settles whether the change is between these two.
    #[must_use]
    pub fn confirm(&self, near: usize, far: usize) -> Step {
        let alpha = self.confirming_alpha();
        let noise = self.levels.map_or(0.0, |levels| levels.noise);
        let change = self.change_between(near, far);
        // Attempts that found nothing were too short, or their change is smaller than it seemed.
        let more = 1.5_f64.powi(i32::try_from(self.unconfirmed.min(10)).unwrap_or(10));
        let rounds = more * rounds_to_confirm(noise, change, alpha, POWER);
        let least = LEAST_CONFIRMING.max(least_rounds(alpha));
        let rounds = (rounds.ceil().min(1e6) as u32).max(least);
        Step::Confirm { near, far, rounds, alpha }
    }

    /// Of two neighbours the change that is looked for, or their own where that is smaller and known.
    fn change_between(&self, near: usize, far: usize) -> f64 {
        let whole = self.assessment().map_or(self.margin, |known| known.change.estimate.abs());
        let (Place::Artefact(near), Place::Artefact(far)) = (self.places[near], self.places[far])
        else {
            return whole;
        };
        let own = self.levels.and_then(|levels| levels.difference(near, far));
        match own {
            // Where the whole change is within the margin, so is every part of it.
            Some(own) if own.error < 0.2 * whole => {
                own.estimate.abs().clamp(self.margin.min(whole), whole)
            }
            _ => whole,
        }
    }
}

/// With fewer, a test of signs at this level finds nothing, whatever they say; two more may disagree.
fn least_rounds(alpha: f64) -> u32 {
    (1.0 - alpha.log2()).ceil() as u32 + 2
}

fn batch(rounds: f64) -> u32 {
    (rounds.ceil().min(1e6) as u32).clamp(FIRST_ROUNDS, MOST_ROUNDS)
}
