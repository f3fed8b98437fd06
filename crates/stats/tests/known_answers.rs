//! Known answers: tables which scripts in `reference/` compute by other means.

use stats::sequential::{Boundary, Spending};
use stats::{Estimator, RatioEstimate, binomial, describe, normal, paired_ratio};
use stats::{difference, mann_whitney, rank_scores, regimes, signed_rank, student};

/// The cells of each line of a table below its header.
fn lines(table: &str, separator: char) -> impl Iterator<Item = Vec<&str>> {
    table.lines().skip(1).map(move |line| line.split(separator).collect())
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("not a number: {cell}"))
}

fn numbers(cell: &str, separator: char) -> Vec<f64> {
    cell.split(separator).map(number).collect()
}

#[track_caller]
fn assert_close(actual: f64, expected: f64, tolerance: f64, about: &str) {
    let close = (actual - expected).abs() <= tolerance * expected.abs().max(1e-300);
    assert!(close || actual == expected, "{about}: {actual} is not {expected}");
}

#[test]
fn distributions_agree_with_eighty_digit_arithmetic() {
    for cells in lines(include_str!("reference/distributions.csv"), ',') {
        let [what, a, b, value] = cells[..] else { panic!("four cells") };
        let about = format!("{what} {a} {b}");
        let value = number(value);
        match what {
            "normal_tail" => assert_close(normal::upper_tail(number(a)), value, 1e-13, &about),
            "normal_quantile" if a == "0.5" => assert_eq!(normal::quantile(0.5), 0.0),
            "normal_quantile" => assert_close(normal::quantile(number(a)), value, 1e-13, &about),
            "student_tail" => {
                assert_close(student::upper_tail(number(a), number(b)), value, 1e-11, &about);
                let back = student::two_sided(2.0 * value, number(b));
                assert_close(back, number(a), 1e-11, &about);
            }
            "binomial" => {
                let tail = binomial::at_most(number(a) as u64, number(b) as u64);
                assert_close(tail, value, 1e-8, &about);
            }
            other => panic!("unknown line: {other}"),
        }
    }
}

#[test]
fn rare_regimes_agree_with_exact_fractions() {
    for cells in lines(include_str!("reference/rare.csv"), '|') {
        let [about, values, count, rare, usual, p_value] = cells[..] else { panic!("six cells") };
        let regime = stats::regimes::rare_regime(&numbers(values, ' '), 0.05);
        if count == "none" {
            assert_eq!(regime, None, "{about}");
            continue;
        }
        let regime = regime.unwrap_or_else(|| panic!("{about}: no regime"));
        assert_close(regime.p_value, number(p_value), 1e-12, about);
        assert_eq!(regime.count.to_string(), count, "{about}");
        assert_close(regime.rare, number(rare), 1e-15, about);
        assert_close(regime.usual, number(usual), 1e-15, about);
    }
}

#[test]
fn the_signed_rank_distribution_is_exact_to_a_hundred_and_conservative_beyond() {
    for cells in lines(include_str!("reference/signed_rank.csv"), ',') {
        let [kind, n, argument, value] = cells[..] else { panic!("four cells") };
        let about = format!("{kind} {n} {argument}");
        let n: usize = n.parse().expect("a number of differences");
        if kind == "tail" {
            let tail = signed_rank::at_most(n, argument.parse().expect("a sum of ranks"));
            if n <= 100 {
                assert_close(tail, number(value), 1e-12, &about);
            } else {
                let slack = if number(value) < 0.1 { 0.0 } else { 1e-4 };
                assert!(tail >= number(value) * (1.0 - slack), "{about}: {tail} < {value}");
                assert!(tail - number(value) < 1e-3, "{about}: {tail} > {value}");
            }
            continue;
        }
        let rank = signed_rank::interval_rank(n, number(argument)).unwrap_or(0);
        let expected: u64 = value.parse().expect("a rank");
        if n <= 100 {
            assert_eq!(rank, expected, "{about}");
        } else {
            assert!(rank <= expected && rank * 100 >= expected * 93, "{about}: {rank}, {value}");
        }
    }
}

