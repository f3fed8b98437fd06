//! The axis of a panel's values: its range, its steps, and whether it is linear or logarithmic; and
//! the positions of given values along an axis, with the choice of their labels.

/// The ratio of the largest to the smallest value from which the axis is logarithmic: on a linear
/// one the smallest would be less than four units above the bottom of a panel of 110, and its
/// changes would be invisible. Arbitrary within a factor of two.
const LOGARITHMIC_FROM: f64 = 30.0;
/// The range of all values, as a fraction of the largest, below which a linear axis does not begin
/// at zero: from zero, the range would be a sixth of the panel at most. Arbitrary.
const CUT_BELOW: f64 = 0.15;
/// The least range of an axis that does not begin at zero, as a fraction of the largest value:
/// twice the default margin, so that noise does not look like mountains.
const LEAST_SPAN: f64 = 0.02;
/// The distance by which an interval may extend the axis beyond the values: this multiple of their
/// span, or factor if logarithmic. Intervals that reach further are cut off at the edge.
const LARGEST_EXTENSION: f64 = 0.5;
/// See [`LARGEST_EXTENSION`].
const LARGEST_FACTOR: f64 = 3.0;
/// The least multiple of the bottom of a logarithmic axis for the smallest value: a curve on the
/// bottom line would be invisible.
const LOWEST_ABOVE: f64 = 1.2;
/// The maximum number of steps of a linear axis, and of labelled powers of ten of a logarithmic
/// one.
const MOST_STEPS: f64 = 5.0;

/// The mapping from values to heights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Linear, with zero at the bottom.
    FromZero,
    /// Linear, with another value at the bottom.
    Cut,
    /// Logarithmic.
    Logarithmic,
}

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The value, finite.
    pub value: f64,
    /// The lower end of its interval; the value itself if there is no noise.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Set if the value is only an upper bound.
    pub is_bound: bool,
}

impl Estimate {
    /// A value in `low..=high`, either of which may be infinite; an interval that does not hold the
    /// value is widened. None if an end is NaN or the value is not finite.
    pub fn new(value: f64, low: f64, high: f64) -> Option<Self> {
        let is_sound = value.is_finite() && !low.is_nan() && !high.is_nan();
        let (low, high) = (low.min(value), high.max(value));
        is_sound.then_some(Self { value, low, high, is_bound: false })
    }

    /// A value without noise.
    pub fn exact(value: f64) -> Option<Self> {
        Self::new(value, value, value)
    }

    /// An upper bound of an unknown value.
    pub fn at_most(value: f64) -> Option<Self> {
        Self::exact(value).map(|estimate| Self { is_bound: true, ..estimate })
    }
}

/// The unit and precision of the values beside an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grain {
    /// The amount whose unit all values share.
    pub largest: f64,
    /// The step that the digits must resolve.
    pub step: f64,
}

/// The formatting of the values beside an axis.
pub type Wording<'a> = &'a dyn Fn(f64, Grain) -> String;

/// A value shown beside the axis.
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
    /// The mapping from values to heights.
    pub kind: Kind,
    /// The value at the bottom.
    pub low: f64,
    /// The value at the top.
    pub high: f64,
    /// The labelled values beside it, from bottom to top.
    pub ticks: Vec<Tick>,
    /// Values that get a small mark.
    pub minor: Vec<f64>,
}

impl Axis {
    /// The axis that shows estimates best.
    pub fn from_points(points: &[Estimate], unit: Wording<'_>) -> Self {
        let values = || points.iter().map(|point| point.value);
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

    /// The linear axis from zero to at least `most`.
    pub fn from_zero(most: f64, unit: Wording<'_>) -> Self {
        linear(Kind::FromZero, 0.0, if most > 0.0 { most } else { 1.0 }, unit)
    }

    /// The height of `value`: 0 at the bottom, 1 at the top. Values beyond the axis are at the
    /// edge.
    pub fn place(&self, value: f64) -> f64 {
        let share = match self.kind {
            Kind::Logarithmic if value <= 0.0 => 0.0,
            Kind::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
            Kind::FromZero | Kind::Cut => (value - self.low) / (self.high - self.low),
        };
        share.clamp(0.0, 1.0)
    }

    /// The note that readers need on the axis; None if it is linear from zero.
    pub fn note(&self) -> Option<&'static str> {
        match self.kind {
            Kind::FromZero => None,
            Kind::Cut => Some("axis does not begin at 0"),
            Kind::Logarithmic => Some("logarithmic axis"),
        }
    }
}

