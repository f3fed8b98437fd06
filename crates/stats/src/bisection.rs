//! The search for the commit, among many in a row, that changed a measurement: a binary search with
//! noisy answers.
//!
//! A search that takes a side after every probe goes astray with the first wrong answer. So no side
//! is taken: every commit has a probability of being the culprit, each round of runs updates it,
//! and the next probe is the commit that yields most for its price (Burnashev & Zigangirov,
//! *Problems of Information Transmission* 10, 1974; Karp & Kleinberg, *SODA* 2007). The rounds that
//! contradict a wrong turn undo it.
//!
//! 1. [`Levels`]: the level of each artefact from all rounds, with its error.
//! 2. [`Assessment`]: the probability of each commit to be the culprit.
//! 3. [`Asked::probes`]: the next commits to run.
//! 4. [`State::next`]: the next step, until fresh rounds confirm the finding.
//!
//! The search is for the change between the ends. A commit whose level is certainly between the
//! levels of the ends shows that there are several changes; then the part with the larger share of
//! the change is searched.

mod levels;

pub use levels::{Difference, Levels, Round};

use crate::normal;

/// The distance by which the level of an artefact may differ from its neighbours without a relevant
/// change, as a fraction of the searched change: other commits have small effects, too, and so does
/// the layout chosen by the linker. It limits the evidence from a single artefact, for any number
/// of rounds.
const WANDERING_SHARE: f64 = 0.1;

/// The minimum of that distance, on the log scale.
const WANDERING: f64 = 0.001;

/// The standard deviation between artefacts without a relevant change.
fn wandering(change: f64) -> f64 {
    WANDERING.max(WANDERING_SHARE * change.abs())
}

// Systems of linear equations with a symmetric positive definite matrix.

/// The lower triangle whose product with its transpose is the matrix.
struct Cholesky(Vec<Vec<f64>>);

impl Cholesky {
    /// None if the matrix is not positive definite, up to rounding.
    fn factor(matrix: &[Vec<f64>]) -> Option<Self> {
        let mut lower: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
        for (i, row) in matrix.iter().enumerate() {
            let mut own = Vec::with_capacity(i + 1);
            for j in 0..=i {
                let other = if j == i { &own } else { &lower[j] };
                let product: f64 = own.iter().zip(other).take(j).map(|(a, b)| a * b).sum();
                let rest = row[j] - product;
                if j < i {
                    own.push(rest / lower[j][j]);
                } else if rest > 1e-12 * row[i] {
                    own.push(rest.sqrt());
                } else {
                    return None;
                }
            }
            lower.push(own);
        }
        Some(Self(lower))
    }

    /// The solution of the equations with this right-hand side.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let size = self.0.len();
        let mut solved = right.to_vec();
        for i in 0..size {
            let known: f64 = (0..i).map(|j| self.0[i][j] * solved[j]).sum();
            solved[i] = (solved[i] - known) / self.0[i][i];
        }
        for i in (0..size).rev() {
            let known: f64 = (i + 1..size).map(|j| self.0[j][i] * solved[j]).sum();
            solved[i] = (solved[i] - known) / self.0[i][i];
        }
        solved
    }

    /// The inverse of the matrix.
    fn inverse(&self) -> Vec<Vec<f64>> {
        let size = self.0.len();
        let unit = |at: usize| (0..size).map(|i| f64::from(u8::from(i == at))).collect::<Vec<_>>();
        (0..size).map(|at| self.solve(&unit(at))).collect()
    }
}

// The next step of a bisection, given all rounds so far.
//
// The ends are compared until they differ, and commits between them are probed until one of them
// is probably the culprit. That one is then compared with the commit before it, in fresh rounds.
// Only this last comparison is a finding, so its error alone is the error of the search: the first
// attempt may use half of the permitted error, the second a quarter, and so on. If the fresh
// rounds contradict the suspicion, the search continues, and they count like all others.

/// The minimum number of rounds in a batch.
const FIRST_ROUNDS: u32 = 6;

/// The maximum number of rounds in a batch, after which the next step is chosen anew.
const MOST_ROUNDS: u32 = 100;

