//! The changes of level in a long series of measurements, and its slides.
//!
//! For series with one value per point, measured by others or long ago: without rounds and
//! pairs, nothing cancels the machine's own changes between two points. But levels last, and noise
//! does not. Where rounds can be run, compare them instead ([`crate::estimate`]).
//!
//! 1. The noise is estimated from differences of neighbouring points: how much they vary, locally
//!    and overall; their autocorrelation; the share of spikes.
//! 2. Of all ways to cut the series into levels, the one of least cost is found, exactly. A point
//!    costs the square of its distance from the level, in deviations, but never more than a bound,
//!    so that spikes are left standing; a change costs a penalty.
//! 3. Changes that do not stand out from the noise around them are taken back.
//! 4. Successive steps in one direction that a straight line describes as well are a trend and not
//!    changes.
//!
//! The penalty is such that in a series without any change one is found with a probability of at
//! most [`Options::alpha`], at any length: the error is that of the series as a whole, not of a
//! point. It is approximate; the observed rates are in `tests/rates/steps.rs`. No random numbers
//! are used. Shifting, scaling or negating the values changes no finding.

mod partition;

use std::f64::consts::SQRT_2;
use std::ops::Range;

use thiserror::Error;

use crate::normal::UPPER_QUARTILE;
use crate::order::middle;
use crate::student;

/// The minimum number of points: with fewer, two levels look like one level and two spikes.
const FEWEST_POINTS: usize = 6;

/// The square of three deviations: a point beyond is taken for a spike.
const BOUND: f64 = 9.0;

/// The largest bound as a fraction of the penalty: otherwise a single spike at an end would be a
/// change.
const MOST_OF_PENALTY: f64 = 0.9;

/// The degrees of freedom of the spread for each point. It is estimated from the clipped squares of
/// overlapping differences. By simulation.
const FREEDOM: f64 = 1.0;

/// The permitted errors of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The permitted probability of any false finding in a series without change; in (0, 1).
    pub alpha: f64,
    /// The level of the intervals of the ratios is `1 - interval_alpha`; in (0, 1).
    pub interval_alpha: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { alpha: 0.05, interval_alpha: 0.05 }
    }
}

/// A change of level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// The first point of the new level, counted from 0.
    pub index: usize,
    /// The level before, in the unit of the values: the mean without spikes.
    pub before: f64,
    /// The level from here on.
    pub after: f64,
    /// `after / before` if both are positive, otherwise None.
    pub ratio: Option<Ratio>,
    /// The probability that a series without change shows any change as strong as this, at any
    /// point. At most 1; approximate, and an upper bound far below 5 %.
    pub p_value: f64,
}

/// The ratio of two levels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The estimate.
    pub ratio: f64,
    /// The ends of its interval, by Fieller's theorem, taking the place of the change as known.
    /// None if the level before may be 0.
    pub interval: Option<(f64, f64)>,
}

/// A stretch in which the values slide, with no single step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// The first point of the slide.
    pub start: usize,
    /// The first point after it.
    pub end: usize,
    /// The fitted value at its first point.
    pub from: f64,
    /// The fitted value at its last point.
    pub to: f64,
    /// As for a change.
    pub p_value: f64,
}

/// The changes and trends in a series.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Findings {
    /// Changes of level, ascending.
    pub change_points: Vec<ChangePoint>,
    /// Slides, ascending. They do not overlap.
    pub trends: Vec<Trend>,
}

/// The reason for refusing a series.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[expect(missing_docs, reason = "each message says what its fields are; indices begin at 0")]
pub enum SeriesError {
    #[error("value {index} of the series is `{value}`, which is not finite")]
    NotFinite { index: usize, value: f64 },
    #[error("`{0}` is not a level between 0 and 1")]
    NoLevel(f64),
}

/// The changes and trends of `series`, one value per point. Fewer than 6 points give no findings.
/// Takes about `O(n log n)`.
///
/// # Errors
///
/// When a value is not finite, or a level is not a probability.
pub fn change_points(series: &[f64], options: Options) -> Result<Findings, SeriesError> {
    check(series, options)?;
    if series.len() < FEWEST_POINTS {
        return Ok(Findings::default());
    }
    let Some(Explanation { noise, search, changes }) = explain(series, options.alpha) else {
        return Ok(Findings::default());
    };
    let Confirmed { changes, levels } = confirm(series, &noise, changes, search.least_strength);
    let stretches = stretches(series, &noise, &changes, &levels, search.cost.penalty);
    Ok(report(series, &noise, &stretches, &search, options))
}

