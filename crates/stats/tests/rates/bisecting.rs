//! Searches for the commit that changed something, from the first round to the confirmation.
//!
//! `BRISK_SEARCHES=2000` simulates this number of each kind.

use std::sync::Mutex;

use stats::bisection::Price;
use stats::bisection::{Levels, Place, Round, State, Step};
use stats::{Estimator, paired_ratio};

use crate::noise::{Chance, standard_error};

const COMMITS: usize = 31;
const ALPHA: f64 = 0.05;

/// The noise of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Noise {
    /// Normal.
    Normal(f64),
    /// Student's t with three degrees of freedom, of this scale.
    T3(f64),
    /// Only ever slower: one run in four, by an exponential time of this mean; a third of it
    /// normal.
    Delayed(f64),
    /// Normal, and the rounds follow a random walk in steps of the same size.
    Walking(f64),
    /// Normal, five times as much in every second batch.
    Changing(f64),
}

impl Noise {
    fn of_run(self, batch: usize, chance: &mut Chance) -> f64 {
        match self {
            Self::Normal(size) | Self::Walking(size) => size * chance.normal(),
            Self::T3(size) => size * chance.student(3),
            Self::Delayed(size) => {
                let own = size / 3.0 * chance.normal();
                if chance.uniform() < 0.25 { own - size * chance.uniform().ln() } else { own }
            }
            Self::Changing(size) if batch % 2 == 1 => 5.0 * size * chance.normal(),
            Self::Changing(size) => size * chance.normal(),
        }
    }
}

/// The kind of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Kind {
    noise: Noise,
    /// The logarithm of the change.
    change: f64,
    /// The spread of the artefacts.
    jitter: f64,
    /// The maximum number of runs of a search.
    most_runs: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Right,
    WrongSaid,
    Undecided,
}

#[derive(Debug, Default)]
struct Tally {
    right: u32,
    wrong: u32,
    undecided: u32,
    /// Undecided, with a 95 % range that contains the commit.
    held: u32,
    runs: Vec<usize>,
}

struct Search<'a> {
    kind: Kind,
    levels: Vec<f64>,
    places: Vec<Place>,
    rounds: Vec<Round>,
    batches: usize,
    runs: usize,
    walk: f64,
    unconfirmed: u32,
    chance: &'a mut Chance,
}

impl<'a> Search<'a> {
    fn new(kind: Kind, culprit: usize, chance: &'a mut Chance) -> Self {
        let level = |place: usize, chance: &mut Chance| {
            kind.jitter * chance.normal() + if place >= culprit { kind.change } else { 0.0 }
        };
        let levels = (0..COMMITS).map(|place| level(place, chance)).collect();
        let mut places = vec![Place::Unbuilt; COMMITS];
        (places[0], places[COMMITS - 1]) = (Place::Artefact(0), Place::Artefact(COMMITS - 1));
        let (rounds, walk) = (Vec::new(), 0.0);
        Self { kind, levels, places, rounds, batches: 0, runs: 0, walk, unconfirmed: 0, chance }
    }

    fn run(&mut self, places: &[usize], rounds: u32) {
        self.batches += 1;
        for _ in 0..rounds {
            if let Noise::Walking(size) = self.kind.noise {
                self.walk += size * self.chance.normal();
            }
            let mut readings = Vec::new();
            for &place in places {
                let noise = self.kind.noise.of_run(self.batches, self.chance);
                readings.push((place, self.walk + self.levels[place] + noise));
            }
            self.runs += places.len();
            self.rounds.push(Round { batch: self.batches, readings });
        }
    }

    /// The end, with the commit, or the first and the last of those that hold 95 %.
    fn go(&mut self) -> (End, usize, usize) {
        loop {
            let levels = Levels::of_rounds(&self.rounds, 0);
            let state = State {
                places: &self.places,
                levels: levels.as_ref(),
                rounds_of_ends: self.rounds.len() as u32,
                unconfirmed: self.unconfirmed,
                price: Price { build: 0.1, builds_at_once: 2, run: 0.01, rounds: 0, references: 2 },
                margin: 0.01_f64.ln_1p(),
                alpha: ALPHA,
            };
            let step = state.next();
            let credible = state.assessment().map_or((1, COMMITS - 1), |a| a.credible(0.95));
            if self.runs >= self.kind.most_runs {
                return (End::Undecided, credible.0, credible.1);
            }
            match step {
                Step::Ends { rounds } => self.run(&[0, COMMITS - 1], rounds),
                Step::NoChange | Step::Nowhere => {
                    return (End::Undecided, credible.0, credible.1);
                }
                Step::Probe { places, ends, rounds } => {
                    for &place in &places {
                        self.places[place] = Place::Artefact(place);
                    }
                    let all = [&[ends.0, ends.1], &places[..]].concat();
                    self.run(&all, rounds);
                }
                Step::Confirm { near, far, rounds, alpha } => {
                    let first = self.rounds.len();
                    self.run(&[near, far], rounds);
                    if self.confirms(first, alpha) {
                        return (End::Right, near, far);
                    }
                    self.unconfirmed += 1;
                }
            }
        }
    }

