//! JSON for github-action-benchmark, tool `customSmallerIsBetter`: a list of objects with `name`,
//! `unit` and `value`, and the texts `range` and `extra` (its README, "Other tools").
//!
//! It draws a chart for each name, so metrics other than time are appended to the name. It compares
//! with earlier stored values, so units never depend on the value.

use std::io::{self, Write};

use serde::Serialize;

use super::{Document, Row, entries, rounded, rows};

#[derive(Debug, Serialize)]
struct Bar {
    name: String,
    unit: &'static str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    extra: String,
}

/// Writes an object for each benchmark and figure; the value is the median.
///
/// # Errors
///
/// When it cannot be written, or there is nothing to write.
pub(crate) fn write(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let what = if document.suite().is_some() { ["process", "processes"] } else { ["run", "runs"] };
    let bars: Vec<Bar> =
        rows(document, entries(document))?.into_iter().map(|row| bar(row, what)).collect();
    serde_json::to_writer_pretty(&mut *out, &bars)?;
    out.write_all(b"\n")
}

fn bar(Row { name, figure, summary, .. }: Row<'_>, [one, many]: [&str; 2]) -> Bar {
    let scaled = |value: f64| rounded(value * figure.factor);
    let what = if summary.n == 1 { one } else { many };
    let mut extra = format!("median of {} {what}", summary.n);
    if let (Some(low), Some(high)) = (summary.low, summary.high) {
        extra += &format!("\n95 % interval {} to {} {}", scaled(low), scaled(high), figure.unit);
    }
    Bar {
        name,
        unit: figure.unit,
        value: scaled(summary.median),
        range: summary.sd.map(|sd| format!("± {}", scaled(sd))),
        extra,
    }
}
