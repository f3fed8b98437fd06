//! The metrics that an expectation may name.
//!
//! The registry's metrics, and those that a project defines for itself: the parser uses this list
//! and nothing else, so a new metric needs no change of the language.

use crate::metric::{self, MetricId, REGISTRY, Unit};

/// A metric as known to the language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownMetric {
    /// Its name.
    pub id: MetricId,
    /// The unit of its values.
    pub unit: Unit,
}

/// Metrics by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    metrics: Vec<KnownMetric>,
}

impl Vocabulary {
    /// The metrics of the registry.
    pub fn of_registry() -> Self {
        let row = |metric: &crate::metric::Metric<'_>| (metric.id.clone(), metric.unit);
        REGISTRY.iter().map(row).collect()
    }

    /// The same metrics and one more.
    #[must_use]
    pub fn with(mut self, id: MetricId, unit: Unit) -> Self {
        self.metrics.push(KnownMetric { id, unit });
        self
    }

    /// The metric called `name`, or the quantile of one that brisk reads itself, such as
    /// `wall_time.p99`.
    pub fn find(&self, name: &str) -> Option<KnownMetric> {
        let quantile = || {
            let id = metric::parse_with_quantiles(name, &[]).ok()?.pop()?;
            id.quantile().map(|_| KnownMetric { unit: id.unit(), id })
        };
        self.metrics.iter().find(|metric| metric.id.name() == name).cloned().or_else(quantile)
    }

    /// All names, in the order of the list.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.metrics.iter().map(|metric| metric.id.name())
    }
}

impl FromIterator<(MetricId, Unit)> for Vocabulary {
    fn from_iter<I: IntoIterator<Item = (MetricId, Unit)>>(metrics: I) -> Self {
        Self { metrics: metrics.into_iter().map(|(id, unit)| KnownMetric { id, unit }).collect() }
    }
}
