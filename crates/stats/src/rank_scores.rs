//! A randomisation test on the ranks of all readings, turned into an interval: the estimator for
//! noise that only ever slows a program down.
//!
//! Such noise spares the fast runs. A tiny difference between two programs is visible there, and
//! hardly at all among the slow runs. A statistic of the differences within rounds, such as the
//! signed ranks, cannot distinguish a fast pair from a slow one; this one can. To test if the
//! candidate takes `exp(shift)` times the baseline's time, it
//!
//! 1. subtracts `shift` from the candidate's logarithms;
//! 2. subtracts from all readings of a round the level of the machine around it (`level.rs`), so
//!    that drift and regimes do not drown the comparison;
//! 3. ranks all `2n` readings and gives each a score, the logarithm of its rank, so that a step
//!    among the fastest counts for more than one among the slow (`scores.rs`);
//! 4. sums over the rounds the candidate's score less the baseline's.
//!
//! Exchanging the two readings of a round changes neither the level nor the ranks, only the sign of
//! that round's term. So if the shift is the true one, each sign is a fair coin for any sizes, and
//! the sum's distribution is known (`coins.rs`). The shifts that are not rejected are the interval
//! (`search.rs`).
//!
//! The sum falls as the shift grows: every aligned reading of the candidate falls or stays, every
//! one of the baseline rises or stays, because the level follows a shift of one sample by no more
//! than the shift. Only the sizes may make a p-value rise again; see `search.rs`.

mod coins;
mod level;
mod scores;
mod search;

use crate::normal;
use crate::signed_rank::Shift;
use scores::Scores;

/// The probability that the sum of `numbers`, each with a fair coin for its sign, is at most
/// `total`.
///
/// Exact for up to 20 numbers that are not 0; beyond, a saddlepoint approximation that is below the
/// exact value by at most a hundredth of it in all trials. NaN if an argument is.
#[must_use]
pub fn at_most(numbers: &[f64], total: f64) -> f64 {
    normal::cdf(coins::normal_equivalent(numbers.to_vec(), total))
}

/// The two-sided p-value of "the two are the same program", for positive readings by round, equally
/// many of both; 1 if there are none.
///
/// The interval of [`crate::Estimator::RankScores`] excludes 1 only if this is at most `alpha`.
#[must_use]
pub fn p_value(baseline: &[f64], candidate: &[f64]) -> f64 {
    let logarithms = |readings: &[f64]| readings.iter().map(|r| r.ln()).collect::<Vec<f64>>();
    let (baseline, candidate) = (logarithms(baseline), logarithms(candidate));
    let scores = Scores::new(baseline.len());
    let trial = Trial { baseline: &baseline, candidate: &candidate, scores: &scores };
    let Outcome { differences, total } = trial.at(0.0);
    (2.0 * at_most(&differences, -total.abs())).min(1.0)
}

/// The shift of `candidate` against `baseline`, both logarithms of readings by round, with its
/// interval at level `1 - alpha`. The values are finite, equally many of both, at least one.
///
/// `n` rounds allow no `alpha` below `2^(1-n)`; the interval is then infinite. Takes `O(n log n)`
/// for each of about two dozen trial shifts.
pub(crate) fn shift(baseline: &[f64], candidate: &[f64], alpha: f64) -> Shift {
    // Rounding may depend on which sample is shifted. So the two are put in a fixed order, which
    // does not depend on the scale of either, and exchanging them only changes signs.
    let grown = |sample: &[f64], round: usize| sample[round] - sample[0];
    let ahead = (0..baseline.len())
        .map(|round| grown(baseline, round) - grown(candidate, round))
        .find(|difference| *difference != 0.0)
        .map_or(baseline[0] > candidate[0], |difference| difference > 0.0);
    if ahead {
        let mirrored = ordered_shift(candidate, baseline, alpha);
        return Shift { estimate: -mirrored.estimate, low: -mirrored.high, high: -mirrored.low };
    }
    ordered_shift(baseline, candidate, alpha)
}

fn ordered_shift(baseline: &[f64], candidate: &[f64], alpha: f64) -> Shift {
    let scores = Scores::new(baseline.len());
    let forth = Trial { baseline, candidate, scores: &scores };
    let back = Trial { baseline: candidate, candidate: baseline, scores: &scores };
    let centre = search::centre(&forth, &back);
    // No search is needed if no outcome of the coins reaches the level.
    if coins::least(baseline.len()) > 0.5 * alpha {
        return Shift { estimate: centre.shift, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let critical = normal::two_sided(alpha);
    let high = search::end(&forth, &centre, critical);
    let low = -search::end(&back, &centre.mirrored(), critical);
    // A verdict requires a shift other than 0: for any result of the search, 0 is not excluded if
    // its own test allows it.
    let allows_zero = |trial: &Trial<'_>| trial.at(0.0).evidence() > -critical;
    Shift {
        estimate: centre.shift,
        low: if low > 0.0 && allows_zero(&back) { 0.0 } else { low },
        high: if high < 0.0 && allows_zero(&forth) { 0.0 } else { high },
    }
}

/// The two samples, ready to be tested for any shift.
struct Trial<'a> {
    baseline: &'a [f64],
    candidate: &'a [f64],
    scores: &'a Scores,
}

/// The result of testing one shift.
struct Outcome {
    /// Each round's score of the candidate, less that of the baseline.
    differences: Vec<f64>,
    /// Their sum; positive while the candidate is still the slower one.
    total: f64,
}

impl Trial<'_> {
    /// The test of one shift.
    fn at(&self, shift: f64) -> Outcome {
        let aligned = level::aligned(self.baseline, self.candidate, shift);
        let scores = self.scores.score(&aligned);
        let differences: Vec<f64> = scores.chunks_exact(2).map(|s| s[1] - s[0]).collect();
        let total = differences.iter().sum();
        Outcome { differences, total }
    }
}

impl Outcome {
    /// The sum in standard deviations; 0 if nothing differs.
    fn standardised(&self) -> f64 {
        let variance: f64 = self.differences.iter().map(|d| d * d).sum();
        if variance > 0.0 { self.total / variance.sqrt() } else { 0.0 }
    }

    /// The standard normal value whose lower tail is as probable as a total this small or smaller:
    /// minus 2 if the shift is too large with a one-sided p-value of 2.3 %.
    fn evidence(self) -> f64 {
        coins::normal_equivalent(self.differences, self.total)
    }
}
