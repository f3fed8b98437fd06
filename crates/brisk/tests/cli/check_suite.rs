//! `brisk check` of expectations about the benchmarks inside programs.
//!
//! The suites print made-up figures, so every machine measures the same.

use serde_json::json;

use crate::bench::script;
use crate::check::{check, expecting, git, program};
use crate::document::list;
use crate::history_suite::suite;
use crate::lab::Lab;

/// Enough rounds to be certain of a factor of two.
const SUITE: &str =
    "\n[[benchmark]]\nname = 'suite'\ncommand = './suite'\nharness = 'auto'\nruns = 16\n";

/// A folder with a suite whose `large one` takes twice as long as `small`, and these expectations.
fn project(that: &[&str]) -> Lab {
    let lab = Lab::new();
    let body = "echo 'brisk-bench 1'\n[ \"$1\" = --list ] && printf 'small\\nlarge one\\n' && exit\n\
                shift\necho \"$*\" >> calls\n\
                for name; do case $name in small) t=100;; *) t=200;; esac\n\
                printf '%s\\t1000\\t0.%s%s\\tallocated=16000\\n' \"$name\" $t $(($$ % 90 + 10)); done\n";
    script(&lab, "suite", body);
    lab.write("brisk.toml", &(SUITE.to_owned() + &expecting(that)));
    lab
}

#[test]
fn benchmarks_of_a_suite_are_compared_with_each_other_and_with_limits() {
    let lab = project(&[
        "time_per_iteration(\"suite:large one\") / time_per_iteration(suite:small) < 2.1",
        "time_per_iteration(suite:small) < 150 us",
        "allocated_per_iteration(suite:small) < 16.5 B",
    ]);
    check(&lab, &["--export-json", "check.json"]).succeeded().says("3 expectations: 3 hold");
    let calls = lab.lines("calls");
    assert_eq!(calls.len(), 2 * 16, "each alone in a fresh process: {calls:?}");
    let document = lab.json("check.json");
    assert_eq!(document["check"]["expectations"][1]["standing"], "holds");
    let names: Vec<_> = list(&document, "variants").iter().map(|one| &one["name"]).collect();
    assert_eq!(json!(names), json!(["suite:small", "\"suite:large one\""]));
    let lab =
        project(&["time_per_iteration(\"suite:large one\") < time_per_iteration(suite:small)"]);
    check(&lab, &[]).exited(1).says("1 expectation: 1 fails");
}

#[test]
fn what_is_refused_of_suites_is_refused_with_its_place() {
    let refused = |that: &str, error: &str, hint: &str| {
        let lab = project(&[that]);
        program(&lab, "command", 300);
        let command = "\n[[benchmark]]\nname = 'command'\ncommand = './command'\nruns = 3\n";
        lab.write("brisk.toml", &(lab.read("brisk.toml") + command));
        let ended = check(&lab, &[]).refused(error);
        ended.hinting(hint);
        assert!(lab.lines("calls").is_empty(), "nothing was measured");
    };
    refused("time_per_iteration(suite) < 1 s", "`suite` does not say which", "suite:NAME");
    refused("time_per_iteration(suite:smal) < 1 s", "has no benchmark `smal`", "mean `small`");
    refused("wall_time(command:x) < 1 s", "`command` has no benchmark `x` inside", "harness");
    refused("gc_time(suite:small) < 1 s", "`brisk check` does not read `gc_time`", "allocated_per");
    refused(
        "wall_time(suite:small) < wall_time(command)",
        "`suite:small` and `command` are not measured together",
        "limit of its own",
    );
    let lab = project(&["time_per_iteration(command) < 1 s"]);
    program(&lab, "command", 300);
    let command = "\n[[benchmark]]\nname = 'command'\ncommand = './command'\n";
    lab.write("brisk.toml", &(lab.read("brisk.toml") + command));
    let ended = check(&lab, &[]).refused("`time_per_iteration` is read from a benchmark harness");
    ended.because("`command` is a command");
}

#[test]
fn commands_and_suites_are_checked_together_and_stored_apart() {
    let lab = project(&["time_per_iteration(suite:small) < 1 s", "wall_time(command) < 1 h"]);
    program(&lab, "command", 300);
    let command = "\n[[benchmark]]\nname = 'command'\ncommand = './command'\nruns = 12\n";
    lab.write("brisk.toml", &(lab.read("brisk.toml") + command));
    let ended = check(&lab, &["--export-json", "check.json"]).exited(0);
    let ended = ended.says("2 expectations: 2 hold");
    assert!(ended.stderr.contains("`brisk export 2`"), "{ended}");
    assert_eq!(lab.brisk(&["list"]).succeeded().stdout.lines().count(), 3);
}

#[test]
fn a_benchmark_of_a_suite_is_compared_between_commits() {
    let lab = Lab::new();
    let project = "[project]\nartifact = 'suite'\n".to_owned() + SUITE;
    let that = [
        "time_per_iteration(suite:a) / time_per_iteration(suite:a@first) < 1.5",
        "time_per_iteration(suite:b) / time_per_iteration(suite:b@first) < 1.5",
        "time_per_iteration(suite:new) / time_per_iteration(suite:new@first) < 1.5",
    ];
    lab.write("brisk.toml", &(project + &expecting(&that)));
    git(&lab, &["init", "-q"]);
    for (tag, a, more) in [("first", 100, None), ("second", 200, Some(("new", 100)))] {
        let benchmarks: Vec<(&str, u32)> = [("a", a), ("b", 100)].into_iter().chain(more).collect();
        let text = suite(tag, &benchmarks, "");
        script(&lab, "suite", text.strip_prefix("#!/bin/sh\n").expect("a script"));
        git(&lab, &["add", "suite", "brisk.toml"]);
        git(&lab, &["commit", "-q", "-m", tag]);
        git(&lab, &["tag", tag]);
    }
    let ended = check(&lab, &[]).exited(1).says("1 fails, 1 is undecided, 1 holds");
    ended.says("`suite` has no benchmark `new`");
}

#[test]
fn in_a_shared_process_the_whole_suite_runs() {
    let lab = project(&["time_per_iteration(suite:small) < 150 us"]);
    lab.write(
        "brisk.toml",
        &lab.read("brisk.toml").replace("runs = 16", "runs = 8\norder = 'together'"),
    );
    check(&lab, &[]).succeeded().says("1 holds");
    assert_eq!(lab.lines("calls"), ["small large one"; 8]);
}
