//! The variants that take part in the next round, and the reasons that others do not.
//!
//! * A comparison that a look settled is final, and a variant that no open comparison needs does not
//!   run any more, so the time goes to undecided ones. Company, which is not compared, runs in the
//!   first rounds.
//! * In experiments that survive failures, a failed run costs its reading. A variant with
//!   [`MOST_IN_A_ROW`] failed runs in a row is withdrawn; so is one that exceeded its time limit,
//!   because waiting for that again would take long.
//! * In a sweep, points leave between rounds: those that are hopeless, those that exceed a limit, and
//!   those with a failed run. This depends only on the runs before, so a sweep that is resumed
//!   another day has the same field again.

use super::Conductor;
use judge::comparison::{ComparisonSettings, compare};
use judge::level::level_of;
use judge::sequence::Sequence;
use measure::Outcome;
use model::design;
use model::design::contrasts::{Company, Contrasts, Failing};
use model::design::stopping::StoppingRule;
use model::metric::{self, MetricId, PEAK_RSS, PEAK_RSS_FLOOR, RSS_SLACK_BYTES, Source, Value};
use model::run::Run;
use model::sample::Columns;
use model::sweep::{Limit, Reason, SweepRule, Withdrawal};
use stats::RatioEstimate;
use stats::dominance::{Relation, Standing, relation, standings};
use stats::race::{Dropped, Objective, Race};
use stats::signed_rank::Shift;
use std::collections::BTreeMap;

/// The number of consecutive failed runs that withdraws a variant. Arbitrary: if one run in ten
/// fails by chance, three of thirty do so in a row in 3 of 100 experiments.
pub const MOST_IN_A_ROW: u32 = 3;

/// The reason and output of a failed run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastWords {
    /// The reason that it has no reading.
    pub reason: String,
    /// The last lines of its standard error.
    pub lines: String,
}

/// The failures of variants, in experiments other than sweeps.
#[derive(Debug)]
pub(super) struct Failed {
    failing: Failing,
    /// The number of consecutive failures at the end of each variant's runs.
    in_a_row: BTreeMap<u32, u32>,
    /// The last failed run's reason and output, by variant.
    last_words: BTreeMap<u32, LastWords>,
    withdrawn: Vec<Withdrawal>,
    /// The number of withdrawn variants that the rounds already leave out.
    left_out: usize,
}

impl Failed {
    pub(super) fn new(failing: Failing) -> Self {
        let (in_a_row, last_words) = (BTreeMap::new(), BTreeMap::new());
        Self { failing, in_a_row, last_words, withdrawn: Vec::new(), left_out: 0 }
    }

    /// True if a failed run counts as measured.
    pub(super) fn counts(&self) -> bool {
        self.failing == Failing::EndsAll
    }

    /// Records a failed run of a variant, without a reading for this reason.
    fn fail(&mut self, run: &Run, reason: Option<String>) {
        let variant = run.place.variant;
        if let Some(reason) = reason {
            let lines = run.stderr_tail.clone().unwrap_or_default();
            self.last_words.insert(variant, LastWords { reason, lines });
        }
        let in_a_row = self.in_a_row.entry(variant).or_insert(0);
        *in_a_row += 1;
        let is_enough = *in_a_row >= MOST_IN_A_ROW || run.outcome == Outcome::TimedOut;
        if is_enough && !self.withdrawn.iter().any(|withdrawal| withdrawal.variant == variant) {
            self.withdrawn.push(Withdrawal::of_failed(run));
        }
    }

    pub(super) fn succeed(&mut self, variant: u32) {
        self.in_a_row.remove(&variant);
    }

    /// The withdrawn variants, and the reason and output of each variant's last failed run.
    pub(super) fn finish(self) -> (Vec<Withdrawal>, BTreeMap<u32, LastWords>) {
        (self.withdrawn, self.last_words)
    }
}

