//! Test for readings that rise or fall over the experiment.
//!
//! A drift biases no comparison, because rounds cancel it; but it reveals a machine that heats up
//! or a disk that fills. The difficulty is that autocorrelated readings wander, and a stretch of
//! wandering looks like a trend. So the readings are first reduced to at most 64 medians of
//! consecutive blocks, whose autocorrelation is the smaller the longer the blocks are; the blocks'
//! ranks are correlated with their order (Spearman, *American Journal of Psychology* 15, 1904); and
//! that correlation is judged as one of as many independent blocks as the remaining autocorrelation
//! leaves (Bayley and Hammersley, *JRSS Supplement* 8, 1946).
//!
//! Approximate, and for a fundamental reason: no number of readings distinguishes a trend from a
//! memory longer than the experiment. At a level of 1 %, independent readings are found to drift in
//! 0.4 % of experiments or fewer; readings with an autocorrelation of 0.9 in 1.6 % (20 readings),
//! 1.1 % (50), 0.1 % (200 and more); a rise of 20 % in noise of 1 % is found in 98 % with 20
//! readings (`tests/rates`). A random walk is a drift, and is called one if it goes far enough.

use crate::order::{median, mid_ranks, sorted};
use crate::student;

/// The maximum number of blocks: more make the slope no better and the autocorrelation harder to
/// see.
const MOST_BLOCKS: usize = 64;

/// The minimum number of readings for estimating the autocorrelation.
const FEWEST_READINGS: usize = 10;

/// A trend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// The change from the first reading to the last as a fraction of the median: 0.05 for a rise
    /// of 5 % (Theil 1950 and Sen 1968, over the blocks' medians).
    pub change: f64,
    /// Two-sided, for "no trend, though perhaps autocorrelation".
    pub p_value: f64,
}

/// The trend of `values` in run order. None for fewer than 10 readings, one that is not finite, or
/// a median of 0. Ties are allowed. Takes `O(n log n)`.
#[must_use]
pub fn drift(values: &[f64]) -> Option<Drift> {
    if values.len() < FEWEST_READINGS || !values.iter().all(|v| v.is_finite()) {
        return None;
    }
    let centre = median(&sorted(values));
    if centre == 0.0 {
        return None;
    }
    let count = values.len().min(MOST_BLOCKS);
    let bound = |block: usize| block * values.len() / count;
    let blocks: Vec<f64> =
        (0..count).map(|b| median(&sorted(&values[bound(b)..bound(b + 1)]))).collect();
    let times: Vec<f64> = (0..count).map(|block| block as f64).collect();
    let change = theil_sen(&times, &blocks) * (count - 1) as f64 / centre;
    Some(Drift { change, p_value: trend_p(&mid_ranks(&blocks)) })
}

/// The median of the slopes between all pairs (Theil 1950, Sen 1968).
pub(crate) fn theil_sen(times: &[f64], values: &[f64]) -> f64 {
    let mut slopes = Vec::new();
    for (early, (time, value)) in times.iter().zip(values).enumerate() {
        let later = times[early + 1..].iter().zip(&values[early + 1..]);
        slopes.extend(later.map(|(t, v)| (v - value) / (t - time)));
    }
    median(&sorted(&slopes))
}

/// The p-value of the correlation of `ranks` with their order, allowing for autocorrelation.
fn trend_p(ranks: &[f64]) -> f64 {
    let n = ranks.len() as f64;
    let middle = 0.5 * (n - 1.0);
    let centred: Vec<f64> = ranks.iter().map(|rank| rank - 1.0 - middle).collect();
    let time = |i: usize| i as f64 - middle;
    let spread: f64 = (0..ranks.len()).map(|i| time(i).powi(2)).sum();
    let squares: f64 = centred.iter().map(|rank| rank * rank).sum();
    if squares == 0.0 {
        return 1.0;
    }
    let slope = centred.iter().enumerate().map(|(i, rank)| time(i) * rank).sum::<f64>() / spread;
    let rest: Vec<f64> = centred.iter().enumerate().map(|(i, r)| r - slope * time(i)).collect();
    let memory = memory(&rest, SAFETY);
    let df = n * (1.0 - memory) / (1.0 + memory) - 2.0;
    if df < 1.0 {
        return 1.0;
    }
    let correlation = slope * (spread / squares).sqrt();
    let t =
        correlation.abs() * (df / (1.0 - correlation * correlation).max(f64::MIN_POSITIVE)).sqrt();
    2.0 * student::upper_tail(t, df)
}

/// The autocorrelation of residuals about a line, on the safe side: corrected for the bias of
/// fitting a line (to first order `-(2 + 4 phi) / n`: Kendall, *Biometrika* 41, 1954, extended to a
/// trend) and raised by `safety` standard errors, never below 0.
pub(crate) fn memory(residuals: &[f64], safety: f64) -> f64 {
    let n = residuals.len() as f64;
    let squares: f64 = residuals.iter().map(|r| r * r).sum();
    if squares <= 0.0 {
        return 0.0;
    }
    let lagged: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let corrected = (n * lagged / squares + 2.0) / (n - 4.0);
    let error = ((1.0 - corrected * corrected).max(0.0) / n).sqrt();
    (corrected + safety * error).clamp(0.0, 1.0)
}

/// The number of standard errors by which the autocorrelation is raised. Arbitrary, except that
/// with 1, readings with an autocorrelation of 0.9 raised false alarms in 5 % of experiments of 20
/// runs and 3 % of 50.
const SAFETY: f64 = 2.0;
