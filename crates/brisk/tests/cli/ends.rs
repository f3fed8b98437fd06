//! Signals to all processes or to the wrong one, and full disks: finished work is kept as after
//! `kill -9`, and the cleanup runs.

use crate::document::{list, measured};
use crate::lab::{Lab, Running, eventually};

/// A short script that records its end in `log`.
const NOTED: &str = "echo x >> log";

/// Starts a comparison of fast scripts, and waits until some have run.
fn started(lab: &Lab) -> Running {
    let cleanup = "echo clean >> cleaned";
    let arguments = ["compare", "-r", "100000", "--cleanup", cleanup, NOTED, NOTED];
    let running = lab.start(&arguments);
    eventually("running", || lab.lines("log").len() > 30);
    running
}

/// Asserts that every run in the log is stored, except the one in flight.
fn all_is_stored(lab: &Lab) {
    let done = lab.lines("log").len();
    let document = lab.exported("1");
    let stored = list(&document, "runs").len();
    assert!(stored + 1 >= done && stored <= done, "{stored} stored of {done} done");
    assert_eq!(document["experiment"]["stop"], "interrupted");
}

#[test]
fn a_launcher_that_is_killed_loses_no_finished_run() {
    let lab = Lab::new();
    let running = started(&lab);
    running.signal_launcher("KILL");
    running.wait().failed("the launcher process ").hinting("stored as experiment 1");
    lab.nothing_is_left();
    assert_eq!(lab.lines("cleaned").len(), 2, "cleaned up without it");
    all_is_stored(&lab);
}

#[test]
fn a_signal_to_every_process_is_an_interruption() {
    for signal in ["TERM", "INT", "HUP"] {
        let lab = Lab::new();
        let running = started(&lab);
        lab.signal_all(signal);
        running.wait().failed("interrupted after ");
        lab.nothing_is_left();
        assert_eq!(lab.lines("cleaned").len(), 2);
        all_is_stored(&lab);
    }
}

#[test]
fn a_signal_to_every_process_of_a_slow_command_is_an_interruption() {
    for script in
        ["echo x >> log; sleep 1000", "trap 'exit 1' TERM; echo x >> log; sleep 1000 & wait"]
    {
        let lab = Lab::new();
        let running = lab.start(&["sweep", "-L", "n", "a,b", &format!("true {{n}}; {script}")]);
        eventually("running", || lab.lines("log").len() == 1);
        lab.signal_all("TERM");
        running.wait().refused("interrupted before the first round was done");
        lab.nothing_is_left();
        assert!(lab.brisk(&["list"]).succeeded().stdout.contains("interrupted"));
    }
}

#[test]
fn a_sweep_goes_on_after_its_launcher_was_killed() {
    let lab = Lab::new();
    let arguments = ["sweep", "-r", "30", "-L", "n", "a,b", "echo {n} >> log; sleep 0.02"];
    let running = lab.start(&arguments);
    eventually("running", || lab.lines("log").len() > 12);
    running.signal_launcher("KILL");
    running
        .wait()
        .failed("the launcher process ")
        .hinting("run the same command again to continue");
    let before = lab.lines("log").len();
    lab.brisk(&arguments).succeeded();
    assert_eq!(lab.brisk(&["list"]).succeeded().stdout.lines().count(), 2, "one experiment");
    let stored = measured(&lab.exported("1")).len();
    let done = lab.lines("log").len();
    assert!(stored + 1 >= done && stored <= done, "{stored} stored of {done} done");
    // A cut-off round is not completed.
    assert!(done > before && (59..=60).contains(&stored), "{before} {done} {stored}");
}

#[test]
fn a_command_that_stops_the_launcher_ends_the_experiment_and_can_be_interrupted() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "3", "sh -c 'kill -STOP $PPID'"])
        .refused("the launcher process was stopped while `sh -c 'kill -STOP $PPID'` ran");
    let always = "sh -c 'trap \"\" TERM; echo x >> log; while :; do kill -STOP $PPID; done'";
    let running = lab.start(&["compare", "-r", "3", always]);
    eventually("running", || !lab.lines("log").is_empty());
    running.signal("INT");
    running.wait().exited(2);
    lab.nothing_is_left();
}

#[test]
fn ctrl_c_during_a_cleanup_is_told() {
    let lab = Lab::new();
    let cleanup = "echo x >> cleaned; sleep 1000";
    let running = lab.start(&["compare", "-r", "3", "--cleanup", cleanup, "true", "true"]);
    eventually("cleaning up", || lab.lines("cleaned").len() == 1);
    running.signal("INT");
    running
        .wait()
        .failed("the cleanup command of `true` was interrupted")
        .hinting("everything is kept")
        .says("3 rounds");
    assert_eq!(lab.lines("cleaned").len(), 1);
    lab.nothing_is_left();
    lab.brisk(&["show", "1"]).succeeded().says("3 rounds");
}

#[test]
fn a_cleanup_that_fails_does_not_spoil_an_interruption() {
    let lab = Lab::new();
    let arguments =
        ["sweep", "-L", "n", "a,b", "--cleanup", "exit 3", "echo {n} >> log; sleep 0.01"];
    let running = lab.start(&arguments);
    eventually("running", || lab.lines("log").len() > 8);
    running.signal("INT");
    running
        .wait()
        .failed("the cleanup command of ")
        .hinting("run the same command again to continue");
    assert_eq!(lab.exported("1")["experiment"]["stop"], "interrupted");
}
