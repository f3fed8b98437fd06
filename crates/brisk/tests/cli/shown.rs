//! Every field of a document is shown in every medium, or is on the list of omissions with a
//! reason.
//!
//! A report is a page, and its renderers show all of it (`crates/page` tests that). So it is enough
//! that each field of a document changes the text of its page. Fields that cannot change by
//! themselves, such as the number of a variant, are not tried.

use std::collections::BTreeMap;

use findings::Document;
use report::page;
use serde_json::{Value, json};

use crate::inconsistent::{benched, checked, compared, of_commits, of_suites, swept, tuned};

/// Fields that are missing from the text of a page, with the reason. Fields below one of these are
/// omitted, too.
const LEFT_OUT: &[(&str, &str)] = &[
    ("machine", "`brisk doctor` says what the machine is"),
    ("conditions", "`brisk doctor` says how it is; what disturbed the runs has notes"),
    ("schema", "says how the document is read"),
    ("kind", "the page is of that kind"),
    ("answers.baseline", "a comparison has the same"),
    ("answers.candidate", "a comparison has the same"),
    ("answers.source", "a comparison has the same"),
    ("check.commit", "the checkout is at it"),
    ("check.project", "it is where brisk was called"),
    ("check.expectations.links.comparison", "the expectation's own text has it"),
    ("check.reach.functions.run_by", "the numbers of functions that are run follow from it"),
    ("check.expectations.truth", "the standing says it, with what was accepted"),
    ("commits.authorship", "the picture and the site have it"),
    ("comparisons.baseline", "the first row of the table is it, or the row that the answer names"),
    ("comparisons.candidate", "the place in the table says it"),
    ("comparisons.detectable", "said for the metric that answers"),
    ("comparisons.more_rounds", "said where the answer is open"),
    ("comparisons.rounds", "those of the experiment, but for benchmarks that lack some"),
    ("comparisons.source", "the summary beside it has the same"),
    ("detectable", "said for the metric that answers"),
    ("equal_work.outputs", "told where outputs differ, or cannot be compared"),
    ("experiment.brisk_version", "for who reads old exports"),
    ("experiment.commands", "the answers follow from it"),
    ("experiment.id", "`brisk list` has it"),
    ("experiment.margin", "said where a verdict rests on it"),
    ("experiment.resolution", "measuring followed it"),
    ("experiment.seed", "to draw the same order again"),
    ("experiment.started_unix_ns", "`brisk list` has it"),
    ("histories.absences", "the commits that lack a benchmark are marked"),
    ("history", "what was asked for; a link has the rest"),
    ("memory_over_time", "drawn: the chart and the picture have the samples"),
    ("memory_verdicts.round", "says which curve is drawn"),
    ("memory_verdicts.source", "a curve has the same"),
    ("memory_verdicts.verdict.from_seconds", "drawn"),
    ("missing", "told for what was asked for, and with `-v`; benchmarks have sentences"),
    ("notes.kind", "the words of a note are of that kind"),
    ("notes.separation", "chooses the metric that the note names"),
    ("notes.share", "the times of the note say it"),
    ("setups", "told where setups differ"),
    ("steps.commit", "the place in the table says it"),
    ("steps.from", "the commit before it in the table"),
    ("steps.origin", "the evidence beside the step says it"),
    ("suite.levels", "within `another run`, rounded"),
    ("suite.order", "the order of the arrangements is told"),
    ("suite.reach.functions.run_by", "the numbers of functions that are run follow from it"),
    ("suite.programs.harness", "recognised, and the same for all"),
    ("summaries.high", "the picture and the exports have the interval of the median"),
    ("summaries.low", "the picture and the exports have the interval of the median"),
    ("summaries.mean", "shown with `--estimator mean`"),
    ("summaries.quartiles", "the answer about a command alone has them"),
    ("summaries.severe_outliers", "among the outliers, which are counted"),
    ("summaries.variant", "the place in the table says it"),
    ("sweep.knee", "the points' marks and sentences say it"),
    ("sweep.thrifty", "the points' marks and sentences say it"),
    ("sweep.parameters.values", "the points have them"),
    ("sweep.points.stderr", "the exports have what a failed point said"),
    ("sweep.tuning.check", "told where another command was named"),
    ("sweep.tuning.knobs", "the points have the settings, the exports the rest"),
    ("sweep.tuning.runtime", "the line to copy is in its words"),
    ("sweep.tuning.tried", "a search is not told run by run"),
    ("variants.command", "its name is shown, which is the command where no other was given"),
    ("variants.labels", "the name has the parameters, and commits are in the table"),
];

