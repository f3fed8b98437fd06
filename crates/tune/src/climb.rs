//! The results for each point so far, and the points to try next: products of levels that helped alone,
//! points between the levels beside the best point, and points with less memory.
//!
//! Runs are compared across batches, between which the machine may have changed. A batch's share is
//! the deviation common to all points in it that had been run before: see [`stats::batches`]. So a
//! single disturbed run of the default does not make everything beside it look fast; neither does the
//! best point, which was chosen for its luck and mostly has less of it the next time.

use stats::batches;
use stats::describe::quantiles;
use stats::front::{Thrift, front, knee};
use stats::signed_rank::Shift;

use super::space::{Order, Point, Space};

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
        self.entry(point).is_some()
    }

    /// True if a run of this point failed or was stopped.
    pub(super) fn is_out(&self, point: &Point) -> bool {
        self.entry(point).is_some_and(|entry| entry.is_out)
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

/// A gain below this is not followed up. Half of the smallest change that matters elsewhere in
/// brisk.
const WORTH_FOLLOWING: f64 = 0.005;

/// The number of standard deviations by which a helpful level is faster. Arbitrary: a product tried
/// in vain costs one run, one left out may cost the best point.
const HELPFUL: f64 = 0.5;

/// Points that differ by less than this in time and memory count as one choice; 1 %, as elsewhere
/// in brisk.
const ALIKE: f64 = 0.01;

/// The number of standard errors added to a point's time, so that among many points with one run
/// each the luckiest is not preferred. Arbitrary: in simulated searches it changed little.
const CARE: f64 = 1.2;

/// The data that the next step needs.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) space: &'a Space,
    pub(super) record: &'a Record,
    pub(super) limit_bytes: Option<f64>,
}

