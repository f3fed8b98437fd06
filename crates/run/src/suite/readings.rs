//! The measurements of a harness in one process, as the readings of its benchmarks.

use std::collections::BTreeMap;

use toolchains::harness::measurement::{
    Figures, Measured, Measurement, per_iteration, seconds_per_iteration,
};

use model::metric::{
    ALLOCATED_PER_ITERATION, ALLOCATIONS_PER_ITERATION, COLLECTIONS_PER_ITERATION,
    COPIED_PER_ITERATION, FAULTS_PER_ITERATION, GC_TIME_PER_ITERATION, ITERATIONS, MetricId,
    Missing, Readings, TIME_PER_ITERATION, Value,
};

/// Extracts a figure from a measurement.
type Figure = fn(&Figures) -> Option<f64>;

/// The metric of each figure.
const METRICS: [(MetricId, Figure); 6] = [
    (ALLOCATED_PER_ITERATION, |figures| figures.allocated_bytes),
    (ALLOCATIONS_PER_ITERATION, |figures| figures.allocations),
    (COPIED_PER_ITERATION, |figures| figures.copied_bytes),
    (COLLECTIONS_PER_ITERATION, |figures| figures.collections),
    (GC_TIME_PER_ITERATION, |figures| figures.gc_seconds),
    (FAULTS_PER_ITERATION, |figures| figures.page_faults),
];

/// The measurements of one benchmark in one process; `None` if the harness does not mention it.
pub(super) type Found<'a> = Option<&'a Result<Vec<Measurement>, String>>;

/// The report of a process, by the names of its benchmarks and their places among namesakes.
pub(super) struct Report {
    measured: Vec<Measured>,
    places: BTreeMap<(String, usize), usize>,
    /// The result of all benchmarks without a measurement, if their process failed.
    failed: Option<Result<Vec<Measurement>, String>>,
}

impl Report {
    /// The report of these measurements, which are in the order of the harness's report.
    pub(super) fn new(measured: Vec<Measured>) -> Self {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut places = BTreeMap::new();
        for (place, one) in measured.iter().enumerate() {
            let before = seen.entry(one.name.clone()).or_insert(0);
            places.insert((one.name.clone(), *before), place);
            *before += 1;
        }
        Self { measured, places, failed: None }
    }

    /// The report of a failed process, with the measurements made before.
    pub(super) fn of_failed(measured: Vec<Measured>, reason: String) -> Self {
        Self { failed: Some(Err(reason)), ..Self::new(measured) }
    }

    /// True if the process failed.
    pub(super) fn is_of_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// The measurements of a benchmark.
    pub(super) fn measurement(&self, name: &str, namesakes_before: usize) -> Found<'_> {
        let place = self.place(name, namesakes_before);
        let measured = place.map(|place| &self.measured[place].measurements);
        measured.or(self.failed.as_ref())
    }

    /// The number of iterations, if the harness reports it.
    pub(super) fn iterations(&self, name: &str, namesakes_before: usize) -> Option<f64> {
        let measured = self.measurement(name, namesakes_before)?.as_ref().ok()?;
        iterations(measured).filter(|count| *count > 0.0)
    }

    /// The index of a benchmark in the report.
    pub(super) fn place(&self, name: &str, namesakes_before: usize) -> Option<usize> {
        self.places.get(&(name.to_owned(), namesakes_before)).copied()
    }
}

