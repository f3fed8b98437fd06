//! The memory of a running program over time, as one of a few kinds: constant, growing in
//! proportion to time, or growing in steps.
//!
//! The samples of one run are not independent readings. Programs allocate when they start, and a
//! garbage-collected heap rises and falls like a sawtooth; what matters is the memory that remains.
//! So the samples are first reduced to a floor, from the end of the start-up on: the values just
//! after the falls if there are enough of them, otherwise the minima of stretches of equal length.
//! Then
//!
//! 1. the floor is searched for changes of level ([`crate::change_points`]); if a straight line
//!    describes it as well, by Schwarz's criterion (*Annals of Statistics* 6, 1978), the line is
//!    used;
//! 2. the slope of the line gets an interval that allows for the autocorrelation of its residuals;
//! 3. a slope that is certainly not 0, of a floor that rises in each part of the run, is growth in
//!    proportion to time; an interval within [`CONSTANT_SHARE`] of the level is constancy;
//!    everything else stays undecided, with its reason.
//!
//! Approximate: no number of samples distinguishes growth from a tooth that is longer than the run.
//! The observed error rates are in `tests/rates/growth.rs`.

use thiserror::Error;

use crate::change_points::{Findings, Options, change_points};
use crate::drift::{self, theil_sen};
use crate::order::{median, quantile, robust_deviation, sorted};
use crate::student;

/// The minimum number of samples for a verdict.
pub const FEWEST_SAMPLES: usize = 20;

/// The largest change over the judged time, as a fraction of the level, of memory that is called
/// constant. Arbitrary.
pub const CONSTANT_SHARE: f64 = 0.1;

/// Growth below this fraction of the level over the judged time is ignored, however certain: the
/// kernel's page counts and pages of files that are read vary by as much. Arbitrary.
pub const LEAST_SHARE: f64 = 0.01;

/// The level of every interval.
const ALPHA: f64 = 0.05;

/// The least fraction of the whole slope that the slopes of the first two thirds and of the last
/// two must reach for growth to count as even. Arbitrary.
const LEAST_OF_SLOPE: f64 = 0.25;

/// Numbers of falls that suggest a sawtooth but are too few to show which memory remains.
const FEW_FALLS: std::ops::RangeInclusive<usize> = 2..=5;

/// The last part of the run, in which constant memory does not exceed its earlier maximum ...
const LAST_PART: f64 = 0.1;

/// ... by more than this fraction.
const LATE_SHARE: f64 = 0.05;

/// The memory growth of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// The start of the judged time, in the unit of the times: the end of the start-up.
    pub from: f64,
    /// The median of the memory that remains, in the unit of the values.
    pub level: f64,
    /// The largest sample.
    pub peak: f64,
    /// The kind of growth.
    pub verdict: Verdict,
}

/// The kind of growth of a run's memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Constant: the interval of the slope over the judged time lies within [`CONSTANT_SHARE`] of
    /// the level.
    Constant(Slope),
    /// Grows (or falls) evenly with time.
    Proportional(Slope),
    /// Changes at some times, and not between them.
    Steps(Vec<Step>),
    /// None of the others is certain.
    Undecided(Reason),
}

impl Verdict {
    /// The estimated slope, even if nothing is certain.
    #[must_use]
    pub fn slope(&self) -> Option<Slope> {
        match self {
            Self::Constant(slope)
            | Self::Proportional(slope)
            | Self::Undecided(Reason::Uneven(slope) | Reason::Imprecise(slope)) => Some(*slope),
            Self::Steps(_) | Self::Undecided(_) => None,
        }
    }
}

/// A change per unit of time, with the ends of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the names are the field's standard terms")]
pub struct Slope {
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
}

/// A change of level. The times are equal unless the change took a while.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The time when it began.
    pub begin: f64,
    /// The time when it ended.
    pub end: f64,
    /// The level before.
    pub before: f64,
    /// The level after.
    pub after: f64,
}

/// The reason for an undecided verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// There are fewer than [`FEWEST_SAMPLES`].
    FewSamples {
        /// The number of samples.
        samples: usize,
    },
    /// Memory was released so rarely that its floor was hardly ever visible.
    FewFalls {
        /// The number of releases.
        falls: usize,
    },
    /// The last part of the run exceeded everything before; whether that would have continued is
    /// unknown.
    LateGrowth {
        /// The excess.
        by: f64,
    },
    /// Memory grew, but neither evenly nor in clear steps.
    Uneven(Slope),
    /// The interval of the slope includes both no growth and considerable growth.
    Imprecise(Slope),
}

