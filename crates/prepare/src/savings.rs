//! Whether building on top of earlier builds saves enough.
//!
//! Of N commits with s steps, incremental builds of b seconds each cost N·b, and at most 2·s·C more
//! for building both sides of each step again from scratch, in C seconds each. From scratch all of
//! them cost N·C, and nothing has to be confirmed. So both cost the same when b / C = 1 − 2·s / N.
//! The times are those of whole builds: those from scratch begin with writing every file anew.

use stats::describe::summarise;

use super::recipe::Trees;

/// What share of a clean build's time an incremental one may take. Both ways cost the same at 0.7
/// when three in twenty commits are steps, which is many.
const WORTHWHILE: f64 = 0.7;

/// So many incremental builds must have been seen, so that one which is not like the others does
/// not decide; a search has only a few.
const LEAST: usize = 2;

/// How long builds took.
#[derive(Debug, Default)]
pub(super) struct Savings {
    clean_seconds: Vec<f64>,
    incremental_seconds: Vec<f64>,
}

impl Savings {
    /// Takes note of a build: of what it began with, and how long it took with everything around
    /// it, a second try among that.
    pub(super) fn record(&mut self, began: Trees, seconds: f64) {
        match began {
            Trees::Clean => self.clean_seconds.push(seconds),
            Trees::Incremental => self.incremental_seconds.push(seconds),
        }
    }

    /// Whether incremental builds certainly save little.
    pub(super) fn are_small(&self) -> bool {
        are_small(&self.clean_seconds, &self.incremental_seconds)
    }
}

/// Both what incremental builds take on average and what they mostly take must be much: commits
/// that change nothing save a whole build each, and one that waited for a network says nothing
/// about the next. Of the clean builds the quickest counts: the first ones find all caches cold.
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
