//! Observing an experiment of the past again: its runs as if they happened now, looks and all.

use super::Conductor;
use crate::judge::stopping::Next;
use crate::metric::Source;
use crate::run::looks::{LookTaken, Pause};
use crate::run::{Phase, Run};

impl Conductor<'_> {
    /// Before a past is observed in which there are these pauses.
    pub fn expect_pauses(&mut self, pauses: &[Pause]) {
        self.timing.expect_pauses(pauses);
    }

    /// Observes a run of the past, and takes the looks that were due after it: `looks` are those
    /// that were taken then, in their order; where none were kept, those that would have been.
    pub fn replay(&mut self, run: &Run, looks: &[LookTaken]) {
        let is_judged = !run.place.warmup && run.place.source == Source::Run;
        if is_judged && run.place.round >= self.rounds {
            self.replay_looks(run.place.round, looks);
        }
        // The round before was cut off, and this one began as the first of its day.
        if is_judged && self.begun > 0 && run.place.round != self.last_round {
            self.begun = 0;
        }
        if is_judged && self.begun == 0 {
            self.look_at_field();
        }
        self.phase = Phase::Rounds;
        self.take(run);
        if looks.is_empty() && self.stop.is_none() && is_judged && self.begun == 0 {
            let due = self.design.stopping.next(self.progress(), self.next_look(), self.looked);
            if due == Next::Look {
                self.due_look();
            }
        }
    }

    /// Takes the kept looks up to this round again.
    pub fn replay_looks(&mut self, rounds: u32, looks: &[LookTaken]) {
        let taken = self.sequence.looks();
        for look in looks.iter().skip(taken).filter(|look| look.rounds <= rounds) {
            self.rounds = look.rounds;
            self.take_look(*look);
            self.timing.restart(look.elapsed_seconds);
        }
    }
}
