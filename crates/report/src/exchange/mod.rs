//! The measurements in the formats of other programs: those that compare benchmarks, and those that
//! keep their history.
//!
//! Most of these formats have one value for each benchmark, and names that mean something to their
//! readers. So a suite of two programs is represented by its new one, except in formats that can
//! hold both, and every name is made valid and unique. Missing readings are left out.

pub(super) mod asv;
pub(super) mod go;

use findings::{Document, MetricSummary};
use model::metric::{
    ALLOCATED, ALLOCATED_PER_ITERATION, ALLOCATIONS_PER_ITERATION, COLLECTIONS_PER_ITERATION,
    COPIED_PER_ITERATION, GC_TIME_PER_ITERATION, INSTRUCTIONS, MetricId, PEAK_RSS,
    TIME_PER_ITERATION, WALL_TIME,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};

const NOTHING: &str = "nothing was measured that the format has a place for";

/// A benchmark or command as a row of a foreign file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: String,
    variant: u32,
}

/// The rows of a document: the benchmarks of a suite's new program, or the variants.
fn entries(document: &Document) -> Vec<Entry> {
    let newest = document.suite().map_or(0, |suite| suite.programs.len() - 1);
    let pairs = named(document, newest);
    let names = distinct(pairs.iter().map(|(name, _)| name.clone()), in_brackets);
    pairs.into_iter().zip(names).map(|((_, variant), name)| Entry { name, variant }).collect()
}

/// The names and variants of one program of a suite, or of all variants of another experiment.
fn named(document: &Document, program: usize) -> Vec<(String, u32)> {
    match document.suite() {
        Some(suite) => suite
            .benchmarks
            .iter()
            .filter_map(|one| Some((one.name.clone(), (*one.variants.get(program)?)?)))
            .collect(),
        None => document.variants.iter().map(|part| part.name.clone()).zip(0..).collect(),
    }
}

/// The names, made unique: later namesakes get the first suffix, from 1, that is free.
fn distinct(names: impl Iterator<Item = String>, suffix: fn(usize) -> String) -> Vec<String> {
    let names: Vec<String> = names.collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let given: BTreeSet<String> = names.iter().cloned().collect();
    names
        .into_iter()
        .map(|name| {
            let mut numbered = (1..).map(|number| format!("{name}{}", suffix(number)));
            let is_free = |name: &String| !taken.contains(name) && !given.contains(name);
            let name = if taken.contains(&name) {
                numbered.find(is_free).expect("there are more numbers than names")
            } else {
                name
            };
            taken.insert(name.clone());
            name
        })
        .collect()
}

/// A benchmark's values in one figure, for formats with a row for each.
struct Row<'a> {
    /// The unique name: the benchmark's for the time, with the figure's appended for others.
    name: String,
    variant: u32,
    figure: &'static Figure,
    summary: &'a MetricSummary,
}

/// The rows of these benchmarks, at least one; otherwise an error.
fn rows(document: &Document, entries: Vec<Entry>) -> io::Result<Vec<Row<'_>>> {
    let mut rows = Vec::new();
    for Entry { name, variant } in entries {
        for (place, figure) in figures(document).iter().enumerate() {
            let Some(summary) = summary(document, variant, &figure.id) else { continue };
            let name = if place == 0 { name.clone() } else { format!("{name} {}", figure.measure) };
            rows.push(Row { name, variant, figure, summary });
        }
    }
    let names = distinct(rows.iter().map(|row| row.name.clone()), in_brackets);
    for (row, name) in rows.iter_mut().zip(names) {
        row.name = name;
    }
    if rows.is_empty() { Err(io::Error::other(NOTHING)) } else { Ok(rows) }
}

/// `a (2)` for the second `a`.
fn in_brackets(number: usize) -> String {
    format!(" ({})", number + 1)
}

/// A variant's values in a metric; `None` if only a bound is known.
fn summary<'a>(document: &'a Document, variant: u32, id: &MetricId) -> Option<&'a MetricSummary> {
    document.any_summary(variant, id).filter(|part| !part.at_most)
}

/// The number without the digits that multiplication added beyond its precision.
fn rounded(value: f64) -> f64 {
    // A double has 15 reliable decimal digits.
    format!("{value:.14e}").parse().expect("a number that was just written")
}

/// A metric with its names in other formats.
#[derive(Debug)]
struct Figure {
    id: MetricId,
    /// The name of the measure; the first one is the time, under Bencher's name.
    measure: &'static str,
    go_unit: &'static str,
    /// The unit in charts.
    unit: &'static str,
    /// The number of these units in one SI unit, in which brisk measures.
    factor: f64,
}

