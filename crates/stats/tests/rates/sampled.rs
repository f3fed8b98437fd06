//! Sampled profiles: how often a function is named although nothing changed, how often a change is
//! found, and whether intervals of shares hold the share.

use stats::interval::Interval;
use stats::sampled::{FunctionRounds, RunSamples, changes, share};

use crate::noise::{ALL, Chance, Noise, REAL, rate, standard_error, times};

/// The time between two samples, in seconds.
const PERIOD: f64 = 0.0005;

/// The time of a run, in seconds.
const SECONDS: f64 = 2.0;

/// The shares of the functions of a program: a few large ones and many small ones.
const SHARES: [f64; 14] =
    [0.3, 0.2, 0.12, 0.1, 0.08, 0.06, 0.05, 0.03, 0.02, 0.015, 0.01, 0.008, 0.004, 0.003];

/// A number of independent samples with this mean.
fn poisson(mean: f64, chance: &mut Chance) -> u64 {
    if mean > 50.0 {
        return (mean + mean.sqrt() * chance.normal()).round().max(0.0) as u64;
    }
    let mut left = chance.uniform();
    let mut count = 0;
    while left > (-mean).exp() {
        left *= chance.uniform();
        count += 1;
    }
    count
}

/// The standard deviation of a function's own time from run to run, which the others do not share.
const OWN: f64 = 0.01;

/// The rounds of two programs, in an order drawn for each; the first function of the second takes
/// `more` of the program's time longer. Noise slows all functions of a run.
fn rounds(noise: Noise, count: usize, more: f64, chance: &mut Chance) -> Vec<FunctionRounds> {
    let mut functions: Vec<FunctionRounds> =
        SHARES.map(|_| FunctionRounds { before: Vec::new(), after: Vec::new() }).into();
    for slots in times(noise, 2 * count, chance).chunks_exact(2) {
        let is_first = chance.coin();
        for (place, (function, part)) in functions.iter_mut().zip(SHARES).enumerate() {
            let mut run = |time: f64, part: f64| RunSamples {
                samples: poisson(
                    SECONDS * time * part * (OWN * chance.normal()).exp() / PERIOD,
                    chance,
                ),
                period: PERIOD,
            };
            let longer = if place == 0 { part + more } else { part };
            function.before.push(run(slots[usize::from(!is_first)], part));
            function.after.push(run(slots[usize::from(is_first)], longer));
        }
    }
    functions
}

fn is_named(found: Option<Interval>) -> bool {
    found.is_some_and(Interval::excludes_zero)
}

#[test]
fn of_equal_programs_a_function_is_named_in_at_most_one_of_twenty() {
    let experiments = 400;
    let limit = 0.05 + 3.0 * standard_error(0.05, experiments);
    for noise in ALL.into_iter().chain(REAL) {
        for count in [6, 14, 40] {
            let any = |chance: &mut Chance| {
                changes(&rounds(noise, count, 0.0, chance), 0.05).into_iter().any(is_named)
            };
            let rate = rate(experiments, 37 + count as u64, any);
            println!("{noise:?}, {count} rounds: a function of equal programs is named in {rate}");
            assert!(rate <= limit, "{noise:?}, {count} rounds: {rate}");
        }
    }
}

/// However much one function changed, the others are not taken for changed: the pace is not its.
#[test]
fn beside_a_function_that_changed_another_is_named_in_at_most_one_of_twenty() {
    let experiments = 400;
    let limit = 0.05 + 3.0 * standard_error(0.05, experiments);
    for noise in [Noise::Normal, Noise::LogNormal, Noise::Slowed, Noise::Busy] {
        for more in [0.05, 0.3, 3.0] {
            let another = |chance: &mut Chance| {
                changes(&rounds(noise, 10, more, chance), 0.05)[1..].iter().any(|it| is_named(*it))
            };
            let rate = rate(experiments, 41, another);
            println!("{noise:?}, {more} more: another function is named in {rate}");
            assert!(rate <= limit, "{noise:?}, {more}: {rate}");
        }
    }
}

#[test]
fn five_percent_of_two_seconds_are_found_within_a_minute() {
    let experiments = 400;
    // Two runs of 2 s a round on a busy machine, and the plain runs before them.
    let count = 6;
    for noise in [Noise::Normal, Noise::T3, Noise::Drift, Noise::Memory, Noise::Slowed, Noise::Busy]
    {
        let found = |chance: &mut Chance| {
            let found = changes(&rounds(noise, count, 0.05, chance), 0.05);
            is_named(found[0]) && !found[1..].iter().any(|other| is_named(*other))
        };
        let rate = rate(experiments, 5, found);
        println!("{noise:?}: the function that takes 5 % more is the one named in {rate}");
        assert!(rate >= 0.9, "{noise:?}: {rate}");
    }
}

#[test]
fn intervals_of_shares_hold_the_share() {
    let experiments = 2000;
    let limit = 0.95 - 3.0 * standard_error(0.05, experiments);
    for (true_share, spread) in [(0.3, 0.0), (0.3, 0.1), (0.02, 0.1), (0.95, 0.02)] {
        let holds = |chance: &mut Chance| {
            // The share itself differs from run to run, around its mean.
            let runs: Vec<(u64, u64)> = (0..6)
                .map(|_| {
                    let whole = SECONDS * (0.05 * chance.normal()).exp() / PERIOD;
                    let part = true_share * (1.0 + spread * (2.0 * chance.uniform() - 1.0));
                    let inside = poisson(whole * part, chance);
                    (inside, inside + poisson(whole * (1.0 - part), chance))
                })
                .collect();
            let (part, whole): (Vec<u64>, Vec<u64>) = runs.into_iter().unzip();
            let found = share(&part, &whole, 0.05).expect("samples");
            (found.low..=found.high).contains(&true_share)
        };
        let rate = rate(experiments, 11, holds);
        println!("a share of {true_share}, varying by {spread}: held in {rate}");
        assert!(rate >= limit, "{true_share}, {spread}: {rate}");
    }
}