/// The level at which the ends must differ before anything is built between them. A mistake costs a
/// search that ends without a finding.
const ENDS_ALPHA: f64 = 0.03;

/// The usual error of a search.
const USUAL_ALPHA: f64 = 0.05;

/// The level at which the ends must agree for the verdict that nothing changed.
const NO_CHANGE_ALPHA: f64 = 0.01;

/// The probability from which a commit is confirmed.
const PROBABLE: f64 = 0.9;

/// The power of the comparison of two neighbours: its rounds are planned to find their difference
/// with this probability.
const POWER: f64 = 0.95;

/// The minimum number of rounds in a confirmation.
const LEAST_CONFIRMING: u32 = 14;

/// The state of a search.
#[derive(Debug, Clone)]
pub struct State<'a> {
    /// The commits of the range, including the ends.
    pub places: &'a [Place],
    /// The levels estimated from all rounds; None before the first estimate.
    pub levels: Option<&'a Levels>,
    /// The number of rounds in which both ends ran.
    pub rounds_of_ends: u32,
    /// The number of comparisons of neighbours that did not confirm the change.
    pub unconfirmed: u32,
    /// The price of learning more.
    pub price: Price,
    /// The smallest change that matters, on the log scale.
    pub margin: f64,
    /// The permitted error of the search.
    pub alpha: f64,
}

/// The next step of a search.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Run the two ends.
    Ends {
        /// The number of rounds.
        rounds: u32,
    },
    /// Stop: the ends differ by less than the margin.
    NoChange,
    /// Run these commits beside the ends of the part in which the change is searched.
    Probe {
        /// The commits, in their order.
        places: Vec<usize>,
        /// The ends of that part.
        ends: (usize, usize),
        /// The number of rounds.
        rounds: u32,
    },
    /// Compare two neighbours in fresh rounds.
    Confirm {
        /// The commit before the change.
        near: usize,
        /// The commit with the change.
        far: usize,
        /// The number of rounds.
        rounds: u32,
        /// The permitted error of this comparison.
        alpha: f64,
    },
    /// Stop: no commit is left that could have brought the change.
    Nowhere,
}

impl State<'_> {
    /// The assessment of the change; None if the ends have no levels or no commit is left.
    #[must_use]
    pub fn assessment(&self) -> Option<Assessment> {
        Assessment::from_levels(self.places, self.levels?)
    }

    /// The permitted error of the next comparison of neighbours.
    #[must_use]
    pub fn confirming_alpha(&self) -> f64 {
        self.alpha * 0.5_f64.powi(i32::try_from(self.unconfirmed.min(100)).unwrap_or(100) + 1)
    }

    /// The next step.
    #[must_use]
    pub fn next(&self) -> Step {
        let Some(levels) = self.levels else { return Step::Ends { rounds: FIRST_ROUNDS } };
        let Some(ends) = self.ends() else { return Step::Ends { rounds: FIRST_ROUNDS } };
        if ends.estimate.abs() + ends.reach(NO_CHANGE_ALPHA) < self.margin {
            return Step::NoChange;
        }
        // The stricter the whole search, the stricter this comparison.
        if !ends.is_certain(ENDS_ALPHA * self.alpha / USUAL_ALPHA) {
            return Step::Ends { rounds: batch(f64::from(self.rounds_of_ends)) };
        }
        let Some(assessment) = self.assessment() else { return Step::Nowhere };
        let change = assessment.change.estimate;
        let (near, far, mass) = assessment.most_probable();
        let is_built = |place: usize| matches!(self.places[place], Place::Artefact(_));
        if mass >= PROBABLE && is_built(near) && is_built(far) {
            return self.confirm(near, far);
        }
        let rounds = batch(0.5 * rounds_to_tell(levels.noise, change));
        let price = Price { rounds, ..self.price };
        let asked = Asked { assessment: &assessment, noise: levels.noise, price };
        let places = asked.probes(&is_built);
        if places.is_empty() {
            return if is_built(near) && is_built(far) {
                self.confirm(near, far)
            } else {
                Step::Nowhere
            };
        }
        Step::Probe { places, ends: (assessment.near, assessment.far), rounds }
    }

    /// The difference between the ends of the whole range.
    #[must_use]
    pub fn ends(&self) -> Option<Difference> {
        let (Some(Place::Artefact(first)), Some(Place::Artefact(last))) =
            (self.places.first(), self.places.last())
        else {
            return None;
        };
        self.levels?.difference(*first, *last)
    }

    /// The comparison that decides if the change is between these two commits.
    #[must_use]
    pub fn confirm(&self, near: usize, far: usize) -> Step {
        let alpha = self.confirming_alpha();
        let noise = self.levels.map_or(0.0, |levels| levels.noise);
        let change = self.change_between(near, far);
        // Attempts without a finding were too short, or their change is smaller than it seemed.
        let more = 1.5_f64.powi(i32::try_from(self.unconfirmed.min(10)).unwrap_or(10));
        let rounds = more * rounds_to_confirm(noise, change, alpha, POWER);
        let least = LEAST_CONFIRMING.max(least_rounds(alpha));
        let rounds = (rounds.ceil().min(1e6) as u32).max(least);
        Step::Confirm { near, far, rounds, alpha }
    }

    /// The change expected between two neighbours: the whole change, or their own difference where
    /// that is known well and smaller.
    fn change_between(&self, near: usize, far: usize) -> f64 {
        let whole = self.assessment().map_or(self.margin, |known| known.change.estimate.abs());
        let (Place::Artefact(near), Place::Artefact(far)) = (self.places[near], self.places[far])
        else {
            return whole;
        };
        let own = self.levels.and_then(|levels| levels.difference(near, far));
        match own {
            // If the whole change is within the margin, so is every part of it.
            Some(own) if own.error < 0.2 * whole => {
                own.estimate.abs().clamp(self.margin.min(whole), whole)
            }
            _ => whole,
        }
    }
}

