//! The time spent measuring, also over several days of it: pauses between them do not count.
//!
//! While measuring, a watch counts, which nobody can set. Of the past there are only the times at
//! which runs began, which their launcher counted with such a watch, from the time of day at its
//! own start; where another launcher went on, it is kept how much had passed until then.

use std::collections::VecDeque;

use measure::clock::Stopwatch;

use run::looks::Pause;

/// How long measuring has taken.
#[derive(Debug, Default)]
pub(super) struct Timing {
    /// Until a moment of the past.
    before_seconds: f64,
    /// Since then.
    watch: Option<Stopwatch>,
    /// What the watch showed when a run was told last.
    seen_seconds: f64,
    /// Where there is no watch, because the runs are of the past: their own clock.
    since_ns: Option<u64>,
    last_end_ns: u64,
    /// The pauses of the past that are not reached yet.
    pauses: VecDeque<Pause>,
}

impl Timing {
    /// Seconds of measuring until now.
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

    /// Between the runs of the past there are these pauses.
    pub(super) fn expect_pauses(&mut self, pauses: &[Pause]) {
        self.pauses = pauses.iter().copied().collect();
    }

    /// What came before took so long; from now on the runs' own clock counts.
    pub(super) fn restart(&mut self, before_seconds: f64) {
        let pauses = std::mem::take(&mut self.pauses);
        *self = Self { before_seconds, pauses, ..Self::default() };
    }

    /// Measuring goes on: a watch counts, or else the runs' own clock.
    pub(super) fn go_on(&mut self, with_watch: bool) {
        self.restart(self.elapsed_seconds());
        self.pauses.clear();
        self.watch = with_watch.then(Stopwatch::start);
    }

    /// It is over: no time passes since the last run.
    pub(super) fn stop_watch(&mut self) {
        if self.watch.is_some() {
            self.restart(self.before_seconds + self.seen_seconds);
        }
    }

    /// A run of this round took so long on the wall clock.
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
