//! Instruction counts: by the processor, by valgrind, or missing with a reason.

use serde_json::Value;

use crate::document::{list, measured};
use crate::lab::{Lab, eventually, has, not_checked};

/// A shell program that only counts.
fn counting(to: u32) -> String {
    format!("i=0; while [ $i -lt {to} ]; do i=$((i+1)); done")
}

/// The comparison of the counted instructions.
fn instructions(document: &Value) -> &Value {
    let comparisons = list(document, "comparisons");
    let found = comparisons
        .iter()
        .find(|part| part["metric"] == "instructions" && part["source"] == "valgrind");
    found.expect("instructions were counted")
}

#[test]
fn what_the_processor_does_not_count_is_missing_and_no_error() {
    let lab = Lab::new();
    for counters in ["auto", "none"] {
        let document = lab.compared(&["--counters", counters, "-r", "3", "true", "true"]);
        for run in measured(&document) {
            for metric in ["instructions", "cycles", "cache_misses", "branch_misses"] {
                let reading = &run["readings"][metric];
                let reason = reading["missing"].as_str();
                let value = reading.as_f64();
                assert!(
                    value.is_some_and(|value| value > 0.0 || metric.ends_with("misses"))
                        || reason.is_some_and(|reason| !reason.is_empty()),
                    "{metric}: {reading}"
                );
            }
        }
    }
}

#[test]
fn counters_that_are_demanded_are_there_or_refused() {
    let lab = Lab::new();
    let ended = lab.brisk(&["compare", "--counters", "perf", "-r", "2", "touch ran"]);
    if ended.code == Some(0) {
        let document = lab.exported("1");
        assert!(measured(&document)[0]["readings"]["instructions"].is_number());
    } else {
        ended.refused("cannot count").hinting("`--counters valgrind`");
        assert!(!lab.exists("ran"));
    }
}

#[test]
fn without_valgrind_its_counts_are_refused_before_anything_runs() {
    let lab = Lab::new().with("PATH", "/nowhere");
    lab.write("program", "#!/bin/sh\necho x > ran\n");
    assert!(crate::lab::run("chmod", &["+x", &lab.path("program").display().to_string()]));
    lab.brisk(&["compare", "--counters", "valgrind", "./program"])
        .refused("cannot find valgrind")
        .because("in PATH")
        .hinting("install it");
    assert!(!lab.exists("ran"));
    // The other metrics do not need it.
    lab.brisk(&["compare", "-r", "2", "./program"]).succeeded();
    assert!(lab.exists("ran"));
}

#[test]
fn valgrind_finds_equal_work_exactly_equal() {
    if !has("valgrind") {
        return not_checked("counting by valgrind: it is not installed");
    }
    let lab = Lab::new();
    let script = counting(300);
    let arguments = ["--counters", "valgrind", "--metrics", "instructions", "-r", "3", "-S"];
    let document = lab.compared(&[&arguments[..], &[&script, &script]].concat());
    let part = instructions(&document);
    assert_eq!(part["ratio"], 1.0);
    assert_eq!((&part["low"], &part["high"]), (&1.0.into(), &1.0.into()));
    assert_eq!(part["verdict"], "unchanged");
    assert_eq!(part["basis"], "exact");
    lab.brisk(&["show", "1"]).succeeded().says("exactly 1.000").says("agreed exactly");
    // The runs under valgrind are marked; timed runs are not.
    let marked = list(&document, "runs").iter().filter(|run| run["source"] == "valgrind");
    assert_eq!(marked.count(), 4);
    assert_eq!(measured(&document).len(), 6);
    assert!(measured(&document).iter().all(|run| !run["readings"]["instructions"].is_number()));
}

