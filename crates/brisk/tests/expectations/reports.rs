//! Reports on expectations: on a terminal, as Markdown, as JUnit XML.

use std::io::Write as _;
use std::process::{Command, Stdio};

use findings::CheckedExpectation;
use judge::acceptance::{Acceptance, Signature, Standing, accept, standing};
use judge::level::Interval;
use model::expectation::Dimension;
use model::metric::Unit;
use model::verdict::Margin;
use page::terminal::Folds;
use proptest::prelude::*;
use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};
use report::expectations::{self, Beside, tally, value};
use report::junit::{self, Undecided};

use crate::support::{Given, expectation, judged};

fn checked(text: &str, why: Option<&str>, figures: &Given, accepted: bool) -> CheckedExpectation {
    let (read, evaluation) = (expectation(text), judged(text, figures));
    let signature = Signature {
        commit: Some("4f2c9a1b3d5e7f90".into()),
        why: "the index <pays> off".into(),
        who: "Ada".into(),
        unix_ns: 1,
    };
    let acceptances: Vec<Acceptance> = accepted
        .then(|| accept(&read, &evaluation, signature).expect("it fails"))
        .into_iter()
        .collect();
    let margin = Margin::new(0.01).expect("positive");
    let (standing, acceptance) = standing(read.id(), &evaluation, &acceptances, margin);
    CheckedExpectation {
        id: read.id(),
        that: text.to_owned(),
        why: why.map(str::to_owned),
        standing,
        acceptance: acceptance.cloned(),
        evaluation,
    }
}

fn all_kinds() -> Vec<CheckedExpectation> {
    let figures = Given::new(&[
        ("wall_time(new) / wall_time(old)", 0.62, 0.63, 0.64),
        ("peak_rss(x)", 2.9e6, 3.0e6, 3.1e6),
        ("allocated(HEAD) / allocated(main)", 1.05, 1.05, 1.05),
        ("wall_time(a)", 0.0009, 0.001, 0.0011),
    ]);
    vec![
        checked("wall_time(new) / wall_time(old) < 0.8", None, &figures, false),
        checked("peak_rss(x) < 2 MB", Some("it runs on <small> machines"), &figures, false),
        checked("allocated(HEAD) <= allocated(main) * 1.01", None, &figures, true),
        checked("0.5 ms < wall_time(a) < 1 ms", None, &figures, false),
        checked("instructions(a|b) < 1e9", None, &figures, false),
    ]
}

fn terminal(checked: &[CheckedExpectation], columns: usize) -> String {
    let styled = page::terminal::render(
        &expectations::page(checked, Beside::default()),
        columns,
        Folds::Closed,
    );
    anstream::adapter::strip_str(&styled).to_string()
}

#[test]
fn the_terminal_has_the_answer_a_table_and_what_there_is_to_say() {
    let expected = "\
5 expectations: 1 fails, 2 are undecided, 1 is accepted, 1 holds
fails: `peak_rss(x)` is 3.000 MB [2.900, 3.100]; it should be < 2 MB
undecided: `wall_time(a)` is 1.000 ms [0.900, 1.100]; whether it is < 1 ms stays open: it is too close for a longer
`--budget` to decide
undecided: not known: `instructions(a|b)`: not measured

standing   id            measured                 limit     expectation
fails      63896c5cb26c  3.000 MB [2.900, 3.100]  < 2 MB    peak_rss(x) < 2 MB
undecided  626ca4ad13ff  1.000 ms [0.900, 1.100]  > 500 µs  0.5 ms < wall_time(a) < 1 ms
                         1.000 ms [0.900, 1.100]  < 1 ms
undecided  75499a2386e5  missing                  <         instructions(a|b) < 1e9
accepted   f4f8c56a873e  exactly 1.05             <= 1.01   allocated(HEAD) <= allocated(main) * 1.01
holds      fe6e215312a1  0.630 [0.620, 0.640]     < 0.8     wall_time(new) / wall_time(old) < 0.8

fails: peak_rss(x) < 2 MB
   expected because: it runs on <small> machines

accepted: allocated(HEAD) <= allocated(main) * 1.01
   `allocated(HEAD) / allocated(main)` is exactly 1.05; it should be <= 1.01
   accepted by Ada at 4f2c9a1b3d5e: the index <pays> off
";
    assert_eq!(terminal(&all_kinds(), 120), expected);
}

