//! The ratio of a candidate to a baseline, from readings taken in rounds.
//!
//! There are several estimators, for different questions. All are paired: reading `r` of one sample
//! belongs to reading `r` of the other, and under the null hypothesis exchanging the two within a
//! round makes no difference. The intervals rest only on the fair coin of the crate's introduction,
//! except that of the mean, which rests on the central limit theorem, and those of quantiles, which
//! assume independent rounds.

use crate::order::{median, sorted};
use crate::quantile::{self, Quantile};
use crate::signed_rank::{self, Shift};
use crate::{binomial, rank_scores, student};

/// The quantity by which two samples are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Estimator {
    /// The ratio at which the rank scores of both samples, weighted towards the fastest runs, have
    /// equal sums, with the interval of the randomisation test of their difference. The default
    /// choice: on noise that only slows, as on computers, it needs a fifth to two thirds fewer
    /// rounds than the pseudo-median, on normal noise about a tenth more.
    RankScores,
    /// The pseudo-median of the rounds' log-ratios (Hodges and Lehmann 1963), with the exact
    /// signed-rank interval. As efficient as the mean on normal noise (95 %), far better on any
    /// other.
    PseudoMedian,
    /// The median of the rounds' ratios, with the exact interval of the sign test. Does not even
    /// need symmetry, but half as many rounds again.
    Median,
    /// The ratio of the arithmetic means, with a linearised paired t interval: for users who pay
    /// for the total. One slow run moves it, and widens its interval.
    Mean,
    /// The ratio of the minima, with a signed-rank interval over blocks of rounds.
    Min,
    /// The ratio of two quantiles, from the distribution-free interval of each: how slow the slow
    /// runs are. Unlike the others it assumes independent rounds, except for excluding 1.
    Quantile(Quantile),
}

impl Estimator {
    /// True if an interval at level `1 - alpha` from this number of rounds has finite ends. For the
    /// mean this does not mean that its approximation is good.
    #[must_use]
    pub fn has_interval(self, rounds: usize, alpha: f64) -> bool {
        match self {
            Self::RankScores | Self::PseudoMedian | Self::Median => coins_allow(rounds, alpha),
            Self::Min => coins_allow(blocks(rounds, alpha), alpha),
            Self::Mean => rounds >= 2 && alpha > 0.0,
            Self::Quantile(which) => which.has_interval(rounds, alpha),
        }
    }

    /// The minimum number of rounds for such an interval; `None` if no number is enough.
    #[must_use]
    pub fn least_rounds(self, alpha: f64) -> Option<usize> {
        match self {
            Self::Quantile(which) => which.least_values(alpha),
            _ => (1..=MOST_COINS).find(|&rounds| self.has_interval(rounds, alpha)),
        }
    }
}

/// The number of coins up to which the least two-sided p-value is above 0.
const MOST_COINS: usize = 1075;

/// True if this number of coins, all falling alike on either side, is as improbable as `alpha`.
fn coins_allow(coins: usize, alpha: f64) -> bool {
    coins > 0 && alpha > 0.0 && 0.5_f64.powf(coins as f64 - 1.0) <= alpha
}

/// A ratio, candidate over baseline, with its interval. No unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioEstimate {
    /// The estimate: 1.05 if the candidate takes 5 % more.
    pub ratio: f64,
    /// The lower end; 0 if there are too few rounds for the level.
    pub low: f64,
    /// The upper end; infinity if there are too few rounds for the level.
    pub high: f64,
    /// The number of rounds it rests on.
    pub rounds: usize,
}

