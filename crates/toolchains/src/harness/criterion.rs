//! Haskell's criterion.
//!
//! Its report is JSON: `["criterion", version, [report, ...]]`. The rows of `reportMeasured` are
//! single measurements of a growing number of iterations; `reportKeys` names the columns, which
//! differ between versions. The garbage collector's columns are null unless the program runs with
//! `+RTS -T`.

use serde_json::Value;

use super::measurement::{Figures, HarnessError, Measured, Measurement};
use super::{lacking, list, parse, text, whole};

/// The measurements in a report.
pub(super) fn read(file: &str, contents: &str) -> Result<Vec<Measured>, HarnessError> {
    let whole_report = parse(file, contents)?;
    let reports = match whole_report.as_array().map(Vec::as_slice) {
        Some([Value::String(tool), _, Value::Array(reports)]) if tool == "criterion" => reports,
        _ => return Err(lacking(file, "list of criterion's reports")),
    };
    reports.iter().map(|report| of_report(file, report)).collect()
}

fn of_report(file: &str, report: &Value) -> Result<Measured, HarnessError> {
    let name = text(report, "reportName", file)?;
    let keys: Vec<&str> =
        list(report, "reportKeys", file)?.iter().filter_map(Value::as_str).collect();
    let place = |key: &str| keys.iter().position(|known| *known == key);
    let needed =
        |key: &str| place(key).ok_or_else(|| lacking(file, format!("key `{key}` for `{name}`")));
    let (time, iterations) = (needed("time")?, needed("iters")?);
    let mut measurements = Vec::new();
    for row in list(report, "reportMeasured", file)? {
        let figure = |key: &str| place(key).and_then(|place| row[place].as_f64());
        let Some(count) = whole(&row[iterations]) else {
            return Err(lacking(file, format!("number of iterations for `{name}`")));
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
