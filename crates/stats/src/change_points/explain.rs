//! The choice between levels and autocorrelation: the shorter explanation of a series wins.
//!
//! Autocorrelated points wander, and a wandering stretch looks like a separate level. Conversely, a
//! step is in one difference of neighbours but in two of every other point, which looks like
//! autocorrelation. Neither can be estimated without the other. So a series is explained several
//! times, with and without autocorrelation, counting steps as noise or not, and the best
//! explanation is the one that leaves the least unexplained: `n ln v`, with `v` the variance that
//! the level and the last point do not predict, and a penalty for each change.

use super::Level;
use super::Search;
use super::{Memory, Noise, clipped_variance, noise};

/// The length above which a series is explained with autocorrelation only: steps are then too few
/// to be mistaken for it.
const LONG: usize = 20_000;

/// The number of points per change above which leaving out the steps hardly changes the noise.
const FEW: usize = 1000;

/// The number of penalties by which an explanation that starts from "no memory" must be better. By
/// simulation: without it, in 20 points with an autocorrelation of 0.5 changes are found five times
/// as often as permitted. Up to `NO_MARGIN` points it need not be better, or no step at all would
/// be found there.
const MARGIN: f64 = 0.5;
const NO_MARGIN: f64 = 10.0;
const FULL_MARGIN: f64 = 30.0;

/// The parts of a series: noise, levels and changes.
pub(super) struct Explanation {
    /// The noise about the levels.
    pub(super) noise: Noise,
    /// The requirements on a change.
    pub(super) search: Search,
    /// The first points of the levels but the first.
    pub(super) changes: Vec<usize>,
}

/// The best explanation of a series; `None` when all values are equal.
pub(super) fn explain(series: &[f64], relative: Option<&[f64]>, alpha: f64) -> Option<Explanation> {
    let explained = |known: &[usize], memory| {
        let noise = noise(series, relative, known, memory)?;
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
    let margin = MARGIN * sure.clamp(0.0, 1.0);
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
            let level = Level::from_range(series, &self.noise, from, to).centre;
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
