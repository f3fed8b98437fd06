//! In-process benchmarks: known answers, and properties of all measurements.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::carry_over::{After, Cause, Process, Ran, after, carry_over, goes_along};
use stats::elision::{self, Evidence, Sized};
use stats::family::holm;
use stats::loops::{Intercept, Measurement, halves, robust};
use stats::parts::{Claim, Finding, Part, Precision, parts_against_whole};
use stats::processes::{Components, level};
use stats::regimes::{companions, regimes};
use stats::{kuiper, mann_whitney};

fn lines(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().skip(1).map(|line| line.split(',').collect())
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("not a number: {cell}"))
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

/// The measurements of `reference/loops.py`, in integers as there.
fn measurements(kind: &str) -> Vec<Measurement> {
    let lengths: Vec<u64> = match kind.split('-').next() {
        Some("growing") => (0..30).map(|k| (20.0 * 1.05_f64.powi(k)) as u64).collect(),
        Some("doubling") => (0..12).map(|k| 1 << k).collect(),
        Some("equal") => vec![1000; 15],
        _ => vec![1, 2, 3],
    };
    let one = |(i, &iterations): (usize, &u64)| {
        let i = i as i64;
        let noise = (i * i * 7919 + i * 104_729) % 2003 - 1001;
        let length = i64::try_from(iterations).expect("a short loop");
        let total = 10_000_000 + 2_000_000 * length + 20 * length * noise;
        let slow = kind.ends_with("-slow") && i % 7 == 3;
        let total = if slow { total * 3 / 2 } else { total };
        Measurement { iterations, total: total as f64 }
    };
    lengths.iter().enumerate().map(one).collect()
}

#[test]
fn lines_agree_with_exact_fractions() {
    for cells in lines(include_str!("reference/loops.csv")) {
        let [kind, intercept, slope, overhead] = cells[..] else { panic!("four cells") };
        let intercept = if intercept == "fitted" { Intercept::Fitted } else { Intercept::Zero };
        let line = robust(&measurements(kind), intercept).expect("a line");
        let about = format!("{kind} {intercept:?}: {line:?}");
        assert!(close(line.per_iteration, number(slope), 1e-12), "{about} {slope}");
        assert!(close(line.overhead, number(overhead), 1e-9), "{about} {overhead}");
    }
}

#[test]
fn areas_agree_with_listing_all_groupings() {
    for cells in lines(include_str!("reference/roc.csv")) {
        let [first, second, area, p_value] = cells[..] else { panic!("four cells") };
        let values = |cell: &str| cell.split(' ').map(number).collect::<Vec<f64>>();
        let found = mann_whitney::area(&values(first), &values(second)).expect("two groups");
        assert!(close(found.area, number(area), 1e-12), "{first} {second}: {found:?}");
        assert!(close(found.p_value, number(p_value), 1e-12), "{first} {second}: {found:?}");
    }
}

#[test]
fn arcs_agree_with_listing_all_groupings() {
    for cells in lines(include_str!("reference/kuiper.csv")) {
        let [first, second, strength, p_value] = cells[..] else { panic!("four cells") };
        let values = |cell: &str| cell.split(' ').map(number).collect::<Vec<f64>>();
        let found = kuiper::arc(&values(first), &values(second)).expect("two groups");
        assert!(close(found.strength, number(strength), 1e-12), "{first} {second}: {found:?}");
        assert!(close(found.p_value, number(p_value), 1e-12), "{first} {second}: {found:?}");
    }
}

#[test]
fn an_arc_may_go_through_zero() {
    let fast: Vec<f64> = (8..56).map(f64::from).collect();
    let slow: Vec<f64> = (0..8).chain(56..64).map(f64::from).collect();
    let found = kuiper::arc(&fast, &slow).expect("two groups");
    assert_eq!((found.from, found.until, found.strength), (56.0, 7.0, 1.0));
    let found = kuiper::arc(&slow, &fast).expect("two groups");
    assert_eq!((found.from, found.until, found.strength), (8.0, 55.0, 1.0));
    assert_eq!(kuiper::arc(&[], &[1.0]), None);
    assert_eq!(kuiper::arc(&[f64::NAN], &[1.0]), None);
}

