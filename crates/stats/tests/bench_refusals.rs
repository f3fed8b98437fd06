//! In-process benchmarks: the refusals, with their messages.

use stats::carry_over::{CarryOverError, Process, Ran, carry_over};
use stats::loops::{Intercept, LoopError, Measurement, robust};
use stats::mann_whitney;
use stats::parts::{Claim, Part, PartsError, Precision, parts_against_whole};
use stats::processes::{ProcessError, level};
use stats::regimes::{companions, regimes};

fn measurement(iterations: u64, total: f64) -> Measurement {
    Measurement { iterations, total }
}

#[test]
fn measurements_that_are_none_have_no_line() {
    assert_eq!(robust(&[], Intercept::Zero), Err(LoopError::Empty));
    let none = [measurement(1, 1.0), measurement(0, 1.0)];
    assert_eq!(robust(&none, Intercept::Zero), Err(LoopError::NoIterations { index: 1 }));
    for total in [-1.0, f64::NAN, f64::INFINITY] {
        let refused = robust(&[measurement(1, total)], Intercept::Zero);
        assert!(matches!(refused, Err(LoopError::NotAnAmount { index: 0, .. })), "{total}");
    }
    let equal = [measurement(5, 1.0), measurement(5, 2.0)];
    assert_eq!(robust(&equal, Intercept::Fitted), Err(LoopError::OneLength(5)));
    assert!(robust(&equal, Intercept::Zero).is_ok());
    let message = LoopError::NotAnAmount { index: 3, total: -1.0 }.to_string();
    assert_eq!(message, "measurement 3 is -1, not an amount");
}

#[test]
fn no_faults_in_any_loop_are_none_per_iteration() {
    let none = [measurement(1, 0.0), measurement(10, 0.0)];
    let line = robust(&none, Intercept::Fitted).expect("zero is an amount");
    assert_eq!((line.per_iteration, line.overhead), (0.0, 0.0));
}

#[test]
fn processes_without_positive_estimates_have_no_level() {
    assert_eq!(level(&[], 0.05), Err(ProcessError::TooFew(0)));
    assert_eq!(level(&[1.0], 0.05), Err(ProcessError::TooFew(1)));
    let zero = ProcessError::NotPositive { index: 1, value: 0.0 };
    assert_eq!(level(&[1.0, 0.0], 0.05), Err(zero));
    assert!(matches!(level(&[f64::NAN, 1.0], 0.05), Err(ProcessError::NotPositive { .. })));
    assert_eq!(level(&[1.0, 1.0], 1.5), Err(ProcessError::NoLevel(1.5)));
    let certain = level(&[1.0, 2.0], 0.0).expect("no error allowed");
    assert_eq!((certain.low, certain.high), (0.0, f64::INFINITY));
    let equal = level(&[2.0; 8], 0.05).expect("eight processes");
    assert!((equal.again_low - 2.0).abs() < 1e-12 && (equal.again_high - 2.0).abs() < 1e-12);
}

fn process(round: usize, ran: &[(usize, f64)]) -> Process {
    let one = |&(benchmark, per_iteration): &(usize, f64)| Ran { benchmark, per_iteration };
    Process { round, ran: ran.iter().map(one).collect() }
}

#[test]
fn suites_that_cannot_be_judged_are_refused() {
    assert_eq!(carry_over(&[], 0.05), Err(CarryOverError::OneArrangement));
    let alone: Vec<Process> = (0..10).map(|round| process(round, &[(0, 1.0)])).collect();
    assert_eq!(carry_over(&alone, 0.05), Err(CarryOverError::OneArrangement));
    let nothing = [process(0, &[])];
    assert_eq!(carry_over(&nothing, 0.05), Err(CarryOverError::Nothing { process: 0 }));
    let twice = [process(0, &[(7, 1.0), (7, 1.0)])];
    let expected = CarryOverError::Twice { process: 0, benchmark: 7 };
    assert_eq!(carry_over(&twice, 0.05), Err(expected));
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = carry_over(&[process(0, &[(2, value)])], 0.05);
        assert!(
            matches!(refused, Err(CarryOverError::NotPositive { process: 0, benchmark: 2, .. })),
            "{value}"
        );
    }
    assert_eq!(carry_over(&alone, f64::NAN).map_err(|e| e.to_string().len() > 10), Err(true));
}

