//! What an experiment could have seen, and what a longer one would.

use crate::normal;

/// More rounds than this nobody waits for.
const MOST_ROUNDS: f64 = 1e9;

/// The smallest change (0.012 for 1.2 %) that an experiment of this length and noise finds with
/// probability `power`, given half the width of its interval on the log scale and the two-sided
/// critical value that made it: `exp((z_crit + z_power) * SE) - 1`, `SE = half width / z_crit`.
///
/// Approximate: takes the estimate as normal. Infinite while the interval is.
#[must_use]
pub fn smallest_detectable(log_half_width: f64, critical_z: f64, power: f64) -> f64 {
    if !log_half_width.is_finite() || !critical_z.is_finite() || critical_z <= 0.0 {
        return f64::INFINITY;
    }
    let standard_error = log_half_width / critical_z;
    ((critical_z + normal::quantile(power)) * standard_error).exp_m1()
}

/// How many more rounds would settle a verdict if the estimate stayed where it is and the interval
/// shrank with the square root of the rounds: until it either leaves 0 or fits within `log_margin`
/// on both sides of 0, whichever comes first. All lengths on the log scale.
///
/// 0 when settled already; None when it would take more than 1e9 rounds, or nothing can be said.
#[must_use]
pub fn rounds_to_settle(
    rounds: usize,
    log_estimate: f64,
    log_half_width: f64,
    log_margin: f64,
) -> Option<u64> {
    let distance = log_estimate.abs();
    let wanted = distance.max(log_margin - distance);
    if rounds == 0 || !log_half_width.is_finite() || wanted.is_nan() || wanted <= 0.0 {
        return None;
    }
    let total = rounds as f64 * (log_half_width / wanted).powi(2);
    let more = (total - rounds as f64).max(0.0).ceil();
    (more <= MOST_ROUNDS).then_some(more as u64)
}
