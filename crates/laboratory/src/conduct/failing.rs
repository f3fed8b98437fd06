//! Handling of failing runs in experiments that survive them.
//!
//! A failed run costs its reading. A variant with [`MOST_IN_A_ROW`] failed runs in a row is
//! withdrawn from the next round on; so is one that exceeded its time limit, because waiting for
//! that again would take long.

use std::collections::BTreeMap;

use measure::Outcome;

use super::Conductor;
use model::design::contrasts::Failing;
use model::metric::{Source, Value};
use model::run::Run;
use model::sweep::rule::Withdrawal;

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
    /// No failures yet.
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

    /// Records a successful run of a variant.
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
                    && !self.decides(run)
            }
        }
    }

    /// True if a run has a reading of a deciding metric.
    fn decides(&self, run: &Run) -> bool {
        self.deciding(run).any(|value| value.is_ok())
    }

    /// A run's readings of the deciding metrics.
    fn deciding<'r>(&'r self, run: &'r Run) -> impl Iterator<Item = &'r Value> {
        let deciding = self.sequence.members().iter().filter(|member| member.decides);
        deciding.filter_map(|member| run.readings.get(&member.metric.reading()))
    }

    /// Records a failed run.
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
