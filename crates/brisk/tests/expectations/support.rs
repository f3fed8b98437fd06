//! Fixed figures, and the metrics that the tests know.

use std::collections::HashMap;

use judge::expectation::{Evaluation, Figures, Lack, evaluate};
use judge::level::Interval;
use model::expectation::{Expectation, Subject, Vocabulary};
use model::metric::{MetricId, Missing, Unit};

/// Metrics that do not depend on the current registry.
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

/// Figures by request: `wall_time(a)` or `wall_time(a) / wall_time(b)`.
#[derive(Default)]
pub(crate) struct Given(HashMap<String, Interval>);

impl Given {
    pub(crate) fn new(figures: &[(&str, f64, f64, f64)]) -> Self {
        let figure = |(name, low, estimate, high): &(&str, f64, f64, f64)| {
            ((*name).to_owned(), Interval::new(*estimate, *low, *high).expect("in order"))
        };
        Self(figures.iter().map(figure).collect())
    }

    /// Values without uncertainty.
    pub(crate) fn exact(figures: &[(&str, f64)]) -> Self {
        let wide: Vec<_> = figures.iter().map(|&(name, v)| (name, v, v, v)).collect();
        Self::new(&wide)
    }

    fn get(&self, name: &str) -> Result<Interval, Lack> {
        self.0.get(name).copied().ok_or(Lack::Untold(Missing("not measured".into())))
    }
}

impl Figures for Given {
    fn level(&self, metric: &MetricId, subject: &Subject) -> Result<Interval, Lack> {
        self.get(&format!("{metric}({subject})"))
    }

    fn ratio(&self, metric: &MetricId, a: &Subject, b: &Subject) -> Result<Interval, Lack> {
        self.get(&format!("{metric}({a}) / {metric}({b})"))
    }
}

#[track_caller]
pub(crate) fn judged(text: &str, figures: &Given) -> Evaluation {
    evaluate(&expectation(text).relation, figures)
}
