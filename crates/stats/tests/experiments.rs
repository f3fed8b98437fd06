//! Experiments with time between them: known answers, properties, and refusals.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::unpaired::{ExperimentLevel, ExperimentsError, ratio_to_stored};

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("not a number: {cell}"))
}

fn sure(value: f64) -> ExperimentLevel {
    ExperimentLevel { value, relative_error: 0.0 }
}

#[test]
fn ratios_agree_with_closed_forms_of_students_distribution() {
    for line in include_str!("reference/experiments.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [new, new_error, stored, stored_error, further, alpha, ratio, low, high] = cells[..]
        else {
            panic!("{line}")
        };
        let level = |value: &str, error: &str| ExperimentLevel {
            value: number(value),
            relative_error: number(error),
        };
        let further: Vec<f64> = further.split(' ').map(number).collect();
        let (new, stored) = (level(new, new_error), level(stored, stored_error));
        let found = ratio_to_stored(new, stored, &further, number(alpha)).expect("a ratio");
        for (ours, theirs) in [(found.ratio, ratio), (found.low, low), (found.high, high)] {
            let theirs = number(theirs);
            // One minus a distribution function loses digits far out.
            assert!((ours - theirs).abs() <= 1e-8 * theirs, "{line}: {ours} and not {theirs}");
        }
        assert_eq!(found.rounds, further.len() + 1);
    }
}

#[test]
fn what_says_nothing_of_other_experiments_is_refused() {
    let refused = |new: ExperimentLevel, stored: ExperimentLevel, further: &[f64], alpha: f64| {
        ratio_to_stored(new, stored, further, alpha).expect_err("refused")
    };
    let one = sure(1.0);
    assert_eq!(refused(one, one, &[], 0.05), ExperimentsError::OnlyOne);
    assert_eq!(refused(sure(2.0), one, &[1.0, 1.0], 0.05), ExperimentsError::NoSpread);
    assert_eq!(refused(one, sure(1e9), &[1e9], 0.05), ExperimentsError::NoSpread);
    for bad in [0.0, -1.0, f64::INFINITY] {
        let expected = ExperimentsError::NotPositive(bad);
        assert_eq!(refused(sure(bad), one, &[2.0], 0.05), expected);
        assert_eq!(refused(one, sure(bad), &[2.0], 0.05), expected);
        assert_eq!(refused(one, one, &[2.0, bad], 0.05), expected);
    }
    for bad in [-0.1, f64::INFINITY] {
        let unsure = ExperimentLevel { value: 1.0, relative_error: bad };
        assert_eq!(refused(unsure, one, &[2.0], 0.05), ExperimentsError::NotAnError(bad));
        assert_eq!(refused(one, unsure, &[2.0], 0.05), ExperimentsError::NotAnError(bad));
    }
    assert_eq!(refused(one, one, &[2.0], 1.5), ExperimentsError::NoLevel(1.5));
}

proptest! {
    /// The unit does not matter; a larger error gives no narrower interval; and a value among the
    /// stored ones is never a change.
    #[test]
    fn units_errors_and_ranks_do_what_they_should(
        stored in 0.5_f64..2.0,
        further in vec(0.5_f64..2.0, 1..20),
        new in 0.4_f64..2.5,
        error in 0.0_f64..0.2,
        scale in 1e-9_f64..1e9,
        alpha in 0.0001_f64..0.5,
    ) {
        let found = ratio_to_stored(sure(new), sure(stored), &further, alpha);
        prop_assume!(found.is_ok());
        let found = found.expect("a ratio");
        let scaled: Vec<f64> = further.iter().map(|value| value * scale).collect();
        let other = ratio_to_stored(sure(new * scale), sure(stored * scale), &scaled, alpha);
        let other = other.expect("a ratio");
        prop_assert!((found.low.ln() - other.low.ln()).abs() < 1e-6);
        prop_assert!((found.high.ln() - other.high.ln()).abs() < 1e-6);
        let unsure = ExperimentLevel { value: new, relative_error: error };
        let unsure = ratio_to_stored(unsure, sure(stored), &further, alpha).expect("a ratio");
        prop_assert!(unsure.low <= found.low && unsure.high >= found.high);
        let all = || further.iter().chain([&stored]);
        let is_among = all().any(|v| *v <= new) && all().any(|v| *v >= new);
        prop_assert!(!(is_among && found.excludes_one()));
    }
}