/// The asymptotic p-value continues the exact one.
#[test]
fn many_places_have_about_the_same_p_value() {
    let groups = |each: usize| {
        let place = |number: usize| (number * 7919 % 4093) as f64;
        let shifted = |number: usize| (number * 104_729 % 2600) as f64;
        let first: Vec<f64> = (0..each).map(place).collect();
        let second: Vec<f64> = (0..each).map(shifted).collect();
        kuiper::arc(&first, &second).expect("two groups")
    };
    let [exact, beyond] = [60, 61].map(groups);
    assert!(exact.p_value > 1e-6 && exact.p_value < 0.05, "{exact:?}");
    let ratio = beyond.p_value / exact.p_value;
    assert!((0.3..3.0).contains(&ratio), "{exact:?} {beyond:?}");
}

/// The suites of `reference/carry_over.py`.
fn suite(kind: &str) -> Vec<Process> {
    let shuffles = [
        [2, 0, 3, 1],
        [1, 3, 0, 2],
        [0, 2, 1, 3],
        [3, 0, 2, 1],
        [1, 2, 3, 0],
        [2, 3, 1, 0],
        [3, 1, 0, 2],
        [0, 1, 3, 2],
    ];
    let mut processes = Vec::new();
    let mut state = 1_u64;
    for (round, shuffle) in shuffles.into_iter().enumerate() {
        let mut orders: Vec<Vec<usize>> = (0..4).map(|one| vec![one]).collect();
        orders.extend([vec![0, 1, 2, 3], vec![3, 2, 1, 0], shuffle.to_vec()]);
        for order in orders {
            let one = |(place, &benchmark): (usize, &usize)| {
                state = (state * 1_103_515_245 + 12345) % (1 << 31);
                let noise = (state as f64 / (1_u64 << 30) as f64 - 1.0) / 100.0;
                let before = &order[..place];
                let effect = match kind {
                    "not_first" if benchmark == 2 && place > 0 => 1.05_f64,
                    "after" if benchmark == 3 && before.contains(&0) => 1.08,
                    "just_after" if benchmark == 1 && before.last() == Some(&0) => 0.9,
                    _ => 1.0,
                };
                let per_iteration = (noise + round as f64 / 50.0 + effect.ln()).exp();
                Ran { benchmark, per_iteration }
            };
            let ran = order.iter().enumerate().map(one).collect();
            processes.push(Process { round, ran });
        }
    }
    processes
}

#[test]
fn suites_are_judged_as_by_the_definitions() {
    assert_eq!(carry_over(&suite("none"), 0.05), Ok(Vec::new()));
    for cells in lines(include_str!("reference/carry_over.csv")) {
        let [kind, benchmark, cause, ratio, low, high, p_value] = cells[..] else {
            panic!("seven cells")
        };
        let found = carry_over(&suite(kind), 0.05).expect("a valid suite");
        let [one] = &found[..] else { panic!("{kind}: {found:?}") };
        let cause = match cause {
            "not_first" => Cause::NotFirst,
            "after_0" => Cause::After(0),
            "just_after_0" => Cause::JustAfter(0),
            other => panic!("unknown cause: {other}"),
        };
        assert_eq!((one.benchmark.to_string().as_str(), one.cause), (benchmark, cause));
        assert!(close(one.p_value, number(p_value), 1e-6), "{kind}: {one:?}");
        for (actual, expected) in [(one.ratio, ratio), (one.low, low), (one.high, high)] {
            assert!((actual - number(expected)).abs() < 1e-6, "{kind}: {one:?} {expected}");
        }
    }
}

