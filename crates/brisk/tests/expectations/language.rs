//! The language: valid and invalid input, and the round trip between its text and its tree.

use std::error::Error;

use model::expectation::{
    Comparator, Expectation, Expression, Figure, MOST_BYTES, MOST_DEPTH, Operator, Problem,
    Quantity, Relation, Subject, UNITS,
};
use model::metric::{MetricId, Unit};
use proptest::prelude::*;

use crate::support::{expectation, vocabulary};

/// The canonical form of a text.
#[track_caller]
fn canonical(text: &str) -> String {
    expectation(text).relation.to_string()
}

#[test]
fn what_is_written_is_read() {
    for (text, read) in [
        ("wall_time(new)/wall_time(old)<0.8", "wall_time(new) / wall_time(old) < 0.8"),
        ("allocated(HEAD) <= allocated(main) * 1.01", "allocated(HEAD) <= allocated(main) * 1.01"),
        (" peak_rss( x )\n<\t2MB ", "peak_rss(x) < 2 MB"),
        ("0.9 < wall_time(a)/wall_time(b) <= 1.1", "0.9 < wall_time(a) / wall_time(b) <= 1.1"),
        ("wall_time(a) == wall_time(b)", "wall_time(a) == wall_time(b)"),
        ("instructions(a) < 1_000_000", "instructions(a) < 1000000"),
        ("instructions(a) < 2e9", "instructions(a) < 2000000000"),
        ("instructions(a) < 2.5E+20", "instructions(a) < 2.5e20"),
        ("wall_time(a)/wall_time(b) < 101%", "wall_time(a) / wall_time(b) < 101 %"),
        ("wall_time(a) < 3 µs", "wall_time(a) < 3 us"),
        ("wall_time(a) < 3 μs", "wall_time(a) < 3 us"),
        ("peak_rss(a) < 3KB", "peak_rss(a) < 3 kB"),
        ("peak_rss(a)/wall_time(a) < 3 GB / 1 s", "peak_rss(a) / wall_time(a) < 3 GB / 1 s"),
        ("clock_rate(a) > 1 / 1 ns", "clock_rate(a) > 1 / 1 ns"),
        ("((wall_time(a))) < (1 s)", "wall_time(a) < 1 s"),
        ("wall_time.p99(a) < 2*wall_time.p50(a)", "wall_time.p99(a) < 2 * wall_time.p50(a)"),
        ("cpu_time.p99.90 ( a ) < 3 s", "cpu_time.p99.9(a) < 3 s"),
        (
            "energy.p50(a) / wall_time.p50(a) < 9 J / 1 s",
            "energy.p50(a) / wall_time.p50(a) < 9 J / 1 s",
        ),
        ("wall_time(a) - (1 s - 2 s) > 0 s", "wall_time(a) - (1 s - 2 s) > 0 s"),
        ("(wall_time(a) - 1 s) - 2 s > 0 s", "wall_time(a) - 1 s - 2 s > 0 s"),
        ("--wall_time(a) > -(1 s + 1 s)", "--wall_time(a) > -(1 s + 1 s)"),
    ] {
        assert_eq!(canonical(text), read, "{text}");
    }
}

