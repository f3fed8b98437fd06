//! The field of a sweep: the points that still take part, and the reasons that others do not.
//!
//! Points leave between rounds: those that are hopeless, those that exceed a limit, and those with
//! a failed run. The time at which one leaves depends only on the runs before, so a sweep that is
//! resumed another day has the same field again.

use std::collections::BTreeMap;

use measure::Outcome;
use stats::dominance::{Relation, Standing, relation, standings};
use stats::race::{Dropped, Objective, Race};
use stats::signed_rank::Shift;

use judge::comparison::{Rule, compare};
use judge::level::level_of;
use judge::sequence::Sequence;
use model::design::family;
use model::design::stopping::StoppingRule;
use model::metric::{self, MetricId, PEAK_RSS, PEAK_RSS_FLOOR, RSS_SLACK_BYTES, Source};
use model::run::Run;
use model::sample::Columns;
use model::sweep::rule::{Limit, Reason, SweepRule, Withdrawal};

/// The number of readings over a limit, with none below it, that shows that a point exceeds it.
const READINGS_OVER: usize = 3;

/// The points of a sweep.
#[derive(Debug)]
pub(super) struct Field {
    rule: SweepRule,
    race: Race,
    variants: u32,
    withdrawn: Vec<Withdrawal>,
    /// The number of points in the round in progress.
    in_round: u32,
    /// The levels at which each pair of points is compared.
    levels: Sequence,
    /// The rule for comparing pairs of points. Differences below the margin do not matter.
    comparing: Rule,
}

impl Field {
    /// A field of all points. The probability that any point leaves for being worse although it is
    /// not is at most 1 - confidence, and so is that of any wrong standing.
    pub(super) fn new(rule: SweepRule, variants: u32, stopping: &StoppingRule) -> Self {
        let StoppingRule { margin, confidence, estimator, .. } = *stopping;
        let race = Race::new(1.0 - confidence).expect("what a confidence leaves is a probability");
        let pairs = variants as usize * (variants as usize).saturating_sub(1) / 2;
        let members = family::members(Some(&rule.objectives()), pairs, confidence);
        let comparing = Rule { estimator: estimator.into(), margin };
        let levels = Sequence::new(members, comparing.estimator).keeping(stopping.stage.reserve);
        let withdrawn = Vec::new();
        Self { rule, race, variants, withdrawn, in_round: variants, levels, comparing }
    }

    /// True if a metric decides which points stay.
    pub(super) fn reads(&self, id: &MetricId) -> bool {
        let objectives = self.rule.objectives();
        let is_floor = *id == PEAK_RSS_FLOOR && objectives.contains(&PEAK_RSS);
        is_floor
            || objectives.iter().any(|objective| objective.reading() == *id)
            || self.rule.limits.iter().any(|limit| limit.metric == *id)
    }

    /// Takes a look at the pairs of points, when `clock` of the error may be spent.
    pub(super) fn compare_at(&mut self, rounds: u32, clock: f64) {
        self.levels.look(rounds, clock);
    }

    pub(super) fn takes_part(&self, variant: u32) -> bool {
        !self.withdrawn.iter().any(|withdrawal| withdrawal.variant == variant)
    }

    /// The number of points in the round in progress.
    pub(super) fn in_round(&self) -> u32 {
        self.in_round
    }

    /// The number of points in the next round.
    pub(super) fn left(&self) -> u32 {
        self.variants - u32::try_from(self.withdrawn.len()).expect("at most 2^20 variants")
    }

    /// Begins a round with the points that are left.
    pub(super) fn begin_round(&mut self) {
        self.in_round = self.left();
    }

    /// The number of rounds until the next look at the field, after this many rounds.
    pub(super) fn until_look(&self, rounds: u32) -> u32 {
        match self.rule.is_exhaustive && self.rule.limits.is_empty() {
            true => u32::MAX,
            false => self.next_look().saturating_sub(rounds).max(1),
        }
    }

    /// True if a run with this outcome withdraws its variant.
    pub(super) fn fails(&self, outcome: Outcome) -> bool {
        self.rule.fails(outcome)
    }

