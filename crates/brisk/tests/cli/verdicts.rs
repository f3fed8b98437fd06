//! Verdicts and the exit status, on commands whose difference is beyond doubt.

use crate::document::comparison;
use crate::lab::Lab;

/// Compares and reads the verdict on wall time.
#[track_caller]
fn judged(arguments: &[&str], code: i32, verdict: &str) {
    let lab = Lab::new();
    let export = ["compare", "--export-json", "results.json"];
    let ended = lab.brisk(&[&export, arguments].concat()).exited(code).says(verdict);
    let document = lab.json("results.json");
    let part = comparison(&document, 1, "wall_time");
    assert_eq!(part["verdict"], verdict, "{ended}");
    let of = |key: &str| part[key].as_f64().unwrap_or(f64::INFINITY);
    assert!(of("low") <= of("ratio") && of("ratio") <= of("high"), "{part}");
    // Showing is no judging: it succeeds whatever the verdict was.
    lab.brisk(&["show", "1"]).succeeded().says(verdict);
}

#[test]
fn a_slower_candidate_regresses_and_a_faster_one_improves() {
    judged(&["sleep 0.01", "sleep 0.02"], 1, "regressed");
    judged(&["sleep 0.02", "sleep 0.01"], 0, "improved");
    judged(&["--reference", "sleep 0.01", "sleep 0.02"], 1, "regressed");
}

#[test]
fn the_same_command_is_unchanged_within_a_wide_margin() {
    let wide = ["--margin", "50%", "--budget", "2min", "--require-verdict"];
    judged(&[&wide[..], &["sleep 0.02", "sleep 0.02"]].concat(), 0, "unchanged");
}

#[test]
fn too_few_rounds_are_inconclusive_which_is_a_failure_only_on_demand() {
    judged(&["-r", "2", "sleep 0.01", "sleep 0.02"], 0, "inconclusive");
    judged(&["-r", "2", "--require-verdict", "sleep 0.01", "sleep 0.02"], 3, "inconclusive");
}

#[test]
fn a_regression_outweighs_a_missing_verdict() {
    judged(&["--require-verdict", "sleep 0.01", "sleep 0.02"], 1, "regressed");
}

#[test]
fn every_estimator_finds_a_doubling() {
    for estimator in ["rank-scores", "pseudo-median", "median", "mean", "min"] {
        let options = ["--estimator", estimator, "-r", "40"];
        judged(&[&options[..], &["sleep 0.005", "sleep 0.02"]].concat(), 1, "regressed");
    }
}

#[test]
fn one_regression_among_several_candidates_is_enough() {
    let lab = Lab::new();
    lab.brisk(&["compare", "sleep 0.02", "sleep 0.005", "sleep 0.06"]).exited(1).says("improved");
    lab.brisk(&["compare", "sleep 0.06", "sleep 0.02", "sleep 0.005"]).exited(0);
}

#[test]
fn a_named_metric_decides() {
    let lab = Lab::new();
    let big = "dd if=/dev/zero of=/dev/null bs=100M count=1";
    let memory = ["compare", "--metrics", "peak_rss", "-r", "12", "--export-json", "results.json"];
    let small = "dd if=/dev/zero of=/dev/null bs=30M count=1";
    let ended = lab.brisk(&[&memory[..], &[small, big]].concat()).exited(1);
    ended.says("peak rss").says("regressed");
    let document = lab.json("results.json");
    let ratio = comparison(&document, 1, "peak_rss")["ratio"].as_f64().expect("compared");
    assert!((3.0..3.5).contains(&ratio), "{ratio}");
    lab.brisk(&[&memory[..], &[big, small]].concat()).exited(0).says("improved");
    // A metric that nobody can be better in is shown, and judges nothing.
    lab.brisk(&["compare", "--metrics", "voluntary_switches", "-r", "12", "true", "sleep 0.01"])
        .exited(0)
        .says("voluntary switches");
}

#[test]
fn confidence_and_margin_are_told() {
    let lab = Lab::new();
    let arguments = ["compare", "--margin", "7", "--confidence", "99", "-r", "3", "true", "true"];
    lab.brisk(&arguments).exited(0).says("99 % confidence");
    let document = lab.exported("1");
    assert_eq!(document["experiment"]["confidence"], 0.99);
    assert_eq!(document["experiment"]["margin"], 0.07);
}
