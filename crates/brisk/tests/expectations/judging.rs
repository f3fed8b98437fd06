//! The truth of expectations: by intervals, with paired ratios if possible.

use judge::acceptance::{Standing, standing};
use judge::expectation::{
    Figures, Lack, Request, Sides, Truth, compare, evaluate, ratio_limits, requests,
};
use judge::level::Interval;
use model::expectation::{Comparator, Subject};
use model::metric::{MetricId, Missing};
use model::verdict::Margin;
use proptest::prelude::*;

use crate::support::{Given, expectation, judged};

use Truth::{Fails, Holds, Undecided};

#[test]
fn the_interval_decides() {
    for (low, high, text, expected) in [
        (0.70, 0.79, "wall_time(a) < 0.8 s", Holds),
        (0.70, 0.80, "wall_time(a) < 0.8 s", Undecided),
        (0.70, 0.80, "wall_time(a) <= 0.8 s", Holds),
        (0.70, 0.81, "wall_time(a) <= 0.8 s", Undecided),
        (0.80, 0.90, "wall_time(a) < 0.8 s", Fails),
        (0.80, 0.90, "wall_time(a) <= 0.8 s", Undecided),
        (0.81, 0.90, "wall_time(a) <= 0.8 s", Fails),
        (0.81, 0.90, "wall_time(a) > 0.8 s", Holds),
        (0.80, 0.90, "wall_time(a) >= 0.8 s", Holds),
        (0.70, 0.80, "wall_time(a) >= 0.8 s", Undecided),
        (0.70, 0.80, "wall_time(a) > 0.8 s", Fails),
        (0.70, 0.90, "wall_time(a) == 0.8 s", Undecided),
        (0.80, 0.90, "wall_time(a) == 0.8 s", Undecided),
        (0.81, 0.90, "wall_time(a) == 0.8 s", Fails),
        (0.70, 0.79, "0.8 s > wall_time(a)", Holds),
        (0.70, 0.79, "0.6 s < wall_time(a) < 0.8 s", Holds),
        (0.70, 0.81, "0.6 s < wall_time(a) < 0.8 s", Undecided),
        (0.70, 0.81, "0.9 s < wall_time(a) < 0.8 s", Fails),
        (0.0, f64::INFINITY, "wall_time(a) < 0.8 s", Undecided),
    ] {
        let figures = Given::new(&[("wall_time(a)", low, low, high)]);
        assert_eq!(judged(text, &figures).truth, expected, "[{low}, {high}] {text}");
    }
}

#[test]
fn what_is_exact_is_decided_exactly() {
    let figures = Given::exact(&[
        ("allocated(a)", 101.0),
        ("allocated(b)", 100.0),
        ("allocated(a) / allocated(b)", 1.01),
        ("allocated(b) / allocated(b)", 1.0),
    ]);
    for (text, expected) in [
        ("allocated(a) <= allocated(b) * 1.01", Holds),
        ("allocated(a) < allocated(b) * 1.01", Fails),
        ("allocated(a) / allocated(b) <= 101 %", Holds),
        ("allocated(a) / allocated(b) == 1.01", Holds),
        ("allocated(a) == 101 B", Holds),
        ("allocated(a) < 101 B", Fails),
        ("allocated(a) <= 0.101 kB", Holds),
        ("allocated(b) == allocated(b)", Holds),
        ("allocated(a) - allocated(b) == 1 B", Holds),
        ("allocated(a) == allocated(b) + 1 B", Holds),
        ("allocated(a) > allocated(b) + 1 B", Fails),
    ] {
        assert_eq!(judged(text, &figures).truth, expected, "{text}");
    }
}

