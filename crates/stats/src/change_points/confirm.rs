//! Checks each change again, against the noise around it.
//!
//! The partition takes the noise of a stretch as known. Where a series suddenly becomes noisier,
//! the first noisy points look like separate levels. So a change must also stand out from the
//! observed variation of its neighbourhood; changes that do not are taken back, the weakest first.

use std::ops::Range;

use super::level::Level;
use super::noise::{Noise, typical_variance};
use super::trend::Stretch;

/// The number of points on either side of a change that show the noise around it. Arbitrary: a
/// third of the window in which the noise was estimated before.
const NEAR: usize = 24;

/// The confirmed changes and levels.
pub(super) struct Confirmed {
    /// The confirmed changes.
    pub(super) changes: Vec<usize>,
    /// The levels of the segments, one more than there are changes.
    pub(super) levels: Vec<Level>,
}

/// Takes back changes whose strength is below `least`: the squared difference of two levels over
/// the variance of that difference.
pub(super) fn confirm(
    values: &[f64],
    noise: &Noise,
    mut changes: Vec<usize>,
    least: f64,
) -> Confirmed {
    loop {
        let levels = levels(values, noise, &changes);
        let strengths = strengths(values, noise, &changes, &levels);
        let kept: Vec<usize> = (0..changes.len())
            .filter(|&i| !is_weakest_around(&strengths, i, least))
            .map(|i| changes[i])
            .collect();
        if kept.len() == changes.len() {
            return Confirmed { changes, levels };
        }
        changes = kept;
    }
}

/// True if change `i` fails, and no neighbour fails worse. Of equally weak neighbours, the first is
/// removed.
fn is_weakest_around(strengths: &[f64], i: usize, least: f64) -> bool {
    let own = strengths[i];
    let worse_before = i > 0 && strengths[i - 1] <= own;
    let worse_after = strengths.get(i + 1).is_some_and(|&after| after < own);
    own < least && !worse_before && !worse_after
}

fn levels(values: &[f64], noise: &Noise, changes: &[usize]) -> Vec<Level> {
    let end = |i: usize| changes.get(i).copied().unwrap_or(values.len());
    let start = |i: usize| if i == 0 { 0 } else { changes[i - 1] };
    (0..=changes.len()).map(|i| Level::from_range(values, noise, start(i), end(i))).collect()
}

fn strengths(values: &[f64], noise: &Noise, changes: &[usize], levels: &[Level]) -> Vec<f64> {
    let segment_at = |point: usize| changes.partition_point(|&start| start <= point);
    let residual = |point: usize| {
        (values[point] - levels[segment_at(point)].centre).abs() / noise.deviations[point]
    };
    let strength = |i: usize| {
        let (before, after) = (levels[i], levels[i + 1]);
        let (left, right) = sides(changes[i], values.len());
        let variance = before.variance * excess(left.map(residual))
            + after.variance * excess(right.map(residual));
        (after.centre - before.centre).powi(2) / (variance * noise.inflation)
    };
    (0..changes.len()).map(strength).collect()
}

/// The points near a change, before and after it.
fn sides(change: usize, points: usize) -> (Range<usize>, Range<usize>) {
    (change.saturating_sub(NEAR)..change, change..(change + NEAR).min(points))
}

/// The variance of residuals over the assumed one; at least 1. Residuals are in deviations.
fn excess(residuals: impl Iterator<Item = f64>) -> f64 {
    let residuals: Vec<f64> = residuals.collect();
    typical_variance(&residuals).unwrap_or(1.0).max(1.0)
}

/// The strength of the step between two stretches.
pub(super) fn strength_between(values: &[f64], noise: &Noise, pair: &[Stretch]) -> f64 {
    let (left, right) = sides(pair[1].start, values.len());
    let of = |stretch: &Stretch, near: Range<usize>| {
        let inside = near.start.max(stretch.start)..near.end.min(stretch.end);
        let residual = |i: usize| (values[i] - stretch.at(i)).abs() / noise.deviations[i];
        stretch.variance * excess(inside.map(residual))
    };
    let variance = of(&pair[0], left) + of(&pair[1], right);
    (pair[1].first - pair[0].last).powi(2) / (variance * noise.inflation)
}
