//! Slides: stretches in which the level moves a little with every point.
//!
//! A partition into levels turns a slide into a staircase. So the segments are fitted again, by
//! levels and straight lines: a line may replace neighbouring segments whose levels all rise or all
//! fall, and is charged like one more change for its slope. The segments that become lines are
//! found by dynamic programming.

use super::level::{FAR, Level};
use super::noise::Noise;

/// The fraction of a change's cost by which a line must be better than the steps: if both fit, a
/// step is the more useful answer, since the user can look at its commit. Arbitrary.
const MARGIN: f64 = 0.5;

/// The maximum number of segments that a line replaces, to save time.
const MOST_SEGMENTS: usize = 500;

/// A part of a series: a level, or a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    /// The first point.
    pub(super) start: usize,
    /// The end, one past the last point.
    pub(super) end: usize,
    /// The fitted value at the first point.
    pub(super) first: f64,
    /// The fitted value at the last point.
    pub(super) last: f64,
    /// The variance of these two, if the points were independent.
    pub(super) variance: f64,
    /// For a line: its advantage over one level, in squared deviations.
    pub(super) slide: Option<f64>,
    /// True if it continues where the previous one ends, without a step.
    pub(super) continues: bool,
}

impl Stretch {
    /// The fitted value at a point.
    pub(super) fn at(&self, point: usize) -> f64 {
        let steps = (self.end - self.start - 1).max(1) as f64;
        self.first + (self.last - self.first) * ((point as f64 - self.start as f64) / steps)
    }
}

/// Levels and lines, ascending. `charge` is the cost of a change, including autocorrelation.
pub(super) fn stretches(
    values: &[f64],
    noise: &Noise,
    changes: &[usize],
    levels: &[Level],
    charge: f64,
) -> Vec<Stretch> {
    let mut bounds = vec![0];
    bounds.extend(changes);
    bounds.push(values.len());
    let moments: Vec<Moments> = bounds
        .windows(2)
        .zip(levels)
        .map(|(segment, level)| Moments::near(values, noise, (segment[0], segment[1]), *level))
        .collect();
    let fits = best_fits(&moments, levels, charge);
    let stretch = |&(start, fit): &(usize, Moments), to: usize| {
        let level = (to == start + 1).then(|| levels[start]);
        fit.stretch((bounds[start], bounds[to]), level)
    };
    let mut found = Vec::new();
    let mut to = moments.len();
    while to > 0 {
        found.push(stretch(&fits[to - 1], to));
        to = fits[to - 1].0;
    }
    found.reverse();
    for i in 1..found.len() {
        if let [before, after] = &mut found[i - 1..=i] {
            bend(values, noise, (before, after), charge);
        }
    }
    found
}

/// Makes a level and a line meet, unless a step between them is clearly better. A level that ends
/// in a slide has swallowed the first points of it, which then looks like a step.
fn bend(values: &[f64], noise: &Noise, (before, after): (&mut Stretch, &mut Stretch), charge: f64) {
    let (line, level) = match (before.slide, after.slide) {
        (Some(_), None) => (*before, *after),
        (None, Some(_)) => (*after, *before),
        _ => return,
    };
    let slope = (line.last - line.first) / (line.end - line.start - 1) as f64;
    let meeting = line.start as f64 + (level.first - line.first) / slope;
    let inside = before.start as f64 + 1.0..after.end as f64 - 1.0;
    if !inside.contains(&meeting) {
        return;
    }
    let (old, new) = (after.start, meeting.ceil() as usize);
    let cost = |stretch: &Stretch| {
        let square = |i: usize| ((values[i] - stretch.at(i)) / noise.deviations[i]).powi(2);
        (old.min(new)..old.max(new)).map(|i| square(i).min(FAR * FAR)).sum::<f64>()
    };
    // The points between move from their owner to the other one.
    let (owner, other) = if new < old { (&*before, &*after) } else { (&*after, &*before) };
    if cost(other) - cost(owner) < charge {
        let (end, start) = (before.at(new - 1), after.at(new));
        (before.end, before.last, after.start, after.first) = (new, end, new, start);
        after.continues = true;
    }
}

/// For each segment, the first segment of the best stretch that ends with it, and its moments.
fn best_fits(moments: &[Moments], levels: &[Level], charge: f64) -> Vec<(usize, Moments)> {
    let rises = |i: usize| levels[i + 1].centre > levels[i].centre;
    let mut costs = vec![0.0];
    let mut fits = Vec::with_capacity(moments.len());
    for end in 0..moments.len() {
        let mut together = moments[end];
        let mut best = (costs[end] + charge + together.about_level(), end, together);
        for start in (end.saturating_sub(MOST_SEGMENTS)..end).rev() {
            if rises(start) != rises(end - 1) {
                break;
            }
            together = moments[start].plus(together);
            let cost = costs[start] + charge * (2.0 + MARGIN) + together.about_line();
            if cost < best.0 {
                best = (cost, start, together);
            }
        }
        costs.push(best.0);
        fits.push((best.1, best.2));
    }
    fits
}

/// The weight, means and centred squares of points, from which any level or line follows. Centred,
/// because sums of squares about 0 would lose all digits in a long series.
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    weight: f64,
    time: f64,
    value: f64,
    times: f64,
    products: f64,
    values: f64,
}

impl Moments {
    /// The moments of the points of a segment that are near its level.
    fn near(values: &[f64], noise: &Noise, (from, to): (usize, usize), level: Level) -> Self {
        (from..to).fold(Self::default(), |sum, i| {
            let deviation = noise.deviations[i];
            let near = (values[i] - level.centre).abs() <= FAR * deviation;
            let point = Self {
                weight: deviation.powi(-2),
                time: i as f64,
                value: values[i],
                ..Self::default()
            };
            if near { sum.plus(point) } else { sum }
        })
    }

    /// The moments of both sets of points (Chan, Golub and LeVeque, *The American Statistician* 37,
    /// 1983).
    fn plus(self, other: Self) -> Self {
        let weight = self.weight + other.weight;
        if weight == 0.0 {
            return self;
        }
        let (time, value) = (other.time - self.time, other.value - self.value);
        let part = other.weight / weight;
        let between = self.weight * part;
        Self {
            weight,
            time: self.time + time * part,
            value: self.value + value * part,
            times: self.times + other.times + time * time * between,
            products: self.products + other.products + time * value * between,
            values: self.values + other.values + value * value * between,
        }
    }

    /// The squares about the mean.
    fn about_level(self) -> f64 {
        self.values
    }

    /// The squares about the best line.
    fn about_line(self) -> f64 {
        if self.times > 0.0 {
            (self.values - self.products * self.products / self.times).max(0.0)
        } else {
            self.values
        }
    }

    fn stretch(self, (start, end): (usize, usize), level: Option<Level>) -> Stretch {
        if let Some(Level { centre, variance }) = level {
            let (first, last) = (centre, centre);
            return Stretch { start, end, first, last, variance, slide: None, continues: false };
        }
        let slope = self.products / self.times;
        let at = |i: usize| self.value + slope * (i as f64 - self.time);
        Stretch {
            start,
            end,
            first: at(start),
            last: at(end - 1),
            // The end of a line has four times the variance of a mean.
            variance: 4.0 / self.weight,
            slide: Some(self.about_level() - self.about_line()),
            continues: false,
        }
    }
}
