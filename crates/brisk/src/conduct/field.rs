//! The field of a sweep: which points still take part, and why the others do not.
//!
//! Points leave between rounds: the ones that are hopeless, the ones that do not keep to a limit,
//! and the ones of which a run failed. When one leaves depends only on the runs before, so a sweep
//! that is taken up another day has the same field again.

use measure::Outcome;
use stats::race::{Dropped, Objective, Race};

use crate::metric::{MetricId, Source};
use crate::run::Run;
use crate::sample::Columns;
use crate::sweep::rule::{Reason, SweepRule, Withdrawal};

/// So many readings over a limit, and none below it, show that a point does not keep to it.
const READINGS_OVER: usize = 3;

/// Who takes part in a sweep.
#[derive(Debug)]
pub(super) struct Field {
    rule: SweepRule,
    race: Race,
    variants: u32,
    withdrawn: Vec<Withdrawal>,
    /// How many took part in the round in progress.
    in_round: u32,
    /// What differs by less does not matter; in logarithms.
    tolerance: f64,
}

impl Field {
    /// Everyone takes part. What differs by less than `tolerance`, in logarithms, does not matter; the
    /// probability that any point leaves for being worse although it is not is at most `alpha`.
    pub(super) fn new(rule: SweepRule, variants: u32, tolerance: f64, alpha: f64) -> Self {
        let race = Race::new(alpha).expect("what a confidence leaves is a probability");
        Self { rule, race, variants, tolerance, withdrawn: Vec::new(), in_round: variants }
    }

    /// Whether a metric decides who stays.
    pub(super) fn reads(&self, id: &MetricId) -> bool {
        self.rule.objectives().contains(id) || self.rule.limits.iter().any(|l| l.metric == *id)
    }

    pub(super) fn takes_part(&self, variant: u32) -> bool {
        !self.withdrawn.iter().any(|withdrawal| withdrawal.variant == variant)
    }

    /// How many took part in the round in progress.
    pub(super) fn in_round(&self) -> u32 {
        self.in_round
    }

    /// How many take part in the next round.
    pub(super) fn left(&self) -> u32 {
        self.variants - u32::try_from(self.withdrawn.len()).expect("at most 2^20 variants")
    }

    /// Begins a round with those who take part by now.
    pub(super) fn begin_round(&mut self) {
        self.in_round = self.left();
    }

    /// How many more rounds may be run before the field is looked at again, after so many.
    pub(super) fn until_look(&self, rounds: u32) -> u32 {
        match self.rule.is_exhaustive && self.rule.limits.is_empty() {
            true => u32::MAX,
            false => self.next_look().saturating_sub(rounds).max(1),
        }
    }

    /// Whether a run that ends like this takes its variant out.
    pub(super) fn fails(&self, outcome: Outcome) -> bool {
        self.rule.fails(outcome)
    }

    /// A run of a variant failed: it takes part no more.
    pub(super) fn fail(&mut self, run: &Run) {
        if !self.takes_part(run.place.variant) {
            return;
        }
        self.withdrawn.push(Withdrawal::of_failed(run));
    }

    fn next_look(&self) -> u32 {
        u32::try_from(self.race.next_look()).unwrap_or(u32::MAX)
    }

    /// Looks at the field after so many rounds, if it is time: who takes part no more.
    pub(super) fn look(&mut self, rounds: u32, columns: &Columns) {
        if rounds < self.next_look() {
            return;
        }
        for limit in 0..self.rule.limits.len() {
            self.withdraw_over(limit, rounds, columns);
        }
        let logs: Vec<Vec<Vec<f64>>> =
            self.rule.objectives().iter().map(|id| self.logs(id, rounds, columns)).collect();
        let tolerance = self.tolerance;
        let objectives: Vec<Objective<'_>> =
            logs.iter().map(|logs| Objective { logs, tolerance }).collect();
        let active: Vec<usize> = (0..self.variants)
            .filter(|&variant| self.takes_part(variant))
            .map(|variant| variant as usize)
            .collect();
        // What the others are compared with stays.
        let dropped = self.race.look(&objectives, &active, Some(0));
        // Of a reading that is 0 nothing can be told by ratios; then everyone stays.
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

    /// The logarithms of a metric's readings, by variant and round; NaN where there is none.
    fn logs(&self, id: &MetricId, rounds: u32, columns: &Columns) -> Vec<Vec<f64>> {
        let column = columns.get(id, Source::Run);
        let of = |variant: u32| match column {
            Some(column) => column.in_rounds(variant, rounds as usize).map(f64::ln).collect(),
            None => vec![f64::NAN; rounds as usize],
        };
        (0..self.variants).map(of).collect()
    }

    /// Who takes part no more.
    pub(super) fn into_withdrawn(self) -> Vec<Withdrawal> {
        self.withdrawn
    }
}
