//! The confirmation: a fresh experiment of the default and the candidates in rounds, the only
//! source of the reported gain.
//!
//! The runs of the search cannot give it: the fastest of many is also lucky. So some of the runs
//! are reserved for the confirmation from the beginning.

/// The minimum number of rounds in which one candidate, two, or three can be distinguished from the
/// default at 95 % for all together: the same sign in all of `n` rounds has the probability 2 /
/// 2^n, and each candidate gets its share of 5 %.
const LEAST_ROUNDS: [usize; 3] = [6, 7, 7];

/// The number of rounds if there are enough runs.
const ROUNDS: usize = 10;

/// The number of runs to reserve for the confirmation, out of `runs`, with this number of
/// candidates in sight: at most half if there are few runs, and ten rounds if there are plenty.
pub(super) fn reserve(runs: usize, candidates: usize) -> usize {
    let candidates = candidates.clamp(1, LEAST_ROUNDS.len());
    let least = LEAST_ROUNDS[candidates - 1] * (1 + candidates);
    let wanted = ROUNDS * (1 + candidates);
    wanted.min((runs / 3).max(least)).min(runs / 2)
}

/// The number of candidates that these runs are enough for.
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
