//! Predictions for later rounds, and figures of few numbers: tables which scripts in `reference/`
//! compute by other means.

use stats::bisection::Difference;
use stats::detect::{Scatter, rounds_to_detect};
use stats::sequential::{
    foreseen_critical_z, spent_by_stage, spent_by_stage_of, spent_within_stage,
};
use stats::signed_rank::Shift;
use stats::unpaired::ExperimentLevel;
use stats::{Estimator, batches, describe, estimate, regimes, student};

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("not a number: {cell}"))
}

fn numbers(cell: &str) -> Vec<f64> {
    cell.split(' ').map(number).collect()
}

/// The function, its arguments and its values, of each line of a table.
fn lines(table: &str) -> impl Iterator<Item = (&str, Vec<Vec<f64>>, Vec<f64>)> {
    table.lines().skip(1).map(|line| {
        let [what, arguments, values] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("three cells: {line}")
        };
        (what, arguments.split(';').map(numbers).collect(), numbers(values))
    })
}

#[track_caller]
fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, about: &str) {
    assert_eq!(found.len(), expected.len(), "{about}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance * expected.abs(), "{about}: {found}");
    }
}

#[test]
fn what_is_foreseen_agrees_with_other_arithmetic() {
    for (what, arguments, values) in lines(include_str!("reference/outlook.csv")) {
        let cells: Vec<f64> = arguments.iter().map(|argument| argument[0]).collect();
        let of = |log_ratio, of_one_round| Scatter { log_ratio, of_one_round };
        let found = match (what, &cells[..]) {
            ("critical", &[alpha, clock]) => vec![foreseen_critical_z(alpha, clock)],
            ("scatter", _) => {
                let scatter = Scatter::of_pairs(&arguments[0], &arguments[1], Estimator::Median);
                let Scatter { log_ratio, of_one_round } = scatter.expect("two rounds or more");
                vec![log_ratio, of_one_round]
            }
            ("median", &[deviation, rounds]) => {
                vec![of(0.0, deviation).log_half_width_of_median(rounds as usize)]
            }
            ("estimate", &[ratio, deviation, rounds, critical_z]) => {
                let found = of(ratio.ln(), deviation).estimate(rounds as usize, critical_z);
                assert_eq!(found.rounds, rounds as usize);
                vec![found.ratio, found.low, found.high]
            }
            ("rounds", &[wanted, found, rounds]) => {
                vec![rounds_to_detect(wanted, found, rounds as u32).expect("few") as f64]
            }
            other => panic!("unknown line: {other:?}"),
        };
        assert_close(&found, &values, 1e-12, what);
    }
}

#[test]
fn figures_of_few_numbers_agree_with_other_arithmetic() {
    for (what, arguments, values) in lines(include_str!("reference/summaries.csv")) {
        let arguments = &arguments[0][..];
        // One minus a distribution function loses digits far out.
        let mut tolerance = 1e-12;
        let found = match (what, arguments) {
            ("geometric_mean", ratios) => {
                vec![estimate::geometric_mean(ratios.iter().copied()).expect("two or more")]
            }
            ("level_of_interval", &[value, low, high]) => {
                vec![ExperimentLevel::of_interval(value, low, high).relative_error]
            }
            ("level_of_runs", [value, runs @ ..]) => {
                let sd = describe::summarise(runs).and_then(|summary| summary.sd);
                let level = ExperimentLevel::of_runs(*value, sd.expect("several"), runs.len());
                assert_eq!(level.value, *value);
                vec![level.relative_error]
            }
            ("spreads", runs) => {
                let summary = describe::summarise(runs).expect("some");
                vec![summary.spread().expect("several"), summary.robust_spread()]
            }
            ("half_width", [alpha, runs @ ..]) => {
                tolerance = 1e-8;
                let sd = describe::summarise(runs).and_then(|summary| summary.sd);
                vec![student::half_width(sd.expect("several"), runs.len(), *alpha)]
            }
            ("difference", &[estimate, error, freedom]) => {
                tolerance = 1e-8;
                let (ratio, (low, high)) = Difference { estimate, error, freedom }.ratio(0.05);
                vec![ratio, low, high]
            }
            ("median_interval", [alpha, runs @ ..]) => {
                let ends = describe::median_interval(runs, *alpha);
                ends.map_or(Vec::new(), |(low, high)| vec![low, high])
            }
            ("stage", &[reserve, stage]) => {
                let stage = stage as u32;
                let within = spent_within_stage(reserve, stage, 0.5);
                let end = spent_by_stage(reserve, stage);
                assert_eq!(
                    spent_by_stage_of(reserve, within),
                    if reserve > 0.0 { end } else { 1.0 }
                );
                vec![end, within]
            }
            ("shift", &[reference, ratio, low, high]) => {
                let shift = Shift::of_ratio(reference, ratio, low, high).expect("sound");
                vec![shift.estimate, shift.low, shift.high]
            }
            ("batch_share", [deviation, rest @ ..]) => vec![batches::share(rest, *deviation)],
            ("batch_deviation", runs) => {
                vec![batches::deviation(runs.chunks(3).map(<[f64]>::to_vec))]
            }
            ("batch_level", [deviation, runs @ ..]) => {
                vec![batches::level(runs, *deviation).expect("some")]
            }
            other => panic!("unknown line: {other:?}"),
        };
        assert_close(&found, &values, tolerance, what);
    }
}

#[test]
fn what_has_no_ratio_has_no_part_in_a_geometric_mean() {
    let of = |ratios: &[f64]| estimate::geometric_mean(ratios.iter().copied());
    assert_eq!(of(&[4.0, 0.0, f64::INFINITY, f64::NAN, -1.0, 1.0]), Some(2.0));
    assert_eq!(of(&[4.0, 0.0]), None);
    assert_eq!(of(&[]), None);
}

#[test]
fn without_scatter_nothing_is_foreseen() {
    let of = |baseline: &[f64], candidate: &[f64]| {
        Scatter::of_pairs(baseline, candidate, Estimator::RankScores)
    };
    assert_eq!(of(&[1.0], &[2.0]), None);
    assert_eq!(of(&[1.0, 0.0], &[2.0, 1.0]), None);
    assert_eq!(foreseen_critical_z(0.05, 0.0), f64::INFINITY);
    assert_eq!(rounds_to_detect(0.01, f64::INFINITY, 10), None);
    // A change that is found at once still needs its one round.
    assert_eq!(rounds_to_detect(0.01, 0.0, 10), Some(1));
}

/// Regimes at 1 and 4 are ln 4 apart, so most of that is between 2 and 8, up or down.
#[test]
fn a_factor_is_most_of_a_distance_within_half_of_it() {
    for (factor, is_most) in [(2.1, true), (1.9, false), (7.9, true), (8.1, false), (0.25, true)] {
        assert_eq!(regimes::is_most_of(factor, 1.0, 4.0), is_most, "{factor}");
    }
}