fn check(series: &[f64], options: Options) -> Result<(), SeriesError> {
    for level in [options.alpha, options.interval_alpha] {
        if !(level > 0.0 && level < 1.0) {
            return Err(SeriesError::NoLevel(level));
        }
    }
    match series.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(SeriesError::NotFinite { index, value: series[index] }),
        None => Ok(()),
    }
}

/// The requirements on a change that follow from the length of a series and its noise.
struct Search {
    cost: partition::Cost,
    /// The penalty without autocorrelation: the least strength of a change.
    least_strength: f64,
    points: f64,
    freedom: f64,
}

impl Search {
    fn new(points: usize, alpha: f64, noise: &Noise) -> Self {
        let points = points as f64;
        let freedom = FREEDOM * points;
        let uncertain = |square: f64| freedom * (square / freedom).exp_m1();
        let least_strength = uncertain(2.0 * (CHANCES * points.sqrt() / alpha).ln());
        // If a share `s` of the points are spikes, one of them is evidence `ln((1 - s) / s)`.
        let spike = 2.0 * ((1.0 - noise.spikes) / noise.spikes).ln();
        let bound = uncertain(BOUND.min(spike)).min(MOST_OF_PENALTY * least_strength);
        let cost = partition::Cost { bound, penalty: least_strength * noise.inflation };
        Self { cost, least_strength, points, freedom }
    }

    fn partition(&self, series: &[f64], noise: &Noise) -> (Vec<usize>, f64) {
        let weights: Vec<f64> = noise.deviations.iter().map(|d| d.powi(-2)).collect();
        partition::partition(series, &weights, self.cost)
    }

    /// The p-value of a change of this strength: the `alpha` at which it would just be found.
    fn p_value(&self, strength: f64) -> f64 {
        let square = self.freedom * (strength / self.freedom).ln_1p();
        (CHANCES * self.points.sqrt() * (-0.5 * square).exp()).min(1.0)
    }
}

/// The number of chances of a series of `n` points to look changed, over `√n`: the penalty is `2
/// ln(CHANCES √n / alpha)`. By simulation, so that the rates of `tests/rates/steps.rs` hold for 6
/// to 10,000 points.
const CHANCES: f64 = 1.0;

fn report(
    series: &[f64],
    noise: &Noise,
    stretches: &[Stretch],
    search: &Search,
    options: Options,
) -> Findings {
    let slides = stretches.iter().filter_map(|stretch| {
        let strength = stretch.slide? / noise.inflation;
        Some(Trend {
            start: stretch.start,
            end: stretch.end,
            from: stretch.first,
            to: stretch.last,
            p_value: search.p_value(strength),
        })
    });
    let changes = stretches.windows(2).filter_map(|pair| {
        let strength = strength_between(series, noise, pair);
        let is_slide = pair.iter().any(|stretch| stretch.slide.is_some());
        // There need not be a step at the ends of a slide.
        (!pair[1].continues && (!is_slide || strength >= search.least_strength))
            .then(|| change(pair, noise, search.p_value(strength), options.interval_alpha))
    });
    Findings { change_points: changes.collect(), trends: slides.collect() }
}

fn change(pair: &[Stretch], noise: &Noise, p_value: f64, alpha: f64) -> ChangePoint {
    let (before, after) = (pair[0].last, pair[1].first);
    let error = |stretch: &Stretch| (stretch.variance * noise.inflation).sqrt();
    let df = FREEDOM * noise.deviations.len() as f64;
    let (before_error, after_error) = (error(&pair[0]), error(&pair[1]));
    let interval = ratio_interval(before, before_error, after, after_error, df, alpha);
    let ratio = (before > 0.0 && after > 0.0).then(|| Ratio { ratio: after / before, interval });
    ChangePoint { index: pair[1].start, before, after, ratio, p_value }
}

