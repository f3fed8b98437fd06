//! Google Benchmark, for C++.
//!
//! Its report is JSON (its user guide, "Output Formats"): a list `benchmarks` of objects. Those
//! with `run_type` "iteration" are measurements; `real_time` is the time of one iteration, in
//! `time_unit`. A benchmark that gave up has `error_occurred` or `skipped` with a message.

use serde_json::Value;

use super::adapter::{Duration, Harness, Kept, PLAIN, Reported, Request, has_option, path_in};
use super::measurement::{Figures, HarnessError, Measured, Measurement};
use super::{exact_regex, lacking, list, parse, text, whole};

/// Google Benchmark.
pub static HARNESS: Harness = Harness {
    word: "google-benchmark",
    name: "Google Benchmark",
    about: "A program with Google Benchmark (C++)",
    marks: &[&[b"benchmark_list_tests"], &[b"libbenchmark.so"]],
    list_arguments: &["--benchmark_list_tests=true"],
    is_timed: |arguments| {
        let has_count =
            arguments.iter().any(|it| it.starts_with("--benchmark_min_time=") && it.ends_with('x'));
        !has_count && !has_option(arguments, &["--benchmark_list_tests", "--help"])
    },
    select: |names| vec![format!("--benchmark_filter={}", exact_regex(names))],
    report: |folder| {
        let file = format!("--benchmark_out={}", path_in(folder, FILE));
        Request::arguments([file.as_str(), "--benchmark_out_format=json"])
    },
    read,
    duration: Duration {
        request: |seconds| Request::arguments([format!("--benchmark_min_time={seconds}")]),
        options: &["--benchmark_min_time"],
    },
    // It has a random order, but does not report the seed.
    kept: Kept::File(FILE),
    ..PLAIN
};

const FILE: &str = "benchmarks.json";

fn read(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let report = parse(FILE, reported.file(FILE)?)?;
    let mut found: Vec<(String, Result<Vec<Measurement>, String>)> = Vec::new();
    for entry in list(&report, "benchmarks", FILE)? {
        // Versions before 1.5 do not give the type of an entry, and include no aggregates.
        if entry["run_type"].as_str().is_some_and(|kind| kind != "iteration") {
            continue;
        }
        let name = match entry["run_name"].as_str() {
            Some(name) => name,
            None => text(entry, "name", FILE)?,
        };
        let one = measurement(entry, name)?;
        let is_repetition = entry["repetition_index"].as_u64().is_some_and(|index| index > 0);
        match found.last_mut().filter(|(last, _)| last == name && is_repetition) {
            Some((_, Ok(all))) if one.is_ok() => all.extend(one),
            Some((_, all)) => {
                if let Err(reason) = one {
                    *all = Err(reason);
                }
            }
            None => found.push((name.to_owned(), one.map(|one| vec![one]))),
        }
    }
    let measured = found.into_iter().map(|(name, all)| match all {
        Ok(all) => Measured::new(name, all),
        Err(reason) => Measured::refused(name, reason),
    });
    Ok(measured.collect())
}

fn measurement(entry: &Value, name: &str) -> Result<Result<Measurement, String>, HarnessError> {
    for (flag, message) in [("error_occurred", "error_message"), ("skipped", "skip_message")] {
        let is_set = entry[flag].as_bool().unwrap_or_else(|| entry[flag].is_string());
        if is_set {
            let why = entry[message].as_str().unwrap_or_default();
            return Ok(Err(format!("the harness skipped it: \"{why}\"")));
        }
    }
    let lacks = |what: &str| lacking(FILE, format!("`{what}` of `{name}`"));
    let iterations = whole(&entry["iterations"]).ok_or_else(|| lacks("iterations"))?;
    let seconds_a_unit = match entry["time_unit"].as_str() {
        Some("ns") | None => 1e-9,
        Some("us") => 1e-6,
        Some("ms") => 1e-3,
        Some("s") => 1.0,
        Some(_) => return Err(lacks("known time_unit")),
    };
    // JSON has no "not a number"; some writers write it as a text.
    let Some(real_time) = entry["real_time"].as_f64() else {
        return match &entry["real_time"] {
            Value::String(text) => Ok(Err(format!("the harness says it took \"{text}\""))),
            _ => Err(lacks("real_time")),
        };
    };
    let of_all = |per_iteration: f64| per_iteration * iterations as f64;
    Ok(Ok(Measurement {
        iterations: Some(iterations),
        seconds: of_all(real_time) * seconds_a_unit,
        figures: Figures {
            allocations: entry["allocs_per_iter"].as_f64().map(of_all),
            ..Figures::default()
        },
    }))
}
