//! The changes of level in a long series of measurements, and its slides.
//!
//! For series with one or few values per point, measured by others or long ago: without rounds and
//! pairs, nothing cancels the machine's own changes between two points. But levels last, and noise
//! does not. Where rounds can be run, compare them instead ([`crate::estimate`]).
//!
//! 1. The noise is estimated from differences of neighbouring points: how much they vary, locally
//!    and overall; their autocorrelation; the share of spikes (`noise.rs`).
//! 2. Of all ways to cut the series into levels, the one of least cost is found, exactly. A point
//!    costs the square of its distance from the level, in deviations, but never more than a bound,
//!    so that spikes are left standing; a change costs a penalty (`partition.rs`).
//! 3. Changes that do not stand out from the noise around them are taken back (`confirm.rs`).
//! 4. Successive steps in one direction that a straight line describes as well are a trend and not
//!    changes (`trend.rs`).
//!
//! The penalty is such that in a series without any change one is found with a probability of at
//! most [`Options::alpha`], at any length: the error is that of the series as a whole, not of a
//! point. It is approximate; the observed rates are in `tests/rates/steps.rs`. No random numbers
//! are used. Shifting, scaling or negating the values changes no finding.

use thiserror::Error;

use crate::order::middle;

mod confirm;
mod explain;
mod level;
mod noise;
mod partition;
mod trend;

use confirm::{Confirmed, confirm};
use explain::{Explanation, explain};
use level::ratio_interval;
use noise::Noise;
use trend::Stretch;

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
pub enum SeriesError {
    /// A value is not finite; callers leave out missing values.
    #[error("value {index} of the series is `{value}`, which is not finite")]
    NotFinite {
        /// Its index, from 0.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A point has no samples.
    #[error("point {index} of the series has no samples")]
    NoSamples {
        /// Its index, from 0.
        index: usize,
    },
    /// A probability is outside of (0, 1).
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
    Ok(find(series, None, options))
}

/// The changes and trends of a series whose points have several samples each, in any numbers. A
/// point counts by its median; the shares of the noise between and within points are estimated, and
/// a point of few samples counts for less.
///
/// # Errors
///
/// When a sample is not finite, a point has no samples, or a level is not a probability.
pub fn change_points_of_samples(
    samples: &[&[f64]],
    options: Options,
) -> Result<Findings, SeriesError> {
    if let Some(index) = samples.iter().position(|point| point.is_empty()) {
        return Err(SeriesError::NoSamples { index });
    }
    for (index, point) in samples.iter().enumerate() {
        if let Some(&value) = point.iter().find(|value| !value.is_finite()) {
            return Err(SeriesError::NotFinite { index, value });
        }
    }
    let series: Vec<f64> = samples.iter().map(|point| middle(point.to_vec())).collect();
    check(&series, options)?;
    let relative = noise::relative_deviations(&series, samples);
    Ok(find(&series, relative.as_deref(), options))
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

fn find(series: &[f64], relative: Option<&[f64]>, options: Options) -> Findings {
    if series.len() < FEWEST_POINTS {
        return Findings::default();
    }
    let Some(Explanation { noise, search, changes }) = explain(series, relative, options.alpha)
    else {
        return Findings::default();
    };
    let Confirmed { changes, levels } = confirm(series, &noise, changes, search.least_strength);
    let stretches = trend::stretches(series, &noise, &changes, &levels, search.cost.penalty);
    report(series, &noise, &stretches, &search, options)
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
        let strength = confirm::strength_between(series, noise, pair);
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
    let interval = ratio_interval((before, error(&pair[0])), (after, error(&pair[1])), df, alpha);
    let ratio = (before > 0.0 && after > 0.0).then(|| Ratio { ratio: after / before, interval });
    ChangePoint { index: pair[1].start, before, after, ratio, p_value }
}
