//! Classifies the memory of a running program over time: constant, growing in proportion to time,
//! or growing in steps.
//!
//! The samples of one run are not independent readings. Programs allocate when they start, and a
//! garbage-collected heap rises and falls like a sawtooth; what matters is the memory that remains.
//! So the samples are first reduced to a floor (`growth/floor.rs`), from the end of the start-up
//! on: the values just after the falls if there are enough of them, otherwise the minima of
//! stretches of equal length. Then
//!
//! 1. the floor is searched for changes of level ([`crate::change_points`]); if a straight line
//!    describes it as well, by Schwarz's criterion (*Annals of Statistics* 6, 1978), the line is
//!    used;
//! 2. the slope of the line gets an interval that allows for the autocorrelation of its residuals
//!    (`growth/line.rs`);
//! 3. a slope that is certainly not 0, of a floor that rises in each part of the run, is growth in
//!    proportion to time; an interval within [`CONSTANT_SHARE`] of the level is constancy;
//!    everything else stays undecided, with its reason.
//!
//! Approximate: no number of samples distinguishes growth from a tooth that is longer than the run.
//! The observed error rates are in `tests/rates/growth.rs`.

use thiserror::Error;

use crate::change_points::{Findings, Options, change_points};
use crate::order::{median, sorted};

mod floor;
mod line;
mod rounds;

use floor::{Floor, Floors, floors};
use line::Line;
pub use rounds::{Agreement, agreement};

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
pub enum GrowthError {
    /// The numbers of times and values differ.
    #[error("`{times}` times for `{values}` values")]
    Lengths {
        /// The number of times.
        times: usize,
        /// The number of values.
        values: usize,
    },
    /// A time or a value is not a finite number.
    #[error("sample {index} is not finite")]
    NotFinite {
        /// The index of the sample, from 0.
        index: usize,
    },
    /// A time is not later than the one before.
    #[error("sample {index} is not later than the one before")]
    Order {
        /// The index of the sample, from 0.
        index: usize,
    },
    /// A value is negative.
    #[error("sample {index} is negative")]
    Negative {
        /// The index of the sample, from 0.
        index: usize,
    },
    /// There are no samples.
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
    let from = floor::end_of_start(times, values);
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
    let verdict = verdict((times, values), &floor, falls, &line, slope, level);
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
    (times, values): (&[f64], &[f64]),
    floor: &Floor,
    falls: usize,
    line: &Line,
    slope: Slope,
    level: f64,
) -> Verdict {
    let findings = change_points(&floor.values, Options::default()).unwrap_or_default();
    let steps = steps(&findings, floor, level, (times, values));
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
    (times, values): (&[f64], &[f64]),
) -> Vec<Step> {
    let jumps = findings.change_points.iter().map(|change| {
        let window = (floor.times[change.index - 1], floor.times[change.index]);
        let at = moment(times, values, window, 0.5 * (change.before + change.after));
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
fn moment(times: &[f64], values: &[f64], (first, last): (f64, f64), middle: f64) -> f64 {
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
            line::squares_about_line(&places, piece)
        } else {
            line::squares_about_mean(piece)
        };
        parameters += 1 + usize::from(is_slide);
    }
    line::criterion(squares, values, parameters)
}

/// True if the first two thirds of the floor and the last two both rise (or fall) as the whole
/// does.
fn is_even(floor: &Floor, slope: f64) -> bool {
    let count = floor.values.len();
    let part = count - count / 3;
    let of = |range: std::ops::Range<usize>| {
        line::theil_sen(&floor.times[range.clone()], &floor.values[range])
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
