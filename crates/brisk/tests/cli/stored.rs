//! The stored results of every verb: `list` names the verb, `show` prints the verb's output, and
//! `export` writes the same files.

use serde_json::Value;

use crate::bench;
use crate::check::{check, project};
use crate::explain_instructions::profile;
use crate::lab::{Ended, Lab, eventually, run};
use crate::repository::{LONG, Repository, SHORT};

/// The files that each verb writes.
const FILES: [&str; 4] = ["--export-json", "told.json", "--export-markdown", "told.md"];

/// A lab that stores in a file, and one that stores on a server, if there is one.
fn labs() -> Vec<Lab> {
    let mut labs = vec![Lab::new()];
    #[cfg(feature = "postgres")]
    labs.extend(crate::server::lab());
    labs
}

/// Asserts that the output and files of a verb are stored, as the newest experiment of its kind.
#[track_caller]
fn is_stored(lab: &Lab, kind: &str, told: &Ended) {
    let listed = lab.brisk(&["list", "--verb", kind]).succeeded().stdout;
    let newest = listed.lines().nth(1).unwrap_or_else(|| panic!("no {kind} in: {listed}"));
    let mut words = newest.split_whitespace();
    let id = words.next().expect("a number");
    assert_eq!(words.nth(2), Some(kind), "{listed}");
    assert_eq!(lab.brisk(&["show", id]).succeeded().stdout, told.stdout);
    let exported = lab.exported(id);
    assert_eq!((&exported["schema"], &exported["kind"]), (&"brisk/1".into(), &kind.into()));
    assert_eq!(exported, lab.json("told.json"), "{kind}");
    lab.brisk(&["export", id, "--export-markdown", "again.md"]).succeeded();
    if lab.exists("told.md") {
        assert_eq!(lab.read("again.md"), lab.read("told.md"), "{kind}");
    }
    is_judged_alike_elsewhere(lab, id);
}

/// The document of a stored experiment, without the experiments' own numbers.
fn without_numbers(mut document: Value) -> Value {
    document["experiment"]["id"] = Value::Null;
    document["history"]["experiments"] = Value::Null;
    document
}

/// Asserts that the record of an experiment, without anything else, gives the same report.
#[track_caller]
fn is_judged_alike_elsewhere(lab: &Lab, id: &str) {
    lab.brisk(&["export", id, "--export-record", "one.record"]).succeeded();
    let elsewhere = Lab::new();
    elsewhere.write("one.record", &lab.read("one.record"));
    let import = || elsewhere.brisk(&["import", "one.record"]).succeeded().stdout;
    let (taken, again) = (import(), import());
    let known = taken.replace('\n', ", which was there already\n");
    assert_eq!(again, known);
    let newest = taken.lines().last().expect("an experiment");
    let there = newest.trim_start_matches("experiment ").split(':').next().expect("a number");
    let shown = elsewhere.brisk(&["show", there]).succeeded().stdout;
    assert_eq!(shown, lab.brisk(&["show", id]).succeeded().stdout);
    let (theirs, ours) = (elsewhere.exported(there), lab.exported(id));
    assert_eq!(without_numbers(theirs), without_numbers(ours));
}

#[test]
fn a_comparison_is_stored() {
    for lab in labs() {
        let options = [&["compare", "--runs", "8"], &FILES[..], &["true", "sleep 0.01"]].concat();
        is_stored(&lab, "compare", &lab.brisk(&options).judged());
    }
}

#[test]
fn a_bench_is_stored() {
    for lab in labs() {
        bench::suite(&lab, "old", &["a", "b"], 100);
        bench::suite(&lab, "new", &["a", "b"], 150);
        let options = [&["bench", "--runs", "8"], &FILES[..], &["./old", "./new"]].concat();
        is_stored(&lab, "bench", &lab.brisk(&options).judged());
    }
}

#[test]
fn a_sweep_is_stored() {
    for lab in labs() {
        let points = ["sweep", "--param", "t=0.002,0.02", "--runs", "8", "sleep {t}"];
        is_stored(&lab, "sweep", &lab.brisk(&[&points[..], &FILES].concat()).succeeded());
    }
}

