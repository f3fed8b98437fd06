//! In-process benchmarks, one at a time: coverage with differing processes, and the treatment of
//! regimes and parts.

use std::sync::atomic::{AtomicU64, Ordering};

use stats::elision;
use stats::loops::{Intercept, Measurement, halves, robust};
use stats::parts::{Claim, Finding, Part, Precision, parts_against_whole};
use stats::processes::{Components, level};
use stats::regimes::{companions, regimes};
use stats::{Estimator, paired_ratio};

use crate::noise::{Chance, rate, standard_error};

/// The disturbance of a measurement within a process, about 1 % each.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Within {
    Normal,
    /// Student's t with 2 degrees of freedom.
    HeavyTails,
    /// One measurement in twenty takes half as long again.
    SlowOnes,
}

/// The differences between processes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Between {
    Normal,
    /// Student's t with 3 degrees of freedom, scaled to the same standard deviation.
    HeavyTails,
    /// Normal, and one process in seven is slower by 20 %.
    Regimes,
    /// Only ever slower, by an exponential amount.
    Slower,
}

fn between(kind: Between, sd: f64, chance: &mut Chance) -> f64 {
    match kind {
        Between::Normal => sd * chance.normal(),
        Between::HeavyTails => sd * chance.student(3) / 3.0_f64.sqrt(),
        Between::Regimes => {
            sd * chance.normal() + if chance.uniform() < 1.0 / 7.0 { 0.2 } else { 0.0 }
        }
        Between::Slower => -sd * chance.uniform().ln(),
    }
}

/// Loops that grow by 5 %, like those of a harness; an iteration takes 2 µs, the overhead of a loop
/// 10 µs.
fn process(within: Within, between: f64, chance: &mut Chance) -> Vec<Measurement> {
    let mut length = 20.0_f64;
    let mut one = || {
        let error = match within {
            Within::Normal => 0.01 * chance.normal(),
            Within::HeavyTails => 0.01 * chance.student(2),
            Within::SlowOnes => {
                0.01 * chance.normal() + if chance.uniform() < 0.05 { 0.5 } else { 0.0 }
            }
        };
        length *= 1.05;
        let iterations = length as u64;
        let total = 1e-5 + 2e-6 * iterations as f64 * (between + error).exp();
        Measurement { iterations, total }
    };
    (0..LOOPS).map(|_| one()).collect()
}

/// The number of measurements of a process.
const LOOPS: usize = 30;

type Benchmark = Vec<Vec<Measurement>>;

fn run(kinds: (Within, Between), sd: f64, processes: usize, chance: &mut Chance) -> Benchmark {
    let one = |_| {
        let level = between(kinds.1, sd, chance);
        process(kinds.0, level, chance)
    };
    (0..processes).map(one).collect()
}

fn estimates(benchmark: &Benchmark) -> Vec<f64> {
    let one = |process: &Vec<Measurement>| {
        robust(process, Intercept::Fitted).expect("loops of many lengths").per_iteration
    };
    benchmark.iter().map(one).collect()
}

/// The slope of least squares with an intercept, as most harnesses fit it.
fn slope(measurements: &[Measurement]) -> f64 {
    let count = measurements.len() as f64;
    let centre = measurements.iter().map(|m| m.iterations as f64).sum::<f64>() / count;
    let level = measurements.iter().map(|m| m.total).sum::<f64>() / count;
    let (mut product, mut spread) = (0.0, 0.0);
    for Measurement { iterations, total } in measurements {
        let away = *iterations as f64 - centre;
        product += away * (total - level);
        spread += away * away;
    }
    product / spread
}

/// The percentile interval of the least-squares slope, from 200 resamples of the measurements: a
/// harness's interval from one process.
fn bootstrap(measurements: &[Measurement], chance: &mut Chance) -> (f64, f64) {
    let count = measurements.len();
    let mut slopes: Vec<f64> = (0..200)
        .map(|_| {
            let pick = |_| measurements[(chance.uniform() * count as f64) as usize];
            slope(&(0..count).map(pick).collect::<Vec<_>>())
        })
        .collect();
    slopes.sort_unstable_by(f64::total_cmp);
    (slopes[4], slopes[195])
}

const PAIRS: u64 = 500;

const KINDS: [(Within, Between); 6] = [
    (Within::Normal, Between::Normal),
    (Within::HeavyTails, Between::Normal),
    (Within::SlowOnes, Between::Normal),
    (Within::Normal, Between::HeavyTails),
    (Within::Normal, Between::Regimes),
    (Within::SlowOnes, Between::Slower),
];

