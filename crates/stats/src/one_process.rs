//! Several processes compared with a single one, such as a baseline that a harness saved when it ran
//! in another process, at another time.
//!
//! How far processes differ cannot be seen in one of them, and the measurements within it do not tell
//! ([`crate::processes`]). So the one is taken to differ from its like as much as the others differ
//! among themselves, and the question is that of a prediction: might one more process of theirs have
//! said this? What the machine did differently at the other time is in no interval.
//!
//! An odd process is then a change, and nothing in the readings can say otherwise: where one process
//! in seven is slow, and none of ten was, the eleventh is in 3 of 100. Whoever can should run the old
//! program again instead, in rounds with the new one.

use crate::estimate::RatioEstimate;
use crate::loops::Measurement;
use crate::processes::ProcessError;
use crate::student;

/// The most degrees of freedom that Student's quantile is taken with. Estimates of processes have
/// heavier tails than a normal distribution has, and a mean's would thin out with more of them, but
/// the one process stays a single draw. By simulation (`tests/rates/one_process.rs`) with 10 and 20
/// processes, 3 keep the level for normal, exponential and heavy-tailed differences (Student's t with
/// 3 degrees); all `n - 1` would, at 0.1 %, let more than 1 % of heavy-tailed ones pass for changes.
const MOST_DEGREES: f64 = 3.0;

/// Why there is no comparison.
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

/// The ratio of several processes (over) to one, with its interval at the level `1 - alpha`.
/// `relative_error` is the standard error of the one's own estimate, as a fraction of it, as far as
/// its measurements say; 0 where they say nothing. All estimates have the same unit.
///
/// The estimate is the ratio of the geometric mean to the one. The interval is Student's for the
/// difference between a mean of `n` and one further value, on the log scale, with at most
/// three degrees of freedom and the own error added to the variance; and it is never
/// narrower than the span of the several processes, as seen from the one: what lies among them is no
/// change, whatever their distribution, which bounds errors by `2 / (n + 1)` as well.
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

/// How many standard errors the interval reaches to either side, where the span of the processes does
/// not make it wider; for at least two processes.
#[must_use]
pub fn critical(processes: usize, alpha: f64) -> f64 {
    student::two_sided(alpha, (processes as f64 - 1.0).min(MOST_DEGREES))
}

/// The standard error of one process's time per iteration (all totals by all iterations) as a
/// fraction of it, from how its measurements vary: that of a ratio estimator, by linearisation
/// (Cochran, *Sampling Techniques*, 1977, section 6.4). None for fewer than two measurements, or when
/// one has no iterations or a total that is not finite and positive.
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
