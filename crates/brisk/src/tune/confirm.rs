//! The confirmation: a fresh experiment of the default and the candidates in rounds, from which alone
//! the gain is told.
//!
//! The runs of the search cannot say it: whoever takes the fastest of many takes luck with it. So
//! some of the runs are kept back for it from the beginning.

use stats::{Estimator, PairedError, RatioEstimate, paired_ratio};

/// The probability that nothing false is recommended.
const CONFIDENCE: f64 = 0.95;

/// The fewest rounds in which one candidate, two, or three can be told from the default with
/// 95 % for all together: of `n` rounds, all having the same sign has the probability 2 / 2^n, and
/// each candidate has its part of 5 %.
const LEAST_ROUNDS: [usize; 3] = [6, 7, 7];

/// As many rounds as are wanted where there are runs enough.
const ROUNDS: usize = 10;

/// How many of so many runs are kept for the confirmation while so many candidates are in sight:
/// no more than a half where there are few, and ten rounds where there are plenty.
pub(super) fn reserve(runs: usize, candidates: usize) -> usize {
    let candidates = candidates.clamp(1, LEAST_ROUNDS.len());
    let least = LEAST_ROUNDS[candidates - 1] * (1 + candidates);
    let wanted = ROUNDS * (1 + candidates);
    wanted.min((runs / 3).max(least)).min(runs / 2)
}

/// How many candidates so many runs suffice for.
pub(super) fn most_candidates(runs: usize) -> usize {
    let suffices = |candidates: &usize| runs / (1 + candidates) >= LEAST_ROUNDS[candidates - 1];
    (1..=LEAST_ROUNDS.len()).rev().find(suffices).unwrap_or(0)
}

/// What the confirmation says of one candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confirmed {
    /// Its time over that of the default.
    pub ratio: RatioEstimate,
    /// Whether to recommend it: it is faster for certain, and by the margin as far as can be told.
    pub is_recommended: bool,
}

/// Judges one of `candidates` candidates by its times and the default's, in seconds, entry `r` of
/// each being of round `r`.
///
/// # Errors
///
/// When the samples differ in length, are empty, or hold what is no positive number.
pub fn confirm(
    default: &[f64],
    candidate: &[f64],
    candidates: usize,
    margin: f64,
) -> Result<Confirmed, PairedError> {
    let alpha = (1.0 - CONFIDENCE) / candidates.max(1) as f64;
    let ratio = paired_ratio(default, candidate, Estimator::RankScores, alpha)?;
    let is_recommended = ratio.high < 1.0 && ratio.ratio <= 1.0 - margin;
    Ok(Confirmed { ratio, is_recommended })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_back_suffices_for_the_rounds() {
        assert_eq!([0, 1, 2, 3].map(|named| reserve(60, named)), [20, 20, 21, 28]);
        assert_eq!(most_candidates(28), 3);
        assert_eq!(most_candidates(21), 2);
        assert_eq!(most_candidates(12), 1);
        assert_eq!(most_candidates(11), 0);
        assert_eq!([1, 2, 3].map(|named| reserve(24, named)), [12, 12, 12]);
        assert_eq!([1, 2, 3].map(|named| reserve(1000, named)), [20, 30, 40]);
    }

    #[test]
    fn in_the_fewest_rounds_a_certain_gain_is_recommended() {
        for candidates in 1..=3 {
            let rounds = LEAST_ROUNDS[candidates - 1];
            let default: Vec<f64> = (0..rounds).map(|round| 1.0 + 0.001 * round as f64).collect();
            let candidate: Vec<f64> = default.iter().map(|seconds| 0.8 * seconds).collect();
            let found = confirm(&default, &candidate, candidates, 0.01).expect("valid");
            assert!(found.is_recommended, "{found:?}");
            let one_less = confirm(&default[1..], &candidate[1..], candidates, 0.01);
            let differs = candidates != 2 || rounds != LEAST_ROUNDS[2];
            assert!(!differs || !one_less.expect("valid").is_recommended);
        }
    }

    #[test]
    fn a_gain_below_the_margin_is_not_recommended() {
        let default: Vec<f64> = (0..10).map(|round| 1.0 + 0.001 * f64::from(round)).collect();
        let candidate: Vec<f64> = default.iter().map(|seconds| 0.995 * seconds).collect();
        let found = confirm(&default, &candidate, 1, 0.01).expect("valid");
        assert!(found.ratio.high < 1.0 && !found.is_recommended, "{found:?}");
        assert_eq!(confirm(&[1.0], &[0.0], 1, 0.01).ok(), None);
    }
}
