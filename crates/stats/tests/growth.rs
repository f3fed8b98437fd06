//! Memory over time: known answers, properties of all runs, and refusals.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::growth::{Growth, GrowthError, Reason, Slope, Verdict, agreement, growth};

/// The samples of `reference/growth.py`, in integers as there.
fn samples(kind: &str, count: i64, total: i64) -> (Vec<f64>, Vec<f64>) {
    let value = |i: i64| {
        let noise = (i * i * 7919 + i * 104_729) % 2003 - 1001;
        let line = 50_000_000 + total * i / count;
        match kind {
            "flat" => line + 300 * noise,
            "start" => line * (i * 20).min(count) / count + 300 * noise.abs(),
            teeth => {
                let place = i * teeth.parse::<i64>().expect("a number of teeth") * 1000 / count;
                line + 2000 * ((place / 1000) * 7919 % 401 - 200) + (place % 1000) * 30_000
            }
        }
    };
    let times = (0..count).map(|i| (100_000 * (2 * i + 1) / (2 * count)) as f64);
    (times.collect(), (0..count).map(|i| value(i) as f64).collect())
}

fn slope_of(growth: &Growth) -> Option<Slope> {
    match growth.verdict {
        Verdict::Constant(slope) | Verdict::Proportional(slope) => Some(slope),
        Verdict::Undecided(Reason::Uneven(slope) | Reason::Imprecise(slope)) => Some(slope),
        _ => None,
    }
}

#[test]
fn slopes_and_intervals_are_those_of_the_reference() {
    let mut checked = 0;
    for line in include_str!("reference/growth.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().unwrap_or_else(|_| panic!("{line}"));
        let (count, total) = (number(1) as i64, number(2) as i64);
        let (times, values) = samples(cells[0], count, total);
        let found = growth(&times, &values).expect("a series");
        let slope = slope_of(&found).unwrap_or_else(|| panic!("{line}: {found:?}"));
        let is_growth = matches!(found.verdict, Verdict::Proportional(_));
        assert_eq!(is_growth, total > 0, "{line}: {found:?}");
        let width = number(7) - number(6);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * width;
        assert!(near(slope.estimate, number(5)), "{line}: {slope:?}");
        assert!(near(slope.low, number(6)) && near(slope.high, number(7)), "{line}: {slope:?}");
        assert_eq!((found.from, found.level), (number(3), number(4)), "{line}");
        checked += 1;
    }
    assert_eq!(checked, 10);
}

/// Seconds from 0 to 10.
fn even(count: usize) -> Vec<f64> {
    (0..count).map(|index| 10.0 * index as f64 / (count - 1) as f64).collect()
}

#[test]
fn a_straight_line_grows_as_fast_as_it_does() {
    let times = even(101);
    let values: Vec<f64> = times.iter().map(|time| 1000.0 + 100.0 * time).collect();
    let found = growth(&times, &values).expect("a series");
    let Verdict::Proportional(slope) = found.verdict else { panic!("{found:?}") };
    assert!([slope.estimate, slope.low, slope.high].iter().all(|s| (s - 100.0).abs() < 1e-6));
    assert_eq!(found.peak, 2000.0);
}

#[test]
fn a_step_has_its_moment_and_its_levels() {
    let times = even(101);
    let values: Vec<f64> =
        times.iter().map(|time| if *time < 6.0 { 1000.0 } else { 3000.0 }).collect();
    let found = growth(&times, &values).expect("a series");
    let Verdict::Steps(steps) = &found.verdict else { panic!("{found:?}") };
    assert_eq!(steps.len(), 1, "{steps:?}");
    assert_eq!((steps[0].begin, steps[0].end), (6.0, 6.0));
    assert!((steps[0].before - 1000.0).abs() < 1e-6 && (steps[0].after - 3000.0).abs() < 1e-6);
}

#[test]
fn memory_that_does_not_move_is_constant() {
    let found = growth(&even(50), &[4096.0; 50]).expect("a series");
    assert_eq!(found.verdict, Verdict::Constant(Slope { estimate: 0.0, low: 0.0, high: 0.0 }));
    let nothing = growth(&even(50), &[0.0; 50]).expect("a series");
    assert!(matches!(nothing.verdict, Verdict::Constant(_)), "{nothing:?}");
}

#[test]
fn few_samples_say_nothing() {
    let found = growth(&even(19), &[1.0; 19]).expect("a series");
    assert_eq!(found.verdict, Verdict::Undecided(Reason::FewSamples { samples: 19 }));
    assert_eq!((found.peak, found.level), (1.0, 1.0));
}