#[test]
fn a_benchmark_missing_from_some_processes_is_judged_on_the_others() {
    // A harness that died half way: the second benchmark is missing in the last rounds.
    let mut processes = Vec::new();
    for round in 0..12 {
        let noise = |k: usize| 1.0 + 0.001 * ((round * 7 + k * 13) % 11) as f64;
        processes.push(process(round, &[(0, noise(0))]));
        processes.push(process(round, &[(0, noise(1)), (1, 2.0 * noise(2))]));
        if round < 9 {
            processes.push(process(round, &[(1, noise(3)), (0, noise(4))]));
            processes.push(process(round, &[(1, noise(5))]));
        }
    }
    let found = carry_over(&processes, 0.05).expect("a valid suite");
    let of: Vec<usize> = found.iter().map(|one| one.benchmark).collect();
    assert_eq!(of, [1], "{found:?}");
    assert!(found[0].low < 2.0 && 2.0 < found[0].high, "{found:?}");
    assert!(!found[0].or_else.is_empty(), "with two benchmarks, first is the same as not after");
}

#[test]
fn no_error_allowed_finds_nothing() {
    let suite = |round: usize| {
        [
            process(round, &[(0, 1.0)]),
            process(round, &[(0, 1.0), (1, 1.0)]),
            process(round, &[(1, 9.0), (0, 5.0)]),
            process(round, &[(1, 9.0)]),
        ]
    };
    let processes: Vec<Process> = (0..10).flat_map(suite).collect();
    assert_eq!(carry_over(&processes, 0.0), Ok(Vec::new()));
    assert!(!carry_over(&processes, 0.05).expect("a valid suite").is_empty());
}

#[test]
fn groups_and_regimes_need_values() {
    assert_eq!(mann_whitney::area(&[], &[1.0]), None);
    assert_eq!(mann_whitney::area(&[1.0], &[f64::NAN]), None);
    assert_eq!(regimes(&[]), None);
    assert_eq!(regimes(&[f64::NAN; 20]), None);
    assert_eq!(companions(&[true, false], &[vec![Some(1.0)], vec![Some(1.0), None]]), []);
}

#[test]
fn parts_that_are_no_parts_are_refused() {
    let precision = Precision { alpha: 0.05, margin: 0.05 };
    let judge = |whole: &[f64], parts: &[Part]| {
        parts_against_whole(whole, parts, Claim::Sum, precision).expect_err("refused")
    };
    let part = |times: f64, estimates: &[f64]| Part { times, estimates: estimates.to_vec() };
    let two = [1.0, 1.0];
    assert_eq!(judge(&two, &[]), PartsError::NoParts);
    assert_eq!(judge(&[1.0], &[part(1.0, &[1.0])]), PartsError::TooFewRounds(1));
    let zero = PartsError::NotANumberOfTimes { part: 0, times: 0.0 };
    assert_eq!(judge(&two, &[part(0.0, &two)]), zero);
    let fewer = PartsError::UnequalRounds { part: 1, rounds: 1, whole: 2 };
    assert_eq!(judge(&two, &[part(1.0, &two), part(1.0, &[1.0])]), fewer);
    let negative = PartsError::NotPositive { round: 1, value: -1.0 };
    assert_eq!(judge(&two, &[part(1.0, &[1.0, -1.0])]), negative);
    assert_eq!(judge(&[1.0, -1.0], &[part(1.0, &two)]), negative);
    let wide = Precision { alpha: 0.05, margin: 1.0 };
    let refused = parts_against_whole(&two, &[part(1.0, &two)], Claim::Sum, wide);
    assert_eq!(refused, Err(PartsError::NoLevel { alpha: 0.05, margin: 1.0 }));
}
