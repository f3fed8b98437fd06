//! The correlation of readings with a column of numbers, by ranks and within rounds.
//!
//! Each round's median is subtracted from its readings, all are ranked together, and the ranks are
//! correlated with the column, both about their means within rounds (aligned ranks: Hodges and
//! Lehmann, *Annals of Mathematical Statistics* 33, 1962). Student's t stands for the permutation
//! distribution of the correlation (Conover and Iman, *The American Statistician* 35, 1981). Far
//! out it is too optimistic for few rounds, so p-values are limited to the least one that
//! exchanging readings within rounds can give: with six rounds of four readings, one of them
//! marked, that is 2 / 4^6.
//!
//! An effect's interval holds the effects which, subtracted from the readings, leave nothing to
//! find.

use crate::order::{median, mid_ranks, sorted};
use crate::signed_rank::Shift;
use crate::student;

/// Readings on the log scale, with the rounds they belong to.
pub(super) struct Aligned {
    logarithms: Vec<f64>,
    /// The indices of the readings of each round.
    rounds: Vec<Vec<usize>>,
}

/// The fraction of its size below which the remainder of a column is rounding.
const ROUNDING: f64 = 1e-9;

/// The precision of an effect at which the bisection stops; 1e-7 of the reading.
const PRECISION: f64 = 1e-7;

impl Aligned {
    pub(super) fn new(logarithms: Vec<f64>, round_of: &[usize]) -> Self {
        let mut numbers = round_of.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let of = |round: usize| (0..round_of.len()).filter(|&i| round_of[i] == round).collect();
        Self { logarithms, rounds: numbers.into_iter().map(of).collect() }
    }

    pub(super) fn logarithms(&self) -> &[f64] {
        &self.logarithms
    }

    pub(super) fn len(&self) -> usize {
        self.logarithms.len()
    }

    /// The degrees of freedom of one column's correlation.
    pub(super) fn df(&self) -> f64 {
        self.len() as f64 - self.rounds.len() as f64 - 1.0
    }

    /// `values` about their means within rounds.
    pub(super) fn centred(&self, values: &[f64]) -> Vec<f64> {
        let mut centred = values.to_vec();
        for round in &self.rounds {
            let mean = round.iter().map(|&i| values[i]).sum::<f64>() / round.len() as f64;
            round.iter().for_each(|&i| centred[i] -= mean);
        }
        centred
    }

    /// The ranks of readings, aligned before and centred after.
    pub(super) fn scores(&self, readings: &[f64]) -> Vec<f64> {
        let mut aligned = readings.to_vec();
        for round in &self.rounds {
            let all: Vec<f64> = round.iter().map(|&i| readings[i]).collect();
            let level = median(&sorted(&all));
            round.iter().for_each(|&i| aligned[i] -= level);
        }
        self.centred(&mid_ranks(&aligned))
    }

    /// The correlation of scores with a column; 0 if either does not vary.
    pub(super) fn correlation(column: &[f64], scores: &[f64]) -> f64 {
        let squares = product(column, column) * product(scores, scores);
        if squares > 0.0 { product(column, scores) / squares.sqrt() } else { 0.0 }
    }

    /// The least p-value that exchanging readings within rounds can give: twice the probability of
    /// the one order in which the column's numbers and the readings agree in every round.
    pub(super) fn least_p(&self, column: &[f64]) -> f64 {
        let log_factorial = |count: usize| libm::lgamma(count as f64 + 1.0);
        let log_orders = |round: &Vec<usize>| -> f64 {
            let numbers = sorted(&round.iter().map(|&i| column[i]).collect::<Vec<f64>>());
            let alike = numbers.chunk_by(|a, b| a == b).map(|run| log_factorial(run.len()));
            log_factorial(round.len()) - alike.sum::<f64>()
        };
        (2.0 * (-self.rounds.iter().map(log_orders).sum::<f64>()).exp()).min(1.0)
    }

    /// The effect of a centred column on readings: subtracting it leaves no correlation.
    pub(super) fn estimate(&self, readings: &[f64], column: &[f64]) -> f64 {
        self.crossing(readings, column, 0.0)
    }

    /// The same with its interval at level `1 - alpha`.
    pub(super) fn effect(&self, readings: &[f64], column: &[f64], alpha: f64, df: f64) -> Shift {
        let estimate = self.estimate(readings, column);
        if df < 1.0 {
            return Shift { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let t = student::two_sided(alpha, df);
        let critical = if t.is_infinite() { 1.0 } else { t / (df + t * t).sqrt() };
        let low = self.crossing(readings, column, critical);
        let high = self.crossing(readings, column, -critical);
        // Where readings change their order within a round, the correlation may rise a little, so
        // that a crossing lies just beyond no effect, which is known to be excluded.
        let without = Self::correlation(column, &self.scores(readings));
        Shift {
            estimate,
            low: if without >= critical { low.max(0.0) } else { low },
            high: if without <= -critical { high.min(0.0) } else { high },
        }
    }

    /// The effect at which the correlation of the remainder falls through `level`: it falls, from
    /// about 1 to about -1, as more is subtracted. Infinite if it never reaches the level.
    fn crossing(&self, readings: &[f64], column: &[f64], level: f64) -> f64 {
        let left_at = |effect: f64| {
            let left: Vec<f64> =
                readings.iter().zip(column).map(|(value, c)| value - effect * c).collect();
            Self::correlation(column, &self.scores(&left))
        };
        let widest = |values: &[f64]| {
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            most - values.iter().copied().fold(f64::INFINITY, f64::min)
        };
        // Beyond this, the column alone decides the order.
        let gaps = sorted(column);
        let least_gap = gaps
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .filter(|gap| *gap > ROUNDING)
            .fold(f64::INFINITY, f64::min);
        let bound = 2.0 * widest(readings).max(PRECISION) / least_gap.min(1.0);
        let (mut low, mut high) = (-bound, bound);
        if left_at(low) < level {
            return f64::NEG_INFINITY;
        }
        if left_at(high) > level {
            return f64::INFINITY;
        }
        while high - low > PRECISION {
            let middle = 0.5 * (low + high);
            if left_at(middle) > level { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}

/// Two-sided, for a correlation with `df` degrees of freedom; 1 if there are none.
pub(super) fn p_value(correlation: f64, df: f64) -> f64 {
    if df < 1.0 {
        return 1.0;
    }
    let rest = (1.0 - correlation * correlation).max(f64::MIN_POSITIVE);
    (2.0 * student::upper_tail(correlation.abs() * (df / rest).sqrt(), df)).min(1.0)
}

/// `values` without their projection on orthogonal columns. None if only rounding is left.
pub(super) fn orthogonal(values: Vec<f64>, basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    let before = product(&values, &values);
    let mut left = values;
    for column in basis {
        let factor = product(&left, column) / product(column, column);
        left.iter_mut().zip(column).for_each(|(value, c)| *value -= factor * c);
    }
    (product(&left, &left) > ROUNDING * before && before > 0.0).then_some(left)
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
