//! The statistical design of an experiment: the metrics that share the permitted error, and in the
//! modules the comparisons and when measuring ends.
//!
//! Over all candidates and judged metrics together, the probability of any false verdict is at most
//! `1 - confidence` (weighted Bonferroni). Unless the user names metrics, the one that answers the
//! question has half of it, its substitute under contention three tenths, and the others share the
//! rest: they seldom need more, and the answer must not wait for them.

pub mod contrasts;
pub mod stopping;

use stats::Estimator;

use crate::metric::{Direction, MetricId, REGISTRY, Role, THROUGHPUT, WALL_TIME};

/// The answer's share of the permitted error.
const ANSWER_SHARE: f64 = 0.5;
/// The share of the metric that answers under contention.
const FALLBACK_SHARE: f64 = 0.3;
/// The share of all others together.
const OTHERS_SHARE: f64 = 0.2;

/// A judged metric and the permitted error of each of its comparisons.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The metric.
    pub metric: MetricId,
    /// The permitted probability of a false verdict in one comparison.
    pub alpha: f64,
    /// Set if measuring continues until this metric is settled.
    pub decides: bool,
}

impl Member {
    /// The smallest number of rounds that gives its comparisons an interval at this share of the
    /// permitted error, if readings are compared by the `usual` estimator.
    pub fn least_rounds(&self, usual: Estimator, share: f64) -> u32 {
        least_rounds(self.metric.estimator(usual), self.alpha * share)
    }
}

/// The judged metrics of an experiment, by the number of comparisons per metric, for a user without
/// own metrics.
pub fn members(chosen: Option<&[MetricId]>, comparisons: usize, confidence: f64) -> Vec<Member> {
    members_with(&[], chosen, comparisons, confidence)
}

/// The judged metrics of an experiment, by the number of comparisons per metric: the chosen ones,
/// or else the usual ones and the user's `own`.
pub fn members_with(
    own: &[MetricId],
    chosen: Option<&[MetricId]>,
    comparisons: usize,
    confidence: f64,
) -> Vec<Member> {
    let judged: Vec<(MetricId, f64, bool)> = match chosen {
        Some(chosen) => {
            let judged = chosen.iter().filter(|id| is_judgeable(id));
            judged.map(|id| (id.clone(), 1.0, true)).collect()
        }
        None => default_weights(own),
    };
    let weights: Vec<f64> = judged.iter().map(|(_, weight, _)| *weight).collect();
    let alphas = stats::family::allocate(1.0 - confidence, &weights);
    judged
        .into_iter()
        .zip(alphas)
        .map(|((metric, _, decides), alpha)| Member {
            metric,
            alpha: alpha / comparisons.max(1) as f64,
            decides,
        })
        .collect()
}

/// The smallest number of rounds that gives a comparison an interval at this level, for any metric:
/// readings that may be 0 are compared by the signed ranks of their differences, for any estimator.
pub fn least_rounds(estimator: Estimator, alpha: f64) -> u32 {
    match estimator {
        Estimator::Quantile(_) => least(estimator, alpha),
        _ => least(estimator, alpha).max(least(Estimator::PseudoMedian, alpha)),
    }
}

/// The same for readings that are never 0; the maximum if no number of rounds suffices.
fn least(estimator: Estimator, alpha: f64) -> u32 {
    let rounds = estimator.least_rounds(alpha).and_then(|rounds| u32::try_from(rounds).ok());
    rounds.unwrap_or(u32::MAX)
}

/// One round more than the minimum, so that one may disagree a little.
const SPARE_ROUNDS: u32 = 1;

/// The number of rounds sufficient for a comparison at this level to find a clear change.
pub fn enough_rounds(estimator: Estimator, alpha: f64) -> u32 {
    least_rounds(estimator, alpha).saturating_add(SPARE_ROUNDS)
}

/// The metrics that `rounds` rounds cannot decide, each with the number of rounds needed, in
/// ascending order.
pub fn undecidable(members: &[Member], estimator: Estimator, rounds: u32) -> Vec<(&Member, u32)> {
    let of = |member: &Member| least(member.metric.estimator(estimator), member.alpha);
    let mut all: Vec<(&Member, u32)> = members.iter().map(|one| (one, of(one))).collect();
    all.retain(|(_, least)| *least > rounds);
    all.sort_by_key(|(_, least)| *least);
    all
}

fn is_judgeable(id: &MetricId) -> bool {
    crate::metric::find(id).is_some_and(|metric| metric.direction != Direction::Context)
}

/// The default metrics with their weights. With several copies, their throughput answers: for one
/// number of copies the wall time says the same, and for another it is that of different work. No
/// substitute is needed, because waiting for a processor is part of the measurement.
fn default_weights(own: &[MetricId]) -> Vec<(MetricId, f64, bool)> {
    let in_copies = own.contains(&THROUGHPUT);
    let answering = if in_copies { THROUGHPUT } else { WALL_TIME };
    let own: Vec<&MetricId> =
        own.iter().filter(|id| is_judgeable(id) && **id != answering).collect();
    let others = REGISTRY.iter().filter(|metric| metric.role == Role::Judged).count() + own.len();
    let share = OTHERS_SHARE / others as f64;
    let usual = REGISTRY.iter().filter_map(|metric| {
        let weight = match metric.role {
            _ if metric.id == answering => ANSWER_SHARE,
            Role::Answer => return None,
            Role::Fallback => FALLBACK_SHARE,
            Role::Judged => share,
            Role::Shown | Role::Kept => return None,
        };
        Some((metric.id.clone(), weight, metric.id == answering))
    });
    usual.chain(own.into_iter().map(|id| (id.clone(), share, false))).collect()
}

