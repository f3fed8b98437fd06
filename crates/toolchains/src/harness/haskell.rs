//! Haskell's criterion and tasty-bench.
//!
//! criterion's report is JSON: `["criterion", version, [report, ...]]`. The rows of
//! `reportMeasured` are single measurements of a growing number of iterations; `reportKeys` names
//! the columns, which differ between versions. The garbage collector's columns are null unless the
//! program runs with `+RTS -T`.
//!
//! tasty-bench's report is CSV with the columns `Name`, `Mean (ps)` and `2*Stdev (ps)`, followed by
//! `Allocated`, `Copied` and `Peak Memory` if the program runs with `+RTS -T`. It gives the time of
//! one iteration, in picoseconds, but not the number of iterations. A benchmark is selected by an
//! expression of tasty whose texts are written as in Haskell (`Test.Tasty.Patterns.Parser`): every
//! character can be given by its number, so the locale does not matter.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::adapter::{
    Cause, Duration, EXCEPTION, Harness, Kept, PLAIN, Reported, Request, has_option, path_in,
};
use super::measurement::{Figures, HarnessError, Measured, Measurement};
use super::{lacking, list, parse, text, whole};

/// Haskell's criterion.
pub static CRITERION: Harness = Harness {
    word: "criterion",
    name: "criterion",
    about: "A program with Haskell's criterion",
    marks: &[&[b"Criterion.Main.Options."], &[b"libHScriterion-"]],
    list_arguments: &["--list"],
    is_timed: |arguments| {
        !has_option(arguments, &["-n", "--iters", "-l", "--list", "-h", "--help"])
    },
    cause: EXCEPTION,
    select: |names| {
        let globs = names.iter().map(|name| glob(name));
        ["--match", "glob", "--"].map(str::to_owned).into_iter().chain(globs).collect()
    },
    report: |folder| Request::arguments(["--json".to_owned(), path_in(folder, REPORT)]),
    read: read_report,
    duration: Duration {
        request: |seconds| {
            Request::arguments(["--time-limit", &seconds.max(LEAST_SECONDS).to_string()])
        },
        options: &["-L", "--time-limit"],
    },
    kept: Kept::File(REPORT),
    needs_locale: true,
    ..PLAIN
};

const REPORT: &str = "report.json";

/// The smallest time limit that criterion accepts.
const LEAST_SECONDS: f64 = 0.1;

/// A pattern of the package Glob that matches this name only: characters with a meaning are put in
/// classes of their own.
fn glob(name: &str) -> String {
    let one = |character: char| match character {
        '*' | '?' | '[' | '<' => format!("[{character}]"),
        _ => character.to_string(),
    };
    name.chars().map(one).collect()
}

fn read_report(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let whole_report = parse(REPORT, reported.file(REPORT)?)?;
    let reports = match whole_report.as_array().map(Vec::as_slice) {
        Some([Value::String(tool), _, Value::Array(reports)]) if tool == "criterion" => reports,
        _ => return Err(lacking(REPORT, "list of criterion's reports")),
    };
    reports.iter().map(of_report).collect()
}

