//! Few runs of many points, taken in batches between which the machine may have changed.
//!
//! All numbers are logarithms of times.

use crate::order::middle;

/// Runs of a point slower than its fastest by more than so many standard deviations are
/// disturbed; they do not count for its level. Arbitrary; at 3, one in 30 undisturbed pairs has one.
const DISTURBED: f64 = 3.0;

/// A batch's share counts when every deviation is larger than so many standard deviations. What is
/// smaller is left to the noise. Arbitrary; chosen by simulation between 0 and none at all.
const BEYOND_CHANCE: f64 = 1.0;

/// A standard deviation that is assumed before anything is known, as the weight of three readings.
const ASSUMED_DEVIATION: f64 = 0.015;

/// What makes the median absolute deviation a standard deviation of normal noise.
const NORMAL_SCALE: f64 = 1.4826;

/// What the points of a batch have in common in it, given how far each is from what it was before: the
/// smallest of these deviations where several go the same way, by more than chance, and else nothing.
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
        // What the middle itself has taken away of the deviations from it.
        let lost = (times.len() as f64 / (times.len() - 1) as f64).sqrt();
        sizes.extend(times.iter().map(|time| (time - centre).abs() * lost));
    }
    NORMAL_SCALE * middle(sizes)
}

/// The mean of the undisturbed runs of a point, where a run has such a standard deviation; none where
/// there is no run.
#[must_use]
pub fn level(times: &[f64], deviation: f64) -> Option<f64> {
    let limit = times.iter().copied().min_by(f64::total_cmp)? + DISTURBED * deviation;
    let undisturbed: Vec<f64> = times.iter().copied().filter(|time| *time <= limit).collect();
    Some(undisturbed.iter().sum::<f64>() / undisturbed.len() as f64)
}
