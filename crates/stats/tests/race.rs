//! The points that a race drops: rules by example, properties, and refusals.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::race::{Dropped, Objective, Race, RaceError, hopeless};

/// Rows of the points' levels plus noise of 0 to 0.01, by round.
fn table(levels: &[f64], rounds: usize) -> Vec<Vec<f64>> {
    let noise = |point: usize, round: usize| ((point * 7 + round * 5) % 11) as f64 / 1000.0;
    let row = |point: usize| (0..rounds).map(|r| levels[point] + noise(point, r)).collect();
    (0..levels.len()).map(row).collect()
}

fn objective(logs: &[Vec<f64>]) -> Objective<'_> {
    Objective { logs, tolerance: 0.01 }
}

/// Twenty points, of which the first five take twice the time of the others.
fn twenty() -> Vec<Vec<f64>> {
    let levels: Vec<f64> = (0..20).map(|point| if point < 5 { 0.7 } else { 0.0 }).collect();
    table(&levels, 3)
}

fn points(dropped: &[Dropped]) -> Vec<usize> {
    dropped.iter().map(|dropped| dropped.point).collect()
}

const ALL: [usize; 20] = {
    let mut all = [0; 20];
    let mut point = 0;
    while point < 20 {
        all[point] = point;
        point += 1;
    }
    all
};

#[test]
fn points_that_take_twice_the_time_are_dropped_but_for_the_one_that_is_kept() {
    let logs = twenty();
    let dropped = hopeless(&[objective(&logs)], &ALL, None, 0.05).expect("a table");
    assert_eq!(points(&dropped), [0, 1, 2, 3, 4]);
    assert!(dropped.iter().all(|dropped| dropped.by >= 5));
    let dropped = hopeless(&[objective(&logs)], &ALL, Some(3), 0.05).expect("a table");
    assert_eq!(points(&dropped), [0, 1, 2, 4]);
    let active: Vec<usize> = (2..20).rev().collect();
    let dropped = hopeless(&[objective(&logs)], &active, None, 0.05).expect("a table");
    assert_eq!(points(&dropped), [4, 3, 2]);
}

#[test]
fn who_is_better_in_another_objective_has_hope() {
    let times = twenty();
    let levels: Vec<f64> = (0..20).map(|point| if point < 2 { -0.5 } else { 0.0 }).collect();
    let sizes = table(&levels, 3);
    // The first two need less memory. None of the others can be shown to need no more than the
    // rest, unless a few per cent do not matter.
    let both = |tolerance: f64| [&times, &sizes].map(|logs| Objective { logs, tolerance });
    let dropped = hopeless(&both(0.0), &ALL, None, 0.05).expect("tables");
    assert_eq!(points(&dropped), []);
    let dropped = hopeless(&both(0.05), &ALL, None, 0.05).expect("tables");
    assert_eq!(points(&dropped), [2, 3, 4]);
}

#[test]
fn readings_that_do_not_vary_are_compared_exactly() {
    let exact = |levels: &[f64]| levels.iter().map(|&level| vec![level; 2]).collect::<Vec<_>>();
    let logs = exact(&[0.0, 0.01, 0.0101, 0.0]);
    let dropped = hopeless(&[objective(&logs)], &[0, 1, 2, 3], None, 0.05).expect("a table");
    assert_eq!(dropped, [Dropped { point: 2, by: 0 }]);
}

#[test]
fn one_round_or_no_level_drops_nothing() {
    let logs = twenty();
    let first: Vec<Vec<f64>> = logs.iter().map(|row| row[..1].to_vec()).collect();
    assert_eq!(hopeless(&[objective(&first)], &ALL, None, 0.05), Ok(vec![]));
    assert_eq!(hopeless(&[objective(&logs)], &ALL, None, 0.0), Ok(vec![]));
    assert_eq!(hopeless(&[objective(&logs)], &[7], None, 0.05), Ok(vec![]));
    assert_eq!(hopeless(&[objective(&logs)], &[], None, 0.05), Ok(vec![]));
    assert_eq!(hopeless(&[], &ALL, None, 0.05), Ok(vec![]));
}

#[test]
fn one_slow_run_condemns_nobody() {
    let mut logs = table(&[0.0; 20], 3);
    logs[4][1] += 5.0;
    assert_eq!(hopeless(&[objective(&logs)], &ALL, None, 0.05), Ok(vec![]));
}

#[test]
fn a_missing_reading_is_no_reading() {
    let mut logs = twenty();
    logs[0][1] = f64::NAN;
    logs[1].truncate(2);
    logs[2] = vec![f64::NAN, f64::NAN, 0.7];
    logs[3].clear();
    let dropped = hopeless(&[objective(&logs)], &ALL, None, 0.05).expect("a table");
    assert_eq!(points(&dropped), [0, 1, 4]);
}

