//! Quantiles over runs: `--metrics peak_rss.p99`.
//!
//! The programs need much memory in every third run, one of them more than the other: however busy
//! the machine is, their quantiles are known.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::document::{comparison, list, summary};
use crate::lab::Lab;

/// A lab with a program that holds as many bytes as its second argument says in every third run; the
/// first argument is the file in which it counts its runs.
fn lab() -> Lab {
    let lab = Lab::new();
    let program = "#!/bin/sh\nn=$(cat $1 2>/dev/null || echo 0)\necho $((n + 1)) > $1\n\
                   [ $((n % 3)) -gt 0 ] || head -c $2 /dev/zero | tail -c $2 > /dev/null\n";
    lab.write("serve", program);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(lab.path("serve"), executable).expect("it was written just now");
    lab
}

const COMMANDS: [&str; 2] = ["./serve a 10000000", "./serve b 50000000"];

#[test]
fn a_quantile_is_judged_with_its_interval_and_one_too_far_says_how_many_runs_it_takes() {
    let lab = lab();
    let metrics = "peak_rss.p90,peak_rss.p99";
    let document = lab.compared(&[&["-r", "60", "--metrics", metrics], &COMMANDS[..]].concat());
    let compared = comparison(&document, 1, "peak_rss.p90");
    assert_eq!(compared["verdict"], "regressed", "{compared}");
    assert!(compared["low"].as_f64() > Some(1.0), "{compared}");
    let quantile = &summary(&document, 1, "peak_rss.p90")["quantile"];
    let [value, low, high] =
        ["value", "low", "high"].map(|name| quantile[name].as_f64().expect("it has one"));
    assert!(low <= value && value <= high, "{quantile}");

    // Neither explains the runs from which it is computed.
    let goes_with = |note: &Value| note["goes_with"].as_str().is_some_and(|id| id.contains(".p"));
    assert!(!list(&document, "notes").iter().any(goes_with), "{}", document["notes"]);

    let far = &summary(&document, 1, "peak_rss.p99")["quantile"];
    assert!(far["low"].is_f64() && far["high"].is_null(), "{far}");
    let open = comparison(&document, 1, "peak_rss.p99");
    assert_eq!((&open["verdict"], &open["high"]), (&"inconclusive".into(), &Value::Null));
    // ln(0.025 / 2) / ln(0.99), as two metrics share 5 %, minus the 60 existing rounds.
    assert_eq!(open["more_rounds"], 437 - 60);
    let note = list(&document, "notes").iter().find(|note| note["kind"] == "few-for-quantile");
    assert_eq!(note.expect("it is noted")["needed"], 368);

    let shown = lab.brisk(&["show", "1"]).succeeded();
    assert!(
        shown.stdout.contains("times the p90 peak rss of ") && shown.stdout.contains(", ?] MB"),
        "{shown}"
    );
    lab.brisk(&["export", "1", "--export-csv", "all.csv"]).succeeded();
    assert!(lab.read("all.csv").lines().next().expect("a header").contains(",quantile_high,"));
}

#[test]
fn what_too_few_runs_cannot_decide_is_said_before_they_run() {
    let arguments = ["compare", "-r", "3", "--metrics", "wall_time.p99", "true", "true"];
    let compared = Lab::new().brisk(&arguments).succeeded();
    assert_eq!(compared.remarks, "note: 3 rounds cannot decide anything (368 rounds can)\n");
}

#[test]
fn quantiles_are_refused_where_they_would_not_be_of_runs() {
    let lab = Lab::new();
    let is_elsewhere = "`wall_time.p99` is a quantile over runs";
    for arguments in [
        &["sweep", "--metrics", "wall_time.p99", "-L", "n", "1,2", "true {n}"][..],
        &["sweep", "--minimize", "wall_time.p99", "-L", "n", "1,2", "true {n}"],
        &["bench", "--metrics", "wall_time.p99", "true"],
    ] {
        lab.brisk(arguments).refused(is_elsewhere);
    }
    let named = ["--metrics", "wall_time.p99"];
    lab.brisk(&[&["compare", "--at", "HEAD", "--layouts", "8"], &named[..]].concat()).exited(2);
    lab.compared(&["-r", "3", "true"]);
    lab.brisk(&[&["compare", "--with", "1"], &named[..], &["true"]].concat())
        .refused("`wall_time.p99` cannot be compared over stored experiments")
        .hinting("name `wall_time` instead");
    lab.brisk(&["compare", "--metrics", "wall_time.p100", "true"])
        .refused("unknown metric `wall_time.p100`");
    let measured = ["--measure", "size[bytes]=echo 1", "--metrics", "size.p50", "true"];
    lab.brisk(&[&["compare"], &measured[..]].concat()).refused("`size` is measured by `--measure`");
}

#[test]
fn an_expectation_may_be_about_a_quantile() {
    let lab = lab();
    let benchmark = |name: &str, command: &str| {
        format!("[[benchmark]]\nname = \"{name}\"\ncommand = \"{command}\"\nruns = 60\n\n")
    };
    let benchmarks = benchmark("a", COMMANDS[0]) + &benchmark("b", COMMANDS[1]);
    let that = |that: &str| format!("[[expect]]\nthat = \"{that}\"\n");
    let holds = that("peak_rss.p90(a) < peak_rss.p90(b)") + &that("peak_rss.p90(b) > 50 MB");
    lab.write("brisk.toml", &(benchmarks.clone() + &holds));
    lab.brisk(&["check", "--quiet"]).succeeded();
    lab.write("brisk.toml", &(benchmarks + &that("peak_rss.p99.9(a) < 1 GB")));
    let open = lab.brisk(&["check", "--quiet"]);
    assert!(open.stdout.contains("undecided"), "{open}");
}
