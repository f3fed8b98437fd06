//! Rust's criterion (criterion.rs).
//!
//! It leaves files below the folder in the variable `CRITERION_HOME`, two for each benchmark:
//! `.../new/benchmark.json` with its name as `full_id`, and `.../new/sample.json` with the lists
//! `iters` and `times`, in nanoseconds. The format is internal and not guaranteed; deviations from
//! it are reported as errors.

use serde_json::Value;

use super::description::Reported;
use super::measurement::{HarnessError, Measured, Measurement};
use super::{lacking, list, parse, text, whole};

const NAME_FILE: &str = "new/benchmark.json";
const SAMPLE_FILE: &str = "new/sample.json";

/// The measurements in the files of a run.
pub(super) fn read(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let mut measured = Vec::new();
    for (path, contents) in reported.files {
        let Some(folder) = path.strip_suffix(NAME_FILE) else { continue };
        let described = parse(path, contents)?;
        let name = text(&described, "full_id", path)?;
        let sample = format!("{folder}{SAMPLE_FILE}");
        let contents = reported.files.get(&sample);
        let contents =
            contents.ok_or_else(|| HarnessError::NoReport { file: SAMPLE_FILE.to_owned() })?;
        measured.push(Measured::new(name, measurements(&parse(&sample, contents)?, &sample)?));
    }
    if measured.is_empty() {
        return Err(HarnessError::NoReport { file: NAME_FILE.to_owned() });
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
