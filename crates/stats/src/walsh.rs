//! Walsh averages, the means of all pairs `i <= j` of a sample: the signed-rank statistic is the
//! number of them that exceed a point, and the Hodges–Lehmann estimate is their median.

use crate::order::midpoint;
use crate::selection::{self, Standing};

/// The number of Walsh averages of `n` values.
pub(crate) fn count(n: usize) -> u64 {
    let n = n as u64;
    n * (n + 1) / 2
}

/// The `rank`-th smallest (from 1) Walsh average of ascending values, exactly.
pub(crate) fn select(sorted: &[f64], rank: u64) -> f64 {
    selection::select(rank, count(sorted.len()), ends(sorted), |x| standing(sorted, x))
}

/// The median of the Walsh averages: the pseudo-median of Hodges and Lehmann
/// (*Annals of Mathematical Statistics* 34, 1963).
pub(crate) fn pseudo_median(sorted: &[f64]) -> f64 {
    selection::median(count(sorted.len()), ends(sorted), |x| standing(sorted, x))
}

fn ends(sorted: &[f64]) -> (f64, f64) {
    (sorted[0], sorted[sorted.len() - 1])
}

/// One pass: as the smaller of a pair grows, the larger can only shrink.
fn standing(sorted: &[f64], x: f64) -> Standing {
    let mut end = sorted.len();
    let mut at_most = 0;
    let mut next = f64::INFINITY;
    for (i, &low) in sorted.iter().enumerate() {
        while end > i && midpoint(low, sorted[end - 1]) > x {
            end -= 1;
        }
        if let Some(&beyond) = sorted.get(end.max(i)) {
            next = next.min(midpoint(low, beyond));
        }
        if end <= i {
            break;
        }
        at_most += (end - i) as u64;
    }
    Standing { at_most, next }
}