/// Words of fields that have a few possible values.
const WORDS: &[&str] = &[
    "improved",
    "regressed",
    "unchanged",
    "inconclusive",
    "run",
    "runtime",
    "valgrind",
    "sampled",
    "ratios",
    "rank-scores",
    "clean-builds",
    "exact",
    "settled",
    "budget",
    "rounds",
    "interrupted",
    "failed",
    "mean",
    "min",
    "median",
    "sequential",
    "skipped",
    "measured",
    "unchecked",
    "nothing-to-build",
    "reached",
    "not-reached",
    "unknown",
    "holds",
    "fails",
    "undecided",
    "accepted",
    "constant",
    "proportional",
    "steps",
    "wall_time",
    "cpu_time",
    "less",
    "at-most",
    "pays",
    "never",
    "drift",
    "contention",
    "user-mode-counters",
];

/// The number of places of one field that are tried first.
const TRIES: usize = 8;

/// Collects each field's places: the path without numbers, and every path with them.
fn fields(value: &Value, path: String, name: String, found: &mut BTreeMap<String, Vec<String>>) {
    match value {
        Value::Object(parts) => {
            for (key, part) in parts {
                let escaped = key.replace('~', "~0").replace('/', "~1");
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                fields(part, format!("{path}/{escaped}"), name, found);
            }
        }
        Value::Array(parts) => {
            for (number, part) in parts.iter().enumerate() {
                fields(part, format!("{path}/{number}"), name.clone(), found);
            }
        }
        _ => found.entry(name).or_default().push(path),
    }
}

/// Other possible values of a field.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(0.0);
            let times = |factor: f64| json!(number * factor + factor);
            let whole = |more: f64| json!((number + more) as i64);
            vec![times(3.7), times(0.31), whole(1.0), whole(-1.0), whole(7.0), Value::Null]
        }
        Value::String(text) => {
            let is_word = WORDS.contains(&text.as_str());
            let words = WORDS.iter().filter(|word| is_word && *word != text);
            let words = words.map(|word| json!(word));
            [json!(format!("{text}~")), json!("~")].into_iter().chain(words).collect()
        }
        Value::Bool(is) => vec![json!(!is)],
        _ => vec![json!(3), json!("~"), json!(true)],
    }
}

/// The effect of changing a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// It cannot change by itself: the document would contradict itself.
    Refused,
    /// The text of the page did not change.
    Silent,
    /// The text of the page changed.
    Shown,
}

/// The fields of a document: each one's name, with its places.
type Fields = BTreeMap<String, Vec<String>>;

/// The effect of changing a field at these places, including to the values at the other places.
fn told(document: &Value, places: &[String]) -> Change {
    let text = |value: &Value| Some(page(&Document::read(&value.to_string()).ok()?).text());
    let shown = text(document).expect("it is as brisk wrote it");
    let mut elsewhere: Vec<Value> = Vec::new();
    for value in places.iter().filter_map(|path| document.pointer(path)) {
        if !elsewhere.contains(value) {
            elsewhere.push(value.clone());
        }
    }
    let change = |path: &String| {
        let mut changed = document.clone();
        let own = document.pointer(path).expect("it is there");
        let to = |other: Value| {
            *changed.pointer_mut(path).expect("it is there") = other;
            match text(&changed) {
                None => Change::Refused,
                Some(text) if text == shown => Change::Silent,
                Some(_) => Change::Shown,
            }
        };
        others(own).into_iter().chain(elsewhere.clone()).map(to).max().unwrap_or(Change::Refused)
    };
    places.iter().map(change).max().unwrap_or(Change::Refused)
}

/// A few of the places, far apart.
fn spread(places: &[String]) -> Vec<String> {
    places.iter().step_by(places.len().div_ceil(TRIES)).cloned().collect()
}