#[test]
fn times_after_another_benchmark_are_as_by_the_definition() {
    for kind in ["none", "not_first", "after", "just_after"] {
        let table = lines(include_str!("reference/after.csv")).filter(|cells| cells[0] == kind);
        let expected: Vec<After> = table
            .map(|cells| After {
                benchmark: number(cells[1]) as usize,
                other: number(cells[2]) as usize,
                ratio: number(cells[3]),
                rounds: number(cells[4]) as usize,
            })
            .collect();
        let found = after(&suite(kind));
        assert_eq!((found.len(), expected.len()), (12, 12));
        for (one, expected) in found.iter().zip(&expected) {
            assert!(close(one.ratio, expected.ratio, 1e-8), "{kind}: {one:?} {expected:?}");
            assert_eq!(After { ratio: 1.0, ..*one }, After { ratio: 1.0, ..*expected });
        }
    }
    // If all run in one process, or each in its own, there is no comparison.
    let ran = |benchmark| Ran { benchmark, per_iteration: 1.0 };
    let process = |ran: Vec<Ran>| Process { round: 0, ran };
    assert_eq!(after(&[process(vec![ran(0), ran(1)])]), []);
    assert_eq!(after(&[process(vec![ran(0)]), process(vec![ran(1)])]), []);
}

#[test]
fn a_reading_that_follows_the_cause_is_named_before_one_that_does_not() {
    let processes = suite("not_first");
    let found = carry_over(&processes, 0.05).expect("a valid suite").remove(0);
    let faults = |process: &Process| {
        let place = process.ran.iter().position(|ran| ran.benchmark == 2)?;
        Some(if place > 0 { 32.0 } else { 0.0 })
    };
    let faults: Vec<Option<f64>> = processes.iter().map(faults).collect();
    let heap: Vec<Option<f64>> =
        (0..processes.len()).map(|i| Some((i * 7919 % 31) as f64)).collect();
    let unread = vec![None; processes.len()];
    let companions = goes_along(&processes, &found, &[heap, unread, faults]);
    assert_eq!(companions.iter().map(|one| one.reading).collect::<Vec<_>>(), [2, 0]);
    assert_eq!((companions[0].in_low, companions[0].in_high), (0.0, 32.0));
    assert!(companions[0].area.p_value < 1e-4 && companions[1].area.p_value > 0.05);
}

#[test]
fn a_few_processes_have_students_interval_of_their_logarithms() {
    // Two degrees of freedom: t = 0.95 √2 / √(1 - 0.95²). The logarithms are -1, 0 and 1 hundredth.
    let three: Vec<f64> = [-0.01_f64, 0.0, 0.01].iter().map(|l| 5.0 * l.exp()).collect();
    let found = level(&three, 0.05).expect("three processes");
    let t = 0.95 * 2.0_f64.sqrt() / (1.0 - 0.95_f64.powi(2)).sqrt();
    let half_width = t * 0.01 / 3.0_f64.sqrt();
    assert!(close(found.estimate, 5.0, 1e-12) && found.processes == 3);
    assert!(close(found.low, 5.0 * (-half_width).exp(), 1e-9), "{found:?}");
    assert!(close(found.high, 5.0 * half_width.exp(), 1e-9), "{found:?}");
    let again = half_width * 2.0_f64.sqrt();
    assert!(close(found.again_low, 5.0 * (-again).exp(), 1e-9), "{found:?}");
    assert!(close(found.again_high, 5.0 * again.exp(), 1e-9), "{found:?}");
}

#[test]
fn six_processes_have_the_signed_rank_interval() {
    // At 5 % that is from the least to the greatest, as 2 · 2^-6 is below 5 % and 4 · 2^-6 is not.
    let found = level(&[1.0, 2.0, 4.0, 8.0, 16.0, 64.0], 0.05).expect("six processes");
    assert!(close(found.low, 1.0, 1e-12) && close(found.high, 64.0, 1e-12), "{found:?}");
    assert!(found.again_low < found.low && found.again_high > found.high, "{found:?}");
}

#[test]
fn components_come_from_halves_and_from_means() {
    // Halves 2 % apart on the log scale: 1 % is left in their mean. The means are ±3 %.
    let halves = [(0.04_f64.exp(), 0.02_f64.exp()), ((-0.04_f64).exp(), (-0.02_f64).exp())];
    let found = Components::from_halves(&halves).expect("two processes");
    assert!(close(found.within, 0.01, 1e-9), "{found:?}");
    assert!(close(found.between, (0.0018_f64 - 0.0001).sqrt(), 1e-9), "{found:?}");
    assert!(close(found.narrow_by(), 0.0018_f64.sqrt() / 0.01, 1e-9), "{found:?}");
    let alike = Components::from_halves(&[(1.1, 1.0), (1.0, 1.1)]).expect("two processes");
    assert_eq!((alike.between, alike.narrow_by()), (0.0, 1.0));
    assert_eq!(Components::from_halves(&[(1.0, 1.0)]), None);
    assert_eq!(Components::from_halves(&[(1.0, 1.0), (0.0, 1.0)]), None);
}

