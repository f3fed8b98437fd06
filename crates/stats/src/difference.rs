//! Comparing readings that may be zero: fault counts, or processor time at the tick's resolution.
//!
//! A ratio of zeros says nothing, a difference does. So these are compared by their differences,
//! which are then expressed as a part of the baseline's median.

use crate::estimate::{PairedError, RatioEstimate, check_pairs, readings};
use crate::order::{median, sorted};
use crate::signed_rank;

/// `1 + d / m`, `d` being the pseudo-median of `candidate - baseline` over the rounds and `m` the
/// baseline's median, with the signed-rank interval of `d` at level `1 - alpha`. Readings may be 0.
///
/// That the interval excludes 1 is as exact as with [`crate::paired_ratio`]. How far it lies from
/// 1 is approximate, because `m` is taken as known. An end below 0 is given as 0.
///
/// # Errors
///
/// Those of [`crate::paired_ratio`], except that 0 is allowed; and
/// [`PairedError::BaselineIsZero`] when the baseline's median is 0.
pub fn paired_difference(
    baseline: &[f64],
    candidate: &[f64],
    alpha: f64,
) -> Result<RatioEstimate, PairedError> {
    check_pairs(baseline, candidate, alpha)?;
    if let Some((index, value)) = readings(baseline, candidate).find(|&(_, value)| value < 0.0) {
        return Err(PairedError::NotPositive { index, value });
    }
    let scale = median(&sorted(baseline));
    if scale == 0.0 {
        return Err(PairedError::BaselineIsZero);
    }
    let differences: Vec<f64> = baseline.iter().zip(candidate).map(|(b, c)| c - b).collect();
    let shift = signed_rank::shift(&differences, alpha)
        .expect("the difference of two finite amounts is finite");
    let relative = |difference: f64| (1.0 + difference / scale).max(0.0);
    Ok(RatioEstimate {
        ratio: relative(shift.estimate),
        low: relative(shift.low),
        high: relative(shift.high),
        rounds: baseline.len(),
    })
}
