//! The levels of several artefacts from rounds in which some of them ran.
//!
//! `ln(reading) = round + artefact + noise`: the effect of a round on all of its runs cancels, so
//! drift between rounds, and between days, does no harm; every round counts, for whichever step it
//! was run. The noise has tails, so the fit is that of Student's t with four degrees of freedom
//! (Lange, Little & Taylor, *Journal of the American Statistical Association* 84, 1989), which a
//! disturbed run hardly moves. Rounds come in batches, each with its own scale, since a machine may
//! be idle at first and busy later; a scale of few runs leans on that of all. The errors of the
//! levels come from Huber's formula, from the residuals of all runs, and hold for any distribution.

use super::Cholesky;

/// The degrees of freedom of the noise in the fit.
const TAILS: f64 = 4.0;

/// The weight, in runs, of the common scale of all batches in the scale of one batch.
const RUNS_IN_COMMON: f64 = 10.0;

/// The least scale of the noise on the log scale: a clock has a resolution.
const LEAST_SCALE: f64 = 1e-6;

/// The maximum number of iterations of the fit, and the change below which it has converged.
const STEPS: usize = 100;
const CLOSE: f64 = 1e-9;

/// The runs of one round.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The batch: rounds of one batch ran on the machine in one state.
    pub batch: usize,
    /// Artefact numbers with the logarithms of their readings.
    pub readings: Vec<(usize, f64)>,
}

/// The levels of artefacts, all relative to one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// The artefacts; the reference comes first.
    artefacts: Vec<usize>,
    /// The levels, on the log scale.
    level: Vec<f64>,
    /// The covariance of the levels' errors; zero in the row and the column of the first.
    covariance: Vec<Vec<f64>>,
    /// The standard deviation of the noise of one run, on the log scale.
    pub noise: f64,
    /// The degrees of freedom of the noise; infinite for counts.
    pub freedom: f64,
}

/// The difference of the levels of two artefacts, on the log scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The estimate.
    pub estimate: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom of the standard error.
    pub freedom: f64,
}

impl Difference {
    /// The half-width of its interval at level `1 - alpha`.
    #[must_use]
    pub fn reach(&self, alpha: f64) -> f64 {
        if self.error == 0.0 {
            return 0.0;
        }
        self.error * crate::student::two_sided(alpha, self.freedom.min(1e6))
    }

    /// The ratio of the two artefacts, with the ends of its interval at level `1 - alpha`.
    #[must_use]
    pub fn ratio(&self, alpha: f64) -> (f64, (f64, f64)) {
        let (ratio, reach) = (self.estimate.exp(), self.reach(alpha));
        (ratio, (ratio * (-reach).exp(), ratio * reach.exp()))
    }

    /// True if the difference is certainly not zero.
    #[must_use]
    pub fn is_certain(&self, alpha: f64) -> bool {
        self.estimate.abs() > self.reach(alpha)
    }
}

impl Levels {
    /// The levels from rounds, relative to that of `base`. None if the rounds are too few to
    /// estimate the noise. Artefacts that no round ties to `base` are left out.
    #[must_use]
    pub fn of_rounds(rounds: &[Round], base: usize) -> Option<Self> {
        Fit::new(rounds, base)?.levels()
    }

    /// The levels from counts, which hardly vary: for each artefact, including `base`, the
    /// logarithms of its counts.
    #[must_use]
    pub fn of_counts(counts: &[(usize, Vec<f64>)], base: usize) -> Option<Self> {
        let mut all: Vec<&(usize, Vec<f64>)> =
            counts.iter().filter(|(_, counted)| !counted.is_empty()).collect();
        all.sort_by_key(|(artefact, _)| (*artefact != base, *artefact));
        all.first().filter(|(artefact, _)| *artefact == base)?;
        let mean = |counted: &[f64]| counted.iter().sum::<f64>() / counted.len() as f64;
        let square = |(_, counted): &&(usize, Vec<f64>)| {
            let mean = mean(counted);
            counted.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
        };
        let repeats: usize = all.iter().map(|(_, counted)| counted.len() - 1).sum();
        let variance = all.iter().map(square).sum::<f64>() / repeats.max(1) as f64;
        let own = |at: usize| variance / all[at].1.len() as f64;
        let covariance = |i: usize, j: usize| match (i, j) {
            (0, _) | (_, 0) => 0.0,
            _ if i == j => own(i) + own(0),
            _ => own(0),
        };
        let size = all.len();
        Some(Self {
            level: all.iter().map(|(_, counted)| mean(counted) - mean(&all[0].1)).collect(),
            artefacts: all.iter().map(|(artefact, _)| *artefact).collect(),
            covariance: (0..size).map(|i| (0..size).map(|j| covariance(i, j)).collect()).collect(),
            noise: variance.sqrt(),
            freedom: f64::INFINITY,
        })
    }

