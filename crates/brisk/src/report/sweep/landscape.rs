//! What the points of a sweep say together: which of them are worth choosing.
//!
//! Who wants less time can often have it for more memory, so there is seldom one best point. A point
//! is worth choosing when no other one is better in one and as good in the other: these are the
//! Pareto front. What differs by less than the noise or the margin counts as equal.

use stats::front::{Standing, front, knee, thrifty};
use stats::signed_rank::Shift;

use crate::metric::MetricId;
use crate::report::document::{Document, PointPart, PointState, SweepPart};
use crate::run::describe;
use crate::sweep::rule::{Reason, SweepRule, Withdrawal};

/// What a sweep found; `withdrawn` are the points that left it.
pub fn landscape(document: &Document, rule: &SweepRule, withdrawn: &[Withdrawal]) -> SweepPart {
    let variants = 0..u32::try_from(document.variants.len()).expect("at most 2^20");
    let mut points: Vec<PointPart> = variants
        .map(|variant| {
            let withdrawal = withdrawn.iter().find(|withdrawal| withdrawal.variant == variant);
            let state = match withdrawal {
                Some(withdrawal) => state_of(rule, &withdrawal.reason),
                None => over_limit(document, rule, variant).unwrap_or(PointState::Undecided),
            };
            let rounds = withdrawal.map_or(document.experiment.rounds, |gone| gone.rounds);
            PointPart { variant, rounds, state }
        })
        .collect();
    let left: Vec<(u32, [Shift; 2])> = points
        .iter()
        .filter(|point| point.state == PointState::Undecided)
        .filter_map(|point| Some((point.variant, estimates(document, rule, point.variant)?)))
        .collect();
    let members = stand(document, &left, &mut points);
    let costs = |variant: u32| {
        let of = left.iter().find(|(left, _)| *left == variant);
        of.map(|(_, estimates)| estimates.map(|shift| shift.estimate))
    };
    let on_front: Vec<[f64; 2]> = members.iter().filter_map(|&variant| costs(variant)).collect();
    let member = |index: Option<usize>| index.map(|index| members[index]);
    let default = rule.has_default.then_some(0);
    let from = default.and_then(|default| estimates(document, rule, default));
    let from = from.map(|estimates| estimates.map(|shift| shift.estimate));
    SweepPart {
        command: rule.command.clone(),
        parameters: rule.parameters.clone(),
        minimized: rule.minimized.clone(),
        beside: rule.beside.clone(),
        default,
        limits: rule.limits.iter().map(|limit| limit.text.clone()).collect(),
        knee: member(knee(&on_front)),
        thrifty: member(from.and_then(|from| thrifty(&on_front, from))),
        points,
        front: members,
        tuning: None,
    }
}

/// Says of each point that is left how it stands; the front, by what is minimised.
fn stand(document: &Document, left: &[(u32, [Shift; 2])], points: &mut [PointPart]) -> Vec<u32> {
    let estimates: Vec<[Shift; 2]> = left.iter().map(|(_, estimates)| *estimates).collect();
    let tolerance = document.experiment.margin.ln_1p();
    let found =
        front(&estimates, [tolerance; 2]).expect("estimates are finite, in their intervals");
    for ((variant, _), standing) in left.iter().zip(&found.standings) {
        points[*variant as usize].state = match *standing {
            Standing::Member => PointState::Front,
            Standing::EqualTo(index) => PointState::Equal { to: left[index].0 },
            Standing::DominatedBy(index) => PointState::Dominated { by: left[index].0 },
        };
    }
    found.members.into_iter().map(|member| left[member].0).collect()
}

fn state_of(rule: &SweepRule, reason: &Reason) -> PointState {
    match reason {
        Reason::Dominated { by } => PointState::Dropped { by: *by },
        Reason::OverLimit { limit } => {
            PointState::OverLimit { limit: rule.limits[*limit].text.clone() }
        }
        Reason::Failed { outcome, stderr, .. } => {
            PointState::Failed { how: describe(*outcome), stderr: stderr.clone() }
        }
    }
}

fn over_limit(document: &Document, rule: &SweepRule, variant: u32) -> Option<PointState> {
    let is_over = |id: &MetricId, below: f64| {
        document.any_summary(variant, id).is_some_and(|part| part.median >= below)
    };
    let limit = rule.limits.iter().find(|limit| is_over(&limit.metric, limit.below))?;
    Some(PointState::OverLimit { limit: limit.text.clone() })
}

/// What is minimised and what shall be small beside it, as logarithms; none where it was not read.
fn estimates(document: &Document, rule: &SweepRule, variant: u32) -> Option<[Shift; 2]> {
    let of = |id: &MetricId| estimate(document, variant, id);
    Some([of(&rule.minimized)?, of(&rule.beside)?])
}

/// The logarithm of the median, with the interval of its ratio to the first variant's: the points ran
/// in the same rounds, so ratios say more than the medians' own intervals, and nothing is uncertain
/// of the first one.
fn estimate(document: &Document, variant: u32, id: &MetricId) -> Option<Shift> {
    let own = document.any_summary(variant, id)?;
    let reference = document.any_summary(0, id).filter(|_| variant != 0);
    let part = document.comparison_of((0, variant), id, own.source);
    let part = part.filter(|part| part.difference.is_none());
    let ends =
        |low: Option<f64>, high: Option<f64>| (low.unwrap_or(0.0), high.unwrap_or(f64::INFINITY));
    match reference.zip(part) {
        Some((reference, part)) => {
            Shift::of_ratio(reference.median, part.ratio, ends(Some(part.low), part.high))
        }
        None if variant == 0 => Shift::of_ratio(own.median, 1.0, (1.0, 1.0)),
        None => Shift::of_ratio(1.0, own.median, ends(own.low, own.high)),
    }
}