/// The reason for refusing samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "each message says what its fields are; indices begin at 0")]
pub enum GrowthError {
    #[error("`{times}` times for `{values}` values")]
    Lengths { times: usize, values: usize },
    #[error("sample {index} is not finite")]
    NotFinite { index: usize },
    #[error("sample {index} is not later than the one before")]
    Order { index: usize },
    #[error("sample {index} is negative")]
    Negative { index: usize },
    #[error("there are no samples")]
    Empty,
}

/// Judges the samples of one run: `values[i]` at `times[i]`, in any units. Takes `O(n log n)`.
///
/// # Errors
///
/// When the samples are not a series of ascending times and non-negative amounts.
pub fn growth(times: &[f64], values: &[f64]) -> Result<Growth, GrowthError> {
    check(times, values)?;
    let peak = values.iter().copied().fold(0.0, f64::max);
    let count = values.len();
    if count < FEWEST_SAMPLES {
        let verdict = Verdict::Undecided(Reason::FewSamples { samples: count });
        return Ok(Growth { from: times[0], level: median(&sorted(values)), peak, verdict });
    }
    let from = end_of_start(times, values);
    let (times, values) = (&times[from..], &values[from..]);
    let Floors { floors, falls } = floors(times, values);
    let slopes = floors.into_iter().map(|floor| {
        let line = Line::through(&floor.times, &floor.values);
        (line.slope(ALPHA), floor, line)
    });
    let narrower = |a: &(Slope, Floor, Line), b: &(Slope, Floor, Line)| {
        (a.0.high - a.0.low).total_cmp(&(b.0.high - b.0.low))
    };
    let (slope, floor, line) = slopes.min_by(narrower).expect("there is at least one");
    let level = median(&sorted(&floor.values));
    let verdict = verdict(times, values, &floor, falls, &line, slope, level);
    Ok(Growth { from: times[0], level, peak, verdict })
}

fn check(times: &[f64], values: &[f64]) -> Result<(), GrowthError> {
    if times.len() != values.len() {
        return Err(GrowthError::Lengths { times: times.len(), values: values.len() });
    }
    if times.is_empty() {
        return Err(GrowthError::Empty);
    }
    let is_wrong = |index: &usize| !(times[*index].is_finite() && values[*index].is_finite());
    if let Some(index) = (0..times.len()).find(is_wrong) {
        return Err(GrowthError::NotFinite { index });
    }
    if let Some(index) = values.iter().position(|value| *value < 0.0) {
        return Err(GrowthError::Negative { index });
    }
    match times.windows(2).position(|pair| pair[1] <= pair[0]) {
        Some(index) => Err(GrowthError::Order { index: index + 1 }),
        None => Ok(()),
    }
}

fn verdict(
    times: &[f64],
    values: &[f64],
    floor: &Floor,
    falls: usize,
    line: &Line,
    slope: Slope,
    level: f64,
) -> Verdict {
    let findings = change_points(&floor.values, Options::default()).unwrap_or_default();
    let steps = steps(&findings, floor, level, times, values);
    if !steps.is_empty() && line.criterion() > pieces_criterion(&findings, &floor.values) {
        return match last_slide(&findings, floor) {
            Some(slide) => slide,
            None => Verdict::Steps(steps),
        };
    }
    let duration = times[times.len() - 1] - times[0];
    let share = |per_time: f64| per_time * duration / level.max(f64::MIN_POSITIVE);
    let is_certain = slope.low > 0.0 || slope.high < 0.0;
    let matters = is_certain && share(slope.estimate).abs() >= LEAST_SHARE;
    if matters && is_even(floor, slope.estimate) {
        return Verdict::Proportional(slope);
    }
    let is_tight = share(slope.low) >= -CONSTANT_SHARE && share(slope.high) <= CONSTANT_SHARE;
    Verdict::Undecided(match late_growth(values, &floor.values) {
        Some(by) if is_tight => Reason::LateGrowth { by },
        None if is_tight => return Verdict::Constant(slope),
        _ if matters => Reason::Uneven(slope),
        _ if FEW_FALLS.contains(&falls) => Reason::FewFalls { falls },
        _ => Reason::Imprecise(slope),
    })
}

