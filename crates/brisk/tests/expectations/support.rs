//! The metrics that the tests know.

use brisk::metric::{MetricId, Unit};
use brisk::spec::expectation::{Expectation, Vocabulary};

/// Metrics that do not depend on what the registry has today.
pub(crate) fn vocabulary() -> Vocabulary {
    [
        ("wall_time", Unit::Seconds),
        ("gc_time", Unit::Seconds),
        ("allocated", Unit::Bytes),
        ("peak_rss", Unit::Bytes),
        ("instructions", Unit::Count),
        ("clock_rate", Unit::Hertz),
    ]
    .into_iter()
    .map(|(id, unit)| (MetricId::known(id), unit))
    .collect()
}

#[track_caller]
pub(crate) fn expectation(text: &str) -> Expectation {
    Expectation::parse(text, &vocabulary()).unwrap_or_else(|error| panic!("{text}: {error}"))
}
