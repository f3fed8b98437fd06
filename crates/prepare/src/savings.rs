//! Decides if building on top of earlier builds saves enough time.
//!
//! Of N commits with s steps, incremental builds of b seconds each cost N·b, and at most 2·s·C more
//! for building both sides of each step again from scratch, in C seconds each. From scratch, all of
//! them cost N·C, and no confirmation is necessary. So the costs are equal at b / C = 1 − 2·s / N.
//! The times are those of whole builds: those from scratch begin with writing every file anew.

use stats::describe::summarise;

use super::recipe::Trees;

/// The largest worthwhile share of a clean build's time for an incremental one. The costs are equal
/// at 0.7 if three in twenty commits are steps, which is many.
const WORTHWHILE: f64 = 0.7;

/// The minimum number of incremental builds for a decision, so that a single outlier does not
/// decide; a search has only a few.
const LEAST: usize = 2;

/// The durations of builds.
#[derive(Debug, Default)]
pub(super) struct Savings {
    clean_seconds: Vec<f64>,
    incremental_seconds: Vec<f64>,
}

impl Savings {
    /// Records a build: its initial state, and its whole duration, including a second attempt.
    pub(super) fn record(&mut self, began: Trees, seconds: f64) {
        match began {
            Trees::Clean => self.clean_seconds.push(seconds),
            Trees::Incremental => self.incremental_seconds.push(seconds),
        }
    }

    /// True if incremental builds certainly save little.
    pub(super) fn are_small(&self) -> bool {
        are_small(&self.clean_seconds, &self.incremental_seconds)
    }
}

/// Both the mean and the median of incremental builds must be large: commits that change nothing
/// save a whole build each, and a build that waited for a network says nothing about the next. Of
/// the clean builds, the fastest counts: the first ones find all caches cold.
fn are_small(clean_seconds: &[f64], incremental_seconds: &[f64]) -> bool {
    let clean = clean_seconds.iter().copied().reduce(f64::min);
    let (Some(clean), Some(incremental)) = (clean, summarise(incremental_seconds)) else {
        return false;
    };
    let worthwhile = WORTHWHILE * clean;
    incremental_seconds.len() >= LEAST
        && incremental.mean > worthwhile
        && incremental.median > worthwhile
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_small_when_builds_mostly_and_on_average_take_more_than_seven_tenths() {
        for (clean, incremental, expected, why) in [
            (&[10.0][..], &[9.0, 9.0, 9.0][..], true, "hardly anything is saved"),
            (&[10.0], &[7.1, 7.1, 7.1], true, "just above"),
            (&[10.0], &[6.9, 6.9, 6.9], false, "just below"),
            (&[10.0], &[9.0], false, "too few to know"),
            (&[], &[9.0, 9.0, 9.0], false, "nothing to compare with"),
            (&[10.0], &[1.0, 9.0, 9.0], false, "every third saves much: 6.3 on average"),
            (&[10.0], &[1.0, 2.0, 99.0], false, "one outlier does not decide"),
            (&[10.0], &[11.0, 12.0, 13.0], true, "building twice is worse than once"),
            (&[30.0, 10.0, 11.0], &[8.0, 8.0, 8.0], true, "a slow first clean build"),
            (&[0.0], &[0.0, 0.0, 0.0], false, "nothing takes any time"),
        ] {
            assert_eq!(are_small(clean, incremental), expected, "{why}");
        }
    }

    #[test]
    fn builds_are_told_apart_by_what_they_began_with() {
        let mut savings = Savings::default();
        savings.record(Trees::Clean, 10.0);
        for _ in 0..LEAST {
            assert!(!savings.are_small());
            savings.record(Trees::Incremental, 8.0);
        }
        assert!(savings.are_small());
    }
}