/// The changes of level and the slides that matter, as steps.
fn steps(
    findings: &Findings,
    floor: &Floor,
    level: f64,
    times: &[f64],
    values: &[f64],
) -> Vec<Step> {
    let jumps = findings.change_points.iter().map(|change| {
        let (first, last) = (floor.times[change.index - 1], floor.times[change.index]);
        let at = moment(times, values, first, last, 0.5 * (change.before + change.after));
        Step { begin: at, end: at, before: change.before, after: change.after }
    });
    let slides = findings.trends.iter().map(|slide| Step {
        begin: floor.times[slide.start],
        end: floor.times[slide.end - 1],
        before: slide.from,
        after: slide.to,
    });
    let matters = |step: &Step| (step.after - step.before).abs() >= LEAST_SHARE * level;
    let mut steps: Vec<Step> = jumps.chain(slides).filter(matters).collect();
    steps.sort_by(|a, b| a.begin.total_cmp(&b.begin));
    steps
}

/// The time when memory passed `middle` for good, between two points of the floor.
fn moment(times: &[f64], values: &[f64], first: f64, last: f64, middle: f64) -> f64 {
    let inside = |index: &usize| times[*index] >= first && times[*index] <= last;
    let mut indices = (0..times.len()).filter(inside);
    let start = indices.next().unwrap_or(0);
    let is_below = values[start] < middle;
    let crossed = indices.rfind(|&index| (values[index - 1] < middle) == is_below);
    crossed.map_or(last, |index| times[index])
}

/// The verdict on a slide that fills at least the second half of the run.
fn last_slide(findings: &Findings, floor: &Floor) -> Option<Verdict> {
    let count = floor.values.len();
    let slide = findings.trends.last()?;
    if slide.end < count || 2 * (slide.end - slide.start) < count {
        return None;
    }
    let range = slide.start..slide.end;
    let line = Line::through(&floor.times[range.clone()], &floor.values[range]);
    let slope = line.slope(ALPHA);
    Some(if slope.low > 0.0 || slope.high < 0.0 {
        Verdict::Proportional(slope)
    } else {
        Verdict::Undecided(Reason::Uneven(slope))
    })
}

/// Schwarz's criterion of the detected levels and slides.
fn pieces_criterion(findings: &Findings, values: &[f64]) -> f64 {
    let mut bounds = vec![0, values.len()];
    bounds.extend(findings.change_points.iter().map(|change| change.index));
    bounds.extend(findings.trends.iter().flat_map(|slide| [slide.start, slide.end]));
    bounds.sort_unstable();
    bounds.dedup();
    let (mut squares, mut parameters) = (0.0, bounds.len() - 2);
    for pair in bounds.windows(2) {
        let piece = &values[pair[0]..pair[1]];
        let is_slide = findings.trends.iter().any(|slide| slide.start == pair[0]);
        let places: Vec<f64> = (0..piece.len()).map(|place| place as f64).collect();
        squares += if is_slide && piece.len() > 2 {
            squares_about_line(&places, piece)
        } else {
            squares_about_mean(piece)
        };
        parameters += 1 + usize::from(is_slide);
    }
    criterion(squares, values, parameters)
}

/// True if the first two thirds of the floor and the last two both rise (or fall) as the whole
/// does.
fn is_even(floor: &Floor, slope: f64) -> bool {
    let count = floor.values.len();
    let part = count - count / 3;
    let of = |range: std::ops::Range<usize>| {
        theil_sen(&floor.times[range.clone()], &floor.values[range])
    };
    [of(0..part), of(count - part..count)].iter().all(|part| part / slope >= LEAST_OF_SLOPE)
}

/// The amount by which the last part of the samples or of the floor exceeds everything before, if
/// it is considerable.
fn late_growth(values: &[f64], floor: &[f64]) -> Option<f64> {
    let most = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
    let beyond = |all: &[f64]| {
        let last = ((all.len() as f64 * LAST_PART).ceil() as usize).max(1);
        let (before, after) = all.split_at(all.len() - last);
        let by = most(after) - most(before);
        (by > LATE_SHARE * most(before)).then_some(by)
    };
    beyond(values).or_else(|| beyond(floor))
}

// The common verdict on a program's memory from several runs.

/// The verdict of more than half of the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The index of the run that represents the others, from 0.
    pub chosen: usize,
    /// The number of runs that agree.
    pub agree: usize,
    /// True if these are more than half; otherwise nothing is decided.
    pub is_decided: bool,
    /// The slope of the chosen run, with an interval that covers those of all agreeing runs.
    pub slope: Option<Slope>,
}