const NANO: f64 = 1e9;

/// The metrics of benchmarks; Go's tools know units other than their own by the last parts.
static OF_BENCHMARKS: [Figure; 6] = [
    figure(TIME_PER_ITERATION, "latency", "ns/op", "ns/iter", NANO),
    figure(ALLOCATED_PER_ITERATION, "allocated", "B/op", "B/iter", 1.0),
    figure(ALLOCATIONS_PER_ITERATION, "allocations", "allocs/op", "allocations/iter", 1.0),
    figure(COPIED_PER_ITERATION, "copied", "copied-B/op", "B/iter", 1.0),
    figure(COLLECTIONS_PER_ITERATION, "collections", "GCs/op", "collections/iter", 1.0),
    figure(GC_TIME_PER_ITERATION, "gc-time", "gc-ns/op", "ns/iter", NANO),
];

/// The metrics of commands: one run is one operation.
static OF_COMMANDS: [Figure; 4] = [
    figure(WALL_TIME, "latency", "ns/op", "ns", NANO),
    figure(PEAK_RSS, "peak-rss", "peak-RSS-bytes", "B", 1.0),
    figure(ALLOCATED, "allocated", "B/op", "B", 1.0),
    figure(INSTRUCTIONS, "instructions", "instructions/op", "instructions", 1.0),
];

const fn figure(
    id: MetricId,
    measure: &'static str,
    go_unit: &'static str,
    unit: &'static str,
    factor: f64,
) -> Figure {
    Figure { id, measure, go_unit, unit, factor }
}

/// The exported metrics of this experiment, time first.
fn figures(document: &Document) -> &'static [Figure] {
    let are_benchmarks = document.suite().is_some() || !document.histories().is_empty();
    if are_benchmarks { &OF_BENCHMARKS } else { &OF_COMMANDS }
}

/// Writes the Bencher Metric Format: for each benchmark its measures, each with a `value`, which is
/// the median, and the bounds of its 95 % interval. The file has no units: `latency` is in
/// nanoseconds.
pub(crate) fn write_bencher(document: &Document, out: &mut dyn Write) -> io::Result<()> {
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

#[derive(Debug, Serialize)]
struct Bar {
    name: String,
    unit: &'static str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    extra: String,
}

/// Writes JSON for github-action-benchmark, tool `customSmallerIsBetter` (its README, "Other
/// tools"). It draws a chart for each name, and compares with stored values, so units never depend
/// on these.
pub(crate) fn write_github_action(document: &Document, out: &mut dyn Write) -> io::Result<()> {
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

const PICO: f64 = 1e12;

/// Writes the CSV of tasty-bench's `--csv`, which its `--baseline` reads: `Name,Mean (ps),2*Stdev
/// (ps)` in whole picoseconds (tasty-bench 0.4, `Test.Tasty.Bench`). The standard deviation is that
/// between processes; a benchmark without one could not be compared, and is left out.
pub(crate) fn write_tasty_bench(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let time = &figures(document)[0];
    let mut rows = Vec::new();
    for entry in entries(document) {
        let Some(part) = summary(document, entry.variant, &time.id) else { continue };
        let Some(sd) = part.sd else { continue };
        let whole = |seconds: f64| format!("{:.0}", seconds * PICO);
        rows.push([entry.name, whole(part.mean), whole(2.0 * sd)]);
    }
    if rows.is_empty() {
        return Err(io::Error::other(format!("{NOTHING}: it needs two rounds at least")));
    }
    let mut table = csv::WriterBuilder::new().flexible(true).from_writer(out);
    table.write_record(["Name", "Mean (ps)", "2*Stdev (ps)"]).map_err(io::Error::other)?;
    for row in rows {
        table.write_record(row).map_err(io::Error::other)?;
    }
    table.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namesakes_get_names_that_nobody_has() {
        let names = ["a", "b", "a", "a (2)", "a"].map(str::to_owned);
        let told_apart = distinct(names.into_iter(), in_brackets);
        assert_eq!(told_apart, ["a", "b", "a (3)", "a (2)", "a (4)"]);
    }

    #[test]
    fn a_number_has_no_digits_that_come_from_its_unit() {
        assert_eq!(rounded(0.000_000_154_125 * 1e9), 154.125);
        assert_eq!(rounded(0.1 + 0.2), 0.3);
        assert_eq!(rounded(0.0), 0.0);
    }
}
