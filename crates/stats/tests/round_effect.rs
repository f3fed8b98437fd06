//! The effect that rounds share: known answers, and properties of all tables.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::processes::RoundEffect;
use stats::processes::level;

/// The tables of `reference/round_effect.py`.
fn table(kind: &str) -> Vec<Vec<f64>> {
    let (benchmarks, rounds) = match kind {
        "quiet" => (3, 10),
        "two" => (2, 5),
        "wide" => (7, 20),
        _ => (4, 12),
    };
    let is_shared = matches!(kind, "shared" | "two");
    let value = |b: i64, r: i64| {
        let own = (b * b * 7919 + r * 104_729 + b * r * 31) % 2003 - 1001;
        let both = if is_shared { (r * r * 15_485_863 + 7) % 3001 - 1500 } else { 0 };
        ((b + 1) * 100_000 + (b + 1) * 5 * own + (b + 1) * 10 * both) as f64
    };
    (0..benchmarks).map(|b| (0..rounds).map(|r| value(b, r)).collect()).collect()
}

#[test]
fn the_variance_agrees_with_the_analysis_of_variance() {
    let mut seen = 0;
    for line in include_str!("reference/round_effect.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().expect("a number");
        let effect = RoundEffect::from_benchmarks(&table(cells[0])).expect("a whole table");
        let close = |found: f64, wanted: f64| (found / wanted - 1.0).abs() < 1e-9;
        assert!(close(effect.variance, number(1)), "{line}: {effect:?}");
        assert!(close(effect.between_experiments(), number(2)), "{line}: {effect:?}");
        seen += 1;
    }
    assert_eq!(seen, 4);
}

#[test]
fn what_is_no_table_has_no_effect() {
    let row = |value: f64| vec![value; 6];
    assert_eq!(RoundEffect::from_benchmarks(&[]), None);
    assert_eq!(
        RoundEffect::from_benchmarks(&[row(1.0)]),
        None,
        "one benchmark has nothing in common"
    );
    assert_eq!(RoundEffect::from_benchmarks(&[vec![1.0; 4], vec![1.0; 4]]), None, "four rounds");
    assert_eq!(RoundEffect::from_benchmarks(&[row(1.0), vec![1.0; 5]]), None, "a hole");
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(RoundEffect::from_benchmarks(&[row(1.0), row(bad)]), None, "{bad}");
    }
    let effect = RoundEffect::from_benchmarks(&[row(1.0), row(2.0)]).expect("a table");
    assert_eq!((effect.variance, effect.between_experiments()), (0.0, 0.0));
}

fn tables() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (2_usize..6, 5_usize..15)
        .prop_flat_map(|(benchmarks, rounds)| vec(vec(0.5_f64..2.0, rounds), benchmarks))
}

proptest! {
    /// The duration of a benchmark, and the order of the rounds, do not matter.
    #[test]
    fn scales_and_the_order_of_rounds_change_nothing(table in tables(), scale in 1e-9_f64..1e9) {
        let effect = RoundEffect::from_benchmarks(&table).expect("a table");
        let mut other = table.clone();
        other[0].iter_mut().for_each(|value| *value *= scale);
        other.iter_mut().for_each(|row| row.reverse());
        let same = RoundEffect::from_benchmarks(&other).expect("a table");
        prop_assert!((effect.variance - same.variance).abs() < 1e-9, "{effect:?} {same:?}");
    }

    /// In equal benchmarks all variation is shared.
    #[test]
    fn what_all_do_is_shared(row in vec(0.5_f64..2.0, 5..15), count in 2_usize..6) {
        let effect = RoundEffect::from_benchmarks(&vec![row.clone(); count]).expect("a table");
        let mean = row.iter().map(|value| value.ln()).sum::<f64>() / row.len() as f64;
        let squares: f64 = row.iter().map(|value| (value.ln() - mean).powi(2)).sum();
        prop_assert!((effect.variance - squares / (row.len() as f64 - 1.0)).abs() < 1e-9);
    }

    /// An interval for another experiment never gets narrower, and the rest stays.
    #[test]
    fn the_interval_for_another_experiment_only_widens(table in tables(), alpha in 0.001_f64..0.5) {
        let effect = RoundEffect::from_benchmarks(&table).expect("a table");
        for row in &table {
            let alone = level(row, alpha).expect("positive");
            let with = alone.with(&effect, alpha);
            prop_assert!(with.again_low <= alone.again_low * (1.0 + 1e-12));
            prop_assert!(with.again_high >= alone.again_high * (1.0 - 1e-12));
            prop_assert_eq!((with.estimate, with.low, with.high), (alone.estimate, alone.low, alone.high));
        }
    }
}
