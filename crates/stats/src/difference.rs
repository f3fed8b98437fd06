//! Comparing readings that may be zero: fault counts, or processor time at the tick's resolution.
//!
//! A ratio of zeros says nothing, a difference does. So these are compared by their differences,
//! which are then expressed as a part of the baseline's median, where that is not zero.

use crate::estimate::{PairedError, RatioEstimate, check_pairs, readings};
use crate::order::{median, sorted};
use crate::signed_rank::{self, Shift};

/// The size of a change: a ratio, and where that says nothing because one side is zero, a difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Candidate over baseline. Over a baseline of zero it is infinite where the candidate is larger,
    /// 1 where it is zero, too, and 0 where the baseline is not always zero and the candidate smaller.
    pub ratio: RatioEstimate,
    /// Candidate minus baseline, in the unit of the readings; none where neither side is zero, or
    /// certainly both are.
    pub difference: Option<Shift>,
}

/// What a difference from a baseline of zero is as a ratio.
fn over_zero(difference: f64) -> f64 {
    match difference {
        _ if difference > 0.0 => f64::INFINITY,
        _ if difference < 0.0 => 0.0,
        _ => 1.0,
    }
}

/// `1 + d / m`, `d` being the pseudo-median of `candidate - baseline` over the rounds and `m` the
/// baseline's median, with the signed-rank interval of `d` at level `1 - alpha`. Readings may be 0; where
/// a side's median is, `d` itself is the [`Effect::difference`].
///
/// That the interval excludes 1 is as exact as with [`crate::paired_ratio`]. How far it lies from
/// 1 is approximate, because `m` is taken as known. An end below 0 is given as 0.
///
/// # Errors
///
/// Those of [`crate::paired_ratio`], except that 0 is allowed.
pub fn paired_difference(
    baseline: &[f64],
    candidate: &[f64],
    alpha: f64,
) -> Result<Effect, PairedError> {
    check_pairs(baseline, candidate, alpha)?;
    if let Some((index, value)) = readings(baseline, candidate).find(|&(_, value)| value < 0.0) {
        return Err(PairedError::NotPositive { index, value });
    }
    let differences: Vec<f64> = baseline.iter().zip(candidate).map(|(b, c)| c - b).collect();
    let shift = signed_rank::shift(&differences, alpha)
        .expect("the difference of two finite amounts is finite");
    let [scale, reached] = [baseline, candidate].map(|side| median(&sorted(side)));
    let relative = |difference: f64| match scale {
        0.0 => over_zero(difference),
        _ => (1.0 + difference / scale).max(0.0),
    };
    let ratio = RatioEstimate {
        ratio: relative(shift.estimate),
        low: relative(shift.low),
        high: relative(shift.high),
        rounds: baseline.len(),
    };
    let is_of_zero = (scale == 0.0 || reached == 0.0) && (shift.low, shift.high) != (0.0, 0.0);
    Ok(Effect { ratio, difference: is_of_zero.then_some(shift) })
}
