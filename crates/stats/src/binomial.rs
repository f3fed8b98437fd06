//! The number of heads in tosses: the basis of the sign test and of the intervals of medians and
//! other quantiles.

use crate::beta::regularised;

/// The number of tosses beyond which `2^-n` underflows, and the incomplete beta function is used.
const MOST_SUMMED: u64 = 1000;

/// The probability of at most `heads` heads in `tosses` fair tosses. Exact up to rounding for at
/// most 1000 tosses; the relative error is about 1e-9 at 100 000.
#[must_use]
pub fn at_most(tosses: u64, heads: u64) -> f64 {
    if heads >= tosses {
        return 1.0;
    }
    if tosses > MOST_SUMMED {
        return regularised((tosses - heads) as f64, heads as f64 + 1.0, 0.5, 0.5);
    }
    let mut term = 0.5_f64.powi(tosses as i32);
    let mut sum = term;
    for head in 0..heads {
        term *= (tosses - head) as f64 / (head + 1) as f64;
        sum += term;
    }
    sum
}

/// The probability of at most `heads` heads in `tosses` tosses of a coin that shows them with
/// probability `p`, above 0 and below 1. The relative error is about 1e-9 at 100 000.
pub(crate) fn at_most_of(tosses: usize, heads: usize, p: f64) -> f64 {
    match heads {
        _ if heads >= tosses => 1.0,
        // The incomplete beta function for this case, without its rounding.
        0 => (tosses as f64 * (-p).ln_1p()).exp(),
        _ => regularised((tosses - heads) as f64, heads as f64 + 1.0, 1.0 - p, p),
    }
}

/// The rank `k` (from 1) for which the k-th smallest and the k-th largest of `n` values enclose the
/// median with probability at least `1 - alpha`, for any distribution; the largest such rank. None
/// if even the extremes do not: `n` values allow no `alpha` below `2^(1-n)`.
#[must_use]
pub fn interval_rank(n: usize, alpha: f64) -> Option<usize> {
    let allowed = |rank: u64| at_most(n as u64, rank - 1) <= 0.5 * alpha;
    if n == 0 || !allowed(1) {
        return None;
    }
    let (mut inside, mut outside) = (1, (n as u64).div_ceil(2) + 1);
    while outside - inside > 1 {
        let middle = u64::midpoint(inside, outside);
        if allowed(middle) { inside = middle } else { outside = middle }
    }
    Some(inside as usize)
}
