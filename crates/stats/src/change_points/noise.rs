//! The variation of a series where nothing changes: the spread at each point, the autocorrelation,
//! and the share of spikes.
//!
//! All are estimated from differences of close points, of which a step affects only one or two. The
//! squares of differences are clipped at three deviations, so that steps and spikes count no more
//! than a large ordinary difference.

use std::f64::consts::{FRAC_PI_2, SQRT_2};

use crate::order::middle;

/// The median of the size of a standard normal variable.
const NORMAL_MEDIAN: f64 = 0.674_489_750_196_081_7;

/// Squares are clipped at this many deviations; then their mean is this part of the variance under
/// normal noise: `2 Φ(3) - 1 - 6 φ(3) + 18 Φ(-3)`.
const CLIP: f64 = 3.0;
const CLIPPED_SQUARES: f64 = 0.995_003_8;

/// The approximate number of blocks of differences, each judged with its neighbours, and the limits
/// of their length. Arbitrary: short enough to notice that a part of a series is noisier, long
/// enough to show how noisy.
const BLOCKS: usize = 12;
const SHORTEST_BLOCK: usize = 8;
const LONGEST_BLOCK: usize = 32;

/// The largest autocorrelation: a larger one looks like drift.
const LONGEST_MEMORY: f64 = 0.95;

/// The variation of the points while the level stays.
#[derive(Debug, Clone)]
pub(super) struct Noise {
    /// The standard deviation at each point.
    pub(super) deviations: Vec<f64>,
    /// The correlation of neighbouring points.
    pub(super) memory: f64,
    /// The variance of the mean of many points, over that of independent ones.
    pub(super) inflation: f64,
    /// The share of points that lie far from their neighbours on both sides.
    pub(super) spikes: f64,
}

/// The treatment of autocorrelation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Memory {
    /// Points are independent.
    None,
    /// Autocorrelation is estimated from differences.
    Estimated,
}

/// The noise of `values`. `relative` are the deviations as far as known beforehand, up to a factor;
/// differences across `changes` do not count. `None` if no difference other than 0 is left.
pub(super) fn noise(
    values: &[f64],
    relative: Option<&[f64]>,
    changes: &[usize],
    memory: Memory,
) -> Option<Noise> {
    let relative_at = |i: usize| relative.map_or(1.0, |r| r[i]);
    let first = differences(values, relative, changes, 1);
    let variance = clipped_variance(&first)?;
    let memory = match memory {
        Memory::None => 0.0,
        Memory::Estimated => {
            let second = clipped_variance(&differences(values, relative, changes, 2));
            second.map_or(0.0, |second| on_the_safe_side(second / variance - 1.0, values.len()))
        }
    };
    let marginal = (1.0 / (1.0 - memory)).sqrt();
    // A point is never known better than its own samples show.
    let overall = variance.sqrt().max(if relative.is_some() { 1.0 } else { 0.0 });
    let local = local_deviations(&first, overall);
    let at = |i: usize| relative_at(i) * marginal * local[i * local.len() / values.len()];
    let deviations: Vec<f64> = (0..values.len()).map(at).collect();
    let spikes = spike_share(values, &deviations);
    Some(Noise { deviations, memory, inflation: (1.0 + memory) / (1.0 - memory), spikes })
}

/// The variance that belongs to these sizes, most of them of one kind. NaN does not count. `None`
/// if there are none, or half of them or more are 0.
pub(super) fn typical_variance(sizes: &[f64]) -> Option<f64> {
    let sizes: Vec<f64> = sizes.iter().copied().filter(|size| !size.is_nan()).collect();
    let count = sizes.len() as f64;
    let typical = if sizes.is_empty() { 0.0 } else { middle(sizes.clone()) / NORMAL_MEDIAN };
    let clip = (CLIP * typical).powi(2);
    let sum: f64 = sizes.iter().map(|size| (size * size).min(clip)).sum();
    (typical > 0.0).then(|| sum / count / CLIPPED_SQUARES)
}

/// The same, also for sizes most of which are 0. `None` if all are.
pub(super) fn clipped_variance(sizes: &[f64]) -> Option<f64> {
    if let Some(variance) = typical_variance(sizes) {
        return Some(variance);
    }
    let count = sizes.iter().filter(|size| !size.is_nan()).count();
    // Most points equal their neighbours: the readings are exact, or a clock is coarse.
    let mut some: Vec<f64> = sizes.iter().copied().filter(|size| *size > 0.0).collect();
    let share = some.len() as f64 / count as f64;
    some.sort_unstable_by(f64::total_cmp);
    // The lower quartile: steps and spikes are larger than a tick of the clock.
    some.get(some.len() / 4).map(|tick| tick * tick * share)
}

