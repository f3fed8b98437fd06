//! The level of a benchmark, from several processes that each measured it.
//!
//! A process has its own addresses, heap and luck; two processes of one executable differ by more
//! than the measurements within either of them suggest, often by several per cent, and more
//! iterations within a process do not show that. So the processes are the sample: each gives one
//! estimate ([`crate::loops`]), and the interval comes from how far these differ. An interval made
//! of the measurements of one process is too narrow, by [`Components::narrow_by`].
//!
//! Two executables or benchmarks are compared through the same estimates, paired by round, with
//! [`crate::paired_ratio`]; this module is for a single one.

use std::f64::consts::{LN_2, SQRT_2};

use crate::signed_rank::{self, Shift};
use crate::student;

/// The level of a benchmark, with two intervals. The unit is that of the processes' estimates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessesLevel {
    /// The estimate.
    pub estimate: f64,
    /// The lower end of the interval for the limit of ever more processes.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The lower end of the interval for the estimate of another experiment with as many processes:
    /// wider, because that one has its own luck.
    pub again_low: f64,
    /// Its upper end.
    pub again_high: f64,
    /// The number of processes it rests on.
    pub processes: usize,
}

/// The reason why processes have no level.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are; indices begin at 0")]
pub enum ProcessError {
    #[error("an interval needs at least 2 processes, and there are {0}")]
    TooFew(usize),
    #[error("process {index} has the estimate {value}, not a positive number")]
    NotPositive { index: usize, value: f64 },
    #[error("alpha is {0}, not between 0 and 1")]
    NoLevel(f64),
}

/// The level of a benchmark, from the estimate of each process, in any order; the intervals are
/// two-sided at level `1 - alpha`.
///
/// The pseudo-median of the logarithms with its signed-rank interval, as for runs. Too few
/// processes for that (five, at 5 %) give the geometric mean with Student's interval. A process of
/// another kind widens that one a lot, or not at all if there are two regimes and all processes
/// fell into one.
///
/// The interval for another experiment is √2 times as wide as the larger half of the first one: two
/// estimates differ with twice the variance of one. By simulation with 10 and 20 processes, it
/// covers in 95 to 99 % for normal, exponential and heavy-tailed noise and for two regimes.
///
/// # Errors
///
/// When there are fewer than two processes, an estimate is not finite and positive, or `alpha` is
/// not in `[0, 1]`.
pub fn level(estimates: &[f64], alpha: f64) -> Result<ProcessesLevel, ProcessError> {
    if !(0.0..=1.0).contains(&alpha) {
        return Err(ProcessError::NoLevel(alpha));
    }
    for (index, &value) in estimates.iter().enumerate() {
        if !value.is_finite() || value <= 0.0 {
            return Err(ProcessError::NotPositive { index, value });
        }
    }
    if estimates.len() < 2 {
        return Err(ProcessError::TooFew(estimates.len()));
    }
    let logarithms: Vec<f64> = estimates.iter().map(|estimate| estimate.ln()).collect();
    let shift = centre(&logarithms, alpha);
    let reach = (shift.high - shift.estimate).max(shift.estimate - shift.low) * SQRT_2;
    Ok(ProcessesLevel {
        estimate: shift.estimate.exp(),
        low: shift.low.exp(),
        high: shift.high.exp(),
        again_low: (shift.estimate - reach).exp(),
        again_high: (shift.estimate + reach).exp(),
        processes: estimates.len(),
    })
}

impl ProcessesLevel {
    /// The same level, with the interval for another experiment widened because that one finds the
    /// machine in another state; `alpha` is the permitted error.
    #[must_use]
    pub fn with(self, effect: &RoundEffect, alpha: f64) -> Self {
        let quantile = student::two_sided(alpha, effect.rounds as f64 - 1.0);
        let processes = (self.again_high / self.estimate).ln();
        let reach = processes.hypot(quantile * effect.between_experiments().sqrt());
        Self {
            again_low: self.estimate * (-reach).exp(),
            again_high: self.estimate * reach.exp(),
            ..self
        }
    }
}

/// The centre of at least two values on the log scale: with the signed-rank interval if there are
/// enough values for one, otherwise with Student's.
pub(crate) fn centre(values: &[f64], alpha: f64) -> Shift {
    let shift =
        signed_rank::shift(values, alpha).expect("at least two logarithms of positive numbers");
    if shift.low.is_finite() || alpha == 0.0 {
        return shift;
    }
    let (mean, half_width) = student::mean(values, alpha);
    Shift { estimate: mean, low: mean - half_width, high: mean + half_width }
}

/// The sources of the variation of a benchmark's estimates; standard deviations of their
/// logarithms, so 0.01 for 1 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Components {
    /// The uncertainty about a process that its measurements leave.
    pub within: f64,
    /// The true spread between processes; 0 if `within` explains all the observed variation.
    pub between: f64,
}

