use std::borrow::Cow;

use measure::Outcome;

use super::*;
use model::metric::{ITERATIONS, Missing, Readings, Value};
use model::run::RunPlace;

/// Two programs with the benchmarks 0 and 1, each alone (variants 0 to 3) and together (4 to 7).
fn seats() -> Vec<Seat> {
    let of = |number: usize| Seat { program: number / 2 % 2, benchmark: number % 2 };
    (0..8).map(of).collect()
}

fn run(place: RunPlace, started_unix_ns: u64, readings: Vec<(MetricId, Value)>) -> Run {
    Run {
        place,
        started_unix_ns,
        outcome: Outcome::Exited(0),
        readings: readings.into_iter().collect::<Readings>(),
        left_behind: 0,
        stderr_tail: None,
    }
}

/// A small difference between processes, the same in every test: 0 to 1 %.
fn jitter(number: u32) -> f64 {
    f64::from(number * 37 % 101) * 1e-4
}

/// Twelve rounds in which benchmark 1 of the second program takes `behind` times as long after
/// benchmark 0, and has `faults` page faults there.
fn rounds(orders: &mut Orders, behind: f64, faults: f64) {
    for round in 0..12 {
        for variant in 0..8_u32 {
            let seat = seats()[variant as usize];
            let is_behind = variant >= 4 && seat == Seat { program: 1, benchmark: 1 };
            let base = 1e-5 * (1.0 + jitter(round * 8 + variant));
            let [seconds, faults] = if is_behind { [base * behind, faults] } else { [base, 0.0] };
            let started =
                u64::from(round * 100 + if variant < 4 { variant } else { variant / 2 + 50 });
            let place =
                RunPlace { source: Source::Run, warmup: false, round, position: variant, variant };
            let readings =
                vec![(TIME_PER_ITERATION, Ok(seconds)), (FAULTS_PER_ITERATION, Ok(faults))];
            orders.take(&run(place, started, readings));
        }
    }
}

#[test]
fn a_dependence_is_found_in_the_program_that_has_it() {
    let mut orders = Orders::new(seats());
    rounds(&mut orders, 1.5, 32.0);
    let found = orders.findings(0.95).dependences;
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((only.program, only.benchmark), (1, 1));
    // With two benchmarks these are the same.
    assert!(only.or_else.contains(&Cause::After(0)) || only.cause == Cause::After(0));
    assert!(only.low > 1.48 && only.high < 1.52, "{only:?}");
    assert!((only.with / only.without - 1.5).abs() < 0.02, "{only:?}");
    let named: Vec<&MetricId> = only.companions.iter().map(|one| &one.metric).collect();
    assert_eq!(named, [&FAULTS_PER_ITERATION]);
    let regimes = orders.findings(0.95).regimes;
    let [regimes] = regimes.as_slice() else { panic!("{regimes:?}") };
    assert!(regimes.is_explained_by(only), "{regimes:?}");
    assert!((regimes.slow_share - 0.5).abs() < 1e-9);
}

#[test]
fn what_cannot_be_why_is_not_named() {
    // A tenth of a fault is not a significant part of 5 µs.
    let mut orders = Orders::new(seats());
    rounds(&mut orders, 1.5, 0.1);
    assert_eq!(orders.findings(0.95).dependences[0].companions, []);
    // Nor do more faults explain a faster time.
    let mut orders = Orders::new(seats());
    rounds(&mut orders, 0.5, 32.0);
    assert_eq!(orders.findings(0.95).dependences[0].companions, []);
}

#[test]
fn what_a_process_uses_by_starting_is_not_why_others_are_faster() {
    let faster =
        Scale { seconds: [2e-6, 1e-6], iterations: Some(100.0), by_starting: [600.0, 1e-3] };
    let named = |more: f64, scale: &Scale| {
        let area = stats::roc::Area { area: 1.0, p_value: 1e-6 };
        let one = stats::regimes::Companion { reading: 0, area, in_low: 9.0, in_high: 9.0 + more };
        finding::named(&[one], &COMPANIONS, scale).len()
    };
    // 5 less in each of a hundred iterations may be due to the start, 7 may not.
    assert_eq!([-5.0, -7.0].map(|more| named(more, &faster)), [0, 1]);
    assert_eq!(named(-5.0, &Scale { iterations: None, ..faster }), 1);
    let slower = Scale { seconds: [1e-6, 2e-6], ..faster };
    assert_eq!([5.0, -7.0].map(|more| named(more, &slower)), [1, 0]);
}

#[test]
fn what_waiting_for_a_processor_explains_is_left_out() {
    // With many benchmarks a process waits for a quarter of its time, alone for a tenth.
    let waiting = |behind: f64| {
        let mut orders = Orders::new(seats());
        rounds(&mut orders, behind, 0.0);
        for readings in orders.processes.values_mut() {
            let share = if readings.len() > 1 { 0.25 } else { 0.1 };
            readings.iter_mut().for_each(|reading| reading.wait_share = Some(share));
        }
        orders
    };
    // Twice a quarter is a half, and a process that waits for half of the time takes twice as long.
    let orders = waiting(1.5);
    let Findings { dependences: found, regimes, waits } = orders.findings(0.95);
    assert_eq!((found, regimes), (Vec::new(), Vec::new()));
    let [waits] = waits[..] else { panic!("{waits:?}") };
    assert_eq!((waits.program, waits.dependences, waits.regimes), (1, 1, 1));
    assert!((waits.in_company - 0.25).abs() < 1e-9 && (waits.alone - 0.1).abs() < 1e-9);
    let orders = waiting(2.5);
    let Findings { dependences: found, regimes, waits } = orders.findings(0.95);
    assert_eq!((found.len(), regimes.len(), waits), (1, 1, Vec::new()));
    let faster = waiting(0.7);
    assert_eq!(faster.findings(0.95).dependences, []);
}