/// The common verdict of the runs; None if there are no runs. The agreeing run with the median
/// slope (or level, if they have no slopes) represents the others.
#[must_use]
pub fn agreement(runs: &[Growth]) -> Option<Agreement> {
    let groups = runs.iter().map(|one| {
        let is_alike = |&index: &usize| is_alike(&runs[index], one);
        (0..runs.len()).filter(is_alike).collect::<Vec<usize>>()
    });
    let largest = groups.max_by_key(Vec::len)?;
    let agree = largest.len();
    if 2 * agree <= runs.len() {
        return Some(Agreement { chosen: 0, agree, is_decided: false, slope: None });
    }
    let key = |index: usize| {
        runs[index].verdict.slope().map_or(runs[index].level, |slope| slope.estimate)
    };
    let mut ordered = largest.clone();
    ordered.sort_by(|&a, &b| key(a).total_cmp(&key(b)));
    let chosen = ordered[agree / 2];
    let slopes = || largest.iter().filter_map(|&index| runs[index].verdict.slope());
    let slope = runs[chosen].verdict.slope().map(|own| Slope {
        low: slopes().map(|slope| slope.low).fold(own.low, f64::min),
        high: slopes().map(|slope| slope.high).fold(own.high, f64::max),
        ..own
    });
    Some(Agreement { chosen, agree, is_decided: true, slope })
}

