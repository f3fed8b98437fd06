//! How long each benchmark took where a certain other one had run before it.

use std::collections::BTreeMap;

use super::Process;
use crate::order::{median, sorted};

/// The time of a benchmark where another one had run at any time before it in its process, by its time
/// where it was the first.
///
/// This describes and judges nothing: who runs after one benchmark mostly runs after others as well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct After {
    /// Which benchmark, by its place in the suite, from 0.
    pub benchmark: usize,
    /// Which one had run before it.
    pub other: usize,
    /// The median over the rounds of the ratio within a round: the geometric mean of its times after
    /// the other by that of its times as the first.
    pub ratio: f64,
    /// In how many rounds it ran both ways.
    pub rounds: usize,
}

/// Logarithms of times: how many, and their sum.
type Sum = (f64, f64);

/// Each pair of benchmarks of which the one ran both after the other and as the first, in one round at
/// least; by their places in the suite.
#[must_use]
pub fn after(processes: &[Process]) -> Vec<After> {
    let mut first: BTreeMap<(usize, usize), Sum> = BTreeMap::new();
    let mut behind: BTreeMap<(usize, usize, usize), Sum> = BTreeMap::new();
    let add = |(count, sum): &mut Sum, time: f64| (*count, *sum) = (*count + 1.0, *sum + time.ln());
    for Process { round, ran } in processes {
        for (place, one) in ran.iter().enumerate() {
            if place == 0 {
                add(first.entry((*round, one.benchmark)).or_default(), one.per_iteration);
            }
            for other in &ran[..place] {
                let key = (one.benchmark, other.benchmark, *round);
                add(behind.entry(key).or_default(), one.per_iteration);
            }
        }
    }
    let mut pairs: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for ((benchmark, other, round), (count, sum)) in behind {
        if let Some((of_first, first)) = first.get(&(round, benchmark)) {
            let ratio = sum / count - first / of_first;
            pairs.entry((benchmark, other)).or_default().push(ratio);
        }
    }
    let pair = |((benchmark, other), ratios): ((usize, usize), Vec<f64>)| After {
        benchmark,
        other,
        ratio: median(&sorted(&ratios)).exp(),
        rounds: ratios.len(),
    };
    pairs.into_iter().map(pair).collect()
}
