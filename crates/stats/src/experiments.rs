//! Two experiments with time between them, such as one of today and a stored one.
//!
//! Nothing pairs their rounds: a different state of the machine then affects all rounds of one and
//! none of the other, and no number of rounds averages it out. Only several experiments of the same
//! command show how far they differ ([`crate::round_effect`] needs benchmarks that share their
//! rounds). So the new one is assumed to vary as much as the stored ones vary among themselves, and
//! with a single stored one there is no interval.
//!
//! As in [`crate::one_process`], an odd experiment then counts as a change. If possible, run the
//! old command again instead, in rounds with the new one.

use crate::estimate::RatioEstimate;
use crate::{normal, one_process};

/// The level of one command in one experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Its estimate, such as the median of all runs.
    pub value: f64,
    /// The standard error of the estimate as far as the runs within the experiment show, as a
    /// fraction of it; 0 if unknown.
    pub relative_error: f64,
}

/// The level of the interval of an estimate within its experiment ([`crate::describe`]).
const WITHIN_ALPHA: f64 = 0.05;

impl Level {
    /// The level from an estimate with its 95 % interval, in its unit. Approximate: takes it as
    /// normal.
    #[must_use]
    pub fn of_interval(value: f64, (low, high): (f64, f64)) -> Self {
        let error = (high - low) / (2.0 * normal::two_sided(WITHIN_ALPHA));
        Self { value, relative_error: error / value }
    }

    /// The level from an estimate that is as precise as the mean of `n` runs with the standard
    /// deviation `sd`, in its unit.
    #[must_use]
    pub fn of_runs(value: f64, sd: f64, n: usize) -> Self {
        Self { value, relative_error: sd / (n as f64).sqrt() / value }
    }
}

/// The reason why there is no interval.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ExperimentsError {
    /// The level is not a probability.
    #[error("{0} is no level: it must be between 0 and 1")]
    NoLevel(f64),
    /// An estimate is zero, negative, NaN or infinite.
    #[error("an experiment has the estimate {0}, not a positive number")]
    NotPositive(f64),
    /// A standard error is negative, NaN or infinite.
    #[error("an experiment has the standard error {0}, not a fraction")]
    NotAnError(f64),
    /// There is only one stored experiment, which does not show how far experiments differ.
    #[error("there is only one stored experiment, so how far experiments differ is not known")]
    OnlyOne,
    /// All have the same estimate, which may be coarse.
    #[error("all stored experiments have the same value, so how far they differ is not known")]
    NoSpread,
}

/// The ratio of the new experiment to the stored one, with its interval at level `1 - alpha`;
/// `further` are the estimates of other stored experiments of the same command. All have the same
/// unit. The estimate's `rounds` are the stored experiments.
///
/// The interval is Student's for the difference between two single values on the log scale, with
/// the variance of all stored ones and one degree of freedom less than their number, at most three;
/// the errors of both estimates are added, since the new experiment may have had fewer rounds. The
/// stored one contributes to the variance itself, which makes the interval wider than necessary: a
/// part of its distance from the others is bounded by that variance. The interval is never narrower
/// than the span of the stored ones relative to the new one: a value within the span is not a
/// change.
///
/// # Errors
///
/// When an estimate is not finite and positive, an error is negative or not finite, `alpha` is not
/// in `[0, 1]`, or the stored experiments do not say how far they differ.
pub fn ratio_to_stored(
    new: Level,
    stored: Level,
    further: &[f64],
    alpha: f64,
) -> Result<RatioEstimate, ExperimentsError> {
    if !(0.0..=1.0).contains(&alpha) {
        return Err(ExperimentsError::NoLevel(alpha));
    }
    for value in [new.value, stored.value].into_iter().chain(further.iter().copied()) {
        if !(value.is_finite() && value > 0.0) {
            return Err(ExperimentsError::NotPositive(value));
        }
    }
    for error in [new.relative_error, stored.relative_error] {
        if !(error.is_finite() && error >= 0.0) {
            return Err(ExperimentsError::NotAnError(error));
        }
    }
    if further.is_empty() {
        return Err(ExperimentsError::OnlyOne);
    }
    let own = std::iter::once(stored.value);
    let logs: Vec<f64> = own.chain(further.iter().copied()).map(f64::ln).collect();
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0);
    // Anything smaller comes from rounding and is not spread.
    if variance.sqrt() <= mean.abs().max(1.0) * 1e-12 {
        return Err(ExperimentsError::NoSpread);
    }
    let own_errors = new.relative_error.powi(2) + stored.relative_error.powi(2);
    let reach = critical(logs.len(), alpha) * (2.0 * variance + own_errors).sqrt();
    let ratio = new.value.ln() - stored.value.ln();
    let seen = || logs.iter().map(|log| new.value.ln() - log);
    let least = seen().fold(f64::INFINITY, f64::min);
    let most = seen().fold(f64::NEG_INFINITY, f64::max);
    Ok(RatioEstimate {
        ratio: ratio.exp(),
        low: (ratio - reach).min(least).exp(),
        high: (ratio + reach).max(most).exp(),
        rounds: logs.len(),
    })
}

/// The half-width of the interval in standard errors, unless the span of the stored experiments
/// makes it wider; for at least two of them.
#[must_use]
pub fn critical(experiments: usize, alpha: f64) -> f64 {
    one_process::critical(experiments, alpha)
}
