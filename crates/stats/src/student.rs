//! Student's t distribution: tail probabilities, quantiles, the interval of a mean and Welch's test.

use crate::beta::regularised;
use crate::describe::mean_and_sd;
use crate::order::boundary;

/// The probability that Student's t with `df > 0` degrees of freedom (not necessarily whole)
/// exceeds `t`. Relative accuracy about 1e-13 in both tails.
#[must_use]
pub fn upper_tail(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    let squared = t * t;
    let tail = 0.5 * regularised(0.5 * df, 0.5, df / (df + squared), squared / (df + squared));
    if t > 0.0 { tail } else { 1.0 - tail }
}

/// The mean of at least two values, and the half-width of its interval at level `1 - alpha`; both
/// in their unit.
#[must_use]
pub fn mean(values: &[f64], alpha: f64) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, half_width((squares / (count - 1.0)).sqrt(), values.len(), alpha))
}

/// The half-width of the interval at level `1 - alpha` of the mean of `n` values with standard
/// deviation `sd`; in its unit. For at least two values.
#[must_use]
pub fn half_width(sd: f64, n: usize, alpha: f64) -> f64 {
    let n = n as f64;
    two_sided(alpha, n - 1.0) * sd / n.sqrt()
}

/// The `t` which Student's t with `df` degrees of freedom exceeds in size with probability `alpha`,
/// by bisection: 2.776 for 0.05 and 4, infinite for 0.
#[must_use]
pub fn two_sided(alpha: f64, df: f64) -> f64 {
    if alpha <= 0.0 {
        return f64::INFINITY;
    }
    if alpha >= 1.0 {
        return 0.0;
    }
    let beyond = |t: f64| upper_tail(t, df) > 0.5 * alpha;
    let mut high = 1.0;
    while beyond(high) && high < f64::MAX / 4.0 {
        high *= 2.0;
    }
    let low = if high > 1.0 { 0.5 * high } else { 0.0 };
    boundary(low, high, beyond).1
}

/// The two-sided p-value for equal means of two independent samples: Welch's test (*Biometrika* 34,
/// 1947), as used by most benchmarking tools. Not used for verdicts: successive readings are not
/// independent, and `doctor` and the benchmarks show with it how often that goes wrong.
///
/// None if a sample has fewer
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
    Some(2.0 * upper_tail(t.abs(), df))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1, 2, 3, 4: the variance is 5/3, and t for 5 % and 3 degrees is 3.182446 in the tables.
    #[test]
    fn the_interval_of_a_mean_is_that_of_the_tables() {
        let (mean, reach) = super::mean(&[1.0, 2.0, 3.0, 4.0], 0.05);
        assert_eq!(mean, 2.5);
        assert!((reach - 3.182_446 * (5.0_f64 / 12.0).sqrt()).abs() < 1e-5, "{reach}");
        assert_eq!(super::mean(&[7.0, 7.0], 0.05), (7.0, 0.0));
        assert_eq!(upper_tail(0.0, 3.0), 0.5);
    }
}
