//! The summary of a variant's runs: the median of its readings, or a quantile.

use stats::describe;

use model::metric::MetricId;

/// The permitted error of an interval that decides nothing.
pub const ALPHA: f64 = 0.05;

/// A value, with its 95 % interval; an end is `None` if there are too few runs for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The median, or the quantile given by the metric.
    pub value: f64,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// The level of a metric from these readings; `None` without readings.
pub fn level_of(metric: &MetricId, values: &[f64]) -> Option<Level> {
    level_at(metric, values, ALPHA)
}

/// The same with an interval at another level.
pub fn level_at(metric: &MetricId, values: &[f64], alpha: f64) -> Option<Level> {
    if let Some(quantile) = metric.quantile() {
        let (low, high) = quantile.interval(values, alpha);
        return Some(Level { value: quantile.estimate(values)?, low, high });
    }
    let value = *describe::quantiles(values, &[0.5]).first()?;
    let (low, high) = describe::median_interval(values, alpha).unzip();
    Some(Level { value, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::metric::WALL_TIME;

    #[test]
    fn a_quantile_has_an_end_only_where_there_are_runs_enough() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        let median = level_of(&WALL_TIME, &values).expect("there are values");
        assert_eq!((median.value, median.low, median.high), (50.5, Some(40.0), Some(61.0)));
        let p99 = level_of(&MetricId::known("wall_time.p99"), &values).expect("there are values");
        assert!(p99.value > 99.0 && p99.low.is_some() && p99.high.is_none(), "{p99:?}");
        assert_eq!(level_of(&WALL_TIME, &[]), None);
    }
}
