//! Setup, prepare, conclude and cleanup commands: their timing, and the consequences of their
//! failures.

use crate::document::{measured, summary};
use crate::lab::{Lab, eventually};

/// Options for hooks that record their names, with the parameter.
const NOTED: [&str; 8] = [
    "--setup",
    "echo setup-{n} >> log",
    "--prepare",
    "echo prepare-{n} >> log",
    "--conclude",
    "echo conclude-{n} >> log",
    "--cleanup",
    "echo cleanup-{n} >> log",
];

#[test]
fn hooks_run_once_for_each_command_or_around_each_run() {
    let lab = Lab::new();
    let arguments = ["-r", "5", "-w", "2", "-L", "n", "a,b", "sh -c 'echo run-{n} >> log'"];
    let document = lab.compared(&[&NOTED[..], &arguments].concat());
    let log = lab.lines("log");
    assert_eq!(log[..2], ["setup-a", "setup-b"]);
    assert_eq!(log[log.len() - 2..], ["cleanup-a", "cleanup-b"]);
    let between = &log[2..log.len() - 2];
    assert_eq!(between.len(), 2 * 7 * 3);
    for run in between.chunks(3) {
        let variant = run[1].strip_prefix("run-").expect("a run between its hooks");
        assert_eq!(run[0], format!("prepare-{variant}"));
        assert_eq!(run[2], format!("conclude-{variant}"));
    }
    for variant in ["a", "b"] {
        assert_eq!(log.iter().filter(|line| **line == format!("run-{variant}")).count(), 7);
    }
    assert_eq!(measured(&document).len(), 10);
}

#[test]
fn prepare_and_conclude_can_be_one_for_each_command() {
    let lab = Lab::new();
    let options = ["-p", "echo pa >> log", "-p", "echo pb >> log", "-C", "echo ca >> log", "-C"];
    let commands = ["echo cb >> log", "-r", "3", "echo a >> log", "echo b >> log"];
    lab.brisk(&[&["compare"], &options[..], &commands].concat()).succeeded();
    let log = lab.lines("log");
    assert_eq!(log.len(), 18);
    for run in log.chunks(3) {
        assert!(run == ["pa", "a", "ca"] || run == ["pb", "b", "cb"], "{run:?}");
    }
}

#[test]
fn hooks_are_not_timed() {
    let lab = Lab::new();
    let document = lab.compared(&["-r", "3", "-p", "sleep 0.4", "-C", "sleep 0.4", "sleep 0.01"]);
    let slept = lab.compared(&["-r", "3", "sleep 0.4"]);
    let shortest = |document| summary(document, 0, "wall_time")["min"].as_f64();
    assert!(shortest(&document) < shortest(&slept));
}

#[test]
fn a_setup_command_may_make_the_program() {
    let lab = Lab::new();
    let setup = "printf '#!/bin/sh\\n' > made && chmod +x made";
    lab.brisk(&["compare", "-r", "2", "--setup", setup, "--cleanup", "rm made", "./made"])
        .succeeded();
    assert!(!lab.exists("made"));
    lab.brisk(&["compare", "--setup", "true", "./never-made"]).refused("cannot start");
}

#[test]
fn a_setup_that_fails_runs_nothing_and_is_cleaned_up() {
    let lab = Lab::new();
    let setup = "echo setup-{n} >> log; [ {n} != b ] || { echo because >&2; exit 7; }";
    lab.brisk(&[
        "compare",
        "-L",
        "n",
        "a,b,c",
        "-n",
        "of {n}",
        "--setup",
        setup,
        "--cleanup",
        "echo cleanup-{n} >> log",
        "sh -c 'echo run-{n} >> log'",
    ])
    .refused("the setup command of `of b` exited with status 7")
    .because("because");
    assert_eq!(lab.lines("log"), ["setup-a", "setup-b", "cleanup-a", "cleanup-b"]);
}

#[test]
fn a_command_that_fails_is_cleaned_up() {
    let lab = Lab::new();
    let arguments = ["compare", "-r", "3", "-L", "n", "a,b", "echo run-{n} >> log; exit 3"];
    lab.brisk(&[&arguments[..], &NOTED].concat()).refused("exited with status 3 in round 1");
    let log = lab.lines("log");
    assert_eq!(log[log.len() - 2..], ["cleanup-a", "cleanup-b"]);
    assert_eq!(log.iter().filter(|line| line.starts_with("run-")).count(), 1);
}