#[test]
fn what_is_no_series_is_refused() {
    let refused = |times: &[f64], values: &[f64]| growth(times, values).expect_err("no series");
    assert_eq!(refused(&[], &[]), GrowthError::Empty);
    assert_eq!(refused(&[1.0], &[]), GrowthError::Lengths { times: 1, values: 0 });
    assert_eq!(refused(&[1.0, f64::NAN], &[1.0, 1.0]), GrowthError::NotFinite { index: 1 });
    assert_eq!(refused(&[1.0, 2.0], &[f64::INFINITY, 1.0]), GrowthError::NotFinite { index: 0 });
    assert_eq!(refused(&[1.0, 1.0], &[1.0, 1.0]), GrowthError::Order { index: 1 });
    assert_eq!(refused(&[1.0, 2.0], &[1.0, -1.0]), GrowthError::Negative { index: 1 });
}

/// Any amounts at any moments, many of them equal.
fn series() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let amount = prop_oneof![Just(0.0), (0..9_u32).prop_map(f64::from), 0.0..1e9_f64];
    vec((0.001..1.0_f64, amount), 1..150).prop_map(|pairs| {
        let mut time = 0.0;
        pairs
            .into_iter()
            .map(|(pause, value)| {
                time += pause;
                (time, value)
            })
            .unzip()
    })
}

fn kind(verdict: &Verdict) -> std::mem::Discriminant<Verdict> {
    std::mem::discriminant(verdict)
}

proptest! {
    #[test]
    fn every_series_has_a_verdict_within_its_own_bounds((times, values) in series()) {
        let found = growth(&times, &values).expect("a series");
        let most = values.iter().copied().fold(0.0, f64::max);
        prop_assert_eq!(found.peak, most);
        prop_assert!(found.level >= 0.0 && found.level <= most);
        prop_assert!(found.from >= times[0] && found.from <= times[times.len() - 1]);
        if let Some(slope) = slope_of(&found) {
            prop_assert!(slope.low <= slope.high);
        }
        if let Verdict::Proportional(slope) = found.verdict {
            prop_assert!(slope.low > 0.0 || slope.high < 0.0);
        }
        if let Verdict::Steps(steps) = &found.verdict {
            prop_assert!(!steps.is_empty());
            prop_assert!(steps.iter().all(|step| step.begin <= step.end));
        }
    }

    /// Powers of two, so that rounding has no effect.
    #[test]
    fn the_units_do_not_matter((times, values) in series(), bytes in -8..8_i32, seconds in -8..8_i32) {
        let (by, per) = (2.0_f64.powi(bytes), 2.0_f64.powi(seconds));
        let scaled = |all: &[f64], factor: f64| all.iter().map(|x| x * factor).collect::<Vec<_>>();
        let plain = growth(&times, &values).expect("a series");
        let other = growth(&scaled(&times, per), &scaled(&values, by)).expect("a series");
        prop_assert_eq!(kind(&plain.verdict), kind(&other.verdict));
        prop_assert_eq!(plain.level * by, other.level);
        if let (Some(a), Some(b)) = (slope_of(&plain), slope_of(&other)) {
            let near = |a: f64, b: f64| (a * by / per - b).abs() <= 1e-9 * b.abs().max(1e-300);
            prop_assert!(near(a.estimate, b.estimate) || (a.estimate * by / per - b.estimate).abs() <= 1e-9 * (b.high - b.low));
        }
    }
}

/// A run with this slope, or without a slope.
fn run(slope: Option<(f64, f64, f64)>) -> Growth {
    let even = |(low, estimate, high)| Verdict::Proportional(Slope { estimate, low, high });
    let verdict = slope.map_or(Verdict::Steps(Vec::new()), even);
    Growth { from: 0.0, level: 5.0, peak: 9.0, verdict }
}

#[test]
fn most_of_the_runs_decide_and_the_interval_covers_theirs() {
    let runs = [run(Some((1.0, 2.0, 3.0))), run(None), run(Some((2.5, 3.0, 3.5)))];
    let found = agreement(&runs).expect("three");
    assert_eq!((found.chosen, found.agree, found.is_decided), (2, 2, true));
    assert_eq!(found.slope, Some(Slope { estimate: 3.0, low: 1.0, high: 3.5 }));
}

#[test]
fn without_a_majority_nothing_is_decided() {
    let (rising, falling) = (run(Some((1.0, 2.0, 3.0))), run(Some((-3.0, -2.0, -1.0))));
    let found = agreement(&[rising.clone(), falling]).expect("two");
    assert_eq!((found.agree, found.is_decided, found.slope), (1, false, None));
    assert_eq!(agreement(&[]), None);
    assert_eq!(agreement(&[rising]).expect("one").agree, 1);
}
