//! Numbers with their units, and the size of a change: a percentage for a ratio, or a difference in
//! the metric's unit if one side is 0.

use findings::{Bound, ComparedPair, Drift, ShiftFromZero, Step};
use model::metric::Unit;
use page::Span;

/// A unit with a prefix: its symbol, and its size in plain units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The symbol after the number; empty for plain counts and ratios.
    pub symbol: &'static str,
    factor: f64,
}

const SECONDS: [Scale; 4] = [
    Scale { symbol: "s", factor: 1.0 },
    Scale { symbol: "ms", factor: 1e-3 },
    Scale { symbol: "µs", factor: 1e-6 },
    Scale { symbol: "ns", factor: 1e-9 },
];
const BYTES: [Scale; 5] = [
    Scale { symbol: "TB", factor: 1e12 },
    Scale { symbol: "GB", factor: 1e9 },
    Scale { symbol: "MB", factor: 1e6 },
    Scale { symbol: "kB", factor: 1e3 },
    Scale { symbol: "B", factor: 1.0 },
];
const HERTZ: [Scale; 4] = [
    Scale { symbol: "GHz", factor: 1e9 },
    Scale { symbol: "MHz", factor: 1e6 },
    Scale { symbol: "kHz", factor: 1e3 },
    Scale { symbol: "Hz", factor: 1.0 },
];
const JOULES: [Scale; 4] = [
    Scale { symbol: "kJ", factor: 1e3 },
    Scale { symbol: "J", factor: 1.0 },
    Scale { symbol: "mJ", factor: 1e-3 },
    Scale { symbol: "µJ", factor: 1e-6 },
];
const COUNTS: [Scale; 4] = [
    Scale { symbol: "G", factor: 1e9 },
    Scale { symbol: "M", factor: 1e6 },
    Scale { symbol: "k", factor: 1e3 },
    Scale { symbol: "", factor: 1.0 },
];
const PER_SECOND: [Scale; 1] = [Scale { symbol: "/s", factor: 1.0 }];
const RATIO: [Scale; 1] = [Scale { symbol: "", factor: 1.0 }];

fn scales_of(unit: Unit) -> &'static [Scale] {
    match unit {
        Unit::Seconds => &SECONDS,
        Unit::Bytes => &BYTES,
        Unit::Hertz => &HERTZ,
        Unit::Joules => &JOULES,
        Unit::Count => &COUNTS,
        Unit::Ratio => &RATIO,
        Unit::PerSecond => &PER_SECOND,
    }
}

/// The symbols of a unit, largest first, with their sizes in plain units.
pub fn symbols(unit: Unit) -> Vec<(&'static str, f64)> {
    scales_of(unit).iter().map(|scale| (scale.symbol, scale.factor)).collect()
}

/// The scale in which `value` has one to three digits before the point.
pub fn scale_for(value: f64, unit: Unit) -> Scale {
    let scales = scales_of(unit);
    let smallest = *scales.last().expect("no unit is without a scale");
    // 999.95 would be rounded to four digits.
    let fits = |scale: &&Scale| value.abs() >= 0.99995 * scale.factor;
    match scales.iter().find(fits) {
        Some(scale) => *scale,
        None if value == 0.0 => Scale { factor: 1.0, ..unit_scale(scales) },
        None => smallest,
    }
}

fn unit_scale(scales: &[Scale]) -> Scale {
    let is_unit = |scale: &&Scale| (scale.factor - 1.0).abs() < f64::EPSILON;
    *scales.iter().find(is_unit).expect("every unit has its plain form")
}

impl Scale {
    /// The number of decimals that gives `value` four significant digits; zero for whole counts.
    pub fn decimals(self, value: f64) -> usize {
        let is_whole = matches!(self.symbol, "" | "B") && value.fract() == 0.0;
        let scaled = (value / self.factor).abs();
        match scaled {
            _ if is_whole => 0,
            _ if scaled >= 99.995 => 1,
            _ if scaled >= 9.9995 => 2,
            _ => 3,
        }
    }

