//! Values with their intervals, and the arithmetic of both; the level of a metric over the runs of a
//! variant.
//!
//! The interval of a result holds every value that it could have with each operand in its own
//! interval, however they are related. So it may be wider than necessary: two intervals that move
//! together are treated as if one could be low while the other is high. For two figures of one
//! metric, their paired ratio is the better figure ([`super::expectation`] requests it).
//!
//! Ends are rounded to the nearest floating-point number, not outwards: the error is fourteen
//! orders of magnitude below that of measurements. An interval without width stands for a value
//! that is known exactly, such as a number in the text or a count that was the same in every run.

use model::metric::MetricId;
use serde::{Deserialize, Serialize};
use stats::describe;

/// An estimate and its interval. The ends may be infinite, the estimate is not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Interval {
    /// The best single value.
    estimate: f64,
    /// The lower end; null if unbounded.
    #[serde(with = "lower")]
    #[cfg_attr(feature = "testing", schemars(with = "Option<f64>"))]
    low: f64,
    /// The upper end; null if unbounded.
    #[serde(with = "upper")]
    #[cfg_attr(feature = "testing", schemars(with = "Option<f64>"))]
    high: f64,
}

/// JSON has no infinite numbers: a missing end stands for an infinite one.
mod lower {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(super) fn serialize<S: Serializer>(end: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        end.is_finite().then_some(*end).serialize(serializer)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NEG_INFINITY))
    }
}

mod upper {
    use serde::{Deserialize as _, Deserializer};

    pub(super) use super::lower::serialize;

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}

impl Interval {
    /// The interval; `None` unless the estimate is finite and `low <= estimate <= high`.
    pub fn new(estimate: f64, low: f64, high: f64) -> Option<Self> {
        (estimate.is_finite() && low <= estimate && estimate <= high).then_some(Self {
            estimate,
            low,
            high,
        })
    }

    /// A value that is known exactly; `None` unless it is finite.
    pub fn exact(value: f64) -> Option<Self> {
        Self::new(value, value, value)
    }

    /// The best single value.
    pub fn estimate(self) -> f64 {
        self.estimate
    }

    /// The lower end.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    pub fn high(self) -> f64 {
        self.high
    }

    /// True if the value is known exactly.
    pub fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// True if both ends are finite.
    pub fn is_bounded(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// The sum; `None` beyond the floating-point numbers.
    pub fn plus(self, other: Self) -> Option<Self> {
        Self::new(self.estimate + other.estimate, self.low + other.low, self.high + other.high)
    }

    /// The difference; `None` beyond the floating-point numbers.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negative())
    }

    /// The negative.
    #[must_use]
    pub fn negative(self) -> Self {
        Self { estimate: -self.estimate, low: -self.high, high: -self.low }
    }

    /// The product; `None` beyond the floating-point numbers.
    pub fn times(self, other: Self) -> Option<Self> {
        // An infinite end is a limit that is not reached, so its product with zero is zero.
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        Self::spanning(self.estimate * other.estimate, self.corners(other, product))
    }

    /// The quotient; `None` if the divisor may be 0, or beyond the floating-point numbers.
    pub fn over(self, other: Self) -> Option<Self> {
        if other.low <= 0.0 && other.high >= 0.0 {
            return None;
        }
        Self::spanning(self.estimate / other.estimate, self.corners(other, |a, b| a / b))
    }

    fn corners(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> [f64; 4] {
        [
            operation(self.low, other.low),
            operation(self.low, other.high),
            operation(self.high, other.low),
            operation(self.high, other.high),
        ]
    }

    fn spanning(estimate: f64, corners: [f64; 4]) -> Option<Self> {
        // Infinity over infinity is undefined; the limits of the quotient there are the values at
        // the other corners.
        let known = || corners.into_iter().filter(|corner| !corner.is_nan());
        let low = known().fold(f64::INFINITY, f64::min);
        let high = known().fold(f64::NEG_INFINITY, f64::max);
        Self::new(estimate, low, high)
    }
}

