//! Machines that change over time: coverage of another experiment's estimate, if all benchmarks of
//! a suite are slower at one time than at another.

use stats::processes::RoundEffect;
use stats::processes::level;

use crate::noise::{Chance, rate};

/// The change of the machine from round to round; its standard deviation within ten rounds is about
/// 2 %.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Machine {
    /// It does not change.
    Still,
    /// Each round finds it in an independent state.
    White,
    /// Disturbances of all lengths.
    Flicker,
    /// One state for some hundred rounds, then another.
    Steps,
}

const BENCHMARKS: usize = 6;
const ROUNDS: usize = 10;
/// The spread of the processes of one benchmark.
const PROCESS: f64 = 0.02;

/// The states of the machine in the rounds of two successive experiments.
fn states(machine: Machine, chance: &mut Chance) -> Vec<f64> {
    let rounds = 2 * ROUNDS;
    match machine {
        Machine::Still => vec![0.0; rounds],
        Machine::White => (0..rounds).map(|_| 0.02 * chance.normal()).collect(),
        // The sum of processes with memories of 1, 2, 4, ... rounds has the same power in each
        // octave. Each begins in its stationary state.
        Machine::Flicker => {
            let mut sum = vec![0.0; rounds];
            for octave in 0..12 {
                let memory = (-1.0 / f64::from(1 << octave)).exp();
                let fresh = (1.0 - memory * memory).sqrt();
                let mut state = chance.normal();
                for value in &mut sum {
                    *value += 0.013 * state;
                    state = memory * state + fresh * chance.normal();
                }
            }
            sum
        }
        Machine::Steps => {
            let mut state = 0.05 * chance.normal();
            let mut states = Vec::new();
            for _ in 0..rounds {
                if chance.uniform() < 0.005 {
                    state = 0.05 * chance.normal();
                }
                states.push(state);
            }
            states
        }
    }
}

fn experiment(states: &[f64], chance: &mut Chance) -> Vec<Vec<f64>> {
    let mut row = || states.iter().map(|state| (state + PROCESS * chance.normal()).exp()).collect();
    (0..BENCHMARKS).map(|_| row()).collect()
}

/// The coverage of the estimate of another experiment: by the processes' interval alone, and with
/// the effect that rounds share; and the ratio of their widths.
fn covered(machine: Machine) -> (f64, f64, f64) {
    let with = |uses_effect: bool| {
        let share = std::sync::Mutex::new(0.0);
        let width = std::sync::Mutex::new(0.0);
        rate(1000, 31, |chance| {
            let states = states(machine, chance);
            let one = experiment(&states[..ROUNDS], chance);
            let other = experiment(&states[ROUNDS..], chance);
            let effect = RoundEffect::from_benchmarks(&one).filter(|_| uses_effect);
            let levels = one.iter().map(|row| {
                let level = level(row, 0.05).expect("positive");
                effect.map_or(level, |effect| level.with(&effect, 0.05))
            });
            let mut hits = 0;
            let mut reach = 0.0;
            for (one, other) in levels.zip(&other) {
                let other = level(other, 0.05).expect("positive").estimate;
                hits += usize::from((one.again_low..=one.again_high).contains(&other));
                reach += (one.again_high / one.estimate).ln();
            }
            *share.lock().expect("nobody panics") += hits as f64 / BENCHMARKS as f64;
            *width.lock().expect("nobody panics") += reach;
            true
        });
        let (share, width) = (share.into_inner(), width.into_inner());
        (share.expect("nobody panics") / 1000.0, width.expect("nobody panics"))
    };
    let ((alone, narrow), (together, wide)) = (with(false), with(true));
    (alone, together, wide / narrow)
}

#[test]
fn a_machine_that_changes_is_allowed_for() {
    for machine in [Machine::Still, Machine::White, Machine::Flicker, Machine::Steps] {
        let (alone, with, times) = covered(machine);
        println!(
            "{machine:?}: another experiment covered {:.1} % by processes alone, {:.1} % with what \
             rounds have in common, {times:.2} times as wide",
            100.0 * alone,
            100.0 * with
        );
        match machine {
            Machine::Still => assert!(with >= 0.94 && times < 1.15, "{with} {times}"),
            Machine::White => assert!(with >= 0.95, "{with}"),
            Machine::Flicker => assert!(with >= 0.93 && alone < 0.90, "{with} {alone}"),
            // An event of once in twenty experiments is not visible in one of them.
            Machine::Steps => assert!(with >= alone && with >= 0.89, "{with}"),
        }
    }
}