    fn place(&self, artefact: usize) -> Option<usize> {
        self.artefacts.iter().position(|&one| one == artefact)
    }

    /// True if this artefact has a level.
    #[must_use]
    pub fn has(&self, artefact: usize) -> bool {
        self.place(artefact).is_some()
    }

    /// The level of `candidate` above `baseline`; None if one of them has no level.
    #[must_use]
    pub fn difference(&self, baseline: usize, candidate: usize) -> Option<Difference> {
        let (b, c) = (self.place(baseline)?, self.place(candidate)?);
        let variance = self.covariance[b][b] + self.covariance[c][c] - 2.0 * self.covariance[b][c];
        Some(Difference {
            estimate: self.level[c] - self.level[b],
            error: variance.max(0.0).sqrt(),
            freedom: self.freedom,
        })
    }

    /// The covariance of the differences of two candidates from one baseline.
    pub(super) fn covariance(&self, baseline: usize, one: usize, other: usize) -> Option<f64> {
        let [b, i, j] = [baseline, one, other].map(|artefact| self.place(artefact));
        let (b, i, j) = (b?, i?, j?);
        let of = |i: usize, j: usize| self.covariance[i][j];
        Some(of(i, j) - of(i, b) - of(b, j) + of(b, b))
    }
}

/// The state of the fit.
struct Fit {
    artefacts: Vec<usize>,
    /// The batch of each round, and its runs: the index of the artefact in `artefacts`, and the
    /// logarithm.
    rounds: Vec<(usize, Vec<(usize, f64)>)>,
    level: Vec<f64>,
    /// The residuals of the runs, by round.
    residuals: Vec<Vec<f64>>,
    /// The scale of each batch.
    scales: Vec<f64>,
    runs: f64,
    /// The number of runs less the number of fitted parameters.
    freedom: f64,
}

impl Fit {
    fn new(rounds: &[Round], base: usize) -> Option<Self> {
        let tied = tied(rounds, base);
        let place = |artefact: usize| tied.iter().position(|&one| one == artefact);
        let mut batches: Vec<usize> = Vec::new();
        let mut kept = Vec::new();
        for round in rounds {
            let runs: Vec<(usize, f64)> = (round.readings.iter())
                .filter(|(_, value)| value.is_finite())
                .filter_map(|&(artefact, value)| Some((place(artefact)?, value)))
                .collect();
            if runs.len() < 2 {
                continue;
            }
            let batch = batches.iter().position(|&one| one == round.batch).unwrap_or_else(|| {
                batches.push(round.batch);
                batches.len() - 1
            });
            kept.push((batch, runs));
        }
        let runs: usize = kept.iter().map(|(_, runs)| runs.len()).sum();
        let freedom = (runs + 1).checked_sub(kept.len() + tied.len())?;
        // Below this the formula of the errors has no mean.
        if freedom < 3 {
            return None;
        }
        Some(Self {
            level: vec![0.0; tied.len()],
            residuals: kept.iter().map(|(_, runs)| vec![0.0; runs.len()]).collect(),
            scales: vec![1.0; batches.len()],
            artefacts: tied,
            rounds: kept,
            runs: runs as f64,
            freedom: freedom as f64,
        })
    }

