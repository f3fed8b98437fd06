//! The axis of a panel's values: from where to where, in which steps, linear or logarithmic.

use super::Point;
use crate::metric::Unit;
use crate::report::quantity::scale_for;

/// From this ratio of the largest to the smallest value on, the axis is logarithmic: on a linear
/// one the smallest would be less than four units above the bottom of a panel of 110, and what
/// happens to it could not be seen. Arbitrary within a factor of two.
const LOGARITHMIC_FROM: f64 = 30.0;
/// Below this share of the largest value that all values differ by, a linear axis does not begin at
/// zero: on one that did, the difference would be a sixth of the panel at most. Arbitrary.
const CUT_BELOW: f64 = 0.15;
/// An axis that does not begin at zero covers at least this share of the largest value, twice the
/// default margin: noise must not look like mountains.
const LEAST_SPAN: f64 = 0.02;
/// How far an interval may extend the axis beyond the values: to this multiple of their span, or
/// factor when logarithmic. What reaches further is cut off at the edge.
const LARGEST_EXTENSION: f64 = 0.5;
/// See [`LARGEST_EXTENSION`].
const LARGEST_FACTOR: f64 = 3.0;
/// On a logarithmic axis the smallest value is at least this multiple of the bottom: a curve on the
/// bottom line could not be told from it.
const LOWEST_ABOVE: f64 = 1.2;
/// The most steps of a linear axis, and the most labelled powers of ten of a logarithmic one.
const MOST_STEPS: f64 = 5.0;

/// How values become heights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Linear, with zero at the bottom.
    FromZero,
    /// Linear, with another value at the bottom.
    Cut,
    /// Logarithmic.
    Logarithmic,
}

/// A value that is written beside the axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// The value with its unit.
    pub label: String,
}

/// The axis of a panel's values.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// How values become heights.
    pub kind: Kind,
    /// The value at the bottom.
    pub low: f64,
    /// The value at the top.
    pub high: f64,
    /// What is written beside it, from bottom to top.
    pub ticks: Vec<Tick>,
    /// Values that get a small mark.
    pub minor: Vec<f64>,
}

impl Axis {
    /// The axis on which `points` are best seen.
    pub fn of(points: &[Option<Point>], unit: Unit) -> Self {
        let values = || points.iter().flatten().map(|point| point.value);
        let least = values().fold(f64::INFINITY, f64::min);
        let most = values().fold(f64::NEG_INFINITY, f64::max);
        if least > most {
            return linear(Kind::FromZero, 0.0, 1.0, unit);
        }
        let (low, high) = with_intervals(points, least, most);
        if least > 0.0 && most / least > LOGARITHMIC_FROM {
            logarithmic(low, high, unit)
        } else if least < 0.0 {
            linear(Kind::Cut, low, high.max(0.0), unit)
        } else if most > least && most - least < CUT_BELOW * most {
            let missing = (LEAST_SPAN * most - (high - low)).max(0.0);
            let below = missing.max((high - low) / MOST_STEPS) / 2.0;
            linear(Kind::Cut, low - below, high + missing / 2.0, unit)
        } else {
            Self::from_zero(high, unit)
        }
    }

    /// The linear axis from zero on which `most` is seen.
    pub fn from_zero(most: f64, unit: Unit) -> Self {
        linear(Kind::FromZero, 0.0, if most > 0.0 { most } else { 1.0 }, unit)
    }

    /// How high `value` is: 0 at the bottom, 1 at the top. What lies beyond is at the edge.
    pub fn place(&self, value: f64) -> f64 {
        let share = match self.kind {
            Kind::Logarithmic if value <= 0.0 => 0.0,
            Kind::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
            Kind::FromZero | Kind::Cut => (value - self.low) / (self.high - self.low),
        };
        share.clamp(0.0, 1.0)
    }

    /// What a reader has to know of the axis; nothing when it is linear from zero.
    pub fn note(&self) -> Option<&'static str> {
        match self.kind {
            Kind::FromZero => None,
            Kind::Cut => Some("axis does not begin at 0"),
            Kind::Logarithmic => Some("logarithmic axis"),
        }
    }
}