impl Components {
    /// The components from two estimates of each process, made of halves of its measurements
    /// ([`crate::loops::halves`]): the halves' difference is noise within the process, the further
    /// variation of their means is between processes (method of moments). None for fewer than two
    /// processes or an estimate that is not finite and positive.
    ///
    /// Autocorrelated measurements leave the same traces in both halves, which then count as a
    /// difference between processes.
    #[must_use]
    pub fn from_halves(halves: &[(f64, f64)]) -> Option<Self> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        if halves.len() < 2 || !halves.iter().all(|&(a, b)| positive(a) && positive(b)) {
            return None;
        }
        let count = halves.len() as f64;
        let within: f64 =
            halves.iter().map(|(a, b)| 0.25 * (a.ln() - b.ln()).powi(2)).sum::<f64>() / count;
        let means: Vec<f64> = halves.iter().map(|(a, b)| 0.5 * (a.ln() + b.ln())).collect();
        let mean = means.iter().sum::<f64>() / count;
        let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Some(Self { within: within.sqrt(), between: (variance - within).max(0.0).sqrt() })
    }

    /// The factor by which an interval is too narrow if it takes the measurements of one process
    /// for the sample; 1 if processes do not differ, infinite if they differ and measurements do
    /// not.
    #[must_use]
    pub fn narrow_by(&self) -> f64 {
        if self.between == 0.0 { 1.0 } else { self.within.hypot(self.between) / self.within }
    }
}

// The effect that the processes of a round share: the state of the machine.
//
// Processes differ independently, and that averages out over the rounds. A machine differs too: its
// clock rate, its neighbours on the same processor, other programs. Such disturbances have no
// typical length; some are short and some long, and the longer an experiment takes, the longer are
// those that it meets (flicker noise). They do not average out: the next experiment finds the
// machine in another state, and the spread of the states of this one's rounds shows how far that
// may be off.

/// The minimum number of rounds for seeing the machine's states.
const LEAST_ROUNDS: usize = 5;

/// The spread of the rounds of an experiment in what all benchmarks share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundEffect {
    /// The variance of the rounds' effect on the logarithms, so 0.0001 for 1 %; 0 if no more was
    /// seen than unrelated processes would show.
    pub variance: f64,
    /// The number of rounds it rests on.
    pub rounds: usize,
}

impl RoundEffect {
    /// The effect from the estimates of at least two benchmarks, each with one for every round, in
    /// the same order. None for fewer benchmarks, fewer than five rounds, rows of different
    /// lengths, or estimates that are not finite and positive.
    ///
    /// The mean covariance of two benchmarks: the estimator of moments in a two-way layout with
    /// random effects (Searle, Casella & McCulloch, *Variance Components*, 1992, 4.3).
    #[must_use]
    pub fn from_benchmarks(benchmarks: &[Vec<f64>]) -> Option<Self> {
        let rounds = benchmarks.first()?.len();
        let is_whole = |row: &Vec<f64>| {
            row.len() == rounds && row.iter().all(|value| value.is_finite() && *value > 0.0)
        };
        if benchmarks.len() < 2 || rounds < LEAST_ROUNDS || !benchmarks.iter().all(is_whole) {
            return None;
        }
        let mut sums = vec![0.0; rounds];
        let mut squares = 0.0;
        for row in benchmarks {
            let logarithms: Vec<f64> = row.iter().map(|value| value.ln()).collect();
            let mean = logarithms.iter().sum::<f64>() / rounds as f64;
            for (sum, value) in sums.iter_mut().zip(&logarithms) {
                *sum += value - mean;
                squares += (value - mean).powi(2);
            }
        }
        let products = sums.iter().map(|sum| sum * sum).sum::<f64>() - squares;
        let count = benchmarks.len() as f64;
        let covariance = products / (count * (count - 1.0) * (rounds as f64 - 1.0));
        Some(Self { variance: covariance.max(0.0), rounds })
    }

    /// The variance of the difference between the means of this experiment and of another one as
    /// long, beyond what would be left of the rounds' effect if it averaged out.
    ///
    /// With flicker noise the means of two successive stretches of `N` rounds differ with twice the
    /// two-sample (Allan) variance, at any length; and that is the variance among the `N` rounds
    /// over `N ln N / (2 (N - 1) ln 2)` (Allan, *Proceedings of the IEEE* 54, 1966; Barnes, NBS
    /// Technical Note 375, 1969: the bias function `B1` for μ = 0).
    #[must_use]
    pub fn between_experiments(&self) -> f64 {
        let count = self.rounds as f64;
        let bias = count * count.ln() / (2.0 * (count - 1.0) * LN_2);
        self.variance * (2.0 / bias - 2.0 / count)
    }
}