#[test]
fn two_subjects_in_one_metric_are_compared_by_their_paired_ratio() {
    // The single figures allow no verdict; the ratio within rounds does.
    let figures = Given::new(&[
        ("wall_time(a)", 1.0, 1.9, 3.0),
        ("wall_time(b)", 1.0, 2.0, 3.0),
        ("wall_time(a) / wall_time(b)", 0.94, 0.95, 0.96),
        ("wall_time(b) / wall_time(a)", 1.04, 1.05, 1.06),
    ]);
    for (text, what) in [
        ("wall_time(a) / wall_time(b) < 0.97", "wall_time(a) / wall_time(b)"),
        ("wall_time(a) < wall_time(b)", "wall_time(a) / wall_time(b)"),
        ("wall_time(a) <= wall_time(b) * 0.97", "wall_time(a) / wall_time(b)"),
        ("wall_time(a) <= 97 % * wall_time(b)", "wall_time(a) / wall_time(b)"),
        ("wall_time(a) / 0.97 < wall_time(b)", "wall_time(a) / 0.97 / wall_time(b)"),
        ("2 * wall_time(a) < wall_time(b) / 0.51", "2 * wall_time(a) / wall_time(b)"),
        ("wall_time(b) > wall_time(a)", "wall_time(b) / wall_time(a)"),
        ("wall_time(a) > -1 * wall_time(b)", "wall_time(a) / wall_time(b)"),
        ("0.97 > wall_time(a) / wall_time(b)", "wall_time(a) / wall_time(b)"),
        ("1 > (wall_time(a) / wall_time(b)) * 1.03", "wall_time(a) / wall_time(b) * 1.03"),
        ("1 / wall_time(a) > 1 / wall_time(b)", "1 / wall_time(a) * wall_time(b)"),
        ("100 % - wall_time(a) / wall_time(b) > 3 %", "100 % - wall_time(a) / wall_time(b)"),
    ] {
        let evaluation = judged(text, &figures);
        assert_eq!(evaluation.truth, Holds, "{text}");
        assert_eq!(evaluation.links[0].what, what, "{text}");
    }
    // A sum has no ratio, and the single figures allow no verdict.
    assert_eq!(judged("wall_time(a) < wall_time(b) + 0 s", &figures).truth, Undecided);
}

#[test]
fn figures_of_different_metrics_are_computed_with_their_intervals() {
    let figures = Given::new(&[
        ("gc_time(a)", 0.1, 0.11, 0.12),
        ("wall_time(a)", 1.0, 1.1, 1.2),
        ("peak_rss(a)", 1e6, 1.1e6, 1.2e6),
        ("instructions(a)", 2e9, 2.1e9, 2.2e9),
    ]);
    for (text, expected) in [
        // 0.12 / 1.0 and 0.1 / 1.2 are the extremes.
        ("gc_time(a) / wall_time(a) < 0.121", Holds),
        ("gc_time(a) / wall_time(a) < 0.119", Undecided),
        ("gc_time(a) / wall_time(a) < 0.083", Fails),
        ("gc_time(a) < wall_time(a) * 0.121", Holds),
        ("gc_time(a) > wall_time(a) * 0.083", Holds),
        ("gc_time(a) + wall_time(a) < 1.33 s", Holds),
        ("wall_time(a) - gc_time(a) > 0.87 s", Holds),
        ("wall_time(a) - gc_time(a) > 0.89 s", Undecided),
        ("-wall_time(a) < -0.9 s", Holds),
        ("peak_rss(a) / wall_time(a) < 1.21 MB / 1 s", Holds),
        ("instructions(a) / wall_time(a) > 1.6 GHz", Holds),
        ("wall_time(a) * wall_time(a) < 1.5 s * 1 s", Holds),
    ] {
        assert_eq!(judged(text, &figures).truth, expected, "{text}");
    }
}

#[test]
fn a_product_of_quotients_pairs_what_belongs_together() {
    let figures = Given::new(&[
        ("wall_time(a) / wall_time(b)", 0.5, 0.5, 0.5),
        ("wall_time(d) / wall_time(c)", 4.0, 4.0, 4.0),
        ("wall_time(c) / wall_time(d)", 0.25, 0.25, 0.25),
    ]);
    let evaluation =
        judged("(wall_time(a) / wall_time(b)) / (wall_time(c) / wall_time(d)) == 2", &figures);
    assert_eq!(evaluation.truth, Holds);
    let evaluation =
        judged("wall_time(a) / wall_time(b) == wall_time(c) / wall_time(d) * 2", &figures);
    assert_eq!(evaluation.truth, Holds);
}