// The level of a segment, and the ratio of two levels with its interval.

/// The number of deviations from the level beyond which points do not count for it.
const FAR: f64 = 3.0;

/// The maximum number of steps; the mean of the near points settles in two or three.
const MOST_STEPS: usize = 20;

/// The level of a segment.
#[derive(Debug, Clone, Copy)]
struct SegmentLevel {
    /// The mean of the points near it, weighted by their precision.
    centre: f64,
    /// The variance of that mean if the points were independent and as noisy as assumed.
    variance: f64,
}

impl SegmentLevel {
    /// The level of the points `from..to`: a mean that skips points far from it (the minimum of the
    /// bounded costs next to the median).
    fn from_range(values: &[f64], noise: &Noise, from: usize, to: usize) -> Self {
        let (values, deviations) = (&values[from..to], &noise.deviations[from..to]);
        let mut level = Self { centre: middle(values.to_vec()), variance: 0.0 };
        for _ in 0..MOST_STEPS {
            let (mut weight, mut sum) = (0.0, 0.0);
            for (value, deviation) in values.iter().zip(deviations) {
                let away = value - level.centre;
                if away.abs() <= FAR * deviation {
                    let w = deviation.powi(-2);
                    weight += w;
                    sum += w * away;
                }
            }
            if weight == 0.0 {
                // There are two groups far apart, and the median lies between them.
                let n = values.len() as f64;
                let variance = deviations.iter().map(|d| d * d).sum::<f64>() / (n * n);
                return Self { variance, ..level };
            }
            let before = level.centre;
            level = Self { centre: before + sum / weight, variance: 1.0 / weight };
            if level.centre == before {
                break;
            }
        }
        level
    }
}

/// The interval at level `alpha` of `after / before`, from their estimates and standard errors, by
/// Fieller's theorem (*JRSS B* 16, 1954) with Student's t. `None` unless `before` is certainly
/// positive and `after` is positive.
fn ratio_interval(
    before: f64,
    before_error: f64,
    after: f64,
    after_error: f64,
    df: f64,
    alpha: f64,
) -> Option<(f64, f64)> {
    let t = student::two_sided(alpha, df);
    // (after - r before)^2 = t^2 (after_error^2 + r^2 before_error^2), solved for r.
    let a = before * before - (t * before_error).powi(2);
    let c = after * after - (t * after_error).powi(2);
    if !(before > 0.0 && after > 0.0 && a > 0.0) {
        return None;
    }
    let b = before * after;
    let root = (b * b - a * c).max(0.0).sqrt();
    Some(((b - root) / a, (b + root) / a))
}

// Checks each change again, against the noise around it.
//
// The partition takes the noise of a stretch as known. Where a series suddenly becomes noisier,
// the first noisy points look like separate levels. So a change must also stand out from the
// observed variation of its neighbourhood; changes that do not are taken back, the weakest first.

/// The number of points on either side of a change that show the noise around it. Arbitrary: a
/// third of the window in which the noise was estimated before.
const NEAR: usize = 24;

/// The confirmed changes and levels.
struct Confirmed {
    /// The confirmed changes.
    changes: Vec<usize>,
    /// The levels of the segments, one more than there are changes.
    levels: Vec<SegmentLevel>,
}

/// Takes back changes whose strength is below `least`: the squared difference of two levels over
/// the variance of that difference.
fn confirm(values: &[f64], noise: &Noise, mut changes: Vec<usize>, least: f64) -> Confirmed {
    loop {
        let levels = levels(values, noise, &changes);
        let strengths = strengths(values, noise, &changes, &levels);
        let kept: Vec<usize> = (0..changes.len())
            .filter(|&i| !is_weakest_around(&strengths, i, least))
            .map(|i| changes[i])
            .collect();
        if kept.len() == changes.len() {
            return Confirmed { changes, levels };
        }
        changes = kept;
    }
}

/// True if change `i` fails, and no neighbour fails worse. Of equally weak neighbours, the first is
/// removed.
fn is_weakest_around(strengths: &[f64], i: usize, least: f64) -> bool {
    let own = strengths[i];
    let worse_before = i > 0 && strengths[i - 1] <= own;
    let worse_after = strengths.get(i + 1).is_some_and(|&after| after < own);
    own < least && !worse_before && !worse_after
}

