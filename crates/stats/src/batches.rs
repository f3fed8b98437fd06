//! A few runs each of many points, taken in batches between which the machine may have changed.
//!
//! All numbers are logarithms of times.

use crate::order::middle;

/// The number of standard deviations above a point's fastest run from which its runs are disturbed
/// and do not count for its level. Arbitrary; at 3, one in 30 undisturbed pairs has one.
const DISTURBED: f64 = 3.0;

/// The number of standard deviations that every deviation must exceed for a batch's share to count;
/// smaller ones are left to the noise. Arbitrary; chosen by simulation between 0 and none at all.
const BEYOND_CHANCE: f64 = 1.0;

/// The standard deviation assumed before any readings, with the weight of three of them.
const ASSUMED_DEVIATION: f64 = 0.015;

/// The factor from the median absolute deviation to the standard deviation of normal noise.
const NORMAL_SCALE: f64 = 1.4826;

/// The common shift of the points of a batch, given each point's deviation from its earlier level:
/// the smallest of these deviations if several agree in direction, by more than chance, otherwise
/// 0.
#[must_use]
pub fn share(deviations: &[f64], deviation: f64) -> f64 {
    let least = deviations.iter().copied().min_by(|a, b| a.abs().total_cmp(&b.abs()));
    let agree = deviations.iter().all(|d| *d > 0.0) || deviations.iter().all(|d| *d < 0.0);
    let chance = BEYOND_CHANCE * deviation;
    let is_certain = |share: &f64| agree && deviations.len() > 1 && share.abs() > chance;
    least.filter(is_certain).unwrap_or(0.0)
}

/// The standard deviation of an undisturbed run, from the runs of each point.
pub fn deviation(points: impl IntoIterator<Item = Vec<f64>>) -> f64 {
    let mut sizes = vec![ASSUMED_DEVIATION / NORMAL_SCALE; 3];
    for times in points.into_iter().filter(|times| times.len() > 1) {
        let centre = middle(times.clone());
        // The median has absorbed a part of the deviations from it.
        let lost = (times.len() as f64 / (times.len() - 1) as f64).sqrt();
        sizes.extend(times.iter().map(|time| (time - centre).abs() * lost));
    }
    NORMAL_SCALE * middle(sizes)
}

/// The mean of the undisturbed runs of a point, given the standard deviation of a run; None if
/// there are no runs.
#[must_use]
pub fn level(times: &[f64], deviation: f64) -> Option<f64> {
    let limit = times.iter().copied().min_by(f64::total_cmp)? + DISTURBED * deviation;
    let undisturbed: Vec<f64> = times.iter().copied().filter(|time| *time <= limit).collect();
    Some(undisturbed.iter().sum::<f64>() / undisturbed.len() as f64)
}