#[test]
fn what_is_missing_leaves_it_open_and_says_why() {
    let figures = Given::new(&[("wall_time(a)", 1.0, 1.0, 2.0), ("gc_time(z)", 0.0, 0.0, 1.0)]);
    for (text, reason) in [
        ("wall_time(b) < 1 s", "`wall_time(b)`: not measured"),
        ("wall_time(a) / wall_time(b) < 1", "`wall_time(a) / wall_time(b)`: not measured"),
        ("wall_time(a) < wall_time(b)", "`wall_time(a) / wall_time(b)`: not measured"),
        ("wall_time(a) + wall_time(b) < 1 s", "`wall_time(b)`: not measured"),
        (
            "wall_time(a) / gc_time(z) < 1",
            "`wall_time(a) / gc_time(z)` has no value: a divisor may be 0, or it is too large",
        ),
        (
            "wall_time(a) * 1e300 * 1e300 < 1 s",
            "`wall_time(a) * 1e300 * 1e300` has no value: a divisor may be 0, or it is too large",
        ),
    ] {
        let evaluation = judged(text, &figures);
        assert_eq!(evaluation.truth, Undecided, "{text}");
        let told = evaluation.links[0].sides.as_ref().expect_err(text).to_string();
        assert_eq!(told, reason, "{text}");
    }
    // One failing link decides a chain, even if others are missing.
    assert_eq!(judged("wall_time(b) < wall_time(a) < 0.5 s", &figures).truth, Fails);
}

#[test]
fn a_baseline_of_zero_has_no_ratio_and_is_compared_all_the_same() {
    let figures =
        Given::exact(&[("allocated(a)", 0.0), ("allocated(b)", 0.0), ("allocated(c)", 8.0)]);
    for (text, expected) in [
        ("allocated(a) <= allocated(b) * 0.5", Holds),
        ("allocated(a) < allocated(b) * 2", Fails),
        ("allocated(c) <= allocated(b) * 1.01", Fails),
        ("allocated(b) < allocated(c)", Holds),
        ("allocated(a) == allocated(b)", Holds),
        ("allocated(a) / allocated(b) <= 1", Undecided),
        ("allocated(b) / allocated(c) <= 1", Holds),
    ] {
        assert_eq!(judged(text, &figures).truth, expected, "{text}");
    }
}

#[test]
fn the_intervals_that_share_the_error_are_known_beforehand() {
    let told = |text: &str| -> Vec<String> {
        let name = |request: Request| match request {
            Request::Level(metric, subject) => format!("{metric}({subject})"),
            Request::Ratio(metric, a, b) => format!("{metric}: {a} / {b}"),
        };
        requests(&expectation(text).relation).into_iter().map(name).collect()
    };
    assert_eq!(told("allocated(HEAD) <= allocated(main) * 1.01"), ["allocated: HEAD / main"]);
    assert_eq!(told("0.9 < wall_time(a) / wall_time(b) < 1.1"), ["wall_time: a / b"]);
    assert_eq!(told("wall_time(a) < wall_time(b) + 1 s"), ["wall_time(a)", "wall_time(b)"]);
    assert_eq!(
        told("gc_time(a) / (wall_time(a) - wall_time(b)) < peak_rss(c) / peak_rss(d)"),
        ["gc_time(a)", "wall_time(a)", "wall_time(b)", "peak_rss: c / d"]
    );
}

/// An interval of positive numbers, and one within it.
fn nested() -> impl Strategy<Value = (Interval, Interval)> {
    proptest::collection::vec(1_u32..400, 5).prop_map(|mut ends| {
        ends.sort_unstable();
        let ends: Vec<f64> = ends.into_iter().map(|end| f64::from(end) / 100.0).collect();
        let interval = |low: usize, high: usize| Interval::new(ends[2], ends[low], ends[high]);
        (interval(0, 4).expect("in order"), interval(1, 3).expect("in order"))
    })
}

