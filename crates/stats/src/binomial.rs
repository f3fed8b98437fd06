//! The number of heads in tosses: the basis of the sign test, of the intervals of medians and other
//! quantiles, and of that of a probability estimated from a frequency.

use crate::beta::regularised;
use crate::order::{boundary, largest_allowed};

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
    let n = n as u64;
    let rank = largest_allowed(n.div_ceil(2), |rank| at_most(n, rank - 1) <= 0.5 * alpha)?;
    Some(rank as usize)
}

/// The interval that holds the probability of an event with probability at least `1 - alpha`, if it
/// happened in `found` of `of` independent trials. None if there are no trials, or more events than
/// trials.
///
/// Exact (Clopper and Pearson, *Biometrika* 26, 1934), and therefore wider than necessary for most
/// probabilities. Dependent trials make it too narrow.
#[must_use]
pub fn proportion_interval(found: u64, of: u64, alpha: f64) -> Option<(f64, f64)> {
    if of == 0 || found > of {
        return None;
    }
    let (k, n) = (found as f64, of as f64);
    // P(X >= k) grows with p and P(X <= k) falls; both are incomplete beta functions of p.
    let low = if found == 0 {
        0.0
    } else {
        boundary(0.0, 1.0, |p| regularised(k, n - k + 1.0, p, 1.0 - p) < 0.5 * alpha).0
    };
    let high = if found == of {
        1.0
    } else {
        boundary(0.0, 1.0, |p| regularised(n - k, k + 1.0, 1.0 - p, p) > 0.5 * alpha).0
    };
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tests/reference/proportion.py` computes the table by sums of exact fractions.
    #[test]
    fn intervals_agree_with_sums_of_exact_fractions() {
        let table = include_str!("../tests/reference/proportion.csv");
        let mut lines = 0;
        for line in table.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |cell: usize| cells[cell].parse::<f64>().expect("a number");
            let count = |cell: usize| cells[cell].parse().expect("a count");
            let (low, high) =
                proportion_interval(count(0), count(1), number(2)).expect("there are trials");
            assert!((low - number(3)).abs() <= 1e-11 * number(3), "{line}: {low}");
            assert!((high - number(4)).abs() <= 1e-11, "{line}: {high}");
            lines += 1;
        }
        assert!(lines > 10);
    }

    #[test]
    fn without_trials_nothing_is_known() {
        assert_eq!(proportion_interval(0, 0, 0.05), None);
        assert_eq!(proportion_interval(3, 2, 0.05), None);
    }

    #[test]
    fn events_and_their_absence_mirror_each_other() {
        for found in 0..=30 {
            let (low, high) = proportion_interval(found, 30, 0.05).expect("there are trials");
            let (other_low, other_high) =
                proportion_interval(30 - found, 30, 0.05).expect("there are trials");
            assert!((low - (1.0 - other_high)).abs() < 1e-12);
            assert!((high - (1.0 - other_low)).abs() < 1e-12);
        }
    }
}
