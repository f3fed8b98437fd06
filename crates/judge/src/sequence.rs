//! The levels of the looks, such that all looks together keep to the permitted error.
//!
//! Looking at an interval while it grows, and stopping when it shows a difference, would find one
//! between two copies of the same program sooner or later. Each look is therefore taken at its own
//! level, from a spending function (`stats::sequential`): a look at `clock` may have used up
//! `clock` of the permitted error. The clock is the share of the budget that has passed, which does
//! not depend on the measurements.
//!
//! The look at which everything is expected to be settled is estimated, too; it serves only to tell
//! the remaining time, and no verdict depends on it.

use stats::Estimator;
use stats::detect::Scatter;
use stats::sequential::{
    Boundary, Look, Spending, foreseen_critical_z, information, spent_by_stage_of,
};

use model::design::stopping::StoppingRule;
use model::design::{self, Member};
use model::metric::{Direction, MetricId};

use super::comparison::foreseen;

/// The levels of the looks so far, for each judged metric.
#[derive(Debug)]
pub struct Sequence {
    members: Vec<Member>,
    estimator: Estimator,
    /// The share of the error that the first stage reserves.
    reserve: f64,
    tracks: Vec<Track>,
    /// The number of rounds at each look, and the clock then.
    taken: Vec<(u32, f64)>,
}

/// The looks at all metrics with one permitted error and estimator.
#[derive(Debug)]
struct Track {
    alpha: f64,
    estimator: Estimator,
    boundary: Boundary,
    looks: Vec<Look>,
}

impl Track {
    fn is_of(&self, alpha: f64, estimator: Estimator) -> bool {
        same(self.alpha, alpha) && self.estimator == estimator
    }

    fn spent(&self) -> f64 {
        self.looks.last().map_or(0.0, |look| look.spent)
    }
}

/// Error is spent in proportion to the clock: an early look is strict enough to leave what the last
/// one needs, and lenient enough to end a clear case early.
const SPENDING: Spending = Spending::Power(1.0);

/// The look before the first one: no error spent.
const NO_LOOK: Look =
    Look { nominal_alpha: 0.0, critical_z: f64::INFINITY, spent: 0.0, increment: 0.0 };

impl Sequence {
    /// Creates it without looks.
    pub fn new(members: Vec<Member>, estimator: Estimator) -> Self {
        let mut tracks: Vec<Track> = Vec::new();
        for member in &members {
            let (alpha, estimator) = (member.alpha, member.metric.estimator(estimator));
            if !tracks.iter().any(|track| track.is_of(alpha, estimator)) {
                let boundary = Boundary::new(alpha, SPENDING);
                tracks.push(Track { alpha, estimator, boundary, looks: Vec::new() });
            }
        }
        Self { members, estimator, reserve: 0.0, tracks, taken: Vec::new() }
    }

    /// The same for an experiment that reserves this share of its error for an extension.
    #[must_use]
    pub fn keeping(self, reserve: f64) -> Self {
        Self { reserve, ..self }
    }

    /// The same looks at other judged metrics, or for a larger family.
    #[must_use]
    pub fn of_others(&self, members: Vec<Member>) -> Self {
        let mut others = Self::new(members, self.estimator).keeping(self.reserve);
        self.taken.iter().for_each(|&(rounds, clock)| others.look(rounds, clock));
        others
    }

    /// Takes a look after `rounds` rounds, when `clock` (above 0, at most 1) of the error may be
    /// spent.
    pub fn look(&mut self, rounds: u32, clock: f64) {
        let end = spent_by_stage_of(self.reserve, clock);
        for track in &mut self.tracks {
            let estimator = track.estimator;
            let look_at = |boundary: &mut Boundary, rounds: u32, clock: f64| {
                let look = boundary.look(information(estimator, rounds as usize), clock);
                (look, estimator.has_interval(rounds as usize, look.nominal_alpha))
            };
            let mut boundary = track.boundary.clone();
            let (look, can_find) = look_at(&mut boundary, rounds, clock);
            // The last look may come with the next round, and have only the error left by this one.
            let leaves_enough =
                || clock >= end || look_at(&mut boundary.clone(), rounds + 1, end).1;
            // A look that no data could pass spends nothing: its share is left for the next one.
            if can_find && leaves_enough() {
                track.boundary = boundary;
                track.looks.push(look);
            } else {
                track.looks.push(Look { spent: track.spent(), ..NO_LOOK });
            }
        }
        self.taken.push((rounds, clock));
    }

