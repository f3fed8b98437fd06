//! Observing an experiment of the past again: its runs as if they happened now, looks and all.

use super::{Conducted, Conductor};
use crate::record::Stop;
use model::design::stopping::{Next, StopReason};
use model::metric::Source;
use model::note::Note;
use model::output::Printed;
use model::run::Run;
use run::Phase;
use run::looks::{LookTaken, Pause};

/// What happened in an experiment of the past besides its runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Past {
    /// The looks that were taken, in their order.
    pub looks: Vec<LookTaken>,
    /// The pauses after which measuring went on, in their order.
    pub pauses: Vec<Pause>,
    /// What variants printed that were run for it.
    pub printed: Vec<Printed>,
    /// What whoever ran it noticed.
    pub noted: Vec<Note>,
    /// How it ended, where that is known.
    pub ended: Option<Stop>,
}

impl Conductor<'_> {
    /// Before a past is observed.
    pub fn begin_replay(&mut self, past: &Past) {
        self.timing.expect_pauses(&past.pauses);
    }

    /// Observes a run of the past, and takes the looks that were due after it: those that were taken
    /// then; where none were kept, those that would have been.
    pub fn replay(&mut self, run: &Run, past: &Past) {
        let is_judged = !run.place.warmup && run.place.source == Source::Run;
        if is_judged && run.place.round >= self.rounds {
            self.replay_looks(run.place.round, &past.looks);
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
        if past.looks.is_empty() && self.stop.is_none() && is_judged && self.begun == 0 {
            let due = self.design.stopping.next(self.progress(), self.next_look(), self.looked);
            if due == Next::Look {
                self.due_look();
            }
        }
    }

    /// After the runs of a past.
    pub fn end_replay(&mut self, past: &Past) {
        self.replay_looks(u32::MAX, &past.looks);
        past.printed.iter().for_each(|printed| self.outputs.take(printed.clone()));
        past.noted.iter().for_each(|note| self.take_note(note.clone()));
    }

    /// Ends the observation of a past as it ended then.
    pub fn finish_replay(mut self, past: &Past) -> Conducted {
        self.end_replay(past);
        let Some(Stop { reason, elapsed_seconds, .. }) = past.ended else {
            return self.finish(StopReason::Interrupted);
        };
        // What ends by itself was asked once more how to go on.
        if reason != StopReason::Interrupted && self.begun == 0 {
            self.look_at_field();
        }
        self.timing.restart(elapsed_seconds);
        self.finish(reason)
    }

    /// Takes the kept looks up to this round again.
    fn replay_looks(&mut self, rounds: u32, looks: &[LookTaken]) {
        let taken = self.sequence.looks();
        for look in looks.iter().skip(taken).filter(|look| look.rounds <= rounds) {
            self.rounds = look.rounds;
            self.take_look(*look);
            self.timing.restart(look.elapsed_seconds);
        }
    }
}
