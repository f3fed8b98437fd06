//! The separation of two groups of runs by a reading: the area under the ROC curve.
//!
//! The area is the probability that a reading from the second group exceeds one from the first,
//! equal ones counting a half. At 0.5 the groups do not separate, at 0 and 1 they do completely. It
//! is the rank-sum statistic divided by the number of pairs (Bamber, *Journal of Mathematical
//! Psychology* 12, 1975), and shares its p-value.
//!
//! Counts such as page faults are mostly ties, where tables and the normal approximation of
//! [`crate::mann_whitney`] are of little use in small groups. Here the exact distribution is that
//! of the readings at hand, ties included, over all ways to form the groups.

use crate::mann_whitney;
use crate::order::mid_ranks;

/// The number of readings in total up to which the p-value is exact: four million additions.
const MOST_EXACT: usize = 60;

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
    let area = mann_whitney::superiority(first, second)?;
    let p_value = if all.len() <= MOST_EXACT {
        exact_p(&all, second.len())
    } else {
        mann_whitney::difference(first, second)?.p_value
    };
    Some(Area { area, p_value })
}

/// The exact p-value if the last `chosen` values are the second group.
fn exact_p(all: &[f64], chosen: usize) -> f64 {
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