#[test]
fn holms_p_values_rise_with_the_raw_ones() {
    let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
    for (actual, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
        assert!(close(*actual, expected, 1e-12), "{adjusted:?}");
    }
    assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    assert_eq!(holm(&[]), []);
}

#[test]
fn regimes_are_cut_where_nothing_lies() {
    // Forty fast values and twenty slow ones, wider; the gap is from 1.039 to 2.
    let fast = (0..40).map(|i| 1.0 + 0.001 * f64::from(i));
    let slow = (0..20).map(|i| 2.0 + 0.01 * f64::from(i));
    let values: Vec<f64> = slow.chain(fast).collect();
    let found = regimes(&values).expect("two modes");
    assert!(close(found.split, 1.039, 1e-12) && close(found.low.share, 2.0 / 3.0, 1e-12));
    assert!(close(found.low.median, 1.0195, 1e-12) && close(found.high.median, 2.095, 1e-12));
    assert!(found.in_high.iter().enumerate().all(|(i, high)| *high == (i < 20)));
    assert_eq!(regimes(&values[20..]), None);
}

#[test]
fn optimised_away_is_said_with_the_figure_that_says_so() {
    assert_eq!(
        elision::few_cycles(2.5e-10, 4e9),
        Some(Evidence::FewCycles { cycles: 1.0 }),
        "an empty loop"
    );
    assert_eq!(elision::few_cycles(5e-9, 4e9), None);
    assert_eq!(elision::few_cycles(f64::NAN, 4e9), None);
    let loops = |cost: fn(f64) -> f64| -> Vec<Measurement> {
        let one = |k: u32| Measurement { iterations: 1 << k, total: cost(f64::from(1 << k)) };
        (0..20).map(one).collect()
    };
    let nothing = elision::independent_of_iterations(&loops(|_| 3e-6));
    let expected = Evidence::IndependentOfIterations { times_longer: 512.0, power: 0.0 };
    assert_eq!(nothing, Some(expected));
    assert_eq!(elision::independent_of_iterations(&loops(|length| 1e-5 + 1e-9 * length)), None);
    assert_eq!(elision::independent_of_iterations(&loops(|_| 3e-6)[..5]), None, "too alike");
    let sizes = |cost: fn(f64) -> f64| -> Vec<Sized> {
        let one = |size: f64| Sized {
            size,
            per_iteration: (0..6).map(|i| cost(size) * (1.0 + 0.01 * f64::from(i % 3))).collect(),
        };
        [1e3, 1e4, 1e5, 1e6].map(one).to_vec()
    };
    let flat = elision::independent_of_size(&sizes(|_| 2e-8));
    assert!(
        matches!(flat, Some(Evidence::IndependentOfSize { times_larger, high, .. })
            if close(times_larger, 1e3, 1e-9) && high < 0.05),
        "{flat:?}"
    );
    assert_eq!(elision::independent_of_size(&sizes(|size| 1e-9 * size)), None);
    assert_eq!(elision::independent_of_size(&sizes(|size| 1e-9 * size.ln())), None, "a search");
    assert_eq!(elision::independent_of_size(&[]), None);
}