/// The range of the values, extended by their intervals within reason.
fn with_intervals(points: &[Option<Point>], least: f64, most: f64) -> (f64, f64) {
    let span = (most - least).max(LEAST_SPAN * most.abs());
    let (lowest, highest) = if least > 0.0 && most / least > LOGARITHMIC_FROM {
        (least / LARGEST_FACTOR, most * LARGEST_FACTOR)
    } else {
        (least - LARGEST_EXTENSION * span, most + LARGEST_EXTENSION * span)
    };
    let given = || points.iter().flatten();
    let low = given().map(|point| point.low).fold(least, f64::min).max(lowest);
    let high = given().map(|point| point.high).fold(most, f64::max).min(highest);
    (low, high)
}

/// The largest of 1, 2 and 5 times a power of ten that is not above `value`.
fn round_down(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    // What is computed as 4.999999 is meant to be 5.
    let digits = value / power * (1.0 + 1e-9);
    power * [5.0, 2.0, 1.0].into_iter().find(|digit| *digit <= digits).unwrap_or(1.0)
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `value`.
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let digits = value / power * (1.0 - 1e-9);
    power * [1.0, 2.0, 5.0].into_iter().find(|digit| *digit >= digits).unwrap_or(10.0)
}

fn linear(kind: Kind, low: f64, high: f64, unit: Unit) -> Axis {
    let span = (high - low).max(f64::MIN_POSITIVE);
    let step = round_up(span / MOST_STEPS);
    // A value just below a step needs no further one.
    let first = (low / step + 1e-9).floor();
    let last = (high / step - 1e-9).ceil().max(first + 1.0);
    let scale = scale_for((last * step).abs().max((first * step).abs()), unit);
    let decimals = decimals_of(scale.convert(step));
    let tick = |index: f64| {
        let value = index * step;
        let label = match value {
            0.0 => "0".to_owned(),
            _ => scale.with_symbol(&scale.number(value, decimals)),
        };
        Tick { value, label }
    };
    let count = (last - first) as usize;
    let ticks = (0..=count).map(|index| tick(first + index as f64)).collect();
    Axis { kind, low: first * step, high: last * step, ticks, minor: Vec::new() }
}

fn logarithmic(low: f64, high: f64, unit: Unit) -> Axis {
    let (low, high) = (round_down(low / LOWEST_ABOVE), round_up(high));
    let first = (low.log10() - 1e-9).ceil() as i32;
    let last = (high.log10() + 1e-9).floor() as i32;
    let every = (f64::from(last - first + 1) / MOST_STEPS).ceil().max(1.0) as i32;
    let tick = |power: i32| {
        let value = 10_f64.powi(power);
        let scale = scale_for(value, unit);
        let number = scale.number(value, decimals_of(scale.convert(value)));
        Tick { value, label: scale.with_symbol(&number) }
    };
    let ticks = (first..=last).step_by(every as usize).map(tick).collect();
    let digits = if every == 1 { 1..10 } else { 1..2 };
    let minor = (first - 1..=last)
        .flat_map(|power| digits.clone().map(move |digit| f64::from(digit) * 10_f64.powi(power)))
        .filter(|value| *value > low && *value < high)
        .collect();
    Axis { kind: Kind::Logarithmic, low, high, ticks, minor }
}