/// Notes that depend on the machine, or on its load.
fn notes_of_the_machine() -> Value {
    json!([
        {"kind": "drift", "variant": 1, "change": 0.25, "p_value": 0.001},
        {"kind": "position", "candidate": 1, "effect": 0.25, "p_value": 0.001},
        {"kind": "carry-over", "variant": 1, "effect": 0.25, "p_value": 0.001},
        {"kind": "bimodal", "variant": 1, "low": 0.5, "high": 0.75, "share_of_high": 0.25,
         "goes_with": "minor_faults", "separation": 0.75},
        {"kind": "contention", "wait_share": 0.25},
        {"kind": "first-run-slow", "variant": 1, "times": 5.0},
        {"kind": "short-runs", "median": 0.001},
        {"kind": "at-floor", "floor_bytes": 2_000_000.0},
        {"kind": "no-counters", "reason": "there are none"},
        {"kind": "user-mode-counters"},
        {"kind": "scaled-counters", "least_share": 0.5},
        {"kind": "disagreement", "variant": 1, "metric": "wall_time", "shown": [1.25, 1.2, 1.3],
         "earlier": [0.75, 0.7, 0.8]},
        {"kind": "likely-layout", "baseline": 0, "candidate": 1, "ratio": 1.25, "instructions": 1.0001},
    ])
}

/// The reach of a change, for which programs would have to be built and counted.
fn reach() -> Value {
    let benchmark = |name: &str, reach: &str, reason: &str| json!({"benchmark": name, "reach": reach, "reason": reason, "profiled": true});
    let function = |name: &str, run_by: &[&str]| json!({"name": name, "file": format!("{name}.c"), "run_by": run_by});
    json!({
        "base": "1".repeat(40),
        "head": "2".repeat(40),
        "benchmarks": [
            benchmark("sort", "reached", "`sort` has other machine code"),
            benchmark("hash", "not-reached", "all that it runs is the same in both programs"),
            benchmark("walk", "unknown", "the program has no debug information"),
        ],
        "functions": [function("sort", &["sort"]), function("unused", &[])],
        "profiling_seconds": 1.5,
    })
}

/// Possible verdicts on the memory of sampled runs, which depend on the number of samples.
fn memory_of_longer_runs(compared: &Value) -> Value {
    let mut verdicts = compared["memory_verdicts"].clone();
    verdicts[0]["verdict"] = json!({
        "peak": 2e8, "level": 1e8, "from_seconds": 0.5, "kind": "proportional",
        "slope": {"bytes_per_second": 1e7, "low": 0.9e7, "high": 1.1e7},
    });
    verdicts[1]["verdict"] = json!({
        "peak": 2e8, "level": 1e8, "from_seconds": 0.5, "kind": "steps",
        "steps": [{"begin_seconds": 1.0, "end_seconds": 1.5, "before": 1e8, "after": 2e8}],
    });
    verdicts
}

#[test]
fn what_is_in_a_document_is_shown_or_left_out_for_a_reason() {
    let read = |document: Value| {
        let mut found = Fields::new();
        fields(&document, String::new(), String::new(), &mut found);
        (document, found)
    };
    let mut compared = compared().document;
    compared["notes"] = notes_of_the_machine();
    compared["memory_verdicts"] = memory_of_longer_runs(&compared);
    // A check shows the standing of its expectations, and no note.
    let mut checked = checked().document;
    checked["notes"] = json!([]);
    checked["check"]["reach"] = reach();
    let mut benched = benched().document;
    benched["suite"]["reach"] = reach();
    let others = [swept(), tuned(), of_commits(), of_suites()];
    let others = others.into_iter().map(|stored| stored.document);
    let all: Vec<(Value, Fields)> =
        [compared, checked, benched].into_iter().chain(others).map(read).collect();
    let mut changes: BTreeMap<&String, Change> = BTreeMap::new();
    for (document, fields) in &all {
        for (name, places) in fields {
            let known = changes.entry(name).or_insert(Change::Refused);
            *known = told(document, &spread(places)).max(*known);
        }
    }
    let is_of = |name: &str, path: &str| name == path || name.starts_with(&format!("{path}."));
    let is_listed = |name: &str| LEFT_OUT.iter().any(|(path, _)| is_of(name, path));
    // A field may be shown at only a few of its places, which a few tries can miss: then all are
    // tried.
    let is_shown = |name: &String| {
        let of = |(document, fields): &(Value, Fields)| {
            fields.get(name).is_some_and(|places| told(document, places) == Change::Shown)
        };
        all.iter().any(of)
    };
    let silent = changes.iter().filter(|(_, change)| **change == Change::Silent);
    let unlisted: Vec<&&String> =
        silent.map(|(name, _)| name).filter(|name| !is_listed(name) && !is_shown(name)).collect();
    assert!(unlisted.is_empty(), "neither shown nor listed: {unlisted:#?}");
}