impl Conductor<'_> {
    /// True if a run failed in an experiment that survives it. A harness's measurements of a
    /// benchmark before its process failed still count.
    pub(super) fn fails(&self, run: &Run) -> bool {
        match &self.field {
            Some(field) => field.fails(run.outcome),
            None => {
                let ended_well = run.outcome == Outcome::Exited(0) && run.stderr_tail.is_none();
                !self.failed.counts()
                    && run.place.source == Source::Run
                    && !ended_well
                    && !self.deciding(run).any(|value| value.is_ok())
            }
        }
    }

    /// A run's readings of the deciding metrics.
    fn deciding<'r>(&'r self, run: &'r Run) -> impl Iterator<Item = &'r Value> {
        let deciding = self.sequence.members().iter().filter(|member| member.decides);
        deciding.filter_map(|member| run.readings.get(&member.metric.reading()))
    }

    pub(super) fn take_failed(&mut self, run: &Run) {
        let missing = self.deciding(run).find_map(|value| value.as_ref().err());
        let reason = missing.map(|missing| missing.0.to_string());
        match &mut self.field {
            Some(field) => field.fail(run),
            None => self.failed.fail(run, reason),
        }
        if run.place.source == Source::Run && !run.place.warmup {
            self.timing.ran(run.place.round, run.started_unix_ns, 0.0);
            self.count(run);
        } else if self.begun == 0 {
            self.leave_out_failed();
        }
    }

    /// Leaves out the variants that were withdrawn for failing repeatedly.
    pub(super) fn leave_out_failed(&mut self) {
        for withdrawal in &self.failed.withdrawn[self.failed.left_out..] {
            self.standings.give_up(withdrawal.variant);
        }
        self.failed.left_out = self.failed.withdrawn.len();
    }

    /// True if too many variants have been withdrawn for any to take part.
    pub(super) fn nobody_is_left(&self) -> bool {
        !self.failed.withdrawn.is_empty() && self.standings.active(self.rounds) == 0
    }
}

/// The number of readings over a limit, with none below it, that shows that a point exceeds it.
const READINGS_OVER: usize = 3;

/// The points of a sweep.
#[derive(Debug)]
pub(super) struct Field {
    rule: SweepRule,
    race: Race,
    variants: u32,
    withdrawn: Vec<Withdrawal>,
    in_round: u32,
    /// The levels at which each pair of points is compared.
    levels: Sequence,
    /// The rule for comparing pairs of points. Differences below the margin do not matter.
    comparing: ComparisonSettings,
}