/// The limit of the pseudo-median of the processes' logarithms.
fn truth(kind: Between, sd: f64) -> f64 {
    let shift = match kind {
        Between::Slower => sd * PSEUDO_MEDIAN_OF_DELAY,
        _ => 0.0,
    };
    2e-6 * shift.exp()
}

/// Half of the median of the sum of two standard exponential numbers: `s` with
/// `exp(-2 s) (1 + 2 s) = 1/2`.
const PSEUDO_MEDIAN_OF_DELAY: f64 = 0.839_173_495_008;

#[test]
fn an_interval_of_processes_covers_the_truth_and_what_the_same_executable_gives_again() {
    for kinds in KINDS {
        for sd in [0.0, 0.01, 0.05] {
            let truths = AtomicU64::new(0);
            let again = rate(PAIRS, 11, |chance| {
                let (one, other) = (run(kinds, sd, 10, chance), run(kinds, sd, 10, chance));
                let one = level(&estimates(&one), 0.05).expect("positive estimates");
                let other = level(&estimates(&other), 0.05).expect("positive estimates");
                let covered = (one.low..=one.high).contains(&truth(kinds.1, sd));
                truths.fetch_add(u64::from(covered), Ordering::Relaxed);
                (one.again_low..=one.again_high).contains(&other.estimate)
            });
            let covered = truths.into_inner() as f64 / PAIRS as f64;
            println!(
                "10 processes, {kinds:?}, {:.0} % apart: the other run's estimate covered \
                 {:.1} %, the truth {:.1} %",
                100.0 * sd,
                100.0 * again,
                100.0 * covered
            );
            assert!(again >= 0.93, "{kinds:?} {sd}: {again}");
            // With regimes, the truth is one of two, and no number shows both.
            if kinds.1 != Between::Regimes {
                assert!(covered >= 0.92, "{kinds:?} {sd}: {covered}");
            }
        }
    }
}

#[test]
fn five_processes_cover_less_where_processes_fall_into_regimes() {
    for kinds in KINDS {
        let again = rate(PAIRS, 10, |chance| {
            let (one, other) = (run(kinds, 0.01, 5, chance), run(kinds, 0.01, 5, chance));
            let one = level(&estimates(&one), 0.05).expect("positive estimates");
            let other = level(&estimates(&other), 0.05).expect("positive estimates");
            (one.again_low..=one.again_high).contains(&other.estimate)
        });
        println!("5 processes, {kinds:?}: the other run's estimate covered {:.1} %", 100.0 * again);
        let bound = if kinds.1 == Between::Regimes { 0.68 } else { 0.90 };
        assert!(again >= bound, "{kinds:?}: {again}");
    }
}

#[test]
fn least_squares_with_a_bootstrap_within_processes_covers_far_less() {
    for kinds in [KINDS[0], KINDS[2], KINDS[4]] {
        for sd in [0.0, 0.01, 0.05] {
            let pooled = AtomicU64::new(0);
            let single = rate(PAIRS, 11, |chance| {
                let (one, other) = (run(kinds, sd, 10, chance), run(kinds, sd, 10, chance));
                let (low, high) = bootstrap(&one.concat(), chance);
                let covered = (low..=high).contains(&slope(&other.concat()));
                pooled.fetch_add(u64::from(covered), Ordering::Relaxed);
                let (low, high) = bootstrap(&one[0], chance);
                (low..=high).contains(&slope(&other[0]))
            });
            let pooled = pooled.into_inner() as f64 / PAIRS as f64;
            println!(
                "least squares, {kinds:?}, {:.0} % apart: the other run's estimate covered, one \
                 process {:.1} %, ten pooled {:.1} %",
                100.0 * sd,
                100.0 * single,
                100.0 * pooled
            );
            if sd == 0.05 {
                assert!(single < 0.6 && pooled < 0.8, "{kinds:?}: {single} {pooled}");
            }
        }
    }
}

#[test]
fn two_benchmarks_that_are_the_same_seldom_differ_and_five_per_cent_are_found() {
    for kinds in [KINDS[0], KINDS[2], KINDS[3], KINDS[5]] {
        let said = |factor: f64| {
            rate(PAIRS, 13, |chance| {
                let (one, other) = (run(kinds, 0.01, 12, chance), run(kinds, 0.01, 12, chance));
                let slower: Vec<f64> = estimates(&other).iter().map(|e| e * factor).collect();
                paired_ratio(&estimates(&one), &slower, Estimator::PseudoMedian, 0.05)
                    .expect("positive estimates")
                    .excludes_one()
            })
        };
        let (wrong, found) = (said(1.0), said(1.05));
        println!(
            "paired by round, 12 processes 1 % apart, {kinds:?}: wrong {:.1} %, 5 % found {:.1} %",
            100.0 * wrong,
            100.0 * found
        );
        assert!(wrong <= 0.05 + 3.0 * standard_error(0.05, PAIRS), "{kinds:?}: {wrong}");
        assert!(found >= 0.99, "{kinds:?}: {found}");
    }
}

