//! The common verdict on a program's memory from several runs.

use super::{Growth, Slope, Verdict};

/// The verdict of more than half of the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The index of the run that represents the others, from 0.
    pub chosen: usize,
    /// The number of runs that agree.
    pub agree: usize,
    /// True if these are more than half; otherwise nothing is decided.
    pub is_decided: bool,
    /// The slope of the chosen run, with an interval that covers those of all agreeing runs.
    pub slope: Option<Slope>,
}

/// The common verdict of the runs; None if there are no runs. The agreeing run with the median
/// slope (or level, if they have no slopes) represents the others.
#[must_use]
pub fn agreement(runs: &[Growth]) -> Option<Agreement> {
    let groups = runs.iter().map(|one| {
        let is_alike = |&index: &usize| is_alike(&runs[index], one);
        (0..runs.len()).filter(is_alike).collect::<Vec<usize>>()
    });
    let largest = groups.max_by_key(Vec::len)?;
    let agree = largest.len();
    if 2 * agree <= runs.len() {
        return Some(Agreement { chosen: 0, agree, is_decided: false, slope: None });
    }
    let key = |index: usize| {
        runs[index].verdict.slope().map_or(runs[index].level, |slope| slope.estimate)
    };
    let mut ordered = largest.clone();
    ordered.sort_by(|&a, &b| key(a).total_cmp(&key(b)));
    let chosen = ordered[agree / 2];
    let slopes = || largest.iter().filter_map(|&index| runs[index].verdict.slope());
    let slope = runs[chosen].verdict.slope().map(|own| Slope {
        low: slopes().map(|slope| slope.low).fold(own.low, f64::min),
        high: slopes().map(|slope| slope.high).fold(own.high, f64::max),
        ..own
    });
    Some(Agreement { chosen, agree, is_decided: true, slope })
}

fn is_alike(one: &Growth, other: &Growth) -> bool {
    match (&one.verdict, &other.verdict) {
        (Verdict::Proportional(a), Verdict::Proportional(b)) => {
            (a.estimate > 0.0) == (b.estimate > 0.0)
        }
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}
