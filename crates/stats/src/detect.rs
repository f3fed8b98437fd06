//! The sensitivity of an experiment, and that of a longer one.

use std::f64::consts::FRAC_PI_2;

use crate::describe::MEDIAN_ALPHA;
use crate::estimate::{Estimator, RatioEstimate, log_ratios, paired_ratio};
use crate::normal;
use crate::order::{median, robust_deviation, sorted};

/// The maximum number of rounds in a forecast: nobody waits longer.
const MOST_ROUNDS: f64 = 1e9;

/// The number of rounds from which the estimator's own interval shows the scatter of its ratios;
/// with fewer it is too coarse. Arbitrary.
const ENOUGH_ROUNDS: usize = 10;

/// The level of that interval.
const LAX_ALPHA: f64 = 0.1;

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

/// The difference of two samples' logarithms, and its scatter, which predict the interval after
/// later rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scatter {
    /// The ratio's logarithm, candidate over baseline.
    pub log_ratio: f64,
    /// The standard error of a single round.
    pub of_one_round: f64,
}

impl Scatter {
    /// The scatter of any number of rounds, from the logarithms of their ratios: their median, and
    /// the deviation of their greater part, since the rank tests ignore a few wild rounds. None
    /// below two rounds, or if a logarithm is not finite.
    #[must_use]
    pub fn of_rounds(log_ratios: &[f64]) -> Option<Self> {
        if log_ratios.len() < 2 || !log_ratios.iter().all(|log| log.is_finite()) {
            return None;
        }
        let log_ratio = median(&sorted(log_ratios));
        Some(Self { log_ratio, of_one_round: robust_deviation(log_ratios, log_ratio) })
    }

    /// The scatter of pairs, by round, as the estimator sees them: from its interval, or below ten
    /// rounds from the ratios themselves. None if it cannot be estimated.
    #[must_use]
    pub fn of_pairs(baseline: &[f64], candidate: &[f64], estimator: Estimator) -> Option<Self> {
        if baseline.len() < ENOUGH_ROUNDS {
            return Self::of_rounds(&log_ratios(baseline, candidate));
        }
        let found = paired_ratio(baseline, candidate, estimator, LAX_ALPHA).ok()?;
        let critical_z = normal::two_sided(LAX_ALPHA);
        Self::of_interval(found.ratio.ln(), found.rounds, found.log_half_width(), critical_z)
    }

    /// The scatter from an estimate after `rounds` rounds, given half the width of its interval on
    /// the log scale and its two-sided critical value. None while the interval is infinite.
    #[must_use]
    pub fn of_interval(
        log_ratio: f64,
        rounds: usize,
        log_half_width: f64,
        critical_z: f64,
    ) -> Option<Self> {
        let of_one_round = log_half_width / critical_z * (rounds as f64).sqrt();
        of_one_round.is_finite().then_some(Self { log_ratio, of_one_round })
    }

    /// Half the width of the interval of the ratio's logarithm after `rounds` rounds, at this
    /// two-sided critical value. Approximate: takes the estimate as normal.
    #[must_use]
    pub fn log_half_width(self, rounds: usize, critical_z: f64) -> f64 {
        critical_z * self.of_one_round / (rounds as f64).sqrt()
    }

    /// The ratio and its interval after `rounds` rounds, at this two-sided critical value.
    /// Approximate: takes the estimate as normal.
    #[must_use]
    pub fn estimate(self, rounds: usize, critical_z: f64) -> RatioEstimate {
        let half_width = self.log_half_width(rounds, critical_z);
        RatioEstimate {
            ratio: self.log_ratio.exp(),
            low: (self.log_ratio - half_width).exp(),
            high: (self.log_ratio + half_width).exp(),
            rounds,
        }
    }

    /// For the scatter of one variant's readings: half the width of the 95 % interval of their
    /// median's logarithm after `rounds` rounds. Approximate: takes the readings as normal, where a
    /// median's standard error is `sqrt(pi / 2)` times that of the mean.
    #[must_use]
    pub fn log_half_width_of_median(self, rounds: usize) -> f64 {
        self.log_half_width(rounds, normal::two_sided(MEDIAN_ALPHA) * FRAC_PI_2.sqrt())
    }
}

/// The smallest detectable change after `times` as many rounds, if it is `change` now: the error of
/// a mean shrinks with the square root of the number of rounds.
#[must_use]
pub fn change_after(change: f64, times: f64) -> f64 {
    change / times.sqrt()
}

/// The number of further rounds that would settle a verdict if the estimate stayed where it is and
/// the interval shrank with the square root of the rounds: until it either leaves 0 or fits within
/// `log_margin` on both sides of 0, whichever comes first. All lengths on the log scale.
///
/// 0 if already settled; None if it would take more than 1e9 rounds, or cannot be estimated.
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

/// The number of rounds that find the change `wanted` as surely as `rounds` rounds find the change
/// `found` (both fractions: 0.012 for 1.2 %), if intervals shrink with the square root of the
/// rounds. None if it would take more than 1e9, or cannot be estimated.
#[must_use]
pub fn rounds_to_detect(wanted: f64, found: f64, rounds: u32) -> Option<u64> {
    let after_one = found.ln_1p() * f64::from(rounds).sqrt();
    Some(rounds_to_settle(1, 0.0, after_one, wanted.ln_1p())? + 1)
}
