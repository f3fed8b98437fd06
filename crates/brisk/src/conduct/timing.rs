//! The time spent measuring, also over several days of it: pauses between them do not count.

use measure::clock::Stopwatch;

/// How long measuring has taken.
#[derive(Debug, Default)]
pub(super) struct Timing {
    /// Until a moment of the past.
    before_seconds: f64,
    /// Since then.
    watch: Option<Stopwatch>,
    /// Where there is no watch, because the runs are of the past: their own clock.
    since_ns: Option<u64>,
    last_end_ns: u64,
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

    /// What came before took so long; from now on the runs' own clock counts.
    pub(super) fn restart(&mut self, before_seconds: f64) {
        *self = Self { before_seconds, ..Self::default() };
    }

    /// Measuring goes on: a watch counts, or else the runs' own clock.
    pub(super) fn go_on(&mut self, with_watch: bool) {
        self.restart(self.elapsed_seconds());
        self.watch = with_watch.then(Stopwatch::start);
    }

    /// From now on, time passes only as runs do.
    pub(super) fn stop_watch(&mut self) {
        self.watch = None;
    }

    /// A run took so long on the wall clock.
    pub(super) fn ran(&mut self, started_unix_ns: u64, wall_seconds: f64) {
        self.since_ns.get_or_insert(started_unix_ns);
        self.last_end_ns = started_unix_ns + (wall_seconds * 1e9) as u64;
    }
}
