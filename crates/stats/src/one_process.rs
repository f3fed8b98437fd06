//! Several processes compared with a single one, such as a baseline that a harness saved when it
//! ran in another process, at another time.
//!
//! A single process does not show how far processes differ, and neither do the measurements within
//! it ([`crate::processes`]). So it is assumed to vary as much as the others vary among themselves,
//! and the question is that of a prediction: could one more process of theirs have given this
//! value? A different state of the machine at the other time is not part of any interval.
//!
//! An odd process then counts as a change, and the readings cannot refute that: if one process in
//! seven is slow, and none of ten was, the eleventh is in 3 of 100. If possible, run the old
//! program again instead, in rounds with the new one.

use crate::estimate::RatioEstimate;
use crate::loops::Measurement;
use crate::processes::ProcessError;
use crate::student;

/// The maximum degrees of freedom for Student's quantile. Estimates of processes have heavier tails
/// than a normal distribution; with more processes the tails of a mean would thin out, but the one
/// process stays a single draw. By simulation (`tests/rates/one_process.rs`) with 10 and 20
/// processes, 3 keep the level for normal, exponential and heavy-tailed differences (Student's t
/// with 3 degrees); all `n - 1` would, at 0.1 %, let more than 1 % of heavy-tailed ones pass for
/// changes.
const MOST_DEGREES: f64 = 3.0;

/// The reason why a comparison is impossible.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum OneProcessError {
    /// The several processes cannot be used.
    #[error(transparent)]
    Processes(#[from] ProcessError),
    /// The estimate of the one process is zero, negative, NaN or infinite.
    #[error("the one process has the estimate {0}, not a positive number")]
    NotPositive(f64),
    /// Its standard error is negative, NaN or infinite.
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
    let reach = critical(processes.len(), alpha) * error;
    let least = logs.iter().copied().fold(f64::INFINITY, f64::min);
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(RatioEstimate {
        ratio: mean.exp(),
        low: (mean - reach).min(least).exp(),
        high: (mean + reach).max(most).exp(),
        rounds: processes.len(),
    })
}

/// The half-width of the interval in standard errors, unless the span of the processes makes it
/// wider; for at least two processes.
#[must_use]
pub fn critical(processes: usize, alpha: f64) -> f64 {
    student::two_sided(alpha, (processes as f64 - 1.0).min(MOST_DEGREES))
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