/// The minimum number of rounds for a sign test to find anything at this level, and two more that
/// may disagree.
fn least_rounds(alpha: f64) -> u32 {
    (1.0 - alpha.log2()).ceil() as u32 + 2
}

fn batch(rounds: f64) -> u32 {
    (rounds.ceil().min(1e6) as u32).clamp(FIRST_ROUNDS, MOST_ROUNDS)
}

// The probability of each commit of a range to be the one that changed the level.

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
        let mass = masses(places, levels, near, far, change.estimate)?;
        let can_build = places.iter().map(|place| *place != Place::Unbuildable).collect();
        Some(Self { near, far, change, mass, between, can_build })
    }

    /// The probability that the change comes with this commit or an earlier one.
    fn by(&self, place: usize) -> f64 {
        self.mass[..=place].iter().sum()
    }

    /// True if building this commit could tell anything.
    fn may_probe(&self, place: usize) -> bool {
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
    near: usize,
    far: usize,
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
    same_bytes(places, near, far, &mut mass);
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
fn same_bytes(places: &[Place], near: usize, far: usize, mass: &mut [f64]) {
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

// The commits to probe next: those that yield the most information for their price.
//
// A few probes that divide the probability evenly run together, beside both ends. One more probe
// in a round tells more, but costs another run, and a build unless it was built before. So of one,
// two and three probes the number that yields most per second is chosen; a commit that was
// measured before and is still doubtful is a probe like any other, and costs no build.

/// The maximum number of probes at once: more make a round long, and each of its runs tells less.
const MOST_PROBES: usize = 3;

/// The price of a probe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Seconds of a build.
    pub build: f64,
    /// The number of parallel builds.
    pub builds_at_once: usize,
    /// Seconds of a run.
    pub run: f64,
    /// The number of rounds for each probe.
    pub rounds: u32,
    /// The number of other runs in each round.
    pub references: u32,
}

/// The input for the choice of probes.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The current assessment.
    pub assessment: &'a Assessment,
    /// The standard deviation of the noise of one run, on the log scale.
    pub noise: f64,
    /// The price of a probe.
    pub price: Price,
}

