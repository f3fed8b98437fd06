//! The points of a sweep, with their values and outcomes.

use findings::{Document, MetricSummary, PointState, SweepFinding, SweepPoint};
use model::metric::MetricId;
use model::verdict::Verdict;

/// The front, fastest first; then the others that were read, by the minimised metric; then those
/// that left, last first.
pub(super) fn sorted<'a>(document: &Document, sweep: &'a SweepFinding) -> Vec<&'a SweepPoint> {
    let value = |point: &SweepPoint| {
        value(document, point.variant, &sweep.minimized).unwrap_or(f64::INFINITY)
    };
    let rank = |point: &SweepPoint| match point.state {
        PointState::Front | PointState::Equal { .. } | PointState::Undecided { with: Some(_) } => 0,
        PointState::Dominated { .. } | PointState::Undecided { with: None } => 1,
        PointState::Dropped { .. } => 2,
        PointState::OverLimit { .. } => 3,
        PointState::Failed { .. } => 4,
    };
    let mut points: Vec<&SweepPoint> = sweep.points.iter().collect();
    points.sort_by(|a, b| {
        let by_rounds = b.rounds.cmp(&a.rounds);
        rank(a).cmp(&rank(b)).then(by_rounds).then(value(a).total_cmp(&value(b)))
    });
    points
}

/// The name of a point.
pub(super) fn name(document: &Document, variant: u32) -> &str {
    document.variants.get(variant as usize).map_or("", |variant| variant.name.as_str())
}

/// The value of the first point times the ratio to it. It decides the front and is drawn in the
/// picture: the points ran in the same rounds, so the ratio says more than their own values.
/// Without such a ratio, or with only a bound, the point's own value.
pub(super) fn value(document: &Document, variant: u32, id: &MetricId) -> Option<f64> {
    let own = document.any_summary(variant, id)?;
    let ratio = ratio(document, variant, own);
    let reference = document.any_summary(0, id).filter(|_| ratio.is_some());
    let from_ratio = ratio.zip(reference).map(|((ratio, ..), from)| ratio * document.figure(from));
    Some(from_ratio.unwrap_or_else(|| document.figure(own)))
}

/// The ratio to the first point, with its interval; `None` if the interval is unbounded, or the
/// ratio is only a bound.
pub(super) fn ratio(
    document: &Document,
    variant: u32,
    own: &MetricSummary,
) -> Option<(f64, f64, f64)> {
    let part = document.comparison_of((0, variant), &own.metric, own.source)?;
    let is_known = part.bound.is_none() && part.low > 0.0 && !own.at_most;
    is_known.then_some((part.ratio, part.low, part.high?))
}

/// The point with the least value of the minimised metric, if it is shown to be better than the
/// reference point; or the reference point, if all others that are left are shown to be worse.
pub(super) fn shown_best(document: &Document, sweep: &SweepFinding) -> Option<u32> {
    if let Some(tuning) = &sweep.tuning {
        return tuning.recommended;
    }
    let has_verdict = |variant: u32, verdict: Verdict| {
        let mut parts = document.comparisons.iter();
        let part = parts.find(|part| part.candidate == variant && part.metric == sweep.minimized);
        part.is_some_and(|part| part.verdict == verdict)
    };
    let is_left = |state: &PointState| {
        !matches!(
            state,
            PointState::Dropped { .. } | PointState::OverLimit { .. } | PointState::Failed { .. }
        )
    };
    let left = sweep.points.iter().filter(|point| is_left(&point.state)).map(|point| point.variant);
    let beside_front = left.clone().filter(|variant| !sweep.front.contains(variant));
    let mut all = sweep.front.iter().copied().chain(beside_front);
    all.find(|&variant| has_verdict(variant, Verdict::Improved)).or_else(|| {
        let mut others = left.filter(|&variant| variant != 0);
        let is_first = sweep.front.first() == Some(&0);
        (is_first && others.all(|variant| has_verdict(variant, Verdict::Regressed))).then_some(0)
    })
}

/// The points of the front that may turn out to be worse than another one.
pub(super) fn open(sweep: &SweepFinding) -> impl Iterator<Item = u32> {
    let points = sweep.points.iter();
    let open =
        points.filter(|point| matches!(point.state, PointState::Undecided { with: Some(_) }));
    open.map(|point| point.variant)
}

/// The outcome of a point, in words; `None` if it is alone on the front or was not read.
pub(super) fn state(document: &Document, point: &SweepPoint) -> Option<String> {
    let name = |variant: u32| name(document, variant);
    match &point.state {
        PointState::Front | PointState::Undecided { with: None } => None,
        PointState::Equal { to } => Some(format!("≈ {}", name(*to))),
        PointState::Undecided { with: Some(other) } => {
            Some(format!("may be worse than {}", name(*other)))
        }
        PointState::Dominated { by } => Some(format!("worse than {}", name(*by))),
        PointState::Dropped { by } => Some(format!("dropped for {}", name(*by))),
        PointState::OverLimit { limit } => Some(format!("not {limit}")),
        PointState::Failed { how, .. } => Some(how.clone()),
    }
}
