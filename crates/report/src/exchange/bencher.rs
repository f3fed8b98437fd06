//! The Bencher Metric Format: for each benchmark, by name, its measures, each with a `value` and,
//! if there is an interval, `lower_value` and `upper_value`.
//!
//! The file has no units. Bencher's measure `latency` is in nanoseconds; the others are bytes or
//! counts, and Bencher shows their unit if the user configures it.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::figures;
use super::{Document, NOTHING, entries, rounded, summary};

/// Writes all benchmarks; a value is the median, its bounds those of the median's 95 % interval.
///
/// # Errors
///
/// When it cannot be written, or there is nothing to write.
pub(crate) fn write(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let mut benchmarks = Map::new();
    for entry in entries(document) {
        let mut measures = Map::new();
        for figure in figures(document) {
            let Some(part) = summary(document, entry.variant, &figure.id) else { continue };
            let scaled = |value: f64| json!(rounded(value * figure.factor));
            let bounds = [("lower_value", part.low), ("upper_value", part.high)];
            let bounds = bounds.into_iter().filter_map(|(key, value)| Some((key, value?)));
            let fields = std::iter::once(("value", part.median)).chain(bounds);
            let fields = fields.map(|(key, value)| (key.to_owned(), scaled(value)));
            measures.insert(figure.measure.to_owned(), Value::Object(fields.collect()));
        }
        if !measures.is_empty() {
            benchmarks.insert(entry.name, Value::Object(measures));
        }
    }
    if benchmarks.is_empty() {
        return Err(io::Error::other(NOTHING));
    }
    serde_json::to_writer_pretty(&mut *out, &benchmarks)?;
    out.write_all(b"\n")
}
