//! The levels of several artefacts from rounds in which some of them ran.
//!
//! `ln(reading) = round + artefact + noise`: what a round does to all of its runs falls out, so drift
//! between rounds, and between days, does no harm; every round counts, whatever it was run for. The
//! noise has tails, so the fit is that of Student's t with four degrees of freedom (Lange, Little &
//! Taylor, *Journal of the American Statistical Association* 84, 1989), which a run that was
//! disturbed hardly moves. Rounds come in batches, each with a scale of its own, since a machine may
//! be idle at first and busy later; a scale of few runs leans on that of all. What the levels may be
//! off is told by Huber's formula from the residuals of all runs, whatever their distribution is.

use super::cholesky::Cholesky;

/// Degrees of freedom of the noise that the fit is made for.
const TAILS: f64 = 4.0;

/// The scale of a batch counts as if so many runs said what all batches say together.
const RUNS_IN_COMMON: f64 = 10.0;

/// The least scale of the noise on the log scale: a clock has a resolution.
const LEAST_SCALE: f64 = 1e-6;

/// How often weights and levels are computed from each other at most, and how little may move then.
const STEPS: usize = 100;
const CLOSE: f64 = 1e-9;

/// What ran together.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// Rounds with the same number ran on the machine in one state.
    pub batch: usize,
    /// Artefacts, by number, with the logarithms of their readings.
    pub readings: Vec<(usize, f64)>,
}

/// The levels of artefacts, all of them relative to one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// Which artefacts, the one that the others are relative to first.
    artefacts: Vec<usize>,
    /// On the log scale.
    level: Vec<f64>,
    /// Of the levels' errors; zero in the row and the column of the first.
    covariance: Vec<Vec<f64>>,
    /// The standard deviation of what one run contributes, on the log scale.
    pub noise: f64,
    /// How many degrees of freedom tell of the noise; infinite for counts.
    pub freedom: f64,
}

/// How far one artefact is above another, on the log scale.
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
    /// How far its interval at level `1 - alpha` reaches to either side.
    #[must_use]
    pub fn reach(&self, alpha: f64) -> f64 {
        if self.error == 0.0 {
            return 0.0;
        }
        self.error * crate::student::two_sided(alpha, self.freedom.min(1e6))
    }

    /// The ratio of the other artefact to the one, with the ends of its interval at level `1 - alpha`.
    #[must_use]
    pub fn ratio(&self, alpha: f64) -> (f64, (f64, f64)) {
        let (ratio, reach) = (self.estimate.exp(), self.reach(alpha));
        (ratio, (ratio * (-reach).exp(), ratio * reach.exp()))
    }

    /// Whether it is certainly not zero.
    #[must_use]
    pub fn is_certain(&self, alpha: f64) -> bool {
        self.estimate.abs() > self.reach(alpha)
    }
}

impl Levels {
    /// From rounds; all levels are relative to that of `base`. None while the rounds are too few to
    /// say anything of the noise. Artefacts that no round ties to `base` are left out.
    #[must_use]
    pub fn of_rounds(rounds: &[Round], base: usize) -> Option<Self> {
        Fit::new(rounds, base)?.levels()
    }

    /// From counts, which vary hardly or not at all: for each artefact the logarithms of what was
    /// counted, `base` among them.
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

    /// Whether there is a level of this artefact.
    #[must_use]
    pub fn has(&self, artefact: usize) -> bool {
        self.place(artefact).is_some()
    }

    /// How far `candidate` is above `baseline`; none where one of them has no level.
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

    /// The covariance of how far two candidates are above one baseline.
    pub(super) fn covariance(&self, baseline: usize, one: usize, other: usize) -> Option<f64> {
        let [b, i, j] = [baseline, one, other].map(|artefact| self.place(artefact));
        let (b, i, j) = (b?, i?, j?);
        let of = |i: usize, j: usize| self.covariance[i][j];
        Some(of(i, j) - of(i, b) - of(b, j) + of(b, b))
    }
}

/// The fit while it is made.
struct Fit {
    artefacts: Vec<usize>,
    /// The batch of each round, and its runs: the artefact by its place in `artefacts`.
    rounds: Vec<(usize, Vec<(usize, f64)>)>,
    level: Vec<f64>,
    /// Of each run, by round.
    residuals: Vec<Vec<f64>>,
    /// Of each batch.
    scales: Vec<f64>,
    runs: f64,
    /// Runs less what was fitted.
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
        // Least squares first.
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
        let inverse = Cholesky::of(&information)?.inverse();
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

    /// The equations of the levels but the first, where a residual over its scale has this weight.
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

    /// The levels with these weights, and what is left of each run.
    fn solve(&mut self, weight: &dyn Fn(f64) -> f64) -> Option<()> {
        let (matrix, right) = self.equations(weight);
        let solved = Cholesky::of(&matrix)?.solve(&right);
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

    /// The scale of each batch from what is left of its runs.
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

    /// The variance of what one run contributes, over the square of its scale (Huber, *Robust
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

/// What a run counts whose residual is so many scales.
fn weight(over: f64) -> f64 {
    (TAILS + 1.0) / (TAILS + over * over)
}

/// The artefacts that rounds tie to `base`, directly or through others; it is the first.
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