    /// True if every judged metric can have an interval at the last look.
    pub fn has_intervals(&self) -> bool {
        let Some(&(rounds, _)) = self.taken.last() else { return false };
        self.tracks.iter().all(|track| {
            let least = |look: &Look| design::least_rounds(track.estimator, look.nominal_alpha);
            track.looks.last().map(least).is_some_and(|least| least <= rounds)
        })
    }

    /// The number of looks taken.
    pub fn looks(&self) -> usize {
        self.taken.len()
    }

    /// The number of rounds at a look; the first look is number 0.
    pub fn rounds_at(&self, look: usize) -> Option<u32> {
        self.taken.get(look).map(|(rounds, _)| *rounds)
    }

    /// True if a look now could find something for a deciding metric.
    ///
    /// Few rounds cannot reach a small level; a first look restricted to a smaller one is not worth
    /// taking.
    pub fn can_find(&self, rounds: u32, clock: f64) -> bool {
        let mut deciding = self.members.iter().filter(|member| member.decides);
        deciding.any(|member| member.least_rounds(self.estimator, clock) <= rounds)
    }

    /// True if a look then could find something for every judged metric.
    pub fn can_find_all(&self, rounds: u32, clock: f64) -> bool {
        self.members.iter().all(|member| member.least_rounds(self.estimator, clock) <= rounds)
    }

    /// The level of the last look for a metric; `None` if the metric is not judged.
    pub fn level(&self, metric: &MetricId) -> Option<Look> {
        self.level_at(self.looks().saturating_sub(1), metric)
    }

    /// The level of a look, the first being number 0; a look not taken has level 0. `None` if the
    /// metric is not judged.
    pub fn level_at(&self, look: usize, metric: &MetricId) -> Option<Look> {
        let member = self.members.iter().find(|member| member.metric == *metric)?;
        let estimator = metric.estimator(self.estimator);
        let track = self.tracks.iter().find(|track| track.is_of(member.alpha, estimator))?;
        Some(track.looks.get(look).copied().unwrap_or(NO_LOOK))
    }

    /// The judged metrics.
    pub fn members(&self) -> &[Member] {
        &self.members
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= f64::EPSILON * a.max(b)
}

/// A future look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookAhead {
    /// The number of rounds at the look.
    pub rounds: u32,
    /// The share of the error that may have been spent by then.
    pub clock: f64,
}

/// The first of the looks at which the comparison will be settled; `None` if none of them suffices.
pub fn settling_look(
    scatter: Scatter,
    direction: Direction,
    alpha: f64,
    rule: &StoppingRule,
    limits: &[f64],
    looks: &[LookAhead],
) -> Option<u32> {
    let is_settled = |ahead: &&LookAhead| {
        let critical_z = foreseen_critical_z(alpha, ahead.clock);
        foreseen(scatter, ahead.rounds as usize, direction, rule.margin, critical_z)
            .is_settled(rule, limits)
    };
    looks.iter().find(is_settled).map(|ahead| ahead.rounds)
}