fn levels(values: &[f64], noise: &Noise, changes: &[usize]) -> Vec<SegmentLevel> {
    let end = |i: usize| changes.get(i).copied().unwrap_or(values.len());
    let start = |i: usize| if i == 0 { 0 } else { changes[i - 1] };
    (0..=changes.len()).map(|i| SegmentLevel::from_range(values, noise, start(i), end(i))).collect()
}

fn strengths(
    values: &[f64],
    noise: &Noise,
    changes: &[usize],
    levels: &[SegmentLevel],
) -> Vec<f64> {
    let segment_at = |point: usize| changes.partition_point(|&start| start <= point);
    let residual = |point: usize| {
        (values[point] - levels[segment_at(point)].centre).abs() / noise.deviations[point]
    };
    let strength = |i: usize| {
        let (before, after) = (levels[i], levels[i + 1]);
        let (left, right) = sides(changes[i], values.len());
        let variance = before.variance * excess(left.map(residual))
            + after.variance * excess(right.map(residual));
        (after.centre - before.centre).powi(2) / (variance * noise.inflation)
    };
    (0..changes.len()).map(strength).collect()
}

/// The points near a change, before and after it.
fn sides(change: usize, points: usize) -> (Range<usize>, Range<usize>) {
    (change.saturating_sub(NEAR)..change, change..(change + NEAR).min(points))
}

/// The variance of residuals over the assumed one; at least 1. Residuals are in deviations.
fn excess(residuals: impl Iterator<Item = f64>) -> f64 {
    let residuals: Vec<f64> = residuals.collect();
    typical_variance(&residuals).unwrap_or(1.0).max(1.0)
}

/// The strength of the step between two stretches.
fn strength_between(values: &[f64], noise: &Noise, pair: &[Stretch]) -> f64 {
    let (left, right) = sides(pair[1].start, values.len());
    let of = |stretch: &Stretch, near: Range<usize>| {
        let inside = near.start.max(stretch.start)..near.end.min(stretch.end);
        let residual = |i: usize| (values[i] - stretch.at(i)).abs() / noise.deviations[i];
        stretch.variance * excess(inside.map(residual))
    };
    let variance = of(&pair[0], left) + of(&pair[1], right);
    (pair[1].first - pair[0].last).powi(2) / (variance * noise.inflation)
}

// The variation of a series where nothing changes: the spread at each point, the autocorrelation,
// and the share of spikes.
//
// All are estimated from differences of close points, of which a step affects only one or two. The
// squares of differences are clipped at three deviations, so that steps and spikes count no more
// than a large ordinary difference.

/// Squares are clipped at this many deviations; then their mean is this part of the variance under
/// normal noise: `2 Φ(3) - 1 - 6 φ(3) + 18 Φ(-3)`.
const CLIP: f64 = 3.0;
const CLIPPED_SQUARES: f64 = 0.995_003_8;

/// The approximate number of blocks of differences, each judged with its neighbours, and the limits
/// of their length. Arbitrary: short enough to notice that a part of a series is noisier, long
/// enough to show how noisy.
const BLOCKS: usize = 12;
const SHORTEST_BLOCK: usize = 8;
const LONGEST_BLOCK: usize = 32;

/// The largest autocorrelation: a larger one looks like drift.
const LONGEST_MEMORY: f64 = 0.95;

/// The variation of the points while the level stays.
#[derive(Debug, Clone)]
struct Noise {
    /// The standard deviation at each point.
    deviations: Vec<f64>,
    /// The correlation of neighbouring points.
    memory: f64,
    /// The variance of the mean of many points, over that of independent ones.
    inflation: f64,
    /// The share of points that lie far from their neighbours on both sides.
    spikes: f64,
}

/// The treatment of autocorrelation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Points are independent.
    None,
    /// Autocorrelation is estimated from differences.
    Estimated,
}

