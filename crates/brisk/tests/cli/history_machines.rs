//! Histories that move between machines: results are not mixed, and the bridge is named.

use serde_json::Value;

use crate::document::list;
use crate::history_suite::{commits, suite};
use crate::lab::Lab;
use crate::repository::{LONG, Repository, SHORT};

fn change(lab: &Lab, sql: &str) {
    let store = rusqlite::Connection::open(lab.store()).expect("it opens");
    assert_eq!(store.execute(sql, []).expect("it is writable"), 1);
}

/// Attributes experiment 1 to another machine, whose clock is a day ahead.
fn moved(lab: &Lab) {
    change(
        lab,
        "UPDATE experiment_detail SET
             machine = json_set(machine, '$.hostname', 'elsewhere', '$.cpu_model', 'Example 9000'),
             summary = json_set(summary, '$.machine.hostname', 'elsewhere',
                 '$.machine.cpu_model', 'Example 9000'),
             subject = json_set(subject, '$.machine.hostname', 'elsewhere', '$.folder', '/there')
         WHERE experiment = 1",
    );
    change(lab, "UPDATE experiment SET started_unix_ns = started_unix_ns + 86400000000000");
}

fn machines(document: &Value) -> Vec<&str> {
    let all = list(document, "comparisons").iter();
    let mut names: Vec<&str> = all.filter_map(|part| part["machine"].as_str()).collect();
    names.dedup();
    names
}

#[test]
fn a_history_that_goes_on_elsewhere_begins_there_with_a_bridge() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, LONG, SHORT]);
    let before = repository.document(&["--runs", "8"]);
    assert!(list(&before, "comparisons").iter().all(|part| part.get("machine").is_none()));
    moved(&lab);
    let bridge = repository.head();
    repository.commit_costing("new", LONG);
    let runs = repository.runs();
    let after = repository.document(&["--runs", "8"]);
    // Only the bridge and the new commit.
    assert_eq!(repository.runs() - runs, 2 * 8);
    let of_second = lab.exported("2");
    assert_eq!(of_second["history"]["experiments"], serde_json::json!([1, 2]));
    let names = machines(&after);
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names[0].starts_with("Example 9000, ") && !names[1].contains("9000"), "{names:?}");
    let on: Vec<bool> = list(&after, "steps")
        .iter()
        .map(|step| step["machine"].as_str().expect("it is named").contains("9000"))
        .collect();
    assert_eq!(on, [true, true, false]);
    // A pair's result comes from one machine, here as there.
    let steps = |document: &Value| {
        list(document, "steps")[..2].iter().map(|s| s["ratio"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(steps(&after), steps(&before));
    let notes = list(&after, "notes");
    let of = |kind: &str| notes.iter().filter(|note| note["kind"] == kind).collect::<Vec<_>>();
    assert_eq!(of("bridge").len(), 1, "{notes:?}");
    assert_eq!(of("bridge")[0]["metric"], "cost[seconds]");
    let variant = of("bridge")[0]["variant"].as_u64().and_then(|n| usize::try_from(n).ok());
    let labels = &list(&after, "variants")[variant.expect("a number")]["labels"];
    assert_eq!(labels["commit"], bridge);
    let shown = lab.brisk(&["show", "2"]).succeeded();
    let shown = shown.says(&format!("{} is the bridge", &bridge[..7]));
    shown
        .says("the hostname is")
        .says("and was elsewhere")
        .says("each pair was compared on one machine: 2 pairs on Example 9000")
        .says(", on Example 9000");
    // The report from the other machine is unchanged.
    lab.brisk(&["show", "1"]).succeeded();
    // Nothing is missing, so nothing is measured.
    let runs = repository.runs();
    repository.history(&["--runs", "8"]).judged();
    assert_eq!(repository.runs(), runs);
}

#[test]
fn everything_is_measured_here_where_that_is_wanted() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, LONG]);
    repository.history(&["--runs", "8"]).judged();
    moved(&lab);
    let runs = repository.runs();
    let told = repository.history(&["--runs", "8"]).judged();
    assert_eq!(repository.runs(), runs, "all is known: {told}");
    let here = repository.document(&["--runs", "8", "--remeasure"]);
    assert_eq!(repository.runs() - runs, 2 * 8);
    assert_eq!(machines(&here), [""; 0]);
    assert!(list(&here, "notes").iter().all(|note| note["kind"] != "machine-changed"));
}