    /// Withdraws the variant of a failed run.
    pub(super) fn fail(&mut self, run: &Run) {
        if !self.takes_part(run.place.variant) {
            return;
        }
        self.withdrawn.push(Withdrawal::of_failed(run));
    }

    fn next_look(&self) -> u32 {
        u32::try_from(self.race.next_look()).unwrap_or(u32::MAX)
    }

    /// Looks at the field after this many rounds, if a look is due, and withdraws points.
    pub(super) fn look(&mut self, rounds: u32, columns: &Columns) {
        if rounds < self.next_look() {
            return;
        }
        for limit in 0..self.rule.limits.len() {
            self.withdraw_over(limit, rounds, columns);
        }
        let logs: Vec<Vec<Vec<f64>>> =
            self.rule.objectives().iter().map(|id| self.logs(id, rounds, columns)).collect();
        let tolerance = self.comparing.margin.log();
        let objectives: Vec<Objective<'_>> =
            logs.iter().map(|logs| Objective { logs, tolerance }).collect();
        let active: Vec<usize> = (0..self.variants)
            .filter(|&variant| self.takes_part(variant))
            .map(|variant| variant as usize)
            .collect();
        // The reference of the others stays.
        let dropped = self.race.look(&objectives, &active, Some(0));
        // A reading of 0 makes ratios meaningless; then all points stay.
        let dropped = dropped.unwrap_or_default();
        for Dropped { point, by } in dropped.into_iter().filter(|_| !self.rule.is_exhaustive) {
            let number = |point: usize| u32::try_from(point).expect("a variant's number");
            let reason = Reason::Dominated { by: number(by) };
            self.withdrawn.push(Withdrawal { variant: number(point), rounds, reason });
        }
    }

    fn withdraw_over(&mut self, limit: usize, rounds: u32, columns: &Columns) {
        let Some(column) = columns.get(&self.rule.limits[limit].metric, Source::Run) else {
            return;
        };
        for variant in 1..self.variants {
            let readings = column.of_variant(variant);
            let all_over = readings.iter().all(|&reading| reading > self.rule.limits[limit].below);
            if readings.len() >= READINGS_OVER && all_over && self.takes_part(variant) {
                let reason = Reason::OverLimit { limit };
                self.withdrawn.push(Withdrawal { variant, rounds, reason });
            }
        }
    }

    /// The standing of each point among those that are left, by all pairs of them at the last look;
    /// `None` for a point that has left, breaks a limit, or was not read.
    pub(super) fn standings(&self, columns: &Columns) -> Vec<Option<Standing>> {
        let is_left = |&variant: &u32| {
            self.takes_part(variant) && self.broken_limit(variant, columns).is_none()
        };
        let mut left: Vec<(f64, u32)> = (0..self.variants)
            .filter(is_left)
            .filter_map(|variant| Some((self.promise(variant, columns)?, variant)))
            .collect();
        left.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut pairs: BTreeMap<(u32, u32), Option<Vec<Shift>>> = BTreeMap::new();
        let between = |one: usize, other: usize| {
            let (one, other) = (left[one].1, left[other].1);
            let pair = (one.min(other), one.max(other));
            let differences = pairs.entry(pair).or_insert_with(|| self.differences(pair, columns));
            let Some(differences) = differences else { return Relation::Open };
            let of_one: Vec<Shift> = differences
                .iter()
                .map(|&shift| if one == pair.1 { shift } else { reversed(shift) })
                .collect();
            relation(&of_one, self.comparing.margin.log())
        };
        let mut all = vec![None; self.variants as usize];
        for (place, standing) in standings(left.len(), between).into_iter().enumerate() {
            let named = |place: usize| left[place].1 as usize;
            all[named(place)] = Some(match standing {
                Standing::Member => Standing::Member,
                Standing::EqualTo(other) => Standing::EqualTo(named(other)),
                Standing::Open(other) => Standing::Open(named(other)),
                Standing::DominatedBy(other) => Standing::DominatedBy(named(other)),
            });
        }
        all
    }

