//! The time spent measuring, possibly over several days: pauses do not count.
//!
//! While measuring, a stopwatch counts, which cannot be set. For past runs only their start times
//! are known, which their launcher counted with such a watch, from the time of day at its own
//! start; for a new launcher, the time that had passed until then was recorded.

use std::collections::VecDeque;

use measure::clock::Stopwatch;

use run::looks::Pause;

/// The time spent measuring.
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

    /// Sets the pauses between the runs of the past.
    pub(super) fn expect_pauses(&mut self, pauses: &[Pause]) {
        self.pauses = pauses.iter().copied().collect();
    }

    /// Restarts after this time; from now on the runs' own clock counts.
    pub(super) fn restart(&mut self, before_seconds: f64) {
        let pauses = std::mem::take(&mut self.pauses);
        *self = Self { before_seconds, pauses, ..Self::default() };
    }

    /// Resumes measuring, timed by a watch or else by the runs' own clock.
    pub(super) fn go_on(&mut self, with_watch: bool) {
        self.restart(self.elapsed_seconds());
        self.pauses.clear();
        self.watch = with_watch.then(Stopwatch::start);
    }

    /// Stops the watch at the end of the last run.
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
