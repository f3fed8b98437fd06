//! Going on when the budget is spent, by [`stats::sequential`]'s stages: the first budget spends nine
//! tenths of the permitted error, and each time that the experiment goes on, half of what is left. What
//! earlier stages spent stays spent, look by look.

use serde::{Deserialize, Serialize};
use stats::sequential::{spent_by_stage, spent_within_stage};

use super::stopping::Progress;

/// What the first stage leaves for later ones. Arbitrary: intervals are 2 % wider for it, and one that
/// goes on for as long again is narrower by an eighth in spite of its smaller share.
const RESERVE: f64 = 0.1;

/// What share of the error is kept for going on, and what is behind an experiment that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Stage {
    /// The share that the first stage leaves; 0 where the experiment cannot go on.
    pub reserve: f64,
    /// How often it went on.
    pub number: u32,
    /// The rounds of all stages before.
    pub rounds: u32,
    /// How long these took.
    pub seconds: f64,
}

impl Stage {
    /// The first stage of an experiment that may go on.
    pub fn first() -> Self {
        Self { reserve: RESERVE, ..Self::default() }
    }

    /// The stage after this one, which has come so far.
    #[must_use]
    pub fn next(self, done: Progress) -> Self {
        let Progress { rounds, elapsed_seconds: seconds } = done;
        Self { reserve: self.reserve, number: self.number + 1, rounds, seconds }
    }

    /// The share of the error that is spent when so much of the stage has passed.
    pub fn clock(self, share: f64) -> f64 {
        spent_within_stage(self.reserve, self.number, share)
    }

    /// The share of the error that is spent when the stage is over.
    pub fn end(self) -> f64 {
        spent_by_stage(self.reserve, self.number)
    }

    /// Whether nothing is behind it or kept, as in an experiment that ends with its budget.
    pub fn is_only(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_spends_half_of_what_is_left() {
        let done = Progress { rounds: 40, elapsed_seconds: 5.0 };
        let first = Stage::first();
        let (second, third) = (first.next(done), first.next(done).next(done));
        for (stage, from, to) in [(first, 0.0, 0.9), (second, 0.9, 0.95), (third, 0.95, 0.975)] {
            assert!((stage.clock(0.0) - from).abs() < 1e-12 && (stage.end() - to).abs() < 1e-12);
            assert!((stage.clock(1.0) - to).abs() < 1e-12);
        }
        // What cannot go on spends all of it, in proportion to the clock.
        assert!((Stage::default().clock(0.25) - 0.25).abs() < 1e-15);
    }
}
