//! The probability of each commit of a range to be the one that changed the level.

use super::cholesky::Cholesky;
use super::levels::{Difference, Levels};
use super::wandering;

/// The fraction of the change by which a level must certainly differ from both ends to be between
/// them.
const BETWEEN: f64 = 0.25;

/// The number of standard errors that make this certain: many commits are examined, repeatedly.
const CERTAINLY: f64 = 3.5;

/// The build state of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It was not built yet.
    Unbuilt,
    /// It cannot be built.
    Unbuildable,
    /// Its artefact; several commits may have the same.
    Artefact(usize),
}

/// A commit whose level is certainly between those of the ends: there are several changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Between {
    /// The commit.
    pub place: usize,
    /// The fraction of the change that has happened there.
    pub share: f64,
}

/// The current estimate of the change and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// The commit before the part of the range in which the change is searched.
    pub near: usize,
    /// The last commit of that part.
    pub far: usize,
    /// The level at `far` above that at `near`.
    pub change: Difference,
    /// The probability of each commit of the range to have brought the change.
    pub mass: Vec<f64>,
    /// The commits because of which only a part of the range is searched.
    pub between: Vec<Between>,
    can_build: Vec<bool>,
}

impl Assessment {
    /// The assessment of a range of commits, the first known not to have the change, the last to
    /// have it. None if one of the two has no level, or no commit is left that could have brought
    /// the change.
    #[must_use]
    pub fn from_levels(places: &[Place], levels: &Levels) -> Option<Self> {
        let (mut near, mut far) = (0, places.len().checked_sub(1)?);
        let mut between = Vec::new();
        while let Some(found) = most_between(places, levels, near, far) {
            between.push(found);
            // Continue with the larger part of the change.
            if found.share < 0.5 { near = found.place } else { far = found.place }
        }
        let change = difference(places, levels, near, far)?;
        let mass = masses(places, levels, (near, far), change.estimate)?;
        let can_build = places.iter().map(|place| *place != Place::Unbuildable).collect();
        Some(Self { near, far, change, mass, between, can_build })
    }

    /// The probability that the change comes with this commit or an earlier one.
    pub(super) fn by(&self, place: usize) -> f64 {
        self.mass[..=place].iter().sum()
    }

    /// True if building this commit could tell anything.
    pub(super) fn may_probe(&self, place: usize) -> bool {
        self.near < place && place < self.far && self.can_build[place]
    }

    /// The most probable group of commits that no build can tell apart, with its probability: the
    /// commit before the group and its last one.
    #[must_use]
    pub fn most_probable(&self) -> (usize, usize, f64) {
        let ends = (self.near + 1..=self.far).filter(|&k| k == self.far || self.can_build[k]);
        let mut best = (self.near, self.far, -1.0);
        let mut before = self.near;
        for end in ends {
            let mass: f64 = self.mass[before + 1..=end].iter().sum();
            if mass > best.2 {
                best = (before, end, mass);
            }
            before = end;
        }
        best
    }

    /// The first and the last commit of the shortest stretch that holds this probability.
    #[must_use]
    pub fn credible(&self, probability: f64) -> (usize, usize) {
        let all = self.near + 1..=self.far;
        let stretch = |first: usize| {
            let mut sum = 0.0;
            (first..=self.far).find_map(|last| {
                sum += self.mass[last];
                (sum >= probability - 1e-12).then_some((first, last))
            })
        };
        let found = all.filter_map(stretch).min_by_key(|(first, last)| last - first);
        found.unwrap_or((self.near + 1, self.far))
    }
}

fn artefact(places: &[Place], at: usize) -> Option<usize> {
    match places[at] {
        Place::Artefact(artefact) => Some(artefact),
        Place::Unbuilt | Place::Unbuildable => None,
    }
}

fn difference(places: &[Place], levels: &Levels, from: usize, to: usize) -> Option<Difference> {
    levels.difference(artefact(places, from)?, artefact(places, to)?)
}

