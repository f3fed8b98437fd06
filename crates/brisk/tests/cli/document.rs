//! The JSON of schema `brisk/1`, as other programs rely on it, and helpers to read it in tests.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::lab::Lab;

/// A list in the document.
#[track_caller]
pub(crate) fn list<'a>(document: &'a Value, name: &str) -> &'a Vec<Value> {
    document[name].as_array().unwrap_or_else(|| panic!("`{name}` is no list: {}", document[name]))
}

/// Asserts that the Markdown has every word that the terminal shows.
#[track_caller]
pub(crate) fn has_all_of(markdown: &str, shown: &str) {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
    }
    let known: BTreeSet<&str> = words(markdown).collect();
    let lost: Vec<&str> = words(shown).filter(|word| !known.contains(word)).collect();
    assert!(lost.is_empty(), "{lost:?} are not in\n{markdown}\nbut in\n{shown}");
}

/// The summary of one variant's metric, from the timed runs.
#[track_caller]
pub(crate) fn summary<'a>(document: &'a Value, variant: u64, metric: &str) -> &'a Value {
    let found = list(document, "summaries").iter().find(|part| {
        part["variant"] == variant && part["metric"] == metric && part["source"] == "run"
    });
    found.unwrap_or_else(|| panic!("no summary of {metric} for {variant}"))
}

/// The comparison of one candidate in one metric.
#[track_caller]
pub(crate) fn comparison<'a>(document: &'a Value, candidate: u64, metric: &str) -> &'a Value {
    let found = list(document, "comparisons")
        .iter()
        .find(|part| part["candidate"] == candidate && part["metric"] == metric);
    found.unwrap_or_else(|| panic!("no comparison of {metric} for {candidate}"))
}

/// The timed runs that are not warm-ups, in order.
pub(crate) fn measured(document: &Value) -> Vec<&Value> {
    let is_measured = |run: &&Value| run["warmup"] == false && run.get("source").is_none();
    list(document, "runs").iter().filter(is_measured).collect()
}

