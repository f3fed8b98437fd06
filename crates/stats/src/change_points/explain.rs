//! Levels or memory: which explanation of a series is the shorter one.
//!
//! Points that remember their predecessor wander, and a wandering stretch looks like a level of its
//! own. The other way round, a step is in one difference of neighbours but in two of every other
//! point, which is what memory looks like. Neither can be told without the other. So a series is
//! explained several times, without memory and with, counting steps as noise or not, and the best
//! explanation is the one that leaves the least unexplained: `n ln v`, with `v` the variance of what
//! one cannot foretell from the level and the last point, and a penalty for each change.

use super::Search;
use super::level::Level;
use super::noise::{Memory, Noise, clipped_variance, noise};

/// Longer series are explained with memory only: there, steps are too few to be taken for it.
const LONG: usize = 20_000;

/// With less than one change for so many points, leaving out the steps hardly changes the noise.
const FEW: usize = 1000;

/// An explanation that starts from "no memory" must be better by so many penalties. By simulation:
/// without it, 20 points with a memory of 0.5 are said to change five times as often as permitted.
/// Up to `NO_MARGIN` points it need not be better, or no step at all would be found there.
const MARGIN: f64 = 0.5;
const NO_MARGIN: f64 = 10.0;
const FULL_MARGIN: f64 = 30.0;

/// What a series may consist of.
pub(super) struct Explanation {
    /// The noise about the levels.
    pub(super) noise: Noise,
    /// What was asked of a change.
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

/// The explanation that leaves the least unexplained, and how much.
fn shortest(
    series: &[f64],
    explanations: impl Iterator<Item = Explanation>,
) -> Option<(f64, Explanation)> {
    let measured = explanations.map(|one| (one.length(series), one));
    measured.min_by(|a, b| a.0.total_cmp(&b.0))
}

impl Explanation {
    /// Leaving out steps should leave less noise. It leaves more where readings are exact and only
    /// spikes remain to be told from.
    fn is_quieter(&self, other: &Self) -> bool {
        let fresh = |one: &Self| (1.0 - one.noise.memory).sqrt();
        let total = |one: &Self| fresh(one) * one.noise.deviations.iter().sum::<f64>();
        total(self) <= total(other)
    }

    /// What is left unexplained, and what the explanation takes, as twice a log-likelihood.
    fn length(&self, series: &[f64]) -> f64 {
        let mut residuals = Vec::with_capacity(series.len());
        let ends = self.changes.iter().copied().chain([series.len()]);
        let mut from = 0;
        for to in ends {
            let level = Level::of(series, &self.noise, from, to).centre;
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
