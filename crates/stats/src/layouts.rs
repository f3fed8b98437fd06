//! Programs linked several times with different layouts: comparisons over all these layouts, and
//! the effect of layout alone on a program.
//!
//! Rounds of the same layout share its effect, so they are not independent, and an interval that
//! assumed so would hold for these layouts alone. The layouts are independent: each was drawn by
//! itself. So the readings of a layout become one, and a comparison has as many pairs as layouts,
//! for any number of rounds. Given equal programs, the two sides of a pair could as well have been
//! exchanged, so the tests of pairs apply unchanged.
//!
//! `tests/rates/layouts.rs` simulates the errors, including those of repeated looks.

use crate::beta::regularised;
use crate::normal::UPPER_QUARTILE;
use crate::order::{boundary, quantile, sorted};

/// The two sides of the rounds, a pair per layout: the `k`-th round that has both ran layout
/// `layout[k]`, below `layouts`. A side of a pair is the lower quartile of its readings. The pairs
/// are in the order of the layouts; layouts that never ran are left out.
#[must_use]
pub fn pairs(
    layout: &[usize],
    baseline: &[f64],
    candidate: &[f64],
    layouts: usize,
) -> (Vec<f64>, Vec<f64>) {
    let of = |values: &[f64]| {
        grouped(layout, values, layouts).iter().map(|group| lower_quartile(group)).collect()
    };
    (of(baseline), of(candidate))
}

/// The level of a layout, from its readings. Disturbances slow runs down and hardly ever speed them
/// up, so the fast ones are the steady ones; the fastest alone would be a matter of luck.
fn lower_quartile(values: &[f64]) -> f64 {
    quantile(&sorted(values), 0.25)
}

/// The readings of each layout that ran, in the order of the layouts.
fn grouped(layout: &[usize], values: &[f64], layouts: usize) -> Vec<Vec<f64>> {
    let mut groups = vec![Vec::new(); layouts];
    for (&layout, &value) in layout.iter().zip(values) {
        groups[layout].push(value);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The spread of the layouts of one program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The standard deviation between layouts, as a fraction of the program's time; 0 if the
    /// layouts differ no more than runs of one of them.
    pub sd: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The standard deviation of a layout's lower quartile that its runs alone explain, as a
    /// fraction.
    pub noise: f64,
    /// The number of layouts it rests on.
    pub layouts: usize,
}

/// The error of the interval of a [`Spread`].
const ALPHA: f64 = 0.05;

/// The minimum number of layouts for estimating their spread.
const FEWEST: usize = 5;

/// The spread of the layouts of a program, from positive readings of which the `k`-th has layout
/// `layout[k]`, below `layouts`. None if fewer than five layouts have two readings.
///
/// The readings of a layout are dealt into two halves, each of which has a lower quartile: two
/// values per layout, in which slow runs count little. On their logarithms, the variance between
/// layouts is estimated by the analysis of variance of one random factor, with the interval of the
/// ratio of the two variances (Searle, *Linear Models*, 1971, chapter 9). It assumes that the
/// halves' noise is normal.
#[must_use]
pub fn spread(layout: &[usize], values: &[f64], layouts: usize) -> Option<Spread> {
    let halves: Vec<[f64; 2]> = grouped(layout, values, layouts)
        .into_iter()
        .filter(|group| group.len() >= 2)
        .map(|group| {
            [0, 1].map(|half| {
                lower_quartile(&group.iter().copied().skip(half).step_by(2).collect::<Vec<_>>())
                    .ln()
            })
        })
        .collect();
    let count = halves.len();
    if count < FEWEST {
        return None;
    }
    let groups = count as f64;
    let means: Vec<f64> = halves.iter().map(|[a, b]| 0.5 * (a + b)).collect();
    let grand = means.iter().sum::<f64>() / groups;
    let between = 2.0 * means.iter().map(|mean| (mean - grand).powi(2)).sum::<f64>();
    let within = halves.iter().map(|[a, b]| 0.5 * (a - b).powi(2)).sum::<f64>();
    let (between, within) = (between / (groups - 1.0), within / groups);
    let sd = |between: f64| (0.5 * (between - within)).max(0.0).sqrt();
    let quantile = |p| f_quantile(p, groups - 1.0, groups);
    Some(Spread {
        sd: sd(between),
        low: sd(between / quantile(1.0 - 0.5 * ALPHA)),
        high: sd(between / quantile(0.5 * ALPHA)),
        noise: noise(&halves),
        layouts: count,
    })
}

/// The part of the permitted error that is left to the last look at programs in layouts: the
/// earlier looks spend the rest. It is the least for up to a hundred comparisons
/// (`tests/layouts.rs`), so it determines the number of layouts needed for an interval.
pub const LAST_LOOK: f64 = 0.18;

/// The half-width of an interval over a dozen layouts that only noise makes wide, on the log scale,
/// in standard errors: the median of simulated ones is 4.5 to 5 (`tests/rates/layouts.rs`).
const NOISE_WIDTH: f64 = 4.5;

/// The half-width, on the log scale, of the interval of the ratio of two programs in this number of
/// layouts if there is only noise; `noise` is that of [`noise_per_side`].
#[must_use]
pub fn half_width_by_noise(noise: f64, layouts: u32) -> f64 {
    NOISE_WIDTH * noise * (2.0 / f64::from(layouts)).sqrt()
}

/// The noise of a comparison per side, from that of its sides ([`Spread`]): the root mean square,
/// because the variance of a ratio's logarithm is the sum of both. None without a side.
#[must_use]
pub fn noise_per_side(sides: &[f64]) -> Option<f64> {
    let squares = sides.iter().map(|noise| noise * noise).sum::<f64>();
    (!sides.is_empty()).then(|| (squares / sides.len() as f64).sqrt())
}

/// The standard deviation of a layout's lower quartile that its runs alone explain, from the
/// logarithms of the quartiles of its two halves: half of their median difference, as for a normal
/// distribution. A few disturbed layouts count little (the median absolute deviation: Hampel,
/// *Journal of the American Statistical Association* 69, 1974). The quartile of all readings of a
/// layout is taken for the mean of those of its halves.
fn noise(halves: &[[f64; 2]]) -> f64 {
    let differences: Vec<f64> = halves.iter().map(|[a, b]| (a - b).abs()).collect();
    quantile(&sorted(&differences), 0.5) / (2.0 * UPPER_QUARTILE)
}

/// The value below which Fisher's F with `upper` and `lower` degrees of freedom lies with
/// probability `p`, by bisection.
fn f_quantile(p: f64, upper: f64, lower: f64) -> f64 {
    let below = |f: f64| {
        let whole = upper * f + lower;
        regularised(0.5 * upper, 0.5 * lower, upper * f / whole, lower / whole) < p
    };
    let mut high = 1.0;
    while below(high) && high < f64::MAX / 4.0 {
        high *= 2.0;
    }
    boundary(0.0, high, below).1
}
