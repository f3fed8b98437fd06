//! Replays an experiment of the past: its runs as if they happened now, including looks.

use super::{Conducted, Conductor};
use model::design::stopping::{Next, StopReason};
use model::metric::Source;
use model::note::Note;
use model::run::Printed;
use model::run::Run;
use run::Phase;
use run::{LookTaken, Pause};
use store::record::Stop;

/// The events of a past experiment besides its runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Past {
    /// The looks taken, in order.
    pub looks: Vec<LookTaken>,
    /// The pauses in measuring, in order.
    pub pauses: Vec<Pause>,
    /// The outputs of variants run for their output.
    pub printed: Vec<Printed>,
    /// Notes from the runner of the experiment.
    pub noted: Vec<Note>,
    /// Its end, if known.
    pub ended: Option<Stop>,
}

impl Conductor<'_> {
    /// Prepares for the replay of a past.
    pub fn begin_replay(&mut self, past: &Past) {
        self.timing.expect_pauses(&past.pauses);
    }

    /// Observes a past run, and takes the looks that were due after it: the recorded ones, or, if
    /// none were recorded, those that would have been due.
    pub fn replay(&mut self, run: &Run, past: &Past) {
        let is_judged = !run.place.warmup && run.place.source == Source::Run;
        if is_judged && run.place.round >= self.rounds {
            self.replay_looks(run.place.round, &past.looks);
        }
        // The round before was cut off, and this one was the first after a resumption.
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

    /// Takes the events after the last run of a past.
    pub fn end_replay(&mut self, past: &Past) {
        self.replay_looks(u32::MAX, &past.looks);
        past.printed.iter().for_each(|printed| self.outputs.take(printed.clone()));
        past.noted.iter().for_each(|note| self.take_note(note.clone()));
    }

    /// Ends the replay of a past in the way it ended.
    pub fn finish_replay(mut self, past: &Past) -> Conducted {
        self.end_replay(past);
        let Some(Stop { reason, elapsed_seconds, .. }) = past.ended else {
            return self.finish(StopReason::Interrupted);
        };
        // An experiment that ended by itself had decided once more whether to continue.
        if reason != StopReason::Interrupted && self.begun == 0 {
            self.look_at_field();
        }
        self.timing.restart(elapsed_seconds);
        self.finish(reason)
    }

    /// Takes the recorded looks up to this round.
    fn replay_looks(&mut self, rounds: u32, looks: &[LookTaken]) {
        let taken = self.sequence.looks();
        for look in looks.iter().skip(taken).filter(|look| look.rounds <= rounds) {
            self.rounds = look.rounds;
            self.take_look(*look);
            self.timing.restart(look.elapsed_seconds);
        }
    }
}
