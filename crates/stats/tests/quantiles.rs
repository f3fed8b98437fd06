//! Quantiles: known answers, and properties of all readings.

use proptest::prelude::*;
use stats::quantile::Quantile;
use stats::{Estimator, paired_ratio};

fn quantile(thousandths: u32) -> Quantile {
    Quantile::new(thousandths).expect("between 0 and 100 %")
}

fn numbers(cell: &str) -> Vec<f64> {
    cell.split(' ').map(|cell| cell.parse().expect("a number")).collect()
}

#[test]
fn ranks_and_ratios_agree_with_sums_of_exact_fractions() {
    let (mut ranks, mut ratios, mut least) = (0, 0, 0);
    for line in include_str!("reference/quantiles.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [what, which, alpha, n, a, b, c] = cells[..] else { panic!("seven cells") };
        let which = quantile(which.parse().expect("a quantile"));
        let alpha: f64 = alpha.parse().expect("a level");
        let n: u32 = n.parse().expect("a number of values");
        match what {
            "least" => {
                assert_eq!(which.least_values(alpha), Some(a.parse().expect("a count")), "{line}");
                least += 1;
            }
            "ranks" => {
                let values: Vec<f64> = (1..=n).map(f64::from).collect();
                let (low, high) = which.interval(&values, alpha);
                let found = [low, high].map(|end| end.unwrap_or(0.0));
                assert_eq!(
                    found,
                    [a, b].map(|rank| rank.parse::<f64>().expect("a rank")),
                    "{line}"
                );
                ranks += 1;
            }
            "ratio" => {
                let (baseline, candidate) = (numbers(b), numbers(c));
                let found = paired_ratio(&baseline, &candidate, Estimator::Quantile(which), alpha);
                let found = found.expect("positive");
                for (found, expected) in [found.ratio, found.low, found.high].iter().zip(numbers(a))
                {
                    assert!((found - expected).abs() < 1e-9, "{n}: {found} is not {expected}");
                }
                ratios += 1;
            }
            other => panic!("unknown line: {other}"),
        }
    }
    assert_eq!((ranks, ratios, least), (40, 6, 11));
}

#[test]
fn a_quantile_lies_between_the_least_and_the_most() {
    assert_eq!(Quantile::new(0), None);
    assert_eq!(Quantile::new(100_000), None);
    assert_eq!(quantile(99_000).estimate(&[]), None);
    assert_eq!(quantile(99_000).interval(&[], 0.05), (None, None));
    assert_eq!(quantile(99_000).least_values(0.0), None);
    // Of 100 values the 99th percentile has a lower end, and no upper one.
    let values: Vec<f64> = (1..=100).map(f64::from).collect();
    let (low, high) = quantile(99_000).interval(&values, 0.05);
    assert!(low.is_some_and(|low| low < 99.0) && high.is_none(), "{low:?}");
    // The larger of two values is below the 99.75th percentile more than 99 times in 100; so is
    // everything between the two.
    let far = quantile(99_750);
    assert_eq!(far.interval(&[1.0, 2.0], 0.01), (far.estimate(&[1.0, 2.0]), None));
}

fn readings() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0.1..10.0, 1..120)
}

proptest! {
    #[test]
    fn the_interval_holds_the_quantile_and_narrows_with_the_level(
        values in readings(),
        which in 1..100_000_u32,
    ) {
        let which = quantile(which);
        let at = which.estimate(&values).expect("there are values");
        let ends = |alpha: f64| {
            let (low, high) = which.interval(&values, alpha);
            (low.unwrap_or(0.0), high.unwrap_or(f64::INFINITY))
        };
        let (wide, narrow) = (ends(0.01), ends(0.1));
        prop_assert!(wide.0 <= narrow.0 && narrow.1 <= wide.1);
        prop_assert!(wide.0 <= at && at <= wide.1, "{at}, {wide:?}");
        prop_assert_eq!(
            which.has_interval(values.len(), 0.1),
            narrow.0 > 0.0 && narrow.1.is_finite()
        );
    }

    #[test]
    fn swapping_the_samples_inverts_the_ratio_and_mirrors_the_interval(
        pairs in prop::collection::vec((0.1..10.0, 0.1..10.0), 1..120),
        which in 1..100_000_u32,
    ) {
        let (b, c): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let ratio = |b: &[f64], c: &[f64]| {
            paired_ratio(b, c, Estimator::Quantile(quantile(which)), 0.1).expect("positive")
        };
        let (there, back) = (ratio(&b, &c), ratio(&c, &b));
        let is_close = |one: f64, other: f64| one == other || (one - other).abs() <= 1e-10 * other;
        prop_assert!(is_close(there.ratio, 1.0 / back.ratio));
        prop_assert!(is_close(there.low, 1.0 / back.high) && is_close(there.high, 1.0 / back.low));
        prop_assert!(there.low <= there.ratio && there.ratio <= there.high);
    }
}