    /// `spread` in this scale with two significant digits, but no more decimals than its value has.
    pub fn spread(self, spread: f64, decimals: usize) -> String {
        let scaled = spread / self.factor;
        let wanted = if scaled > 0.0 { 1.0 - scaled.log10().floor() } else { 0.0 };
        self.number(spread, (wanted.max(0.0) as usize).min(decimals))
    }

    /// `value` as a number of this scale.
    pub fn convert(self, value: f64) -> f64 {
        value / self.factor
    }

    /// `value` in this scale, without the symbol.
    pub fn number(self, value: f64, decimals: usize) -> String {
        format!("{:.decimals$}", self.convert(value))
    }

    /// `text` followed by the symbol.
    pub fn with_symbol(self, text: &str) -> String {
        if self.symbol.is_empty() { text.to_owned() } else { format!("{text} {}", self.symbol) }
    }
}

/// A single value: `4.115 ms`.
pub fn quantity(value: f64, unit: Unit) -> String {
    let scale = scale_for(value, unit);
    scale.with_symbol(&scale.number(value, scale.decimals(value)))
}

/// The number of decimals that a ratio's interval supports: one digit of its half-width, two if the
/// first is a 1 or a 2; between two and five.
pub fn ratio_decimals(low: f64, high: f64) -> usize {
    let half_width = (high - low) / 2.0;
    if half_width.is_finite() && half_width > 0.0 {
        (-(half_width / 3.0).log10().floor()).clamp(2.0, 5.0) as usize
    } else {
        3
    }
}

/// A fraction as a percentage with two significant digits: `0.45 %`.
pub fn percent(fraction: f64) -> String {
    let value = fraction * 100.0;
    let decimals = match value.abs() {
        v if v >= 9.95 => 0,
        v if v >= 0.995 => 1,
        v if v >= 0.0995 => 2,
        _ => 3,
    };
    format!("{value:.decimals$} %")
}

/// The same with its sign: `+12 %`, `-0.45 %`.
pub fn signed_percent(fraction: f64) -> String {
    format!("{}{}", if fraction < 0.0 { "-" } else { "+" }, percent(fraction.abs()))
}

/// A length of time in words for progress: `4.1 s`, `2 min 05 s`, `3 h 10 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

/// `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The size of a metric's change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangeSize {
    unit: Unit,
    ratio: f64,
    low: f64,
    high: Option<f64>,
    difference: Option<ShiftFromZero>,
    bound: Option<Bound>,
}

/// Converts from each part that holds the size of a change.
macro_rules! size_of_change {
    ($($part:ident),*) => {$(
        impl From<&$part> for ChangeSize {
            fn from(part: &$part) -> Self {
                let &$part { ratio, low, high, difference, bound, .. } = part;
                Self { unit: part.metric.unit(), ratio, low, high, difference, bound }
            }
        }
    )*};
}
size_of_change!(ComparedPair, Step, Drift);

impl ChangeSize {
    /// The change between two values that are not 0.
    pub fn of_ratio(ratio: f64, low: f64, high: Option<f64>) -> Self {
        Self { unit: Unit::Count, ratio, low, high, difference: None, bound: None }
    }

    /// The change from one value to another.
    pub fn between(before: f64, after: f64, unit: Unit) -> Self {
        let difference = (before <= 0.0).then(|| ShiftFromZero::between(before, after));
        let ratio = difference.map_or(after / before, ShiftFromZero::ratio);
        Self { unit, ratio, low: 0.0, high: None, difference, bound: None }
    }

    /// The value after divided by the value before; infinite if the latter is 0.
    pub fn ratio(self) -> f64 {
        self.ratio
    }

    /// `-46.17 %`, `+64 B`, `at least +59.30 %`.
    pub fn words(self) -> String {
        match self.difference {
            Some(difference) => signed(difference.value, self.unit),
            None => format!("{}{}", self.limit(), change_percent(self.ratio)),
        }
    }

