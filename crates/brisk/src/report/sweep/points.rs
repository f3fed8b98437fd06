//! The points of a sweep: their values, and what became of them.

use crate::judge::verdict::Verdict;
use crate::metric::MetricId;
use crate::report::document::{Document, PointPart, PointState, SummaryPart, SweepPart};

/// The front, the fastest first; then the others that were read, by what is minimised; then those
/// that left, the last first.
pub(super) fn sorted<'a>(document: &Document, sweep: &'a SweepPart) -> Vec<&'a PointPart> {
    let value = |point: &PointPart| {
        value(document, point.variant, &sweep.minimized).unwrap_or(f64::INFINITY)
    };
    let rank = |point: &PointPart| match point.state {
        PointState::Front => 0,
        PointState::Equal { .. } | PointState::Dominated { .. } | PointState::Undecided => 1,
        PointState::Dropped { .. } => 2,
        PointState::OverLimit { .. } => 3,
        PointState::Failed { .. } => 4,
    };
    let mut points: Vec<&PointPart> = sweep.points.iter().collect();
    points.sort_by(|a, b| {
        let by_rounds = b.rounds.cmp(&a.rounds);
        rank(a).cmp(&rank(b)).then(by_rounds).then(value(a).total_cmp(&value(b)))
    });
    points
}

/// What a point is called.
pub(super) fn name(document: &Document, variant: u32) -> &str {
    document.variants.get(variant as usize).map_or("", |variant| variant.name.as_str())
}

/// The value of the first point times the ratio to it, by which the front is judged and which the
/// picture draws: the points ran in the same rounds, so the ratio says more than their own values do.
/// Where there is no such ratio, or only a bound of it, the point's own value.
pub(super) fn value(document: &Document, variant: u32, id: &MetricId) -> Option<f64> {
    let own = document.any_summary(variant, id)?;
    let ratio = ratio(document, variant, own);
    let reference = document.any_summary(0, id).filter(|_| ratio.is_some());
    let from_ratio = ratio.zip(reference).map(|((ratio, ..), from)| ratio * document.figure(from));
    Some(from_ratio.unwrap_or_else(|| document.figure(own)))
}

/// The ratio to the first point, with its interval; none where that is unbounded, or the ratio is a
/// bound.
pub(super) fn ratio(
    document: &Document,
    variant: u32,
    own: &SummaryPart,
) -> Option<(f64, f64, f64)> {
    let part = document.comparison_of((0, variant), &own.metric, own.source)?;
    let is_known = part.bound.is_none() && part.low > 0.0 && !own.at_most;
    is_known.then_some((part.ratio, part.low, part.high?))
}

/// Whether a point is certainly worse than another one in what is minimised, or in the metric
/// beside it: the intervals of their ratios to the first one are apart.
pub(super) fn is_shown_worse(
    document: &Document,
    sweep: &SweepPart,
    point: u32,
    other: u32,
) -> bool {
    let interval = |variant: u32, id: &MetricId| match variant {
        0 => Some((1.0, 1.0)),
        _ => ratio(document, variant, document.any_summary(variant, id)?)
            .map(|(_, low, high)| (low, high)),
    };
    [&sweep.minimized, &sweep.beside].into_iter().any(|id| {
        let both = interval(point, id).zip(interval(other, id));
        both.is_some_and(|((low, _), (_, high))| low > high)
    })
}

/// The first member of the front, where it is shown to be better than the point that the others are
/// compared with; or that point, where all others that are left are shown to be worse.
pub(super) fn shown_best(document: &Document, sweep: &SweepPart) -> Option<u32> {
    let first = *sweep.front.first()?;
    let verdict = |variant: u32| {
        let mut parts = document.comparisons.iter();
        let part =
            parts.find(|part| part.candidate == variant && part.metric == sweep.minimized)?;
        Some(part.verdict)
    };
    let is_left = |state: &PointState| {
        !matches!(
            state,
            PointState::Dropped { .. } | PointState::OverLimit { .. } | PointState::Failed { .. }
        )
    };
    let is_best = match (first, &sweep.tuning) {
        (_, Some(tuning)) => tuning.recommended == Some(first),
        (0, None) => {
            let others = sweep.points.iter().filter(|point| point.variant != 0);
            let mut left = others.filter(|point| is_left(&point.state));
            left.all(|point| verdict(point.variant) == Some(Verdict::Regressed))
        }
        (_, None) => verdict(first).is_none_or(|verdict| verdict == Verdict::Improved),
    };
    is_best.then_some(first)
}

/// What became of a point, in words; none where it is on the front or nothing was decided.
pub(super) fn state(document: &Document, sweep: &SweepPart, point: &PointPart) -> Option<String> {
    let name = |variant: u32| name(document, variant);
    match &point.state {
        PointState::Front | PointState::Undecided => None,
        PointState::Equal { to } => Some(format!("≈ {}", name(*to))),
        PointState::Dominated { by } if is_shown_worse(document, sweep, point.variant, *by) => {
            Some(format!("worse than {}", name(*by)))
        }
        PointState::Dominated { by } => Some(format!("not better than {}", name(*by))),
        PointState::Dropped { by } => Some(format!("dropped for {}", name(*by))),
        PointState::OverLimit { limit } => Some(format!("not {limit}")),
        PointState::Failed { how, .. } => Some(how.clone()),
    }
}
