//! The level of a future look, before the looks that lead to it.

use crate::normal;

/// The part of the error that a look may use of the error that may be spent by then. Earlier looks
/// have used some, and are correlated with it: if each comes a fifth later than the one before,
/// about half is left (a test compares it with the boundary).
const SHARE_LEFT: f64 = 0.5;

/// The two-sided critical value of a future look, if `alpha` is the total permitted error and the
/// share `clock` of it may be spent by then. Infinite if either is 0.
///
/// Approximate, and only for estimating the time left: no verdict may rest on it.
#[must_use]
pub fn foreseen_critical_z(alpha: f64, clock: f64) -> f64 {
    normal::two_sided(alpha * clock * SHARE_LEFT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Estimator;
    use crate::sequential::{Boundary, Spending, information, next_look};

    /// Looks at a fifth more rounds each, the last one at the budget's end.
    fn looks(first: usize, budget: usize) -> Vec<usize> {
        let next = |rounds: &usize| Some(next_look(*rounds, first));
        let before = std::iter::successors(Some(first), next).take_while(|rounds| *rounds < budget);
        before.chain([budget]).collect()
    }

    #[test]
    fn the_share_that_is_left_is_about_what_the_boundary_leaves() {
        for budget in [100, 1000, 10_000] {
            let mut boundary = Boundary::new(0.05, Spending::Power(1.0));
            for rounds in looks(12, budget) {
                let clock = rounds as f64 / budget as f64;
                let information = information(Estimator::RankScores, rounds);
                let ratio =
                    foreseen_critical_z(0.05, clock) / boundary.look(information, clock).critical_z;
                // The first look may have more, since nothing was spent before.
                assert!(
                    (ratio - 1.0).abs() < 0.15 || rounds == 12,
                    "{rounds} of {budget}: {ratio}"
                );
            }
        }
    }
}
