//! Test for two modes in the readings of one variant.
//!
//! A program that is sometimes fast and sometimes slow has no typical time, and the reason (another
//! page layout, a migration to another core) is often worth more than the comparison. The dip test
//! (Hartigan and Hartigan, *Annals of Statistics* 13, 1985) checks if any distribution with one
//! mode fits; only if none does are the readings split in two.
//!
//! The test assumes independent readings. Autocorrelated readings, or a machine that changed for
//! good halfway, also give two modes; see [`crate::drift`].

mod table;

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

// The dip: the distance from the empirical distribution to the nearest one with one mode.
//
// Algorithm AS 217 (P. Hartigan, *Applied Statistics* 34, 1985), with the corrections of
// Maechler's R package `diptest`. A distribution with one mode is convex before the mode and
// concave after. So the greatest convex minorant of the empirical distribution function and its
// least concave majorant are drawn over an interval that must hold the mode, and cut the interval
// down at the place where they are furthest apart. The distance of the empirical function from
// them outside of the interval is the dip, once the inside can add nothing more.
//
// Heights are counted in readings, distances in halves of one.

/// The dip of ascending values: the least, over all distributions with one mode, of the largest
/// distance to the empirical distribution function. Between `1 / 2n` and 1/4. Ties are allowed.
#[must_use]
pub fn dip(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    let mut dip = 1.0_f64;
    if n > 1 && sorted[0] < sorted[n - 1] {
        let (before, after) = (convex_predecessors(sorted), concave_successors(sorted));
        let (mut low, mut high) = (0, n - 1);
        loop {
            let convex = chain(high, low, &before);
            let concave = chain(low, high, &after);
            let (apart, on_convex, on_concave) = furthest_apart(sorted, &convex, &concave);
            if apart < dip {
                break;
            }
            let left = convex[on_convex..].windows(2);
            let right = concave[on_concave..].windows(2);
            dip = left.fold(dip, |most, edge| most.max(above(sorted, edge[1], edge[0])));
            dip = right.fold(dip, |most, edge| most.max(beneath(sorted, edge[0], edge[1])));
            if (low, high) == (convex[on_convex], concave[on_concave]) {
                break;
            }
            (low, high) = (convex[on_convex], concave[on_concave]);
        }
    }
    0.5 * dip / n.max(1) as f64
}

/// For each value, the one before it on the greatest convex minorant of all up to it.
fn convex_predecessors(x: &[f64]) -> Vec<usize> {
    let mut before = vec![0; x.len()];
    for j in 1..x.len() {
        before[j] = j - 1;
        loop {
            let k = before[j];
            let m = before[k];
            if k == 0 || (x[j] - x[k]) * ((k - m) as f64) < (x[k] - x[m]) * ((j - k) as f64) {
                break;
            }
            before[j] = m;
        }
    }
    before
}

/// For each value, the one after it on the least concave majorant of all from it on.
fn concave_successors(x: &[f64]) -> Vec<usize> {
    let last = x.len() - 1;
    let mut after = vec![last; x.len()];
    for k in (0..last).rev() {
        after[k] = k + 1;
        loop {
            let j = after[k];
            let m = after[j];
            if j == last || (x[j] - x[k]) * ((m - j) as f64) < (x[m] - x[j]) * ((j - k) as f64) {
                break;
            }
            after[k] = m;
        }
    }
    after
}

/// The vertices met on following `links` from one value to another.
fn chain(from: usize, to: usize, links: &[usize]) -> Vec<usize> {
    let mut chain = vec![from];
    let mut at = from;
    while at != to {
        at = links[at];
        chain.push(at);
    }
    chain
}

/// The place where the two curves are furthest apart: the distance, and the vertex of either that
/// bounds the place. `convex` runs downwards, `concave` upwards, between the same two values.
fn furthest_apart(x: &[f64], convex: &[usize], concave: &[usize]) -> (f64, usize, usize) {
    let (mut on_convex, mut on_concave) = (convex.len() - 1, concave.len() - 1);
    if on_convex == 1 && on_concave == 1 {
        return (1.0, on_convex, on_concave);
    }
    let (mut i, mut j) = (on_convex - 1, 1);
    let mut most = 0.0;
    let line = |from: usize, to: usize, at: usize| {
        (x[at] - x[from]) * (to - from) as f64 / (x[to] - x[from])
    };
    loop {
        let (g, h) = (convex[i], concave[j]);
        if g > h {
            let start = convex[i + 1];
            let apart = (h + 1 - start) as f64 - line(start, g, h);
            if apart >= most {
                (most, on_convex, on_concave) = (apart, i + 1, j);
            }
            j += 1;
        } else {
            let start = concave[j - 1];
            let apart = line(start, h, g) - (g as f64 - start as f64 - 1.0);
            if apart >= most {
                (most, on_convex, on_concave) = (apart, i, j);
            }
            i = i.saturating_sub(1);
        }
        j = j.min(concave.len() - 1);
        if convex[i] == concave[j] {
            return (most, on_convex, on_concave);
        }
    }
}

/// The height of the steps above an edge of the convex minorant.
fn above(x: &[f64], from: usize, to: usize) -> f64 {
    largest_over(x, from, to, |k, line| (k - from + 1) as f64 - line)
}

/// The depth of the steps' feet beneath an edge of the concave majorant.
fn beneath(x: &[f64], from: usize, to: usize) -> f64 {
    largest_over(x, from, to, |k, line| line - (k as f64 - from as f64 - 1.0))
}

/// The largest `gap(k, height of the edge over from)`, at least 1.
fn largest_over(x: &[f64], from: usize, to: usize, gap: impl Fn(usize, f64) -> f64) -> f64 {
    if to - from <= 1 || x[from] == x[to] {
        return 1.0;
    }
    let slope = (to - from) as f64 / (x[to] - x[from]);
    (from..=to).fold(1.0, |most, k| most.max(gap(k, (x[k] - x[from]) * slope)))
}
