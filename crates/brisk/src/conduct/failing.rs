//! What becomes of a variant whose runs fail, where an experiment outlives that.
//!
//! A run that fails now and then costs its reading. A variant of which [`MOST_IN_A_ROW`] runs in a
//! row have failed takes part no more, from the next round on; so does one that ran into its time
//! limit, because waiting for that again would be long.

use std::collections::BTreeMap;

use measure::Outcome;

use super::Conductor;
use model::design::contrasts::Failing;
use model::metric::{Source, Value};
use model::run::Run;
use model::sweep::rule::Withdrawal;

/// So many failed runs in a row take a variant out of the experiment. Arbitrary: where one run in
/// ten fails by chance, three of thirty do so in a row in 3 of 100 experiments.
pub const MOST_IN_A_ROW: u32 = 3;

/// What a failed run said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastWords {
    /// Why it has no reading.
    pub reason: String,
    /// The last lines that it wrote.
    pub lines: String,
}

/// Whose runs failed, in experiments other than sweeps.
#[derive(Debug)]
pub(super) struct Failed {
    failing: Failing,
    /// How many of each variant's last runs failed.
    in_a_row: BTreeMap<u32, u32>,
    /// What the last failed run of each variant said at its end.
    last_words: BTreeMap<u32, LastWords>,
    withdrawn: Vec<Withdrawal>,
    /// How many of them are left out of the rounds by now.
    left_out: usize,
}

impl Failed {
    /// Nobody's.
    pub(super) fn new(failing: Failing) -> Self {
        let (in_a_row, last_words) = (BTreeMap::new(), BTreeMap::new());
        Self { failing, in_a_row, last_words, withdrawn: Vec::new(), left_out: 0 }
    }

    /// Whether a run that fails counts as one that was measured.
    pub(super) fn counts(&self) -> bool {
        self.failing == Failing::EndsAll
    }

    /// A run of a variant failed, and has no reading for this reason.
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

    /// A run of a variant did not.
    pub(super) fn succeed(&mut self, variant: u32) {
        self.in_a_row.remove(&variant);
    }

    /// Who takes part no more, and what the failed runs of each variant said last.
    pub(super) fn finish(self) -> (Vec<Withdrawal>, BTreeMap<u32, LastWords>) {
        (self.withdrawn, self.last_words)
    }
}

impl Conductor<'_> {
    /// Whether a run failed in an experiment that outlives that. What a harness measured of a
    /// benchmark before its process failed counts.
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

    /// Whether a run has a reading that decides something.
    fn decides(&self, run: &Run) -> bool {
        self.deciding(run).any(|value| value.is_ok())
    }

    /// The readings of a run that decide something.
    fn deciding<'r>(&'r self, run: &'r Run) -> impl Iterator<Item = &'r Value> {
        let deciding = self.sequence.members().iter().filter(|member| member.decides);
        deciding.filter_map(|member| run.readings.get(&member.metric.reading()))
    }

    /// Takes note of a run that failed.
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

    /// Goes on without those whose runs failed again and again.
    pub(super) fn leave_out_failed(&mut self) {
        for withdrawal in &self.failed.withdrawn[self.failed.left_out..] {
            self.standings.give_up(withdrawal.variant);
        }
        self.failed.left_out = self.failed.withdrawn.len();
    }

    /// Whether nobody takes part any more, because runs of too many have failed.
    pub(super) fn nobody_is_left(&self) -> bool {
        !self.failed.withdrawn.is_empty() && self.standings.active(self.rounds) == 0
    }
}