#[test]
fn markdown_has_the_same() {
    let expected = r"**5 expectations: 1 fails, 2 are undecided, 1 is accepted, 1 holds**

**fails: `peak_rss(x)` is 3.000 MB [2.900, 3.100]; it should be < 2 MB**

**undecided: `wall_time(a)` is 1.000 ms [0.900, 1.100]; whether it is < 1 ms stays open: it is too close for a longer `--budget` to decide**

**undecided: not known: `instructions(a|b)`: not measured**

| standing | id | measured | limit | expectation |
|---|---|---|---|---|
| fails | `63896c5cb26c` | 3.000 MB [2.900, 3.100] | < 2 MB | `peak_rss(x) < 2 MB` |
| undecided | `626ca4ad13ff` | 1.000 ms [0.900, 1.100] | > 500 µs | `0.5 ms < wall_time(a) < 1 ms` |
|  |  | 1.000 ms [0.900, 1.100] | < 1 ms |  |
| undecided | `75499a2386e5` | missing | < | `instructions(a\|b) < 1e9` |
| accepted | `f4f8c56a873e` | exactly 1.05 | <= 1.01 | `allocated(HEAD) <= allocated(main) * 1.01` |
| holds | `fe6e215312a1` | 0.630 [0.620, 0.640] | < 0.8 | `wall_time(new) / wall_time(old) < 0.8` |

## fails: `peak_rss(x) < 2 MB`

expected because: it runs on \<small> machines

## accepted: `allocated(HEAD) <= allocated(main) * 1.01`

`allocated(HEAD) / allocated(main)` is exactly 1.05; it should be <= 1.01

accepted by Ada at `4f2c9a1b3d5e`: the index \<pays> off
";
    assert_eq!(
        page::markdown::render(&expectations::page(&all_kinds(), Beside::default())),
        expected
    );
}

#[test]
fn a_narrow_terminal_cuts_only_the_expectations() {
    let text = terminal(&all_kinds(), 60);
    assert!(text.contains("0.630 [0.620, 0.640]") && text.contains('…'), "{text}");
}

#[test]
fn nothing_expected_is_said_to_be_nothing() {
    assert_eq!(terminal(&[], 80), "no expectations\n");
    assert_eq!(
        page::markdown::render(&expectations::page(&[], Beside::default())),
        "**no expectations**\n"
    );
    assert_eq!(tally(&[Standing::Holds]), "1 expectation: 1 holds");
}

#[test]
fn values_are_told_with_their_unit_and_interval() {
    let told = |low, estimate, high, dimension: Dimension| {
        value(Interval::new(estimate, low, high).expect("in order"), dimension)
    };
    let (s, b) = (Dimension::from(Unit::Seconds), Dimension::from(Unit::Bytes));
    for (low, estimate, high, dimension, text) in [
        (0.0009, 0.001, 0.0011, s, "1.000 ms [0.900, 1.100]"),
        (2e6, 2e6, 2e6, b, "2 MB"),
        (1_234_567.0, 1_234_567.0, 1_234_567.0, b, "1.234567 MB"),
        (0.0, 0.0, 0.0, b, "0 B"),
        (0.8, 0.8, 0.8, Dimension::NONE, "0.8"),
        (1e-12, 1e-12, 1e-12, Dimension::NONE, "1e-12"),
        (100.0, 100.0, 100.0, Dimension::NONE, "100"),
        (2e9, 2e9, 2e9, Dimension::NONE, "2 G"),
        (0.9, 1.0, f64::INFINITY, Dimension::NONE, "1.000 [0.900, ?]"),
        (-0.2, -0.1, 0.1, s, "-100.0 ms [-200.0, 100.0]"),
        (3e9, 3e9, 3e9, Dimension::NONE.over(s), "3 GHz"),
        (5.0, 5.0, 5.0, b.over(s), "5 B s^-1"),
    ] {
        assert_eq!(told(low, estimate, high, dimension), text);
    }
}

