//! What several runs of a program say together of its memory.

use super::{Growth, Slope, Verdict};

/// What more than half of the runs say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Which of them stands for the others, counted from 0.
    pub chosen: usize,
    /// How many say the same.
    pub agree: usize,
    /// Whether these are more than half; else nothing is decided.
    pub is_decided: bool,
    /// The slope of the one that is chosen, with an interval that covers those of all that agree.
    pub slope: Option<Slope>,
}

/// What the runs say together; none where there is none. Of even growth the run in the middle stands for
/// the others.
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