/// The range of the values, extended by their intervals within reason.
fn with_intervals(points: &[Estimate], least: f64, most: f64) -> (f64, f64) {
    let span = (most - least).max(LEAST_SPAN * most.abs());
    let (lowest, highest) = if least > 0.0 && most / least > LOGARITHMIC_FROM {
        (least / LARGEST_FACTOR, most * LARGEST_FACTOR)
    } else {
        (least - LARGEST_EXTENSION * span, most + LARGEST_EXTENSION * span)
    };
    let low = points.iter().map(|point| point.low).fold(least, f64::min).max(lowest);
    let high = points.iter().map(|point| point.high).fold(most, f64::max).min(highest);
    (low, high)
}

/// The largest of 1, 2 and 5 times a power of ten that is not above `value`.
fn round_down(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    // A computed 4.999999 is meant to be 5.
    let digits = value / power * (1.0 + 1e-9);
    power * [5.0, 2.0, 1.0].into_iter().find(|digit| *digit <= digits).unwrap_or(1.0)
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `value`.
pub(crate) fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let digits = value / power * (1.0 - 1e-9);
    power * [1.0, 2.0, 5.0].into_iter().find(|digit| *digit >= digits).unwrap_or(10.0)
}

fn linear(kind: Kind, low: f64, high: f64, unit: Wording<'_>) -> Axis {
    let span = (high - low).max(f64::MIN_POSITIVE);
    let step = round_up(span / MOST_STEPS);
    // A value within rounding of a step needs no further one.
    let first = (low / step + 1e-9).floor();
    let last = (high / step - 1e-9).ceil().max(first + 1.0);
    let grain = Grain { largest: (last * step).abs().max((first * step).abs()), step };
    let tick = |index: f64| {
        let value = index * step;
        let label = match value {
            0.0 => "0".to_owned(),
            _ => unit(value, grain),
        };
        Tick { value, label }
    };
    let count = (last - first) as usize;
    let ticks = (0..=count).map(|index| tick(first + index as f64)).collect();
    Axis { kind, low: first * step, high: last * step, ticks, minor: Vec::new() }
}

fn logarithmic(low: f64, high: f64, unit: Wording<'_>) -> Axis {
    let (low, high) = (round_down(low / LOWEST_ABOVE), round_up(high));
    let first = (low.log10() - 1e-9).ceil() as i32;
    let last = (high.log10() + 1e-9).floor() as i32;
    let every = (f64::from(last - first + 1) / MOST_STEPS).ceil().max(1.0) as i32;
    let tick = |power: i32| {
        let value = 10_f64.powi(power);
        Tick { value, label: unit(value, Grain { largest: value, step: value }) }
    };
    let ticks = (first..=last).step_by(every as usize).map(tick).collect();
    let digits = if every == 1 { 1..10 } else { 1..2 };
    let minor = (first - 1..=last)
        .flat_map(|power| digits.clone().map(move |digit| f64::from(digit) * 10_f64.powi(power)))
        .filter(|value| *value > low && *value < high)
        .collect();
    Axis { kind: Kind::Logarithmic, low, high, ticks, minor }
}

