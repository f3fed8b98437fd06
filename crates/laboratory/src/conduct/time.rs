//! An experiment over time: the seconds of measuring, turns with others, and the past of one that is
//! continued or judged again.
//!
//! Only measuring counts, possibly over several days: an interruption, or a pause in which others have
//! the machine, costs no budget. While measuring, a stopwatch counts, which cannot be set. For past
//! runs only their start times are known, which their launcher counted with such a watch, from the
//! time of day at its own start; for a new launcher, the time that had passed until then was recorded.
//!
//! Rounds stay whole when the machine is given away, so that pairs are measured under the same
//! conditions.

use std::collections::VecDeque;
use std::time::Duration;

use measure::clock::Stopwatch;
use model::design::stopping::{Next, StopReason};
use model::metric::Source;
use model::note::Note;
use model::run::Printed;
use model::run::Run;
use run::{LookTaken, ObserverError, Pause, Phase};
use store::record::{Event, Stop};

use super::{Conducted, Conductor};
use crate::machine::Turns;
use crate::watcher;

#[derive(Debug, Default)]
pub(super) struct Timing {
    /// Seconds until a moment of the past.
    before_seconds: f64,
    /// The watch since then.
    watch: Option<Stopwatch>,
    /// The watch's time at the last run.
    seen_seconds: f64,
    /// For past runs, which have no watch: the start on their own clock.
    since_ns: Option<u64>,
    last_end_ns: u64,
    /// The pauses of the past that are still to come.
    pauses: VecDeque<Pause>,
}

impl Timing {
    pub(super) fn elapsed_seconds(&self) -> f64 {
        let since = match &self.watch {
            Some(watch) => watch.elapsed().as_secs_f64(),
            None => {
                let since = self.since_ns.unwrap_or(self.last_end_ns);
                self.last_end_ns.saturating_sub(since) as f64 / 1e9
            }
        };
        self.before_seconds + since
    }

    fn expect_pauses(&mut self, pauses: &[Pause]) {
        self.pauses = pauses.iter().copied().collect();
    }

    /// Restarts after this time; from now on the runs' own clock counts.
    fn restart(&mut self, before_seconds: f64) {
        let pauses = std::mem::take(&mut self.pauses);
        *self = Self { before_seconds, pauses, ..Self::default() };
    }

    /// Resumes measuring, timed by a watch or else by the runs' own clock.
    pub(super) fn go_on(&mut self, with_watch: bool) {
        self.restart(self.elapsed_seconds());
        self.pauses.clear();
        self.watch = with_watch.then(Stopwatch::start);
    }

    pub(super) fn stop_watch(&mut self) {
        if self.watch.is_some() {
            self.restart(self.before_seconds + self.seen_seconds);
        }
    }

    /// Records a run of this round with its wall time.
    pub(super) fn ran(&mut self, round: u32, started_unix_ns: u64, wall_seconds: f64) {
        while let Some(pause) = self.pauses.front().copied().filter(|pause| pause.round <= round) {
            self.pauses.pop_front();
            self.restart(pause.elapsed_seconds);
        }
        if let Some(watch) = &self.watch {
            self.seen_seconds = watch.elapsed().as_secs_f64();
            return;
        }
        self.since_ns.get_or_insert(started_unix_ns);
        self.last_end_ns = started_unix_ns + (wall_seconds * 1e9) as u64;
    }
}

/// The least time of a turn: handing over takes up to a quarter of a second.
const TURN: Duration = Duration::from_secs(2);

impl Conductor<'_> {
    /// This conductor, on a machine that others may wait for.
    #[must_use]
    pub(crate) fn on_shared(self, machine: Turns) -> Self {
        Self { machine: Some((machine, Stopwatch::start())), ..self }
    }

    /// Gives way to processes that wait, if the turn is over, after `done` rounds of the phase.
    pub(super) fn give_way(&mut self, done: u32) -> Result<(), ObserverError> {
        let Some((machine, turn)) = &mut self.machine else { return Ok(()) };
        if turn.elapsed() < TURN || !machine.is_wanted() {
            return Ok(());
        }
        self.timing.stop_watch();
        let watcher = &mut self.watcher;
        machine.give_way(&mut |wait| watcher.on(watcher::Event::Waiting(*wait)));
        watcher.on(watcher::Event::Waited);
        *turn = Stopwatch::start();
        if measure::interrupt::requested() {
            return Ok(());
        }
        self.go_on(done)
    }

    /// Begins or resumes measuring, after `done` rounds of the phase.
    pub(super) fn go_on(&mut self, done: u32) -> Result<(), ObserverError> {
        if self.phase == Phase::Rounds {
            self.timing.go_on(!self.design.replayed);
            if done > 0 {
                let elapsed_seconds = self.timing.elapsed_seconds();
                self.keeper.keep(Event::Pause(Pause { round: done, elapsed_seconds }))?;
            }
        }
        self.marks.begin(self.now(), f64::from(done));
        Ok(())
    }

    /// The rounds that fit into the rest of the turn, or into another one if it is over.
    pub(super) fn within_a_turn(&self, rounds: u32) -> u32 {
        let Some((_, turn)) = &self.machine else { return rounds };
        let left = TURN.saturating_sub(turn.elapsed());
        let left = if left.is_zero() { TURN } else { left };
        let pace = self.marks.pace(self.now());
        let most =
            pace.map_or(u32::MAX, |pace| (left.as_secs_f64() / pace.seconds_each).ceil() as u32);
        rounds.min(most.max(1))
    }
}

/// The events of a past experiment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Past {
    /// The runs, in the order of their execution; empty if they are read one by one.
    pub runs: Vec<Run>,
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

    /// Observes a past that is continued.
    pub fn take_up(&mut self, past: &Past) {
        self.begin_replay(past);
        past.runs.iter().for_each(|run| self.replay(run, past));
        self.end_replay(past);
    }

    fn end_replay(&mut self, past: &Past) {
        self.replay_looks(u32::MAX, &past.looks);
        past.printed.iter().for_each(|printed| self.take_output(printed.clone()));
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