#[test]
fn the_looks_of_a_race_spend_its_error_and_no_more() {
    let mut race = Race::new(0.05).expect("a probability");
    let mut looks = Vec::new();
    let mut spent = 0.0;
    for _ in 0..10 {
        looks.push(race.next_look());
        spent += race.spend();
    }
    assert_eq!(looks, [2, 3, 4, 6, 8, 12, 16, 24, 32, 48]);
    assert!((spent - 0.05 * 10.0 / 11.0).abs() < 1e-12, "{spent}");
    let logs = twenty();
    let mut race = Race::new(0.05).expect("a probability");
    let dropped = race.look(&[objective(&logs)], &ALL, Some(0)).expect("a table");
    assert_eq!((points(&dropped), race.next_look()), (vec![1, 2, 3, 4], 3));
}

#[test]
fn what_is_no_table_no_tolerance_or_no_level_is_refused() {
    let logs = twenty();
    let no_point = RaceError::NoSuchPoint { point: 20, points: 20 };
    assert_eq!(hopeless(&[objective(&logs)], &[0, 20], None, 0.05), Err(no_point));
    let negative = Objective { logs: &logs, tolerance: -0.1 };
    assert_eq!(hopeless(&[negative], &ALL, None, 0.05), Err(RaceError::NoTolerance(-0.1)));
    assert_eq!(hopeless(&[objective(&logs)], &ALL, None, 1.5), Err(RaceError::NoLevel(1.5)));
    assert!(matches!(Race::new(-0.1), Err(RaceError::NoLevel(_))));
    let zero = vec![vec![0.0, f64::NEG_INFINITY]];
    let value = f64::NEG_INFINITY;
    let refused = Err(RaceError::NotFinite { point: 0, round: 1, value });
    assert_eq!(hopeless(&[objective(&zero)], &[0], None, 0.05), refused);
}

/// Tables of multiples of 2^-16, which are added and halved without rounding.
fn tables() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (2..12_usize, 2..7_usize)
        .prop_flat_map(|(points, rounds)| vec(vec(-1000..1000_i32, rounds), points))
        .prop_flat_map(|noise| {
            let points = noise.len();
            (Just(noise), vec(-48..48_i32, points))
        })
        .prop_map(|(noise, levels)| {
            let row = |(row, level): (&Vec<i32>, &i32)| {
                let reading = |noise: &i32| f64::from(level * 4096 + noise) / 65536.0;
                row.iter().map(reading).collect::<Vec<f64>>()
            };
            noise.iter().zip(&levels).map(row).collect()
        })
}

proptest! {
    #[test]
    fn whoever_is_dropped_is_dropped_by_one_that_stays(logs in tables(), kept in 0..2_usize) {
        let active: Vec<usize> = (0..logs.len()).collect();
        let dropped = hopeless(&[objective(&logs)], &active, Some(kept), 0.05).expect("a table");
        for one in &dropped {
            prop_assert!(one.point != kept);
            prop_assert!(!dropped.iter().any(|other| other.point == one.by), "{dropped:?}");
        }
    }

    #[test]
    fn the_smallest_in_every_round_stays(logs in tables()) {
        let active: Vec<usize> = (0..logs.len()).collect();
        let dropped = hopeless(&[objective(&logs)], &active, None, 0.05).expect("a table");
        let sum = |point: usize| logs[point].iter().sum::<f64>();
        let best = (0..logs.len()).min_by(|&a, &b| sum(a).total_cmp(&sum(b))).expect("points");
        let is_first = |r: usize| logs.iter().all(|row| logs[best][r] <= row[r]);
        if (0..logs[0].len()).all(is_first) {
            prop_assert!(!points(&dropped).contains(&best));
        }
    }

    #[test]
    fn a_drift_shared_by_a_round_makes_no_difference(
        logs in tables(), drift in vec(-3..3_i32, 7), unit in -3..3_i32,
    ) {
        let active: Vec<usize> = (0..logs.len()).collect();
        let moved: Vec<Vec<f64>> = logs
            .iter()
            .map(|row| row.iter().zip(&drift).map(|(v, d)| v + f64::from(d + unit)).collect())
            .collect();
        let before = hopeless(&[objective(&logs)], &active, None, 0.05).expect("a table");
        let after = hopeless(&[objective(&moved)], &active, None, 0.05).expect("a table");
        prop_assert_eq!(points(&before), points(&after));
    }
}