impl Asked<'_> {
    /// The commits to run next, in their order; `is_built` is true for those that need no build.
    /// Empty if no build can tell more.
    #[must_use]
    pub fn probes(&self, is_built: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let sets = (1..=MOST_PROBES).map(|count| self.evenly(count));
        let worth = |set: &Vec<usize>| self.learned(set) / self.seconds(set, is_built);
        sets.filter(|set| !set.is_empty())
            .max_by(|a, b| worth(a).total_cmp(&worth(b)))
            .unwrap_or_default()
    }

    /// Up to `count` commits that divide the probability evenly.
    fn evenly(&self, count: usize) -> Vec<usize> {
        let all = self.assessment.near + 1..self.assessment.far;
        let mut left: Vec<usize> = all.filter(|&place| self.assessment.may_probe(place)).collect();
        let mut chosen = Vec::new();
        for part in 1..=count {
            let wanted = part as f64 / (count + 1) as f64;
            let off = |place: usize| (self.assessment.by(place) - wanted).abs();
            let nearest = (0..left.len()).min_by(|&a, &b| off(left[a]).total_cmp(&off(left[b])));
            chosen.extend(nearest.map(|index| left.remove(index)));
        }
        chosen.sort_unstable();
        chosen
    }

    /// The information that a set of probes yields, in bits, approximately: that of the parts
    /// without noise, times the worth of a noisy answer to one question (the capacity of a binary
    /// symmetric channel).
    fn learned(&self, set: &[usize]) -> f64 {
        let cuts = set.iter().map(|&place| self.assessment.by(place));
        let cuts: Vec<f64> = std::iter::once(0.0).chain(cuts).chain([1.0]).collect();
        let parts = cuts.windows(2).map(|pair| pair[1] - pair[0]);
        parts.map(bits).sum::<f64>() * self.worth_of_an_answer() + f64::MIN_POSITIVE
    }

    fn worth_of_an_answer(&self) -> f64 {
        let change = self.assessment.change.estimate;
        let variance =
            1.5 * (self.noise.powi(2) / f64::from(self.price.rounds) + wandering(change).powi(2));
        let wrong = normal::upper_tail(0.5 * change.abs() / variance.sqrt());
        1.0 - bits(wrong) - bits(1.0 - wrong)
    }

    fn seconds(&self, set: &[usize], is_built: &dyn Fn(usize) -> bool) -> f64 {
        let builds = set.iter().filter(|&&place| !is_built(place)).count();
        let in_turn = builds.div_ceil(self.price.builds_at_once.max(1));
        let runs =
            (set.len() as f64 + f64::from(self.price.references)) * f64::from(self.price.rounds);
        self.price.build * in_turn as f64 + self.price.run * runs + 1e-9
    }
}

/// The number of rounds of a probe beside both ends that tell the sides of a change apart at this
/// noise of a run: the odds are then about 50 to 1.
#[must_use]
pub fn rounds_to_tell(noise: f64, change: f64) -> f64 {
    (12.0 * (noise / change).powi(2)).max(1.0)
}

/// The number of rounds of two commits that find a change between them with probability `power`, at
/// level `1 - alpha`.
fn rounds_to_confirm(noise: f64, change: f64, alpha: f64, power: f64) -> f64 {
    let reach = normal::quantile(1.0 - 0.5 * alpha) + normal::quantile(power);
    2.0 * (reach * noise / change).powi(2)
}

/// The expected number of further halvings of the range.
#[must_use]
pub fn looks_left(assessment: &Assessment) -> f64 {
    assessment.mass.iter().map(|&mass| bits(mass)).sum()
}

fn bits(probability: f64) -> f64 {
    if probability <= 0.0 { 0.0 } else { -probability * probability.log2() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [[4, 2], [2, 3]] has determinant 8, and the inverse [[3, -2], [-2, 4]] / 8.
    #[test]
    fn a_small_matrix_is_inverted() {
        let cholesky = Cholesky::factor(&[vec![4.0, 2.0], vec![2.0, 3.0]]).expect("definite");
        for (found, wanted) in cholesky.inverse().concat().iter().zip([0.375, -0.25, -0.25, 0.5]) {
            assert!((found - wanted).abs() < 1e-15);
        }
        assert!(Cholesky::factor(&[vec![1.0, 1.0], vec![1.0, 1.0]]).is_none(), "singular");
    }
}
