//! The time of each benchmark after a certain other one.

use std::collections::BTreeMap;

use super::Process;
use crate::order::{median, sorted};

/// The time of a benchmark in processes where another one ran at any time before it, over its time
/// in processes where it was the first.
///
/// This describes and judges nothing: a benchmark that runs after one mostly runs after others as
/// well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct After {
    /// The index of the benchmark in the suite, from 0.
    pub benchmark: usize,
    /// The index of the earlier one.
    pub other: usize,
    /// The median over the rounds of the ratio within a round: the geometric mean of its times
    /// after the other over that of its times as the first.
    pub ratio: f64,
    /// The number of rounds in which it ran both ways.
    pub rounds: usize,
}

/// The number of logarithms of times, and their sum.
type Sum = (f64, f64);

/// Each pair of benchmarks of which the one ran both after the other and as the first, in at least
/// one round; by their index in the suite.
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