fn of_report(report: &Value) -> Result<Measured, HarnessError> {
    let name = text(report, "reportName", REPORT)?;
    let keys: Vec<&str> =
        list(report, "reportKeys", REPORT)?.iter().filter_map(Value::as_str).collect();
    let place = |key: &str| keys.iter().position(|known| *known == key);
    let needed =
        |key: &str| place(key).ok_or_else(|| lacking(REPORT, format!("key `{key}` for `{name}`")));
    let (time, iterations) = (needed("time")?, needed("iters")?);
    let mut measurements = Vec::new();
    for row in list(report, "reportMeasured", REPORT)? {
        let figure = |key: &str| place(key).and_then(|place| row[place].as_f64());
        let Some(count) = whole(&row[iterations]) else {
            return Err(lacking(REPORT, format!("number of iterations for `{name}`")));
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

/// Haskell's tasty-bench.
pub static TASTY_BENCH: Harness = Harness {
    word: "tasty-bench",
    name: "tasty-bench",
    about: "A program with Haskell's tasty-bench",
    marks: &[&[b"Mean (ps),2*Stdev (ps)"], &[b"libHStasty-bench-"]],
    list_arguments: &["--list-tests"],
    is_timed: |arguments| !has_option(arguments, &["-l", "--list-tests", "-h", "--help"]),
    cause: Cause { begins: &["Exception: "], ..EXCEPTION },
    select: |names| {
        let each = names.iter().map(|name| format!("$0 == {}", literal(name)));
        vec!["--pattern".to_owned(), each.collect::<Vec<_>>().join(" || ")]
    },
    report: |folder| Request::arguments(["--csv".to_owned(), path_in(folder, TABLE)]),
    read: read_table,
    // No duration: it measures until the spread is small enough, for an unlimited time.
    kept: Kept::File(TABLE),
    needs_locale: true,
    ..PLAIN
};

const TABLE: &str = "benchmarks.csv";

/// A Haskell string literal of this text.
fn literal(text: &str) -> String {
    let mut literal = "\"".to_owned();
    for character in text.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | ' ' | '_' | '-' | '/' => {
                literal.push(character);
            }
            _ => write!(literal, "\\{}\\&", u32::from(character)).expect("writing to a string"),
        }
    }
    literal.push('"');
    literal
}

fn read_table(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let wrong = |source| HarnessError::Csv { file: TABLE.to_owned(), source };
    let mut rows = csv::Reader::from_reader(reported.file(TABLE)?.as_bytes());
    let headings = rows.headers().map_err(wrong)?.clone();
    let place = |heading: &str| headings.iter().position(|known| known == heading);
    let needed =
        |heading: &str| place(heading).ok_or_else(|| lacking(TABLE, format!("column `{heading}`")));
    let (name, mean) = (needed("Name")?, needed("Mean (ps)")?);
    let mut measured = Vec::new();
    for row in rows.records() {
        let row = row.map_err(wrong)?;
        let number = |place: usize| row.get(place).and_then(|text| text.parse::<f64>().ok());
        let figure = |heading: &str| place(heading).and_then(number);
        let measurement = Measurement {
            iterations: None,
            seconds: number(mean).map_or(f64::NAN, |picoseconds| picoseconds / 1e12),
            figures: Figures {
                allocated_bytes: figure("Allocated"),
                copied_bytes: figure("Copied"),
                ..Figures::default()
            },
        };
        measured.push(Measured::new(row.get(name).unwrap_or_default(), vec![measurement]));
    }
    Ok(measured)
}

/// The standard deviations in the report by benchmark, in seconds.
pub(super) fn deviations(text: &str) -> BTreeMap<String, f64> {
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let headings = rows.headers().cloned().unwrap_or_default();
    let place = |heading: &str| headings.iter().position(|known| known == heading);
    let (Some(name), Some(doubled)) = (place("Name"), place("2*Stdev (ps)")) else {
        return BTreeMap::new();
    };
    let of_row = |row: csv::StringRecord| {
        let picoseconds = row.get(doubled)?.parse::<f64>().ok()?;
        Some((row.get(name)?.to_owned(), picoseconds / 2.0 / 1e12))
    };
    rows.records().filter_map(|row| of_row(row.ok()?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_so_that_no_locale_can_change_it() {
        assert_eq!(literal("All.fib 1"), "\"All.fib 1\"");
        // The empty escape keeps a digit from joining the number.
        assert_eq!(literal("\"ü1"), "\"\\34\\&\\252\\&1\"");
    }

    #[test]
    fn what_means_something_in_a_pattern_stands_in_a_class() {
        assert_eq!(glob("a/b c"), "a/b c");
        assert_eq!(glob("[x]*?<1-2>"), "[[]x][*][?][<]1-2>");
    }
}