    /// True if it is known for every remaining point whether another one dominates it.
    pub(super) fn is_decided(&self, columns: &Columns) -> bool {
        let standings = self.standings(columns);
        !standings.iter().any(|standing| matches!(standing, Some(Standing::Open(_))))
    }

    /// The sum of the logarithms of a point's medians: points with smaller sums are tried first.
    /// `None` if an objective was not read.
    fn promise(&self, variant: u32, columns: &Columns) -> Option<f64> {
        let objectives = self.rule.objectives();
        objectives.iter().map(|id| Some(median(variant, id, columns)?.ln())).sum()
    }

    /// The differences of the second point of a pair from the first in each objective, in
    /// logarithms; `None` if they cannot be compared.
    fn differences(&self, pair: (u32, u32), columns: &Columns) -> Option<Vec<Shift>> {
        self.rule.objectives().iter().map(|id| self.difference(id, pair, columns)).collect()
    }

    fn difference(
        &self,
        id: &MetricId,
        (from, to): (u32, u32),
        columns: &Columns,
    ) -> Option<Shift> {
        let is_at_floor = |variant: u32| {
            let floor = median(variant, &PEAK_RSS_FLOOR, columns).filter(|_| *id == PEAK_RSS);
            let peak = median(variant, id, columns);
            floor.zip(peak).is_some_and(|(floor, peak)| peak <= floor + RSS_SLACK_BYTES)
        };
        // If both peaks are hidden by the launcher's own, neither is known to be larger.
        if is_at_floor(from) && is_at_floor(to) {
            return Some(Shift { estimate: 0.0, low: 0.0, high: 0.0 });
        }
        let metric = metric::find(id)?;
        let pairs = columns.get(id, Source::Run)?.pairs(from, to);
        let rule = Rule { estimator: id.estimator(self.comparing.estimator), ..self.comparing };
        let nature = metric.nature(Source::Run);
        let compared =
            compare(&pairs, metric.direction, nature, rule, self.levels.level(id)?).ok()?;
        let (ratio, low, high) =
            (compared.estimate.ratio, compared.estimate.low, compared.estimate.high);
        Some(Shift { estimate: ratio.ln(), low: low.ln(), high: high.ln() })
    }

    /// The number of the first limit that a point's median exceeds.
    fn broken_limit(&self, variant: u32, columns: &Columns) -> Option<usize> {
        let is_broken = |limit: &Limit| {
            median(variant, &limit.metric, columns).is_some_and(|median| median >= limit.below)
        };
        self.rule.limits.iter().position(is_broken)
    }

    /// The logarithms of a metric's readings, by variant and round; NaN for missing ones.
    fn logs(&self, id: &MetricId, rounds: u32, columns: &Columns) -> Vec<Vec<f64>> {
        let column = columns.get(id, Source::Run);
        let of = |variant: u32| match column {
            Some(column) => column.in_rounds(variant, rounds as usize).map(f64::ln).collect(),
            None => vec![f64::NAN; rounds as usize],
        };
        (0..self.variants).map(of).collect()
    }

    /// The withdrawn points, at the end after this many rounds, including those that break a limit.
    pub(super) fn into_withdrawn(mut self, rounds: u32, columns: &Columns) -> Vec<Withdrawal> {
        for variant in 0..self.variants {
            if let Some(limit) = self.broken_limit(variant, columns)
                && self.takes_part(variant)
            {
                let reason = Reason::OverLimit { limit };
                self.withdrawn.push(Withdrawal { variant, rounds, reason });
            }
        }
        self.withdrawn
    }
}

/// The median of a variant's readings of a metric, or the quantile that the metric is; `None`
/// without readings.
fn median(variant: u32, id: &MetricId, columns: &Columns) -> Option<f64> {
    let values = columns.get(id, Source::Run)?.of_variant(variant);
    level_of(id, &values).map(|level| level.value)
}

/// The difference with its sides exchanged.
fn reversed(shift: Shift) -> Shift {
    Shift { estimate: -shift.estimate, low: -shift.high, high: -shift.low }
}
