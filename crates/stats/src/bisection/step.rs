//! The next step of a bisection, given all rounds so far.
//!
//! The ends are compared until they differ, and commits between them are probed until one of them
//! is probably the culprit. That one is then compared with the commit before it, in fresh rounds.
//! Only this last comparison is a finding, so its error alone is the error of the search: the first
//! attempt may use half of the permitted error, the second a quarter, and so on. If the fresh
//! rounds contradict the suspicion, the search continues, and they count like all others.

use super::levels::Levels;
use super::posterior::{Assessment, Place};
use super::probes::{Asked, Price, rounds_to_confirm, rounds_to_tell};

/// The minimum number of rounds in a batch.
const FIRST_ROUNDS: u32 = 6;

/// The maximum number of rounds in a batch, after which the next step is chosen anew.
const MOST_ROUNDS: u32 = 100;

/// The level at which the ends must differ before anything is built between them. A mistake costs a
/// search that ends without a finding.
const ENDS_ALPHA: f64 = 0.03;

/// The usual error of a search.
const USUAL_ALPHA: f64 = 0.05;

/// The level at which the ends must agree for the verdict that nothing changed.
const NO_CHANGE_ALPHA: f64 = 0.01;

/// The probability from which a commit is confirmed.
const PROBABLE: f64 = 0.9;

/// The power of the comparison of two neighbours: its rounds are planned to find their difference
/// with this probability.
const POWER: f64 = 0.95;

/// The minimum number of rounds in a confirmation.
const LEAST_CONFIRMING: u32 = 14;

/// The state of a search.
#[derive(Debug, Clone)]
pub struct State<'a> {
    /// The commits of the range, including the ends.
    pub places: &'a [Place],
    /// The levels estimated from all rounds; None before the first estimate.
    pub levels: Option<&'a Levels>,
    /// The number of rounds in which both ends ran.
    pub rounds_of_ends: u32,
    /// The number of comparisons of neighbours that did not confirm the change.
    pub unconfirmed: u32,
    /// The price of learning more.
    pub price: Price,
    /// The smallest change that matters, on the log scale.
    pub margin: f64,
    /// The permitted error of the search.
    pub alpha: f64,
}

/// The next step of a search.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Run the two ends.
    Ends {
        /// The number of rounds.
        rounds: u32,
    },
    /// Stop: the ends differ by less than the margin.
    NoChange,
    /// Run these commits beside the ends of the part in which the change is searched.
    Probe {
        /// The commits, in their order.
        places: Vec<usize>,
        /// The ends of that part.
        ends: (usize, usize),
        /// The number of rounds.
        rounds: u32,
    },
    /// Compare two neighbours in fresh rounds.
    Confirm {
        /// The commit before the change.
        near: usize,
        /// The commit with the change.
        far: usize,
        /// The number of rounds.
        rounds: u32,
        /// The permitted error of this comparison.
        alpha: f64,
    },
    /// Stop: no commit is left that could have brought the change.
    Nowhere,
}

impl State<'_> {
    /// The assessment of the change; None if the ends have no levels or no commit is left.
    #[must_use]
    pub fn assessment(&self) -> Option<Assessment> {
        Assessment::from_levels(self.places, self.levels?)
    }

    /// The permitted error of the next comparison of neighbours.
    #[must_use]
    pub fn confirming_alpha(&self) -> f64 {
        self.alpha * 0.5_f64.powi(i32::try_from(self.unconfirmed.min(100)).unwrap_or(100) + 1)
    }

    /// The next step.
    #[must_use]
    pub fn next(&self) -> Step {
        let Some(levels) = self.levels else { return Step::Ends { rounds: FIRST_ROUNDS } };
        let Some(ends) = self.ends() else { return Step::Ends { rounds: FIRST_ROUNDS } };
        if ends.estimate.abs() + ends.reach(NO_CHANGE_ALPHA) < self.margin {
            return Step::NoChange;
        }
        // The stricter the whole search, the stricter this comparison.
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

    /// The difference between the ends of the whole range.
    #[must_use]
    pub fn ends(&self) -> Option<super::Difference> {
        let (Some(Place::Artefact(first)), Some(Place::Artefact(last))) =
            (self.places.first(), self.places.last())
        else {
            return None;
        };
        self.levels?.difference(*first, *last)
    }

    /// The comparison that decides if the change is between these two commits.
    #[must_use]
    pub fn confirm(&self, near: usize, far: usize) -> Step {
        let alpha = self.confirming_alpha();
        let noise = self.levels.map_or(0.0, |levels| levels.noise);
        let change = self.change_between(near, far);
        // Attempts without a finding were too short, or their change is smaller than it seemed.
        let more = 1.5_f64.powi(i32::try_from(self.unconfirmed.min(10)).unwrap_or(10));
        let rounds = more * rounds_to_confirm(noise, change, alpha, POWER);
        let least = LEAST_CONFIRMING.max(least_rounds(alpha));
        let rounds = (rounds.ceil().min(1e6) as u32).max(least);
        Step::Confirm { near, far, rounds, alpha }
    }

    /// The change expected between two neighbours: the whole change, or their own difference where
    /// that is known well and smaller.
    fn change_between(&self, near: usize, far: usize) -> f64 {
        let whole = self.assessment().map_or(self.margin, |known| known.change.estimate.abs());
        let (Place::Artefact(near), Place::Artefact(far)) = (self.places[near], self.places[far])
        else {
            return whole;
        };
        let own = self.levels.and_then(|levels| levels.difference(near, far));
        match own {
            // If the whole change is within the margin, so is every part of it.
            Some(own) if own.error < 0.2 * whole => {
                own.estimate.abs().clamp(self.margin.min(whole), whole)
            }
            _ => whole,
        }
    }
}

/// The minimum number of rounds for a sign test to find anything at this level, and two more that
/// may disagree.
fn least_rounds(alpha: f64) -> u32 {
    (1.0 - alpha.log2()).ceil() as u32 + 2
}

fn batch(rounds: f64) -> u32 {
    (rounds.ceil().min(1e6) as u32).clamp(FIRST_ROUNDS, MOST_ROUNDS)
}
