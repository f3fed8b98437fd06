//! Wilcoxon's signed-rank test (*Biometrics Bulletin* 1, 1945), turned into an interval.
//!
//! T+ sums the ranks of the differences that are positive, ranked by size. If every sign is a fair
//! coin, T+ is the sum of a random subset of `1..=n`, for any sizes. Shifting the differences until
//! the test no longer objects gives an interval for the shift: its ends are order statistics of the
//! Walsh averages (Hodges and Lehmann 1963; Tukey's remark of 1949).
//!
//! Ties and zeros are kept. The interval is closed, and a verdict must require strict exclusion;
//! then ties can only make it cover more often, because a perturbation that breaks them moves each
//! end by no more than its own size, and the interval of the perturbed differences is exact.

use std::sync::OnceLock;

use crate::normal;
use crate::order::{self, RankAt, largest_allowed, midpoint, sorted};

/// The number of differences up to which the distribution of T+ is computed, not approximated: 1.4
/// MB and a millisecond, once per process.
const MOST_EXACT: usize = 100;

/// A shift with its interval, in the unit of the differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// The Hodges–Lehmann pseudo-median.
    pub estimate: f64,
    /// The lower end; minus infinity if there are too few differences for the level.
    pub low: f64,
    /// The upper end; infinity if there are too few differences for the level.
    pub high: f64,
}

impl Shift {
    /// The logarithm of `ratio * reference`, with the ends of its interval, for an exact
    /// `reference`; None if the interval does not hold it, or it is not a finite number. A level of
    /// 0 gets the logarithm of the smallest positive number: below every other level.
    #[must_use]
    pub fn of_ratio(reference: f64, ratio: f64, low: f64, high: f64) -> Option<Self> {
        let log = |ratio: f64| (ratio.max(0.0) * reference).ln();
        let least = f64::MIN_POSITIVE.ln();
        let shift =
            Self { estimate: log(ratio).max(least), low: log(low), high: log(high).max(least) };
        let is_sound = shift.low <= shift.estimate && shift.estimate <= shift.high;
        (is_sound && shift.estimate.is_finite()).then_some(shift)
    }
}

/// The pseudo-median of `differences` with its interval at level `1 - alpha`. None if there are
/// none, or one is NaN or infinite.
///
/// Exact up to 100 differences: `n` of them allow no `alpha` below `2^(1-n)`. Beyond, see
/// [`at_most`]. Takes `O(n log n)`.
#[must_use]
pub fn shift(differences: &[f64], alpha: f64) -> Option<Shift> {
    if differences.is_empty() || !differences.iter().all(|d| d.is_finite()) {
        return None;
    }
    let sorted = sorted(differences);
    let estimate = pseudo_median(&sorted);
    let Some(rank) = interval_rank(sorted.len(), alpha) else {
        return Some(Shift { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY });
    };
    let low = average(&sorted, rank);
    let high = average(&sorted, averages(sorted.len()) + 1 - rank);
    Some(Shift { estimate, low, high })
}

/// The rank `k` (from 1) for which the k-th smallest and the k-th largest Walsh average of `n`
/// differences enclose the shift with probability at least `1 - alpha`; the largest such rank.
/// None if even the extremes do not.
#[must_use]
pub fn interval_rank(n: usize, alpha: f64) -> Option<u64> {
    largest_allowed(averages(n) / 2 + 1, |rank| at_most(n, rank - 1) <= 0.5 * alpha)
}

/// The probability that T+ of `n` differences is at most `t` if every sign is a fair coin.
///
/// Exact up to 100 differences. Beyond: the larger of the normal approximation with continuity
/// correction and the same with its kurtosis term. The kurtosis of T+ is below the normal one
/// (by 3.6/n), so in the tails, from 1.73 standard deviations out, the plain approximation is too
/// large and keeps the level; nearer the middle it would be too small by up to 0.07/n, and the
/// kurtosis term mends that to within 1e-4 of the probability.
#[must_use]
pub fn at_most(n: usize, t: u64) -> f64 {
    let most = averages(n);
    if t >= most {
        return 1.0;
    }
    if n <= MOST_EXACT {
        let lower_half = &exact_tails()[n];
        return match lower_half.get(t as usize) {
            Some(&tail) => tail,
            // T+ is symmetric: P(T <= t) = 1 - P(T <= most - t - 1).
            None => 1.0 - lower_half[(most - t - 1) as usize],
        };
    }
    let n = n as f64;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0;
    let z = (t as f64 + 0.5 - 0.25 * n * (n + 1.0)) / variance.sqrt();
    let fourth_cumulant = -n * (n + 1.0) * (2.0 * n + 1.0) * (3.0 * n * n + 3.0 * n - 1.0) / 240.0;
    let kurtosis = fourth_cumulant / (variance * variance);
    let plain = normal::cdf(z);
    let corrected = plain - normal::density(z) * kurtosis * (z * z * z - 3.0 * z) / 24.0;
    plain.max(corrected)
}

/// For each `n`, `P(T+ <= t)` for `t` in the lower half, `0..=n(n+1)/4`.
fn exact_tails() -> &'static [Vec<f64>] {
    static TAILS: OnceLock<Vec<Vec<f64>>> = OnceLock::new();
    TAILS.get_or_init(|| {
        let mut probability = vec![1.0];
        let mut tails = vec![vec![1.0]];
        for n in 1..=MOST_EXACT {
            probability = with_one_more_rank(&probability, n);
            let lower_half = averages(n) as usize / 2 + 1;
            let mut sum = 0.0;
            let running = probability.iter().take(lower_half).map(|p| {
                sum += p;
                sum
            });
            tails.push(running.collect());
        }
        tails
    })
}

/// The distribution of T+ when rank `n` joins: half of the time it is in the sum.
fn with_one_more_rank(before: &[f64], n: usize) -> Vec<f64> {
    let mut after = vec![0.0; before.len() + n];
    for (t, p) in before.iter().enumerate() {
        after[t] += 0.5 * p;
        after[t + n] += 0.5 * p;
    }
    after
}

// Walsh averages: the means of all pairs `i <= j` of a sample. T+ is the number of them above a
// point.

/// The number of Walsh averages of `n` values.
fn averages(n: usize) -> u64 {
    let n = n as u64;
    n * (n + 1) / 2
}

/// The `rank`-th smallest (from 1) Walsh average of ascending values, exactly.
fn average(sorted: &[f64], rank: u64) -> f64 {
    let (count, last) = (averages(sorted.len()), sorted.len() - 1);
    order::select(rank, count, sorted[0], sorted[last], |x| standing(sorted, x))
}

/// The median of the Walsh averages: the pseudo-median of Hodges and Lehmann
/// (*Annals of Mathematical Statistics* 34, 1963).
fn pseudo_median(sorted: &[f64]) -> f64 {
    let (count, last) = (averages(sorted.len()), sorted.len() - 1);
    order::select_median(count, sorted[0], sorted[last], |x| standing(sorted, x))
}

/// One pass: as the smaller of a pair grows, the larger can only shrink.
fn standing(sorted: &[f64], x: f64) -> RankAt {
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
    RankAt { at_most, next }
}
