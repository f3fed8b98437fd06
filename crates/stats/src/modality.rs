//! Test for two modes in the readings of one variant.
//!
//! A program that is sometimes fast and sometimes slow has no typical time, and the reason (another
//! page layout, a migration to another core) is often worth more than the comparison. The dip test
//! (Hartigan and Hartigan, *Annals of Statistics* 13, 1985) checks if any distribution with one
//! mode fits; only if none does are the readings split in two.
//!
//! The test assumes independent readings. Autocorrelated readings, or a machine that changed for
//! good halfway, also give two modes; see [`crate::drift`].

mod dip;
mod table;

pub use dip::dip;
pub use table::p_value as dip_p_value;

use crate::mann_whitney;
use crate::order::{median, sorted};

/// The p-value of one mode below which two modes are reported.
const LEVEL: f64 = 0.01;

/// The least share of the readings in a mode; fewer are outliers.
const LEAST_SHARE: f64 = 0.05;

/// The minimum number of readings that can show two modes.
const FEWEST_READINGS: usize = 10;

/// One of two modes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// The median of its readings, in their unit.
    pub median: f64,
    /// Its share of the readings, between 0.05 and 0.95.
    pub share: f64,
}

/// The number of modes of the readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Modality {
    /// There are too few readings, or too many equal ones, so that the modes may come from the
    /// instrument's resolution and not the program.
    Undetermined,
    /// One mode fits.
    Unimodal {
        /// The p-value of the dip test; not resolved below 0.001.
        p_value: f64,
    },
    /// No distribution with one mode fits.
    Bimodal {
        /// The p-value of the dip test; 0.001 stands for that or less.
        p_value: f64,
        /// The lower mode.
        low: Mode,
        /// The upper mode.
        high: Mode,
        /// Readings up to this one belong to the lower mode.
        split: f64,
    },
}

/// The modality of `values`, in any order.
///
/// Ties: rounding to a grid moves the empirical distribution by less than the share of the most
/// frequent value, and the dip no further than the distribution. Two modes are reported only if
/// they remain when the dip is lowered by that much; if only that removes them, the result is
/// [`Modality::Undetermined`].
#[must_use]
pub fn modality(values: &[f64]) -> Modality {
    if values.len() < FEWEST_READINGS || !values.iter().all(|v| v.is_finite()) {
        return Modality::Undetermined;
    }
    let sorted = sorted(values);
    let dip = dip(&sorted);
    let n = sorted.len();
    let p_value = table::p_value(n, dip);
    if p_value >= LEVEL {
        return Modality::Unimodal { p_value };
    }
    let most_equal = sorted.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or(1);
    let from_ties = (most_equal - 1) as f64 / n as f64;
    if table::p_value(n, dip - from_ties) >= LEVEL {
        return Modality::Undetermined;
    }
    let Some(cut) = best_split(&sorted) else {
        return Modality::Undetermined;
    };
    let (lower, upper) = sorted.split_at(cut);
    let mode = |part: &[f64]| Mode { median: median(part), share: part.len() as f64 / n as f64 };
    Modality::Bimodal { p_value, low: mode(lower), high: mode(upper), split: lower[cut - 1] }
}

/// The separation of the modes by another reading (page faults, waiting): the probability that one
/// from a run of the high mode exceeds one from a run of the low mode. 0.5 explains nothing, 0 or 1
/// everything. None if either is empty.
#[must_use]
pub fn separation(in_low: &[f64], in_high: &[f64]) -> Option<f64> {
    mann_whitney::superiority(in_low, in_high)
}

/// The index at which to cut ascending values so that the squares within both parts are least
/// (Otsu, *IEEE Transactions on Systems, Man, and Cybernetics* 9, 1979), each part holding its
/// least share and equal values staying together. None if no cut does.
fn best_split(sorted: &[f64]) -> Option<usize> {
    let n = sorted.len();
    let least = ((LEAST_SHARE * n as f64).ceil() as usize).max(1);
    let centre = median(sorted);
    let total: f64 = sorted.iter().map(|v| v - centre).sum();
    let mut below = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for cut in 1..n {
        below += sorted[cut - 1] - centre;
        if cut < least || n - cut < least || sorted[cut - 1] == sorted[cut] {
            continue;
        }
        let above = total - below;
        let between = below * below / cut as f64 + above * above / (n - cut) as f64;
        if best.is_none_or(|(most, _)| between > most) {
            best = Some((between, cut));
        }
    }
    best.map(|(_, cut)| cut)
}
