//! Change points: properties of all series, and refusals.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::change_points::{Findings, Options, SeriesError, change_points};

fn find(values: &[f64]) -> Findings {
    change_points(values, Options::default()).expect("finite values")
}

fn indices(found: &Findings) -> (Vec<usize>, Vec<(usize, usize)>) {
    (
        found.change_points.iter().map(|change| change.index).collect(),
        found.trends.iter().map(|trend| (trend.start, trend.end)).collect(),
    )
}

/// Levels with noise on them.
fn stepping() -> impl Strategy<Value = Vec<f64>> {
    vec((vec(-1.0..1.0, 1..40), -8.0..8.0), 1..6).prop_map(|segments| {
        let shifted = |(noise, level): (Vec<f64>, f64)| noise.into_iter().map(move |x| x + level);
        segments.into_iter().flat_map(shifted).collect()
    })
}

proptest! {
    #[test]
    fn a_power_of_two_as_unit_and_the_sign_change_no_index(values in stepping()) {
        let plain = indices(&find(&values));
        for factor in [0.25, 1024.0, -1.0] {
            let other: Vec<f64> = values.iter().map(|value| value * factor).collect();
            prop_assert_eq!(&indices(&find(&other)), &plain, "{}", factor);
        }
    }

    #[test]
    fn a_shift_changes_no_index(values in vec(-64_i32..64, 0..120), shift in -100_000_i32..100_000) {
        // Eighths, so that nothing is rounded.
        let moved = |by: i32| values.iter().map(|v| f64::from(v + by) / 8.0).collect::<Vec<f64>>();
        prop_assert_eq!(
            find(&moved(0)).change_points.len(),
            find(&moved(shift)).change_points.len()
        );
    }

    #[test]
    fn findings_are_in_order_and_within_the_series(values in vec(-1e9..1e9, 0..200)) {
        let found = find(&values);
        prop_assert!(found.change_points.windows(2).all(|pair| pair[0].index < pair[1].index));
        prop_assert!(found.trends.windows(2).all(|pair| pair[0].end <= pair[1].start));
        for change in &found.change_points {
            prop_assert!(0 < change.index && change.index < values.len());
            prop_assert!((0.0..=1.0).contains(&change.p_value));
        }
        for trend in &found.trends {
            prop_assert!(trend.start + 1 < trend.end && trend.end <= values.len());
        }
    }

    #[test]
    fn equal_values_never_change(value in -1e300..1e300, count in 0_usize..300) {
        prop_assert_eq!(find(&vec![value; count]), Findings::default());
    }
}

/// Small noise without repetition: fractional parts of the golden ratio's multiples, in [-0.5,
/// 0.5).
fn noise(i: usize) -> f64 {
    (i as f64 * 0.618_033_988_749_894_9).fract() - 0.5
}

#[test]
fn a_step_is_found_where_it_is_with_its_levels_from_either_end() {
    let values: Vec<f64> = (0..60).map(|i| if i < 25 { 100.0 } else { 90.0 } + noise(i)).collect();
    let reversed: Vec<f64> = values.iter().rev().copied().collect();
    let (found, back) = (find(&values), find(&reversed));
    assert_eq!(indices(&found), (vec![25], vec![]));
    assert_eq!(indices(&back), (vec![35], vec![]));
    let change = found.change_points[0];
    assert!((change.before - 100.0).abs() < 0.1 && (change.after - 90.0).abs() < 0.1, "{change:?}");
    let ratio = change.ratio.expect("positive levels");
    let (low, high) = ratio.interval.expect("far from zero");
    assert!(low < 0.9 && 0.9 < high && high - low < 0.02, "{ratio:?}");
    assert!(change.p_value < 1e-6, "{change:?}");
}

#[test]
fn exact_readings_that_step_are_found_and_a_spike_among_them_is_not() {
    let mut values = vec![1000.0; 30];
    values[20..].fill(1001.0);
    values[7] = 5000.0;
    assert_eq!(indices(&find(&values)).0, [20]);
}

#[test]
fn levels_at_or_below_zero_have_no_ratio() {
    let values: Vec<f64> = (0..40).map(|i| if i < 20 { -5.0 } else { 5.0 } + noise(i)).collect();
    let found = find(&values);
    assert_eq!(indices(&found).0, [20]);
    assert_eq!(found.change_points[0].ratio, None);
}

#[test]
fn nothing_is_said_of_a_handful_of_points() {
    assert_eq!(find(&[]), Findings::default());
    assert_eq!(find(&[1.0, 1.1, 1.0, 9.0, 9.1]), Findings::default());
}

#[test]
fn what_is_no_series_is_refused_with_the_reason() {
    let infinite = change_points(&[1.0, f64::INFINITY], Options::default());
    assert_eq!(infinite, Err(SeriesError::NotFinite { index: 1, value: f64::INFINITY }));
    let missing = change_points(&[f64::NAN], Options::default());
    assert!(matches!(missing, Err(SeriesError::NotFinite { index: 0, .. })));
    for alpha in [0.0, 1.0, f64::NAN] {
        let options = Options { alpha, ..Options::default() };
        assert!(matches!(change_points(&[1.0], options), Err(SeriesError::NoLevel(_))));
    }
}