fn text() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "wall_time(a) < 1.5 s",
        "wall_time(a) == wall_time(b)",
        "wall_time(a) <= wall_time(b) * 1.01",
        "wall_time(a) / wall_time(b) >= 0.8",
        "0.5 < wall_time(a) / wall_time(b) < 2",
        "wall_time(a) < wall_time(b) + 0.5 s",
        "gc_time(c) * 2 > wall_time(a) - wall_time(b)",
        "gc_time(c) / (wall_time(a) + 1 s) <= wall_time(b) / wall_time(a)",
        "wall_time(a) / (wall_time(b) - gc_time(c)) > 1",
        "-wall_time(a) * gc_time(c) > -2 s * wall_time(b)",
    ])
}

const NAMES: [&str; 5] = [
    "wall_time(a)",
    "wall_time(b)",
    "gc_time(c)",
    "wall_time(a) / wall_time(b)",
    "wall_time(b) / wall_time(a)",
];

proptest! {
    #[test]
    fn narrower_intervals_settle_and_never_turn_an_answer(
        text in text(),
        intervals in proptest::collection::vec(nested(), NAMES.len()),
    ) {
        let given = |pick: fn(&(Interval, Interval)) -> Interval| {
            let figures: Vec<_> = NAMES.iter().zip(&intervals).map(|(name, both)| {
                let interval = pick(both);
                (*name, interval.low(), interval.estimate(), interval.high())
            }).collect();
            Given::new(&figures)
        };
        let relation = expectation(text).relation;
        let (wide, narrow) = (
            evaluate(&relation, &given(|both| both.0)),
            evaluate(&relation, &given(|both| both.1)),
        );
        prop_assert!(
            wide.truth == Undecided || wide.truth == narrow.truth,
            "{}: {:?} became {:?}", text, wide, narrow
        );
    }

    #[test]
    fn a_decided_comparison_is_true_or_false_of_every_point(
        (value, inner) in nested(),
        (limit, other) in nested(),
        comparison in prop::sample::select(vec![
            Comparator::Less, Comparator::AtMost, Comparator::Greater, Comparator::AtLeast,
            Comparator::Equal,
        ]),
    ) {
        let decided = compare(value, comparison, limit);
        for a in [value.low(), inner.low(), value.estimate(), value.high()] {
            for b in [limit.low(), other.high(), limit.estimate(), limit.high()] {
                let truth = match comparison {
                    Comparator::Less => a < b,
                    Comparator::AtMost => a <= b,
                    Comparator::Greater => a > b,
                    Comparator::AtLeast => a >= b,
                    Comparator::Equal => a == b,
                };
                prop_assert!(decided != Holds || truth, "{a} {comparison:?} {b}");
                prop_assert!(decided != Fails || !truth, "{a} {comparison:?} {b}");
            }
        }
    }

    #[test]
    fn swapping_the_sides_changes_nothing(
        (value, _) in nested(),
        (limit, _) in nested(),
    ) {
        for comparison in [Comparator::Less, Comparator::AtMost, Comparator::Equal] {
            prop_assert_eq!(
                compare(value, comparison, limit),
                compare(limit, comparison.mirrored(), value)
            );
        }
    }

    #[test]
    fn arithmetic_holds_every_value_it_could_have(
        (a, inner_a) in nested(),
        (b, inner_b) in nested(),
    ) {
        let holds = |result: Option<Interval>, value: f64| {
            let result = result.expect("finite");
            let slack = 1e-12 * value.abs().max(1.0);
            result.low() - slack <= value && value <= result.high() + slack
        };
        let (negative, x, y) = (b.negative(), inner_a.low(), inner_b.high());
        prop_assert!(holds(a.plus(b), x + y));
        prop_assert!(holds(a.minus(b), x - y));
        prop_assert!(holds(a.times(b), x * y));
        prop_assert!(holds(a.times(negative), x * -y));
        prop_assert!(holds(a.over(b), x / y));
        prop_assert!(holds(a.over(negative), x / -y));
    }
}