/// Every metric that a harness may report, and `own`, the benchmark's usage of its process, for
/// those that it does not report.
pub(super) fn readings(found: Found<'_>, own: Option<&Readings>) -> Readings {
    let measurements = match found {
        Some(Ok(measurements)) => Ok(measurements.as_slice()),
        Some(Err(reason)) => Err(Missing(reason.clone().into())),
        None => Err(Missing("the harness reported nothing about it".into())),
    };
    let said = |value: Option<f64>| -> Value {
        value.ok_or(Missing("the harness does not say it".into()))
    };
    let time = measurements.clone().and_then(|all| said(seconds_per_iteration(all)));
    let iterations = measurements.clone().and_then(|all| said(iterations(all)));
    let figures = METRICS.into_iter().map(|(id, figure)| {
        let of = |all| said(per_iteration(all, |measurement| figure(&measurement.figures)));
        (id, measurements.clone().and_then(of))
    });
    let mut all: Vec<(MetricId, Value)> =
        [(TIME_PER_ITERATION, time), (ITERATIONS, iterations)].into_iter().chain(figures).collect();
    for (id, value) in own.into_iter().flat_map(Readings::iter) {
        match all.iter_mut().find(|(known, _)| known == id) {
            Some((_, said)) if said.is_err() => said.clone_from(value),
            Some(_) => {}
            None => all.push((id.clone(), value.clone())),
        }
    }
    all.into_iter().collect()
}

fn iterations(measurements: &[Measurement]) -> Option<f64> {
    let counts = measurements.iter().map(|measurement| measurement.iterations);
    counts.map(|count| count.map(|count| count as f64)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(name: &str, seconds: f64) -> Measured {
        Measured::new(name, vec![Measurement::of_time(Some(10), seconds)])
    }

    #[test]
    fn namesakes_are_told_apart_by_their_places() {
        let report = Report::new(vec![measured("a", 1.0), measured("b", 2.0), measured("a", 3.0)]);
        let time = |name, before| {
            readings(report.measurement(name, before), None)
                .get(&TIME_PER_ITERATION)
                .cloned()
                .expect("asked for")
        };
        assert_eq!([time("a", 0), time("b", 0), time("a", 1)], [Ok(0.1), Ok(0.2), Ok(0.3)]);
        assert!(time("a", 2).is_err());
        assert_eq!(report.place("a", 1), Some(2));
    }

    #[test]
    fn what_the_harness_says_goes_before_what_the_process_shows() {
        let own: Readings =
            [(FAULTS_PER_ITERATION, Ok(7.0)), (TIME_PER_ITERATION, Ok(9.0))].into_iter().collect();
        let silent = Report::new(vec![measured("a", 1.0)]);
        let all = readings(silent.measurement("a", 0), Some(&own));
        assert_eq!(all.get(&FAULTS_PER_ITERATION), Some(&Ok(7.0)));
        assert_eq!(all.get(&TIME_PER_ITERATION), Some(&Ok(0.1)));
        let mut said = Measurement::of_time(Some(10), 1.0);
        said.figures.page_faults = Some(320.0);
        let all = readings(
            Report::new(vec![Measured::new("a", vec![said])]).measurement("a", 0),
            Some(&own),
        );
        assert_eq!(all.get(&FAULTS_PER_ITERATION), Some(&Ok(32.0)));
    }

    #[test]
    fn what_a_process_measured_before_it_failed_counts() {
        let measured = vec![measured("a", 1.0), Measured::refused("b", "broken")];
        let report = Report::of_failed(measured, "its process exited with status 1".to_owned());
        let time = |name| {
            readings(report.measurement(name, 0), None)
                .get(&TIME_PER_ITERATION)
                .cloned()
                .expect("asked for")
        };
        let missing = |reason: &'static str| Err(Missing(reason.into()));
        let process = missing("its process exited with status 1");
        assert_eq!([time("a"), time("b"), time("c")], [Ok(0.1), missing("broken"), process]);
    }

    #[test]
    fn what_is_not_said_is_missing_with_its_reason() {
        let all = readings(Report::new(vec![measured("a", 1.0)]).measurement("a", 0), None);
        assert_eq!(all.get(&ITERATIONS), Some(&Ok(10.0)));
        let missing = all.get(&ALLOCATED_PER_ITERATION).expect("asked for");
        assert_eq!(missing, &Err(Missing("the harness does not say it".into())));
        let refused = Report::new(vec![Measured::refused("a", "skipped")]);
        let all = readings(refused.measurement("a", 0), None);
        assert_eq!(all.get(&TIME_PER_ITERATION), Some(&Err(Missing("skipped".into()))));
    }
}
