//! Kills and signals of every kind, at random moments of every verb that measures: at most the run
//! in flight is lost, nothing keeps running, and the same command resumes.
//!
//! A custom harness, because it takes arguments: the number of moments, the number with a full
//! disk, the seed, and the number in parallel. `benches/run kills` tries a thousand.
//!
//! The measured programs themselves record that they finished: as its last act, each appends a line
//! to a file.
#![expect(clippy::print_stdout, reason = "this is a test harness, and prints what it found")]

mod moment;
mod place;
mod verb;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use measure::clock::Stopwatch;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use moment::{Blow, Moment, Outcome};
use place::Place;
use verb::{VERBS, Verb};

/// The number of moments without arguments, as one test among others.
const FEW: u32 = 30;
const FEW_FULL: u32 = 5;
const SEED: u64 = 14;

/// The latest moment, as a multiple of the undisturbed duration.
const LATEST: f64 = 1.1;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let mut number = |default| arguments.next().map_or(Some(default), |text| text.parse().ok());
    let (Some(kills), Some(full), Some(seed), Some(at_a_time)) =
        (number(u64::from(FEW)), number(u64::from(FEW_FULL)), number(SEED), number(2))
    else {
        println!("usage: kills [MOMENTS [FULL_DISKS [SEED [AT_A_TIME]]]]");
        return ExitCode::from(2);
    };
    let durations: Vec<Duration> = VERBS.iter().map(|verb| undisturbed(*verb)).collect();
    let moments = moments(kills, full, seed, &durations);
    let tally = Mutex::new(Tally::default());
    let next = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_a_time.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed) as usize;
                    let Some(moment) = moments.get(index) else { return };
                    let outcome = moment.try_out(index);
                    tally.lock().expect("nobody panics with it").take(moment, &outcome);
                }
            });
        }
    });
    let tally = tally.into_inner().expect("nobody panics with it");
    tally.tell(seed);
    if tally.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The undisturbed duration of a verb, measured here and now.
fn undisturbed(verb: Verb) -> Duration {
    let place = Place::new(verb, "undisturbed", None);
    let watch = Stopwatch::start();
    let ended = place.start().wait().expect("brisk is ours");
    assert!(matches!(ended.code(), Some(0 | 1)), "{verb:?} fails undisturbed: {ended}");
    watch.elapsed()
}

/// Every verb and every blow in turn, each at a random moment.
fn moments(kills: u64, full: u64, seed: u64, durations: &[Duration]) -> Vec<Moment> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut all: Vec<Blow> = Blow::all().collect();
    // 2^53 numbers from 0 to 1.
    let mut uniform = move || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let mut moments = Vec::new();
    for number in 0..kills + full {
        let which = number as usize % VERBS.len();
        if which == 0 {
            let by = (uniform() * all.len() as f64) as usize;
            all.rotate_left(by);
        }
        let blow = if number < kills { all[which % all.len()] } else { Blow::FullDisk };
        let after = durations[which].mul_f64(uniform() * LATEST);
        moments.push(Moment { verb: VERBS[which], blow, after });
    }
    moments
}

/// The outcomes of all moments.
#[derive(Default)]
struct Tally {
    tried: BTreeMap<String, u32>,
    /// By the number of lost runs.
    lost: BTreeMap<usize, u32>,
    not_checked: u32,
    struck: u32,
    faults: Vec<String>,
}

impl Tally {
    fn take(&mut self, moment: &Moment, outcome: &Outcome) {
        match outcome {
            Outcome::NotChecked => self.not_checked += 1,
            Outcome::Held { lost, struck } => {
                *self.tried.entry(format!("{:?}", moment.verb)).or_default() += 1;
                *self.lost.entry(*lost).or_default() += 1;
                self.struck += u32::from(*struck);
            }
            Outcome::Fault(fault) => {
                println!("fault: {moment:?}: {fault}");
                self.faults.push(fault.clone());
            }
        }
    }

    fn tell(&self, seed: u64) {
        let held: u32 = self.tried.values().sum();
        let Self { tried, lost, struck, faults, not_checked } = self;
        println!(
            "seed {seed}: {held} moments without a fault ({struck} before the end of what they \
             struck), {} with one; by verb {tried:?}; runs lost, and how often: {lost:?}",
            faults.len()
        );
        if *not_checked > 0 {
            println!("not checked: {not_checked} full disks, because none can be mounted here");
        }
        let result = if faults.is_empty() { "ok" } else { "FAILED" };
        println!("test result: {result}. {held} passed; {} failed", faults.len());
    }
}