#[test]
fn a_tuning_is_stored() {
    let lab = Lab::new();
    lab.write(
        "nap.sh",
        "#!/bin/sh\ncase \",$OCAMLRUNPARAM,\" in *,s=*M,*) sleep 0.01;; *) sleep 0.05;; esac\n",
    );
    assert!(run("chmod", &["+x", &lab.path("nap.sh").display().to_string()]));
    let tuned = ["sweep", "--tune", "--quiet", "--runtime", "ocaml", "./nap.sh"];
    is_stored(&lab, "tune", &lab.brisk(&[&tuned[..], &FILES].concat()).succeeded());
}

#[test]
fn a_history_is_stored() {
    for lab in labs() {
        let repository = Repository::costing(&lab, &[SHORT, LONG]);
        let told = repository.history(&[&["--runs", "8"], &FILES[..]].concat());
        is_stored(&lab, "history", &told.judged());
        let project = lab.path("repo").display().to_string();
        lab.brisk(&["list", "--project", &project]).succeeded().says("history of repo");
        lab.brisk(&["list", "--project", "elsewhere"]).succeeded();
    }
}

#[test]
fn a_check_is_stored_and_so_is_who_accepted_what() {
    let lab = project(&["cpu_time(few) < cpu_time(many)", "cpu_time(few) < 1 ns"]);
    let told = check(&lab, &FILES).exited(1);
    is_stored(&lab, "check", &told);
    let checked = lab.json("told.json");
    let failing = checked["check"]["expectations"][1]["id"].as_str().expect("a name");
    lab.brisk(&["check", "--accept", failing, "--why", "a jest"]).succeeded();
    // A busy machine may take much longer now, which would exceed the acceptance.
    let again = [&FILES[..], &["--margin", "900"]].concat();
    let told = check(&lab, &again).succeeded().says("accepted by").says("a jest");
    is_stored(&lab, "check", &told);
}

/// The folder of dumps of one compiler.
fn dumps(version: &str) -> String {
    let folder = fixtures::folder("explain_dumps").join(version);
    folder.display().to_string()
}

#[test]
fn an_explanation_is_stored() {
    let lab = Lab::new();
    let (folder, other) = (dumps("9.6.6"), dumps("9.10.3"));
    let counters = format!("{folder}/program.ticky");
    let explain = |words: &[&str]| {
        let told = lab.brisk(&[&["explain"], words, &FILES].concat()).succeeded();
        is_stored(&lab, "explain", &told);
        told.stdout
    };
    explain(&["--core", &folder, "--ticky", &counters]);
    explain(&["--core", &folder, &other]);
    lab.write("old.out", &profile(300, 100));
    lab.write("new.out", &profile(0, 250));
    let cheap: String = (1..9).map(|n| format!("fn=cheap_{n}\n{n} 1\n")).collect();
    let most = profile(100_000, 1).replace("totals: 100001", &cheap);
    lab.write("most.out", &(most + "totals: 100009\n"));
    let short = explain(&["--callgrind", "most.out"]);
    let all = explain(&["--all", "--callgrind", "most.out"]);
    assert_ne!(short, all, "what is shown of it is stored, too");
    explain(&["--callgrind", "old.out", "new.out"]);
    lab.brisk(&["list"]).succeeded().says("old.out → new.out");
}

#[test]
fn a_look_at_the_machine_is_stored() {
    let lab = Lab::new();
    let told = lab.brisk(&["doctor", "--quick", "--export-json", "told.json"]).succeeded();
    is_stored(&lab, "doctor", &told);
    lab.brisk(&["doctor", "--quiet", "--budget", "2s", "--export-json", "told.json"]).succeeded();
    let told = lab.brisk(&["show", "2"]).succeeded().says("A program against itself");
    is_stored(&lab, "doctor", &told);
}

#[test]
fn what_has_no_runs_is_neither_compared_with_nor_drawn() {
    let lab = Lab::new();
    lab.brisk(&["doctor", "--quick"]).succeeded();
    lab.brisk(&["compare", "--with", "1", "true"])
        .refused("experiment 1 has no runs")
        .because("`brisk doctor` stores findings, not runs")
        .hinting("`brisk show 1`");
    for option in ["--export-csv", "--export-svg", "--export-hyperfine", "--export-go"] {
        lab.brisk(&["export", "1", option, "out"])
            .refused("cannot write `out`")
            .because("written as JSON, Markdown and HTML only");
        assert!(!lab.exists("out"));
    }
}

