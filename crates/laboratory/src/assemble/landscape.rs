//! The result of a sweep: the points worth choosing.
//!
//! Less time can often be had for more memory, so a single best point is rare. The points worth
//! choosing are the Pareto front: a point is on it unless another one is shown to be better in one
//! of the two and not worse in the other. [`stats::dominance`] decides that while the sweep is
//! conducted, with all of its readings.

use stats::dominance::Standing;
use stats::front::{knee, thrifty};
use stats::signed_rank::Shift;

use findings::{Document, PointState, SweepFinding, SweepPoint};
use model::metric::MetricId;
use model::sweep::{Reason, SweepRule, Withdrawal};

/// The result of a sweep. `withdrawn` are the points that left it, `standings` those of all points,
/// `None` for points that left or were not read.
pub(crate) fn landscape(
    document: &Document,
    rule: &SweepRule,
    withdrawn: &[Withdrawal],
    standings: &[Option<Standing>],
) -> SweepFinding {
    let point = |(variant, contender): (u32, &Option<Standing>)| {
        let withdrawal = withdrawn.iter().find(|withdrawal| withdrawal.variant == variant);
        let state = match withdrawal {
            Some(withdrawal) => state_of(rule, &withdrawal.reason),
            None => state_among(*contender),
        };
        let rounds = withdrawal.map_or(document.experiment.rounds, |gone| gone.rounds);
        SweepPoint { variant, rounds, state }
    };
    let points: Vec<SweepPoint> = (0..).zip(standings).map(point).collect();
    let mut members: Vec<(u32, [f64; 2])> = points
        .iter()
        .filter(|point| point.state.is_on_front())
        .filter_map(|point| Some((point.variant, costs(document, rule, point.variant)?)))
        .collect();
    members.sort_by(|(_, a), (_, b)| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let (front, on_front): (Vec<u32>, Vec<[f64; 2]>) = members.into_iter().unzip();
    let member = |index: Option<usize>| index.map(|index| front[index]);
    let default = rule.has_default.then_some(0);
    let from = default.and_then(|default| costs(document, rule, default));
    SweepFinding {
        command: rule.command.clone(),
        parameters: rule.parameters.clone(),
        minimized: rule.minimized.clone(),
        beside: rule.beside.clone(),
        default,
        limits: rule.limits.iter().map(|limit| limit.text.clone()).collect(),
        knee: member(knee(&on_front)),
        thrifty: member(from.and_then(|from| thrifty(&on_front, from))),
        points,
        front,
        tuning: None,
    }
}

fn state_among(standing: Option<Standing>) -> PointState {
    let number = |variant: usize| u32::try_from(variant).expect("at most 2^20 variants");
    match standing {
        Some(Standing::Member) => PointState::Front,
        Some(Standing::EqualTo(other)) => PointState::Equal { to: number(other) },
        Some(Standing::DominatedBy(other)) => PointState::Dominated { by: number(other) },
        Some(Standing::Open(other)) => PointState::Undecided { with: Some(number(other)) },
        None => PointState::Undecided { with: None },
    }
}

fn state_of(rule: &SweepRule, reason: &Reason) -> PointState {
    match reason {
        Reason::Dominated { by } => PointState::Dropped { by: *by },
        Reason::OverLimit { limit } => {
            PointState::OverLimit { limit: rule.limits[*limit].text.clone() }
        }
        Reason::Failed { outcome, stderr, .. } => {
            PointState::Failed { how: (*outcome).to_string(), stderr: stderr.clone() }
        }
    }
}

/// The logarithms of the minimised metric and the second objective; `None` if one was not read.
fn costs(document: &Document, rule: &SweepRule, variant: u32) -> Option<[f64; 2]> {
    let of = |id: &MetricId| estimate(document, variant, id).map(|shift| shift.estimate);
    Some([of(&rule.minimized)?, of(&rule.beside)?])
}

/// The logarithm of the median, with the interval of its ratio to the first variant's: the points
/// ran in the same rounds, so ratios say more than the medians' own intervals. The first variant's
/// value has no uncertainty.
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