#[test]
fn the_components_of_variance_tell_how_much_too_narrow_one_process_is() {
    let mut chance = Chance::new(14);
    let benchmark = run((Within::Normal, Between::Normal), 0.02, 400, &mut chance);
    let halves: Vec<(f64, f64)> =
        benchmark.iter().map(|p| halves(p, Intercept::Fitted).expect("many lengths")).collect();
    let found = Components::from_halves(&halves).expect("400 processes");
    println!("components: {found:?}, too narrow by {:.1}", found.narrow_by());
    // 400 processes give a standard deviation to 3.5 %.
    assert!((found.between - 0.02).abs() < 0.0025, "{found:?}");
    // Equal processes differ by the noise within them.
    let alike = estimates(&run((Within::Normal, Between::Normal), 0.0, 400, &mut chance));
    let squares: f64 = alike.iter().map(|estimate| (estimate / 2e-6).ln().powi(2)).sum();
    let within = (squares / 400.0).sqrt();
    assert!((found.within / within - 1.0).abs() < 0.15, "{found:?} {within}");
}

#[test]
fn work_that_is_done_is_not_called_optimised_away() {
    let wrong = rate(PAIRS, 15, |chance| {
        let level = 0.05 * chance.normal();
        elision::independent_of_iterations(&process(Within::HeavyTails, level, chance)).is_some()
    });
    println!("done work called optimised away: {:.1} %", 100.0 * wrong);
    assert!(wrong == 0.0, "{wrong}");
    let found = rate(PAIRS, 16, |chance| {
        let one = |doubling: u32| Measurement {
            iterations: 1 << doubling,
            total: 1e-5 * (0.03 * chance.student(3)).exp(),
        };
        let measurements: Vec<Measurement> = (0..20).map(one).collect();
        elision::independent_of_iterations(&measurements).is_some()
    });
    println!("loops of no work found: {:.1} %", 100.0 * found);
    assert!(found >= 0.98, "{found}");
}

#[test]
fn two_regimes_are_attributed_to_page_faults() {
    let told = rate(20, 25, |chance| {
        let slow: Vec<bool> = (0..40).map(|_| chance.uniform() < 0.4).collect();
        let times: Vec<f64> = slow
            .iter()
            .map(|&slow| if slow { 45e-6 } else { 17e-6 } * (0.03 * chance.student(3)).exp())
            .collect();
        let faults = slow.iter().map(|&slow| Some(if slow { 32.0 } else { 0.0 })).collect();
        let heap = slow.iter().map(|_| Some(1e6 + 1e5 * chance.normal())).collect();
        let Some(found) = regimes(&times) else { return false };
        let companions = companions(&found.in_high, &[heap, faults]);
        found.in_high == slow && companions[0].reading == 1 && companions[0].area.area == 1.0
    });
    println!("two regimes told, with their page faults: {:.0} %", 100.0 * told);
    assert!(told == 1.0, "{told}");
}

#[test]
fn parts_contradict_a_whole_only_where_they_do() {
    let contradicted = |step: f64| {
        rate(1000, 26, |chance| {
            let mut rounds = |level: f64| -> Vec<f64> {
                (0..10).map(|_| level * (0.02 * chance.student(3)).exp()).collect()
            };
            let whole = rounds(87.0);
            let parts = [
                Part { times: 6.0, estimates: rounds(step) },
                Part { times: 1.0, estimates: rounds(15.0) },
            ];
            let precision = Precision { alpha: 0.05, margin: 0.0 };
            let found = parts_against_whole(&whole, &parts, Claim::Sum, precision);
            found.expect("ten rounds").finding == Finding::Contradiction
        })
    };
    let (wrong, found) = (contradicted(12.0), contradicted(13.5));
    println!(
        "parts contradict the whole: where they add up {:.1} %, where they are 10 % more {:.1} %",
        100.0 * wrong,
        100.0 * found
    );
    // The sum of noisy parts lies a little above the parts of quiet ones.
    assert!(wrong <= 0.05 + 3.0 * standard_error(0.05, 1000), "{wrong}");
    assert!(found >= 0.95, "{found}");
}