    fn levels(mut self) -> Option<Levels> {
        // Begin with least squares.
        self.solve(&|_| 1.0)?;
        self.rescale(&|_| 1.0);
        for _ in 0..STEPS {
            let before = self.level.clone();
            self.solve(&weight)?;
            self.rescale(&weight);
            let moved = self.level.iter().zip(&before).map(|(now, then)| (now - then).abs());
            if moved.fold(0.0, f64::max) < CLOSE {
                break;
            }
        }
        let (information, _) = self.equations(&|_| 1.0);
        let inverse = Cholesky::factor(&information)?.inverse();
        let inflation = self.variance_of_a_run();
        let size = self.artefacts.len();
        let entry = |i: usize, j: usize| match (i, j) {
            (0, _) | (_, 0) => 0.0,
            _ => inflation * inverse[i - 1][j - 1],
        };
        let covariance = (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect();
        let squares: f64 = self.rounds.iter().map(|(batch, _)| self.scales[*batch].powi(2)).sum();
        let noise = (inflation * squares / self.rounds.len() as f64).sqrt();
        Some(Levels {
            artefacts: self.artefacts,
            level: self.level,
            covariance,
            noise,
            freedom: self.freedom,
        })
    }

    /// The equations of all levels but the first, given the weight of a residual over its scale.
    fn equations(&self, weight: &dyn Fn(f64) -> f64) -> (Vec<Vec<f64>>, Vec<f64>) {
        let size = self.artefacts.len();
        let mut matrix = vec![vec![0.0; size]; size];
        let mut right = vec![0.0; size];
        for ((batch, runs), residuals) in self.rounds.iter().zip(&self.residuals) {
            let scale = self.scales[*batch];
            let weights: Vec<f64> =
                residuals.iter().map(|rest| weight(rest / scale) / (scale * scale)).collect();
            let total: f64 = weights.iter().sum();
            let mean = runs.iter().zip(&weights).map(|((_, y), w)| w * y).sum::<f64>() / total;
            for (&(i, y), &w) in runs.iter().zip(&weights) {
                right[i] += w * (y - mean);
                matrix[i][i] += w;
                for (&(j, _), &v) in runs.iter().zip(&weights) {
                    matrix[i][j] -= w * v / total;
                }
            }
        }
        let rest = |row: Vec<f64>| row[1..].to_vec();
        (matrix.into_iter().skip(1).map(rest).collect(), rest(right))
    }

    /// Solves for the levels with these weights, and updates the residuals.
    fn solve(&mut self, weight: &dyn Fn(f64) -> f64) -> Option<()> {
        let (matrix, right) = self.equations(weight);
        let solved = Cholesky::factor(&matrix)?.solve(&right);
        self.level[1..].copy_from_slice(&solved);
        for ((batch, runs), residuals) in self.rounds.iter().zip(&mut self.residuals) {
            let scale = self.scales[*batch];
            let weights: Vec<f64> = residuals.iter().map(|rest| weight(rest / scale)).collect();
            let total: f64 = weights.iter().sum();
            let left = |&(i, y): &(usize, f64)| y - self.level[i];
            let effect =
                runs.iter().zip(&weights).map(|(run, w)| w * left(run)).sum::<f64>() / total;
            for (residual, run) in residuals.iter_mut().zip(runs) {
                *residual = left(run) - effect;
            }
        }
        Some(())
    }

    /// Updates the scale of each batch from the residuals of its runs.
    fn rescale(&mut self, weight: &dyn Fn(f64) -> f64) {
        let mut squares = vec![0.0; self.scales.len()];
        let mut runs = vec![0.0; self.scales.len()];
        for ((batch, _), residuals) in self.rounds.iter().zip(&self.residuals) {
            for rest in residuals {
                squares[*batch] += weight(rest / self.scales[*batch]) * rest * rest;
                runs[*batch] += 1.0;
            }
        }
        let free = self.freedom / self.runs;
        let pooled = squares.iter().sum::<f64>() / self.freedom;
        for ((scale, square), runs) in self.scales.iter_mut().zip(squares).zip(runs) {
            let variance = (RUNS_IN_COMMON * pooled + square) / (RUNS_IN_COMMON + free * runs);
            *scale = variance.sqrt().max(LEAST_SCALE);
        }
    }

    /// The variance of the noise of one run, over the square of its scale (Huber, *Robust
    /// Statistics*, 1981, 7.6), and a little more while the residuals are few.
    fn variance_of_a_run(&self) -> f64 {
        let (mut squares, mut slopes) = (0.0, 0.0);
        for ((batch, _), residuals) in self.rounds.iter().zip(&self.residuals) {
            for rest in residuals {
                let over = rest / self.scales[*batch];
                squares += (weight(over) * over).powi(2);
                slopes += (TAILS + 1.0) * (TAILS - over * over) / (TAILS + over * over).powi(2);
            }
        }
        let slope = (slopes / self.runs).max(0.2);
        squares / self.freedom / (slope * slope) * self.freedom / (self.freedom - 2.0)
    }
}

/// The weight of a run, given its residual in scales.
fn weight(over: f64) -> f64 {
    (TAILS + 1.0) / (TAILS + over * over)
}

/// The artefacts that rounds tie to `base`, directly or through others; `base` comes first.
fn tied(rounds: &[Round], base: usize) -> Vec<usize> {
    let mut tied = vec![base];
    let mut next = 0;
    while next < tied.len() {
        let artefact = tied[next];
        next += 1;
        for round in rounds {
            let runs = || round.readings.iter().filter(|(_, value)| value.is_finite());
            if runs().any(|(one, _)| *one == artefact) {
                for (other, _) in runs() {
                    if !tied.contains(other) {
                        tied.push(*other);
                    }
                }
            }
        }
    }
    tied
}
