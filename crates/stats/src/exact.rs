//! Comparing readings that do not vary: allocated bytes, simulated instructions.

use crate::difference::Effect;
use crate::estimate::RatioEstimate;
use crate::signed_rank::Shift;

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
