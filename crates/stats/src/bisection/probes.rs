//! The commits to probe next: those that yield the most information for their price.
//!
//! A few probes that divide the probability evenly run together, beside both ends. One more probe
//! in a round tells more, but costs another run, and a build unless it was built before. So of one,
//! two and three probes the number that yields most per second is chosen; a commit that was
//! measured before and is still doubtful is a probe like any other, and costs no build.

use super::Assessment;
use super::wandering;
use crate::normal;

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
#[must_use]
pub fn rounds_to_confirm(noise: f64, change: f64, alpha: f64, power: f64) -> f64 {
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