fn is_alike(one: &Growth, other: &Growth) -> bool {
    match (&one.verdict, &other.verdict) {
        (Verdict::Proportional(a), Verdict::Proportional(b)) => {
            (a.estimate > 0.0) == (b.estimate > 0.0)
        }
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

// The floor of a program's memory: the samples without the start-up and without memory that is
// released again.

/// The longest start-up, as a fraction of the run: a longer rise is examined. Arbitrary.
const LONGEST_START: f64 = 0.25;

/// The least fall of a sawtooth, as a fraction of the range of the samples about their line.
/// Arbitrary; a half would miss the lower of two kinds of teeth, a tenth finds noise.
const LEAST_FALL: f64 = 0.3;

/// The fraction of samples at either end that the range leaves out: one tooth in many may be
/// several times as high as the others.
const TAIL: f64 = 0.05;

/// The maximum number of points of the floor: more make the autocorrelation of its residuals harder
/// to see.
const MOST_POINTS: usize = 32;

/// The minimum number of samples in a group, if that leaves [`FEWEST_POINTS`] groups.
const LEAST_GROUP: usize = 4;

/// The minimum number of points of the floor.
const FEWEST_POINTS: usize = 5;

/// The memory that remains.
#[derive(Debug, Clone, PartialEq)]
struct Floor {
    times: Vec<f64>,
    values: Vec<f64>,
}

/// The candidates for the floor of a run.
#[derive(Debug, Clone, PartialEq)]
struct Floors {
    /// At least one floor.
    floors: Vec<Floor>,
    /// The number of sawtooth-like falls.
    falls: usize,
}

/// The first sample after the start-up: the first that is as high as the minimum of the second
/// half, but within the first quarter of the run and the first half of the samples.
fn end_of_start(times: &[f64], values: &[f64]) -> usize {
    let (first, last) = (times[0], times[times.len() - 1]);
    let at = |share: f64| times.partition_point(|time| *time < first + share * (last - first));
    let half = at(0.5).min(times.len() - 1);
    let least = values[half..].iter().copied().fold(f64::INFINITY, f64::min);
    let reached = values.iter().position(|value| *value >= least).unwrap_or(0);
    reached.min(at(LONGEST_START)).min(times.len() / 2)
}

/// The candidate floors of the samples: the bottoms of the teeth, the bottoms among these if full
/// collections alternate with partial ones, and the minima of stretches of equal length.
fn floors(times: &[f64], values: &[f64]) -> Floors {
    let groups = (values.len() / LEAST_GROUP).clamp(FEWEST_POINTS, MOST_POINTS);
    let mut floors = vec![least_of_stretches(times, values, groups)];
    let mut samples = bottoms(times, values);
    let falls = samples.len();
    while samples.len() >= FEWEST_POINTS {
        let groups = samples.len().min(MOST_POINTS);
        floors.push(least_of_groups(times, values, &samples, groups));
        let of = |all: &[f64]| -> Vec<f64> { samples.iter().map(|&index| all[index]).collect() };
        let lower = bottoms(&of(times), &of(values));
        samples = lower.into_iter().map(|index| samples[index]).collect();
    }
    Floors { floors, falls }
}

/// The minimum of each of `stretches` stretches of time that contains samples, since samples may be
/// denser at the beginning of a run. If that leaves too few, the minima of as many groups.
fn least_of_stretches(times: &[f64], values: &[f64], stretches: usize) -> Floor {
    let (first, last) = (times[0], times[times.len() - 1]);
    let stretch = |index: &usize| {
        let place = (times[*index] - first) * stretches as f64 / (last - first);
        (place as usize).min(stretches - 1)
    };
    let all: Vec<usize> = (0..values.len()).collect();
    let groups = all.chunk_by(|a, b| stretch(a) == stretch(b));
    let compare = |a: &&usize, b: &&usize| values[**a].total_cmp(&values[**b]);
    let chosen: Vec<usize> =
        groups.filter_map(|group| group.iter().min_by(compare).copied()).collect();
    if chosen.len() < FEWEST_POINTS {
        return least_of_groups(times, values, &all, stretches);
    }
    floor_of(times, values, &chosen)
}

/// The minimum of each of `groups` groups of consecutive `samples`.
fn least_of_groups(times: &[f64], values: &[f64], samples: &[usize], groups: usize) -> Floor {
    let least = |group: usize| {
        let bounds = group * samples.len() / groups..(group + 1) * samples.len() / groups;
        let compare = |a: &&usize, b: &&usize| values[**a].total_cmp(&values[**b]);
        *samples[bounds].iter().min_by(compare).expect("no more groups than samples")
    };
    let chosen: Vec<usize> = (0..groups).map(least).collect();
    floor_of(times, values, &chosen)
}

fn floor_of(times: &[f64], values: &[f64], chosen: &[usize]) -> Floor {
    Floor {
        times: chosen.iter().map(|&index| times[index]).collect(),
        values: chosen.iter().map(|&index| values[index]).collect(),
    }
}

/// The samples at the bottoms of the teeth: each after a fall and before a rise of at least
/// [`LEAST_FALL`] of the range about the line through all samples. Empty if memory is never
/// released, as on stairs.
fn bottoms(times: &[f64], values: &[f64]) -> Vec<usize> {
    let residuals = residuals(times, values);
    let ordered = sorted(&residuals);
    let range = quantile(&ordered, 1.0 - TAIL) - quantile(&ordered, TAIL);
    let least = LEAST_FALL * range;
    if least <= f64::EPSILON * median(&sorted(values)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut top, mut bottom) = (0, 0);
    let mut is_falling = false;
    for (index, &residual) in residuals.iter().enumerate() {
        if is_falling {
            if residual < residuals[bottom] {
                bottom = index;
            } else if residual - residuals[bottom] >= least {
                if values[top] - values[bottom] >= 0.5 * least {
                    found.push(bottom);
                }
                (is_falling, top) = (false, index);
            }
        } else if residual > residuals[top] {
            top = index;
        } else if residuals[top] - residual >= least {
            (is_falling, bottom) = (true, index);
        }
    }
    found
}

// A straight line through the floor, with the precision of its slope.
//
// The points are autocorrelated, because allocated memory stays allocated for a while. An interval
// that assumed independence would be too narrow. The autocorrelation `phi` of the residuals is
// therefore estimated, on the safe side (`crate::drift`); `n` points count as `n (1 - phi) / (1 +
// phi)` (Bayley and Hammersley, *JRSS Supplement* 8, 1946), and the standard error of the slope is
// widened accordingly.
//
// If the autocorrelation leaves nothing of the points, the changes between consecutive sixths of
// the run are taken as the readings instead: they are independent if the disturbance adds up like
// a random walk, the longest memory there is.

/// The number of deviations at which residuals are clipped: a single wild point must not turn the
/// line.
const CLIP: f64 = 3.0;

/// The number of parts of the run for residuals with a long autocorrelation.
const PARTS: usize = 6;

/// The number of standard errors by which the autocorrelation is raised. With 2, as for runs
/// (`crate::drift`), intervals of a handful of points would be as wide as the level. By simulation.
const SAFETY: f64 = 1.0;

/// The fraction of the values below which a residual is rounding.
const ROUNDING: f64 = 1e-12;

/// A line through points.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    times: Vec<f64>,
    /// Clipped to the neighbourhood of the line.
    values: Vec<f64>,
    given: Vec<f64>,
}

/// The least-squares fit of points.
struct Fit {
    slope: f64,
    spread: f64,
    residuals: Vec<f64>,
}

fn fit(times: &[f64], values: &[f64]) -> Fit {
    let count = times.len() as f64;
    let mean = |all: &[f64]| all.iter().sum::<f64>() / count;
    let (centre, level) = (mean(times), mean(values));
    let spread: f64 = times.iter().map(|time| (time - centre).powi(2)).sum();
    let product: f64 = times.iter().zip(values).map(|(t, v)| (t - centre) * (v - level)).sum();
    let slope = if spread > 0.0 { product / spread } else { 0.0 };
    let residual = |(time, value): (&f64, &f64)| value - level - slope * (time - centre);
    Fit { slope, spread, residuals: times.iter().zip(values).map(residual).collect() }
}

/// The residuals of the values from their least-squares line.
fn residuals(times: &[f64], values: &[f64]) -> Vec<f64> {
    fit(times, values).residuals
}

fn squares(residuals: &[f64]) -> f64 {
    residuals.iter().map(|residual| residual * residual).sum()
}

/// The sum of squares about the least-squares line.
fn squares_about_line(times: &[f64], values: &[f64]) -> f64 {
    squares(&residuals(times, values))
}

/// The sum of squares about the mean.
fn squares_about_mean(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// Schwarz's criterion of a description with this number of parameters: the smaller, the better.
fn criterion(squares: f64, values: &[f64], parameters: usize) -> f64 {
    let count = values.len() as f64;
    let largest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let variance = (squares / count).max((ROUNDING * largest).powi(2));
    count * variance.ln() + parameters as f64 * count.ln()
}

impl Line {
    /// The line through at least three points.
    fn through(times: &[f64], values: &[f64]) -> Self {
        let slope = theil_sen(times, values);
        let without: Vec<f64> = times.iter().zip(values).map(|(t, v)| v - slope * t).collect();
        let intercept = median(&sorted(&without));
        let deviation = robust_deviation(&without, intercept);
        let clip = |(value, rest): (&f64, &f64)| {
            let residual = rest - intercept;
            value - residual + residual.clamp(-CLIP * deviation, CLIP * deviation)
        };
        let clipped = values.iter().zip(&without).map(clip).collect();
        Self { times: times.to_vec(), values: clipped, given: values.to_vec() }
    }

    /// Schwarz's criterion of the line, for the points as given.
    fn criterion(&self) -> f64 {
        criterion(squares_about_line(&self.times, &self.given), &self.given, 2)
    }

    /// The slope with its interval at level `1 - alpha`.
    fn slope(&self, alpha: f64) -> Slope {
        let Fit { slope, spread, residuals } = fit(&self.times, &self.values);
        let count = self.times.len() as f64;
        let largest = self.values.iter().copied().fold(0.0, f64::max);
        if squares(&residuals).sqrt() <= ROUNDING * largest * count.sqrt() {
            return Slope { estimate: slope, low: slope, high: slope };
        }
        let memory = drift::memory(&residuals, SAFETY);
        let df = count * (1.0 - memory) / (1.0 + memory) - 2.0;
        if df < 1.0 || count < 5.0 {
            return self.slope_of_changes(alpha);
        }
        let variance = squares(&residuals) / (count - 2.0);
        let error = (variance / spread * (1.0 + memory) / (1.0 - memory)).sqrt();
        let half_width = student::two_sided(alpha, df) * error;
        Slope { estimate: slope, low: slope - half_width, high: slope + half_width }
    }

    /// The slope from the changes between consecutive parts.
    fn slope_of_changes(&self, alpha: f64) -> Slope {
        let count = self.times.len();
        let parts = PARTS.min(count);
        let of = |all: &[f64]| -> Vec<f64> {
            let bounds = |part: usize| part * count / parts..(part + 1) * count / parts;
            (0..parts).map(|part| median(&sorted(&all[bounds(part)]))).collect()
        };
        let (times, values) = (of(&self.times), of(&self.values));
        let changes: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let number = changes.len() as f64;
        let mean = changes.iter().sum::<f64>() / number;
        let variance = squares_about_mean(&changes) / (number - 1.0);
        let half_width = student::two_sided(alpha, number - 1.0) * (variance / number).sqrt();
        let per_time = number / (times[parts - 1] - times[0]);
        Slope {
            estimate: mean * per_time,
            low: (mean - half_width) * per_time,
            high: (mean + half_width) * per_time,
        }
    }
}