/// The elements and their attributes in order; asserts that all of them are closed.
fn elements(xml: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut reader = Reader::from_str(xml);
    let mut elements = Vec::new();
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(element) | Event::Empty(element) => {
                let name = element.name().as_ref().to_owned();
                let attribute = |attribute: quick_xml::events::attributes::Attribute<'_>| {
                    let key = attribute.key.as_ref().to_owned();
                    (
                        key,
                        attribute
                            .normalized_value(XmlVersion::Explicit1_0)
                            .expect("escaped")
                            .into_owned(),
                    )
                };
                let attributes = element.attributes().map(|a| attribute(a.expect("an attribute")));
                elements.push((name, attributes.collect()));
            }
            Event::Eof => return elements,
            _ => {}
        }
    }
}

fn attribute<'a>(element: &'a (String, Vec<(String, String)>), key: &str) -> &'a str {
    element.1.iter().find(|(name, _)| name == key).map_or("", |(_, value)| value)
}

#[test]
fn junit_counts_what_failed_and_what_was_skipped() {
    for (undecided, failures, skipped) in
        [(Undecided::Skipped, "1", "2"), (Undecided::Failure, "3", "0")]
    {
        let elements = elements(&junit::render("zip & co", &all_kinds(), undecided));
        let names: Vec<&str> = elements.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[..2], ["testsuites", "testsuite"]);
        let suite = &elements[1];
        assert_eq!(attribute(suite, "name"), "zip & co: expectations");
        assert_eq!(attribute(suite, "tests"), "5");
        assert_eq!(attribute(suite, "errors"), "0");
        assert_eq!(attribute(suite, "failures"), failures);
        assert_eq!(attribute(suite, "skipped"), skipped);
        let count = |name: &str| names.iter().filter(|other| **other == name).count().to_string();
        assert_eq!(count("testcase"), "5");
        assert_eq!((count("failure").as_str(), count("skipped").as_str()), (failures, skipped));
    }
    let elements = elements(&junit::render("x", &all_kinds(), Undecided::Skipped));
    let failure = elements.iter().find(|(name, _)| name == "failure").expect("one fails");
    assert_eq!(
        attribute(failure, "message"),
        "`peak_rss(x)` is 3.000 MB [2.900, 3.100]; it should be < 2 MB"
    );
}

#[test]
fn another_reader_understands_the_junit_xml() {
    const SCRIPT: &str = "import sys, xml.etree.ElementTree as tree\n\
                          root = tree.fromstring(sys.stdin.buffer.read())\n\
                          print(root.tag, len(root.findall('./testsuite/testcase')),\n\
                          root.find('.//failure').get('type'), end='')";
    #[expect(clippy::disallowed_methods, reason = "another reader, not measured")]
    let python = Command::new("python3")
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut python) = python else {
        println!("JUnit XML by another reader: not checked (there is no python3)");
        return;
    };
    let xml = junit::render("größe \u{1}", &all_kinds(), Undecided::Skipped);
    python.stdin.take().expect("piped").write_all(xml.as_bytes()).expect("python reads");
    let ended = python.wait_with_output().expect("python ends");
    assert!(ended.status.success());
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "testsuites 5 fails");
}

proptest! {
    #[test]
    fn any_text_survives_junit_as_far_as_xml_can_hold_it(that in any::<String>()) {
        let mut one = all_kinds().remove(1);
        one.that.clone_from(&that);
        one.why = Some(that.clone());
        let elements = elements(&junit::render(&that, &[one], Undecided::Skipped));
        let held: String = that
            .chars()
            .map(|c| {
                let control = c < ' ' && !['\t', '\n', '\r'].contains(&c);
                if control || matches!(c, '\u{fffe}' | '\u{ffff}') { '\u{fffd}' } else { c }
            })
            .collect();
        let case = elements.iter().find(|(name, _)| name == "testcase").expect("one case");
        prop_assert_eq!(attribute(case, "name"), held);
    }

    #[test]
    fn any_text_fits_any_terminal(that in "\\PC{0,80}", columns in 0_usize..200) {
        let mut one = all_kinds().remove(1);
        one.that = that;
        let shown = terminal(std::slice::from_ref(&one), columns).replace('\n', " ");
        prop_assert!(shown.starts_with("1 expectation: 1 fails "), "{}", shown);
        let markdown = page::markdown::render(&expectations::page(&[one], Beside::default()));
        prop_assert!(markdown.lines().filter(|line| line.starts_with("| fails |")).count() == 1);
    }
}