/// How many decimals a number has whose digits are 1, 2 or 5 and zeros.
fn decimals_of(number: f64) -> usize {
    (-(number.abs().log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn axis(values: &[f64], unit: Unit) -> Axis {
        let point = |value: &f64| Some(Point { value: *value, low: *value, high: *value });
        Axis::of(&values.iter().map(point).collect::<Vec<_>>(), unit)
    }

    fn labels(values: &[f64], unit: Unit) -> (Kind, Vec<String>) {
        let axis = axis(values, unit);
        (axis.kind, axis.ticks.into_iter().map(|tick| tick.label).collect())
    }

    fn expect(values: &[f64], unit: Unit, kind: Kind, ticks: &[&str]) {
        let (found, labels) = labels(values, unit);
        assert_eq!((found, labels.iter().map(String::as_str).collect()), (kind, ticks.to_vec()));
    }

    #[test]
    fn the_axis_is_logarithmic_when_the_range_asks_for_it() {
        use Kind::Logarithmic;
        let bytes = ["1 GB", "10 GB"];
        expect(&[60e9, 250e6], Unit::Bytes, Logarithmic, &[bytes[0], bytes[1], "100 GB"]);
        expect(
            &[6.7e9, 2e6],
            Unit::Bytes,
            Logarithmic,
            &["1 MB", "10 MB", "100 MB", "1 GB", "10 GB"],
        );
        expect(&[2640.0, 3.6], Unit::Seconds, Logarithmic, &["10 s", "100 s", "1000 s"]);
        let wide = ["1 ns", "1 µs", "1 ms", "1 s", "1000 s"];
        expect(&[1e-9, 1e4], Unit::Seconds, Logarithmic, &wide);
        assert_eq!(axis(&[1.0, 30.0], Unit::Count).kind, Kind::FromZero);
        assert_eq!(axis(&[1.0, 30.1], Unit::Count).kind, Logarithmic);
        assert_eq!(axis(&[0.0, 30.1], Unit::Count).kind, Kind::FromZero);
    }

    #[test]
    fn other_axes_begin_at_zero_unless_that_hid_the_differences() {
        use Kind::{Cut, FromZero};
        let seconds = ["0", "1 s", "2 s", "3 s", "4 s"];
        expect(&[3.6, 2.1], Unit::Seconds, FromZero, &seconds);
        expect(&[0.85, 1.0], Unit::Ratio, FromZero, &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        expect(&[0.9, 1.0], Unit::Ratio, Cut, &["0.85", "0.90", "0.95", "1.00"]);
        expect(
            &[500.0],
            Unit::Bytes,
            FromZero,
            &["0", "100 B", "200 B", "300 B", "400 B", "500 B"],
        );
        expect(&[0.0, 0.0], Unit::Count, FromZero, &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        expect(&[], Unit::Count, FromZero, &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        expect(&[-3.0, 4.0], Unit::Count, Cut, &["-4", "-2", "0", "2", "4"]);
        // Two parts in a million, shown on an axis of 2 %.
        let steady = axis(&[1_000_000.0, 1_000_002.0], Unit::Count);
        assert!(steady.high - steady.low >= 20_000.0, "{steady:?}");
    }

    #[test]
    fn an_interval_without_end_does_not_flatten_the_values() {
        let wild = Some(Point { value: 2.0, low: f64::NEG_INFINITY, high: f64::INFINITY });
        let calm = Some(Point { value: 1.0, low: 1.0, high: 1.0 });
        let axis = Axis::of(&[wild, calm, None], Unit::Seconds);
        assert!(axis.low >= 0.0 && axis.high <= 3.0, "{axis:?}");
        assert_eq!(axis.place(f64::INFINITY), 1.0);
    }

    proptest! {
        #[test]
        fn every_value_is_on_the_axis_and_larger_ones_are_higher(
            mut values in prop::collection::vec(
                prop_oneof![Just(0.0), 1e-9..1e12_f64, 1e-9..1.0_f64, 99.0..100.0_f64], 1..20,
            ),
        ) {
            let axis = axis(&values, Unit::Seconds);
            prop_assert!(axis.low < axis.high);
            prop_assert!((2..=7).contains(&axis.ticks.len()), "{:?}", axis.ticks);
            for value in &values {
                prop_assert!(*value >= axis.low * (1.0 - 1e-6) && *value <= axis.high * (1.0 + 1e-6));
            }
            values.sort_by(f64::total_cmp);
            let places: Vec<f64> = values.iter().map(|value| axis.place(*value)).collect();
            prop_assert!(places.is_sorted());
            prop_assert!(axis.ticks.iter().map(|tick| axis.place(tick.value)).is_sorted());
            let mut labels: Vec<&String> = axis.ticks.iter().map(|tick| &tick.label).collect();
            labels.dedup();
            prop_assert_eq!(labels.len(), axis.ticks.len());
        }
    }
}
