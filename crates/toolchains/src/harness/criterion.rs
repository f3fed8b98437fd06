//! Haskell's criterion.
//!
//! Its report is JSON: `["criterion", version, [report, ...]]`. The rows of `reportMeasured` are
//! single measurements of a growing number of iterations; `reportKeys` names the columns, which
//! differ between versions. The garbage collector's columns are null unless the program runs with
//! `+RTS -T`.

use std::path::Path;

use serde_json::Value;

use super::adapter::{
    Duration, EXCEPTION, Harness, Kept, OWN_ORDER, Reported, Request, Selection, arguments,
    has_option, names_in_lines, path_in,
};
use super::measurement::{Figures, HarnessError, Measured, Measurement};
use super::{lacking, list, parse, text, whole};

/// Haskell's criterion.
pub static HARNESS: Harness = Harness {
    word: "criterion",
    name: "criterion",
    about: "A program with Haskell's criterion",
    marks: &[&[b"Criterion.Main.Options."], &[b"libHScriterion-"]],
    list_arguments: &["--list"],
    list_variables: &[],
    list: |stdout| Ok(names_in_lines(stdout)),
    discovery: None,
    is_timed: |arguments| {
        !has_option(arguments, &["-n", "--iters", "-l", "--list", "-h", "--help"])
    },
    cause: EXCEPTION,
    select: |selection| match selection {
        Selection::Everything => Vec::new(),
        Selection::Only(names) => {
            let globs = names.iter().map(|name| glob(name));
            arguments(["--match", "glob", "--"]).into_iter().chain(globs).collect()
        }
    },
    report: |folder: &Path| Request {
        arguments: vec!["--json".to_owned(), path_in(folder, FILE)],
        variables: Vec::new(),
    },
    read,
    duration: Duration {
        request: |seconds| Request {
            arguments: vec!["--time-limit".to_owned(), seconds.max(LEAST_SECONDS).to_string()],
            variables: Vec::new(),
        },
        options: &["-L", "--time-limit"],
    },
    arranges: OWN_ORDER,
    kept: Kept::File(FILE),
    counts_allocations: false,
    needs_locale: true,
};

const FILE: &str = "report.json";

/// The smallest time limit that criterion accepts.
const LEAST_SECONDS: f64 = 0.1;

/// A pattern of the package Glob that matches this name only: characters with a meaning are put in
/// classes of their own.
fn glob(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '*' | '?' | '[' | '<' => pattern.extend(['[', character, ']']),
            _ => pattern.push(character),
        }
    }
    pattern
}

fn read(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let whole_report = parse(FILE, reported.file(FILE)?)?;
    let reports = match whole_report.as_array().map(Vec::as_slice) {
        Some([Value::String(tool), _, Value::Array(reports)]) if tool == "criterion" => reports,
        _ => return Err(lacking(FILE, "list of criterion's reports")),
    };
    reports.iter().map(of_report).collect()
}

fn of_report(report: &Value) -> Result<Measured, HarnessError> {
    let name = text(report, "reportName", FILE)?;
    let keys: Vec<&str> =
        list(report, "reportKeys", FILE)?.iter().filter_map(Value::as_str).collect();
    let place = |key: &str| keys.iter().position(|known| *known == key);
    let needed =
        |key: &str| place(key).ok_or_else(|| lacking(FILE, format!("key `{key}` for `{name}`")));
    let (time, iterations) = (needed("time")?, needed("iters")?);
    let mut measurements = Vec::new();
    for row in list(report, "reportMeasured", FILE)? {
        let figure = |key: &str| place(key).and_then(|place| row[place].as_f64());
        let Some(count) = whole(&row[iterations]) else {
            return Err(lacking(FILE, format!("number of iterations for `{name}`")));
        };
        // Aeson writes "not a number" as null.
        let seconds = row[time].as_f64().unwrap_or(f64::NAN);
        measurements.push(Measurement {
            iterations: Some(count),
            seconds,
            figures: Figures {
                allocated_bytes: figure("allocated"),
                copied_bytes: figure("bytesCopied"),
                collections: figure("numGcs"),
                gc_seconds: figure("gcCpuSeconds"),
                ..Figures::default()
            },
        });
    }
    Ok(Measured::new(name, measurements))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_in_a_pattern_stands_in_a_class() {
        assert_eq!(glob("a/b c"), "a/b c");
        assert_eq!(glob("[x]*?<1-2>"), "[[]x][*][?][<]1-2>");
    }
}