/// The noise of `values`. Differences across `changes` do not count. `None` if no difference other
/// than 0 is left.
fn noise(values: &[f64], changes: &[usize], memory: Memory) -> Option<Noise> {
    let first = differences(values, changes, 1);
    let variance = clipped_variance(&first)?;
    let memory = match memory {
        Memory::None => 0.0,
        Memory::Estimated => {
            let second = clipped_variance(&differences(values, changes, 2));
            second.map_or(0.0, |second| on_the_safe_side(second / variance - 1.0, values.len()))
        }
    };
    let marginal = (1.0 / (1.0 - memory)).sqrt();
    let local = local_deviations(&first, variance.sqrt());
    let at = |i: usize| marginal * local[i * local.len() / values.len()];
    let deviations: Vec<f64> = (0..values.len()).map(at).collect();
    let spikes = spike_share(values, &deviations);
    Some(Noise { deviations, memory, inflation: (1.0 + memory) / (1.0 - memory), spikes })
}

/// The variance that belongs to these sizes, most of them of one kind. NaN does not count. `None`
/// if there are none, or half of them or more are 0.
fn typical_variance(sizes: &[f64]) -> Option<f64> {
    let sizes: Vec<f64> = sizes.iter().copied().filter(|size| !size.is_nan()).collect();
    let count = sizes.len() as f64;
    let typical = if sizes.is_empty() { 0.0 } else { middle(sizes.clone()) / UPPER_QUARTILE };
    let clip = (CLIP * typical).powi(2);
    let sum: f64 = sizes.iter().map(|size| (size * size).min(clip)).sum();
    (typical > 0.0).then(|| sum / count / CLIPPED_SQUARES)
}

/// The same, also for sizes most of which are 0. `None` if all are.
fn clipped_variance(sizes: &[f64]) -> Option<f64> {
    if let Some(variance) = typical_variance(sizes) {
        return Some(variance);
    }
    let count = sizes.iter().filter(|size| !size.is_nan()).count();
    // Most points equal their neighbours: the readings are exact, or a clock is coarse.
    let mut some: Vec<f64> = sizes.iter().copied().filter(|size| *size > 0.0).collect();
    let share = some.len() as f64 / count as f64;
    some.sort_unstable_by(f64::total_cmp);
    // The lower quartile: steps and spikes are larger than a tick of the clock.
    some.get(some.len() / 4).map(|tick| tick * tick * share)
}

/// The sizes of differences of points `lag` apart, over √2, so that they vary like one point; NaN
/// if a change lies, or may lie, between them.
fn differences(values: &[f64], changes: &[usize], lag: usize) -> Vec<f64> {
    let size = |i: usize| (values[i + lag] - values[i]).abs() / SQRT_2;
    let mut sizes: Vec<f64> = (0..values.len().saturating_sub(lag)).map(size).collect();
    for &change in changes {
        let last = (change + 1).min(sizes.len());
        sizes[(change.saturating_sub(lag + 1)).min(last)..last].fill(f64::NAN);
    }
    sizes
}

/// The autocorrelation raised by its uncertainty, but by no more than half of itself, so that
/// independent readings are not charged for it. Its standard error is about `1 / √n`.
fn on_the_safe_side(memory: f64, points: usize) -> f64 {
    let memory = memory.max(0.0);
    (memory + (0.5 * memory).min(1.0 / (points as f64).sqrt())).min(LONGEST_MEMORY)
}

/// The deviation in each block: the overall one, or that of the block or one of its neighbours,
/// each judged with its own neighbours, if clearly larger.
fn local_deviations(sizes: &[f64], overall: f64) -> Vec<f64> {
    let block = (sizes.len() / BLOCKS).clamp(SHORTEST_BLOCK, LONGEST_BLOCK);
    let count = sizes.len().div_ceil(block);
    let bound = |block: usize| block * sizes.len() / count;
    let spread = |block: usize| {
        let window = &sizes[bound(block.saturating_sub(1))..bound((block + 2).min(count))];
        let deviation = typical_variance(window).map_or(0.0, f64::sqrt);
        // Three standard errors of a deviation from overlapping differences.
        let clearly = 1.0 + 3.0 * (0.75 / window.len() as f64).sqrt();
        if deviation > clearly * overall { deviation } else { overall }
    };
    let spreads: Vec<f64> = (0..count).map(spread).collect();
    let around = |i: usize| &spreads[i.saturating_sub(1)..(i + 2).min(count)];
    (0..count).map(|i| around(i).iter().copied().fold(overall, f64::max)).collect()
}