#[test]
fn sums_of_scores_are_as_likely_as_by_listing_and_intervals_end_where_brute_force_ends_them() {
    for cells in lines(include_str!("reference/rank_scores.csv"), '|') {
        if cells[0] == "tail" {
            let (total, exact, sizes) =
                (number(cells[1]), number(cells[2]), numbers(cells[3], ','));
            let about = format!("{} at {total}: {exact}", cells[3]);
            let tail = rank_scores::at_most(&sizes, total);
            if sizes.iter().filter(|s| **s > 0.0).count() <= 20 {
                assert_close(tail, exact, 1e-9, &about);
            } else {
                // Errs on the safe side, and requires at most half a sign more in the far tail.
                assert!(tail >= 0.99 * exact && tail <= 1.8 * exact, "{about}: {tail}");
            }
            continue;
        }
        let expected = numbers(cells[2], ',');
        let (baseline, candidate) = (numbers(cells[3], ','), numbers(cells[4], ','));
        let alpha = number(cells[1]);
        let found = paired_ratio(&baseline, &candidate, Estimator::RankScores, alpha);
        assert_scores(found.expect("positive"), &expected);
    }
}

/// Ends are found to 1/500 of their distance from the estimate, outwards.
fn assert_scores(found: RatioEstimate, expected: &[f64]) {
    let about = format!("{found:?} is not {expected:?}");
    let [ratio, low, high] = [expected[0].ln(), expected[1].ln(), expected[2].ln()];
    let width = if low.is_finite() { high - low } else { 0.05 };
    assert!((found.ratio.ln() - ratio).abs() <= 2e-3 * width, "{about}");
    let (centre, innermost) = (found.ratio.ln(), [expected[3].ln(), expected[4].ln()]);
    let outward = |found: f64, inner: f64, outer: f64| {
        found == outer
            || (found >= inner - 1e-12 && found <= outer + 2.5e-3 * (outer + 1e-2 * width).abs())
    };
    assert!(outward(found.high.ln() - centre, innermost[1] - centre, high - centre), "{about}");
    assert!(outward(centre - found.low.ln(), centre - innermost[0], centre - low), "{about}");
}

fn assert_estimate(actual: RatioEstimate, expected: &[f64], tolerance: f64, about: &str) {
    assert_close(actual.ratio, expected[0], tolerance, about);
    assert_close(actual.low, expected[1], tolerance, about);
    assert_close(actual.high, expected[2], tolerance, about);
}

#[test]
fn estimates_agree_with_brute_force() {
    for cells in lines(include_str!("reference/estimators.csv"), '|') {
        let (kind, alpha) = cells[0].split_once(',').expect("a kind and a level");
        let expected = numbers(cells[1], ',');
        let (first, second) = (numbers(cells[2], ','), numbers(cells[3], ','));
        let about = format!("{kind} {alpha} n = {}", first.len());
        let ratio = |estimator| {
            paired_ratio(&first, &second, estimator, number(alpha)).expect("positive readings")
        };
        match kind {
            "pseudo_median" => {
                assert_estimate(ratio(Estimator::PseudoMedian), &expected, 1e-13, &about);
            }
            "median" => assert_estimate(ratio(Estimator::Median), &expected, 1e-13, &about),
            "mean" => assert_estimate(ratio(Estimator::Mean), &expected, 1e-10, &about),
            "min" => assert_estimate(ratio(Estimator::Min), &expected, 1e-13, &about),
            "difference" => {
                let estimate = difference::paired_difference(&first, &second, number(alpha));
                let estimate = estimate.expect("amounts").ratio;
                assert_estimate(estimate, &expected, 1e-13, &about);
            }
            "from_or_to_zero" => {
                let effect = difference::paired_difference(&first, &second, number(alpha));
                let shift = effect.expect("amounts").difference.expect("a median is 0");
                for (found, expected) in
                    [shift.estimate, shift.low, shift.high].iter().zip(&expected)
                {
                    assert_close(*found, *expected, 1e-13, &about);
                }
            }
            "rank_sum" => {
                let found = mann_whitney::difference(&first, &second).expect("two groups");
                assert_close(found.shift, expected[0], 1e-13, &about);
                assert_close(found.p_value, expected[1], 1e-13, &about);
                let auc = regimes::separation(&first, &second).expect("two groups");
                assert_close(auc, expected[2], 1e-13, &about);
            }
            "welch" => {
                let p = student::welch_p(&first, &second).expect("both vary");
                assert_close(p, expected[0], 1e-9, &about);
            }
            "summary" => assert_summary(&first, &expected, &second),
            other => panic!("unknown line: {other}"),
        }
    }
}