    fn confirms(&self, first: usize, alpha: f64) -> bool {
        let side = |at: usize| -> Vec<f64> {
            self.rounds[first..].iter().map(|round| round.readings[at].1.exp()).collect()
        };
        let ratio = paired_ratio(&side(0), &side(1), Estimator::RankScores, alpha);
        ratio.is_ok_and(|ratio| {
            let is_more = self.kind.change > 0.0;
            if is_more { ratio.low > 1.0 } else { ratio.high < 1.0 }
        })
    }
}

fn search(kind: Kind, chance: &mut Chance) -> (End, bool, usize) {
    let culprit = 1 + (chance.uniform() * (COMMITS - 1) as f64) as usize;
    let mut search = Search::new(kind, culprit, chance);
    match search.go() {
        (End::Right, near, far) if far == culprit && near + 1 == far => {
            (End::Right, true, search.runs)
        }
        (End::Undecided, first, last) => {
            (End::Undecided, (first..=last).contains(&culprit), search.runs)
        }
        _ => (End::WrongSaid, false, search.runs),
    }
}

fn searches(usual: u64) -> u64 {
    std::env::var("BRISK_SEARCHES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn tally(kind: Kind, count: u64, seed: u64) -> Tally {
    let tally = Mutex::new(Tally::default());
    let _ = crate::noise::rate(count, seed, |chance| {
        let (end, held, runs) = search(kind, chance);
        let mut tally = tally.lock().expect("no search panics");
        match end {
            End::Right => tally.right += 1,
            End::WrongSaid => tally.wrong += 1,
            End::Undecided => tally.undecided += 1,
        }
        tally.held += u32::from(end == End::Undecided && held);
        tally.runs.push(runs);
        true
    });
    let mut tally = tally.into_inner().expect("no search panics");
    tally.runs.sort_unstable();
    tally
}

/// At most one in twenty answers is wrong, under noise of any kind; and if the change is a fifth of
/// the noise or more it is mostly found.
#[test]
fn a_wrong_commit_is_hardly_ever_named() {
    let count = searches(60);
    let kinds = [
        (Noise::Normal(0.01), 0.03, 0.9),
        (Noise::Normal(0.05), 0.03, 0.85),
        (Noise::Normal(0.1), 0.03, 0.5),
        (Noise::T3(0.01), 0.03, 0.9),
        (Noise::T3(0.03), 0.03, 0.85),
        (Noise::Delayed(0.05), 0.03, 0.9),
        (Noise::Delayed(0.15), 0.03, 0.5),
        (Noise::Walking(0.02), 0.03, 0.9),
        (Noise::Changing(0.01), 0.03, 0.85),
        (Noise::Normal(0.005), 0.01, 0.85),
        (Noise::Normal(0.01), -0.03, 0.9),
    ];
    for (number, (noise, change, least)) in (0..).zip(kinds) {
        for jitter in [0.0, 0.001] {
            let kind = Kind { noise, change, jitter, most_runs: 3000 };
            let tally = tally(kind, count, 900 + number);
            let part = |n: u32| f64::from(n) / count as f64;
            let median = tally.runs[tally.runs.len() / 2];
            println!(
                "{noise:?}, change {change}, jitter {jitter}: {:.3} right, {:.3} wrong, {:.3} \
                 undecided ({:.2} of these hold it); {median} runs",
                part(tally.right),
                part(tally.wrong),
                part(tally.undecided),
                f64::from(tally.held) / f64::from(tally.undecided.max(1)),
            );
            let bound = ALPHA + 3.0 * standard_error(ALPHA, count);
            assert!(part(tally.wrong) <= bound, "{noise:?}: {}", part(tally.wrong));
            assert!(part(tally.right) >= least, "{noise:?}: {}", part(tally.right));
        }
    }
}

/// Without any change a commit is named only with the permitted error.
#[test]
fn without_a_change_no_commit_is_named() {
    let count = searches(60);
    for (number, noise) in (0..).zip([Noise::Normal(0.01), Noise::T3(0.03), Noise::Delayed(0.1)]) {
        let kind = Kind { noise, change: 0.0, jitter: 0.0, most_runs: 1000 };
        let tally = tally(kind, count, 950 + number);
        let wrong = f64::from(tally.wrong + tally.right) / count as f64;
        println!("{noise:?} and no change: {wrong:.3} named");
        assert!(wrong <= ALPHA + 3.0 * standard_error(ALPHA, count), "{noise:?}: {wrong}");
    }
}
