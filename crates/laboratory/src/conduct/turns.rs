//! Turns: between rounds, the machine is given to others who wait for it.
//!
//! Rounds stay whole, so that pairs are measured under the same conditions. A pause is not
//! measuring time and costs no budget, as after an interruption.

use std::time::Duration;

use measure::clock::Stopwatch;
use measure::interrupt;

use super::Conductor;
use crate::watcher::{self, Wait};
use run::Pause;
use run::{ObserverError, Phase};
use store::record::Event;

/// The least time of a turn: handing over takes up to a quarter of a second, and caches are cold
/// afterwards.
const TURN: Duration = Duration::from_secs(2);

/// The machine, which others may wait for while an experiment is conducted.
pub trait SharedMachine {
    /// True if another process waits for it.
    fn is_wanted(&self) -> bool;

    /// Lets all waiting processes have it, and takes it back, unless interrupted. `tell` is called
    /// from time to time with the wait.
    fn give_way(&mut self, tell: &mut dyn FnMut(&Wait<'_>));
}

impl Conductor<'_> {
    /// This conductor, on a machine that others may wait for.
    #[must_use]
    pub fn on_shared(self, machine: Box<dyn SharedMachine>) -> Self {
        Self { machine: Some((machine, Stopwatch::start())), ..self }
    }

    /// Gives way to processes that wait for the machine, if its turn is over, after `done` rounds
    /// of the phase.
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
        if interrupt::requested() {
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

    /// At most the number of rounds expected to fit into the rest of the turn, or into another turn
    /// if it is over.
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
