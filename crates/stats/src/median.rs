//! The median of paired differences, with the interval of the sign test.

use crate::binomial;
use crate::order::{median, sorted};
use crate::signed_rank::Shift;

/// The median of `differences` (not empty, finite) with its interval at level `1 - alpha`: two of
/// their order statistics, exact for any distribution (Thompson, *Annals of Mathematical
/// Statistics* 7, 1936).
pub(crate) fn shift(differences: &[f64], alpha: f64) -> Shift {
    let sorted = sorted(differences);
    let estimate = median(&sorted);
    match binomial::interval_rank(sorted.len(), alpha) {
        Some(rank) => Shift { estimate, low: sorted[rank - 1], high: sorted[sorted.len() - rank] },
        None => Shift { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY },
    }
}
