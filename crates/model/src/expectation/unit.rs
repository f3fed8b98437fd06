//! The units of an expectation's numbers, and the dimensions they have.
//!
//! Figures are in base units (seconds, bytes, hertz, joules), so numbers are converted to these
//! when parsed. Prefixes of bytes are those of the SI; those of IEC 80000-13 (`KiB`) are powers of
//! 1024.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::metric::Unit;

/// A unit as written after a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitSymbol {
    /// The symbol as written.
    pub symbol: &'static str,
    /// The factor to the base unit, as a quotient: a thousandth is 1 over 1000, which
    /// floating-point numbers represent exactly, unlike 0.001.
    times: f64,
    over: f64,
    /// Its dimension.
    pub dimension: Dimension,
}

impl UnitSymbol {
    /// The factor to the base unit as numerator and denominator.
    pub fn factor(self) -> (f64, f64) {
        (self.times, self.over)
    }

    /// The unit with this symbol; several spellings may mean one unit.
    pub fn find(text: &str) -> Option<&'static Self> {
        let spelling = match text {
            // The Greek letter and the micro sign look alike, and keyboards have `u`.
            "µs" | "μs" => "us",
            "µJ" | "μJ" => "uJ",
            "KB" => "kB",
            other => other,
        };
        UNITS.iter().find(|unit| unit.symbol == spelling)
    }
}

const fn seconds(symbol: &'static str, times: f64, over: f64) -> UnitSymbol {
    UnitSymbol { symbol, times, over, dimension: Dimension { seconds: 1, ..Dimension::NONE } }
}

const fn bytes(symbol: &'static str, times: f64) -> UnitSymbol {
    let dimension = Dimension { bytes: 1, ..Dimension::NONE };
    UnitSymbol { symbol, times, over: 1.0, dimension }
}

const fn hertz(symbol: &'static str, times: f64) -> UnitSymbol {
    let dimension = Dimension { seconds: -1, ..Dimension::NONE };
    UnitSymbol { symbol, times, over: 1.0, dimension }
}

const fn joules(symbol: &'static str, times: f64, over: f64) -> UnitSymbol {
    UnitSymbol { symbol, times, over, dimension: Dimension { joules: 1, ..Dimension::NONE } }
}

/// All units.
pub static UNITS: [UnitSymbol; 24] = [
    seconds("s", 1.0, 1.0),
    seconds("ms", 1.0, 1e3),
    seconds("us", 1.0, 1e6),
    seconds("ns", 1.0, 1e9),
    seconds("min", 60.0, 1.0),
    seconds("h", 3600.0, 1.0),
    bytes("B", 1.0),
    bytes("kB", 1e3),
    bytes("MB", 1e6),
    bytes("GB", 1e9),
    bytes("TB", 1e12),
    bytes("KiB", 1024.0),
    bytes("MiB", 1_048_576.0),
    bytes("GiB", 1_073_741_824.0),
    bytes("TiB", 1_099_511_627_776.0),
    hertz("Hz", 1.0),
    hertz("kHz", 1e3),
    hertz("MHz", 1e6),
    hertz("GHz", 1e9),
    joules("J", 1.0, 1.0),
    joules("kJ", 1e3, 1.0),
    joules("mJ", 1.0, 1e3),
    joules("uJ", 1.0, 1e6),
    UnitSymbol { symbol: "%", times: 1.0, over: 100.0, dimension: Dimension::NONE },
];

/// The dimension of a value, as powers of the second, the byte and the joule; hertz is one over
/// second, counts and quotients are plain numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Dimension {
    /// The power of the second.
    seconds: i32,
    /// The power of the byte.
    bytes: i32,
    /// The power of the joule.
    joules: i32,
}

impl Dimension {
    /// A plain number.
    pub const NONE: Self = Self { seconds: 0, bytes: 0, joules: 0 };

    /// The dimension of a product.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self {
            seconds: self.seconds + other.seconds,
            bytes: self.bytes + other.bytes,
            joules: self.joules + other.joules,
        }
    }

    /// The dimension of a quotient.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        Self {
            seconds: self.seconds - other.seconds,
            bytes: self.bytes - other.bytes,
            joules: self.joules - other.joules,
        }
    }

    /// The unit of a value of this dimension; `None` if the dimension has no named unit.
    pub fn unit(self) -> Option<Unit> {
        match (self.seconds, self.bytes, self.joules) {
            (0, 0, 0) => Some(Unit::Ratio),
            (1, 0, 0) => Some(Unit::Seconds),
            (-1, 0, 0) => Some(Unit::Hertz),
            (0, 1, 0) => Some(Unit::Bytes),
            (0, 0, 1) => Some(Unit::Joules),
            _ => None,
        }
    }

    /// The symbols of a dimension without a name: `B s^-1`. Empty for a plain number.
    pub fn symbols(self) -> String {
        let powers = [("J", self.joules), ("B", self.bytes), ("s", self.seconds)];
        let written = powers.into_iter().filter(|(_, power)| *power != 0).map(|(symbol, power)| {
            if power == 1 { symbol.to_owned() } else { format!("{symbol}^{power}") }
        });
        written.collect::<Vec<_>>().join(" ")
    }
}

impl From<Unit> for Dimension {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Seconds => Self { seconds: 1, ..Self::NONE },
            Unit::Bytes => Self { bytes: 1, ..Self::NONE },
            Unit::Hertz | Unit::PerSecond => Self { seconds: -1, ..Self::NONE },
            Unit::Joules => Self { joules: 1, ..Self::NONE },
            Unit::Count | Unit::Ratio => Self::NONE,
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit() {
            Some(Unit::Seconds) => formatter.write_str("seconds"),
            Some(Unit::Bytes) => formatter.write_str("bytes"),
            Some(Unit::Hertz | Unit::PerSecond) => formatter.write_str("hertz"),
            Some(Unit::Joules) => formatter.write_str("joules"),
            Some(Unit::Count | Unit::Ratio) => formatter.write_str("a plain number"),
            None => formatter.write_str(&self.symbols()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_has_a_spelling_of_its_own() {
        for (index, unit) in UNITS.iter().enumerate() {
            assert!(UNITS[..index].iter().all(|earlier| earlier.symbol != unit.symbol));
            assert_eq!(UnitSymbol::find(unit.symbol), Some(unit));
        }
        assert_eq!(UnitSymbol::find("µs"), UnitSymbol::find("us"));
        assert_eq!(UnitSymbol::find("mb"), None);
    }

    #[test]
    fn dimensions_multiply_and_are_told() {
        let (s, b) = (Dimension::from(Unit::Seconds), Dimension::from(Unit::Bytes));
        for (dimension, told) in [
            (s, "seconds"),
            (b, "bytes"),
            (s.over(s), "a plain number"),
            (Dimension::NONE.over(s), "hertz"),
            (b.over(s), "B s^-1"),
            (Dimension::from(Unit::Joules).over(s), "J s^-1"),
            (s.times(s), "s^2"),
        ] {
            assert_eq!(dimension.to_string(), told);
        }
    }
}