fn assert_summary(values: &[f64], expected: &[f64], interval: &[f64]) {
    let summary = describe::summarise(values).expect("finite readings");
    assert_close(summary.mean, expected[0], 1e-13, "mean");
    assert_close(summary.sd.expect("two readings"), expected[1], 1e-12, "sd");
    assert_close(summary.median, expected[2], 1e-13, "median");
    assert_close(summary.q1, expected[3], 1e-12, "q1");
    assert_close(summary.q3, expected[4], 1e-12, "q3");
    assert_eq!(summary.mild_outliers as f64, expected[5]);
    assert_eq!(summary.severe_outliers as f64, expected[6]);
    match summary.median_interval {
        Some((low, high)) => assert_eq!([low, high], interval),
        None => assert!(interval[0].is_infinite(), "{} readings", values.len()),
    }
}

#[test]
fn boundaries_agree_with_another_quadrature_and_with_lan_and_demets() {
    for cells in lines(include_str!("reference/boundaries.csv"), ',') {
        let [spending, parameter, alpha, information, critical] = cells[..] else {
            panic!("five cells")
        };
        let spending = match spending {
            "obrien_fleming" => Spending::ObrienFleming,
            "pocock" => Spending::Pocock,
            _ => Spending::Power(number(parameter)),
        };
        let information = numbers(information, ' ');
        let last = information[information.len() - 1];
        let mut boundary = Boundary::new(number(alpha), spending);
        for (i, z) in information.iter().zip(numbers(critical, ' ')) {
            let look = boundary.look(*i, i / last);
            assert_close(look.critical_z, z, 1e-6, &format!("{cells:?} at {i}"));
            assert_close(normal::two_sided(look.nominal_alpha), look.critical_z, 1e-9, "level");
        }
    }
    let published = [4.8769, 3.3569, 2.6803, 2.2898, 2.0310];
    let mut boundary = Boundary::new(0.05, Spending::ObrienFleming);
    for (k, z) in (1_u32..).zip(published) {
        let look = boundary.look(f64::from(k), f64::from(k) / 5.0);
        assert!((look.critical_z - z).abs() < 1.5e-4, "look {k}: {}", look.critical_z);
    }
}

#[test]
fn dips_agree_with_their_definition() {
    for cells in lines(include_str!("reference/dip.csv"), '|') {
        let mut values = numbers(cells[1], ',');
        values.sort_by(f64::total_cmp);
        assert_close(regimes::dip(&values), number(cells[0]), 1e-11, cells[1]);
    }
}

#[test]
fn dip_p_values_are_those_of_the_simulated_table() {
    let table = include_str!("reference/dip_quantiles.csv");
    let header: Vec<&str> = table.lines().next().expect("a header").split(',').collect();
    for cells in lines(table, ',') {
        let n: usize = cells[0].parse().expect("a number of readings");
        for (level, quantile) in header.iter().zip(&cells).skip(1) {
            let tied = cells[1..].iter().filter(|cell| cell == &quantile).count() > 1;
            let dip = number(quantile) / (n as f64).sqrt();
            let p = regimes::dip_p_value(n, dip);
            let close = (p - (1.0 - number(level))).abs() < 1e-9;
            assert!(close || tied, "n = {n}, level {level}: {p}");
        }
    }
}

/// By hand, type 7 of Hyndman and Fan: the position is `p * (n - 1)`, interpolated between
/// neighbours.
#[test]
fn quantiles_of_a_few_values() {
    let found = describe::quantiles(&[4.0, 1.0, 3.0, 2.0], &[0.0, 0.05, 0.25, 0.75, 0.95, 1.0]);
    for (found, expected) in found.iter().zip([1.0, 1.15, 1.75, 3.25, 3.85, 4.0]) {
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    }
    assert_eq!(found.len(), 6);
    assert_eq!(describe::quantiles(&[], &[0.5]), [0.0; 0]);
}

#[test]
fn four_times_the_rounds_see_half_the_change() {
    let after = stats::detect::change_after;
    assert!((after(0.04, 4.0) - 0.02).abs() < 1e-15 && (after(0.02, 0.25) - 0.04).abs() < 1e-15);
}