/// The share of points far from the median of themselves and their two neighbours on each side. One
/// such point is tolerated.
fn spike_share(values: &[f64], deviations: &[f64]) -> f64 {
    let far = values.windows(5).zip(&deviations[2.min(deviations.len())..]).filter(
        |(window, deviation)| {
            let mut five = [window[0], window[1], window[2], window[3], window[4]];
            five.sort_unstable_by(f64::total_cmp);
            (window[2] - five[2]).abs() > CLIP * **deviation
        },
    );
    far.count().saturating_sub(1) as f64 / values.len() as f64
}

// The choice between levels and autocorrelation: the shorter explanation of a series wins.
//
// Autocorrelated points wander, and a wandering stretch looks like a separate level. Conversely, a
// step is in one difference of neighbours but in two of every other point, which looks like
// autocorrelation. Neither can be estimated without the other. So a series is explained several
// times, with and without autocorrelation, counting steps as noise or not, and the best
// explanation is the one that leaves the least unexplained: `n ln v`, with `v` the variance that
// the level and the last point do not predict, and a penalty for each change.

/// The length above which a series is explained with autocorrelation only: steps are then too few
/// to be mistaken for it.
const LONG: usize = 20_000;

/// The number of points per change above which leaving out the steps hardly changes the noise.
const FEW: usize = 1000;

/// The number of penalties by which an explanation that starts from "no memory" must be better. By
/// simulation: without it, in 20 points with an autocorrelation of 0.5 changes are found five times
/// as often as permitted. Up to `NO_MARGIN` points it need not be better, or no step at all would
/// be found there.
const MEMORY_MARGIN: f64 = 0.5;
const NO_MARGIN: f64 = 10.0;
const FULL_MARGIN: f64 = 30.0;

/// The parts of a series: noise, levels and changes.
struct Explanation {
    /// The noise about the levels.
    noise: Noise,
    /// The requirements on a change.
    search: Search,
    /// The first points of the levels but the first.
    changes: Vec<usize>,
}

/// The best explanation of a series; `None` when all values are equal.
fn explain(series: &[f64], alpha: f64) -> Option<Explanation> {
    let explained = |known: &[usize], memory| {
        let noise = noise(series, known, memory)?;
        let search = Search::new(series.len(), alpha, &noise);
        let changes = search.partition(series, &noise).0;
        Some(Explanation { noise, search, changes })
    };
    let remembering = explained(&[], Memory::Estimated)?;
    let mut doubtful = Vec::new();
    if series.len() < LONG {
        let forgetful = explained(&[], Memory::None)?;
        doubtful.extend(
            explained(&forgetful.changes, Memory::Estimated)
                .filter(|one| one.is_quieter(&forgetful)),
        );
        doubtful.push(forgetful);
    }
    let many = remembering.changes.len() * FEW > series.len();
    let refined = many.then(|| explained(&remembering.changes, Memory::Estimated)).flatten();
    let refined = refined.filter(|one| one.is_quieter(&remembering));
    let safe = shortest(series, [Some(remembering), refined].into_iter().flatten())?;
    let sure = (series.len() as f64 - NO_MARGIN) / (FULL_MARGIN - NO_MARGIN);
    let margin = MEMORY_MARGIN * sure.clamp(0.0, 1.0);
    match shortest(series, doubtful.into_iter()) {
        Some(other) if other.0 + margin * other.1.search.least_strength < safe.0 => Some(other.1),
        _ => Some(safe.1),
    }
}

/// The explanation that leaves the least unexplained, and that amount.
fn shortest(
    series: &[f64],
    explanations: impl Iterator<Item = Explanation>,
) -> Option<(f64, Explanation)> {
    let measured = explanations.map(|one| (one.length(series), one));
    measured.min_by(|a, b| a.0.total_cmp(&b.0))
}

impl Explanation {
    /// True if leaving out steps leaves no more noise. It leaves more if readings are exact and
    /// only spikes remain to estimate from.
    fn is_quieter(&self, other: &Self) -> bool {
        let fresh = |one: &Self| (1.0 - one.noise.memory).sqrt();
        let total = |one: &Self| fresh(one) * one.noise.deviations.iter().sum::<f64>();
        total(self) <= total(other)
    }

