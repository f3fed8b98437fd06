//! Rust's criterion (criterion.rs).
//!
//! It leaves files below the folder in the variable `CRITERION_HOME`, two for each benchmark:
//! `.../new/benchmark.json` with its name as `full_id`, and `.../new/sample.json` with the lists
//! `iters` and `times`, in nanoseconds. The format is internal and not guaranteed; deviations from
//! it are reported as errors.

use std::path::Path;

use serde_json::Value;

use super::adapter::{
    Duration, Harness, Kept, OWN_ORDER, PANIC, Reported, Request, Selection, arguments, has_option,
    names_in_lines,
};
use super::measurement::{HarnessError, Measured, Measurement};
use super::regex;
use super::{lacking, list, parse, text, whole};

/// criterion.rs.
pub static HARNESS: Harness = CURRENT;

/// criterion.rs 0.3, which accepts whole seconds only.
pub static OLD: Harness = Harness {
    word: "criterion-rs-0.3",
    name: "criterion.rs 0.3",
    about: "A program with Rust's criterion 0.3, which measures for whole seconds",
    // Its panic messages contain the paths of its sources.
    marks: &[&[b"CRITERION_HOME", b"CRITERION_DEBUG", b"/criterion-0.3."]],
    duration: Duration { request: |seconds| duration(seconds.ceil()), ..CURRENT.duration },
    ..CURRENT
};

const CURRENT: Harness = Harness {
    word: "criterion-rs",
    name: "criterion.rs",
    about: "A program with Rust's criterion",
    marks: &[&[b"CRITERION_HOME", b"CRITERION_DEBUG"]],
    list_arguments: &["--bench", "--list"],
    list_variables: &[],
    list: |stdout| {
        let names = names_in_lines(stdout).into_iter();
        Ok(names.filter_map(|line| listed(&line).map(str::to_owned)).collect())
    },
    discovery: None,
    is_timed: |arguments| !has_option(arguments, &["--list", "--test", "-h", "--help"]),
    cause: PANIC,
    select: |selection| match selection {
        Selection::Everything => Vec::new(),
        Selection::Only(names) => vec![regex::any_of(names)],
    },
    report: |folder: &Path| Request {
        // Its resampling takes time, and the result is not read.
        arguments: arguments(["--bench", "--noplot", "--nresamples", "1000"]),
        variables: vec![("CRITERION_HOME", folder.to_string_lossy().into_owned())],
    },
    read,
    duration: Duration {
        request: duration,
        options: &["--measurement-time", "--warm-up-time", "--quick", "--profile-time"],
    },
    arranges: OWN_ORDER,
    kept: Kept::Folders,
    counts_allocations: false,
    needs_locale: false,
};

/// The time of each benchmark, and of the warm-up before it, in seconds.
fn duration(seconds: f64) -> Request {
    let seconds = seconds.to_string();
    let arguments = ["--warm-up-time", &seconds, "--measurement-time", &seconds];
    Request { arguments: arguments.map(str::to_owned).to_vec(), variables: Vec::new() }
}

/// The name in a line of its list. Versions before 0.5 write `bench`, and do not support formats.
fn listed(line: &str) -> Option<&str> {
    line.strip_suffix(": benchmark").or_else(|| line.strip_suffix(": bench"))
}

const NAME_FILE: &str = "new/benchmark.json";
const SAMPLE_FILE: &str = "new/sample.json";

fn read(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let mut measured = Vec::new();
    for (path, contents) in reported.files {
        let Some(folder) = path.strip_suffix(NAME_FILE) else { continue };
        let described = parse(path, contents)?;
        let name = text(&described, "full_id", path)?;
        let sample = format!("{folder}{SAMPLE_FILE}");
        let contents = reported.files.get(&sample);
        let contents = contents.ok_or(HarnessError::NoReport { file: SAMPLE_FILE })?;
        measured.push(Measured::new(name, measurements(&parse(&sample, contents)?, &sample)?));
    }
    if measured.is_empty() {
        return Err(HarnessError::NoReport { file: NAME_FILE });
    }
    // The files do not record the order in which they were written; benchmarks run in the order of
    // its list.
    let place = |one: &Measured| reported.asked.iter().position(|name| *name == one.name);
    measured.sort_by_key(|one| place(one).unwrap_or(usize::MAX));
    Ok(measured)
}

fn measurements(sample: &Value, file: &str) -> Result<Vec<Measurement>, HarnessError> {
    let iterations = list(sample, "iters", file)?;
    let times = list(sample, "times", file)?;
    if iterations.len() != times.len() {
        return Err(lacking(file, "time for each number of iterations"));
    }
    let measurement = |(iterations, time): (&Value, &Value)| {
        let iterations =
            whole(iterations).ok_or_else(|| lacking(file, "whole number in `iters`"))?;
        let nanoseconds = time.as_f64().unwrap_or(f64::NAN);
        Ok(Measurement::of_time(Some(iterations), nanoseconds / 1e9))
    };
    iterations.iter().zip(times).map(measurement).collect()
}
