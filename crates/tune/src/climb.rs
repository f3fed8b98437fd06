//! The next points to try: products of levels that helped alone, points between the levels beside
//! the best point, and points with less memory.

use stats::front::{Thrift, front, knee};
use stats::signed_rank::Shift;

use super::record::{Estimate, Record};
use super::space::{Order, Point, Space};

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
        let mut products: Vec<Point> =
            (2..=helpful.len()).rev().map(|n| together(&helpful[..n])).collect();
        if let Some((best, others)) = helpful.split_first() {
            products.extend(others.iter().map(|other| together(&[*best, *other])));
        }
        products.retain(|point| self.is_new(point));
        dedup(products)
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
        dedup(found.into_iter().map(|(_, point)| point).collect())
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
        let at = |level| self.view.seconds(&self.default.with(self.axis, level));
        let (there, here) = (at(level)?, at(self.here())?);
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
        let ahead = tried.and_then(|place| Some((place + 1, self.finite(side[place])?)));
        let back = (1..=behind.len()).find_map(|n| Some((n, self.finite(behind[n - 1])?)));
        let shape = match (back, ahead) {
            (Some(back), Some(ahead)) => bend(back, ahead),
            // Extrapolates half of the slope behind.
            (Some((far, log)), None) => 0.5 * log / far as f64 * distance,
            (None, _) if self.is_influential() => UNKNOWN,
            (None, _) => 0.0,
        };
        let hope = promising.map_or(shape, |(hope, _)| hope.max(shape));
        Some((hope.clamp(0.0, MOST_HOPE) + NEARBY + PER_LEVEL * open.len().min(6) as f64, level))
    }

    /// True if this level was useless from the default.
    fn is_out_alone(&self, level: usize) -> bool {
        self.view.seconds(&self.default.with(self.axis, level)).is_some_and(f64::is_infinite)
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
            .filter_map(|level| {
                let at = |level| self.view.seconds(&self.default.with(self.axis, level));
                Some((at(level)? / at(home)?).ln().abs())
            })
            .peekable();
        seen.peek().is_none() || seen.any(|log| log > noise)
    }
}

/// The depth below 0 of a parabola's minimum ahead. The parabola is 0 here, `back.1` at the
/// distance `back.0` behind and `ahead.1` at `ahead.0` ahead; the result is 0 if the minimum is
/// behind.
fn bend(back: (usize, f64), ahead: (usize, f64)) -> f64 {
    let (behind, before) = (back.0 as f64, ahead.0 as f64);
    let (slope_back, slope_ahead) = (back.1 / behind, ahead.1 / before);
    let curvature = (slope_back + slope_ahead) / (behind + before);
    let slope = slope_ahead - curvature * before;
    if slope < 0.0 && curvature > 0.0 { slope * slope / (4.0 * curvature) } else { 0.0 }
}

/// The maximum hope for a step into the unknown.
const MOST_HOPE: f64 = 0.1;

/// A level that took this much more from the default is not tried by itself.
const SURELY_WORSE: f64 = 0.05;

fn dedup(points: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for point in points {
        if !kept.contains(&point) {
            kept.push(point);
        }
    }
    kept
}
