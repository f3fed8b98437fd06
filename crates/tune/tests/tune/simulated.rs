//! Simulated runs of programs, with noise.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use tune::{Candidates, Options, Outcome, Point, Search};

use stats::{Estimator, paired_ratio};

use crate::surfaces::{Cost, Surface};

/// The share of disturbed runs, and their mean slowdown.
const DISTURBED: f64 = 0.05;
const DISTURBANCE: f64 = 0.2;

/// A machine that simulates the runs.
pub(crate) struct Machine {
    random: Xoshiro256PlusPlus,
    noise: f64,
    /// The slowdown with each run.
    drift: f64,
    runs: u32,
}

impl Machine {
    pub(crate) fn new(seed: u64, noise: f64, drift: f64) -> Self {
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed), noise, drift, runs: 0 }
    }

    /// A number between 0 and 1, both excluded.
    fn uniform(&mut self) -> f64 {
        ((self.random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// A normal deviate (Box and Muller, 1958).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    pub(crate) fn run(&mut self, cost: Option<Cost>) -> Outcome {
        let Some(cost) = cost else { return Outcome::Failed };
        let mut log = self.noise * self.normal() + self.drift * f64::from(self.runs);
        self.runs += 1;
        if self.uniform() < DISTURBED {
            log += (1.0 - DISTURBANCE * self.uniform().ln()).ln();
        }
        let peak_bytes = cost.peak_bytes * (0.002 * self.normal()).exp();
        Outcome::Finished { seconds: cost.seconds * log.exp(), peak_bytes }
    }

    fn shuffle(&mut self, points: &mut [Point]) {
        for last in (1..points.len()).rev() {
            let chosen = (self.uniform() * (last + 1) as f64) as usize;
            points.swap(last, chosen.min(last));
        }
    }
}

/// Searches to the end.
pub(crate) fn search(surface: &Surface, options: Options, machine: &mut Machine) -> Search {
    let mut search = Search::new(surface.space(), options).expect("valid");
    loop {
        let mut batch = search.ask();
        if batch.is_empty() {
            return search;
        }
        let is_known = |point: &Point| search.estimates().iter().any(|e| e.point == *point);
        let default = search.space().default_point();
        assert!(batch.contains(&default) || batch.iter().all(is_known), "nothing to compare with");
        machine.shuffle(&mut batch);
        for point in batch {
            let mut outcome = machine.run((surface.cost)(&point));
            if let (Outcome::Finished { seconds, .. }, Some(patience)) =
                (outcome, search.patience_seconds())
                && seconds > patience
            {
                outcome = Outcome::Stopped { after_seconds: patience };
            }
            search.tell(&point, outcome).expect("asked for");
        }
    }
}

/// Runs the default and the candidates in rounds, and returns the recommended ones.
pub(crate) fn confirmation(
    surface: &Surface,
    search: &Search,
    candidates: &Candidates,
    machine: &mut Machine,
) -> Vec<bool> {
    let points = candidates.points();
    let rounds = search.confirmation_rounds(points.len());
    let mut times = vec![Vec::new(); points.len() + 1];
    let base = search.space().default_point();
    for _ in 0..rounds {
        for (of, point) in
            times.iter_mut().zip(std::iter::once(&base).chain(points.iter().copied()))
        {
            match machine.run((surface.cost)(point)) {
                Outcome::Finished { seconds, .. } => of.push(seconds),
                other => panic!("a candidate did not finish: {other:?}"),
            }
        }
    }
    let (default, others) = times.split_first().expect("the default is one");
    others.iter().map(|of| is_recommended(default, of, others.len(), 0.01)).collect()
}

/// True if an experiment whose comparisons share an error of 5 % recommends one of `candidates`
/// candidates, by its times and the default's, in seconds; entry `r` of each belongs to round `r`.
fn is_recommended(default: &[f64], candidate: &[f64], candidates: usize, margin: f64) -> bool {
    let alpha = 0.05 / candidates.max(1) as f64;
    let ratio = paired_ratio(default, candidate, Estimator::RankScores, alpha).expect("positive");
    ratio.high < 1.0 && ratio.ratio <= 1.0 - margin
}
