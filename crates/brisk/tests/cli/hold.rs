//! One lock for a quiet machine: the order of waiting, and what releases the lock.

use std::fs;

use crate::document::measured;
use crate::lab::{Ended, Lab, Running, eventually, has, not_checked};
use crate::repository::{LONG, Repository, SHORT};

const BRISK: &str = env!("CARGO_BIN_EXE_brisk");

/// A lab with a separate lock.
fn lab() -> Lab {
    let lab = Lab::new();
    let lock = lab.path("lock").to_string_lossy().into_owned();
    lab.with("BRISK_LOCK", lock)
}

/// A process that holds the machine until the file `go` exists.
fn holder(lab: &Lab, options: &[&str]) -> Running {
    let script = "touch held; while [ ! -e go ]; do sleep 0.01; done";
    let running = lab.start(&[&["hold"], options, &["--", "sh", "-c", script]].concat());
    eventually("it holds the machine", || lab.path("held").exists());
    running
}

/// Returns once this process waits, with its message.
#[track_caller]
fn waits(running: &mut Running) -> String {
    let line = running.next_line();
    assert!(line.starts_with("note: waiting for "), "{line}");
    line
}

fn go(lab: &Lab, running: Running) {
    lab.write("go", "");
    running.wait().succeeded();
}

/// Asserts that it did not wait, and named the holder.
#[track_caller]
fn refused(ended: Ended) {
    let ended = ended.exited(75).complains("the machine is held by somebody else");
    assert!(ended.stderr.contains("cause: `brisk hold"), "{ended}");
}

#[test]
fn the_exit_status_is_that_of_the_command() {
    let lab = lab();
    let ended = |script: &str| lab.brisk(&["hold", "--", "sh", "-c", script]);
    assert_eq!(ended("echo said; exit 7").exited(7).stdout, "said\n");
    ended("kill -TERM $$").exited(128 + 15);
    lab.brisk(&["hold", "--shared", "true"]).succeeded();
    lab.brisk(&["hold", "--", "no-such-command"]).failed("cannot find `no-such-command` in PATH");
}

#[test]
fn who_does_not_wait_ends_with_75_and_runs_nothing() {
    let lab = lab();
    let holder = holder(&lab, &[]);
    refused(lab.brisk(&["compare", "--no-wait", "--runs", "1", "touch ran"]));
    refused(lab.brisk(&["sweep", "--no-wait", "--param", "n=1,2", "--runs", "1", "touch ran{n}"]));
    refused(lab.brisk(&["hold", "--no-wait", "--", "touch", "ran"]));
    refused(lab.brisk(&["hold", "--no-wait", "--shared", "--", "touch", "ran"]));
    for name in ["ran", "ran1", "ran2"] {
        assert!(!lab.path(name).exists(), "{name}");
    }
    go(&lab, holder);
    assert!(lab.brisk(&["list"]).exited(0).stdout.lines().count() <= 1, "nothing is stored");
    lab.brisk(&["compare", "--no-wait", "--runs", "1", "touch ran"]).succeeded();
}

#[test]
fn who_waits_says_for_whom_and_then_has_the_machine() {
    let lab = lab();
    let holder = holder(&lab, &[]);
    let mut second = lab.start(&["compare", "--runs", "1", "test -e go && touch ran"]);
    let note = waits(&mut second);
    let id = holder.id();
    assert!(note.starts_with("note: waiting for `brisk hold -- sh -c"), "{note}");
    assert!(note.contains(&format!("(process {id}, running for ")), "{note}");
    go(&lab, holder);
    second.wait().succeeded();
    assert!(lab.path("ran").exists());
}

#[test]
fn builds_share_the_machine_and_no_measurement_is_beside_them() {
    let lab = lab();
    let holder = holder(&lab, &["--shared"]);
    lab.brisk(&["hold", "--shared", "--no-wait", "--", "true"]).succeeded();
    refused(lab.brisk(&["compare", "--no-wait", "--runs", "1", "true"]));
    // A process waiting to be alone is not overtaken.
    let mut alone = lab.start(&["hold", "--", "true"]);
    waits(&mut alone);
    refused(lab.brisk(&["hold", "--shared", "--no-wait", "--", "true"]));
    go(&lab, holder);
    alone.wait().exited(0);
}

#[test]
fn a_brisk_within_a_held_machine_is_part_of_what_it_is_held_for() {
    let lab = lab();
    let store = lab.store().to_string_lossy().into_owned();
    let compare = ["compare", "--store", &store, "--runs", "2", "--quiet", "true"];
    let within = [&["hold", "--", "env", "--", "sh", "-c", "\"$@\"", "sh", BRISK], &compare[..]];
    lab.brisk(&within.concat()).succeeded();
    let shared = [&["hold", BRISK, "hold", "--shared", BRISK], &compare[..]].concat();
    lab.brisk(&shared).succeeded();
    // A brisk that is itself measured.
    let measured = format!("{BRISK} {}", compare.join(" "));
    lab.brisk(&["compare", "--runs", "1", &measured]).succeeded();
    let beside = lab.brisk(&[&["hold", "--shared", BRISK], &compare[..]].concat()).exited(0);
    assert!(beside.stderr.starts_with("note: measures beside others"), "{beside}");
}