#[test]
fn a_list_is_of_what_is_looked_for() {
    let lab = Lab::new();
    lab.brisk(&["compare", "--runs", "2", "true 'größe'", "true"]).succeeded();
    lab.brisk(&["doctor", "--quick"]).succeeded();
    let listed = |words: &[&str]| -> Vec<String> {
        let text = lab.brisk(&[&["list"], words].concat()).succeeded().stdout;
        let ids =
            text.lines().skip(1).map(|line| line.split_whitespace().next().map(str::to_owned));
        ids.map(|id| id.expect("a number")).collect()
    };
    assert_eq!(listed(&[]), ["2", "1"]);
    assert_eq!(listed(&["--verb", "doctor"]), ["2"]);
    assert_eq!(listed(&["--verb", "history"]), [""; 0]);
    assert_eq!(listed(&["größe"]), ["1"]);
    assert_eq!(listed(&["--project", "."]), ["2", "1"]);
    assert_eq!(listed(&["--project", "/elsewhere"]), [""; 0]);
    lab.brisk(&["list", "--verb", "explian"]).exited(2);
}

#[test]
fn a_store_that_cannot_be_used_is_told_before_anything_is_looked_at() {
    let lab = Lab::new().storing_at("/proc/brisk/runs.db".into());
    lab.brisk(&["doctor", "--quick"]).refused("store at `/proc/brisk/runs.db`");
    let folder = dumps("9.6.6");
    lab.brisk(&["explain", "--core", &folder]).refused("store at `/proc/brisk/runs.db`");
}

/// A killed or interrupted experiment is judged by its finished rounds, here as elsewhere.
#[test]
fn what_ended_early_is_judged_alike_elsewhere() {
    for signal in ["INT", "KILL"] {
        let lab = Lab::new();
        let script = "sleep 0.002; echo x >> log";
        let running = lab.start(&["compare", "-r", "100000", "-n", "a", "-n", "b", script, script]);
        eventually("running", || lab.lines("log").len() > 30);
        running.signal(signal);
        running.wait();
        lab.nothing_is_left();
        is_judged_alike_elsewhere(&lab, "1");
    }
}

#[test]
fn whatever_is_measured_beside_time_is_judged_alike_elsewhere() {
    let lab = Lab::new();
    let ways: [&[&str]; 5] = [
        &["--equal-work", "echo a", "echo b"],
        &["--memory-over-time", "sleep 0.02"],
        &["--setup", "true", "--measure", "size=echo 7", "true", "sleep 0.001"],
        &["--shell", "sh", "--ignore-failure=3", "true", "exit 3"],
        &["--with", "1:echo a", "-n", "again", "echo a"],
    ];
    for (number, way) in (1..).zip(ways) {
        lab.brisk(&[&["compare", "--runs", "8", "--metrics", "wall_time"], way].concat());
        is_judged_alike_elsewhere(&lab, &number.to_string());
    }
}

/// Asserts that a record, possibly written by someone else, is refused.
#[track_caller]
fn is_refused(record: &str, cause: &str) {
    let elsewhere = Lab::new();
    elsewhere.write("bad.record", record);
    let refused = elsewhere.brisk(&["import", "bad.record"]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr.contains(cause), "no `{cause}` in {refused}");
}

#[test]
fn a_record_that_is_damaged_is_refused_with_the_place() {
    let lab = Lab::new();
    lab.brisk(&["compare", "--runs", "6", "true", "sleep 0.001"]).judged();
    lab.brisk(&["export", "1", "--export-record", "good.record"]).succeeded();
    let good = lab.read("good.record");
    let lines: Vec<&str> = good.lines().collect();
    assert!(lines[0] == r#"{"brisk_record":1}"# && lines[1].contains(r#""event":"begun""#));
    is_refused(&good.replace(r#"record":1}"#, r#"record":2}"#), "version 2");
    is_refused(&good[..good.len() / 2], "line ");
    is_refused(
        &[lines[0], lines[lines.len() - 1]].join("\n"),
        "it does not belong to an experiment",
    );
    let other = good.replace(r#""variant":1"#, r#""variant":2"#);
    is_refused(&other, "a variant or a round that there is not");
    let late = good.replace(r#""round":5"#, r#""round":4294967295"#);
    is_refused(&late, "a variant or a round that there is not");
    let named = good.replace(r#""pairs":[[0,1]]"#, r#""pairs":[[0,9]]"#);
    is_refused(&named, "a contrast is of the variant 9");
    lab.brisk(&["import", "good.record", "--export-json", "x"])
        .refused("experiments are stored, and nothing is exported");
}