/// One variant's values of a metric, in the order of the runs.
pub(crate) fn values(document: &Value, variant: u64, metric: &str) -> Vec<f64> {
    measured(document)
        .into_iter()
        .filter(|run| run["variant"] == variant)
        .map(|run| run["readings"][metric].as_f64().expect("it was read"))
        .collect()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[track_caller]
fn has_keys(value: &Value, expected: &[&str]) {
    let keys = keys(value);
    let lacking: Vec<_> = expected.iter().filter(|key| !keys.contains(**key)).collect();
    assert!(lacking.is_empty(), "no {lacking:?} in {value}");
}

#[test]
fn every_field_of_the_schema_is_there() {
    let lab = Lab::new();
    let document = lab.compared(&["-r", "8", "-w", "1", "--seed", "5", "true", "sleep 0.01"]);
    assert_eq!(document["schema"], "brisk/1");
    has_keys(
        &document,
        &[
            "machine",
            "conditions",
            "plan",
            "variants",
            "runs",
            "summaries",
            "comparisons",
            "detectable",
        ],
    );
    assert!(document["machine"].is_object() && document["conditions"].is_object());
    has_keys(&document["plan"], &["seed", "rounds"]);
    assert_eq!(document["plan"]["seed"], 5);
    for variant in list(&document, "variants") {
        has_keys(variant, &["name", "command", "labels"]);
    }
    for run in list(&document, "runs") {
        has_keys(run, &["variant", "round", "position", "warmup", "outcome", "readings"]);
        assert_eq!(run["outcome"]["exited"], 0);
    }
    for part in list(&document, "summaries") {
        let names = ["variant", "metric", "n", "mean", "sd", "median", "min", "max", "low", "high"];
        has_keys(part, &names);
        has_keys(part, &["outliers"]);
    }
    for part in list(&document, "comparisons") {
        let names =
            ["metric", "baseline", "candidate", "ratio", "low", "high", "verdict", "rounds"];
        has_keys(part, &names);
        assert_eq!((&part["baseline"], &part["candidate"]), (&0.into(), &1.into()));
    }
    assert!(document["detectable"]["wall_time"].as_f64().is_some_and(|change| change > 0.0));
}

#[test]
fn every_round_visits_every_variant_once_in_the_order_that_is_stored() {
    let lab = Lab::new();
    let document = lab.compared(&[
        "-r",
        "20",
        "-w",
        "2",
        "--seed",
        "1",
        "-L",
        "n",
        "1,2,3",
        "sh -c 'echo {n} >> log'",
    ]);
    let rounds = list(&document["plan"], "rounds");
    assert_eq!(rounds.len(), 20);
    for round in rounds {
        let mut visited: Vec<u64> =
            round.as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
        visited.sort_unstable();
        assert_eq!(visited, [0, 1, 2]);
    }
    let firsts: BTreeSet<String> = rounds.iter().map(|round| round[0].to_string()).collect();
    assert_eq!(firsts.len(), 3, "whoever comes first changes: {rounds:?}");
    // The actual order of the runs, warm-ups first.
    let ran: Vec<u64> =
        lab.lines("log").iter().map(|line| line.parse::<u64>().expect("a number") - 1).collect();
    let told: Vec<u64> =
        list(&document, "runs").iter().filter_map(|run| run["variant"].as_u64()).collect();
    assert_eq!(ran, told);
    let planned: Vec<u64> = rounds
        .iter()
        .flat_map(|r| r.as_array().expect("a list"))
        .filter_map(Value::as_u64)
        .collect();
    assert_eq!(ran[6..], planned);
    for (index, run) in list(&document, "runs").iter().enumerate() {
        assert_eq!(run["warmup"], index < 6);
        assert_eq!(run["position"], index % 3);
        assert_eq!(run["round"], if index < 6 { index / 3 } else { index / 3 - 2 });
    }
}

#[test]
fn the_same_seed_draws_the_same_order() {
    let lab = Lab::new();
    let order = |seed: &str| {
        lab.compared(&["-r", "12", "--seed", seed, "true", "true"])["plan"]["rounds"].clone()
    };
    assert_eq!(order("7"), order("7"));
    assert_ne!(order("7"), order("8"));
}

#[test]
fn the_ratio_is_candidate_over_baseline() {
    let lab = Lab::new();
    // For two groups, the ratio of the means, or of the minima, is a plain division.
    for (estimator, figure) in [("mean", "mean"), ("min", "min")] {
        let arguments = ["-r", "9", "--estimator", estimator, "sleep 0.01", "sleep 0.03"];
        let document = lab.compared(&arguments);
        let of = |variant| summary(&document, variant, "wall_time")[figure].as_f64();
        let expected = of(1).expect("measured") / of(0).expect("measured");
        let ratio = comparison(&document, 1, "wall_time")["ratio"].as_f64().expect("compared");
        assert!((ratio / expected - 1.0).abs() < 1e-9, "{estimator}: {ratio} {expected}");
        assert!(ratio > 1.0);
    }
}

#[test]
fn summaries_describe_the_runs() {
    let lab = Lab::new();
    let document = lab.compared(&["-r", "11", "-w", "3", "true", "true"]);
    for variant in [0, 1] {
        let mut values = values(&document, variant, "wall_time");
        values.sort_by(f64::total_cmp);
        let part = summary(&document, variant, "wall_time");
        assert_eq!(part["n"], 11);
        assert_eq!(part["min"].as_f64(), values.first().copied());
        assert_eq!(part["max"].as_f64(), values.last().copied());
        assert_eq!(part["median"].as_f64(), Some(values[5]));
        let mean = values.iter().sum::<f64>() / 11.0;
        assert!((part["mean"].as_f64().expect("a mean") / mean - 1.0).abs() < 1e-12);
    }
}

#[test]
fn what_was_not_read_is_missing_with_its_reason_and_never_zero() {
    let lab = Lab::new();
    let document = lab.compared(&["-r", "3", "--counters", "none", "true"]);
    for run in measured(&document) {
        for metric in ["instructions", "cycles", "instructions_per_cycle"] {
            assert_eq!(run["readings"][metric]["missing"], "not requested", "{metric}");
        }
        for (metric, reading) in run["readings"].as_object().expect("readings") {
            let reason = reading["missing"].as_str();
            assert!(reading.is_number() || reason.is_some_and(|r| !r.is_empty()), "{metric}");
        }
        for metric in ["wall_time", "cpu_time", "peak_rss"] {
            assert!(run["readings"][metric].as_f64().is_some_and(|value| value > 0.0), "{metric}");
        }
    }
    let missing = list(&document, "missing");
    let part = missing.iter().find(|part| part["metric"] == "instructions").expect("it is told");
    assert_eq!((&part["runs"], &part["reason"]), (&3.into(), &"not requested".into()));
    assert!(list(&document, "summaries").iter().all(|part| part["metric"] != "instructions"));
}

#[test]
fn warm_ups_are_kept_and_not_judged() {
    let lab = Lab::new();
    // Only the warm-ups are slow.
    let script = "echo x >> log; [ $(wc -l < log) -gt 4 ] || sleep 0.5";
    let document = lab.compared(&["-w", "2", "-r", "6", script, script]);
    let runs = list(&document, "runs");
    assert_eq!(runs.iter().filter(|run| run["warmup"] == true).count(), 4);
    assert_eq!(runs.len(), 16);
    let slowest_warm_up = runs
        .iter()
        .filter(|run| run["warmup"] == true)
        .filter_map(|run| run["readings"]["wall_time"].as_f64())
        .fold(0.0, f64::max);
    assert!(slowest_warm_up > 0.5);
    for variant in [0, 1] {
        let part = summary(&document, variant, "wall_time");
        assert_eq!(part["n"], 6);
        assert!(part["min"].as_f64().is_some_and(|min| min < slowest_warm_up));
    }
}