    /// The amount left unexplained, plus the cost of the explanation, as twice a log-likelihood.
    fn length(&self, series: &[f64]) -> f64 {
        let mut residuals = Vec::with_capacity(series.len());
        let ends = self.changes.iter().copied().chain([series.len()]);
        let mut from = 0;
        for to in ends {
            let level = SegmentLevel::from_range(series, &self.noise, from, to).centre;
            residuals.extend(series[from..to].iter().map(|value| value - level));
            from = to;
        }
        let memory = self.noise.memory;
        let surprises: Vec<f64> =
            residuals.windows(2).map(|pair| (pair[1] - memory * pair[0]).abs()).collect();
        let n = surprises.len() as f64;
        let unexplained = clipped_variance(&surprises).unwrap_or(f64::MIN_POSITIVE);
        let parameters = if memory > 0.0 { n.ln() } else { 0.0 };
        n * unexplained.ln() + self.search.least_strength * self.changes.len() as f64 + parameters
    }
}

// Slides: stretches in which the level moves a little with every point.
//
// A partition into levels turns a slide into a staircase. So the segments are fitted again, by
// levels and straight lines: a line may replace neighbouring segments whose levels all rise or all
// fall, and is charged like one more change for its slope. The segments that become lines are
// found by dynamic programming.

/// The fraction of a change's cost by which a line must be better than the steps: if both fit, a
/// step is the more useful answer, since the user can look at its commit. Arbitrary.
const LINE_MARGIN: f64 = 0.5;

/// The maximum number of segments that a line replaces, to save time.
const MOST_SEGMENTS: usize = 500;

/// A part of a series: a level, or a line.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    /// The first point.
    start: usize,
    /// The end, one past the last point.
    end: usize,
    /// The fitted value at the first point.
    first: f64,
    /// The fitted value at the last point.
    last: f64,
    /// The variance of these two, if the points were independent.
    variance: f64,
    /// For a line: its advantage over one level, in squared deviations.
    slide: Option<f64>,
    /// True if it continues where the previous one ends, without a step.
    continues: bool,
}

impl Stretch {
    /// The fitted value at a point.
    fn at(&self, point: usize) -> f64 {
        let steps = (self.end - self.start - 1).max(1) as f64;
        self.first + (self.last - self.first) * ((point as f64 - self.start as f64) / steps)
    }
}

/// Levels and lines, ascending. `charge` is the cost of a change, including autocorrelation.
fn stretches(
    values: &[f64],
    noise: &Noise,
    changes: &[usize],
    levels: &[SegmentLevel],
    charge: f64,
) -> Vec<Stretch> {
    let mut bounds = vec![0];
    bounds.extend(changes);
    bounds.push(values.len());
    let moments: Vec<Moments> = bounds
        .windows(2)
        .zip(levels)
        .map(|(segment, level)| Moments::near(values, noise, segment[0], segment[1], *level))
        .collect();
    let fits = best_fits(&moments, levels, charge);
    let stretch = |&(start, fit): &(usize, Moments), to: usize| {
        let level = (to == start + 1).then(|| levels[start]);
        fit.stretch(bounds[start], bounds[to], level)
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
            bend(values, noise, before, after, charge);
        }
    }
    found
}

/// Makes a level and a line meet, unless a step between them is clearly better. A level that ends
/// in a slide has swallowed the first points of it, which then looks like a step.
fn bend(values: &[f64], noise: &Noise, before: &mut Stretch, after: &mut Stretch, charge: f64) {
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
fn best_fits(moments: &[Moments], levels: &[SegmentLevel], charge: f64) -> Vec<(usize, Moments)> {
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
            let cost = costs[start] + charge * (2.0 + LINE_MARGIN) + together.about_line();
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
    fn near(values: &[f64], noise: &Noise, from: usize, to: usize, level: SegmentLevel) -> Self {
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

    fn stretch(self, start: usize, end: usize, level: Option<SegmentLevel>) -> Stretch {
        if let Some(SegmentLevel { centre, variance }) = level {
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
