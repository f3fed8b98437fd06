//! Comparisons without rounds: several processes with a single one, such as a baseline that a
//! harness saved when it ran at another time, and an experiment with a stored one.
//!
//! A single process does not show how far processes differ, and neither do the measurements within
//! it ([`crate::processes`]). So it is assumed to vary as much as the others vary among themselves,
//! and the question is that of a prediction: could one more process of theirs have given this
//! value? In the same way a new experiment is assumed to vary as much as the stored ones of the
//! command do: nothing pairs their rounds, so a different state of the machine affects all rounds of
//! one and none of the other, and no number of rounds averages it out ([`crate::processes`] measures
//! it only for benchmarks that share their rounds). With a single stored one there is no interval.
//!
//! An odd process or experiment then counts as a change, and the readings cannot refute that: if one
//! process in seven is slow, and none of ten was, the eleventh is in 3 of 100. If possible, run the
//! old program again instead, in rounds with the new one.

use crate::describe::MEDIAN_ALPHA;
use crate::estimate::RatioEstimate;
use crate::loops::Measurement;
use crate::processes::ProcessError;
use crate::{normal, student};

/// The maximum degrees of freedom for Student's quantile. Estimates of processes have heavier tails
/// than a normal distribution; with more processes the tails of a mean would thin out, but the one
/// process stays a single draw. By simulation (`tests/rates/one_process.rs`) with 10 and 20
/// processes, 3 keep the level for normal, exponential and heavy-tailed differences (Student's t
/// with 3 degrees); all `n - 1` would, at 0.1 %, let more than 1 % of heavy-tailed ones pass for
/// changes.
const MOST_DEGREES: f64 = 3.0;

/// The reason why several processes cannot be compared with one.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are; indices begin at 0")]
pub enum OneProcessError {
    #[error(transparent)]
    Processes(#[from] ProcessError),
    #[error("the one process has the estimate {0}, not a positive number")]
    NotPositive(f64),
    #[error("the one process has the standard error {0}, not a fraction")]
    NotAnError(f64),
}

/// The ratio of several processes (over) to one, with its interval at level `1 - alpha`.
/// `relative_error` is the standard error of the single estimate, as a fraction of it, as far as
/// its measurements show; 0 if unknown. All estimates have the same unit.
///
/// The estimate is the ratio of the geometric mean to the single estimate. The interval is
/// Student's for the difference between a mean of `n` and one further value, on the log scale, with
/// at most three degrees of freedom and the single estimate's error added to the variance. It is
/// never narrower than the span of the several processes relative to the single one: a value within
/// the span is not a change, for any distribution, which bounds errors by `2 / (n + 1)` as well.
///
/// # Errors
///
/// When there are fewer than two processes, an estimate is not finite and positive, the error is
/// negative or not finite, or `alpha` is not in `[0, 1]`.
pub fn ratio_to_one(
    processes: &[f64],
    one: f64,
    relative_error: f64,
    alpha: f64,
) -> Result<RatioEstimate, OneProcessError> {
    if !(0.0..=1.0).contains(&alpha) {
        return Err(ProcessError::NoLevel(alpha).into());
    }
    if !(one.is_finite() && one > 0.0) {
        return Err(OneProcessError::NotPositive(one));
    }
    if !(relative_error.is_finite() && relative_error >= 0.0) {
        return Err(OneProcessError::NotAnError(relative_error));
    }
    for (index, &value) in processes.iter().enumerate() {
        if !(value.is_finite() && value > 0.0) {
            return Err(ProcessError::NotPositive { index, value }.into());
        }
    }
    if processes.len() < 2 {
        return Err(ProcessError::TooFew(processes.len()).into());
    }
    let count = processes.len() as f64;
    let logs: Vec<f64> = processes.iter().map(|estimate| estimate.ln() - one.ln()).collect();
    let mean = logs.iter().sum::<f64>() / count;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let error = (variance * (1.0 + 1.0 / count) + relative_error.powi(2)).sqrt();
    Ok(ratio(mean, critical(processes.len(), alpha) * error, &logs))
}

/// The standard error of one process's time per iteration (all totals by all iterations), as a
/// fraction of it, from the variation of its measurements: that of a ratio estimator, by
/// linearisation (Cochran, *Sampling Techniques*, 1977, section 6.4). None for fewer than two
/// measurements, or if one has no iterations or a total that is not finite and positive.
#[must_use]
pub fn relative_error(measurements: &[Measurement]) -> Option<f64> {
    let is_sound =
        |one: &Measurement| one.iterations > 0 && one.total.is_finite() && one.total > 0.0;
    if measurements.len() < 2 || !measurements.iter().all(is_sound) {
        return None;
    }
    let count = measurements.len() as f64;
    let total: f64 = measurements.iter().map(|one| one.total).sum();
    let iterations: f64 = measurements.iter().map(|one| one.iterations as f64).sum();
    let ratio = total / iterations;
    let squares: f64 =
        measurements.iter().map(|one| (one.total - ratio * one.iterations as f64).powi(2)).sum();
    Some((count / (count - 1.0) * squares).sqrt() / total)
}

/// The level of one command in one experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExperimentLevel {
    /// Its estimate, such as the median of all runs.
    pub value: f64,
    /// The standard error of the estimate as far as the runs within the experiment show, as a
    /// fraction of it; 0 if unknown.
    pub relative_error: f64,
}

impl ExperimentLevel {
    /// The level from an estimate with its 95 % interval, in its unit. Approximate: takes it as
    /// normal.
    #[must_use]
    pub fn of_interval(value: f64, low: f64, high: f64) -> Self {
        let error = (high - low) / (2.0 * normal::two_sided(MEDIAN_ALPHA));
        Self { value, relative_error: error / value }
    }

    /// The level from an estimate that is as precise as the mean of `n` runs with the standard
    /// deviation `sd`, in its unit.
    #[must_use]
    pub fn of_runs(value: f64, sd: f64, n: usize) -> Self {
        Self { value, relative_error: sd / (n as f64).sqrt() / value }
    }
}

/// The reason why an experiment has no interval against stored ones.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are; indices begin at 0")]
pub enum ExperimentsError {
    #[error("{0} is no level: it must be between 0 and 1")]
    NoLevel(f64),
    #[error("an experiment has the estimate {0}, not a positive number")]
    NotPositive(f64),
    #[error("an experiment has the standard error {0}, not a fraction")]
    NotAnError(f64),
    #[error("there is only one stored experiment, so how far experiments differ is not known")]
    OnlyOne,
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
    new: ExperimentLevel,
    stored: ExperimentLevel,
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
    let seen: Vec<f64> = logs.iter().map(|log| new.value.ln() - log).collect();
    Ok(ratio(new.value.ln() - stored.value.ln(), reach, &seen))
}

/// The half-width of either interval in standard errors, for at least two processes or experiments,
/// unless their span makes it wider.
#[must_use]
pub fn critical(several: usize, alpha: f64) -> f64 {
    student::two_sided(alpha, (several as f64 - 1.0).min(MOST_DEGREES))
}

/// The ratio with its interval, from the logarithms of the estimate and of the ratios `seen`, which
/// lie within the interval whatever the `reach`.
fn ratio(estimate: f64, reach: f64, seen: &[f64]) -> RatioEstimate {
    let least = seen.iter().copied().fold(f64::INFINITY, f64::min);
    let most = seen.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    RatioEstimate {
        ratio: estimate.exp(),
        low: (estimate - reach).min(least).exp(),
        high: (estimate + reach).max(most).exp(),
        rounds: seen.len(),
    }
}
