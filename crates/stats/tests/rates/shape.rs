//! Findings on the shape of a sample, and on the order of the runs.

use stats::drift::drift;
use stats::position::{carry_over, position};
use stats::regimes::rare_regime;
use stats::regimes::{Modality, modality};

use crate::noise::{Chance, Noise, rate, standard_error, times};

const EXPERIMENTS: u64 = 4000;

fn is_bimodal(values: &[f64]) -> bool {
    matches!(modality(values), Modality::Bimodal { .. })
}

#[test]
fn one_mode_is_called_two_in_one_of_a_hundred_at_most() {
    type Draw = fn(&mut Chance) -> f64;
    let shapes: [(&str, Draw); 4] = [
        ("normal", |chance| chance.normal()),
        ("log-normal", |chance| chance.normal().exp()),
        ("uniform", |chance| chance.uniform()),
        ("t3", |chance| chance.student(3)),
    ];
    for (name, draw) in shapes {
        for n in [10, 30, 100, 700] {
            let wrong = rate(EXPERIMENTS, n as u64, |chance| {
                let values: Vec<f64> = (0..n).map(|_| draw(chance)).collect();
                is_bimodal(&values)
            });
            println!("two modes named, {name}, n={n}: {:.2} %", 100.0 * wrong);
            assert!(wrong <= 0.01 + 3.0 * standard_error(0.01, EXPERIMENTS), "{name} {n}: {wrong}");
        }
    }
}

#[test]
fn two_clear_modes_are_found_with_their_medians_and_shares() {
    let found = rate(1000, 3, |chance| {
        let one = |chance: &mut Chance| {
            let slow = chance.uniform() < 0.4;
            let mode = if slow { 1.3 } else { 1.0 };
            mode + 0.03 * chance.normal()
        };
        let values: Vec<f64> = (0..60).map(|_| one(chance)).collect();
        match modality(&values) {
            Modality::Bimodal { low, high, .. } => {
                let near = |a: f64, b: f64, by: f64| (a - b).abs() < by;
                near(low.median, 1.0, 0.03)
                    && near(high.median, 1.3, 0.03)
                    && near(high.share, 0.4, 0.25)
            }
            _ => false,
        }
    });
    println!("two clear modes in 60 runs found: {:.1} %", 100.0 * found);
    assert!(found >= 0.95, "{found}");
}

#[test]
fn a_coarse_clock_does_not_make_modes() {
    for step in [0.2, 0.5, 1.0, 3.0] {
        let wrong = rate(EXPERIMENTS, 4, |chance| {
            let tick = |value: f64| (value / step).round() * step;
            let values: Vec<f64> = (0..100).map(|_| tick(chance.normal())).collect();
            is_bimodal(&values)
        });
        assert!(wrong <= 0.01, "{step}: {wrong}");
    }
}

fn has_rare_regime(values: &[f64]) -> bool {
    rare_regime(values, 0.01).is_some()
}

/// Tails that get thinner outwards, however heavy: the last two have no mean, and one run in ten of
/// the last but one is delayed, with a mean of ten times the run.
#[test]
fn a_heavy_tail_is_called_a_rare_regime_in_one_of_a_hundred_at_most() {
    type Draw = fn(&mut Chance) -> f64;
    let shapes: [(&str, Draw); 9] = [
        ("normal", |chance| 1.0 + 0.01 * chance.normal()),
        ("log-normal", |chance| chance.normal().exp()),
        ("wide log-normal", |chance| (2.0 * chance.normal()).exp()),
        ("uniform", |chance| chance.uniform()),
        ("falling to the left", |chance| chance.uniform().ln()),
        ("t2", |chance| 1.0 + 0.01 * chance.student(2)),
        ("now and then wide", |chance| {
            let wide = if chance.uniform() < 0.1 { 0.3 } else { 0.01 };
            1.0 + wide * chance.normal()
        }),
        ("now and then delayed", |chance| {
            let delay = if chance.uniform() < 0.1 { -10.0 * chance.uniform().ln() } else { 0.0 };
            1.0 + 0.02 * chance.normal().abs() + delay
        }),
        ("Pareto without a mean", |chance| 1.0 / chance.uniform()),
    ];
    for (name, draw) in shapes {
        for n in [12, 30, 100, 500] {
            let wrong = rate(EXPERIMENTS, n as u64, |chance| {
                has_rare_regime(&(0..n).map(|_| draw(chance)).collect::<Vec<f64>>())
            });
            println!("rare regime named, {name}, n={n}: {:.2} %", 100.0 * wrong);
            assert!(wrong <= 0.01 + 3.0 * standard_error(0.01, EXPERIMENTS), "{name} {n}: {wrong}");
        }
    }
    for step in [0.2, 0.5, 1.0, 3.0] {
        let wrong = rate(EXPERIMENTS, 5, |chance| {
            let tick = |value: f64| (value / step).round() * step;
            has_rare_regime(&(0..100).map(|_| tick(chance.normal().exp())).collect::<Vec<f64>>())
        });
        assert!(wrong <= 0.01, "{step}: {wrong}");
    }
}

