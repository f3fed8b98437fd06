//! Histories of suites that are split over several machines of a scripted engine.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::document::list;
use crate::engine::{TABLE, lab};
use crate::history_suite::{commits, suite};
use crate::lab::Lab;
use crate::repository::Repository;

/// A lab whose engine has two machines.
fn two_machines() -> Lab {
    let lab = lab("");
    lab.write("brisk.toml", &format!("{TABLE}nodes = 2\n"));
    let site = lab.path("brisk.toml").to_string_lossy().into_owned();
    lab.with("BRISK_SITE", site)
}

/// Of seven commits, `early` takes twice as long from the third on, `late` from the sixth on, and
/// `new` appears in the fourth.
fn usual(lab: &Lab) -> Repository<'_> {
    let benchmarks = |number: u32| {
        let twice = |from: u32| if number < from { 100 } else { 200 };
        let new = (number >= 3).then_some(("new", 300));
        [("early", twice(2)), ("late", twice(5))].into_iter().chain(new).collect::<Vec<_>>()
    };
    let one = |number: u32| suite(&number.to_string(), &benchmarks(number), "");
    commits(lab, &(0..7).map(one).collect::<Vec<_>>())
}

fn history(lab: &Lab, repository: &Repository<'_>, options: &[&str]) -> Value {
    let usual = ["--harness", "auto", "--runs", "16", "--export-json", "h.json"];
    repository.start_with(&[&usual[..], options].concat()).wait().exited(1);
    lab.json("h.json")
}

/// The steps: the benchmark, the commit and the verdict of each.
fn steps(document: &Value) -> BTreeSet<[String; 3]> {
    let text = |step: &Value, key: &str| step[key].as_str().expect("a text").to_owned();
    let step = |step: &Value| ["benchmark", "commit", "verdict"].map(|key| text(step, key));
    list(document, "steps").iter().map(step).collect()
}

#[test]
fn a_suite_is_cut_for_several_machines_and_has_the_same_steps() {
    // There are eighteen pairs of benchmark and commit. Alone, the cut goes through one benchmark,
    // so one of its commits is measured on both machines; together, all three benchmarks of the
    // fifth commit are.
    for (order, measured) in [("alone", 18 + 1), ("together", 18 + 3)] {
        let lab = two_machines();
        let repository = usual(&lab);
        let cut = history(&lab, &repository, &["--on", "far", "--order", order]);
        assert_eq!(lab.lines("submissions").len(), 2, "{order}");
        assert_eq!(list(&cut["history"], "experiments").len(), 2, "{order}");
        assert_eq!(lab.lines("calls").len(), 16 * measured, "{order}");
        // Everything is known now.
        history(&lab, &repository, &["--on", "far", "--order", order]);
        assert_eq!(lab.lines("submissions").len(), 2, "{order}");
        let whole = history(&lab, &repository, &["--order", order]);
        assert_eq!(steps(&cut), steps(&whole), "{order}");
        assert_eq!(steps(&cut).len(), 2, "{order}");
    }
}

#[test]
fn what_cannot_be_measured_on_one_machine_is_stepped_over_on_all() {
    let lab = two_machines();
    let fails = "[ \"$name\" != b ] || exit 3";
    let one = |number: u32| {
        let units = if number < 3 { 100 } else { 200 };
        suite(
            &number.to_string(),
            &[("a", units), ("b", 100)],
            if number == 2 { fails } else { "" },
        )
    };
    let repository = commits(&lab, &(0..6).map(one).collect::<Vec<_>>());
    let cut = history(&lab, &repository, &["--on", "far", "--order", "alone"]);
    let whole = history(&lab, &repository, &["--order", "alone"]);
    assert_eq!(steps(&cut), steps(&whole));
    assert_eq!(steps(&cut).len(), 1);
    let compared = |document: &Value| list(document, "histories").len();
    assert_eq!(compared(&cut), compared(&whole));
}
