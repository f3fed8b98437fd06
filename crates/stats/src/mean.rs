//! The ratio of two arithmetic means, from pairs.

use crate::signed_rank::Shift;
use crate::student;

/// The logarithm of the ratio of the means with a paired t interval at level `1 - alpha`,
/// `n - 1` degrees of freedom; positive readings.
///
/// The ratio `r` of the means is the slope at which the residuals `y - r x` sum to zero, and to
/// first order its error is their mean over the mean of `x` (Cochran, *Sampling Techniques*,
/// section 2.11). Taken on the log scale so that swapping the samples mirrors the interval.
/// Approximate: the residuals' mean must be near normal, and their variance finite.
pub(crate) fn log_ratio(baseline: &[f64], candidate: &[f64], alpha: f64) -> Shift {
    let n = baseline.len() as f64;
    let (x, y) = (baseline.iter().sum::<f64>() / n, candidate.iter().sum::<f64>() / n);
    let estimate = y.ln() - x.ln();
    if baseline.len() < 2 || alpha <= 0.0 {
        return Shift { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let ratio = y / x;
    let squares: f64 = baseline.iter().zip(candidate).map(|(x, y)| (y - ratio * x).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt() / y;
    let half_width = student::two_sided(alpha, n - 1.0) * error;
    Shift { estimate, low: estimate - half_width, high: estimate + half_width }
}
