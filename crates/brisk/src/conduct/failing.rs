//! What becomes of a variant whose run fails, where an experiment outlives that: it takes part no
//! more, from the next round on.

use measure::Outcome;

use super::Conductor;
use crate::judge::contrasts::Failing;
use crate::metric::Source;
use crate::run::Run;
use crate::sweep::rule::Withdrawal;

/// Whose runs failed, in experiments other than sweeps.
#[derive(Debug)]
pub(super) struct Failed {
    failing: Failing,
    withdrawn: Vec<Withdrawal>,
    /// How many of them are left out of the rounds by now.
    left_out: usize,
}

impl Failed {
    /// Nobody's.
    pub(super) fn new(failing: Failing) -> Self {
        Self { failing, withdrawn: Vec::new(), left_out: 0 }
    }

    /// A run of a variant failed.
    fn fail(&mut self, run: &Run) {
        let variant = run.place.variant;
        if !self.withdrawn.iter().any(|withdrawal| withdrawal.variant == variant) {
            self.withdrawn.push(Withdrawal::of_failed(run));
        }
    }

    /// Who takes part no more.
    pub(super) fn into_withdrawn(self) -> Vec<Withdrawal> {
        self.withdrawn
    }
}

impl Conductor<'_> {
    /// Whether a run takes its variant out of the experiment.
    pub(super) fn fails(&self, run: &Run) -> bool {
        match &self.field {
            Some(field) => field.fails(run.outcome),
            None => {
                self.failed.failing == Failing::LeavesTheRest
                    && run.place.source == Source::Run
                    && run.outcome != Outcome::Exited(0)
            }
        }
    }

    /// Takes note of a run that takes its variant out.
    pub(super) fn take_failed(&mut self, run: &Run) {
        match &mut self.field {
            Some(field) => field.fail(run),
            None => self.failed.fail(run),
        }
        if run.place.source == Source::Run && !run.place.warmup {
            self.count(run);
        } else if self.begun == 0 {
            self.leave_out_failed();
        }
    }

    /// Goes on without those whose runs failed.
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
