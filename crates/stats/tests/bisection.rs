//! Searches for the commit of a change: known answers, and properties of every search.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::bisection::{Asked, Price};
use stats::bisection::{Assessment, Levels, Place, Round, State, Step};

/// The rounds of `reference/bisection.py`.
fn rounds() -> Vec<Round> {
    let level = [0.0, 0.002, 0.031, 0.03];
    let reading = |r: usize, a: usize| {
        let spread = ((r * 7919 + a * 104_729 + r * a * 31) % 2003) as f64 - 1001.0;
        let disturbed = if (r, a) == (5, 3) { 0.5 } else { 0.0 };
        (a, 0.05 * (r as f64).sin() + level[a] + spread / 1001.0 * 0.05 + disturbed)
    };
    let round = |r: usize| {
        let also = [(1, !r.is_multiple_of(3)), (2, r >= 8)];
        let also = also.into_iter().filter(|(_, ran)| *ran).map(|(a, _)| a);
        let readings = [0, 3].into_iter().chain(also).map(|a| reading(r, a)).collect();
        Round { batch: r / 6, readings }
    };
    (0..12).map(round).collect()
}

/// Ten commits, of which `built` were built.
fn places(built: &[usize]) -> Vec<Place> {
    let mut places = vec![Place::Unbuilt; 10];
    built.iter().enumerate().for_each(|(artefact, &at)| places[at] = Place::Artefact(artefact));
    places
}

#[test]
fn levels_and_probabilities_agree_with_the_likelihood_maximised_and_integrated() {
    let levels = Levels::of_rounds(&rounds(), 0).expect("enough rounds");
    let known =
        Assessment::from_levels(&places(&[0, 3, 5, 9]), &levels).expect("both ends have levels");
    let mut seen = 0;
    for line in include_str!("reference/bisection.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number: usize = cells[1].parse().expect("a number");
        let wanted: f64 = cells[2].parse().expect("a number");
        let of = |artefact| levels.difference(0, artefact).expect("it ran");
        let (found, tolerance) = match cells[0] {
            "level" => (of(number).estimate, 1e-5),
            "error" => (of(number).error, 1e-4),
            _ => (known.mass[number], 1e-3),
        };
        assert!((found / wanted - 1.0).abs() < tolerance, "{line}: {found}");
        seen += 1;
    }
    assert_eq!(seen, 15);
}

/// Counts, each once, of the commits that were built; the artefact has the number of its commit.
fn counted(logs: &[(usize, f64)], commits: usize) -> (Vec<Place>, Levels) {
    let mut places = vec![Place::Unbuilt; commits];
    logs.iter().for_each(|(at, _)| places[*at] = Place::Artefact(*at));
    let counts: Vec<(usize, Vec<f64>)> = logs.iter().map(|(at, log)| (*at, vec![*log])).collect();
    (places, Levels::of_counts(&counts, 0).expect("the first was counted"))
}

const PRICE: Price = Price { build: 1.0, builds_at_once: 1, run: 0.01, rounds: 6, references: 2 };

fn next(places: &[Place], levels: &Levels) -> Step {
    State {
        places,
        levels: Some(levels),
        rounds_of_ends: 6,
        unconfirmed: 0,
        price: PRICE,
        margin: 0.01,
        alpha: 0.05,
    }
    .next()
}

