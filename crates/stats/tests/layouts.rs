//! Layouts of a program: known answers, and properties of all readings.

use proptest::prelude::*;
use stats::Estimator;
use stats::layouts::{LAST_LOOK, half_width_by_noise, noise_per_side, pairs, spread};
use stats::sequential::{Boundary, Spending, information, next_look};

#[test]
fn the_spread_between_layouts_agrees_with_another_analysis_of_variance() {
    let mut lines = 0;
    for line in include_str!("reference/layouts.csv").lines().skip(1) {
        let [layouts, values, rest @ ..] = &line.split(',').collect::<Vec<_>>()[..] else {
            panic!("six cells")
        };
        let layouts: usize = layouts.parse().expect("a number");
        let number = |cell: &&str| cell.parse::<f64>().expect("a number");
        let values: Vec<f64> = values.split(' ').map(|cell| number(&cell)).collect();
        let layout: Vec<usize> = (0..values.len()).map(|round| round % layouts).collect();
        let found = spread(&layout, &values, layouts).expect("there are enough");
        let expected: Vec<f64> = rest.iter().map(number).collect();
        for (found, expected) in [found.sd, found.low, found.high, found.noise].iter().zip(expected)
        {
            assert!((found - expected).abs() < 1e-8, "{layouts}: {found} is not {expected}");
        }
        lines += 1;
    }
    assert_eq!(lines, 4);
}

/// Twelve layouts that run eight times at most, looked at like every experiment.
#[test]
fn the_last_look_has_the_least_part_of_the_error() {
    let part = |comparisons: u32| {
        let alpha = 0.05 / f64::from(comparisons);
        let mut boundary = Boundary::new(alpha, Spending::Power(1.0));
        let (most, mut done, mut last) = (12 * 8, 0, alpha);
        while done < most {
            done = next_look(done, 12).min(most);
            let known = information(Estimator::RankScores, done);
            last = boundary.look(known, done as f64 / most as f64).nominal_alpha;
        }
        last / alpha
    };
    let parts = [1, 8, 23, 40, 100].map(part);
    let least = parts.into_iter().fold(1.0, f64::min);
    assert!((LAST_LOOK..1.1 * LAST_LOOK).contains(&least), "{parts:?}");
}

#[test]
fn each_layout_is_one_pair_of_lower_quartiles() {
    let layout = [0, 2, 0, 2, 0];
    let (baseline, candidate) =
        pairs(&layout, &[1.0, 5.0, 9.0, 7.0, 2.0], &[3.0, 4.0, 3.0, 4.0, 30.0], 3);
    assert_eq!(baseline, [1.5, 5.5]);
    assert_eq!(candidate, [3.0, 4.0]);
}

#[test]
fn few_layouts_and_single_readings_say_nothing_of_the_spread() {
    assert_eq!(spread(&[0, 1, 2, 3, 0, 1, 2, 3], &[1.0; 8], 4), None);
    assert_eq!(spread(&[0, 1, 2, 3, 4, 5], &[1.0; 6], 6), None);
    let same = spread(&[0, 1, 2, 3, 4, 0, 1, 2, 3, 4], &[2.0; 10], 5).expect("enough");
    assert_eq!((same.sd, same.low, same.high, same.noise), (0.0, 0.0, 0.0, 0.0));
    assert_eq!(same.layouts, 5);
}

#[test]
fn the_noise_of_a_comparison_has_a_share_of_each_side() {
    assert_eq!(noise_per_side(&[]), None);
    assert_eq!(noise_per_side(&[0.25]), Some(0.25));
    // 3, 4 and 5: the standard error of the ratio over 16 layouts is 0.05 / 4.
    let sides = noise_per_side(&[0.03, 0.04]).expect("two sides");
    assert!((half_width_by_noise(sides, 16) - 4.5 * 0.05 / 4.0).abs() < 1e-12);
}

proptest! {
    #[test]
    fn the_spread_does_not_depend_on_the_unit(values in prop::collection::vec(0.5..2.0f64, 12)) {
        let layout: Vec<usize> = (0..12).map(|round| round % 6).collect();
        let scaled: Vec<f64> = values.iter().map(|value| value * 1e-3).collect();
        let (one, other) = (spread(&layout, &values, 6), spread(&layout, &scaled, 6));
        let (one, other) = (one.expect("enough"), other.expect("enough"));
        // The subtracted numbers are of the size of the values' logarithms.
        prop_assert!((one.sd - other.sd).abs() < 1e-6 && (one.high - other.high).abs() < 1e-6);
        prop_assert!(one.low <= one.sd && one.sd <= one.high);
    }
}