#[test]
fn a_name_is_a_benchmark_a_revision_or_both() {
    let subject = |text: &str| {
        let read = expectation(&format!("wall_time({text}) < 1 s"));
        let subject = read.figures[0].0.subject.clone();
        assert_eq!(canonical(&format!("wall_time({subject}) < 1 s")), read.relation.to_string());
        (subject.name, subject.revision)
    };
    for (text, name, revision) in [
        ("HEAD~3", "HEAD~3", None),
        ("origin/feature/x-y", "origin/feature/x-y", None),
        ("v1.2^{commit}", "v1.2^{commit}", None),
        ("HEAD@{1}", "HEAD@{1}", None),
        ("main@{upstream}", "main@{upstream}", None),
        ("fib@HEAD@{1}", "fib", Some("HEAD@{1}")),
        ("fib@baseline", "fib", Some("baseline")),
        ("\"the new one\"@v2", "the new one", Some("v2")),
        (r#""say \"hi\" \\""#, r#"say "hi" \"#, None),
        ("\"a@b\"", "a@b", None),
        ("\"@\"", "@", None),
        ("a@\"{\"", "a", Some("{")),
        ("größe", "größe", None),
        ("\"速い\"@\"a b\"", "速い", Some("a b")),
        ("<=*", "<=*", None),
        ("1e9", "1e9", None),
    ] {
        assert_eq!(subject(text), (name.to_owned(), revision.map(str::to_owned)), "{text}");
    }
}

/// The number after `wall_time(a) <`, in seconds, or after another metric, in its unit.
fn limit(text: &str) -> f64 {
    expectation(text).relation.rest[0].1.constant().expect("a constant")
}

#[test]
fn units_have_their_values() {
    // SI prefixes and IEC 80000-13.
    for (text, value) in [
        ("wall_time(a) < 2.5 ms", 0.0025),
        ("wall_time(a) < 7 us", 7e-6),
        ("wall_time(a) < 3 ns", 3e-9),
        ("wall_time(a) < 2 min", 120.0),
        ("wall_time(a) < 1 h", 3600.0),
        ("peak_rss(a) < 2 MB", 2e6),
        ("peak_rss(a) < 2 MiB", 2_097_152.0),
        ("peak_rss(a) < 1 GiB", 1_073_741_824.0),
        ("peak_rss(a) < 1 TiB", 1_099_511_627_776.0),
        ("clock_rate(a) > 3 GHz", 3e9),
        ("instructions(a) < 101 %", 1.01),
        ("instructions(a) < 0.1 %", 0.001),
    ] {
        assert_eq!(limit(text), value, "{text}");
    }
}

/// Error, cause and hint as shown to users.
#[track_caller]
fn refusal(text: &str) -> String {
    let error = Expectation::parse(text, &vocabulary()).expect_err(text);
    let place = error.source().expect("a place").to_string();
    let hint = error.problem.hint().map_or(String::new(), |hint| format!("\n{hint}"));
    format!("{error}\n{place}{hint}")
}

#[test]
fn a_mistake_is_told_with_its_place_and_what_is_known() {
    let metrics = "metrics: `wall_time`, `gc_time`, `allocated`, `peak_rss`, `instructions`, \
                   `clock_rate`";
    for (text, lines) in [
        (
            "wall_tim(new) / wall_time(old) < 0.8",
            vec![
                "unknown metric `wall_tim`",
                "line 1, column 1 of the expectation:",
                "wall_tim(new) / wall_time(old) < 0.8",
                "^^^^^^^^",
                &format!("did you mean `wall_time`? {metrics}"),
            ],
        ),
        (
            "wall_time(a) <\n  peak_rss(a)",
            vec![
                "seconds cannot be compared with bytes",
                "line 1, column 1 of the expectation:",
                "wall_time(a) <",
                "^^^^^^^^^^^^^^",
            ],
        ),
        (
            "wall_time(a) < 2",
            vec![
                "seconds cannot be compared with a plain number",
                "line 1, column 1 of the expectation:",
                "wall_time(a) < 2",
                "^^^^^^^^^^^^^^^^",
                "give the number its unit: `s`, `ms`, `us`, `ns`, `min`, `h`",
            ],
        ),
    ] {
        assert_eq!(refusal(text), lines.join("\n"), "{text}");
    }
}

#[test]
fn a_share_that_is_added_and_a_joint_get_a_way_out() {
    for (text, lines) in [
        (
            "wall_time(a) < wall_time(b) + 1%",
            vec![
                "a plain number cannot be added to seconds",
                "line 1, column 16 of the expectation:",
                "wall_time(a) < wall_time(b) + 1%",
                "               ^^^^^^^^^^^^^^^^^",
                "give the number its unit: `s`, `ms`, `us`, `ns`, `min`, `h`; a share is a \
                 factor: `x * 1.01` is 1 % more than `x`",
            ],
        ),
        (
            "wall_time(a) / wall_time(b)",
            vec![
                "expected a comparison (`<`, `<=`, `>`, `>=` or `==`), found the end",
                "line 1, column 28 of the expectation:",
                "wall_time(a) / wall_time(b)",
                "                           ^",
            ],
        ),
        (
            "wall_time(a) < 1 s and wall_time(b) < 1 s",
            vec![
                "`and` joins expectations, and each stands for itself",
                "line 1, column 20 of the expectation:",
                "wall_time(a) < 1 s and wall_time(b) < 1 s",
                "                   ^^^",
                "write each as an `[[expect]]` of its own",
            ],
        ),
    ] {
        assert_eq!(refusal(text), lines.join("\n"), "{text}");
    }
}

#[test]
fn every_mistake_has_its_own_words() {
    for (text, error) in [
        ("", "the expectation is empty"),
        ("  \n", "the expectation is empty"),
        ("1 < 2", "nothing is measured in this expectation"),
        ("< 2", "expected a number or a figure such as `wall_time(HEAD)`, found `<`"),
        ("wall_time < 2 s", "expected `(` and whose figure is meant, found `<`"),
        ("wall_time() < 2 s", "`wall_time()` names nothing that can be measured"),
        ("wall_time(a b) < 2 s", "expected `)`, found `b`"),
        ("wall_time(a@) < 2 s", "expected a name (one with blanks in double quotes), found `)`"),
        ("wall_time(a, b) < 2 s", "expected `)`, found `,`"),
        ("wall_time(\"a) < 2 s", "the quote is never closed"),
        ("wall_time(\"\") < 2 s", "expected a name, found an empty one"),
        (r#"wall_time("\n") < 2 s"#, "expected `\\\"` or `\\\\`, found `n`"),
        (
            "wall_time(\"\u{1b}\") < 1 s",
            "expected a name without control characters, found `\\u{1b}`",
        ),
        ("wall_time(a < 2 s", "expected `)`, found `<`"),
        ("(wall_time(a) < 2 s", "expected an operator or `)`, found `<`"),
        ("wall_time(a)) < 2 s", "expected a comparison (`<`, `<=`, `>`, `>=` or `==`), found `)`"),
        ("wall_time(a) = 2 s", "expected a comparison (`<`, `<=`, `>`, `>=` or `==`), found `=`"),
        ("wall_time(a) != 2 s", "expected a comparison (`<`, `<=`, `>`, `>=` or `==`), found `!`"),
        ("wall_time(a) < 2 s;", "expected an operator, a comparison or the end, found `;`"),
        ("wall_time(a) < 2 s || 1 < 2", "`||` joins expectations, and each stands for itself"),
        ("wall_time(a) < 2 mb", "unknown unit `mb`"),
        ("wall_time(a) < 2 m", "unknown unit `m`"),
        ("wall_time(a) < 1. s", "`1.` is not a number"),
        (
            "wall_time(a) < .5 s",
            "expected a number or a figure such as `wall_time(HEAD)`, found `.`",
        ),
        ("wall_time(a) < 1e999 s", "`1e999 s` is too large to compute with"),
        ("wall_time(a) < 1e-999 s", "`1e-999 s` is too large to compute with"),
        ("peak_rss(a) < 1e300 TB", "`1e300 TB` is too large to compute with"),
        ("wall_time(a) / 0 < 2 s", "the divisor is 0"),
        ("wall_time(a) / (1 - 1) < 2 s", "the divisor is 0"),
        ("1 s < wall_time(a) > 2 s", "`<` and `>` in one chain"),
        ("1 s == wall_time(a) <= 2 s", "`==` and `<=` in one chain"),
        ("wall_time(a) * wall_time(b) < 1 s", "s^2 cannot be compared with seconds"),
        ("wall_time(a) - peak_rss(a) < 1 s", "bytes cannot be taken from seconds"),
        ("速さ(a) < 1 s", "unknown metric `速さ`"),
        ("wall_time(a) ≤ 1 s", "expected a comparison (`<`, `<=`, `>`, `>=` or `==`), found `≤`"),
        ("wall_time(a) < 2 s 3 s", "expected an operator, a comparison or the end, found `3`"),
        (
            "wall_time(a) < 2 wall_time(b)",
            "expected an operator, a comparison or the end, found `wall_time`",
        ),
    ] {
        let read = Expectation::parse(text, &vocabulary());
        let told = read.err().map_or(String::new(), |error| error.to_string());
        assert_eq!(told, error, "{text}");
    }
}

#[test]
fn hostile_texts_are_refused_and_not_suffered() {
    let problem =
        |text: &str| Expectation::parse(text, &vocabulary()).expect_err("hostile").problem;
    let nested =
        |depth: usize| format!("{}wall_time(a){} < 1 s", "(".repeat(depth), ")".repeat(depth));
    assert!(Expectation::parse(&nested(MOST_DEPTH), &vocabulary()).is_ok());
    assert_eq!(*problem(&nested(MOST_DEPTH + 1)), Problem::TooDeep);
    assert_eq!(*problem(&format!("{}wall_time(a) < 1 s", "-".repeat(4000))), Problem::TooDeep);
    assert_eq!(*problem(&"(".repeat(4000)), Problem::TooDeep);
    let long = format!("{} < 1 s", "wall_time(a) + ".repeat(100_000));
    assert_eq!(*problem(&long), Problem::TooLong(long.len()));
    // Of maximum length, and all operators.
    let sum = format!("instructions(a){} < 1", "+1".repeat((MOST_BYTES - 19) / 2));
    let read = expectation(&sum);
    assert_eq!(read.relation.to_string().matches(" + ").count(), (MOST_BYTES - 19) / 2);
}

#[test]
fn the_name_of_an_expectation_is_that_of_what_it_says() {
    let id = |text| expectation(text).id().to_string();
    assert_eq!(id("wall_time(a) < 1 s"), id(" (wall_time( a ))<1s"));
    assert_ne!(id("wall_time(a) < 1 s"), id("wall_time(a) < 2 s"));
    // By hand, with another FNV-1a over the canonical text. Names are stored: they must not change.
    assert_eq!(id("wall_time(a) < 1 s"), "4d15c430aacb");
}

#[test]
fn figures_know_where_they_stand() {
    let text = "wall_time( a ) < 2 * wall_time(\"b c\")";
    let read = expectation(text);
    let written: Vec<&str> = read.figures.iter().map(|(_, span)| &text[span.clone()]).collect();
    assert_eq!(written, ["wall_time( a )", "wall_time(\"b c\")"]);
}

fn figure(metric: &'static str, unit: Unit, name: &str, revision: Option<&str>) -> Expression {
    let subject = Subject { name: name.to_owned(), revision: revision.map(str::to_owned) };
    Expression::Figure(Figure::new(MetricId::known(metric), unit, subject))
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("HEAD~1".to_owned()),
        Just("HEAD@{1}".to_owned()),
        Just("a \"b\" \\ c".to_owned()),
        "[a-zA-Z0-9_./@{}\"\\\\ ()\u{e9}\u{901f}-]{1,12}",
    ]
}

/// Dimensionless values, so that any two may be combined.
fn expression() -> impl Strategy<Value = Expression> {
    let number = (0.0..1e12_f64, any::<bool>()).prop_map(|(number, percent)| {
        let unit = percent.then(|| UNITS.iter().find(|unit| unit.symbol == "%")).flatten();
        Expression::Number(Quantity { number, unit })
    });
    let extreme = prop_oneof![Just(1e300), Just(5e-300), Just(0.0), Just(1e16), Just(1e-5)]
        .prop_map(|number| Expression::Number(Quantity { number, unit: None }));
    let measured = (name(), proptest::option::of(name())).prop_map(|(name, revision)| {
        figure("instructions", Unit::Count, &name, revision.as_deref())
    });
    prop_oneof![number, extreme, measured].prop_recursive(6, 40, 2, |inner| {
        let operator = prop_oneof![
            Just(Operator::Plus),
            Just(Operator::Minus),
            Just(Operator::Times),
            Just(Operator::Over)
        ];
        prop_oneof![
            (operator, inner.clone(), inner.clone())
                .prop_map(|(operator, left, right)| left.combine(operator, right)),
            inner.prop_map(|inner| Expression::Negative(Box::new(inner))),
        ]
    })
}

proptest! {
    #[test]
    fn reading_what_was_written_gives_the_same_tree(left in expression(), right in expression()) {
        let left = left.combine(Operator::Plus, figure("instructions", Unit::Count, "a", None));
        let relation = Relation { first: left, rest: vec![(Comparator::AtMost, right)] };
        match Expectation::parse(&relation.to_string(), &vocabulary()) {
            Ok(read) => prop_assert_eq!(read.relation, relation),
            // Valid as a tree, but not as a text.
            Err(error) => prop_assert!(
                matches!(*error.problem, Problem::DivisionByZero | Problem::TooLong(_)),
                "{}: {}", relation, error
            ),
        }
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place(text in "\\PC{0,60}") {
        if let Err(error) = Expectation::parse(&text, &vocabulary()) {
            prop_assert!(error.span.end <= text.len().max(error.span.start));
            prop_assert!(error.place.line >= 1 && error.place.column >= 1);
        }
    }

    #[test]
    fn any_words_of_the_language_are_read_or_refused(
        words in proptest::collection::vec(
            prop_oneof![
                Just("wall_time(a)"), Just("peak_rss(b@c)"), Just("1"), Just("2 s"), Just("3 MB"),
                Just("+"), Just("-"), Just("*"), Just("/"), Just("("), Just(")"), Just("<"),
                Just("<="), Just("=="), Just(">"), Just("%"), Just("\""), Just("@"), Just("é"),
            ],
            0..12,
        )
    ) {
        let text = words.join(" ");
        if let Ok(read) = Expectation::parse(&text, &vocabulary()) {
            let again = Expectation::parse(&read.relation.to_string(), &vocabulary());
            prop_assert_eq!(again.expect("canonical").relation, read.relation);
        }
    }
}
