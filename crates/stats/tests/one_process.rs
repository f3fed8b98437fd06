//! Several processes against one: known answers, properties, and refusals.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::loops::Measurement;
use stats::processes::ProcessError;
use stats::unpaired::{OneProcessError, ratio_to_one, relative_error};

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("not a number: {cell}"))
}

#[test]
fn ratios_agree_with_closed_forms_of_students_distribution() {
    for line in include_str!("reference/one_process.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [processes, one, error, alpha, ratio, low, high] = cells[..] else { panic!("{line}") };
        let processes: Vec<f64> = processes.split(' ').map(number).collect();
        let found = ratio_to_one(&processes, number(one), number(error), number(alpha));
        let found = found.expect("a ratio");
        for (ours, theirs) in [(found.ratio, ratio), (found.low, low), (found.high, high)] {
            let theirs = number(theirs);
            // One minus a distribution function loses digits far out.
            assert!((ours - theirs).abs() <= 1e-8 * theirs, "{line}: {ours} and not {theirs}");
        }
    }
}

#[test]
fn the_error_of_one_process_is_that_of_its_ratio() {
    let of = |pairs: &[(u64, f64)]| {
        let one = |&(iterations, total): &(u64, f64)| Measurement { iterations, total };
        relative_error(&pairs.iter().map(one).collect::<Vec<_>>())
    };
    // Means of single iterations: 9, 10 and 11 have the deviation 1, their mean 1/√3, of 10.
    let single = of(&[(1, 9.0), (1, 10.0), (1, 11.0)]).expect("enough");
    assert!((single - 0.1 / 3.0_f64.sqrt()).abs() < 1e-15);
    // Two loops of 1 and 3 iterations in 5 and 15 agree.
    assert_eq!(of(&[(1, 5.0), (3, 15.0)]), Some(0.0));
    // 4 iterations in 20, residues -1 and 1: √(2 · 2) / 20.
    assert_eq!(of(&[(1, 4.0), (3, 16.0)]), Some(0.1));
    for none in [&[][..], &[(1, 1.0)], &[(0, 1.0), (1, 1.0)], &[(1, f64::NAN), (1, 1.0)]] {
        assert_eq!(of(none), None);
    }
}

#[test]
fn what_is_no_estimate_is_refused() {
    let refused = |processes: &[f64], one: f64, error: f64, alpha: f64| {
        ratio_to_one(processes, one, error, alpha).expect_err("refused")
    };
    let few = OneProcessError::Processes(ProcessError::TooFew(1));
    assert_eq!(refused(&[1.0], 1.0, 0.0, 0.05), few);
    for bad in [0.0, -1.0, f64::INFINITY] {
        assert_eq!(refused(&[1.0, 2.0], bad, 0.0, 0.05), OneProcessError::NotPositive(bad));
        let of_several = ProcessError::NotPositive { index: 1, value: bad };
        let of_several = OneProcessError::Processes(of_several);
        assert_eq!(refused(&[1.0, bad], 1.0, 0.0, 0.05), of_several);
    }
    assert!(matches!(refused(&[1.0, 2.0], f64::NAN, 0.0, 0.05), OneProcessError::NotPositive(_)));
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        let error = refused(&[1.0, 2.0], 1.0, bad, 0.05);
        assert!(matches!(error, OneProcessError::NotAnError(_)), "{error}");
    }
    let level = OneProcessError::Processes(ProcessError::NoLevel(1.5));
    assert_eq!(refused(&[1.0, 2.0], 1.0, 0.0, 1.5), level);
}

proptest! {
    /// The unit does not matter; a larger error gives no narrower interval; and a value among the
    /// several is never a change.
    #[test]
    fn units_errors_and_ranks_do_what_they_should(
        processes in vec(0.5_f64..2.0, 2..20),
        one in 0.4_f64..2.5,
        error in 0.0_f64..0.2,
        scale in 1e-9_f64..1e9,
        alpha in 0.0001_f64..0.5,
    ) {
        let found = ratio_to_one(&processes, one, 0.0, alpha).expect("a ratio");
        let scaled: Vec<f64> = processes.iter().map(|value| value * scale).collect();
        let other = ratio_to_one(&scaled, one * scale, 0.0, alpha).expect("a ratio");
        prop_assert!((found.low.ln() - other.low.ln()).abs() < 1e-9);
        prop_assert!((found.high.ln() - other.high.ln()).abs() < 1e-9);
        let unsure = ratio_to_one(&processes, one, error, alpha).expect("a ratio");
        prop_assert!(unsure.low <= found.low && unsure.high >= found.high);
        let is_among = processes.iter().any(|v| *v <= one) && processes.iter().any(|v| *v >= one);
        prop_assert!(!(is_among && found.excludes_one()));
    }
}