impl RatioEstimate {
    /// True if the interval excludes equality. Strict: with ties an end may be exactly 1, and then
    /// this is false.
    #[must_use]
    pub fn excludes_one(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    /// Half the width of the interval of the ratio's logarithm, as [`crate::detect`] expects it;
    /// infinite while undecidable.
    #[must_use]
    pub fn log_half_width(&self) -> f64 {
        0.5 * (self.high.ln() - self.low.ln())
    }
}

/// The reason why two samples cannot be compared as pairs.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are; indices begin at 0")]
pub enum PairedError {
    #[error("the baseline has {baseline} readings and the candidate {candidate}")]
    UnequalLengths { baseline: usize, candidate: usize },
    #[error("there are no readings")]
    Empty,
    #[error("reading {index} is {value}, not a finite number")]
    NotFinite { index: usize, value: f64 },
    #[error("reading {index} is {value}, which has no ratio")]
    NotPositive { index: usize, value: f64 },
    #[error("alpha is {0}, not between 0 and 1")]
    NoLevel(f64),
}

/// The ratio of `candidate` to `baseline`, paired by round (the index), with a two-sided interval
/// at level `1 - alpha` (`alpha = 0` gives the whole axis).
///
/// Swapping the samples inverts the ratio and both ends, for every estimator.
///
/// # Errors
///
/// When the samples differ in length, are empty, hold a reading that is not finite and positive,
/// or `alpha` is not in `[0, 1]`.
pub fn paired_ratio(
    baseline: &[f64],
    candidate: &[f64],
    estimator: Estimator,
    alpha: f64,
) -> Result<RatioEstimate, PairedError> {
    check_pairs(baseline, candidate, alpha)?;
    for (index, value) in readings(baseline, candidate) {
        if value <= 0.0 {
            return Err(PairedError::NotPositive { index, value });
        }
    }
    let log = match estimator {
        Estimator::RankScores => {
            rank_scores::shift(&logarithms(baseline), &logarithms(candidate), alpha)
        }
        Estimator::PseudoMedian => signed_rank::shift(&log_ratios(baseline, candidate), alpha)
            .expect("the logarithm of a finite positive number is finite"),
        Estimator::Median => median_shift(&log_ratios(baseline, candidate), alpha),
        Estimator::Mean => log_ratio_of_means(baseline, candidate, alpha),
        Estimator::Min => log_ratio_of_minima(baseline, candidate, alpha),
        Estimator::Quantile(which) => quantile::log_ratio(baseline, candidate, which, alpha),
    };
    Ok(RatioEstimate {
        ratio: log.estimate.exp(),
        low: log.low.exp(),
        high: log.high.exp(),
        rounds: baseline.len(),
    })
}

/// `ln(candidate / baseline)` of each round. The difference of two logarithms rather than the
/// logarithm of a quotient, so that swapping the samples changes only the sign.
#[must_use]
pub fn log_ratios(baseline: &[f64], candidate: &[f64]) -> Vec<f64> {
    baseline.iter().zip(candidate).map(|(b, c)| c.ln() - b.ln()).collect()
}

/// The geometric mean of the ratios that are positive and finite; None if there are fewer than two.
#[must_use]
pub fn geometric_mean(ratios: impl IntoIterator<Item = f64>) -> Option<f64> {
    let logs = ratios.into_iter().map(f64::ln).filter(|log| log.is_finite());
    let (count, total) = logs.fold((0_u32, 0.0), |(count, total), log| (count + 1, total + log));
    (count > 1).then(|| (total / f64::from(count)).exp())
}

fn logarithms(readings: &[f64]) -> Vec<f64> {
    readings.iter().map(|reading| reading.ln()).collect()
}

/// The argument checks common to all paired comparisons.
pub(crate) fn check_pairs(
    baseline: &[f64],
    candidate: &[f64],
    alpha: f64,
) -> Result<(), PairedError> {
    if baseline.len() != candidate.len() {
        let (baseline, candidate) = (baseline.len(), candidate.len());
        return Err(PairedError::UnequalLengths { baseline, candidate });
    }
    if baseline.is_empty() {
        return Err(PairedError::Empty);
    }
    if !(0.0..=1.0).contains(&alpha) {
        return Err(PairedError::NoLevel(alpha));
    }
    match readings(baseline, candidate).find(|(_, value)| !value.is_finite()) {
        Some((index, value)) => Err(PairedError::NotFinite { index, value }),
        None => Ok(()),
    }
}

/// Every reading of either sample with its index.
pub(crate) fn readings<'a>(
    baseline: &'a [f64],
    candidate: &'a [f64],
) -> impl Iterator<Item = (usize, f64)> + 'a {
    baseline.iter().enumerate().chain(candidate.iter().enumerate()).map(|(i, &v)| (i, v))
}

