//! Changes and trends in long series: the rates at which false ones are found, and real ones.

use stats::change_points::{Findings, Options, change_points};

use crate::noise::{Chance, Noise, rate, standard_error, times};

/// The total number of points for each rate: more series of the short ones.
const POINTS: u64 = 600_000;

type Draw = fn(usize, &mut Chance) -> Vec<f64>;

fn find(values: &[f64]) -> Findings {
    change_points(values, Options::default()).expect("finite values")
}

fn remembering(memory: f64, n: usize, chance: &mut Chance) -> Vec<f64> {
    let mut state = chance.normal() / (1.0 - memory * memory).sqrt();
    let mut one = || {
        state = memory * state + chance.normal();
        state
    };
    (0..n).map(|_| one()).collect()
}

/// The share of series without change in which a change or a slide is found.
fn alarms(name: &str, n: usize, draw: Draw) -> (f64, u64) {
    let series = (POINTS / n as u64).min(3000);
    let wrong = rate(series, n as u64, |chance| {
        let found = find(&draw(n, chance));
        !found.change_points.is_empty() || !found.trends.is_empty()
    });
    println!("a change found that is none, {name}, n={n}: {:.1} %", 100.0 * wrong);
    (wrong, series)
}

#[test]
fn steady_series_are_said_to_change_in_five_of_a_hundred_at_most() {
    let noises: [(&str, Draw); 10] = [
        ("normal", |n, chance| times(Noise::Normal, n, chance)),
        ("log-normal", |n, chance| times(Noise::LogNormal, n, chance)),
        ("t3", |n, chance| times(Noise::T3, n, chance)),
        ("t2", |n, chance| times(Noise::T2, n, chance)),
        ("one in ten slow", |n, chance| times(Noise::Bimodal, n, chance)),
        ("noisier from the middle on", |n, chance| times(Noise::Step, n, chance)),
        ("uniform", |n, chance| (0..n).map(|_| chance.uniform()).collect()),
        ("exponential", |n, chance| (0..n).map(|_| -chance.uniform().ln()).collect()),
        ("whole numbers", |n, chance| (0..n).map(|_| chance.normal().round()).collect()),
        ("a coarse clock", |n, chance| {
            (0..n).map(|_| if chance.uniform() < 0.2 { 1.0 } else { 0.0 }).collect()
        }),
    ];
    for (name, draw) in noises {
        for n in [8, 12, 20, 50, 100, 400, 3000] {
            let (wrong, series) = alarms(name, n, draw);
            assert!(wrong <= 0.05 + 3.0 * standard_error(0.05, series), "{name} {n}: {wrong}");
        }
    }
}

#[test]
fn points_that_remember_do_not_flood() {
    // The autocorrelation of 12 to 100 points looks like a step; the rates are those of the method
    // page.
    let drawn: [(&str, Draw, f64); 3] = [
        ("memory 0.3", |n, chance| remembering(0.3, n, chance), 0.09),
        ("memory 0.5", |n, chance| remembering(0.5, n, chance), 0.13),
        ("memory 0.9", |n, chance| remembering(0.9, n, chance), 0.15),
    ];
    for (name, draw, most) in drawn {
        for n in [12, 20, 50, 100, 400, 3000] {
            let (wrong, _) = alarms(name, n, draw);
            let bound = if n >= 400 { most.min(0.08) } else { most };
            assert!(wrong <= bound, "{name} {n}: {wrong}");
        }
    }
}

#[test]
fn noise_that_grows_a_hundredfold_is_seldom_taken_for_changes() {
    for n in [50, 100, 400, 3000] {
        let (wrong, _) = alarms("growing", n, |n, chance| times(Noise::Growing, n, chance));
        assert!(wrong <= 0.10, "{n}: {wrong}");
    }
}

#[test]
fn single_spikes_are_no_change_points() {
    let wrong = rate(2000, 6, |chance| {
        let mut values: Vec<f64> = (0..60).map(|_| 100.0 + chance.normal()).collect();
        let at = (chance.uniform() * 60.0) as usize;
        values[at] += if chance.coin() { 1000.0 } else { -50.0 };
        !find(&values).change_points.is_empty()
    });
    println!("a change found beside a spike: {:.1} %", 100.0 * wrong);
    assert!(wrong <= 0.05, "{wrong}");
}

#[test]
fn known_steps_are_found_within_two_points() {
    // Steps of 5 deviations every 40 points, one point in fifty a spike.
    let (mut hits, mut reported) = (0, 0);
    for seed in 0..100 {
        let mut chance = Chance::new(seed);
        let value = |i: usize| {
            let level = if (i / 40) % 2 == 1 { 5.0 } else { 0.0 };
            level + chance.normal() + if chance.uniform() < 0.02 { 30.0 } else { 0.0 }
        };
        let found = find(&(0..400).map(value).collect::<Vec<f64>>());
        reported += found.change_points.len() + found.trends.len();
        let is_near = |step: usize| found.change_points.iter().any(|c| c.index.abs_diff(step) <= 2);
        hits += (1..10).filter(|k| is_near(40 * k)).count();
    }
    let f1 = 2.0 * f64::from(hits as u32) / (900 + reported) as f64;
    println!("steps of 5 deviations: F1 {f1:.3}");
    assert!(f1 >= 0.98, "{f1}");
}

#[test]
fn a_slide_is_a_trend_and_a_step_is_none() {
    let slides = rate(500, 1, |chance| {
        let value = |i: usize| (i.clamp(100, 300) as f64) * 0.05 + chance.normal();
        let found = find(&(0..400).map(value).collect::<Vec<f64>>());
        found.trends.len() == 1 && found.change_points.is_empty()
    });
    let steps = rate(500, 2, |chance| {
        let value = |i: usize| if i < 100 { 0.0 } else { 4.0 } + chance.normal();
        let found = find(&(0..400).map(value).collect::<Vec<f64>>());
        found.trends.is_empty() && found.change_points.len() == 1
    });
    println!("a slide is called one: {:.1} %; a step: {:.1} %", 100.0 * slides, 100.0 * steps);
    assert!(slides >= 0.8 && steps >= 0.93, "{slides} {steps}");
}

#[test]
fn the_interval_of_a_clear_steps_ratio_holds_the_truth() {
    let missed = rate(2000, 3, |chance| {
        let value = |i: usize| if i < 60 { 100.0 } else { 110.0 } + chance.normal();
        let found = find(&(0..120).map(value).collect::<Vec<f64>>());
        let interval = found.change_points.first().and_then(|change| change.ratio?.interval);
        interval.is_none_or(|(low, high)| !(low <= 1.1 && 1.1 <= high))
    });
    println!("the interval of a step's ratio misses: {:.1} %", 100.0 * missed);
    assert!(missed <= 0.08, "{missed}");
}