impl View<'_> {
    /// True if this point may be named.
    pub(super) fn is_allowed(&self, estimate: &Estimate) -> bool {
        self.limit_bytes.is_none_or(|limit| estimate.peak_bytes < limit)
    }

    /// All points that may be named, fastest first.
    pub(super) fn ranking(&self) -> Vec<Estimate> {
        let mut all = self.record.estimates();
        all.retain(|estimate| self.is_allowed(estimate));
        all.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        all
    }

    /// A cautious estimate of a point's time: the fewer runs, the higher.
    pub(super) fn careful_seconds(&self, estimate: &Estimate) -> f64 {
        estimate.seconds * (CARE * self.error(estimate)).exp()
    }

    /// The standard error of the logarithm of a point's time.
    fn error(&self, estimate: &Estimate) -> f64 {
        self.record.deviation() / (estimate.runs as f64).sqrt()
    }

    /// True if this point may be the thrifty one, as far as its runs show.
    pub(super) fn may_be_thrifty(&self, thrift: &Thrift, estimate: &Estimate) -> bool {
        let [time, memory] = estimate.logs();
        thrift.keeps_gain(time - self.error(estimate)) && thrift.saves_enough(memory)
    }

    /// The best point to continue from.
    pub(super) fn best(&self) -> Option<Estimate> {
        let care = |a: &Estimate, b: &Estimate| {
            self.careful_seconds(a).total_cmp(&self.careful_seconds(b))
        };
        self.ranking().into_iter().min_by(care)
    }

    /// The time of a point for the search: infinite if it may not be named; `None` if it was not
    /// run.
    fn seconds(&self, point: &Point) -> Option<f64> {
        match self.record.estimate(point) {
            Some(estimate) if self.is_allowed(&estimate) => Some(estimate.seconds),
            Some(_) => Some(f64::INFINITY),
            None => self.record.is_out(point).then_some(f64::INFINITY),
        }
    }

    fn is_new(&self, point: &Point) -> bool {
        self.space.permits(point) && !self.record.knows(point)
    }

    /// The products of what helped on each axis alone: first all of it, then the two that helped
    /// most, then the best with each of the others.
    pub(super) fn products(&self) -> Vec<Point> {
        let default = self.space.default_point();
        let Some(base) = self.record.estimate(&default) else { return Vec::new() };
        let threshold = WORTH_FOLLOWING.max(HELPFUL * self.record.deviation());
        let mut helpful: Vec<(f64, usize, usize)> = Vec::new();
        for (axis, levels) in self.space.axes().iter().enumerate() {
            let gain = |level: usize| {
                let seconds = self.seconds(&default.with(axis, level))?;
                Some(((base.seconds / seconds).ln(), axis, level))
            };
            let gains = (0..levels.levels).filter(|level| *level != levels.default);
            let best = gains.filter_map(gain).max_by(|a, b| a.0.total_cmp(&b.0));
            helpful.extend(best.filter(|(gain, ..)| *gain > threshold));
        }
        helpful.sort_by(|a, b| b.0.total_cmp(&a.0));
        let together = |chosen: &[(f64, usize, usize)]| {
            chosen.iter().fold(default.clone(), |point, &(_, axis, level)| point.with(axis, level))
        };
        let first = (2..=helpful.len()).rev().map(|count| together(&helpful[..count]));
        let pairs = helpful.iter().skip(1).map(|other| together(&[helpful[0], *other]));
        dedup(first.chain(pairs).filter(|point| self.is_new(point)))
    }

    /// Points beside the best one, most promising first. On each axis: the next level that did well
    /// from the default and was not tried from here, or one halfway to the next level that was
    /// tried from here; for unordered levels, each of them.
    pub(super) fn refinements(&self, best: &Estimate) -> Vec<Point> {
        let mut found: Vec<(f64, Point)> = Vec::new();
        let least = self.record.deviation() / 4.0;
        for (axis, levels) in self.space.axes().iter().enumerate() {
            let line = Line::new(self, axis, best);
            let steps = match levels.order {
                Order::None => line.kinds(levels.levels),
                _ => line.steps(levels.levels),
            };
            let points =
                steps.into_iter().map(|(hope, level)| (hope, best.point.with(axis, level)));
            found.extend(points.filter(|(hope, point)| *hope > least && self.is_new(point)));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        dedup(found.into_iter().map(|(_, point)| point))
    }

    /// Points that may be thrifty: the refinements of the best point that needs at most half of the
    /// best point's additional memory. Running them shows their memory.
    pub(super) fn savings(&self, best: &Estimate) -> Vec<Point> {
        let base = self.record.estimate(&self.space.default_point());
        let Some(base) = base.filter(|b| Thrift::between(b.logs(), best.logs()).is_some()) else {
            return Vec::new();
        };
        let half = f64::midpoint(base.peak_bytes, best.peak_bytes);
        let limit = self.limit_bytes.map_or(half, |limit| limit.min(half));
        let below = View { limit_bytes: Some(limit), ..*self };
        below.best().map(|best| below.refinements(&best)).unwrap_or_default()
    }

    /// The knee according to the runs so far.
    pub(super) fn knee(&self) -> Option<Estimate> {
        let default = self.space.default_point();
        let base = self.record.estimate(&default)?;
        let ranking = self.ranking();
        let is_more = |estimate: &&Estimate| {
            estimate.point == default || estimate.peak_bytes >= base.peak_bytes
        };
        let shown: Vec<&Estimate> = ranking.iter().filter(is_more).collect();
        let points: Vec<[Shift; 2]> = shown.iter().map(|e| self.shifts(e)).collect();
        let members = front(&points, [ALIKE; 2]).ok()?.members;
        let logs: Vec<[f64; 2]> = members.iter().map(|&member| shown[member].logs()).collect();
        knee(&logs).map(|place| shown[members[place]].clone())
    }

    /// Time and memory with twice the standard error of the time; memory hardly varies.
    fn shifts(&self, estimate: &Estimate) -> [Shift; 2] {
        let error = 2.0 * self.error(estimate);
        let [time, memory] = estimate.logs();
        let around = |estimate: f64, half: f64| Shift {
            estimate,
            low: estimate - half,
            high: estimate + half,
        };
        [around(time, error), around(memory, 0.0)]
    }
}

/// An axis through the best point, and the same axis through the default.
#[derive(Debug)]
struct Line<'a> {
    view: &'a View<'a>,
    axis: usize,
    best: &'a Estimate,
    default: Point,
}

/// The expected gain of a level about which nothing is known, as a logarithm of times.
const UNKNOWN: f64 = 0.03;

/// The extra hope for any level beside the best point that was not tried from there: with less,
/// simulated searches stopped one step from the best.
const NEARBY: f64 = 0.02;

/// The extra hope for each level of a gap between two known ones.
const PER_LEVEL: f64 = 0.004;

impl<'a> Line<'a> {
    fn new(view: &'a View<'a>, axis: usize, best: &'a Estimate) -> Self {
        Self { view, axis, best, default: view.space.default_point() }
    }

    fn here(&self) -> usize {
        self.best.point.levels()[self.axis]
    }

    /// The time at this level of the default.
    fn alone(&self, level: usize) -> Option<f64> {
        self.view.seconds(&self.default.with(self.axis, level))
    }

    /// The logarithm of the ratio of the time at this level of the best point to that of the best
    /// point.
    fn tried(&self, level: usize) -> Option<f64> {
        if level == self.here() {
            return Some(0.0);
        }
        let seconds = self.view.seconds(&self.best.point.with(self.axis, level))?;
        Some((seconds / self.best.seconds).ln())
    }

