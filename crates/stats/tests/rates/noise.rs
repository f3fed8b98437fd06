//! Machines to measure on: noise that belongs to moments, not to variants.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use stats::normal;

/// The disturbance of successive runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Noise {
    /// Normal, 1 %.
    Normal,
    /// Log-normal with a log standard deviation of 20 %.
    LogNormal,
    /// Student's t with 3 degrees of freedom, scale 1 %.
    T3,
    /// Student's t with 2 degrees of freedom, scale 1 %: no variance.
    T2,
    /// One run in ten takes half as long again.
    Bimodal,
    /// 20 % slower at the end than at the start, and 1 % normal.
    Drift,
    /// A random walk in steps of 0.5 %, and 1 % normal.
    Walk,
    /// Each run keeps 0.9 of the last one's disturbance, fresh 1 %.
    Memory,
    /// Normal noise that grows from 0.1 % to 10 % over the experiment.
    Growing,
    /// Normal noise, 0.1 % at first and twenty times that from the middle on.
    Step,
    /// Runs that are only slowed: 0.4 % normal, and an exponential delay with a mean of 2.7 %.
    Slowed,
    /// A busy machine: two clock rates that differ by 14 % and change every hundred runs or so, and
    /// exponential delays whose size keeps 0.6 of itself.
    Busy,
}

/// The noise of real machines; `ALL` are textbook cases.
pub(crate) const REAL: [Noise; 2] = [Noise::Slowed, Noise::Busy];

pub(crate) const ALL: [Noise; 10] = [
    Noise::Normal,
    Noise::LogNormal,
    Noise::T3,
    Noise::T2,
    Noise::Bimodal,
    Noise::Drift,
    Noise::Walk,
    Noise::Memory,
    Noise::Growing,
    Noise::Step,
];

/// A stream of random numbers for one experiment.
pub(crate) struct Chance(Xoshiro256PlusPlus);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Uniform on the open interval (0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.0.next_u64() >> 63 == 1
    }

    pub(crate) fn normal(&mut self) -> f64 {
        normal::quantile(self.uniform())
    }

    pub(crate) fn student(&mut self, df: u32) -> f64 {
        let squares: f64 = (0..df).map(|_| self.normal().powi(2)).sum();
        self.normal() / (squares / f64::from(df)).sqrt()
    }
}

/// The times of `count` successive runs of the same program.
pub(crate) fn times(noise: Noise, count: usize, chance: &mut Chance) -> Vec<f64> {
    let mut state = match noise {
        Noise::Memory => chance.normal() * 0.01 / (1.0_f64 - 0.81).sqrt(),
        _ => 0.0,
    };
    let mut slow = noise == Noise::Busy && chance.coin();
    let one = |i: usize| {
        let part = i as f64 / count as f64;
        let fresh = 0.01 * chance.normal();
        let log = match noise {
            Noise::Normal => fresh,
            Noise::LogNormal => 20.0 * fresh,
            Noise::T3 => 0.01 * chance.student(3),
            Noise::T2 => 0.01 * chance.student(2),
            Noise::Bimodal => fresh + if chance.uniform() < 0.1 { 1.5_f64.ln() } else { 0.0 },
            Noise::Drift => fresh + (0.2 * part).ln_1p(),
            Noise::Walk => {
                state += 0.005 * chance.normal();
                state + fresh
            }
            Noise::Memory => {
                state = 0.9 * state + fresh;
                state
            }
            Noise::Growing => fresh * 0.1 * 100.0_f64.powf(part),
            Noise::Step => fresh * if part < 0.5 { 0.1 } else { 2.0 },
            Noise::Slowed => 0.4 * fresh - 0.027 * chance.uniform().ln(),
            Noise::Busy => {
                slow ^= chance.uniform() < 0.01;
                state = 0.6 * state + 0.8 * chance.normal();
                let rate = if slow { (4.5_f64 / 3.9).ln() } else { 0.0 };
                rate + 0.4 * fresh - 0.02 * (0.7 * state).exp() * chance.uniform().ln()
            }
        };
        log.exp()
    };
    (0..count).map(one).collect()
}

/// An experiment: baseline and candidate by round, the candidate taking `ratio` times as long, the
/// order of the two drawn in each round.
pub(crate) fn rounds(
    noise: Noise,
    count: usize,
    ratio: f64,
    chance: &mut Chance,
) -> (Vec<f64>, Vec<f64>) {
    let slots = times(noise, 2 * count, chance);
    let pairs = slots.chunks_exact(2).map(|slot| {
        let (first, second) = (slot[0], slot[1]);
        if chance.coin() { (first, second * ratio) } else { (second, first * ratio) }
    });
    pairs.unzip()
}

/// The fraction of `experiments` for which `hit` is true, on all processors; each has its own seed,
/// so the result does not depend on the number of processors.
pub(crate) fn rate(experiments: u64, seed: u64, hit: impl Fn(&mut Chance) -> bool + Sync) -> f64 {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let hits_of = |thread: u64| {
        let own = (thread..experiments).step_by(threads as usize);
        own.filter(|i| hit(&mut Chance::new(seed.wrapping_mul(1 << 32).wrapping_add(*i)))).count()
    };
    let hits: usize = std::thread::scope(|scope| {
        let hits_of = &hits_of;
        let running: Vec<_> = (0..threads).map(|t| scope.spawn(move || hits_of(t))).collect();
        running.into_iter().map(|t| t.join().expect("a simulation does not panic")).sum()
    });
    hits as f64 / experiments as f64
}

/// The standard error of an observed rate whose true value is `p`.
pub(crate) fn standard_error(p: f64, experiments: u64) -> f64 {
    (p * (1.0 - p) / experiments as f64).sqrt()
}
