//! Measuring on an engine: a scripted one, whose jobs are processes of this machine.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::bench::suite;
use crate::document::list;
use crate::lab::{Ended, Lab, Running, eventually};
use crate::repository::{LONG, Repository, SHORT};

/// A scheduler. The next line of `moods` decides the fate of each submission; after the last line
/// it is `good`.
const ENGINE: &str = r#"#!/bin/sh
set -u
here=$(dirname "$0"); verb=$1; shift
mkdir -p "$here/jobs"
new() { # name script: starts a job, and prints its number
    number=$(($(ls "$here/jobs" | wc -l) + 1))
    # Jobs start anywhere.
    (cd / && exec setsid sh "$2" >/dev/null 2>&1 </dev/null) &
    echo "$1 $!" > "$here/jobs/$number"
}
case $verb in
submit)
    mood=$(sed -n 1p "$here/moods" 2>/dev/null); sed -i 1d "$here/moods" 2>/dev/null
    echo "${mood:-good}" >> "$here/submissions"
    number=7
    case ${mood:-good} in
        good) new "$@" ;;
        twice) new "$@"; new "$@" ;;
        lost) ;;
        stuck) number=99; echo "$1 stuck" > "$here/jobs/99" ;;
        never) echo "$1 queued" > "$here/jobs/99" ;;
        later) echo 'the controller is restarting' >&2; exit 75 ;;
        *) echo 'no such queue' >&2; exit 1 ;;
    esac
    echo "$number" ;;
poll)
    [ ! -e "$here/away" ] || { echo 'cannot reach the controller' >&2; exit 1; }
    for job in "$here"/jobs/*; do
        [ -e "$job" ] || continue
        read -r name pid < "$job"
        case $pid in
            stuck) echo "$name stuck ${job##*/} launch failed" ;;
            queued) echo "$name queued ${job##*/} no machine is free" ;;
            *) [ ! -e "/proc/$pid/stat" ] || grep -q ') Z ' "/proc/$pid/stat" ||
                echo "$name running ${job##*/}" ;;
        esac
    done ;;
cancel)
    echo "$1" >> "$here/cancelled"
    read -r name pid < "$here/jobs/$1"
    case $pid in [0-9]*) kill -TERM "-$pid" 2>/dev/null ;; esac
    rm "$here/jobs/$1" ;;
esac
exit 0
"#;

pub(crate) const TABLE: &str = "[engine.far]
kind = 'command'
folder = 'shared'
submit = 'sh ./engine.sh submit {name} {script}'
poll = 'sh ./engine.sh poll'
cancel = 'sh ./engine.sh cancel {job}'
";

const ON: [&str; 5] = ["compare", "--on", "far", "--runs", "2"];

/// A lab with that engine, with these moods for its next submissions.
pub(crate) fn lab(moods: &str) -> Lab {
    let lab = Lab::new();
    lab.write("engine.sh", ENGINE);
    lab.write("brisk.toml", TABLE);
    lab.write("moods", moods);
    lab
}

fn on(lab: &Lab, arguments: &[&str]) -> Ended {
    lab.brisk(&[&ON, arguments].concat())
}