/// The median of `differences` (not empty, finite) with its interval at level `1 - alpha`: two of
/// their order statistics, exact for any distribution (Thompson, *Annals of Mathematical
/// Statistics* 7, 1936).
fn median_shift(differences: &[f64], alpha: f64) -> Shift {
    let sorted = sorted(differences);
    let estimate = median(&sorted);
    match binomial::interval_rank(sorted.len(), alpha) {
        Some(rank) => Shift { estimate, low: sorted[rank - 1], high: sorted[sorted.len() - rank] },
        None => Shift { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY },
    }
}

/// The logarithm of the ratio of the means with a paired t interval at level `1 - alpha`,
/// `n - 1` degrees of freedom; positive readings.
///
/// The ratio `r` of the means is the slope at which the residuals `y - r x` sum to zero, and to
/// first order its error is their mean over the mean of `x` (Cochran, *Sampling Techniques*,
/// section 2.11). Taken on the log scale so that swapping the samples mirrors the interval.
/// Approximate: the residuals' mean must be near normal, and their variance finite.
fn log_ratio_of_means(baseline: &[f64], candidate: &[f64], alpha: f64) -> Shift {
    let n = baseline.len() as f64;
    let (x, y) = (baseline.iter().sum::<f64>() / n, candidate.iter().sum::<f64>() / n);
    let estimate = y.ln() - x.ln();
    if baseline.len() < 2 || alpha <= 0.0 {
        return Shift { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let ratio = y / x;
    let squares: f64 = baseline.iter().zip(candidate).map(|(x, y)| (y - ratio * x).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt() / y;
    let half_width = student::two_sided(alpha, n - 1.0) * error;
    Shift { estimate, low: estimate - half_width, high: estimate + half_width }
}

/// The minimum number of blocks: with fewer, a single one decides.
const FEWEST_BLOCKS: usize = 8;

/// The maximum number of blocks: more narrow the interval by little and make each block's minimum
/// less of one.
const MOST_BLOCKS: usize = 40;

/// The logarithm of the ratio of the minima with its interval at level `1 - alpha`, widened if
/// necessary to contain the ratio; positive readings.
///
/// A minimum has no usual standard error. But the argument for a round holds for a block of rounds:
/// were the two variants the same program, the log-ratio of a block's minima would be as likely
/// positive as negative. So the blocks' log-ratios get the signed-rank interval, which is exact for
/// them. The approximation is that the minimum of a block stands for the minimum of all rounds.
fn log_ratio_of_minima(baseline: &[f64], candidate: &[f64], alpha: f64) -> Shift {
    let estimate = lowest(candidate).ln() - lowest(baseline).ln();
    let blocks = blocks(baseline.len(), alpha);
    let differences: Vec<f64> = (0..blocks)
        .map(|block| {
            let rounds = block_of(block, blocks, baseline.len());
            lowest(&candidate[rounds.clone()]).ln() - lowest(&baseline[rounds]).ln()
        })
        .collect();
    let shift = signed_rank::shift(&differences, alpha)
        .expect("there is a block, and its minima are finite and positive");
    Shift { estimate, low: shift.low.min(estimate), high: shift.high.max(estimate) }
}

/// The number of blocks: the square root of the rounds, so that blocks grow in size and number
/// alike, but at least two more than the level needs to be attainable at all (`2^(1-k) <= alpha`),
/// between 8 and 40, and never more than the number of rounds. Depends on `alpha`: a smaller one
/// may cut differently, so the intervals of this estimator need not be nested.
fn blocks(rounds: usize, alpha: f64) -> usize {
    let needed = if alpha > 0.0 { (1.0 - alpha.log2()).ceil() as usize + 2 } else { MOST_BLOCKS };
    let wanted = (rounds as f64).sqrt().round() as usize;
    wanted.max(needed).clamp(FEWEST_BLOCKS, MOST_BLOCKS).min(rounds)
}

/// The rounds of one block; blocks differ in length by one at most.
fn block_of(block: usize, blocks: usize, rounds: usize) -> std::ops::Range<usize> {
    block * rounds / blocks..(block + 1) * rounds / blocks
}

fn lowest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
