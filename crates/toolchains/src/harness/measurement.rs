//! The measurements of a harness: the time of a number of iterations, and other counts.

/// One measurement, as reported by the harness.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The number of iterations; `None` if the harness only reports the time of one.
    pub iterations: Option<u64>,
    /// The wall time of all iterations, in seconds; of one if their number is unknown.
    pub seconds: f64,
    /// Other counts over the same iterations.
    pub figures: Figures,
}

/// Counts that a harness may report besides time. Each covers all iterations of its measurement, or
/// one if their number is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// Bytes allocated.
    pub allocated_bytes: Option<f64>,
    /// Number of allocations.
    pub allocations: Option<f64>,
    /// Bytes that garbage collections copied.
    pub copied_bytes: Option<f64>,
    /// Number of garbage collections.
    pub collections: Option<f64>,
    /// Processor time of garbage collections, in seconds.
    pub gc_seconds: Option<f64>,
    /// Page faults.
    pub page_faults: Option<f64>,
}

/// The outcome of one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Its name, as the harness lists it.
    pub name: String,
    /// Its measurements in the order in which they were taken, at least one; or the reason that
    /// there are none, for people.
    pub measurements: Result<Vec<Measurement>, String>,
    /// The standard deviation of its time as stated by the harness, in seconds; `None` if it lists
    /// its measurements instead, or states none.
    pub deviation_seconds: Option<f64>,
    /// The places of the measurements with which a further process begins; empty if all are of one.
    pub starts: Vec<usize>,
}

/// The reason that a harness's report could not be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum HarnessError {
    #[error("it wrote no `{file}`")]
    NoReport { file: String },
    #[error("`{file}` is not complete JSON")]
    Json { file: String, source: serde_json::Error },
    #[error("`{file}` is not complete CSV")]
    Csv { file: String, source: csv::Error },
    #[error("there is no {what} in `{file}`")]
    Lacking { what: String, file: String },
    #[error("line {line} of what it printed, `{text}`, {what}")]
    Line { line: usize, text: String, what: &'static str },
    #[error("it did not begin with the line `{expected}`")]
    NoBeginning { expected: &'static str },
}

impl HarnessError {
    /// The same error for a file that the user has kept under another name.
    pub fn of_file(mut self, name: &str) -> Self {
        match &mut self {
            Self::Json { file, .. } | Self::Csv { file, .. } | Self::Lacking { file, .. } => {
                name.clone_into(file);
            }
            Self::NoReport { .. } | Self::Line { .. } | Self::NoBeginning { .. } => {}
        }
        self
    }
}

impl Measured {
    /// The benchmark with these measurements; refused if one of them is invalid.
    pub fn new(name: impl Into<String>, measurements: Vec<Measurement>) -> Self {
        let wrong = measurements.iter().find_map(Measurement::what_is_wrong);
        let measurements = match wrong {
            Some(reason) => Err(reason),
            None if measurements.is_empty() => Err("the harness measured nothing".to_owned()),
            None => Ok(measurements),
        };
        Self { name: name.into(), measurements, deviation_seconds: None, starts: Vec::new() }
    }

    /// A benchmark that the harness did not measure, with the reason.
    pub fn refused(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            measurements: Err(reason.into()),
            deviation_seconds: None,
            starts: Vec::new(),
        }
    }
}

impl Measured {
    /// The measurements of each process.
    pub fn processes(&self) -> Vec<&[Measurement]> {
        let Ok(all) = &self.measurements else { return Vec::new() };
        let ends = self.starts.iter().copied().chain([all.len()]);
        let mut from = 0;
        ends.map(|end| &all[std::mem::replace(&mut from, end)..end]).collect()
    }
}

impl Measurement {
    /// A measurement of time alone.
    pub fn of_time(iterations: Option<u64>, seconds: f64) -> Self {
        Self { iterations, seconds, figures: Figures::default() }
    }

    fn what_is_wrong(&self) -> Option<String> {
        if self.iterations == Some(0) {
            return Some("the harness says 0 iterations".to_owned());
        }
        if !(self.seconds.is_finite() && self.seconds > 0.0) {
            return Some(format!("the harness says it took {} s", self.seconds));
        }
        let Figures {
            allocated_bytes,
            allocations,
            copied_bytes,
            collections,
            gc_seconds,
            page_faults,
        } = self.figures;
        let figures =
            [allocated_bytes, allocations, copied_bytes, collections, gc_seconds, page_faults];
        let is_wrong = |figure: &f64| !figure.is_finite() || *figure < 0.0;
        figures
            .into_iter()
            .flatten()
            .find(is_wrong)
            .map(|figure| format!("the harness counted {figure}"))
    }
}

/// Adds another run's measurements of the same benchmark; one that failed counts for all.
pub(super) fn join(
    known: &mut Result<Vec<Measurement>, String>,
    more: Result<Vec<Measurement>, String>,
) {
    match (&mut *known, more) {
        (Ok(all), Ok(more)) => all.extend(more),
        (Ok(_), Err(reason)) => *known = Err(reason),
        (Err(_), _) => {}
    }
}

/// The time of one iteration over all measurements of a process: the sum of their times divided by
/// the sum of their iterations, so that a long measurement counts for more than a short one. If the
/// numbers of iterations are unknown, the mean of the times given.
pub fn seconds_per_iteration(measurements: &[Measurement]) -> Option<f64> {
    per_iteration(measurements, |measurement| Some(measurement.seconds))
}

/// The same for a figure; `None` if a measurement lacks it.
pub fn per_iteration(
    measurements: &[Measurement],
    figure: impl Fn(&Measurement) -> Option<f64>,
) -> Option<f64> {
    let mut total = 0.0;
    let mut iterations = 0.0;
    for measurement in measurements {
        total += figure(measurement)?;
        iterations += measurement.iterations.map_or(1.0, |count| count as f64);
    }
    (iterations > 0.0).then(|| total / iterations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_measurement_counts_for_more_than_a_short_one() {
        // 1 iteration in 9 s and 9 in 9 s: 18 s for 10.
        let both = [Measurement::of_time(Some(1), 9.0), Measurement::of_time(Some(9), 9.0)];
        assert_eq!(seconds_per_iteration(&both), Some(1.8));
        let unknown = [Measurement::of_time(None, 1.0), Measurement::of_time(None, 2.0)];
        assert_eq!(seconds_per_iteration(&unknown), Some(1.5));
        assert_eq!(seconds_per_iteration(&[]), None);
    }

    #[test]
    fn a_figure_that_one_measurement_lacks_is_no_figure() {
        let mut with = Measurement::of_time(Some(2), 1.0);
        with.figures.allocated_bytes = Some(16.0);
        let bytes = |measurement: &Measurement| measurement.figures.allocated_bytes;
        assert_eq!(per_iteration(&[with.clone()], bytes), Some(8.0));
        assert_eq!(per_iteration(&[with, Measurement::of_time(Some(2), 1.0)], bytes), None);
    }

    #[test]
    fn times_that_cannot_be_are_refused() {
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let measured = Measured::new("a", vec![Measurement::of_time(Some(1), seconds)]);
            assert!(measured.measurements.is_err(), "{seconds}");
        }
        assert!(Measured::new("a", vec![Measurement::of_time(Some(0), 1.0)]).measurements.is_err());
        assert!(Measured::new("a", Vec::new()).measurements.is_err());
        let mut odd = Measurement::of_time(Some(1), 1.0);
        odd.figures.collections = Some(-1.0);
        assert!(Measured::new("a", vec![odd]).measurements.is_err());
    }
}
