//! What was found out about each point so far, and what follows for its level.
//!
//! Runs are compared across batches, between which the machine may have changed. A batch's own
//! share is what all points that had been run before have in common in it: see [`stats::batches`].
//! So one disturbed run of the default does not make everything beside it look fast, and neither does
//! the best point, which was chosen for its luck and mostly has less of it the next time.

use stats::batches;
use stats::describe::quantiles;

use super::space::Point;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// It did its work.
    Finished {
        /// What is to be small, in seconds: wall time or cpu time.
        seconds: f64,
        /// Its peak memory in bytes.
        peak_bytes: f64,
    },
    /// It was ended because it took too long: at least so many seconds.
    Stopped {
        /// After how many seconds.
        after_seconds: f64,
    },
    /// It did not do its work: it crashed, ran out of memory, or was refused.
    Failed,
}

/// One finished run.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    batch: usize,
    log_seconds: f64,
    peak_bytes: f64,
}

/// What is known of one point.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    point: Point,
    runs: Vec<Run>,
    /// Whether any run of it failed or had to be stopped.
    is_out: bool,
}

/// What the runs of a point say.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Which point.
    pub point: Point,
    /// Its time in seconds, as it would be on the machine as it was in the first batch.
    pub seconds: f64,
    /// The median of its peaks, in bytes.
    pub peak_bytes: f64,
    /// How many runs it rests on.
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
    /// Takes the outcome of one run.
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

    /// Computes the share of a batch that is complete.
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

    /// Whether this point has been run.
    pub(super) fn knows(&self, point: &Point) -> bool {
        self.entries.iter().any(|entry| entry.point == *point)
    }

    /// Whether a run of this point failed or had to be stopped.
    pub(super) fn is_out(&self, point: &Point) -> bool {
        self.entries.iter().any(|entry| entry.point == *point && entry.is_out)
    }

    /// The points of which a run failed or had to be stopped.
    pub(super) fn out(&self) -> Vec<Point> {
        let out = self.entries.iter().filter(|entry| entry.is_out);
        out.map(|entry| entry.point.clone()).collect()
    }

    /// What the runs of this point say; none where it has none, or is out.
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

    /// The logarithms of times without the shares of their batches.
    fn corrected<'a>(&self, runs: impl Iterator<Item = &'a Run>) -> Vec<f64> {
        let share = |run: &Run| self.shares.get(run.batch).copied().unwrap_or(0.0);
        runs.map(|run| run.log_seconds - share(run)).collect()
    }
}

fn median(values: &[f64]) -> Option<f64> {
    quantiles(values, &[0.5]).first().copied()
}
