//! Welch's t test (*Biometrika* 34, 1947), as used by most benchmarking tools.
//!
//! Not used for verdicts. It assumes independent readings, which successive readings are not;
//! `doctor` and the benchmarks use it to show how often that goes wrong.

use crate::describe::mean_and_sd;
use crate::student;

/// The two-sided p-value for equal means of two independent samples. None if a sample has fewer
/// than two readings or neither varies.
#[must_use]
pub fn welch_p(a: &[f64], b: &[f64]) -> Option<f64> {
    let (mean_a, sd_a) = mean_and_sd(a);
    let (mean_b, sd_b) = mean_and_sd(b);
    let (n_a, n_b) = (a.len() as f64, b.len() as f64);
    let (error_a, error_b) = (sd_a?.powi(2) / n_a, sd_b?.powi(2) / n_b);
    let error = error_a + error_b;
    if error.is_nan() || error <= 0.0 {
        return None;
    }
    let df = error * error / (error_a * error_a / (n_a - 1.0) + error_b * error_b / (n_b - 1.0));
    let t = (mean_a - mean_b) / error.sqrt();
    Some(2.0 * student::upper_tail(t.abs(), df))
}
