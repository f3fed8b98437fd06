//! The floor of a program's memory: the samples without the start-up and without memory that is
//! released again.

use crate::order::{median, quantile, sorted};

use super::line;

/// The longest start-up, as a fraction of the run: a longer rise is examined. Arbitrary.
const LONGEST_START: f64 = 0.25;

/// The least fall of a sawtooth, as a fraction of the range of the samples about their line.
/// Arbitrary; a half would miss the lower of two kinds of teeth, a tenth finds noise.
const LEAST_FALL: f64 = 0.3;

/// The fraction of samples at either end that the range leaves out: one tooth in many may be
/// several times as high as the others.
const TAIL: f64 = 0.05;

/// The maximum number of points of the floor: more make the autocorrelation of its residuals harder
/// to see.
const MOST_POINTS: usize = 32;

/// The minimum number of samples in a group, if that leaves [`FEWEST_POINTS`] groups.
const LEAST_GROUP: usize = 4;

/// The minimum number of points of the floor.
const FEWEST_POINTS: usize = 5;

/// The memory that remains.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Floor {
    pub(super) times: Vec<f64>,
    pub(super) values: Vec<f64>,
}

/// The candidates for the floor of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Floors {
    /// At least one floor.
    pub(super) floors: Vec<Floor>,
    /// The number of sawtooth-like falls.
    pub(super) falls: usize,
}

/// The first sample after the start-up: the first that is as high as the minimum of the second
/// half, but within the first quarter of the run and the first half of the samples.
pub(super) fn end_of_start(times: &[f64], values: &[f64]) -> usize {
    let (first, last) = (times[0], times[times.len() - 1]);
    let at = |share: f64| times.partition_point(|time| *time < first + share * (last - first));
    let half = at(0.5).min(times.len() - 1);
    let least = values[half..].iter().copied().fold(f64::INFINITY, f64::min);
    let reached = values.iter().position(|value| *value >= least).unwrap_or(0);
    reached.min(at(LONGEST_START)).min(times.len() / 2)
}

/// The candidate floors of the samples: the bottoms of the teeth, the bottoms among these if full
/// collections alternate with partial ones, and the minima of stretches of equal length.
pub(super) fn floors(times: &[f64], values: &[f64]) -> Floors {
    let groups = (values.len() / LEAST_GROUP).clamp(FEWEST_POINTS, MOST_POINTS);
    let mut floors = vec![least_of_stretches(times, values, groups)];
    let mut samples = bottoms(times, values);
    let falls = samples.len();
    while samples.len() >= FEWEST_POINTS {
        let groups = samples.len().min(MOST_POINTS);
        floors.push(least_of_groups(times, values, &samples, groups));
        let of = |all: &[f64]| -> Vec<f64> { samples.iter().map(|&index| all[index]).collect() };
        let lower = bottoms(&of(times), &of(values));
        samples = lower.into_iter().map(|index| samples[index]).collect();
    }
    Floors { floors, falls }
}

/// The minimum of each of `stretches` stretches of time that contains samples, since samples may be
/// denser at the beginning of a run. If that leaves too few, the minima of as many groups.
fn least_of_stretches(times: &[f64], values: &[f64], stretches: usize) -> Floor {
    let (first, last) = (times[0], times[times.len() - 1]);
    let stretch = |index: &usize| {
        let place = (times[*index] - first) * stretches as f64 / (last - first);
        (place as usize).min(stretches - 1)
    };
    let all: Vec<usize> = (0..values.len()).collect();
    let groups = all.chunk_by(|a, b| stretch(a) == stretch(b));
    let compare = |a: &&usize, b: &&usize| values[**a].total_cmp(&values[**b]);
    let chosen: Vec<usize> =
        groups.filter_map(|group| group.iter().min_by(compare).copied()).collect();
    if chosen.len() < FEWEST_POINTS {
        return least_of_groups(times, values, &all, stretches);
    }
    floor_of(times, values, &chosen)
}

/// The minimum of each of `groups` groups of consecutive `samples`.
fn least_of_groups(times: &[f64], values: &[f64], samples: &[usize], groups: usize) -> Floor {
    let least = |group: usize| {
        let bounds = group * samples.len() / groups..(group + 1) * samples.len() / groups;
        let compare = |a: &&usize, b: &&usize| values[**a].total_cmp(&values[**b]);
        *samples[bounds].iter().min_by(compare).expect("no more groups than samples")
    };
    let chosen: Vec<usize> = (0..groups).map(least).collect();
    floor_of(times, values, &chosen)
}

fn floor_of(times: &[f64], values: &[f64], chosen: &[usize]) -> Floor {
    Floor {
        times: chosen.iter().map(|&index| times[index]).collect(),
        values: chosen.iter().map(|&index| values[index]).collect(),
    }
}

/// The samples at the bottoms of the teeth: each after a fall and before a rise of at least
/// [`LEAST_FALL`] of the range about the line through all samples. Empty if memory is never
/// released, as on stairs.
fn bottoms(times: &[f64], values: &[f64]) -> Vec<usize> {
    let residuals = line::residuals(times, values);
    let ordered = sorted(&residuals);
    let range = quantile(&ordered, 1.0 - TAIL) - quantile(&ordered, TAIL);
    let least = LEAST_FALL * range;
    if least <= f64::EPSILON * median(&sorted(values)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut top, mut bottom) = (0, 0);
    let mut is_falling = false;
    for (index, &residual) in residuals.iter().enumerate() {
        if is_falling {
            if residual < residuals[bottom] {
                bottom = index;
            } else if residual - residuals[bottom] >= least {
                if values[top] - values[bottom] >= 0.5 * least {
                    found.push(bottom);
                }
                (is_falling, top) = (false, index);
            }
        } else if residual > residuals[top] {
            top = index;
        } else if residuals[top] - residual >= least {
            (is_falling, bottom) = (true, index);
        }
    }
    found
}
