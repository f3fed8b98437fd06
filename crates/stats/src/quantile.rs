//! Quantiles of a sample, such as the time that 99 of 100 runs stay below: their intervals, and the
//! ratio of two of them.
//!
//! The interval of one quantile has two order statistics as its ends (Hahn and Meeker, *Statistical
//! Intervals*, 1991, section 5.2): the number of `n` independent values below the true quantile is
//! binomial for any distribution. Far quantiles need many values: with fewer than 368 the largest
//! one is below the true 99th percentile more often than 2.5 times in 100, so there is no upper
//! end.
//!
//! The ratio combines the two intervals on the log scale as variances add up (Zou and Donner,
//! *Statistics in Medicine* 27, 2008): the distance of its lower end from the estimate is the root
//! of the sum of squares of the distances of the candidate's lower and the baseline's upper end
//! from theirs. That assumes independent runs, which fails on a busy machine. So 1 is excluded only
//! if a test that needs no independence agrees: of the rounds in which one side is among the
//! slowest of all and the other one is not, each side should have half, because equal programs
//! could have been exchanged within a round.
//!
//! `tests/rates/quantiles.rs` simulates the errors.

use std::cmp::Ordering;

use crate::binomial;
use crate::order::{largest_allowed, quantile, sorted};
use crate::signed_rank::Shift;

/// A quantile: a number of thousandths of a per cent, above 0 and below 100 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quantile(u32);

/// Thousandths of a per cent in the whole.
const WHOLE: u32 = 100_000;

/// The maximum number of values: nobody waits for more.
const MOST_VALUES: usize = 1 << 30;

impl Quantile {
    /// The quantile below which this number of thousandths of a per cent of the values lie: 99 000
    /// for the 99th percentile. None at 0 and below, and at 100 % and above.
    #[must_use]
    pub fn new(thousandths_of_a_percent: u32) -> Option<Self> {
        (1..WHOLE).contains(&thousandths_of_a_percent).then_some(Self(thousandths_of_a_percent))
    }

    /// The probability of a value below it.
    #[must_use]
    pub fn probability(self) -> f64 {
        f64::from(self.0) / f64::from(WHOLE)
    }

    /// The share of the values below it, in per cent: 99.9.
    #[must_use]
    pub fn percent(self) -> f64 {
        f64::from(self.0) / 1e3
    }

    /// This quantile of a sample (type 7 of Hyndman and Fan 1996); None if it is empty.
    #[must_use]
    pub fn estimate(self, values: &[f64]) -> Option<f64> {
        (!values.is_empty()).then(|| quantile(&sorted(values), self.probability()))
    }

    /// The interval that holds the population's quantile with probability at least `1 - alpha` if
    /// the values are independent, for any distribution. It also holds the sample's quantile. An
    /// end is None if there are too few values for it.
    #[must_use]
    pub fn interval(self, values: &[f64], alpha: f64) -> (Option<f64>, Option<f64>) {
        let Some(at) = self.estimate(values) else { return (None, None) };
        let (low, high) = self.ranks(values.len(), alpha);
        let sorted = sorted(values);
        let value = |rank: usize| sorted[rank - 1];
        // With few values, both ends may lie on one side of the sample's quantile, which is
        // interpolated.
        (low.map(|rank| value(rank).min(at)), high.map(|rank| value(rank).max(at)))
    }

    /// The ranks (from 1) of the ends of the interval from `n` values.
    fn ranks(self, n: usize, alpha: f64) -> (Option<usize>, Option<usize>) {
        let p = self.probability();
        // The k-th smallest is beyond the quantile if fewer than k values are below it.
        let most = |p: f64| {
            let is_allowed = |k: u64| binomial::at_most_of(n, k as usize - 1, p) <= 0.5 * alpha;
            largest_allowed(n as u64, is_allowed).map(|rank| rank as usize)
        };
        (most(p), most(1.0 - p).map(|mirrored| n + 1 - mirrored))
    }

    /// True if the interval at level `1 - alpha` from this number of values has both ends.
    #[must_use]
    pub fn has_interval(self, values: usize, alpha: f64) -> bool {
        let extreme = |p: f64| binomial::at_most_of(values, 0, p) <= 0.5 * alpha;
        values > 0
            && alpha > 0.0
            && extreme(self.probability())
            && extreme(1.0 - self.probability())
    }

    /// The minimum number of values for both ends; `None` if no number is enough.
    #[must_use]
    pub fn least_values(self, alpha: f64) -> Option<usize> {
        let (mut few, mut enough) = (0, MOST_VALUES);
        if !self.has_interval(enough, alpha) {
            return None;
        }
        while enough - few > 1 {
            let middle = usize::midpoint(few, enough);
            if self.has_interval(middle, alpha) { enough = middle } else { few = middle }
        }
        Some(enough)
    }
}

/// The logarithm of the ratio of two quantiles with its interval at level `1 - alpha`; the readings
/// are positive and of equal number.
pub(crate) fn log_ratio(baseline: &[f64], candidate: &[f64], which: Quantile, alpha: f64) -> Shift {
    let (b, c) =
        (End::from_values(baseline, which, alpha), End::from_values(candidate, which, alpha));
    let estimate = c.at - b.at;
    let mut low = estimate - c.below.hypot(b.above);
    let mut high = estimate + c.above.hypot(b.below);
    if !tells_apart(baseline, candidate, which, alpha) {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    Shift { estimate, low, high }
}

/// The logarithm of a quantile, and the distances of the ends of its interval.
struct End {
    at: f64,
    below: f64,
    above: f64,
}

impl End {
    fn from_values(values: &[f64], which: Quantile, alpha: f64) -> Self {
        let at = which.estimate(values).map_or(f64::NAN, f64::ln);
        let (low, high) = which.interval(values, alpha);
        let distance = |end: Option<f64>| end.map_or(f64::INFINITY, |end| (at - end.ln()).abs());
        Self { at, below: distance(low), above: distance(high) }
    }
}

/// True if one side has more of the readings beyond the quantile of all readings than chance
/// allows, which decides within each round on which side a reading is.
fn tells_apart(baseline: &[f64], candidate: &[f64], which: Quantile, alpha: f64) -> bool {
    let all = sorted(&[baseline, candidate].concat());
    let place = (which.probability() * all.len() as f64).ceil() as usize;
    let limit = all[place.clamp(1, all.len()) - 1];
    let (mut of_baseline, mut of_candidate) = (0, 0);
    for (b, c) in baseline.iter().zip(candidate) {
        match (*b > limit).cmp(&(*c > limit)) {
            Ordering::Greater => of_baseline += 1,
            Ordering::Less => of_candidate += 1,
            Ordering::Equal => {}
        }
    }
    2.0 * binomial::at_most(of_baseline + of_candidate, of_baseline.min(of_candidate)) <= alpha
}