#[test]
fn valgrind_finds_a_tenth_of_a_percent() {
    if !has("valgrind") {
        return not_checked("counting by valgrind: it is not installed");
    }
    let lab = Lab::new();
    let (less, more) = (counting(10_000), counting(10_010));
    let arguments = ["compare", "--counters", "valgrind", "--metrics", "instructions", "-r", "2"];
    let options = ["-S", "--export-json", "results.json", less.as_str(), more.as_str()];
    let ended = lab.brisk(&[&arguments[..], &options].concat()).exited(1);
    ended.says("regressed").says("exactly");
    let document = lab.json("results.json");
    let part = instructions(&document);
    let ratio = part["ratio"].as_f64().expect("compared");
    assert!(ratio > 1.0 && ratio < 1.002, "{ratio}");
    assert_eq!(part["low"], part["high"]);
}

#[test]
fn ctrl_c_under_valgrind_keeps_the_timed_rounds_and_leaves_nothing_behind() {
    if !has("valgrind") {
        return not_checked("Ctrl-C under valgrind: it is not installed");
    }
    let lab = Lab::new();
    let scratch = lab.path("scratch");
    std::fs::create_dir(&scratch).expect("writable");
    let lab = lab.with("TMPDIR", scratch.display().to_string());
    // The third run is the first under valgrind.
    let script = "echo x >> log; [ $(wc -l < log) -lt 3 ] || sleep 1000";
    let running = lab.start(&["compare", "--counters", "valgrind", "-r", "2", script]);
    eventually("counting", || lab.lines("log").len() == 3);
    running.signal("INT");
    running.wait().failed("interrupted after 2 rounds").hinting("`brisk show 1`");
    lab.nothing_is_left();
    assert_eq!(measured(&lab.exported("1")).len(), 2);
    let left: Vec<_> = std::fs::read_dir(&scratch).expect("readable").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A program that detects valgrind runs differently under it.
#[test]
fn a_counted_run_that_ends_otherwise_than_the_plain_one_is_no_count() {
    let lab = Lab::new();
    lab.write(
        "p.c",
        "#include <stdlib.h>\n#include <string.h>\n\
         int main(void) { char *l = getenv(\"LD_PRELOAD\"); return l && strstr(l, \"vgpreload\") ? 1 : 3; }\n",
    );
    let (source, to) = (lab.path("p.c"), lab.path("p"));
    let path = |path: &std::path::Path| path.display().to_string();
    if !has("valgrind") || !crate::lab::run("cc", &["-o", &path(&to), &path(&source)]) {
        return not_checked("runs that end otherwise: there is no valgrind, or no compiler of C");
    }
    let counted = ["--counters", "valgrind", "--metrics", "wall_time,instructions", "-r", "3"];
    let document = lab.compared(&[&counted[..], &["-i", "./p"]].concat());
    let reason = "the instrumented run exited with status 1, the plain one exited with status 3";
    let is_it = |part: &Value| part["metric"] == "instructions" && part["reason"] == reason;
    assert!(list(&document, "missing").iter().any(is_it), "{document}");
    let notes = document["notes"].to_string();
    assert!(!notes.contains("\"instrumented\""), "nothing was counted: {notes}");
    let summaries = list(&document, "summaries").iter();
    assert!(!summaries.clone().any(|part| part["metric"] == "instructions"), "{document}");
    assert!(summaries.clone().any(|part| part["metric"] == "wall_time"), "{document}");
    let ended = lab.brisk(&["explain", "-q", "-i", "./p"]);
    ended.refused("`./p` exited with status 1 under callgrind, but exited with status 3 by itself");
}

#[test]
fn metrics_that_were_named_and_not_read_are_no_answer() {
    let lab = Lab::new();
    let usual = ["compare", "--quiet", "--runs", "2", "--counters", "none"];
    let named = [&usual[..], &["--metrics", "instructions,cycles", "true"]].concat();
    lab.brisk(&named).failed("could not be measured: `instructions`, `cycles`");
    // One metric with readings suffices; the report names the missing one.
    let both = [&usual[..], &["--metrics", "wall_time,instructions", "true"]].concat();
    lab.brisk(&both).exited(0).says("instructions: missing");
}