#[test]
fn the_founding_transform_takes_less_than_its_steps() {
    // 87 µs for the whole; its step takes 58 µs by itself, and runs six times.
    let rounds = |level: f64| -> Vec<f64> {
        (0..8).map(|round| level * (1.0 + 0.002 * f64::from(round % 3))).collect()
    };
    let step = Part { times: 6.0, estimates: rounds(58.4) };
    let precision = Precision { alpha: 0.05, margin: 0.05 };
    let judge = |whole: f64, claim| {
        parts_against_whole(&rounds(whole), std::slice::from_ref(&step), claim, precision)
            .expect("eight rounds")
    };
    let found = judge(87.3, Claim::AtLeastSum);
    assert!(close(found.ratio, 6.0 * 58.4 / 87.3, 1e-9) && found.rounds == 8, "{found:?}");
    assert_eq!(found.finding, Finding::Contradiction);
    assert_eq!(judge(6.0 * 58.4, Claim::Sum).finding, Finding::Agreement);
    assert_eq!(judge(600.0, Claim::Sum).finding, Finding::Contradiction);
    assert_eq!(judge(600.0, Claim::AtLeastSum).finding, Finding::Agreement);
    let noisy = [60.0, 80.0, 50.0, 90.0, 55.0, 70.0].map(|t| 6.0 * t);
    let six = Part { times: 6.0, estimates: vec![65.0; 6] };
    let open = parts_against_whole(&noisy, &[six], Claim::Sum, precision).expect("six rounds");
    assert_eq!(open.finding, Finding::Undecided);
}

fn loops() -> impl Strategy<Value = Vec<Measurement>> {
    let one = |(iterations, total)| Measurement { iterations, total };
    vec((1..1000_u64, 0.1..10.0).prop_map(one), 2..40)
}

