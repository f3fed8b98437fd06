//! The effect that the processes of a round share: the state of the machine.
//!
//! Processes differ independently, and that averages out over the rounds. A machine differs too:
//! its clock rate, its neighbours on the same processor, other programs. Such disturbances have no
//! typical length; some are short and some long, and the longer an experiment takes, the longer are
//! those that it meets (flicker noise). They do not average out: the next experiment finds the
//! machine in another state, and the spread of the states of this one's rounds shows how far that
//! may be off.

use std::f64::consts::LN_2;

/// The minimum number of rounds for seeing the machine's states.
const LEAST_ROUNDS: usize = 5;

/// The spread of the rounds of an experiment in what all benchmarks share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundEffect {
    /// The variance of the rounds' effect on the logarithms, so 0.0001 for 1 %; 0 if no more was
    /// seen than unrelated processes would show.
    pub variance: f64,
    /// The number of rounds it rests on.
    pub rounds: usize,
}

impl RoundEffect {
    /// The effect from the estimates of at least two benchmarks, each with one for every round, in
    /// the same order. None for fewer benchmarks, fewer than five rounds, rows of different
    /// lengths, or estimates that are not finite and positive.
    ///
    /// The mean covariance of two benchmarks: the estimator of moments in a two-way layout with
    /// random effects (Searle, Casella & McCulloch, *Variance Components*, 1992, 4.3).
    #[must_use]
    pub fn from_benchmarks(benchmarks: &[Vec<f64>]) -> Option<Self> {
        let rounds = benchmarks.first()?.len();
        let is_whole = |row: &Vec<f64>| {
            row.len() == rounds && row.iter().all(|value| value.is_finite() && *value > 0.0)
        };
        if benchmarks.len() < 2 || rounds < LEAST_ROUNDS || !benchmarks.iter().all(is_whole) {
            return None;
        }
        let mut sums = vec![0.0; rounds];
        let mut squares = 0.0;
        for row in benchmarks {
            let logarithms: Vec<f64> = row.iter().map(|value| value.ln()).collect();
            let mean = logarithms.iter().sum::<f64>() / rounds as f64;
            for (sum, value) in sums.iter_mut().zip(&logarithms) {
                *sum += value - mean;
                squares += (value - mean).powi(2);
            }
        }
        let products = sums.iter().map(|sum| sum * sum).sum::<f64>() - squares;
        let count = benchmarks.len() as f64;
        let covariance = products / (count * (count - 1.0) * (rounds as f64 - 1.0));
        Some(Self { variance: covariance.max(0.0), rounds })
    }

    /// The variance of the difference between the means of this experiment and of another one as
    /// long, beyond what would be left of the rounds' effect if it averaged out.
    ///
    /// With flicker noise the means of two successive stretches of `N` rounds differ with twice the
    /// two-sample (Allan) variance, at any length; and that is the variance among the `N` rounds
    /// over `N ln N / (2 (N - 1) ln 2)` (Allan, *Proceedings of the IEEE* 54, 1966; Barnes, NBS
    /// Technical Note 375, 1969: the bias function `B1` for μ = 0).
    #[must_use]
    pub fn between_experiments(&self) -> f64 {
        let count = self.rounds as f64;
        let bias = count * count.ln() / (2.0 * (count - 1.0) * LN_2);
        self.variance * (2.0 / bias - 2.0 / count)
    }
}