/// The number of decimals of a number whose digits are 1, 2 or 5 and zeros.
pub fn decimals(number: f64) -> usize {
    (-(number.abs().log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize
}

/// The spacing of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpacingKind {
    /// As numbers.
    Linear,
    /// As logarithms of numbers.
    Logarithmic,
    /// At equal distances, in the given order: they are not numbers.
    Even,
}

/// The positions of values.
#[derive(Debug, Clone, PartialEq)]
pub struct Spacing {
    /// The kind of spacing.
    pub kind: SpacingKind,
    /// The position of each value, from 0 to 1.
    pub shares: Vec<f64>,
    /// The indices of the values, from the smallest to the largest.
    pub order: Vec<usize>,
}

impl Spacing {
    /// The spacing in which the distances between neighbours differ least: equal steps make it
    /// linear, equal factors logarithmic. If a value is not a number, or two are equal, the spacing
    /// is even.
    pub fn from_values(values: &[Option<f64>]) -> Self {
        let even = || {
            Self::placed(
                SpacingKind::Even,
                &(0..values.len()).map(|n| n as f64).collect::<Vec<_>>(),
            )
        };
        let numbers: Option<Vec<f64>> = values.iter().copied().collect();
        let Some(numbers) = numbers.filter(|numbers| unevenness(numbers).is_some()) else {
            return even();
        };
        let logarithms: Vec<f64> = numbers.iter().map(|number| number.ln()).collect();
        let is_positive = numbers.iter().all(|number| *number > 0.0);
        let is_closer = unevenness(&logarithms) < unevenness(&numbers);
        if is_positive && is_closer && numbers.len() > 2 {
            Self::placed(SpacingKind::Logarithmic, &logarithms)
        } else {
            Self::placed(SpacingKind::Linear, &numbers)
        }
    }

    fn placed(kind: SpacingKind, numbers: &[f64]) -> Self {
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let share =
            |number: &f64| if most > least { (number - least) / (most - least) } else { 0.5 };
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
        Self { kind, shares: numbers.iter().map(share).collect(), order }
    }
}

/// The largest distance between neighbours over the smallest; None if two are equal.
fn unevenness(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let distances: Vec<f64> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let most = distances.iter().copied().fold(0.0, f64::max);
    match distances.is_empty() {
        true => Some(1.0),
        false => (least > 0.0).then(|| most / least),
    }
}

/// The stretches that are shown so that none touches another, with `gap` between them: as many as
/// fit, those of more weight and then the outer ones first.
pub(crate) fn thinned(stretches: &[(f64, f64)], weights: &[u32], gap: f64) -> Vec<bool> {
    let mut shown = vec![false; stretches.len()];
    let last = stretches.len().saturating_sub(1);
    let mut order: Vec<usize> = (0..stretches.len()).collect();
    // Bisecting from the ends spreads the shown stretches.
    let depth = |index: usize| match index {
        0 => 0,
        index if index == last => 1,
        index => 64 - index.trailing_zeros(),
    };
    order.sort_by_key(|&index| (u32::MAX - weights[index], depth(index), index));
    for index in order {
        let (from, to) = stretches[index];
        let is_free = |other: usize| {
            !shown[other] || stretches[other].0 >= to + gap || stretches[other].1 + gap <= from
        };
        shown[index] = (0..stretches.len()).all(is_free);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(value: f64, grain: Grain) -> String {
        format!("{value:.*}", decimals(grain.step))
    }

    fn axis(values: &[f64]) -> Axis {
        let estimates: Vec<Estimate> = values.iter().filter_map(|v| Estimate::exact(*v)).collect();
        Axis::from_points(&estimates, &plain)
    }

    fn expect(values: &[f64], kind: Kind, ticks: &[&str]) {
        let axis = axis(values);
        let labels = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!((axis.kind, labels), (kind, ticks.to_vec()));
    }

    #[test]
    fn the_axis_is_logarithmic_when_the_range_asks_for_it() {
        use Kind::Logarithmic;
        expect(&[60.0, 0.25], Logarithmic, &["1", "10", "100"]);
        expect(&[2640.0, 3.6], Logarithmic, &["10", "100", "1000"]);
        // Eleven powers of ten, at most five of them written.
        expect(&[1e-2, 1e8], Logarithmic, &["0.01", "10", "10000", "10000000"]);
        assert_eq!(axis(&[1.0, 30.0]).kind, Kind::FromZero);
        assert_eq!(axis(&[1.0, 30.1]).kind, Logarithmic);
        assert_eq!(axis(&[0.0, 30.1]).kind, Kind::FromZero);
    }

    #[test]
    fn other_axes_begin_at_zero_unless_that_hid_the_differences() {
        use Kind::{Cut, FromZero};
        let tenths = ["0", "0.2", "0.4", "0.6", "0.8", "1.0"];
        expect(&[3.6, 2.1], FromZero, &["0", "1", "2", "3", "4"]);
        expect(&[0.85, 1.0], FromZero, &tenths);
        expect(&[0.9, 1.0], Cut, &["0.85", "0.90", "0.95", "1.00"]);
        expect(&[500.0], FromZero, &["0", "100", "200", "300", "400", "500"]);
        expect(&[0.0, 0.0], FromZero, &tenths);
        expect(&[], FromZero, &tenths);
        expect(&[-3.0, 4.0], Cut, &["-4", "-2", "0", "2", "4"]);
        // Two parts in a million, shown on an axis of 2 %.
        let steady = axis(&[1_000_000.0, 1_000_002.0]);
        assert!(steady.high - steady.low >= 20_000.0, "{steady:?}");
    }

    #[test]
    fn an_interval_without_end_does_not_flatten_the_values() {
        let wild = Estimate::new(2.0, f64::NEG_INFINITY, f64::INFINITY);
        let both = [wild, Estimate::exact(1.0)].map(|estimate| estimate.expect("numbers"));
        let axis = Axis::from_points(&both, &plain);
        assert!(axis.low >= 0.0 && axis.high <= 3.0, "{axis:?}");
        assert_eq!((axis.place(f64::INFINITY), axis.place(f64::NEG_INFINITY)), (1.0, 0.0));
    }

    #[test]
    fn estimates_hold_their_value_and_are_numbers() {
        let outside = Estimate::new(1.0, 2.0, 3.0).expect("numbers");
        assert_eq!((outside.low, outside.high), (1.0, 3.0));
        for (value, low, high) in [(f64::NAN, 1.0, 2.0), (1.0, f64::NAN, 2.0), (1.0, 1.0, f64::NAN)]
        {
            assert_eq!(Estimate::new(value, low, high), None);
        }
        assert_eq!(Estimate::exact(f64::INFINITY), None);
    }

    proptest! {
        #[test]
        fn every_value_is_on_the_axis_and_larger_ones_are_higher(
            mut values in prop::collection::vec(
                prop_oneof![Just(0.0), 1e-9..1e12_f64, 1e-9..1.0_f64, 99.0..100.0_f64], 1..20,
            ),
        ) {
            let axis = axis(&values);
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

    fn spacing(values: &str) -> (SpacingKind, Vec<f64>) {
        let values: Vec<Option<f64>> = values.split(' ').map(|value| value.parse().ok()).collect();
        let spacing = Spacing::from_values(&values);
        let shares = spacing.shares.iter().map(|share| (share * 1000.0).round() / 1000.0);
        (spacing.kind, shares.collect())
    }

    #[test]
    fn equal_factors_are_spaced_as_logarithms_and_equal_steps_as_numbers() {
        let quarters = vec![0.0, 0.25, 0.5, 0.75, 1.0];
        assert_eq!(spacing("32 128 512 2048 8192"), (SpacingKind::Logarithmic, quarters.clone()));
        assert_eq!(spacing("0 25 50 75 100"), (SpacingKind::Linear, quarters));
        assert_eq!(spacing("80 100 200 1000").0, SpacingKind::Logarithmic);
        assert_eq!(spacing("-1 1 10 100").0, SpacingKind::Linear);
        assert_eq!(spacing("5"), (SpacingKind::Linear, vec![0.5]));
        assert_eq!(spacing("100 1"), (SpacingKind::Linear, vec![1.0, 0.0]));
    }

    #[test]
    fn what_is_no_number_is_spaced_evenly() {
        assert_eq!(spacing("best-fit 1 first-fit"), (SpacingKind::Even, vec![0.0, 0.5, 1.0]));
        assert_eq!(spacing("1024 1024 1048576").0, SpacingKind::Even, "two are the same");
    }

    proptest! {
        #[test]
        fn larger_numbers_are_further_right(mut numbers in prop::collection::vec(0.001..1e9_f64, 2..40)) {
            let values: Vec<Option<f64>> = numbers.iter().copied().map(Some).collect();
            let spacing = Spacing::from_values(&values);
            let by_order: Vec<f64> = spacing.order.iter().map(|index| spacing.shares[*index]).collect();
            prop_assert!(by_order.is_sorted());
            prop_assert!(by_order.iter().all(|share| (0.0..=1.0).contains(share)));
            let ordered: Vec<f64> = spacing.order.iter().map(|index| numbers[*index]).collect();
            numbers.sort_by(f64::total_cmp);
            prop_assert!(spacing.kind == SpacingKind::Even || ordered == numbers);
        }

        #[test]
        fn stretches_that_are_shown_do_not_touch(
            given in prop::collection::vec((0.0..500.0_f64, 1.0..60.0_f64, 0..3_u32), 1..80),
        ) {
            let stretches: Vec<(f64, f64)> = given.iter().map(|(from, length, _)| (*from, from + length)).collect();
            let weights: Vec<u32> = given.iter().map(|(.., weight)| *weight).collect();
            let shown = thinned(&stretches, &weights, 4.0);
            let kept: Vec<(f64, f64)> =
                stretches.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(one, _)| *one).collect();
            prop_assert!(!kept.is_empty());
            for (index, a) in kept.iter().enumerate() {
                for b in &kept[index + 1..] {
                    prop_assert!(a.1 + 4.0 <= b.0 || b.1 + 4.0 <= a.0, "{a:?} {b:?}");
                }
            }
            let most = weights.iter().max();
            prop_assert!(weights.iter().zip(&shown).any(|(weight, shown)| *shown && Some(weight) == most));
        }
    }
}
