//! Two groups of readings compared by ranks: the rank-sum test (Mann and Whitney, *Annals of
//! Mathematical Statistics* 18, 1947), the shift that belongs to it, and the area under the ROC
//! curve.
//!
//! If a coin assigned the readings to the groups, the test is a randomisation test and the readings
//! may depend on each other in any way; otherwise it assumes that they are independent.

use crate::normal;
use crate::order::{self, RankAt, mid_ranks, sorted};

/// The number of readings in total up to which the p-value is exact, without ties.
const MOST_EXACT: usize = 40;

/// The difference between two groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupDifference {
    /// The median of all differences, second group minus first (Hodges and Lehmann 1963), in
    /// the unit of the readings.
    pub shift: f64,
    /// Two-sided, for "the assignment of readings to groups is random".
    pub p_value: f64,
}

/// The difference of `second` from `first`. None if either is empty or a reading is not finite.
///
/// The p-value is exact for at most 40 readings without ties; otherwise by the normal approximation
/// with the variance corrected for ties and with continuity correction.
#[must_use]
pub fn difference(first: &[f64], second: &[f64]) -> Option<GroupDifference> {
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    if first.is_empty() || second.is_empty() || !all.iter().all(|v| v.is_finite()) {
        return None;
    }
    let ranks = mid_ranks(&all);
    let (m, n) = (first.len(), second.len());
    let rank_sum: f64 = ranks[m..].iter().sum();
    let u = rank_sum - 0.5 * (n * (n + 1)) as f64;
    let ties = tie_sum(&all);
    let p_value = if ties == 0.0 && m + n <= MOST_EXACT {
        exact_p(m, n, u)
    } else {
        approximate_p(m as f64, n as f64, u, ties)
    };
    Some(GroupDifference { shift: shift(&sorted(first), &sorted(second)), p_value })
}

/// The probability that a reading of `high` exceeds one of `low`, equal ones counting a half: the
/// area under the ROC curve. `None` if either is empty.
#[must_use]
pub fn superiority(low: &[f64], high: &[f64]) -> Option<f64> {
    if low.is_empty() || high.is_empty() {
        return None;
    }
    let all: Vec<f64> = low.iter().chain(high).copied().collect();
    let rank_sum: f64 = mid_ranks(&all)[low.len()..].iter().sum();
    let (m, n) = (low.len() as f64, high.len() as f64);
    Some((rank_sum - 0.5 * n * (n + 1.0)) / (m * n))
}

/// The sum of `t^3 - t` over the groups of `t` equal readings.
fn tie_sum(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let cube = |run: &[f64]| (run.len() as f64).powi(3) - run.len() as f64;
    sorted.chunk_by(|a, b| a == b).map(cube).sum()
}

fn approximate_p(m: f64, n: f64, u: f64, ties: f64) -> f64 {
    let all = m + n;
    let variance = m * n / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((u - 0.5 * m * n).abs() - 0.5).max(0.0);
    2.0 * normal::upper_tail(distance / variance.sqrt())
}

/// Twice the smaller tail of U, whose counts are the coefficients of the Gaussian binomial.
fn exact_p(m: usize, n: usize, u: f64) -> f64 {
    let most = m * n;
    let mut counts = vec![0.0; most + 1];
    counts[0] = 1.0;
    for i in 1..=n {
        for t in (m + i..=most).rev() {
            counts[t] -= counts[t - m - i];
        }
        for t in i..=most {
            counts[t] += counts[t - i];
        }
    }
    let smaller = (u.min(most as f64 - u)).round() as usize;
    let tail: f64 = counts[..=smaller].iter().sum();
    let total: f64 = counts.iter().sum();
    (2.0 * tail / total).min(1.0)
}

/// The median of all differences, second minus first, both ascending.
fn shift(first: &[f64], second: &[f64]) -> f64 {
    let pairs = (first.len() * second.len()) as u64;
    let lowest = second[0] - first[first.len() - 1];
    let highest = second[second.len() - 1] - first[0];
    order::select_median(pairs, lowest, highest, |x| standing(first, second, x))
}

fn standing(first: &[f64], second: &[f64], x: f64) -> RankAt {
    let mut end = 0;
    let mut at_most = 0;
    let mut next = f64::INFINITY;
    for &low in first {
        while end < second.len() && second[end] - low <= x {
            end += 1;
        }
        if let Some(&beyond) = second.get(end) {
            next = next.min(beyond - low);
        }
        at_most += end as u64;
    }
    RankAt { at_most, next }
}

// The separation of the groups: the area under the ROC curve is the probability that a reading of
// the second group exceeds one of the first, equal ones counting a half. At 0.5 the groups do not
// separate, at 0 and 1 they do completely. It is the rank-sum statistic divided by the number of
// pairs (Bamber, *Journal of Mathematical Psychology* 12, 1975), and shares its p-value.
//
// Counts such as page faults are mostly ties, where tables and the normal approximation are of
// little use in small groups. So here the exact distribution is that of the readings at hand, ties
// included, over all ways to form the groups.

/// The number of readings in total up to which the p-value is exact: four million additions.
const MOST_EXACT_WITH_TIES: usize = 60;

/// The separation of two groups by a reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// The probability that a reading of the second group exceeds one of the first.
    pub area: f64,
    /// Two-sided, for "the assignment of readings to groups is random".
    pub p_value: f64,
}

impl Area {
    /// The distance of the area from no separation, on a scale from 0 to 1: 1 if the two groups do
    /// not overlap, whichever is higher.
    #[must_use]
    pub fn strength(&self) -> f64 {
        (2.0 * self.area - 1.0).abs()
    }
}

/// The area of two groups. None if either is empty or a reading is not finite.
///
/// The p-value is the share of all groupings of the readings whose area is at least as far from
/// 0.5, counted for up to 60 readings; beyond, the normal approximation.
#[must_use]
pub fn area(first: &[f64], second: &[f64]) -> Option<Area> {
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    if !all.iter().all(|value| value.is_finite()) {
        return None;
    }
    let area = superiority(first, second)?;
    let p_value = if all.len() <= MOST_EXACT_WITH_TIES {
        exact_p_with_ties(&all, second.len())
    } else {
        difference(first, second)?.p_value
    };
    Some(Area { area, p_value })
}

/// The exact p-value if the last `chosen` values are the second group.
fn exact_p_with_ties(all: &[f64], chosen: usize) -> f64 {
    // Twice a mid-rank is an integer.
    let ranks: Vec<usize> = mid_ranks(all).iter().map(|rank| (2.0 * rank) as usize).collect();
    let observed: usize = ranks[all.len() - chosen..].iter().sum();
    let most: usize = ranks.iter().sum();
    // ways[k][s]: the number of ways in which k of the ranks seen so far add up to s.
    let mut ways = vec![vec![0.0; most + 1]; chosen + 1];
    ways[0][0] = 1.0;
    for (seen, &rank) in ranks.iter().enumerate() {
        for k in (1..=chosen.min(seen + 1)).rev() {
            let (fewer, more) = ways.split_at_mut(k);
            for (sum, from) in (rank..=most).zip(&fewer[k - 1]) {
                more[0][sum] += from;
            }
        }
    }
    // The mean of the sum, times the number of values, so that it is an integer.
    let centre = most * chosen;
    let distance = |sum: usize| (sum * all.len()).abs_diff(centre);
    let total: f64 = ways[chosen].iter().sum();
    let as_far: f64 =
        (0..=most).filter(|&s| distance(s) >= distance(observed)).map(|s| ways[chosen][s]).sum();
    (as_far / total).min(1.0)
}