proptest! {
    #[test]
    fn an_exact_line_is_found(
        lengths in vec(1..1000_u64, 2..40), slope in 0.01..10.0, overhead in 0.0..100.0,
    ) {
        prop_assume!(lengths.iter().any(|length| *length != lengths[0]));
        let on_line = |&iterations: &u64| {
            Measurement { iterations, total: overhead + slope * iterations as f64 }
        };
        let measurements: Vec<Measurement> = lengths.iter().map(on_line).collect();
        let line = robust(&measurements, Intercept::Fitted).expect("lengths differ");
        prop_assert!(close(line.per_iteration, slope, 1e-7), "{line:?}");
        let deviation: f64 = line.overhead - overhead;
        prop_assert!(deviation.abs() < 1e-5, "{line:?}");
    }

    #[test]
    fn a_line_scales_with_its_totals(measurements in loops(), factor in 0.01..100.0) {
        let scaled: Vec<Measurement> = measurements
            .iter()
            .map(|m| Measurement { total: m.total * factor, ..*m })
            .collect();
        for intercept in [Intercept::Zero, Intercept::Fitted] {
            let (Ok(plain), Ok(scaled)) =
                (robust(&measurements, intercept), robust(&scaled, intercept))
            else { continue };
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-8 * factor * 10.0;
            prop_assert!(near(plain.per_iteration * factor, scaled.per_iteration));
            prop_assert!(near(plain.overhead * factor, scaled.overhead));
        }
    }

    #[test]
    fn one_slow_loop_leaves_the_robust_slope_among_the_others(
        totals in vec(0.99..1.01, 9..40), slow in 0..9_usize, factor in 2.0..1e6,
    ) {
        let mut measurements: Vec<Measurement> = totals
            .iter()
            .enumerate()
            .map(|(i, t)| Measurement { iterations: 10 + i as u64, total: t * (10 + i) as f64 })
            .collect();
        measurements[slow].total *= factor;
        let line = robust(&measurements, Intercept::Zero).expect("a line");
        prop_assert!((0.99..=1.01).contains(&line.per_iteration), "{line:?}");
    }

    #[test]
    fn levels_scale_and_do_not_know_the_order(
        mut estimates in vec(0.1..10.0, 2..30), factor in 0.01..100.0,
    ) {
        let plain = level(&estimates, 0.05).expect("positive");
        prop_assert!(plain.again_low <= plain.low && plain.low <= plain.estimate);
        prop_assert!(plain.estimate <= plain.high && plain.high <= plain.again_high);
        estimates.reverse();
        let scaled: Vec<f64> = estimates.iter().map(|e| e * factor).collect();
        let scaled = level(&scaled, 0.05).expect("positive");
        prop_assert!(close(plain.estimate * factor, scaled.estimate, 1e-9));
        prop_assert!(close(plain.again_high * factor, scaled.again_high, 1e-9));
    }

    #[test]
    fn exchanging_the_groups_mirrors_the_area(
        first in vec((0..6).prop_map(f64::from), 1..12), second in vec((0..6).prop_map(f64::from), 1..12),
    ) {
        let there = mann_whitney::area(&first, &second).expect("two groups");
        let back = mann_whitney::area(&second, &first).expect("two groups");
        prop_assert!(close(there.area, 1.0 - back.area, 1e-12) || there.area + back.area == 1.0);
        prop_assert!(close(there.p_value, back.p_value, 1e-9));
        prop_assert!((0.0..=1.0).contains(&there.p_value) && there.p_value > 0.0);
        prop_assert!(close(there.strength(), back.strength(), 1e-9));
    }

    #[test]
    fn regimes_partition_the_values(values in vec(0.0..1.0, 10..60), gap in 2.0..5.0) {
        let values: Vec<f64> =
            values.iter().enumerate().map(|(i, v)| v + if i % 3 == 0 { gap } else { 0.0 }).collect();
        let Some(found) = regimes(&values) else { return Ok(()) };
        let lowest_high = values.iter().zip(&found.in_high).filter(|(_, high)| **high);
        prop_assert!(lowest_high.map(|(v, _)| *v).all(|v| v > found.split));
        prop_assert!(close(found.low.share + found.high.share, 1.0, 1e-12));
        prop_assert!(found.low.median < found.high.median);
    }

    #[test]
    fn a_suite_is_judged_alike_in_any_unit_and_with_rounds_renamed(
        noise in vec(-0.01..0.01, 128), factor in 0.001..1000.0,
    ) {
        let build = |unit: f64, base: usize| -> Vec<Process> {
            let mut noise = noise.iter();
            let mut processes = suite("not_first");
            for process in &mut processes {
                process.round = base - process.round;
                for ran in &mut process.ran {
                    ran.per_iteration *= unit * (1.0 + noise.next().unwrap_or(&0.0));
                }
            }
            processes
        };
        let plain = carry_over(&build(1.0, 10), 0.05).expect("a valid suite");
        let other = carry_over(&build(factor, 99), 0.05).expect("a valid suite");
        prop_assert_eq!(plain.len(), other.len());
        for (a, b) in plain.iter().zip(&other) {
            prop_assert_eq!((a.benchmark, a.cause), (b.benchmark, b.cause));
            prop_assert!((a.ratio - b.ratio).abs() < 1e-5 && close(a.p_value, b.p_value, 1e-6));
        }
    }

    #[test]
    fn a_single_dependence_has_an_interval_without_one(noise in vec(-0.03..0.03, 128)) {
        let mut noise = noise.iter();
        let mut processes = suite("not_first");
        for ran in processes.iter_mut().flat_map(|process| &mut process.ran) {
            ran.per_iteration *= 1.0 + noise.next().unwrap_or(&0.0);
        }
        for one in carry_over(&processes, 0.05).expect("a valid suite") {
            prop_assert!(one.p_value <= 0.05, "{one:?}");
            prop_assert!(one.low <= one.ratio && one.ratio <= one.high, "{one:?}");
            prop_assert!(one.low > 1.0 - 1e-6 || one.high < 1.0 + 1e-6, "{one:?}");
        }
    }

    #[test]
    fn companions_are_ranked_and_each_is_named_once(
        groups in vec(any::<bool>(), 2..30), values in vec(0.0..1.0, 90),
    ) {
        let readings: Vec<Vec<Option<f64>>> = values
            .chunks_exact(30)
            .map(|chunk| chunk[..groups.len()].iter().map(|v| (*v > 0.2).then_some(*v)).collect())
            .collect();
        let found = companions(&groups, &readings);
        prop_assert!(found.windows(2).all(|w| w[0].area.strength() >= w[1].area.strength()));
        let mut named: Vec<usize> = found.iter().map(|one| one.reading).collect();
        named.sort_unstable();
        named.dedup();
        prop_assert_eq!(named.len(), found.len());
    }
}

#[test]
fn halves_of_one_measurement_do_not_exist() {
    assert_eq!(halves(&measurements("equal")[..1], Intercept::Zero), None);
    assert!(halves(&measurements("growing"), Intercept::Fitted).is_some());
    assert_eq!(Intercept::suited_to(&measurements("growing")), Intercept::Fitted);
    assert_eq!(Intercept::suited_to(&measurements("few")), Intercept::Zero);
    assert_eq!(Intercept::suited_to(&[]), Intercept::Zero);
}