    /// `at least ` or `at most ` for a change of which one side may be below its upper bound, else
    /// nothing.
    pub fn limit(self) -> &'static str {
        match self.bound {
            None => "",
            Some(Bound::AtLeast) if self.ratio >= 1.0 => "at least ",
            Some(Bound::AtMost) if self.ratio <= 1.0 => "at least ",
            Some(_) => "at most ",
        }
    }

    /// `-46.17 % [-46.20 %, -46.15 %]`, `from 0 B to 64 B`; without the interval if it is
    /// unbounded.
    pub fn amount(self) -> Span {
        let words = match (self.difference, self.high) {
            (Some(ShiftFromZero { low: None, high: None, .. }), _) => self.words(),
            (Some(difference), _) => shift(difference, self.unit),
            (None, Some(high)) => {
                format!("{} [{}, {}]", self.words(), change_percent(self.low), change_percent(high))
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
                Some(high) => {
                    Some(format!("[{}, {}]", change_percent(self.low), change_percent(high)))
                }
                None => Some("[?, ?]".to_owned()),
            },
        }
    }
}

/// A ratio as a percentage.
fn change_percent(ratio: f64) -> String {
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

    #[test]
    fn values_have_four_digits_and_a_fitting_unit() {
        for (value, unit, expected) in [
            (0.004_115_2, Unit::Seconds, "4.115 ms"),
            (0.000_676, Unit::Seconds, "676.0 µs"),
            (12.3456, Unit::Seconds, "12.35 s"),
            (0.999_96, Unit::Seconds, "1.000 s"),
            (0.0, Unit::Seconds, "0.000 s"),
            (1_912_832.0, Unit::Bytes, "1.913 MB"),
            (512.0, Unit::Bytes, "512 B"),
            (0.0, Unit::Bytes, "0 B"),
            (97.0, Unit::Count, "97"),
            (126_521.0, Unit::Count, "126.5 k"),
            (1.5, Unit::Ratio, "1.500"),
            (3.2e9, Unit::Hertz, "3.200 GHz"),
            (0.0125, Unit::Joules, "12.50 mJ"),
        ] {
            assert_eq!(quantity(value, unit), expected, "{value}");
        }
    }

    #[test]
    fn a_ratio_has_one_or_two_digits_of_its_half_width() {
        assert_eq!(ratio_decimals(1.006, 1.013), 3);
        assert_eq!(ratio_decimals(1.006, 1.010), 4);
        assert_eq!(ratio_decimals(0.6, 0.7), 2);
        assert_eq!(ratio_decimals(0.0, f64::INFINITY), 3);
        assert_eq!(ratio_decimals(1.0, 1.0), 3);
        assert_eq!(ratio_decimals(2.0, 9.0), 2);
    }

    #[test]
    fn a_spread_has_two_digits_and_no_more_decimals_than_its_value() {
        let scale = scale_for(0.036_96, Unit::Seconds);
        assert_eq!(scale.spread(0.008_32, 2), "8.3");
        assert_eq!(scale.spread(0.016_24, 2), "16");
        assert_eq!(scale.spread(0.000_001, 2), "0.00");
        assert_eq!(scale.spread(0.0, 2), "0");
    }

    #[test]
    fn percentages_and_durations_are_short() {
        assert_eq!(percent(0.0045), "0.45 %");
        assert_eq!(percent(0.12), "12 %");
        assert_eq!(percent(0.012), "1.2 %");
        assert_eq!(duration(4.06), "4.1 s");
        assert_eq!(duration(125.0), "2 min 05 s");
        assert_eq!(duration(11_400.0), "3 h 10 min");
    }

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
    fn a_change_from_or_to_an_upper_bound_says_which_way_it_may_be_wrong() {
        let words =
            |ratio: f64, bound: Bound| ChangeSize { bound: Some(bound), ..of_ratio(ratio) }.words();
        assert_eq!(words(1.593, Bound::AtLeast), "at least +59.30 %");
        assert_eq!(words(0.4424, Bound::AtMost), "at least -55.76 %");
        assert_eq!(words(1.01, Bound::AtMost), "at most +1.00 %");
        assert_eq!(words(0.99, Bound::AtLeast), "at most -1.00 %");
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
