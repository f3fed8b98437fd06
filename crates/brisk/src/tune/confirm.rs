//! The confirmation: a fresh experiment of the default and the candidates in rounds, from which alone
//! the gain is told.
//!
//! The runs of the search cannot say it: whoever takes the fastest of many takes luck with it. So
//! some of the runs are kept back for it from the beginning.

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
}