#[test]
fn of_exact_counts_the_search_is_by_halves_and_ends_with_the_commit() {
    for culprit in 1..=30 {
        let level = |at: usize| if at >= culprit { 0.05 } else { 0.0 };
        let mut logs = vec![(0, level(0)), (30, level(30))];
        let mut probes = 0;
        loop {
            let (places, levels) = counted(&logs, 31);
            match next(&places, &levels) {
                Step::Probe { places, ends, .. } => {
                    assert_eq!((places.len(), ends), (1, (0, 30)), "builds are dear");
                    probes += 1;
                    logs.extend(places.iter().map(|&at| (at, level(at))));
                }
                Step::Confirm { near, far, alpha, .. } => {
                    assert_eq!((near, far, alpha), (culprit - 1, culprit, 0.025));
                    break;
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(probes <= 5, "{probes} probes for {culprit}");
    }
}

#[test]
fn what_does_not_build_is_stepped_around_and_stays_together() {
    let (mut places, levels) = counted(&[(0, 0.0), (1, 0.0), (4, 0.1), (8, 0.1)], 9);
    places[2] = Place::Unbuildable;
    let Step::Probe { places: probes, .. } = next(&places, &levels) else { panic!("a probe") };
    assert_eq!(probes, [3]);
    places[3] = Place::Unbuildable;
    let step = next(&places, &levels);
    assert!(matches!(step, Step::Confirm { near: 1, far: 4, .. }), "{step:?}");
    let known = Assessment::from_levels(&places, &levels).expect("it has levels");
    assert_eq!(known.credible(0.95), (2, 4));
}

#[test]
fn between_the_same_bytes_there_is_no_change() {
    let (mut places, levels) = counted(&[(0, 0.0), (6, 0.1)], 7);
    // Commit 5 has the artefact of commit 0: only the last commit is left.
    places[5] = Place::Artefact(0);
    let known = Assessment::from_levels(&places, &levels).expect("it has levels");
    assert_eq!(known.most_probable(), (5, 6, 1.0));
    places[6] = Place::Artefact(0);
    assert_eq!(Assessment::from_levels(&places, &levels), None, "nobody is left");
}

#[test]
fn of_several_changes_the_larger_part_is_searched() {
    // 40 % of the change comes with an earlier commit.
    let (places, levels) = counted(&[(0, 0.0), (5, 0.04), (10, 0.1)], 11);
    let known = Assessment::from_levels(&places, &levels).expect("it has levels");
    assert_eq!((known.near, known.far), (5, 10));
    assert!((known.between[0].share - 0.4).abs() < 1e-9);
    assert!(known.mass[..=5].iter().all(|&mass| mass == 0.0));
    // A slide has no culprit: the remaining change becomes less than the margin.
    let slide: Vec<(usize, f64)> = (0..=8).map(|at| (at, 0.002 * at as f64)).collect();
    let (places, levels) = counted(&slide, 9);
    let known = Assessment::from_levels(&places, &levels).expect("it has levels");
    assert!(known.change.estimate < 0.01 && !known.between.is_empty());
}

#[test]
fn the_ends_come_first_and_no_change_is_told() {
    let (places, levels) = counted(&[(0, 0.0), (9, 0.001)], 10);
    assert_eq!(next(&places, &levels), Step::NoChange);
    let run = |value: f64, r: usize| (r % 2, value + 0.02 * ((r * 7919) % 13) as f64 / 13.0);
    let noisy: Vec<Round> = (0..6)
        .map(|r| Round { batch: 0, readings: vec![run(0.0, 2 * r), run(0.005, 2 * r + 1)] })
        .collect();
    let levels = Levels::of_rounds(&noisy, 0).expect("six rounds");
    let mut places = vec![Place::Unbuilt; 10];
    (places[0], places[9]) = (Place::Artefact(0), Place::Artefact(1));
    assert!(matches!(next(&places, &levels), Step::Ends { rounds: 6.. }));
}

#[test]
fn a_change_that_seems_to_be_within_the_margin_is_confirmed_like_any_other() {
    let (places, levels) = counted(&[(0, 0.0), (1, 0.0), (2, 0.008), (3, 0.008)], 4);
    let state = State {
        places: &places,
        levels: Some(&levels),
        rounds_of_ends: 6,
        unconfirmed: 0,
        price: PRICE,
        margin: 0.01,
        alpha: 0.05,
    };
    assert!(matches!(state.confirm(1, 2), Step::Confirm { near: 1, far: 2, rounds: 14.., .. }));
}

#[test]
fn more_attempts_err_less_each_and_together_no_more_than_permitted() {
    let (places, levels) = counted(&[(0, 0.0), (1, 0.1)], 2);
    let spent: f64 = (0..50)
        .map(|unconfirmed| {
            let state = State {
                places: &places,
                levels: Some(&levels),
                rounds_of_ends: 6,
                unconfirmed,
                price: PRICE,
                margin: 0.01,
                alpha: 0.05,
            };
            state.confirming_alpha()
        })
        .sum();
    assert!(spent <= 0.05 && spent > 0.0499);
}

#[test]
fn where_builds_are_cheap_several_are_probed_at_once() {
    let (places, levels) = counted(&[(0, 0.0), (30, 0.05)], 31);
    let known = Assessment::from_levels(&places, &levels).expect("it has levels");
    let probes = |build: f64, builds_at_once: usize| {
        let price = Price { build, builds_at_once, ..PRICE };
        Asked { assessment: &known, noise: 0.01, price }.probes(&|_| false)
    };
    assert_eq!(probes(10.0, 1), [15]);
    assert_eq!(probes(10.0, 3).len(), 3);
    assert!(probes(0.0, 1).len() > 1);
}

fn tables() -> impl Strategy<Value = Vec<Vec<f64>>> {
    vec(vec(-0.1_f64..0.1, 4), 8..20)
}

fn of_table(table: &[Vec<f64>], shift: f64) -> Vec<Round> {
    let reading = |row: &Vec<f64>| (0..4).map(|a| (a, shift + row[a] + 0.05 * a as f64)).collect();
    (0..).zip(table).map(|(r, row)| Round { batch: r / 5, readings: reading(row) }).collect()
}

proptest! {
    /// The effect of a round on all of its runs does not matter.
    #[test]
    fn drift_falls_out(table in tables(), shifts in vec(-3.0_f64..3.0, 20)) {
        let plain = Levels::of_rounds(&of_table(&table, 0.0), 0).expect("enough");
        let mut rounds = of_table(&table, 0.0);
        for (round, shift) in rounds.iter_mut().zip(&shifts) {
            round.readings.iter_mut().for_each(|(_, value)| *value += shift);
        }
        let drifted = Levels::of_rounds(&rounds, 0).expect("enough");
        for artefact in 1..4 {
            let of = |levels: &Levels| levels.difference(0, artefact).expect("it ran");
            prop_assert!((of(&plain).estimate - of(&drifted).estimate).abs() < 1e-9);
            prop_assert!((of(&plain).error - of(&drifted).error).abs() < 1e-9);
        }
    }

    /// Probabilities add up and lie in the searched part, and there is always a next step.
    #[test]
    fn probabilities_are_probabilities(table in tables(), middle in 1_usize..4) {
        let levels = Levels::of_rounds(&of_table(&table, 0.0), 0).expect("enough");
        let places = places(&[0, middle, middle + 2, 9]);
        let known = Assessment::from_levels(&places, &levels).expect("all ran");
        prop_assert!((known.mass.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(known.mass.iter().all(|mass| (0.0..=1.0 + 1e-12).contains(mass)));
        prop_assert!(known.mass[..=known.near].iter().all(|mass| *mass == 0.0));
        let (first, last) = known.credible(0.95);
        prop_assert!(first > known.near && last <= known.far);
        prop_assert!(known.mass[first..=last].iter().sum::<f64>() >= 0.95 - 1e-9);
        prop_assert!(next(&places, &levels) != Step::Nowhere);
    }

    /// A single run that is far off hardly moves a level.
    #[test]
    fn a_disturbed_run_does_little(table in tables(), off in 1.0_f64..50.0) {
        let plain = Levels::of_rounds(&of_table(&table, 0.0), 0).expect("enough");
        let mut rounds = of_table(&table, 0.0);
        rounds[3].readings[2].1 += off;
        let disturbed = Levels::of_rounds(&rounds, 0).expect("enough");
        let of = |levels: &Levels| levels.difference(0, 2).expect("it ran").estimate;
        prop_assert!((of(&plain) - of(&disturbed)).abs() < 0.2, "of {off}");
    }
}