/// The variant that `candidate` is compared with.
///
/// With one command every point is compared with the first one; with several, each command with
/// the first command at the same point.
pub fn baseline_of(candidate: u32, variants: u32, commands: u32) -> Option<u32> {
    let baseline = if commands > 1 { candidate - candidate % commands } else { 0 };
    (baseline != candidate && candidate < variants).then_some(baseline)
}

/// Every pair that is compared: baseline and candidate.
pub fn pairs(variants: u32, commands: u32) -> Vec<(u32, u32)> {
    (0..variants)
        .filter_map(|candidate| Some((baseline_of(candidate, variants, commands)?, candidate)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_all_comparisons_add_up_to_the_permitted_error() {
        for (chosen, comparisons) in
            [(None, 1), (None, 4), (Some(vec![WALL_TIME, crate::metric::PEAK_RSS]), 3)]
        {
            let members = members(chosen.as_deref(), comparisons, 0.95);
            let total: f64 = members.iter().map(|m| m.alpha * comparisons as f64).sum();
            assert!((total - 0.05).abs() < 1e-12, "{total}");
        }
    }

    #[test]
    fn a_metric_of_the_users_own_is_judged_beside_the_usual_ones_unless_others_are_named() {
        let own = ["size[bytes]", "p99[seconds,neither]"].map(MetricId::known);
        let beside = members_with(&own, None, 1, 0.95);
        let size = beside.iter().find(|member| member.metric == own[0]).expect("judged");
        assert!(!size.decides && !beside.iter().any(|member| member.metric == own[1]));
        let total: f64 = beside.iter().map(|member| member.alpha).sum();
        assert!((total - 0.05).abs() < 1e-12, "{total}");
        let alone = members_with(&own, Some(&own[..1]), 1, 0.95);
        assert!(alone.len() == 1 && alone[0].decides);
        assert_eq!(members_with(&own, Some(&[WALL_TIME]), 1, 0.95).len(), 1);
    }

    #[test]
    fn of_copies_the_throughput_decides_and_nothing_answers_in_its_place() {
        let members = members_with(&crate::metric::OF_COPIES, None, 1, 0.95);
        let of = |id: &MetricId| members.iter().find(|member| member.metric == *id);
        let deciding: Vec<_> = members.iter().filter(|member| member.decides).collect();
        assert!(matches!(deciding.as_slice(), [one] if one.metric == THROUGHPUT));
        assert!(of(&WALL_TIME).is_none() && of(&crate::metric::LATENCY).is_some());
        let total: f64 = members.iter().map(|member| member.alpha).sum();
        assert!((total - 0.05).abs() < 1e-12, "{total}");
    }

    #[test]
    fn a_hundredth_of_a_thousandth_takes_eighteen_rounds_and_one_to_spare() {
        // 2^-4 > 0.05 >= 2^-5; 2^-16 > 1e-5 >= 2^-17.
        let enough = |alpha| enough_rounds(Estimator::RankScores, alpha);
        assert_eq!([0.05, 1e-5, 1.0].map(enough), [7, 19, 2]);
        // The mean needs only two, but not for readings of 0.
        assert_eq!(least_rounds(Estimator::Mean, 1e-5), 18);
        assert_eq!(least_rounds(Estimator::RankScores, 0.0), u32::MAX);
    }

    #[test]
    fn of_two_commands_most_metrics_take_eleven_rounds() {
        // 0.05 * 0.5 >= 2^-6, 0.05 * 0.3 >= 2^-7, and 0.05 * 0.2 / 8 >= 2^-10.
        let members = members(None, 1, 0.95);
        let of = |rounds| undecidable(&members, Estimator::RankScores, rounds);
        let least = |rounds| of(rounds).iter().map(|(_, least)| *least).collect::<Vec<_>>();
        assert_eq!(least(5)[..3], [7, 8, 11]);
        assert_eq!((least(7).len(), least(10).len(), least(11).len()), (9, 8, 0));
        assert!(undecidable(&members, Estimator::Mean, 2).is_empty());
    }

    #[test]
    fn wall_time_alone_has_it_all() {
        let members = members(Some(&[WALL_TIME]), 1, 0.99);
        assert_eq!(members.len(), 1);
        assert!((members[0].alpha - 0.01).abs() < 1e-12);
        assert!(members[0].decides);
    }

    #[test]
    fn a_metric_without_direction_is_shown_and_not_judged() {
        assert_eq!(members(Some(&[crate::metric::CPU_WAIT]), 1, 0.95), []);
    }

    #[test]
    fn the_first_command_is_the_baseline_at_every_point() {
        assert_eq!(pairs(1, 1), []);
        assert_eq!(pairs(3, 3), [(0, 1), (0, 2)]);
        assert_eq!(pairs(3, 1), [(0, 1), (0, 2)]);
        assert_eq!(pairs(6, 2), [(0, 1), (2, 3), (4, 5)]);
    }
}
