//! Turns: between rounds, the machine is given to others who wait for it.
//!
//! Rounds stay whole, so that all that is paired is measured under the same conditions. A pause is
//! no time of measuring and costs no budget, as after an interruption.

use std::time::Duration;

use measure::clock::Stopwatch;
use measure::interrupt;

use super::Conductor;
use crate::record::Event;
use run::looks::Pause;
use run::{ObserverError, Phase};

/// The least time of a turn: handing over takes up to a quarter of a second, and caches are cold after
/// it.
const TURN: Duration = Duration::from_secs(2);

/// The machine, which others may wait for while an experiment is conducted.
pub trait SharedMachine {
    /// Whether somebody waits for it.
    fn is_wanted(&self) -> bool;

    /// Lets everybody who waits have it, and has it again, unless it is interrupted. `tell` is told from
    /// time to time for whom it waits.
    fn give_way(&mut self, tell: &mut dyn FnMut(&Wait<'_>));
}

/// A wait for the machine.
pub struct Wait<'a> {
    /// For whom, in words.
    pub for_whom: &'a dyn Fn() -> String,
    /// A sentence to be said also where nobody wants to see progress; none at most times.
    pub reminder: Option<&'a str>,
}

impl Conductor<'_> {
    /// This one, on a machine that others may wait for.
    #[must_use]
    pub fn on_shared(self, machine: Box<dyn SharedMachine>) -> Self {
        Self { machine: Some((machine, Stopwatch::start())), ..self }
    }

    /// Gives way to those who wait for the machine, where its turn is over and so many rounds of the
    /// phase are done.
    pub(super) fn give_way(&mut self, done: u32) -> Result<(), ObserverError> {
        let Some((machine, turn)) = &mut self.machine else { return Ok(()) };
        if turn.elapsed() < TURN || !machine.is_wanted() {
            return Ok(());
        }
        self.timing.stop_watch();
        let watcher = &mut self.watcher;
        machine.give_way(&mut |wait| watcher.wait(wait));
        *turn = Stopwatch::start();
        if interrupt::requested() {
            return Ok(());
        }
        self.go_on(done)
    }

    /// Measuring begins, or goes on, when so many rounds of the phase are done.
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

    /// No more rounds than are left of the turn, as far as one can tell; of another turn, where nobody
    /// waited at its end.
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
