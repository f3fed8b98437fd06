//! The level of a segment, and the ratio of two levels with its interval.

use super::noise::Noise;
use crate::order::middle;
use crate::student;

/// The number of deviations from the level beyond which points do not count for it.
pub(super) const FAR: f64 = 3.0;

/// The maximum number of steps; the mean of the near points settles in two or three.
const MOST_STEPS: usize = 20;

/// The level of a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// The mean of the points near it, weighted by their precision.
    pub(super) centre: f64,
    /// The variance of that mean if the points were independent and as noisy as assumed.
    pub(super) variance: f64,
}

impl Level {
    /// The level of the points `from..to`: a mean that skips points far from it (the minimum of the
    /// bounded costs next to the median).
    pub(super) fn from_range(values: &[f64], noise: &Noise, from: usize, to: usize) -> Self {
        let (values, deviations) = (&values[from..to], &noise.deviations[from..to]);
        let mut level = Self { centre: middle(values.to_vec()), variance: 0.0 };
        for _ in 0..MOST_STEPS {
            let (mut weight, mut sum) = (0.0, 0.0);
            for (value, deviation) in values.iter().zip(deviations) {
                let away = value - level.centre;
                if away.abs() <= FAR * deviation {
                    let w = deviation.powi(-2);
                    weight += w;
                    sum += w * away;
                }
            }
            if weight == 0.0 {
                // There are two groups far apart, and the median lies between them.
                let n = values.len() as f64;
                let variance = deviations.iter().map(|d| d * d).sum::<f64>() / (n * n);
                return Self { variance, ..level };
            }
            let before = level.centre;
            level = Self { centre: before + sum / weight, variance: 1.0 / weight };
            if level.centre == before {
                break;
            }
        }
        level
    }
}

/// The interval at level `alpha` of `after / before`, from their estimates and standard errors, by
/// Fieller's theorem (*JRSS B* 16, 1954) with Student's t. `None` unless `before` is certainly
/// positive and `after` is positive.
pub(super) fn ratio_interval(
    (before, before_error): (f64, f64),
    (after, after_error): (f64, f64),
    df: f64,
    alpha: f64,
) -> Option<(f64, f64)> {
    let t = student::two_sided(alpha, df);
    // (after - r before)^2 = t^2 (after_error^2 + r^2 before_error^2), solved for r.
    let a = before * before - (t * before_error).powi(2);
    let c = after * after - (t * after_error).powi(2);
    if !(before > 0.0 && after > 0.0 && a > 0.0) {
        return None;
    }
    let b = before * after;
    let root = (b * b - a * c).max(0.0).sqrt();
    Some(((b - root) / a, (b + root) / a))
}