/// The first of the looks at which the median of a variant will be precise enough: half its
/// interval no wider than `log_half_width`, on the log scale.
pub fn precise_look(scatter: Scatter, log_half_width: f64, looks: &[LookAhead]) -> Option<u32> {
    let width = |rounds: u32| scatter.log_half_width_of_median(rounds as usize);
    looks.iter().map(|ahead| ahead.rounds).find(|rounds| width(*rounds) <= log_half_width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::metric::{CPU_TIME, CPU_WAIT, WALL_TIME};

    #[test]
    fn a_single_last_look_has_the_whole_permitted_error() {
        let mut sequence =
            Sequence::new(design::members(Some(&[WALL_TIME]), 1, 0.95), Estimator::RankScores);
        sequence.look(30, 1.0);
        let look = sequence.level(&WALL_TIME).expect("judged");
        assert!((look.nominal_alpha - 0.05).abs() < 1e-6, "{look:?}");
    }

    #[test]
    fn a_look_that_can_find_nothing_is_known_beforehand() {
        let members = design::members(Some(&[WALL_TIME]), 1, 0.95);
        let sequence = Sequence::new(members, Estimator::RankScores);
        // 2^-9 is 0.00195: more than a hundredth of 0.05, less than a tenth of it.
        assert!(!sequence.can_find(10, 0.01));
        assert!(sequence.can_find(10, 0.1));
        assert!(sequence.can_find(13, 0.01));
    }

    #[test]
    fn a_look_that_can_find_nothing_leaves_its_error_to_the_next() {
        let members = design::members(None, 1, 0.95);
        let other = members.iter().find(|member| !member.decides && member.metric != CPU_TIME);
        let other = other.expect("there are others").metric.clone();
        let mut sequence = Sequence::new(members, Estimator::RankScores);
        // 0.05 * 0.2 / 8 is 2^-9.6, so 11 rounds can find something with all of it.
        sequence.look(11, 0.5);
        assert!(sequence.level(&WALL_TIME).expect("judged").nominal_alpha > 0.01);
        assert!(sequence.level(&other).expect("judged").nominal_alpha.abs() < f64::EPSILON);
        assert!(!sequence.has_intervals());
        sequence.look(12, 1.0);
        let level = sequence.level(&other).expect("judged").nominal_alpha;
        assert!((level - 0.05 * 0.2 / 8.0).abs() < 1e-9, "{level}");
        assert!(sequence.has_intervals());
    }

    #[test]
    fn before_any_look_nothing_is_known_and_an_unjudged_metric_has_no_level() {
        let sequence = Sequence::new(design::members(None, 1, 0.95), Estimator::RankScores);
        assert!(sequence.level(&CPU_TIME).expect("judged").nominal_alpha.abs() < f64::EPSILON);
        assert_eq!(sequence.level(&CPU_WAIT), None);
    }

    /// Looks at a fifth more rounds each, up to the budget in rounds.
    fn looks(first: u32, budget: u32) -> Vec<LookAhead> {
        let mut looks = Vec::new();
        let mut rounds = first;
        while rounds < budget {
            looks.push(LookAhead { rounds, clock: f64::from(rounds) / f64::from(budget) });
            let next = stats::sequential::next_look(rounds as usize, first as usize);
            rounds = u32::try_from(next).expect("few");
        }
        looks.push(LookAhead { rounds: budget, clock: 1.0 });
        looks
    }

    #[test]
    fn what_differs_is_settled_when_its_interval_is_narrow_enough() {
        let rule = StoppingRule::of_a_test();
        let scatter = |log_ratio, of_one_round| Scatter { log_ratio, of_one_round };
        let at =
            |scatter| settling_look(scatter, Direction::Lower, 0.05, &rule, &[], &looks(12, 1000));
        // Half the time, to within a quarter of the change: at once. No change, with too much
        // noise: never.
        assert_eq!(at(scatter(-0.7, 0.05)), Some(12));
        assert_eq!(at(scatter(0.0, 0.1)), None);
        // 2 % has to be known to within 1 %: z is near 2.9 then, so (2.9 * 0.05 / 0.01)^2 = 210
        // rounds.
        let rounds = at(scatter(0.02, 0.05)).expect("settled");
        assert!((170..=260).contains(&rounds), "{rounds}");
    }

    #[test]
    fn a_level_is_precise_when_its_interval_is_no_wider_than_wanted() {
        let scatter = Scatter { log_ratio: 0.0, of_one_round: 0.1 };
        // (2.456 * 0.1 / 0.01)^2 = 603 rounds, and the next look.
        let rounds = precise_look(scatter, 0.01, &looks(12, 10_000)).expect("precise");
        assert!((603..=724).contains(&rounds), "{rounds}");
        assert_eq!(precise_look(scatter, 0.01, &looks(12, 500)), None);
    }
}