#[test]
fn a_killed_holder_frees_the_machine_whatever_it_leaves_running() {
    let lab = lab();
    let holder = holder(&lab, &[]);
    holder.signal("KILL");
    let next = || lab.brisk(&["hold", "--no-wait", "--", "test", "!", "-e", "go"]);
    eventually("it is free", || next().code == Some(0));
    lab.write("go", "");
    assert_eq!(holder.wait().code, None);
}

#[test]
fn what_is_measured_does_not_inherit_the_lock() {
    let lab = lab();
    lab.brisk(&["compare", "-S", "--runs", "1", "ls -l /proc/self/fd > files"]).succeeded();
    let (files, lock) = (lab.read("files"), lab.path("lock").display().to_string());
    assert!(files.contains("/proc") && !files.contains(&lock), "{files}");
    lab.brisk(&["hold", "sh", "-c", "ls -l /proc/self/fd > files"]).succeeded();
    assert!(!lab.read("files").contains(&lock));
}

#[test]
fn ctrl_c_ends_the_waiting() {
    let lab = lab();
    let holder = holder(&lab, &[]);
    for arguments in [&["compare", "--runs", "1", "touch ran"][..], &["hold", "touch", "ran"]] {
        let mut second = lab.start(arguments);
        waits(&mut second);
        second.signal("INT");
        let ended = second.wait().exited(2);
        assert!(ended.stderr.contains("error: interrupted while waiting"), "{ended}");
    }
    go(&lab, holder);
    assert!(!lab.path("ran").exists());
}

#[test]
fn a_signal_is_passed_on_and_the_machine_is_held_until_the_command_has_ended() {
    let lab = lab();
    let script = "trap 'touch told; while [ ! -e go ]; do sleep 0.01; done; exit 9' TERM; \
                  touch held; while :; do sleep 0.01; done";
    let holder = lab.start(&["hold", "--", "sh", "-c", script]);
    eventually("it holds the machine", || lab.path("held").exists());
    holder.signal("TERM");
    eventually("it is passed on", || lab.path("told").exists());
    refused(lab.brisk(&["hold", "--no-wait", "--", "true"]));
    lab.write("go", "");
    holder.wait().exited(9);
}

#[test]
fn where_the_lock_cannot_be_had_brisk_measures_and_says_so() {
    let compare = ["compare", "--runs", "1", "true"];
    let off = Lab::new().with("BRISK_LOCK", "off");
    off.brisk(&compare).succeeded();
    let ended = off.brisk(&["hold", "--", "true"]).exited(0);
    assert!(ended.stderr.starts_with("note: the lock is turned off"), "{ended}");
    let nowhere = Lab::new().with("BRISK_LOCK", "/proc/no/lock");
    let ended = nowhere.brisk(&compare).exited(0);
    assert!(ended.stderr.starts_with("note: cannot lock `/proc/no/lock`, so"), "{ended}");
    nowhere.brisk(&["hold", "touch", "ran"]).failed("cannot lock `/proc/no/lock`");
    assert!(!nowhere.path("ran").exists());
    let wrong = Lab::new().with("BRISK_LOCK", "lock");
    wrong.brisk(&compare).failed("bad `BRISK_LOCK`: `lock` is not an absolute path");
}

#[test]
fn a_history_builds_beside_others_who_share_and_measures_alone() {
    let lab = lab();
    let repository = Repository::costing(&lab, &[SHORT, LONG]);
    let history = |options: &[&str]| repository.history(options);
    let runs = ["--runs", "5", "--no-wait"];
    let alone = holder(&lab, &[]);
    refused(history(&runs));
    assert!(!lab.path("builds").exists());
    go(&lab, alone);
    fs::remove_file(lab.path("go")).expect("it is there");
    fs::remove_file(lab.path("held")).expect("it is there");
    let shared = holder(&lab, &["--shared"]);
    refused(history(&runs));
    assert_eq!(lab.lines("builds").len(), 2);
    go(&lab, shared);
    assert!(matches!(history(&runs).code, Some(0 | 1)));
    // Known results need no machine.
    fs::remove_file(lab.path("go")).expect("it is there");
    fs::remove_file(lab.path("held")).expect("it is there");
    let alone = holder(&lab, &[]);
    assert!(matches!(history(&runs).code, Some(0 | 1)));
    go(&lab, alone);
}

#[test]
fn doctor_measures_alone_and_waiting_costs_no_budget() {
    let lab = lab();
    let holder = holder(&lab, &["--shared"]);
    refused(lab.brisk(&["doctor", "--no-wait"]));
    lab.brisk(&["doctor", "--quick", "--no-wait"]).exited(0);
    let budget = ["doctor", "--quiet", "--budget", "2s", "--export-json", "machine.json"];
    let mut doctor = lab.start(&budget);
    waits(&mut doctor);
    // Longer than the budget.
    std::thread::sleep(std::time::Duration::from_millis(2500));
    go(&lab, holder);
    doctor.wait().exited(0);
    let trial = &lab.json("machine.json")["doctor"]["trials"][0];
    assert!(trial["rounds"].as_u64().is_some_and(|rounds| rounds > 0), "{trial}");
}

