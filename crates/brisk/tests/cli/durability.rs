//! Kills and interruptions: finished work is kept, and nothing keeps running.

use crate::document::{list, measured, summary};
use crate::lab::{Lab, eventually};

/// Kills a comparison of two scripts that record their ends in `log`, once that has this number of
/// lines, and checks that all finished runs are stored.
fn kill_after(lines: usize, script: &str) {
    let lab = Lab::new();
    let arguments = ["compare", "-r", "100000", "-n", "a", "-n", "b", script, script];
    let running = lab.start(&arguments);
    eventually("running", || lab.lines("log").len() >= lines);
    running.signal("KILL");
    assert_eq!(running.wait().code, None);
    lab.nothing_is_left();
    // A script records itself last, so only the run in flight can have done so without being
    // stored.
    let done = lab.lines("log").len();
    let listed = lab.brisk(&["list"]).succeeded();
    assert!(listed.stdout.contains("interrupted"), "{listed}");
    let document = lab.exported("1");
    let stored = list(&document, "runs").len();
    assert!(stored + 1 >= done && stored <= done, "{stored} stored of {done} done");
    assert_eq!(document["experiment"]["stop"], "interrupted");
    let rounds = document["experiment"]["rounds"].as_u64().expect("a number") as usize;
    assert_eq!(rounds, stored / 2);
    assert_eq!(summary(&document, 0, "wall_time")["n"], rounds);
    lab.brisk(&["show", "1"]).succeeded().says("A a").says("wall time").says("until interrupted");
    // The store remains usable.
    lab.brisk(&["compare", "-r", "2", "true"]).succeeded();
    lab.brisk(&["show", "2"]).succeeded();
    assert_eq!(lab.brisk(&["list"]).succeeded().stdout.lines().count(), 3);
}

#[test]
fn kill_9_loses_at_most_the_run_in_flight_of_slow_commands() {
    kill_after(5, "sleep 0.05; echo x >> log");
}

#[test]
fn kill_9_loses_at_most_the_run_in_flight_of_fast_commands() {
    for lines in [2, 25, 100, 333] {
        kill_after(lines, "echo x >> log");
    }
}

#[test]
fn kill_9_ends_the_command_too() {
    let lab = Lab::new();
    let running = lab.start(&["compare", "sh -c 'echo x >> log; sleep 1000 & sleep 1001'"]);
    let sleeps = |seconds: &str| {
        lab.processes().iter().any(|words| words.trim_end() == format!("sleep {seconds}"))
    };
    eventually("running", || sleeps("1000") && sleeps("1001"));
    running.signal("KILL");
    running.wait();
    lab.nothing_is_left();
    // Nothing was finished, and the error says so.
    lab.brisk(&["show", "1"])
        .refused("experiment 1 ended before its first round was done")
        .because("no run is stored");
    lab.brisk(&["list"]).succeeded().says("interrupted");
}

#[test]
fn an_experiment_that_still_runs_is_listed_and_left_alone() {
    let lab = Lab::new();
    let running = lab.start(&["compare", "-r", "100000", "echo x >> log; sleep 0.01"]);
    eventually("running", || lab.lines("log").len() > 4);
    lab.brisk(&["list"]).succeeded().says("being measured");
    lab.brisk(&["show", "1"]).succeeded().says("wall time");
    running.signal("INT");
    running.wait().failed("interrupted after");
    let document = lab.exported("1");
    assert_eq!(document["experiment"]["stop"], "interrupted");
}

#[test]
fn ctrl_c_keeps_the_finished_rounds_and_says_where() {
    for signal in ["INT", "TERM", "HUP"] {
        let lab = Lab::new();
        let script = "sleep 0.01; echo x >> log";
        let running =
            lab.start(&["compare", "-r", "100000", "--export-json", "direct.json", script, script]);
        eventually("running", || lab.lines("log").len() > 9);
        running.signal(signal);
        let ended = running.wait().failed("interrupted after ");
        let ended = ended.hinting("to continue; `brisk show 1`").says("until interrupted");
        lab.nothing_is_left();
        let shown = lab.brisk(&["show", "1"]).succeeded();
        assert_eq!(shown.stdout, ended.stdout);
        let document = lab.exported("1");
        let rounds = document["experiment"]["rounds"].as_u64().expect("a number");
        assert!(rounds >= 4 && ended.stderr.contains(&format!("after {rounds} rounds")), "{ended}");
        assert_eq!(lab.json("direct.json"), document);
        let done = lab.lines("log").len();
        let stored = measured(&document).len();
        assert!(stored + 1 >= done, "{stored} stored of {done} done");
    }
}

