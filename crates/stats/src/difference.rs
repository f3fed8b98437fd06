//! Comparisons of readings that a ratio does not suit: those that may be zero, such as fault counts
//! or processor time at the tick's resolution, and those that do not vary, such as allocated bytes.
//!
//! A ratio of zeros is undefined, a difference is not. So readings that may be zero are compared by
//! their differences, which are then expressed as a fraction of the baseline's median, unless that
//! is zero. Readings that do not vary have a ratio without an interval.

use crate::estimate::{PairedError, RatioEstimate, check_pairs, readings};
use crate::order::{median, sorted};
use crate::signed_rank::{self, Shift};

/// The size of a change: a ratio, and if that is undefined because one side is zero, a difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Candidate over baseline. Over a baseline of zero it is infinite if the candidate is larger,
    /// 1 if it is also zero, and 0 if the baseline is not always zero and the candidate smaller.
    pub ratio: RatioEstimate,
    /// Candidate minus baseline, in the unit of the readings; None if neither side is zero, or
    /// certainly both are.
    pub difference: Option<Shift>,
}

/// The ratio that stands for a difference from a baseline of zero.
fn over_zero(difference: f64) -> f64 {
    match difference {
        _ if difference > 0.0 => f64::INFINITY,
        _ if difference < 0.0 => 0.0,
        _ => 1.0,
    }
}

/// `1 + d / m`, `d` being the pseudo-median of `candidate - baseline` over the rounds and `m` the
/// baseline's median, with the signed-rank interval of `d` at level `1 - alpha`. Readings may be 0;
/// if a side's median is 0, `d` itself is the [`Effect::difference`].
///
/// The exclusion of 1 is as exact as with [`crate::paired_ratio`]. The distance from 1 is
/// approximate, because `m` is taken as known. An end below 0 is given as 0.
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

/// The ratio of two readings that were the same in every run of either side, with an interval of no
/// width, and their difference if one of them is 0. None if a side is empty, varies, or has a
/// negative or infinite reading: then the metric is not deterministic, and needs
/// [`crate::paired_ratio`].
///
/// Two zeros are equal (ratio 1); a candidate above a zero baseline is infinitely more. The sides
/// may have different numbers of runs; `rounds` is the smaller one.
#[must_use]
pub fn exact_effect(baseline: &[f64], candidate: &[f64]) -> Option<Effect> {
    let (b, c) = (only_value(baseline)?, only_value(candidate)?);
    let ratio = if b == c { 1.0 } else { c / b };
    let rounds = baseline.len().min(candidate.len());
    let difference = Shift { estimate: c - b, low: c - b, high: c - b };
    Some(Effect {
        ratio: RatioEstimate { ratio, low: ratio, high: ratio, rounds },
        difference: ((b == 0.0) != (c == 0.0)).then_some(difference),
    })
}

fn only_value(values: &[f64]) -> Option<f64> {
    let &first = values.first()?;
    let constant = values.iter().all(|&value| value == first);
    (constant && first.is_finite() && first >= 0.0).then_some(first)
}