/// Eighty processes that waited for much of their time, a quarter of them half as slow again:
/// either those with one of four stack positions, or others.
#[test]
fn regimes_of_a_place_that_is_drawn_are_not_of_waiting() {
    let found = |is_slow: fn(u32) -> bool| {
        let mut orders = Orders::new(vec![Seat { program: 0, benchmark: 0 }]);
        for round in 0..80 {
            let place =
                RunPlace { source: Source::Run, warmup: false, round, position: 0, variant: 0 };
            let slow = if is_slow(round) { 1.5 } else { 1.0 };
            let readings = vec![
                (TIME_PER_ITERATION, Ok(1e-9 * slow * (1.0 + jitter(round)))),
                (STACK_OFFSET, Ok(f64::from(round % 4 * 16 + round % 7 * 64))),
                (WAIT_SHARE, Ok(0.4)),
            ];
            orders.take(&run(place, u64::from(round), readings));
        }
        orders.findings(0.95)
    };
    let findings = found(|round| round % 4 == 3);
    let [regimes] = &findings.regimes[..] else { panic!("{findings:?}") };
    let alignment = regimes.alignment.expect("it is why");
    assert_eq!((alignment.period, alignment.from, alignment.until), (64, 48.0, 48.0));
    assert!(findings.waits.is_empty());
    let findings = found(|round| round / 4 % 4 == 3);
    assert!(findings.regimes.is_empty(), "{findings:?}");
    assert_eq!(findings.waits[0].regimes, 1);
}

#[test]
fn a_few_bytes_are_not_why() {
    let scale = Scale { seconds: [1e-5, 2e-5], iterations: None, by_starting: [0.0; 2] };
    let area = stats::roc::Area { area: 1.0, p_value: 1e-6 };
    let copied = COMPANIONS.iter().position(|id| *id == COPIED_PER_ITERATION).expect("it is one");
    let named = |more: f64| {
        let one = stats::regimes::Companion { reading: copied, area, in_low: 0.0, in_high: more };
        finding::named(&[one], &COMPANIONS, &scale).len()
    };
    // At most 10 ns each: 100 bytes are a tenth of 10 µs, and 300 are more than a fifth.
    assert_eq!([100.0, 300.0].map(named), [0, 1]);
}

#[test]
fn a_slower_clock_is_why_where_it_makes_enough_of_the_difference() {
    let area = stats::roc::Area { area: 0.0, p_value: 1e-6 };
    let clock = COMPANIONS.iter().position(|id| *id == CLOCK_RATE).expect("it is one");
    let named = |seconds: [f64; 2], [in_low, in_high]: [f64; 2]| {
        let one = stats::regimes::Companion { reading: clock, area, in_low, in_high };
        let scale = Scale { seconds, iterations: None, by_starting: [0.0; 2] };
        finding::named(&[one], &COMPANIONS, &scale).len()
    };
    // Half the rate explains twice the time, and a twentieth less a twentieth of that.
    assert_eq!(named([1e-5, 2e-5], [3e9, 1.5e9]), 1);
    assert_eq!(named([1e-5, 2e-5], [3e9, 2.85e9]), 0);
    assert_eq!(named([1e-5, 2e-5], [1.5e9, 3e9]), 0);
    assert_eq!(named([2e-5, 1e-5], [1.5e9, 3e9]), 1);
}

#[test]
fn what_follows_up_explains_and_does_not_judge() {
    let follow_up = |orders: &mut Orders| {
        for round in 0..5 {
            for (position, variant) in [(0, 6), (1, 7)] {
                let place =
                    RunPlace { source: Source::FollowUp, warmup: false, round, position, variant };
                let readings =
                    vec![(TIME_PER_ITERATION, Ok(9.0)), (FAULTS_PER_ITERATION, Ok(40.0))];
                orders.take(&run(place, u64::from(round), readings));
            }
        }
    };
    let mut orders = Orders::new(seats());
    rounds(&mut orders, 1.0, 0.0);
    follow_up(&mut orders);
    assert_eq!(orders.findings(0.95).dependences, []);
    assert_eq!(orders.findings(0.95).regimes, []);
    let mut orders = Orders::new(seats());
    rounds(&mut orders, 1.5, 32.0);
    let before = orders.findings(0.95).dependences;
    follow_up(&mut orders);
    let after = orders.findings(0.95).dependences;
    assert_eq!((after[0].ratio, after[0].p_value), (before[0].ratio, before[0].p_value));
    assert!(after[0].companions[0].p_value < before[0].companions[0].p_value);
}

#[test]
fn what_was_not_measured_or_made_to_warm_up_says_nothing() {
    let mut orders = Orders::new(seats());
    let place =
        |warmup| RunPlace { source: Source::Run, warmup, round: 0, position: 0, variant: 0 };
    let time = |value: Value| vec![(TIME_PER_ITERATION, value)];
    orders.take(&run(place(true), 1, time(Ok(1.0))));
    orders.take(&run(place(false), 2, time(Err(Missing(Cow::Borrowed("skipped"))))));
    orders.take(&run(place(false), 3, time(Ok(0.0))));
    orders.take(&run(place(false), 4, time(Ok(f64::NAN))));
    orders.take(&run(place(false), 5, vec![(ITERATIONS, Ok(1.0))]));
    let beyond = RunPlace { variant: 8, ..place(false) };
    orders.take(&run(beyond, 6, time(Ok(1.0))));
    assert!(orders.processes.is_empty());
    let found = orders.findings(0.95);
    assert_eq!((found.dependences, found.regimes), (Vec::new(), Vec::new()));
}
