//! The two regimes of a benchmark, and the differences between them.
//!
//! If [`crate::modality`] finds that no distribution with one mode fits, the values are cut at the
//! antimode, where fewest of them lie between the two modes. Each other reading of the same runs is
//! then tested for how well it separates the regimes ([`crate::roc`]): a benchmark whose slow runs
//! all have 32 page faults per iteration, and whose fast runs have none, has given away its secret.

use crate::family;
use crate::kuiper::{self, Arc};
use crate::modality::{Modality, Mode, modality};
use crate::order::{median, robust_deviation, sorted};
use crate::roc::{self, Area};

/// Two regimes.
#[derive(Debug, Clone, PartialEq)]
pub struct Regimes {
    /// The lower one.
    pub low: Mode,
    /// The upper one.
    pub high: Mode,
    /// Values up to this one belong to the lower regime.
    pub split: f64,
    /// For each value, in the given order: true if it belongs to the upper regime.
    pub in_high: Vec<bool>,
    /// The p-value of the dip test, for "one mode".
    pub p_value: f64,
}

/// The relation of a reading to a grouping of runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Companion {
    /// The index of the reading.
    pub reading: usize,
    /// The separation of the groups by the reading; the p-value is corrected for all tested
    /// readings (Holm).
    pub area: Area,
    /// Its median in the first group: the lower regime.
    pub in_low: f64,
    /// Its median in the second group: the upper regime.
    pub in_high: f64,
}

/// The regimes of `values`, in any order; None if one mode fits or nothing can be concluded,
/// according to [`modality`].
#[must_use]
pub fn regimes(values: &[f64]) -> Option<Regimes> {
    let Modality::Bimodal { p_value, low, high, split } = modality(values) else {
        return None;
    };
    let sorted = sorted(values);
    let cut = antimode(&sorted, &low, &high, split);
    let (lower, upper) = sorted.split_at(cut);
    let mode = |part: &[f64]| Mode {
        median: median(part),
        share: part.len() as f64 / sorted.len() as f64,
    };
    let split = lower[cut - 1];
    let in_high = values.iter().map(|&value| value > split).collect();
    Some(Regimes { low: mode(lower), high: mode(upper), split, in_high, p_value })
}

/// True if a factor accounts for most of the distance between two regimes, given by their medians:
/// on the log scale it is within half of that distance of it.
#[must_use]
pub fn is_most_of(factor: f64, low: f64, high: f64) -> bool {
    let apart = (high / low).ln();
    (factor.ln().abs() - apart).abs() < 0.5 * apart
}

/// The index at which to cut ascending values: the gap between two neighbours where the density,
/// estimated with a normal kernel, is least; of equal gaps, the widest.
///
/// The kernel's width is Silverman's (*Density Estimation*, 1986, equation 3.31), for the narrower
/// of the two modes.
fn antimode(sorted: &[f64], low: &Mode, high: &Mode, split: f64) -> usize {
    let from = sorted.partition_point(|&value| value < low.median);
    let until = sorted.partition_point(|&value| value <= high.median);
    let first_cut = sorted.partition_point(|&value| value <= split);
    let width = kernel_width(&sorted[..first_cut]).min(kernel_width(&sorted[first_cut..]));
    let density = |at: f64| -> f64 {
        sorted.iter().map(|value| (-0.5 * ((value - at) / width).powi(2)).exp()).sum()
    };
    let mut best: Option<(f64, f64, usize)> = None;
    for cut in from + 1..until {
        let gap = sorted[cut] - sorted[cut - 1];
        if gap == 0.0 {
            continue;
        }
        let here = density(sorted[cut - 1] + 0.5 * gap);
        let better =
            |(least, widest, _): (f64, f64, usize)| here < least || (here == least && gap > widest);
        if best.is_none_or(better) {
            best = Some((here, gap, cut));
        }
    }
    best.map_or(first_cut, |(_, _, cut)| cut)
}

fn kernel_width(part: &[f64]) -> f64 {
    let centre = median(part);
    let width = 0.9 * robust_deviation(part, centre) * (part.len() as f64).powf(-0.2);
    // Equal values have no spread, and a kernel needs a width.
    width.max(f64::EPSILON * centre.abs()).max(f64::MIN_POSITIVE)
}

/// The relation of positions on a circle to a grouping of the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Around {
    /// The index of the set of positions.
    pub places: usize,
    /// The arc that best separates the groups; the p-value is corrected for all tested sets (Holm).
    pub arc: Arc,
}

/// The relation of each of `places` to a grouping of the runs, as [`companions`] gives it for
/// readings; strongest first.
#[must_use]
pub fn around(in_high: &[bool], places: &[Vec<Option<f64>>]) -> Vec<Around> {
    let one = |(number, all): (usize, &Vec<Option<f64>>)| {
        if all.len() != in_high.len() {
            return None;
        }
        let group = |wanted: bool| -> Vec<f64> {
            let runs = in_high.iter().zip(all).filter(|(high, _)| **high == wanted);
            runs.filter_map(|(_, place)| *place).collect()
        };
        Some(Around { places: number, arc: kuiper::arc(&group(false), &group(true))? })
    };
    let mut found: Vec<Around> = places.iter().enumerate().filter_map(one).collect();
    let raw: Vec<f64> = found.iter().map(|one| one.arc.p_value).collect();
    for (one, p_value) in found.iter_mut().zip(family::holm(&raw)) {
        one.arc.p_value = p_value;
    }
    found.sort_by(|a, b| b.arc.strength.total_cmp(&a.arc.strength));
    found
}

/// The relation of each of `readings` to a grouping of the runs, strongest first: by how well it
/// separates the groups, then by index. `in_high[r]` is the group of run `r`, and `readings[k][r]`
/// its reading `k`, None if missing; such runs are left out.
///
/// Readings are left out if their number differs from that of the runs, one is not finite, or one
/// of the groups has none.
#[must_use]
pub fn companions(in_high: &[bool], readings: &[Vec<Option<f64>>]) -> Vec<Companion> {
    let one = |(reading, values): (usize, &Vec<Option<f64>>)| {
        if values.len() != in_high.len() {
            return None;
        }
        let group = |wanted: bool| -> Vec<f64> {
            let runs = in_high.iter().zip(values).filter(|(high, _)| **high == wanted);
            runs.filter_map(|(_, value)| *value).collect()
        };
        let (first, second) = (group(false), group(true));
        let area = roc::area(&first, &second)?;
        let (in_low, in_high) = (median(&sorted(&first)), median(&sorted(&second)));
        Some(Companion { reading, area, in_low, in_high })
    };
    let mut found: Vec<Companion> = readings.iter().enumerate().filter_map(one).collect();
    let raw: Vec<f64> = found.iter().map(|companion| companion.area.p_value).collect();
    for (companion, p_value) in found.iter_mut().zip(family::holm(&raw)) {
        companion.area.p_value = p_value;
    }
    found.sort_by(|a, b| b.area.strength().total_cmp(&a.area.strength()));
    found
}