impl Field {
    /// A field of all points. The probability that any point leaves for being worse although it is
    /// not is at most 1 - confidence, and so is that of any wrong standing.
    pub(super) fn new(rule: SweepRule, variants: u32, stopping: &StoppingRule) -> Self {
        let StoppingRule { margin, confidence, estimator, .. } = *stopping;
        let race = Race::new(1.0 - confidence).expect("what a confidence leaves is a probability");
        let pairs = variants as usize * (variants as usize).saturating_sub(1) / 2;
        let members = design::members(Some(&rule.objectives()), pairs, confidence);
        let comparing = ComparisonSettings { estimator: estimator.into(), margin };
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

    pub(super) fn in_round(&self) -> u32 {
        self.in_round
    }

    pub(super) fn left(&self) -> u32 {
        self.variants - u32::try_from(self.withdrawn.len()).expect("at most 2^20 variants")
    }

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

    pub(super) fn fail(&mut self, run: &Run) {
        if self.takes_part(run.place.variant) {
            self.withdrawn.push(Withdrawal::of_failed(run));
        }
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
        let active = (0..self.variants).filter(|&variant| self.takes_part(variant));
        let active: Vec<usize> = active.map(|variant| variant as usize).collect();
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

    /// The standing of each point, by all pairs at the last look; `None` for one that is out.
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
            let (from, to) = (one.min(other), one.max(other));
            let shifts =
                pairs.entry((from, to)).or_insert_with(|| self.differences(from, to, columns));
            let Some(shifts) = shifts else { return Relation::Open };
            let of_one =
                shifts.iter().map(|&shift| if one == to { shift } else { reversed(shift) });
            relation(&of_one.collect::<Vec<Shift>>(), self.comparing.margin.log())
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

    /// The differences of the second point from the first in each objective, in logarithms.
    fn differences(&self, from: u32, to: u32, columns: &Columns) -> Option<Vec<Shift>> {
        let objectives = self.rule.objectives();
        objectives.iter().map(|id| self.difference(id, from, to, columns)).collect()
    }

    fn difference(&self, id: &MetricId, from: u32, to: u32, columns: &Columns) -> Option<Shift> {
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
        let rule = ComparisonSettings {
            estimator: id.estimator(self.comparing.estimator),
            ..self.comparing
        };
        let nature = metric.nature(Source::Run);
        let compared =
            compare(&pairs, metric.direction, nature, rule, self.levels.level(id)?).ok()?;
        let RatioEstimate { ratio, low, high, .. } = compared.estimate;
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

/// The median of a variant's readings, or the quantile that the metric is.
fn median(variant: u32, id: &MetricId, columns: &Columns) -> Option<f64> {
    let values = columns.get(id, Source::Run)?.of_variant(variant);
    level_of(id, &values).map(|level| level.value)
}

fn reversed(shift: Shift) -> Shift {
    Shift { estimate: -shift.estimate, low: -shift.high, high: -shift.low }
}

/// The comparisons of an experiment, in the order of its contrasts.
#[derive(Debug, Clone)]
pub(super) struct Standings {
    pairs: Vec<(u32, u32)>,
    settled_at: Vec<Option<usize>>,
    /// The comparisons abandoned because a run of one of their variants failed.
    given_up: Vec<bool>,
    /// The number of open comparisons that need each variant.
    needs: Vec<u32>,
    /// The number of variants that the open comparisons need.
    active: u32,
    company: Option<Company>,
    /// Set for variants that do not take part any more.
    gone: Vec<bool>,
}

impl Standings {
    /// Every comparison open. Without any, every variant takes part.
    pub(super) fn new(contrasts: &Contrasts, variants: u32) -> Self {
        let Contrasts { pairs, company, .. } = contrasts.clone();
        let mut needs = vec![0; variants as usize];
        for &(baseline, candidate) in &pairs {
            needs[baseline as usize] += 1;
            needs[candidate as usize] += 1;
        }
        if pairs.is_empty() {
            needs.fill(1);
        }
        let active = count_active(&needs);
        let count = pairs.len();
        let (settled_at, given_up) = (vec![None; count], vec![false; count]);
        let gone = vec![false; needs.len()];
        Self { pairs, settled_at, given_up, needs, active, company, gone }
    }

    /// True if a variant currently takes part in the round with this number, from 0.
    pub(super) fn takes_part(&self, variant: u32, round: u32) -> bool {
        let is_company = |company: Company| variant >= company.from && round < company.rounds;
        let is_wanted = self.needs[variant as usize] > 0 || self.company.is_some_and(is_company);
        is_wanted && !self.gone[variant as usize]
    }

    /// The number of variants that take part in it.
    pub(super) fn active(&self, round: u32) -> u32 {
        let company = self.company.filter(|company| round < company.rounds);
        let left = |company: Company| {
            let all = &self.gone[company.from as usize..];
            u32::try_from(all.iter().filter(|gone| !**gone).count()).expect("at most 2^20 variants")
        };
        self.active + company.map_or(0, left)
    }

    /// The open comparisons: number, baseline and candidate.
    pub(super) fn open(&self) -> Vec<(usize, (u32, u32))> {
        let is_open = |index: &usize| self.settled_at[*index].is_none() && !self.given_up[*index];
        (0..self.pairs.len()).filter(is_open).map(|index| (index, self.pairs[index])).collect()
    }

    /// Abandons the open comparisons of a variant that is withdrawn.
    pub(super) fn give_up(&mut self, variant: u32) {
        for (number, (baseline, candidate)) in self.open() {
            if baseline == variant || candidate == variant {
                self.given_up[number] = true;
                self.needs[baseline as usize] -= 1;
                self.needs[candidate as usize] -= 1;
            }
        }
        // Settled comparisons may have kept it active, so that a round does not become empty.
        self.needs[variant as usize] = 0;
        self.gone[variant as usize] = true;
        self.active = count_active(&self.needs);
    }

    /// Closes comparisons at a look. The variants of the last ones continue to take part, so that a
    /// round never becomes empty.
    pub(super) fn settle(&mut self, numbers: &[usize], look: usize) {
        for &number in numbers {
            self.settled_at[number] = Some(look);
            let (baseline, candidate) = self.pairs[number];
            self.needs[baseline as usize] -= 1;
            self.needs[candidate as usize] -= 1;
        }
        if self.needs.iter().all(|&needs| needs == 0) {
            for &number in numbers {
                let (baseline, candidate) = self.pairs[number];
                self.needs[baseline as usize] = 1;
                self.needs[candidate as usize] = 1;
            }
        }
        self.active = count_active(&self.needs);
    }

    /// The look at which each comparison was settled, in the order of the contrasts.
    pub(super) fn settled_at(&self) -> &[Option<usize>] {
        &self.settled_at
    }
}

fn count_active(needs: &[u32]) -> u32 {
    u32::try_from(needs.iter().filter(|&&needs| needs > 0).count()).expect("at most 2^20 variants")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contrasts_of(pairs: &[(u32, u32)]) -> Contrasts {
        Contrasts { pairs: pairs.to_vec(), ..Contrasts::default() }
    }

    #[test]
    fn company_takes_part_in_the_first_rounds_whatever_is_settled() {
        let company = Some(Company { from: 2, rounds: 3 });
        let contrasts = Contrasts { company, ..contrasts_of(&[(0, 0), (1, 1)]) };
        let mut standings = Standings::new(&contrasts, 5);
        assert_eq!([0, 2, 3].map(|round| standings.active(round)), [5, 5, 2]);
        standings.settle(&[0], 1);
        assert_eq!([2, 3].map(|round| standings.active(round)), [4, 1]);
        assert!(!standings.takes_part(0, 2) && standings.takes_part(4, 2));
        assert!(standings.takes_part(1, 3) && !standings.takes_part(4, 3));
    }

    #[test]
    fn a_variant_runs_as_long_as_an_open_comparison_needs_it() {
        let mut standings = Standings::new(&contrasts_of(&[(0, 1), (1, 2), (2, 3)]), 4);
        assert_eq!(standings.active(0), 4);
        standings.settle(&[0], 2);
        assert!(!standings.takes_part(0, 0));
        assert!(standings.takes_part(1, 0));
        assert_eq!(standings.active(0), 3);
        assert_eq!(standings.open(), [(1, (1, 2)), (2, (2, 3))]);
        standings.settle(&[2], 5);
        assert_eq!(standings.active(0), 2);
        assert_eq!(standings.settled_at(), [Some(2), None, Some(5)]);
    }

    #[test]
    fn a_round_is_never_empty() {
        let mut standings = Standings::new(&contrasts_of(&[(0, 1), (1, 2)]), 3);
        standings.settle(&[0], 0);
        standings.settle(&[1], 1);
        assert_eq!(standings.open(), []);
        assert_eq!(standings.active(0), 2);
        assert!(standings.takes_part(2, 0));
    }

    #[test]
    fn who_fails_takes_along_what_is_compared_with_it() {
        let mut standings = Standings::new(&contrasts_of(&[(0, 1), (1, 2), (3, 3)]), 4);
        standings.give_up(1);
        assert_eq!(standings.open(), [(2, (3, 3))]);
        assert_eq!(standings.settled_at(), [None, None, None]);
        assert_eq!([0, 1, 2, 3].map(|v| standings.takes_part(v, 0)), [false, false, false, true]);
        standings.give_up(3);
        assert_eq!((standings.open(), standings.active(0)), (Vec::new(), 0));
    }

    #[test]
    fn without_comparisons_everyone_takes_part() {
        let standings = Standings::new(&contrasts_of(&[]), 1);
        assert_eq!(standings.active(0), 1);
        assert!(standings.takes_part(0, 0));
    }
}
