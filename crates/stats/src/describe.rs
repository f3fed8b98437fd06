//! One sample in a few numbers.

use crate::order::{median, quantile, sorted};
use crate::{binomial, normal};

/// Tukey's inner fence, in interquartile ranges beyond the quartiles
/// (*Exploratory Data Analysis*, 1977).
const INNER_FENCE: f64 = 1.5;

/// Tukey's outer fence (*Exploratory Data Analysis*, 1977).
const OUTER_FENCE: f64 = 3.0;

/// The level of the median's interval.
pub(crate) const MEDIAN_ALPHA: f64 = 0.05;

/// The summary of a sample, in the unit of its readings; `findings::MetricSummary` is that of a
/// variant in a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleSummary {
    /// The number of readings.
    pub n: usize,
    /// The arithmetic mean.
    pub mean: f64,
    /// The standard deviation with divisor `n - 1`; None for a single reading.
    pub sd: Option<f64>,
    /// The median.
    pub median: f64,
    /// The smallest reading.
    pub min: f64,
    /// The largest reading.
    pub max: f64,
    /// The lower quartile (type 7 of Hyndman and Fan 1996).
    pub q1: f64,
    /// The upper quartile (type 7 of Hyndman and Fan 1996).
    pub q3: f64,
    /// Readings between the inner and the outer fence, on either side.
    pub mild_outliers: usize,
    /// Readings beyond the outer fence, on either side.
    pub severe_outliers: usize,
    /// The interval that holds the population's median with probability at least 95 % if the
    /// readings are independent, for any distribution; None below 6 readings.
    pub median_interval: Option<(f64, f64)>,
}

impl SampleSummary {
    /// The standard deviation over the mean.
    #[must_use]
    pub fn spread(&self) -> Option<f64> {
        self.sd.map(|sd| sd / self.mean)
    }

    /// The same for the bulk of the readings: the distance of the quartiles, over that of a normal
    /// distribution with standard deviation 1, over the median.
    #[must_use]
    pub fn robust_spread(&self) -> f64 {
        (self.q3 - self.q1) / (2.0 * normal::quantile(0.75)) / self.median
    }
}

/// The quantiles of `values` at these fractions, from 0 to 1 (type 7 of Hyndman and Fan 1996);
/// empty if there are no values.
#[must_use]
pub fn quantiles(values: &[f64], parts: &[f64]) -> Vec<f64> {
    let sorted = sorted(values);
    let parts = parts.iter().filter(|_| !sorted.is_empty());
    parts.map(|part| quantile(&sorted, *part)).collect()
}

/// The interval that holds the population's median with probability at least `1 - alpha` if the
/// readings are independent, for any distribution (the sign test's: Conover, *Practical
/// Nonparametric Statistics*, 1999, section 3.2); None if there are too few readings.
#[must_use]
pub fn median_interval(values: &[f64], alpha: f64) -> Option<(f64, f64)> {
    let rank = binomial::interval_rank(values.len(), alpha)?;
    let sorted = sorted(values);
    Some((sorted[rank - 1], sorted[sorted.len() - rank]))
}

/// The summary of `values`; None if there are none, or one is NaN or infinite.
#[must_use]
pub fn summarise(values: &[f64]) -> Option<SampleSummary> {
    if values.is_empty() || !values.iter().all(|v| v.is_finite()) {
        return None;
    }
    let sorted = sorted(values);
    let n = sorted.len();
    let (mean, sd) = mean_and_sd(&sorted);
    let (q1, q3) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75));
    let beyond = |fence: f64| {
        let reach = fence * (q3 - q1);
        sorted.iter().filter(|&&v| v < q1 - reach || v > q3 + reach).count()
    };
    let severe = beyond(OUTER_FENCE);
    Some(SampleSummary {
        n,
        mean,
        sd,
        median: median(&sorted),
        min: sorted[0],
        max: sorted[n - 1],
        q1,
        q3,
        mild_outliers: beyond(INNER_FENCE) - severe,
        severe_outliers: severe,
        median_interval: median_interval(&sorted, MEDIAN_ALPHA),
    })
}

/// The least and the largest of the values within Tukey's outer fences; None if there are none, or
/// one is NaN or infinite.
#[must_use]
pub fn usual_range(values: &[f64]) -> Option<[f64; 2]> {
    let SampleSummary { q1, q3, .. } = summarise(values)?;
    let reach = OUTER_FENCE * (q3 - q1);
    let within = values.iter().copied().filter(|v| (q1 - reach..=q3 + reach).contains(v));
    within.fold(None, |range, value| {
        let [low, high] = range.unwrap_or([value; 2]);
        Some([low.min(value), high.max(value)])
    })
}

/// Two passes, the second with the correction for the rounding of the first (Chan, Golub and
/// LeVeque, *The American Statistician* 37, 1983).
pub(crate) fn mean_and_sd(values: &[f64]) -> (f64, Option<f64>) {
    let n = values.len() as f64;
    let first = values.iter().sum::<f64>() / n;
    let residue: f64 = values.iter().map(|v| v - first).sum();
    let squares: f64 = values.iter().map(|v| (v - first).powi(2)).sum();
    let variance = (squares - residue * residue / n) / (n - 1.0);
    (first + residue / n, (values.len() > 1).then(|| variance.max(0.0).sqrt()))
}