/// The commit certainly between the ends that is nearest to the middle of the change.
fn most_between(places: &[Place], levels: &Levels, near: usize, far: usize) -> Option<Between> {
    let whole = difference(places, levels, near, far)?;
    let found = |place: usize| {
        let first = difference(places, levels, near, place)?;
        let second = difference(places, levels, place, far)?;
        let is_away = |part: Difference| {
            let over = part.estimate / whole.estimate - BETWEEN;
            over * whole.estimate.abs() > CERTAINLY * part.error && over > 0.0
        };
        let share = first.estimate / whole.estimate;
        (is_away(first) && is_away(second)).then_some(Between { place, share })
    };
    let middle = |one: &Between| (one.share - 0.5).abs();
    (near + 1..far).filter_map(found).min_by(|a, b| middle(a).total_cmp(&middle(b)))
}

/// The probabilities. A priori all commits are equally likely, except those between two commits
/// with the same bytes, where the level is the same again.
fn masses(
    places: &[Place],
    levels: &Levels,
    (near, far): (usize, usize),
    change: f64,
) -> Option<Vec<f64>> {
    let mut mass = vec![0.0; places.len()];
    mass[near + 1..=far].fill(1.0);
    let mut measured: Vec<(usize, usize)> = Vec::new();
    for place in near..=far {
        let Some(own) = artefact(places, place).filter(|&own| levels.has(own)) else { continue };
        match measured.iter().find(|(_, artefact)| *artefact == own) {
            Some((first, _)) => mass[first + 1..=place].fill(0.0),
            None => measured.push((place, own)),
        }
    }
    same_bytes(places, (near, far), &mut mass);
    let likelihood = Likelihood::new(levels, &measured, change)?;
    // The rounds do not distinguish the commits between two measured ones.
    let mut logs = Vec::with_capacity(far - near);
    for step in 0..measured.len() {
        let from = measured[step].0 + 1;
        let to = measured.get(step + 1).map_or(far, |(place, _)| *place);
        let log = likelihood.of_change_after(step);
        logs.extend((from..=to).filter(|&place| mass[place] > 0.0).map(|place| (place, log)));
    }
    let most = logs.iter().map(|(_, log)| *log).reduce(f64::max)?;
    for (place, log) in logs {
        mass[place] = (log - most).exp();
    }
    let total: f64 = mass.iter().sum();
    mass.iter_mut().for_each(|mass| *mass /= total);
    Some(mass)
}

/// Rules out the commits between two with the same bytes, even unmeasured ones.
fn same_bytes(places: &[Place], (near, far): (usize, usize), mass: &mut [f64]) {
    for first in near..far {
        let Some(own) = artefact(places, first) else { continue };
        let last = (first + 1..=far).rev().find(|&place| places[place] == Place::Artefact(own));
        if let Some(last) = last {
            mass[first + 1..=last].fill(0.0);
        }
    }
}

/// The likelihood of the levels for each place of the change: normal, with the errors of the levels
/// and the wandering of artefacts; the size of the change is unknown a priori.
struct Likelihood {
    /// The level of each other measured commit above the first, times the inverse covariance.
    weighted: Vec<f64>,
    inverse: Vec<Vec<f64>>,
    /// The prior precision of the size of the change: one over its square.
    prior: f64,
}

impl Likelihood {
    fn new(levels: &Levels, measured: &[(usize, usize)], change: f64) -> Option<Self> {
        let (&(_, base), others) = measured.split_first()?;
        let wandering = wandering(change).powi(2);
        let mut covariance = Vec::with_capacity(others.len());
        for (i, &(_, one)) in others.iter().enumerate() {
            let mut row = Vec::with_capacity(others.len());
            for (j, &(_, other)) in others.iter().enumerate() {
                let own = if i == j { 2.0 } else { 1.0 };
                row.push(levels.covariance(base, one, other)? + own * wandering);
            }
            covariance.push(row);
        }
        let above = |&(_, one): &(usize, usize)| Some(levels.difference(base, one)?.estimate);
        let above: Option<Vec<f64>> = others.iter().map(above).collect();
        let cholesky = Cholesky::factor(&covariance)?;
        let prior = 1.0 / change.powi(2).max(wandering);
        Some(Self { weighted: cholesky.solve(&above?), inverse: cholesky.inverse(), prior })
    }

    /// The logarithm, up to a constant, if the change comes after this measured commit and not
    /// after the next.
    fn of_change_after(&self, step: usize) -> f64 {
        let product: f64 = self.weighted[step..].iter().sum();
        let square: f64 = self.inverse[step..].iter().flat_map(|row| &row[step..]).sum();
        product * product / (2.0 * (square + self.prior)) - 0.5 * (square / self.prior).ln_1p()
    }
}
