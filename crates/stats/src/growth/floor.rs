//! What remains of a program's memory: the samples without start-up and without what is given back.

use crate::order::{median, quantile, sorted};

use super::line;

/// The start-up takes at most this part of the run: what rises for longer is looked into. Arbitrary.
const LONGEST_START: f64 = 0.25;

/// A fall is a tooth's when it takes back this part of the range that the samples have about their
/// line. Arbitrary; a half would miss the lower of two kinds of teeth, a tenth finds noise.
const LEAST_FALL: f64 = 0.3;

/// The range is that of the samples without so many of them at either end: one tooth in many may be
/// several times as high as the others.
const TAIL: f64 = 0.05;

/// The floor has at most so many points: more make the memory of its residuals harder to see.
const MOST_POINTS: usize = 32;

/// A group of samples has at least so many, where that leaves [`FEWEST_POINTS`] of them.
const LEAST_GROUP: usize = 4;

/// The floor has at least so many points.
const FEWEST_POINTS: usize = 5;

/// What remains.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Floor {
    pub(super) times: Vec<f64>,
    pub(super) values: Vec<f64>,
}

/// What may be the floor of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Floors {
    /// At least one.
    pub(super) floors: Vec<Floor>,
    /// How often memory fell as the teeth of a saw do.
    pub(super) falls: usize,
}

/// The first sample after the start-up: the first that is as high as the least of the second half,
/// but within the first quarter of the run and the first half of the samples.
pub(super) fn end_of_start(times: &[f64], values: &[f64]) -> usize {
    let (first, last) = (times[0], times[times.len() - 1]);
    let at = |share: f64| times.partition_point(|time| *time < first + share * (last - first));
    let half = at(0.5).min(times.len() - 1);
    let least = values[half..].iter().copied().fold(f64::INFINITY, f64::min);
    let reached = values.iter().position(|value| *value >= least).unwrap_or(0);
    reached.min(at(LONGEST_START)).min(times.len() / 2)
}

/// The floors that the samples may have: the bottoms of the teeth, the bottoms among these where
/// collections of all memory come between lesser ones, and the least of stretches of equal length.
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

/// Of as many stretches of time the least sample of each, as far as there are samples in it: at the
/// beginning of a run they may be denser. Of as many groups where that leaves too few.
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

/// Of each of as many groups of consecutive `samples`, the least one.
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
/// [`LEAST_FALL`] of the range about the line through all samples. Where memory is never given back,
/// as on stairs, there are none.
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