#[test]
fn what_rests_on_one_ratio_is_decided_by_its_limits() {
    for (text, expected) in [
        ("wall_time(a) / wall_time(b) < 0.8", &[0.8][..]),
        ("wall_time(a) <= wall_time(b) * 1.02", &[1.02]),
        ("2 * wall_time(a) < 3 * wall_time(b)", &[1.5]),
        ("0.9 < wall_time(a) / wall_time(b) < 1.1", &[0.9, 1.1]),
        ("1.5 > 3 * wall_time(a) / wall_time(b)", &[0.5]),
    ] {
        let (request, limits) = ratio_limits(&expectation(text).relation).expect("one ratio");
        let [a, b] = ["a", "b"].map(|name| Subject { name: name.to_owned(), revision: None });
        assert_eq!(request, Request::Ratio(model::metric::WALL_TIME, a, b), "{text}");
        assert_eq!(limits.len(), expected.len(), "{text}");
        for (limit, expected) in limits.iter().zip(expected) {
            assert!((limit - expected).abs() < 1e-12, "{text}: {limit}");
        }
    }
}

#[test]
fn what_rests_on_anything_else_has_no_limits_of_a_ratio() {
    for text in [
        "wall_time(a) < 0.8 s",
        "wall_time(a) / wall_time(b) < wall_time(c) / wall_time(d)",
        "wall_time(a) / wall_time(b) + 1 < 2",
        "wall_time(b) / wall_time(a) > peak_rss(a) / peak_rss(b)",
        "-1 * wall_time(a) / wall_time(b) < 2",
        "wall_time(a) / wall_time(b) < 2 < 3",
    ] {
        assert_eq!(ratio_limits(&expectation(text).relation), None, "{text}");
    }
}

#[test]
fn intervals_shrink_with_the_square_root_of_the_rounds() {
    let side = |low, value, high| Interval::new(value, low, high).expect("in order");
    let times = |value, limit| Sides { value, limit }.times_as_many_rounds();
    let limit = Interval::exact(1.0).expect("finite");
    // The upper end is three times as far away as the limit, so it takes nine times as many.
    let nine = times(side(0.6, 0.8, 1.4), limit).expect("it has an end");
    assert!((nine - 9.0).abs() < 1e-9, "{nine}");
    // A value beyond the limit needs its lower end.
    let four = times(side(0.8, 1.2, 9.0), limit).expect("it has an end");
    assert!((four - 4.0).abs() < 1e-9, "{four}");
    // An inexact limit has to shrink as well.
    let wider = times(side(0.6, 0.8, 1.4), side(0.8, 1.0, 1.2)).expect("both have ends");
    assert!((wider - 16.0).abs() < 1e-9, "{wider}");
    assert_eq!(times(side(0.5, 1.0, 1.5), limit), Some(f64::INFINITY));
    assert_eq!(times(side(0.5, 0.8, f64::INFINITY), limit), None);
}

#[test]
fn what_could_not_be_measured_is_not_undecided() {
    let text = "wall_time(a) < 0.8 s";
    let read = expectation(text);
    let stands = |figures: &dyn Figures| {
        let evaluation = evaluate(&read.relation, figures);
        standing(read.id(), &evaluation, &[], Margin::new(0.01).expect("positive")).0
    };
    assert_eq!(stands(&Given::default()), Standing::Undecided);
    assert_eq!(stands(&Failed), Standing::Unmeasured);
}

/// Figures that could not be measured.
struct Failed;

impl Figures for Failed {
    fn level(&self, _: &MetricId, _: &Subject) -> Result<Interval, Lack> {
        Err(Lack::Unmeasured(Missing("its process crashed".into())))
    }

    fn ratio(&self, metric: &MetricId, one: &Subject, _: &Subject) -> Result<Interval, Lack> {
        self.level(metric, one)
    }
}
