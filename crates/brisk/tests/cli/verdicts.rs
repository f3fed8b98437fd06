//! Verdicts and the exit status, on commands that differ beyond doubt.

use serde_json::json;

use crate::cost::{self, COST};
use crate::document::comparison;
use crate::lab::Lab;

const LESS: &str = "sh cost.sh 0.01";
const MORE: &str = "sh cost.sh 0.02";

/// Compares by cost, and reads the verdict on it.
#[track_caller]
fn judged(arguments: &[&str], code: i32, verdict: &str) {
    let lab = cost::lab();
    let export = ["compare", "--metrics", "cost", "--export-json", "results.json"];
    let ended = lab.brisk(&[&export, &COST[..], arguments].concat()).exited(code).says(verdict);
    let document = lab.json("results.json");
    let part = comparison(&document, 1, "cost[seconds]");
    assert_eq!(part["verdict"], verdict, "{ended}");
    let of = |key: &str| part[key].as_f64().unwrap_or(f64::INFINITY);
    assert!(of("low") <= of("ratio") && of("ratio") <= of("high"), "{part}");
    // Showing does not judge: it succeeds with any verdict.
    lab.brisk(&["show", "1"]).succeeded().says(verdict);
}

#[test]
fn what_few_rounds_cannot_decide_is_told_before_the_first_of_them() {
    let lab = Lab::new();
    let told = |arguments: &[&str]| lab.brisk(&[&["compare", "-q"], arguments].concat()).remarks;
    // 0.05 * 0.5 >= 2^-6, 0.05 * 0.3 >= 2^-7, and 0.05 * 0.2 / 8 >= 2^-10.
    let all = "wall time (7 rounds can), cpu time (8) and the other metrics (11)\n";
    assert_eq!(told(&["-r", "2", "true", "true"]), format!("note: 2 rounds cannot decide {all}"));
    assert_eq!(told(&["-M", "3", "true", "true"]), format!("note: 3 rounds cannot decide {all}"));
    // The remark comes before the command runs, even if it then fails.
    assert_ne!(told(&["-r", "2", "true", "false"]), "");
    let shortly = ["--budget", "10ms", "true", "true"];
    for enough in [&["-r", "11", "true", "true"][..], &["-r", "2", "true"], &shortly] {
        assert_eq!(told(enough), "", "{enough:?}");
    }
}

#[test]
fn a_slower_candidate_regresses_and_a_faster_one_improves() {
    judged(&[LESS, MORE], 1, "regressed");
    judged(&[MORE, LESS], 0, "improved");
    judged(&["--reference", LESS, MORE], 1, "regressed");
}

#[test]
fn the_same_command_is_unchanged_within_a_wide_margin() {
    let wide = ["--margin", "50%", "--budget", "2min", "--require-verdict"];
    judged(&[&wide[..], &[MORE, MORE]].concat(), 0, "unchanged");
}

#[test]
fn too_few_rounds_are_inconclusive_which_is_a_failure_only_on_demand() {
    judged(&["-r", "2", LESS, MORE], 0, "inconclusive");
    judged(&["-r", "2", "--require-verdict", LESS, MORE], 3, "inconclusive");
}

#[test]
fn a_regression_outweighs_a_missing_verdict() {
    judged(&["--require-verdict", LESS, MORE], 1, "regressed");
}

#[test]
fn every_estimator_finds_a_doubling() {
    for estimator in ["rank-scores", "pseudo-median", "median", "mean", "min"] {
        let options = ["--estimator", estimator, "-r", "40"];
        judged(&[&options[..], &[LESS, MORE]].concat(), 1, "regressed");
    }
}

#[test]
fn one_regression_among_several_candidates_is_enough() {
    let most = "sh cost.sh 0.06";
    judged(&[MORE, LESS, most], 1, "improved");
    judged(&[most, MORE, LESS], 0, "improved");
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
    // A metric without a better direction is shown, but does not affect the verdict.
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

#[test]
fn a_ratio_that_its_figures_contradict_says_why() {
    let lab = Lab::new();
    // Round by round 8 % slower, but not by the overall medians: the machine drifted.
    let old: Vec<f64> = (1..=41).map(f64::from).collect();
    let new: Vec<f64> = old
        .iter()
        .map(|&one| one * if (19.0..=23.0).contains(&one) { 0.8 } else { 1.08 })
        .collect();
    let result = |command: &str, times: &[f64]| {
        let of_all = times.iter().sum::<f64>() / times.len() as f64;
        json!({
            "command": command, "times": times, "mean": of_all, "stddev": 1.0, "median": of_all,
            "user": 0.0, "system": 0.0, "min": 0.5, "max": 50.0,
        })
    };
    let file = |new: &[f64]| json!({ "results": [result("old", &old), result("new", new)] });
    lab.write("drifting.json", &file(&new).to_string());
    let import = ["import", "--estimator", "median", "--export-markdown", "out.md"];
    let ended = lab.brisk(&[&import[..], &["drifting.json"]].concat()).exited(1);
    ended.says("1.08000 * regressed").says("* not the ratio of the figures beside it");
    assert!(lab.read("out.md").contains("1.08000 \\* regressed |"), "{}", lab.read("out.md"));
    // If both agree, there is no note.
    let all_slower: Vec<f64> = old.iter().map(|one| one * 1.08).collect();
    lab.write("steady.json", &file(&all_slower).to_string());
    let ended = lab.brisk(&[&import[..], &["steady.json"]].concat()).exited(1);
    assert!(!ended.stdout.contains('*'), "{ended}");
}

#[test]
fn a_sweep_of_equal_points_names_no_best_one_and_none_worse() {
    let lab = Lab::new();
    let options = ["--export-csv", "out.csv", "--confidence", "99.9", "--runs", "12"];
    let ended =
        lab.brisk(&[&["sweep", "--param", "n=1,2,3"], &options[..], &["true {n}"]].concat());
    let text = ended.exited(0).stdout;
    assert!(text.contains("nothing is shown to be better than"), "{text}");
    let shown = text.replace("may be worse than", "");
    assert!(!shown.contains("best") && !shown.contains("worse than"), "{text}");
}