    /// The same from the default: the expectation if the axes are independent.
    fn expected(&self, level: usize) -> Option<f64> {
        let (there, here) = (self.alone(level)?, self.alone(self.here())?);
        // Two single runs differ by chance; a smaller difference is not counted.
        let chance = self.view.record.deviation();
        let beyond = |log: f64| log.signum() * (log.abs() - chance).max(0.0);
        (there.is_finite() && here.is_finite()).then(|| beyond((there / here).ln()))
    }

    /// The other unordered levels, with the hope for each.
    fn kinds(&self, levels: usize) -> Vec<(f64, usize)> {
        let hope = |level| PER_LEVEL - self.expected(level).unwrap_or(-UNKNOWN).max(-MOST_HOPE);
        (0..levels).filter(|level| self.tried(*level).is_none()).map(|l| (hope(l), l)).collect()
    }

    /// A level on each side, with the hope for it.
    fn steps(&self, levels: usize) -> Vec<(f64, usize)> {
        let here = self.here();
        let below: Vec<usize> = (0..here).rev().collect();
        let above: Vec<usize> = (here + 1..levels).collect();
        let sides = [self.step(&below, &above), self.step(&above, &below)];
        sides.into_iter().flatten().collect()
    }

    /// The step to one side, whose levels are sorted from the nearest; `behind` has those of the
    /// other side.
    fn step(&self, side: &[usize], behind: &[usize]) -> Option<(f64, usize)> {
        let is_end = |level: &usize| self.tried(*level).is_some() || self.is_out_alone(*level);
        let tried = side.iter().position(is_end);
        let open = &side[..tried.unwrap_or(side.len())];
        // The results from the default are the better guide, until a level was tried from here.
        let seen = open.iter().filter_map(|level| Some((-self.expected(*level)?, *level)));
        let promising = seen.max_by(|a, b| a.0.total_cmp(&b.0));
        let promising = promising.filter(|(hope, _)| *hope > -SURELY_WORSE);
        let level = match promising {
            Some((_, level)) => level,
            None => *open.get(open.len() / 2)?,
        };
        let distance = level.abs_diff(self.here()) as f64;
        let known = |levels: &[usize], place: usize| {
            let log = self.finite(*levels.get(place)?)?;
            Some(Known { distance: (place + 1) as f64, log })
        };
        let ahead = tried.and_then(|place| known(side, place));
        let back = (0..behind.len()).find_map(|place| known(behind, place));
        let shape = match (back, ahead) {
            (Some(back), Some(ahead)) => bend(back, ahead),
            // Extrapolates half of the slope behind.
            (Some(back), None) => 0.5 * back.slope() * distance,
            (None, _) if self.is_influential() => UNKNOWN,
            (None, _) => 0.0,
        };
        let hope = promising.map_or(shape, |(hope, _)| hope.max(shape));
        Some((hope.clamp(0.0, MOST_HOPE) + NEARBY + PER_LEVEL * open.len().min(6) as f64, level))
    }

    /// True if this level was useless from the default.
    fn is_out_alone(&self, level: usize) -> bool {
        self.alone(level).is_some_and(f64::is_infinite)
    }

    /// The time that was measured or is expected at this level.
    fn finite(&self, level: usize) -> Option<f64> {
        self.tried(level).filter(|log| log.is_finite()).or_else(|| self.expected(level))
    }

    /// True if the axis mattered from the default, or was not examined.
    fn is_influential(&self) -> bool {
        let noise = 2.0 * self.view.record.deviation();
        let levels = 0..self.view.space.axes()[self.axis].levels;
        let home = self.default.levels()[self.axis];
        let mut seen = levels
            .filter(|level| *level != home)
            .filter_map(|level| Some((self.alone(level)? / self.alone(home)?).ln().abs()))
            .peekable();
        seen.peek().is_none() || seen.any(|log| log > noise)
    }
}

/// A level at some distance whose time is known.
#[derive(Debug, Clone, Copy)]
struct Known {
    distance: f64,
    log: f64,
}

impl Known {
    fn slope(self) -> f64 {
        self.log / self.distance
    }
}

/// The depth below 0 of a parabola's minimum ahead, through a level behind, 0 here, and a level ahead;
/// 0 if the minimum is behind.
fn bend(back: Known, ahead: Known) -> f64 {
    let curvature = (back.slope() + ahead.slope()) / (back.distance + ahead.distance);
    let slope = ahead.slope() - curvature * ahead.distance;
    if slope < 0.0 && curvature > 0.0 { slope * slope / (4.0 * curvature) } else { 0.0 }
}

/// The maximum hope for a step into the unknown.
const MOST_HOPE: f64 = 0.1;

/// A level that took this much more from the default is not tried by itself.
const SURELY_WORSE: f64 = 0.05;

/// The points in their order, each once.
pub(super) fn dedup(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for point in points {
        if !kept.contains(&point) {
            kept.push(point);
        }
    }
    kept
}
