//! Extending an experiment beyond its budget, by [`stats::sequential`]'s stages: the first budget
//! spends nine tenths of the permitted error, and each extension half of the rest. The error spent
//! by earlier stages stays spent, look by look.

use serde::{Deserialize, Serialize};
use stats::sequential::{spent_by_stage, spent_within_stage};

use super::stopping::Progress;

/// The share of the error that the first stage leaves for later ones. Arbitrary: intervals are 2 %
/// wider for it, and an extension of the same length makes them narrower by an eighth in spite of
/// its smaller share.
const RESERVE: f64 = 0.1;

/// The share of the error reserved for extensions, and the stages already completed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Stage {
    /// The share that the first stage leaves; 0 if the experiment cannot be extended.
    pub reserve: f64,
    /// The number of extensions so far.
    pub number: u32,
    /// The rounds of all earlier stages.
    pub rounds: u32,
    /// The duration of all earlier stages, in seconds.
    pub seconds: f64,
}

impl Stage {
    /// The first stage of an experiment that may be extended.
    pub fn first() -> Self {
        Self { reserve: RESERVE, ..Self::default() }
    }

    /// The next stage, after the progress `done`.
    #[must_use]
    pub fn next(self, done: Progress) -> Self {
        let Progress { rounds, elapsed_seconds: seconds } = done;
        Self { reserve: self.reserve, number: self.number + 1, rounds, seconds }
    }

    /// The share of the error spent after this share of the stage.
    pub fn clock(self, share: f64) -> f64 {
        spent_within_stage(self.reserve, self.number, share)
    }

    /// The share of the error spent at the end of the stage.
    pub fn end(self) -> f64 {
        spent_by_stage(self.reserve, self.number)
    }

    /// True if no stage precedes it and no error is reserved, as in an experiment that ends with
    /// its budget.
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
        // An experiment that cannot be extended spends all of it, in proportion to the clock.
        assert!((Stage::default().clock(0.25) - 0.25).abs() < 1e-15);
    }
}
