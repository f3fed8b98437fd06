//! The size of a change in words: a percentage for a ratio, or a difference in the metric's unit if
//! one side is 0.

use page::Span;

use crate::quantity::{quantity, scale_for};
use findings::{ComparedPair, Drift, ShiftFromZero, Step};
use model::metric::Unit;

/// The size of a metric's change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangeSize {
    unit: Unit,
    ratio: f64,
    low: f64,
    high: Option<f64>,
    difference: Option<ShiftFromZero>,
}

/// Converts from each part that holds the size of a change.
macro_rules! size_of_change {
    ($($part:ident),*) => {$(
        impl From<&$part> for ChangeSize {
            fn from(part: &$part) -> Self {
                let &$part { ratio, low, high, difference, .. } = part;
                Self { unit: part.metric.unit(), ratio, low, high, difference }
            }
        }
    )*};
}
size_of_change!(ComparedPair, Step, Drift);

impl ChangeSize {
    /// The change between two values that are not 0.
    pub fn of_ratio(ratio: f64, low: f64, high: Option<f64>) -> Self {
        Self { unit: Unit::Count, ratio, low, high, difference: None }
    }

    /// The change from one value to another.
    pub fn between(before: f64, after: f64, unit: Unit) -> Self {
        let difference = (before <= 0.0).then(|| ShiftFromZero::between(before, after));
        let ratio = difference.map_or(after / before, ShiftFromZero::ratio);
        Self { unit, ratio, low: 0.0, high: None, difference }
    }

    /// The value after divided by the value before; infinite if the latter is 0.
    pub fn ratio(self) -> f64 {
        self.ratio
    }

    /// `-46.17 %`, `+64 B`.
    pub fn words(self) -> String {
        match self.difference {
            Some(difference) => signed(difference.value, self.unit),
            None => percent(self.ratio),
        }
    }

    /// `-46.17 % [-46.20 %, -46.15 %]`, `from 0 B to 64 B`; without the interval if it is
    /// unbounded.
    pub fn amount(self) -> Span {
        let words = match (self.difference, self.high) {
            (Some(ShiftFromZero { low: None, high: None, .. }), _) => self.words(),
            (Some(difference), _) => shift(difference, self.unit),
            (None, Some(high)) => {
                format!("{} [{}, {}]", self.words(), percent(self.low), percent(high))
            }
            (None, None) => self.words(),
        };
        Span::quantity(words, self.ratio)
    }

    /// `[-46.20 %, -46.15 %]`; `None` if the change is exact, `[?, ?]` if the interval is
    /// unbounded.
    pub fn interval(self) -> Option<String> {
        match self.difference {
            Some(difference) if difference.is_exact() => None,
            Some(difference) => Some(ends(difference, self.unit)),
            None if self.high == Some(self.low) => None,
            None => match self.high {
                Some(high) => Some(format!("[{}, {}]", percent(self.low), percent(high))),
                None => Some("[?, ?]".to_owned()),
            },
        }
    }
}

/// A ratio as a percentage.
fn percent(ratio: f64) -> String {
    // A ratio to 0 has no percentage.
    if ratio.is_infinite() {
        return "from 0".to_owned();
    }
    let percent = (ratio - 1.0) * 100.0;
    // At most two digits; -0.00 would look like a change.
    let percent = if percent.abs() < 0.005 { 0.0 } else { percent };
    format!("{percent:+.2} %")
}

/// `+64 B`
pub fn signed(difference: f64, unit: Unit) -> String {
    format!("{}{}", if difference < 0.0 { "-" } else { "+" }, quantity(difference.abs(), unit))
}

/// `[+60 B, +70 B]`
pub fn ends(difference: ShiftFromZero, unit: Unit) -> String {
    let end = |end: Option<f64>| end.map_or_else(|| "?".to_owned(), |end| signed(end, unit));
    format!("[{}, {}]", end(difference.low), end(difference.high))
}

/// `from 0 B to 64 B` if the interval has no width, otherwise `+64 B [+60 B, +70 B]`.
pub fn shift(difference: ShiftFromZero, unit: Unit) -> String {
    let value = difference.value;
    if !difference.is_exact() {
        return format!("{} {}", signed(value, unit), ends(difference, unit));
    }
    let scale = scale_for(value, unit);
    let [zero, other] =
        [0.0, value.abs()].map(|end| scale.with_symbol(&scale.number(end, scale.decimals(value))));
    match value < 0.0 {
        true => format!("from {other} to {zero}"),
        false => format!("from {zero} to {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_ratio(ratio: f64) -> ChangeSize {
        ChangeSize::of_ratio(ratio, 0.0, None)
    }

    #[test]
    fn a_change_has_a_sign_and_two_digits() {
        assert_eq!(of_ratio(0.5383).words(), "-46.17 %");
        assert_eq!(of_ratio(1.0).words(), "+0.00 %");
        assert_eq!(of_ratio(0.99999).words(), "+0.00 %");
        assert_eq!(of_ratio(12.5).words(), "+1150.00 %");
        // A document written before the `difference` field existed.
        assert_eq!(of_ratio(f64::INFINITY).words(), "from 0");
    }

    #[test]
    fn a_difference_from_or_to_zero_is_in_the_metrics_unit() {
        let shown = |value: f64, low, high, unit| {
            let difference = Some(ShiftFromZero { value, low, high });
            let change = ChangeSize { difference, unit, ..of_ratio(f64::INFINITY) };
            (change.words(), change.amount().text.into_owned(), change.interval())
        };
        let said = |words: &str, amount: &str, interval: Option<&str>| {
            (words.to_owned(), amount.to_owned(), interval.map(str::to_owned))
        };
        assert_eq!(
            shown(64.0, Some(64.0), Some(64.0), Unit::Bytes),
            said("+64 B", "from 0 B to 64 B", None)
        );
        assert_eq!(
            shown(-0.0123, Some(-0.0123), Some(-0.0123), Unit::Seconds),
            said("-12.30 ms", "from 12.30 ms to 0.00 ms", None)
        );
        assert_eq!(
            shown(7.0, Some(6.5), Some(8.0), Unit::Count),
            said("+7", "+7 [+6.500, +8]", Some("[+6.500, +8]"))
        );
        assert_eq!(shown(7.0, None, None, Unit::Count), said("+7", "+7", Some("[?, ?]")));
        assert_eq!(ChangeSize::between(0.0, 2048.0, Unit::Bytes).words(), "+2.048 kB");
        assert_eq!(ChangeSize::between(2.0, 3.0, Unit::Bytes).words(), "+50.00 %");
    }
}