/// One run in ten takes twenty times as long, each with 5 % of noise, and one run in twenty of
/// either kind is delayed.
#[test]
fn one_run_in_ten_that_takes_twenty_times_as_long_is_a_rare_regime() {
    for (n, least) in [(60, 0.4), (100, 0.9), (200, 0.99)] {
        let found = rate(1000, n as u64, |chance| {
            let one = |chance: &mut Chance| {
                let work = if chance.uniform() < 0.1 { 20.0 } else { 1.0 };
                let delay = if chance.uniform() < 0.05 { -chance.uniform().ln() } else { 0.0 };
                work * (0.05 * chance.normal()).exp() + delay
            };
            let values: Vec<f64> = (0..n).map(|_| one(chance)).collect();
            rare_regime(&values, 0.01).is_some_and(|regime| {
                let share = regime.count as f64 / n as f64;
                regime.rare > 15.0 && (share - 0.1).abs() < 0.1
            })
        });
        println!("one in ten of {n} found: {:.1} %", 100.0 * found);
        assert!(found >= least, "{n}: {found}");
    }
}

#[test]
fn steady_runs_are_said_to_drift_in_one_of_a_hundred_at_most() {
    let noises = [Noise::Normal, Noise::LogNormal, Noise::T3, Noise::T2, Noise::Bimodal];
    for noise in noises {
        for n in [20, 50, 200, 1000] {
            let wrong = alarms(noise, n);
            assert!(
                wrong <= 0.01 + 3.0 * standard_error(0.01, EXPERIMENTS),
                "{noise:?} {n}: {wrong}"
            );
        }
    }
}

#[test]
fn runs_that_remember_are_seldom_said_to_drift() {
    // A memory of 0.9 spans 20 runs: in 20 runs it looks like a drift, in 50 nearly so.
    for (n, bound) in [(20, 0.025), (50, 0.02), (200, 0.015), (1000, 0.015)] {
        let wrong = alarms(Noise::Memory, n);
        assert!(wrong <= bound, "{n}: {wrong}");
    }
}

#[test]
fn a_drift_of_twenty_per_cent_is_found() {
    for n in [20, 50, 200] {
        let found = alarms(Noise::Drift, n);
        assert!(found >= 0.95, "{n}: {found}");
    }
}

fn alarms(noise: Noise, n: usize) -> f64 {
    let rate = rate(EXPERIMENTS, n as u64, |chance| {
        drift(&times(noise, n, chance)).expect("enough readings").p_value < 0.01
    });
    println!("drift named at 1 %, {noise:?}, n={n}: {:.2} %", 100.0 * rate);
    rate
}

/// Log-ratios, with true if the candidate came second, if coming second costs `penalty`.
fn positions(noise: Noise, penalty: f64, chance: &mut Chance) -> (Vec<f64>, Vec<bool>) {
    let slots = times(noise, 200, chance);
    let pairs = slots.chunks_exact(2).map(|slot| {
        let later = slot[1].ln() + penalty - slot[0].ln();
        let second = chance.coin();
        (if second { later } else { -later }, second)
    });
    pairs.unzip()
}

#[test]
fn a_position_without_effect_is_accused_in_five_of_a_hundred_at_most() {
    // With a memory it is less: the second run mostly shares the disturbance of the first.
    for noise in [Noise::Normal, Noise::T2, Noise::Memory, Noise::Walk] {
        let wrong = rate(EXPERIMENTS, 8, |chance| {
            let (ratios, second) = positions(noise, 0.0, chance);
            position(&ratios, &second).is_some_and(|effect| effect.p_value < 0.05)
        });
        println!("position accused at 5 %, {noise:?}: {:.2} %", 100.0 * wrong);
        assert!(wrong <= 0.05 + 3.0 * standard_error(0.05, EXPERIMENTS), "{noise:?}: {wrong}");
    }
}

#[test]
fn running_later_is_charged_what_it_costs() {
    let mut chance = Chance::new(9);
    let (ratios, second) = positions(Noise::Normal, 0.02, &mut chance);
    let found = position(&ratios, &second).expect("both orders occur");
    assert!((found.effect - 0.02).abs() < 0.005 && found.p_value < 1e-6, "{found:?}");
    let classes: Vec<usize> = second.iter().map(|&second| usize::from(second)).collect();
    let whole = carry_over(&ratios, &classes).expect("both orders occur");
    assert!((whole.effect - 0.04).abs() < 0.01, "{whole:?}");
}