#[test]
fn a_prepare_or_conclude_that_fails_ends_it_and_keeps_the_rounds_before() {
    let lab = Lab::new();
    for (hook, id) in [("prepare", 1), ("conclude", 2)] {
        // The fifth call fails: rounds have two each.
        let script = format!("echo x >> {hook}; [ $(wc -l < {hook}) -lt 5 ]");
        let option = format!("--{hook}");
        let arguments = ["compare", "-r", "9", "--cleanup", "echo cleanup >> log"];
        lab.brisk(&[&arguments[..], &[&option, &script, "-n", "a", "true", "true"]].concat())
            .refused(&format!("the {hook} command of `"))
            .hinting(&format!("the 2 finished rounds are stored as experiment {id}"));
        assert_eq!(lab.lines("log").len(), 2 * id);
        let document = lab.exported(&id.to_string());
        assert_eq!(document["experiment"]["rounds"], 2);
        // The run before the failed conclude was finished, and is kept.
        assert_eq!(measured(&document).len(), if hook == "prepare" { 4 } else { 5 });
    }
}

#[test]
fn a_cleanup_that_fails_is_told_after_everything_was_kept() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "3", "--cleanup", "echo x >> log; exit 5", "true", "true"])
        .failed("the cleanup command of `true` exited with status 5")
        .hinting("everything is kept")
        .says("3 rounds");
    assert_eq!(lab.lines("log").len(), 2, "the second is tried although the first failed");
    lab.brisk(&["show", "1"]).succeeded().says("3 rounds");
}

#[test]
fn ctrl_c_cleans_up() {
    let lab = Lab::new();
    let arguments = ["compare", "-L", "n", "a,b", "sh -c 'echo run-{n} >> log; sleep 1000'"];
    let running = lab.start(&[&arguments[..], &NOTED].concat());
    eventually("running", || lab.lines("log").iter().any(|line| line.starts_with("run-")));
    running.signal("INT");
    running.wait().refused("interrupted before the first round was done");
    let log = lab.lines("log");
    assert_eq!(log[log.len() - 2..], ["cleanup-a", "cleanup-b"], "{log:?}");
    lab.nothing_is_left();
}

#[test]
fn ctrl_c_during_a_setup_cleans_up_what_was_set_up() {
    let lab = Lab::new();
    let setup = "echo setup-{n} >> log; [ {n} = a ] || sleep 1000";
    let options = ["--setup", setup, "--cleanup", "echo cleanup-{n} >> log"];
    let arguments = ["compare", "-L", "n", "a,b,c", "sh -c 'echo run-{n} >> log'"];
    let running = lab.start(&[&arguments[..], &options].concat());
    eventually("setting up", || lab.lines("log").len() == 2);
    running.signal("INT");
    running.wait().refused("interrupted before the first round was done");
    assert_eq!(lab.lines("log"), ["setup-a", "setup-b", "cleanup-a", "cleanup-b"]);
    lab.nothing_is_left();
}

#[test]
fn a_second_ctrl_c_ends_a_cleanup_that_hangs() {
    let lab = Lab::new();
    let cleanup = "echo cleanup >> log; sleep 1000";
    let running =
        lab.start(&["compare", "--cleanup", cleanup, "sh -c 'echo run >> log; sleep 1000'"]);
    eventually("running", || lab.lines("log") == ["run"]);
    running.signal("INT");
    eventually("cleaning up", || lab.lines("log") == ["run", "cleanup"]);
    running.signal("INT");
    running.wait().exited(2);
    lab.nothing_is_left();
}

#[test]
fn time_spent_cleaning_up_is_no_part_of_the_time_measured() {
    let lab = Lab::new();
    let elapsed = |options: &[&str]| {
        let document = lab.compared(&[options, &["-r", "3", "true"]].concat());
        document["experiment"]["elapsed_seconds"].as_f64().expect("a time")
    };
    let slept = elapsed(&["--prepare", "sleep 0.5"]);
    assert!(elapsed(&["--cleanup", "sleep 1"]) < slept);
}