/// The permitted error of an interval that decides nothing.
pub const ALPHA: f64 = 0.05;

/// A quantile of the values of a variant, in SI units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct QuantileValue {
    /// The quantile of the values.
    pub value: f64,
    /// The lower end of its 95 % interval, distribution-free; null if there are too few values.
    pub low: Option<f64>,
    /// Its upper end; null if there are too few values.
    pub high: Option<f64>,
}

/// The level of a metric from these readings, which is their median unless the metric is another
/// quantile; `None` without readings.
pub fn level_of(metric: &MetricId, values: &[f64]) -> Option<QuantileValue> {
    level_at(metric, values, ALPHA)
}

/// The same with an interval at another level.
pub fn level_at(metric: &MetricId, values: &[f64], alpha: f64) -> Option<QuantileValue> {
    if let Some(quantile) = metric.quantile() {
        let (low, high) = quantile.interval(values, alpha);
        return Some(QuantileValue { value: quantile.estimate(values)?, low, high });
    }
    let value = *describe::quantiles(values, &[0.5]).first()?;
    let (low, high) = describe::median_interval(values, alpha).unzip();
    Some(QuantileValue { value, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    use model::metric::WALL_TIME;

    fn interval(estimate: f64, low: f64, high: f64) -> Interval {
        Interval::new(estimate, low, high).expect("in order")
    }

    #[test]
    fn ends_are_in_order_and_the_estimate_between_them() {
        let infinite = f64::INFINITY;
        for (estimate, low, high) in [
            (1.0, 2.0, 3.0),
            (4.0, 2.0, 3.0),
            (f64::NAN, 2.0, 3.0),
            (2.0, f64::NAN, 3.0),
            (2.0, 1.0, f64::NAN),
            (infinite, 1.0, infinite),
        ] {
            assert_eq!(Interval::new(estimate, low, high), None);
        }
        assert!(!interval(1.0, 0.0, infinite).is_bounded());
    }

    #[test]
    fn arithmetic_has_the_known_answers() {
        // By hand, from the definition: the extremes over both intervals.
        let (a, b) = (interval(2.0, 1.0, 4.0), interval(-1.0, -3.0, 5.0));
        assert_eq!(a.plus(b), Some(interval(1.0, -2.0, 9.0)));
        assert_eq!(a.minus(b), Some(interval(3.0, -4.0, 7.0)));
        assert_eq!(a.times(b), Some(interval(-2.0, -12.0, 20.0)));
        assert_eq!(b.over(a), Some(interval(-0.5, -3.0, 5.0)));
        assert_eq!(a.over(b), None);
        assert_eq!(a.over(interval(-2.0, -4.0, -1.0)), Some(interval(-1.0, -4.0, -0.25)));
    }

    #[test]
    fn infinite_ends_stay_meaningful() {
        let infinite = f64::INFINITY;
        let (open, zero) = (interval(1.0, 0.0, infinite), interval(0.0, 0.0, 0.0));
        assert_eq!(open.times(zero), Some(zero));
        assert_eq!(open.plus(open), Some(interval(2.0, 0.0, infinite)));
        let above = interval(2.0, 1.0, infinite);
        assert_eq!(above.over(above), Some(interval(1.0, 0.0, infinite)));
        assert_eq!(open.minus(open), Some(interval(0.0, -infinite, infinite)));
        let huge = interval(1e300, 1e300, 1e300);
        assert_eq!(huge.times(huge), None);
    }

    #[test]
    fn an_interval_is_read_as_it_is_written_also_without_ends() {
        let infinite = f64::INFINITY;
        for (low, high) in [(0.5, 2.5), (0.0, infinite), (-infinite, 2.0), (-infinite, infinite)] {
            let written = serde_json::to_string(&interval(1.0, low, high)).expect("writable");
            assert_eq!(
                serde_json::from_str::<Interval>(&written).ok(),
                Some(interval(1.0, low, high))
            );
        }
        let open = serde_json::to_value(interval(1.0, 0.0, infinite)).expect("writable");
        assert_eq!(open["high"], serde_json::Value::Null);
    }

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