/// The folders of tasks that were neither taken nor cancelled.
fn tasks(lab: &Lab) -> Vec<PathBuf> {
    let entries = fs::read_dir(lab.path("shared/tasks")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The log of the only finished task.
fn log(lab: &Lab) -> String {
    let taken = fs::read_dir(lab.path("shared/taken")).expect("it is there").flatten();
    taken.map(|task| fs::read_to_string(task.path().join("log")).expect("it has a log")).collect()
}

/// Asserts that the store has one experiment, which is complete.
#[track_caller]
fn one_experiment(lab: &Lab) -> Value {
    let listed = lab.brisk(&["list"]).succeeded();
    assert_eq!(
        listed.stdout.lines().filter(|line| line.contains("compare")).count(),
        1,
        "{listed}"
    );
    lab.exported("1")
}

#[test]
fn what_an_engine_measures_is_stored_and_shown_as_if_it_were_measured_here() {
    let lab = lab("");
    let told = on(&lab, &["--seed", "7", "echo >> ran", "true"]).judged();
    assert_eq!(lab.lines("ran").len(), 2, "it ran in the folder where it was typed");
    assert_eq!(lab.lines("submissions"), ["good"]);
    let stored = one_experiment(&lab);
    assert_eq!(list(&stored, "runs").len(), 4);
    assert_eq!(stored["plan"]["seed"], 7);
    assert_eq!(lab.brisk(&["show", "1"]).exited(0).stdout, told.stdout);
    assert_eq!(tasks(&lab), [] as [PathBuf; 0], "it is taken away");
    assert!(log(&lab).contains("finished first"));
}

#[test]
fn every_verb_measures_there() {
    let lab = lab("");
    let sweep = ["sweep", "--on", "far", "--runs", "2", "--param", "n=1,2", "echo {n} >> ran"];
    lab.brisk(&sweep).succeeded();
    assert_eq!(lab.lines("ran").len(), 4);
    let again = lab.brisk(&sweep).succeeded();
    assert!(!again.remarks.contains("continues"), "that may be another machine: {again}");
    let expects = "[[benchmark]]\nname = 'a'\ncommand = 'echo >> checked'\nruns = 2\n\
                   [[expect]]\nthat = 'wall_time(a) < 1000 s'\n";
    lab.write("brisk.toml", &format!("{TABLE}{expects}"));
    lab.brisk(&["check", "--on", "far"]).succeeded();
    assert_eq!(lab.lines("checked").len(), 2);
    assert_eq!(lab.lines("submissions").len(), 3);
}

#[test]
fn causes_are_searched_for_on_this_machine_alone() {
    let lab = lab("");
    let expects = "[[benchmark]]\nname = 'a'\ncommand = 'echo >> ran'\n\
                   [[expect]]\nthat = 'wall_time(a) < 1000 s'\n";
    lab.write("brisk.toml", &format!("{TABLE}{expects}"));
    for asked in [
        &["check", "--on", "far", "--explain"][..],
        &["compare", "--on", "far", "--at", "HEAD^..HEAD", "--explain", "./prog"],
    ] {
        lab.brisk(asked).refused("`--explain` cannot be combined with `--on`");
    }
    assert!(!lab.exists("submissions") && !lab.exists("ran"));
}

#[test]
fn a_suite_and_a_history_are_measured_there() {
    let lab = lab("");
    suite(&lab, "suite", &["a", "b"], 100);
    lab.brisk(&["bench", "--on", "far", "--order", "alone", "--runs", "6", "./suite"]).judged();
    assert_eq!(lab.lines("calls").len(), 12);
    let site = lab.path("brisk.toml").to_string_lossy().into_owned();
    let lab = lab.with("BRISK_SITE", site);
    let repository = Repository::costing(&lab, &[SHORT, SHORT, LONG, LONG]);
    let history = repository.document(&["--on", "far", "--runs", "12"]);
    let [step] = list(&history, "steps").as_slice() else { panic!("{}", history["steps"]) };
    assert_eq!(step["verdict"], "regressed");
    assert_eq!(lab.lines("submissions").len(), 2, "one job has the whole history");
    // Known results are not measured again, and cost no job.
    repository.document(&["--on", "far", "--runs", "12"]);
    assert_eq!(lab.lines("submissions").len(), 2);
}

#[test]
fn a_history_is_cut_for_several_machines_and_has_the_same_steps() {
    let lab = lab("");
    lab.write("brisk.toml", &format!("{TABLE}nodes = 2\n"));
    let site = lab.path("brisk.toml").to_string_lossy().into_owned();
    let lab = lab.with("BRISK_SITE", site);
    let costs = ["0.01", "0.011", "0.012", "0.07", "0.071", "0.072", "0.013"];
    let repository = Repository::costing(&lab, &costs);
    let cut = repository.document(&["--on", "far", "--runs", "12"]);
    assert_eq!(lab.lines("submissions").len(), 2);
    assert_eq!(list(&cut["history"], "experiments").len(), 2);
    let whole = repository.document(&["--runs", "12"]);
    let steps = |document: &Value| -> Vec<(String, String)> {
        let text = |step: &Value, key: &str| step[key].as_str().expect("a text").to_owned();
        let steps = list(document, "steps").iter();
        steps.map(|step| (text(step, "verdict"), text(step, "commit"))).collect()
    };
    assert_eq!(steps(&cut), steps(&whole));
    assert_eq!(list(&cut, "variants").len(), costs.len());
    // Everything is known now.
    repository.document(&["--on", "far", "--runs", "12"]);
    assert_eq!(lab.lines("submissions").len(), 2);
}

#[test]
fn a_lost_job_is_submitted_again() {
    let lab = lab("lost\n");
    let ended = on(&lab, &["true"]).exited(0);
    assert!(ended.stderr.contains("job 1 vanished without a result"), "{ended}");
    assert_eq!(lab.lines("submissions"), ["lost", "good"]);
    one_experiment(&lab);
}

#[test]
fn a_job_that_dies_is_submitted_again() {
    let lab = lab("");
    // The command's parent is the launcher, and the launcher's parent is the process of the job.
    let kills = "[ -e died ] || { touch died; \
                 kill -9 $(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status); sleep 60; }";
    let ended = on(&lab, &["-S", kills]);
    let stored = one_experiment(&lab);
    assert_eq!((ended.code, list(&stored, "runs").len()), (Some(0), 2), "{ended}");
    assert_eq!(lab.lines("submissions").len(), 2);
}

#[test]
fn of_a_job_that_runs_twice_one_result_counts() {
    let lab = lab("twice\n");
    on(&lab, &["echo >> ran"]).succeeded();
    assert_eq!(list(&one_experiment(&lab), "runs").len(), 2);
    lab.nothing_is_left();
}

#[test]
fn a_job_that_cannot_start_is_replaced() {
    let lab = lab("stuck\n");
    on(&lab, &["true"]).exited(0);
    assert_eq!(lab.lines("cancelled"), ["99"]);
    assert_eq!(lab.lines("submissions"), ["stuck", "good"]);
    one_experiment(&lab);
}

#[test]
fn an_engine_that_is_away_is_waited_for() {
    let lab = lab("later\n");
    lab.write("away", "");
    let mut waiting = lab.start(&[&ON[..], &["true"]].concat());
    let said = waiting.next_line();
    assert!(said.contains("does not answer, and is waited for: cannot reach the contr"), "{said}");
    fs::remove_file(lab.path("away")).expect("it is there");
    let ended = waiting.wait().exited(0);
    assert!(ended.stderr.contains("the engine answers again"), "{ended}");
    assert!(ended.stderr.contains("will try again: the controller is restarting"), "{ended}");
    assert_eq!(lab.lines("submissions"), ["later", "good"]);
}

#[test]
fn an_engine_that_refuses_is_no_engine() {
    let lab = lab("refuse\n");
    let ended = on(&lab, &["touch ran"]).failed("refuses the job").because("no such queue");
    assert!(ended.stdout.is_empty() && !lab.exists("ran"), "{ended}");
    assert_eq!(tasks(&lab), [] as [PathBuf; 0]);
}

#[test]
fn jobs_that_vanish_again_and_again_are_told_with_where_to_look() {
    let lab = lab("lost\nlost\nlost\nlost\nlost\n");
    let ended = on(&lab, &["true"]).exited(2);
    assert!(ended.stderr.contains("error: 5 jobs were submitted, and none began"), "{ended}");
    assert!(ended.stderr.contains("perhaps it is another folder where they run"), "{ended}");
}

#[test]
fn a_program_that_fails_is_a_result() {
    let lab = lab("");
    let ended = on(&lab, &["true", "sh -c 'echo why >&2; exit 3'"]).exited(2);
    assert!(ended.stderr.contains("exited with status 3"), "{ended}");
    assert!(ended.stderr.contains("why") && ended.stderr.contains("--ignore-failure=3"), "{ended}");
    let missing = on(&lab, &["no-such-program"]).failed("cannot measure on ");
    missing.because("cannot start `no-such-program`");
    assert_eq!(lab.lines("submissions").len(), 2, "nothing is tried again");
}

#[test]
fn who_detaches_comes_back_with_the_same_command() {
    let lab = lab("");
    let command = ["-S", "until [ -e go ]; do sleep 0.01; done; echo >> ran"];
    let ended = on(&lab, &[&["--detach"], &command[..]].concat()).exited(0);
    assert!(ended.stderr.starts_with("handed over to `far`"), "{ended}");
    let [_] = tasks(&lab).try_into().expect("it waits");
    lab.write("go", "");
    let told = on(&lab, &command).exited(0);
    assert!(told.stderr.starts_with("note: waiting for the task that "), "{told}");
    assert_eq!(lab.lines("ran").len(), 2);
    assert_eq!(lab.lines("submissions"), ["good"]);
    one_experiment(&lab);
}

/// A client waiting for a job that waits for the file `go`.
fn waiter(lab: &Lab) -> Running {
    let command = ["-S", "touch began; until [ -e go ]; do sleep 0.01; done; echo >> ran"];
    let waiter = lab.start(&[&ON[..], &command].concat());
    eventually("the job runs", || lab.exists("began"));
    waiter
}

#[test]
fn kill_9_leaves_the_job_and_the_same_command_fetches_its_result() {
    let lab = lab("");
    let killed = waiter(&lab);
    killed.signal("KILL");
    killed.wait();
    lab.write("go", "");
    // The job finishes without a client.
    let is_finished = || {
        let [task]: [PathBuf; 1] = tasks(&lab).try_into().expect("nobody took it away");
        let mut files = fs::read_dir(task).expect("it is there").flatten();
        files.any(|file| file.file_name().to_string_lossy().starts_with("result."))
    };
    eventually("there is a result", is_finished);
    fs::remove_file(lab.path("engine.sh")).expect("it is there");
    waiter(&lab).wait().exited(0);
    assert_eq!(lab.lines("ran").len(), 2, "nothing was measured again");
    one_experiment(&lab);
}

#[cfg(feature = "postgres")]
#[test]
fn a_result_waits_for_its_store_and_can_be_called_off() {
    if crate::postgres::Engine::shared().is_none() {
        return;
    }
    let Some(engine) = crate::postgres::Engine::start(|_| ()) else { return };
    let address = engine.database();
    let lab = lab("").storing_at(address.clone().into());
    let mut waiting = waiter(&lab);
    engine.kill();
    lab.write("go", "");
    waiting.says_before_its_end("waiting for it; what was measured is kept here");
    waiting.signal("INT");
    let ended = waiting.wait().failed("interrupted while waiting for the store");
    assert!(ended.stderr.contains("the same command stores it"), "{ended}");
    let mut waiting = waiter(&lab);
    waiting.says_before_its_end("waiting for it");
    engine.start_again();
    let ended = waiting.wait().exited(0);
    assert!(ended.stderr.contains("the store can be written again"), "{ended}");
    assert_eq!(lab.lines("ran").len(), 2, "it was measured once");
    one_experiment(&lab);
}

#[test]
fn two_who_ask_the_same_have_one_task_and_both_its_result() {
    let lab = lab("");
    let first = waiter(&lab);
    let mut second = waiter(&lab);
    let told = second.next_line();
    assert!(told.contains("waiting for the task that") && told.contains("handed over"), "{told}");
    lab.write("go", "");
    first.wait().succeeded();
    second.wait().exited(0);
    assert_eq!(lab.lines("submissions"), ["good"]);
    assert_eq!(lab.lines("ran").len(), 2);
    one_experiment(&lab);
}

#[test]
fn ctrl_c_ends_the_job_and_takes_the_task_away() {
    let lab = lab("");
    let waiting = waiter(&lab);
    waiting.signal("INT");
    waiting.wait().failed("interrupted; the job is ended");
    lab.nothing_is_left();
    assert_eq!(lab.lines("cancelled"), ["1"]);
    assert_eq!(tasks(&lab), [] as [PathBuf; 0]);
    assert!(log(&lab).contains("called off"));
}

#[test]
fn engines_that_are_not_there_are_refused_before_anything_runs() {
    let lab = lab("");
    let on = |name: &str| lab.brisk(&["compare", "--on", name, "touch ran"]);
    on("fat")
        .refused("unknown engine `fat`")
        .hinting("did you mean `far`? engines: `far`, `local`, `slurm`, `ssh:HOST`");
    lab.write("brisk.toml", &TABLE.replace("submit =", "submitt ="));
    on("far").refused("unknown key `submitt` in `[engine.NAME]`").because("line 4, column 1");
    lab.write("brisk.toml", &TABLE.replace("'command'", "'cluster'"));
    on("far").refused("unknown kind of engine `cluster`").hinting("`slurm`, `ssh`, `command`");
    lab.write("brisk.toml", &format!("{TABLE}partition = 'bench'\n"));
    on("far").refused("`partition` applies to another kind of engine than `command`");
    lab.write("brisk.toml", &format!("{TABLE}build_partition = 'build'\n"));
    on("far").refused("`build_partition` applies to another kind of engine than `command`");
    lab.write("brisk.toml", "[engine.far]\nkind = 'slurm'\nbuild_options = 3\n");
    on("far").refused("`build_options` must be a list of texts").because("line 3, column 17");
    lab.write("brisk.toml", "[engine.local]\nkind = 'slurm'\n");
    on("far").refused("an engine cannot be called `local`");
    lab.write("brisk.toml", &TABLE.replace("'shared'", "'engine.sh/below'"));
    on("far").refused("cannot keep tasks in").because("Not a directory");
    lab.brisk(&["compare", "--detach", "touch ran"]).exited(2);
    let tune = ["sweep", "--tune", "--on", "far", "touch ran"];
    lab.write("brisk.toml", TABLE);
    lab.brisk(&tune).refused("`--tune` searches on this machine only");
    assert!(!lab.exists("ran") && !lab.exists("submissions"));
}

#[test]
fn the_site_file_defines_engines_and_brisk_toml_wins() {
    let lab = lab("");
    let site = lab.path("site.toml").to_string_lossy().into_owned();
    fs::rename(lab.path("brisk.toml"), &site).expect("the folder is ours");
    on(&lab, &["true"]).refused("unknown engine `far`");
    let lab = lab.with("BRISK_SITE", &site);
    on(&lab, &["true"]).succeeded();
    lab.write("brisk.toml", &TABLE.replace("{script}", "{script} && false"));
    on(&lab, &["true"]).failed("refuses the job");
    lab.write("site.toml", "[engine.far]\n");
    fs::remove_file(lab.path("brisk.toml")).expect("it is there");
    on(&lab, &["true"]).refused("`[engine.NAME]` lacks `kind`").because("of `site.toml`");
    fs::remove_file(&site).expect("it is there");
    on(&lab, &["true"]).refused("there is no `").because("`BRISK_SITE` names it");
}