#[test]
fn explain_counts_beside_builds_and_not_beside_measurements() {
    if !has("valgrind") {
        not_checked("what explain waits for: there is no valgrind");
        return;
    }
    let lab = lab();
    let builds = holder(&lab, &["--shared"]);
    lab.write("program", "touch began; while [ ! -e end ]; do sleep 0.01; done");
    let explain = lab.start(&["explain", "-q", "sh program"]);
    eventually("it runs", || lab.exists("began"));
    go(&lab, builds);
    let beside = lab.brisk(&["compare", "--no-wait", "--runs", "1", "true"]).exited(75);
    assert!(beside.stderr.contains("cause: `brisk explain"), "{beside}");
    lab.write("end", "");
    explain.wait().exited(0);
    for file in ["held", "go"] {
        fs::remove_file(lab.path(file)).expect("it is there");
    }
    let measures = holder(&lab, &[]);
    let mut explain = lab.start(&["explain", "-q", "sh program"]);
    waits(&mut explain);
    go(&lab, measures);
    explain.wait().exited(0);
}

/// Records its runs as `long`, and waits in the one after the sixtieth until the file `end` exists:
/// by then several turns have passed.
const LONG_ONE: &str = "echo long >> log\nsleep 0.05\n\
     [ $(grep -c long log) -le 60 ] || while [ ! -e end ]; do sleep 0.01; done\n";

/// The rounds of `LONG_ONE`.
const ROUNDS: usize = 70;

/// A long measurement and a short one, which queue in this order.
fn long_and(lab: &Lab, next: &[&str]) -> [Running; 2] {
    lab.write("long", LONG_ONE);
    let holder = holder(lab, &[]);
    let rounds = ROUNDS.to_string();
    let long = ["compare", "-q", "-r", &rounds, "--export-json", "long.json", "sh long"];
    let both = [&long[..], next].map(|arguments| {
        let mut running = lab.start(arguments);
        waits(&mut running);
        running
    });
    go(lab, holder);
    both
}

#[test]
fn a_long_measurement_lets_a_short_one_through_and_goes_on() {
    let lab = lab();
    lab.write("short", "echo short >> log\n");
    let [long, short] = long_and(&lab, &["compare", "-r", "5", "sh short"]);
    short.wait().exited(0);
    let log = lab.lines("log");
    let first = log.iter().position(|line| line == "short").expect("it has run");
    assert!(first > 0 && first <= 60, "{log:?}");
    assert_eq!(log[first..first + 5], ["short"; 5], "nobody is beside it");
    assert!(!lab.exists("long.json"));
    lab.write("end", "");
    long.wait().exited(0);
    let document = lab.json("long.json");
    assert_eq!(measured(&document).len(), ROUNDS);
    assert_eq!(document["experiment"]["rounds"], ROUNDS);
    let store = rusqlite::Connection::open(lab.store()).expect("it is there");
    let pauses = "SELECT group_concat(round) FROM pause";
    let pauses: String = store.query_row(pauses, [], |row| row.get(0)).expect("one at least");
    assert!(pauses.split(',').any(|round| round == first.to_string()), "{pauses} and not {first}");
}

#[test]
fn ctrl_c_in_a_pause_keeps_all_rounds_and_measuring_goes_on_later() {
    let lab = lab();
    let script = "touch other; while [ ! -e away ]; do sleep 0.01; done";
    let [long, other] = long_and(&lab, &["hold", "--", "sh", "-c", script]);
    eventually("it is let through", || lab.exists("other"));
    let done = lab.lines("log").len();
    long.signal("INT");
    let ended = long.wait().exited(2);
    assert!(ended.stderr.contains(&format!("interrupted after {done} rounds")), "{ended}");
    assert_eq!(lab.lines("log").len(), done, "nothing runs while others have the machine");
    lab.write("away", "");
    other.wait().exited(0);
    lab.write("end", "");
    let rounds = ROUNDS.to_string();
    let on = lab.brisk(&["compare", "-q", "-r", &rounds, "sh long"]).exited(0);
    assert_eq!(on.remarks, format!("continues experiment 1: {done} rounds so far\n"));
    assert_eq!(lab.lines("log").len(), ROUNDS);
}

#[test]
fn who_does_not_wait_keeps_the_machine_until_the_end() {
    let lab = lab();
    let log = "echo run >> log; sleep 0.05";
    let long = lab.start(&["compare", "--no-wait", "-r", "60", "-S", log]);
    eventually("it measures", || lab.exists("log"));
    let mut short = lab.start(&["hold", "--", "sh", "-c", "wc -l < log"]);
    waits(&mut short);
    assert_eq!(short.wait().exited(0).stdout.trim(), "60");
    long.wait().exited(0);
}
