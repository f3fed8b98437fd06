//! A straight line through the floor, with the precision of its slope.
//!
//! The points are autocorrelated, because allocated memory stays allocated for a while. An interval
//! that assumed independence would be too narrow. The autocorrelation `phi` of the residuals is
//! therefore estimated, on the safe side (`crate::drift`); `n` points count as `n (1 - phi) / (1 +
//! phi)` (Bayley and Hammersley, *JRSS Supplement* 8, 1946), and the standard error of the slope is
//! widened accordingly.
//!
//! If the autocorrelation leaves nothing of the points, the changes between consecutive sixths of
//! the run are taken as the readings instead: they are independent if the disturbance adds up like
//! a random walk, the longest memory there is.

use super::Slope;
use crate::drift;
use crate::order::{median, robust_deviation, sorted};
use crate::student;

/// The number of deviations at which residuals are clipped: a single wild point must not turn the
/// line.
const CLIP: f64 = 3.0;

/// The number of parts of the run for residuals with a long autocorrelation.
const PARTS: usize = 6;

/// The number of standard errors by which the autocorrelation is raised. With 2, as for runs
/// (`crate::drift`), intervals of a handful of points would be as wide as the level. By simulation.
const SAFETY: f64 = 1.0;

/// The fraction of the values below which a residual is rounding.
const ROUNDING: f64 = 1e-12;

/// A line through points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    times: Vec<f64>,
    /// Clipped to the neighbourhood of the line.
    values: Vec<f64>,
    given: Vec<f64>,
}

/// The least-squares fit of points.
struct Fit {
    slope: f64,
    spread: f64,
    residuals: Vec<f64>,
}

fn fit(times: &[f64], values: &[f64]) -> Fit {
    let count = times.len() as f64;
    let mean = |all: &[f64]| all.iter().sum::<f64>() / count;
    let (centre, level) = (mean(times), mean(values));
    let spread: f64 = times.iter().map(|time| (time - centre).powi(2)).sum();
    let product: f64 = times.iter().zip(values).map(|(t, v)| (t - centre) * (v - level)).sum();
    let slope = if spread > 0.0 { product / spread } else { 0.0 };
    let residual = |(time, value): (&f64, &f64)| value - level - slope * (time - centre);
    Fit { slope, spread, residuals: times.iter().zip(values).map(residual).collect() }
}

/// The residuals of the values from their least-squares line.
pub(super) fn residuals(times: &[f64], values: &[f64]) -> Vec<f64> {
    fit(times, values).residuals
}

fn squares(residuals: &[f64]) -> f64 {
    residuals.iter().map(|residual| residual * residual).sum()
}

/// The sum of squares about the least-squares line.
pub(super) fn squares_about_line(times: &[f64], values: &[f64]) -> f64 {
    squares(&residuals(times, values))
}

/// The sum of squares about the mean.
pub(super) fn squares_about_mean(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// Schwarz's criterion of a description with this number of parameters: the smaller, the better.
pub(super) fn criterion(squares: f64, values: &[f64], parameters: usize) -> f64 {
    let count = values.len() as f64;
    let largest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let variance = (squares / count).max((ROUNDING * largest).powi(2));
    count * variance.ln() + parameters as f64 * count.ln()
}

impl Line {
    /// The line through at least three points.
    pub(super) fn through(times: &[f64], values: &[f64]) -> Self {
        let slope = theil_sen(times, values);
        let without: Vec<f64> = times.iter().zip(values).map(|(t, v)| v - slope * t).collect();
        let intercept = median(&sorted(&without));
        let deviation = robust_deviation(&without, intercept);
        let clip = |(value, rest): (&f64, &f64)| {
            let residual = rest - intercept;
            value - residual + residual.clamp(-CLIP * deviation, CLIP * deviation)
        };
        let clipped = values.iter().zip(&without).map(clip).collect();
        Self { times: times.to_vec(), values: clipped, given: values.to_vec() }
    }

    /// Schwarz's criterion of the line, for the points as given.
    pub(super) fn criterion(&self) -> f64 {
        criterion(squares_about_line(&self.times, &self.given), &self.given, 2)
    }

    /// The slope with its interval at level `1 - alpha`.
    pub(super) fn slope(&self, alpha: f64) -> Slope {
        let Fit { slope, spread, residuals } = fit(&self.times, &self.values);
        let count = self.times.len() as f64;
        let largest = self.values.iter().copied().fold(0.0, f64::max);
        if squares(&residuals).sqrt() <= ROUNDING * largest * count.sqrt() {
            return Slope { estimate: slope, low: slope, high: slope };
        }
        let memory = drift::memory(&residuals, SAFETY);
        let df = count * (1.0 - memory) / (1.0 + memory) - 2.0;
        if df < 1.0 || count < 5.0 {
            return self.slope_of_changes(alpha);
        }
        let variance = squares(&residuals) / (count - 2.0);
        let error = (variance / spread * (1.0 + memory) / (1.0 - memory)).sqrt();
        let half_width = student::two_sided(alpha, df) * error;
        Slope { estimate: slope, low: slope - half_width, high: slope + half_width }
    }

    /// The slope from the changes between consecutive parts.
    fn slope_of_changes(&self, alpha: f64) -> Slope {
        let count = self.times.len();
        let parts = PARTS.min(count);
        let of = |all: &[f64]| -> Vec<f64> {
            let bounds = |part: usize| part * count / parts..(part + 1) * count / parts;
            (0..parts).map(|part| median(&sorted(&all[bounds(part)]))).collect()
        };
        let (times, values) = (of(&self.times), of(&self.values));
        let changes: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let number = changes.len() as f64;
        let mean = changes.iter().sum::<f64>() / number;
        let variance = squares_about_mean(&changes) / (number - 1.0);
        let half_width = student::two_sided(alpha, number - 1.0) * (variance / number).sqrt();
        let per_time = number / (times[parts - 1] - times[0]);
        Slope {
            estimate: mean * per_time,
            low: (mean - half_width) * per_time,
            high: (mean + half_width) * per_time,
        }
    }
}

/// The median of the slopes between all pairs (Theil 1950, Sen 1968).
pub(super) fn theil_sen(times: &[f64], values: &[f64]) -> f64 {
    let mut slopes = Vec::new();
    for (early, (time, value)) in times.iter().zip(values).enumerate() {
        let later = times[early + 1..].iter().zip(&values[early + 1..]);
        slopes.extend(later.map(|(t, v)| (v - value) / (t - time)));
    }
    median(&sorted(&slopes))
}