/// A kernel update is another state of the same machine.
#[test]
fn no_rounds_are_added_to_an_experiment_of_another_state() {
    let lab = Lab::new();
    let ways = ["sweep", "--counters", "none", "--runs", "4", "--param", "s=0.001,0.002"];
    let sweep = |runs: &str| {
        let mut words = ways;
        words[4] = runs;
        lab.brisk(&[&words[..], &["sleep {s}"]].concat())
    };
    sweep("4");
    change(
        &lab,
        "UPDATE experiment SET state = 'interrupted', stop_reason = 'interrupted' WHERE id = 1",
    );
    change(
        &lab,
        "UPDATE experiment_detail SET machine = json_set(machine, '$.kernel', '0.1')
         WHERE experiment = 1",
    );
    let told = sweep("5");
    let why = "note: experiment 1 does not go on: its kernel is `0.1`, and here it is";
    assert!(told.stderr.contains(why), "{told}");
    let listed = lab.brisk(&["list"]).succeeded().stdout;
    assert_eq!(listed.lines().count(), 3, "{listed}");
    lab.brisk(&["compare", "--runs", "4", "true"]).succeeded();
    change(
        &lab,
        "UPDATE experiment_detail SET machine = json_set(machine, '$.kernel', '0.1')
         WHERE experiment = 3",
    );
    lab.brisk(&["compare", "--with", "3", "true"])
        .refused("cannot compare with experiment 3")
        .because("the machine was in another state: its kernel is `0.1`, and here it is")
        .hinting("name both commands");
}

/// Each benchmark of a suite continues separately, and each pair names the machine it was compared
/// on.
#[test]
fn a_suite_goes_on_elsewhere_as_a_command_does() {
    let lab = Lab::new();
    let suites = |numbers: std::ops::Range<u32>| -> Vec<String> {
        let of = |number: u32| {
            let slower = ("slower", if number < 2 { 100 } else { 200 });
            suite(&number.to_string(), &[("steady", 100), slower], "")
        };
        numbers.map(of).collect()
    };
    let repository = commits(&lab, &suites(0..3));
    let measure = |repository: &Repository<'_>| {
        let options = ["--harness", "auto", "--runs", "16", "--export-json", "h.json"];
        repository.start_with(&options).wait().judged();
        repository.json("h.json")
    };
    measure(&repository);
    moved(&lab);
    repository.write("source", &suites(3..4)[0]);
    repository.commit("commit 3");
    let calls = lab.lines("calls").len();
    let after = measure(&repository);
    // Two benchmarks of the bridge and of the new commit.
    assert_eq!(lab.lines("calls").len() - calls, 2 * 2 * 16);
    let of_time =
        list(&after, "comparisons").iter().filter(|p| p["metric"] == "time_per_iteration");
    let mut pairs: Vec<(u64, bool)> = of_time
        .map(|part| {
            let machine = part["machine"].as_str().expect("it is named");
            (part["candidate"].as_u64().expect("a number"), machine.starts_with("Example 9000"))
        })
        .filter(|(candidate, _)| candidate % 4 != 0)
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let places: Vec<bool> = pairs.iter().map(|(_, is_there)| *is_there).collect();
    assert_eq!(places, [true, true, false, true, true, false], "{pairs:?}");
    let bridges = list(&after, "notes").iter().filter(|note| note["kind"] == "bridge");
    let variants: Vec<u64> = bridges.filter_map(|note| note["variant"].as_u64()).collect();
    assert_eq!(variants, [2, 6]);
}
