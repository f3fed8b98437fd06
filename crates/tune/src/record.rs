//! The results for each point so far, and the estimates of their times.
//!
//! Runs are compared across batches, between which the machine may have changed. A batch's share is
//! the deviation common to all points in it that had been run before: see [`stats::batches`]. So a
//! single disturbed run of the default does not make everything beside it look fast; neither does
//! the best point, which was chosen for its luck and mostly has less of it the next time.

use stats::batches;
use stats::describe::quantiles;

use super::space::Point;

/// The outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// It was successful.
    Finished {
        /// The quantity to minimise, in seconds: wall time or CPU time.
        seconds: f64,
        /// Its peak memory in bytes.
        peak_bytes: f64,
    },
    /// It was stopped because it took too long.
    Stopped {
        /// The seconds until it was stopped.
        after_seconds: f64,
    },
    /// It was unsuccessful: it crashed, ran out of memory, or was refused.
    Failed,
}

/// One finished run.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    batch: usize,
    log_seconds: f64,
    peak_bytes: f64,
}

/// The results of one point.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    point: Point,
    runs: Vec<Run>,
    /// Set if any run of it failed or was stopped.
    is_out: bool,
}

/// The estimates from the runs of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The point.
    pub point: Point,
    /// Its time in seconds, corrected to the state of the machine in the first batch.
    pub seconds: f64,
    /// The median of its memory peaks, in bytes.
    pub peak_bytes: f64,
    /// The number of runs.
    pub runs: usize,
}

impl Estimate {
    /// The logarithms of time and memory.
    pub(super) fn logs(&self) -> [f64; 2] {
        [self.seconds.ln(), self.peak_bytes.ln()]
    }
}

/// All outcomes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Record {
    entries: Vec<Entry>,
    /// The share of each batch in the logarithms of its times.
    shares: Vec<f64>,
}

impl Record {
    /// Adds the outcome of one run.
    pub(super) fn add(&mut self, batch: usize, point: &Point, outcome: Outcome) {
        let place = self.entries.iter().position(|entry| entry.point == *point);
        let place = place.unwrap_or_else(|| {
            let entry = Entry { point: point.clone(), runs: Vec::new(), is_out: false };
            self.entries.push(entry);
            self.entries.len() - 1
        });
        let entry = &mut self.entries[place];
        match outcome {
            Outcome::Finished { seconds, peak_bytes } if seconds > 0.0 && seconds.is_finite() => {
                entry.runs.push(Run { batch, log_seconds: seconds.ln(), peak_bytes });
            }
            _ => entry.is_out = true,
        }
    }

    /// Computes the share of a completed batch.
    pub(super) fn close(&mut self, batch: usize) {
        let deviation = |entry: &Entry| {
            let earlier = self.corrected(entry.runs.iter().filter(|run| run.batch < batch));
            let now = entry.runs.iter().filter(|run| run.batch == batch);
            let now: Vec<f64> = now.map(|run| run.log_seconds).collect();
            Some(now.into_iter().min_by(f64::total_cmp)? - median(&earlier)?)
        };
        let deviations: Vec<f64> = self.entries.iter().filter_map(deviation).collect();
        self.shares.push(batches::share(&deviations, self.deviation()));
    }

    /// True if this point has been run.
    pub(super) fn knows(&self, point: &Point) -> bool {
        self.entries.iter().any(|entry| entry.point == *point)
    }

    /// True if a run of this point failed or was stopped.
    pub(super) fn is_out(&self, point: &Point) -> bool {
        self.entries.iter().any(|entry| entry.point == *point && entry.is_out)
    }

    /// The points with a run that failed or was stopped.
    pub(super) fn out(&self) -> Vec<Point> {
        let out = self.entries.iter().filter(|entry| entry.is_out);
        out.map(|entry| entry.point.clone()).collect()
    }

    /// The estimate for this point; `None` if it has no runs, or is out.
    pub(super) fn estimate(&self, point: &Point) -> Option<Estimate> {
        self.entry(point).and_then(|entry| self.estimate_of(entry, self.deviation()))
    }

    /// The estimates of all points that are not out.
    pub(super) fn estimates(&self) -> Vec<Estimate> {
        let deviation = self.deviation();
        self.entries.iter().filter_map(|entry| self.estimate_of(entry, deviation)).collect()
    }

    /// The standard deviation of the logarithm of an undisturbed run's time.
    pub(super) fn deviation(&self) -> f64 {
        batches::deviation(self.entries.iter().map(|entry| self.corrected(entry.runs.iter())))
    }

    fn entry(&self, point: &Point) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.point == *point)
    }

    fn estimate_of(&self, entry: &Entry, deviation: f64) -> Option<Estimate> {
        let times = self.corrected(entry.runs.iter());
        let level = batches::level(&times, deviation).filter(|_| !entry.is_out)?;
        let peaks: Vec<f64> = entry.runs.iter().map(|run| run.peak_bytes).collect();
        Some(Estimate {
            point: entry.point.clone(),
            seconds: level.exp(),
            peak_bytes: median(&peaks)?,
            runs: entry.runs.len(),
        })
    }

    /// The logarithms of times, less the shares of their batches.
    fn corrected<'a>(&self, runs: impl Iterator<Item = &'a Run>) -> Vec<f64> {
        let share = |run: &Run| self.shares.get(run.batch).copied().unwrap_or(0.0);
        runs.map(|run| run.log_seconds - share(run)).collect()
    }
}

fn median(values: &[f64]) -> Option<f64> {
    quantiles(values, &[0.5]).first().copied()
}