#[test]
fn ctrl_c_in_the_first_round_leaves_nothing_running() {
    let lab = Lab::new();
    let running = lab.start(&["compare", "true", "sh -c 'echo x >> log; sleep 1000'"]);
    eventually("running", || !lab.lines("log").is_empty());
    running.signal("INT");
    running.wait().refused("interrupted before the first round was done");
    lab.nothing_is_left();
    lab.brisk(&["list"]).succeeded();
}

#[test]
fn two_briskes_share_a_store() {
    let lab = Lab::new();
    let start = |rounds| lab.start(&["compare", "-r", rounds, "sleep 0.002", "sleep 0.002"]);
    let both = [start("40"), start("60")];
    let meanwhile = lab.brisk(&["list"]).exited(0);
    assert!(meanwhile.stdout.lines().count() <= 3, "{meanwhile}");
    for running in both {
        running.wait().judged();
    }
    let rounds_of = |id| lab.exported(id)["experiment"]["rounds"].as_u64().expect("a number");
    let mut rounds = [rounds_of("1"), rounds_of("2")];
    rounds.sort_unstable();
    assert_eq!(rounds, [40, 60]);
    for id in ["1", "2"] {
        let document = lab.exported(id);
        let rounds = document["experiment"]["rounds"].as_u64().expect("a number") as usize;
        assert_eq!(measured(&document).len(), 2 * rounds);
    }
}

#[test]
fn an_experiment_without_a_finished_round_says_what_is_stored_of_it() {
    let lab = Lab::new();
    let dies = "sh -c 'test -e there && exit 3; touch there'";
    lab.brisk(&["compare", "-r", "5", "-w", "1", dies]).failed("exited with status 3");
    let shown = lab.brisk(&["show", "1"]).refused("experiment 1 failed before its first round");
    shown.because("stored").hinting("`brisk export 1 --export-json FILE`");
    assert!(!lab.exported("1")["runs"].as_array().expect("a list").is_empty());
}

/// A program that records its runs, and waits in the one after the tenth until the file `go`
/// exists.
const WAITS: &str =
    "echo x >> log\n[ $(wc -l < log) -le 10 ] || while [ ! -e go ]; do sleep 0.01; done\n";

#[test]
fn an_interrupted_comparison_goes_on_unless_it_is_another_one() {
    let lab = Lab::new();
    lab.write("prog", WAITS);
    let compare = ["compare", "-r", "12", "sh prog a", "sh prog b"];
    let running = lab.start(&compare);
    eventually("running", || lab.lines("log").len() > 10);
    running.signal("INT");
    let ended = running.wait().failed("interrupted after 5 rounds");
    ended.hinting("run the same command again to continue");
    let before = lab.exported("1");
    let before = measured(&before);
    lab.write("go", "");
    let other = |options: &[&str]| {
        let ended = lab.brisk(&[&compare[..], options].concat()).judged();
        assert!(!ended.remarks.contains("continues"), "{}", ended.remarks);
    };
    other(&["--margin", "3"]);
    other(&["-n", "a"]);
    let on = lab.brisk(&compare).judged().remarks;
    assert!(on.contains("continues experiment 1: 5 rounds so far\n"), "{on}");
    let after = lab.exported("1");
    let after = measured(&after);
    assert_eq!(before, after[..before.len()]);
    assert_eq!(after.len(), 2 * 12);
    other(&["--remeasure"]);
    assert_eq!(lab.brisk(&["list"]).succeeded().stdout.lines().count(), 1 + 4);
}

#[test]
fn a_comparison_whose_program_was_changed_does_not_go_on() {
    let lab = Lab::new();
    lab.write("prog", WAITS);
    let compare = ["compare", "-r", "12", "sh prog a", "sh prog b"];
    let running = lab.start(&compare);
    eventually("running", || lab.lines("log").len() > 10);
    running.signal("INT");
    running.wait().failed("interrupted after 5 rounds");
    lab.write("prog", "echo x >> log\n");
    let anew = lab.brisk(&compare);
    let note = "note: experiment 1 does not go on: `prog` has changed since it began";
    assert!(anew.stderr.starts_with(note), "{anew}");
    assert_eq!(measured(&lab.exported("2")).len(), 2 * 12);
}