/// The sizes of differences of points `lag` apart, over their known deviation; NaN if a change
/// lies, or may lie, between them.
fn differences(
    values: &[f64],
    relative: Option<&[f64]>,
    changes: &[usize],
    lag: usize,
) -> Vec<f64> {
    let relative_at = |i: usize| relative.map_or(1.0, |r| r[i]);
    let pair = |i: usize| relative_at(i).hypot(relative_at(i + lag));
    let size = |i: usize| (values[i + lag] - values[i]).abs() / pair(i);
    let mut sizes: Vec<f64> = (0..values.len().saturating_sub(lag)).map(size).collect();
    for &change in changes {
        let last = (change + 1).min(sizes.len());
        sizes[(change.saturating_sub(lag + 1)).min(last)..last].fill(f64::NAN);
    }
    sizes
}

/// The autocorrelation raised by its uncertainty, but by no more than half of itself, so that
/// independent readings are not charged for it. Its standard error is about `1 / √n`.
fn on_the_safe_side(memory: f64, points: usize) -> f64 {
    let memory = memory.max(0.0);
    (memory + (0.5 * memory).min(1.0 / (points as f64).sqrt())).min(LONGEST_MEMORY)
}

/// The deviation in each block: the overall one, or that of the block or one of its neighbours,
/// each judged with its own neighbours, if clearly larger.
fn local_deviations(sizes: &[f64], overall: f64) -> Vec<f64> {
    let block = (sizes.len() / BLOCKS).clamp(SHORTEST_BLOCK, LONGEST_BLOCK);
    let count = sizes.len().div_ceil(block);
    let bound = |block: usize| block * sizes.len() / count;
    let spread = |block: usize| {
        let window = &sizes[bound(block.saturating_sub(1))..bound((block + 2).min(count))];
        let deviation = typical_variance(window).map_or(0.0, f64::sqrt);
        // Three standard errors of a deviation from overlapping differences.
        let clearly = 1.0 + 3.0 * (0.75 / window.len() as f64).sqrt();
        if deviation > clearly * overall { deviation } else { overall }
    };
    let spreads: Vec<f64> = (0..count).map(spread).collect();
    let around = |i: usize| &spreads[i.saturating_sub(1)..(i + 2).min(count)];
    (0..count).map(|i| around(i).iter().copied().fold(overall, f64::max)).collect()
}

/// The share of points far from the median of themselves and their two neighbours on each side. One
/// such point is tolerated.
fn spike_share(values: &[f64], deviations: &[f64]) -> f64 {
    let far = values.windows(5).zip(&deviations[2.min(deviations.len())..]).filter(
        |(window, deviation)| {
            let mut five = [window[0], window[1], window[2], window[3], window[4]];
            five.sort_unstable_by(f64::total_cmp);
            (window[2] - five[2]).abs() > CLIP * **deviation
        },
    );
    far.count().saturating_sub(1) as f64 / values.len() as f64
}

/// The deviation of each point's median up to a common factor, from the variation of its samples
/// and the further variation between points. `None` if the samples do not show it, or all points
/// have the same number of samples.
pub(super) fn relative_deviations(series: &[f64], samples: &[&[f64]]) -> Option<Vec<f64>> {
    let (mut squares, mut free) = (0.0, 0_usize);
    for (point, centre) in samples.iter().zip(series) {
        squares += point.iter().map(|value| (value - centre).powi(2)).sum::<f64>();
        free += point.len() - 1;
    }
    let unequal = samples.windows(2).any(|pair| pair[0].len() != pair[1].len());
    if free == 0 || !unequal {
        return None;
    }
    let within = squares / free as f64;
    // Under normal noise the median of many has π / 2 times the variance of the mean.
    let of_median = |point: &[f64]| {
        let n = point.len() as f64;
        within / n * if point.len() > 2 { FRAC_PI_2 } else { 1.0 }
    };
    let differences: Vec<f64> =
        series.windows(2).map(|pair| (pair[1] - pair[0]).abs() / SQRT_2).collect();
    let total = clipped_variance(&differences)?;
    let mean_within =
        samples.iter().map(|point| of_median(point)).sum::<f64>() / samples.len() as f64;
    let between = (total - mean_within).max(0.0);
    let all: Vec<f64> = samples.iter().map(|point| (between + of_median(point)).sqrt()).collect();
    all.iter().all(|deviation| *deviation > 0.0).then_some(all)
}
