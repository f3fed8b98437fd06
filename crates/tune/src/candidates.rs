//! The points worth confirming: the fastest, the thrifty one, and the knee.

use stats::front::Thrift;

use super::climb::View;
use super::record::Estimate;
use super::space::Point;

/// The points that the search names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidates {
    /// The default, if it ran successfully.
    pub default: Option<Estimate>,
    /// The fastest; `None` if no point seems faster than the default by the margin. If the default
    /// is above the limit, the fastest may be slower.
    pub fastest: Option<Estimate>,
    /// The one with the least memory among those with at least 90 % of the fastest one's gain and
    /// at most half of its additional memory.
    pub thrifty: Option<Estimate>,
    /// The knee of the front of time and memory, unless it is one of the others.
    pub knee: Option<Estimate>,
    /// Points that may turn out to be the thrifty one after more runs.
    pub(super) prospects: Vec<Estimate>,
    /// The number of candidates to expect in the end.
    pub(super) in_sight: usize,
}

impl Candidates {
    /// The named points, fastest first.
    pub fn points(&self) -> Vec<&Point> {
        let named = [&self.fastest, &self.thrifty, &self.knee];
        named.into_iter().flatten().map(|estimate| &estimate.point).collect()
    }
}

/// The minimum number of runs of a point that counts.
const LEAST_RUNS: usize = 2;

/// Names the candidates, at most `most` of them.
pub(super) fn name(view: &View<'_>, margin: f64, most: usize) -> Candidates {
    let default = view.space.default_point();
    let Some(base) = view.record.estimate(&default) else { return Candidates::default() };
    let ranking = view.ranking();
    let mut known: Vec<&Estimate> =
        ranking.iter().filter(|e| e.runs >= LEAST_RUNS && e.point != default).collect();
    let careful = |e: &Estimate| view.careful_seconds(e);
    known.sort_by(|a, b| careful(a).total_cmp(&careful(b)));
    let only_default = Candidates { default: Some(base.clone()), ..Candidates::default() };
    // If the default is above the limit, every point below the limit is better.
    let is_better =
        |e: &Estimate| !view.is_allowed(&base) || e.seconds < base.seconds * (1.0 - margin);
    let first = known.first().filter(|e| is_better(e));
    let Some(first) = first.filter(|_| most > 0) else { return only_default };
    let fastest = (*first).clone();
    let thrift = Thrift::between(base.logs(), fastest.logs());
    let least = |a: &&Estimate, b: &&Estimate| a.peak_bytes.total_cmp(&b.peak_bytes);
    let mut prospects: Vec<&Estimate> = ranking
        .iter()
        .filter(|e| e.point != fastest.point && e.point != default)
        .filter(|e| thrift.is_some_and(|thrift| view.may_be_thrifty(&thrift, e)))
        .collect();
    prospects.sort_by(least);
    let thrifty = prospects.iter().find(|e| e.runs >= LEAST_RUNS).map(|&e| e.clone());
    let is_named = |point: &Point| {
        *point == default
            || *point == fastest.point
            || thrifty.as_ref().is_some_and(|thrifty| thrifty.point == *point)
    };
    let knee = view.knee().filter(|e| e.runs >= LEAST_RUNS && !is_named(&e.point));
    prospects.truncate(2);
    let in_sight = 1 + usize::from(thrift.is_some());
    Candidates {
        default: Some(base),
        in_sight,
        knee: knee.filter(|_| most > 1 + usize::from(thrifty.is_some())),
        prospects: prospects.into_iter().cloned().collect(),
        thrifty: thrifty.filter(|_| most > 1),
        fastest: Some(fastest),
    }
}
