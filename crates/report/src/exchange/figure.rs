//! The metrics exported to other programs, under the names these use.

use super::Document;
use model::metric::{
    ALLOCATED, ALLOCATED_PER_ITERATION, ALLOCATIONS_PER_ITERATION, COLLECTIONS_PER_ITERATION,
    COPIED_PER_ITERATION, GC_TIME_PER_ITERATION, INSTRUCTIONS, MetricId, PEAK_RSS,
    TIME_PER_ITERATION, WALL_TIME,
};

/// A metric with its names in other formats.
#[derive(Debug)]
pub(super) struct Figure {
    /// The metric in brisk.
    pub(super) id: MetricId,
    /// The name of the measure; the first one is the time, under Bencher's name.
    pub(super) measure: &'static str,
    /// The unit in Go's benchmark text.
    pub(super) go_unit: &'static str,
    /// The unit in charts.
    pub(super) unit: &'static str,
    /// The number of these units in one SI unit, in which brisk measures.
    pub(super) factor: f64,
}

const NANO: f64 = 1e9;

/// The metrics of benchmarks. Go's own units are `ns/op`, `B/op` and `allocs/op`; its tools know
/// the others by their last parts.
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
pub(super) fn figures(document: &Document) -> &'static [Figure] {
    let are_benchmarks = document.suite().is_some() || !document.histories().is_empty();
    if are_benchmarks { &OF_BENCHMARKS } else { &OF_COMMANDS }
}
