//! The verdict of an interval.

use serde::{Deserialize, Serialize};
use stats::RatioEstimate;

use crate::metric::Direction;

/// The answer to one comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The whole interval is on the better side of 1.
    Improved,
    /// The whole interval is on the worse side of 1.
    Regressed,
    /// The interval contains 1 and lies within the margin: a finding.
    Unchanged,
    /// None of these: the lack of a finding.
    Inconclusive,
}

impl Verdict {
    /// The word, as in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Improved => "improved",
            Self::Regressed => "regressed",
            Self::Unchanged => "unchanged",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// True if there is a finding.
    pub fn is_conclusive(self) -> bool {
        self != Self::Inconclusive
    }

    /// True if a change was found.
    pub fn is_change(self) -> bool {
        matches!(self, Self::Improved | Self::Regressed)
    }
}

/// The smallest change that matters, as a fraction: 0.01 for 1 %.
///
/// It decides what counts as unchanged and how long to measure. A change that is certain but
/// smaller is still named, and marked as within the margin: whether it exists and whether it
/// matters are two questions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Margin(f64);

impl TryFrom<f64> for Margin {
    type Error = &'static str;

    fn try_from(fraction: f64) -> Result<Self, Self::Error> {
        Self::new(fraction).ok_or("a margin is a positive number")
    }
}

impl From<Margin> for f64 {
    fn from(margin: Margin) -> Self {
        margin.0
    }
}

impl Margin {
    /// The usual margin.
    pub const ONE_PERCENT: Self = Self(0.01);

    /// A margin of `fraction`; `None` unless it is a positive finite number.
    pub fn new(fraction: f64) -> Option<Self> {
        (fraction.is_finite() && fraction > 0.0).then_some(Self(fraction))
    }

    /// The margin as a fraction.
    pub fn fraction(self) -> f64 {
        self.0
    }

    /// The margin on the log scale, where it is the same in both directions.
    pub fn log(self) -> f64 {
        self.0.ln_1p()
    }

    /// True if the whole interval of a ratio lies within the margin around 1.
    pub fn holds(self, estimate: &RatioEstimate) -> bool {
        within(estimate, 1.0 + self.0)
    }

    /// True if the interval lies within the part of the margin that counts as no change even if it
    /// is certain.
    pub fn dwarfs(self, estimate: &RatioEstimate) -> bool {
        within(estimate, 1.0 + NEGLIGIBLE_SHARE * self.0)
    }
}

/// The negligible share of the margin; with the usual margin it is 0.05 %. Arbitrary: a tenth of a
/// per cent of the instructions is worth reporting, one in a million is not.
const NEGLIGIBLE_SHARE: f64 = 0.05;

/// True if the interval is between a ratio and its inverse.
fn within(estimate: &RatioEstimate, most: f64) -> bool {
    estimate.low >= 1.0 / most && estimate.high <= most
}

/// The verdict of the interval of a ratio, candidate over baseline.
pub fn verdict(estimate: &RatioEstimate, direction: Direction, margin: Margin) -> Verdict {
    let (below, above) = match direction {
        Direction::Lower => (Verdict::Improved, Verdict::Regressed),
        Direction::Higher => (Verdict::Regressed, Verdict::Improved),
        Direction::Context => return Verdict::Inconclusive,
    };
    if estimate.high < 1.0 {
        below
    } else if estimate.low > 1.0 {
        above
    } else if margin.holds(estimate) {
        Verdict::Unchanged
    } else {
        Verdict::Inconclusive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(low: f64, high: f64, direction: Direction) -> Verdict {
        let estimate = RatioEstimate { ratio: (low * high).sqrt(), low, high, rounds: 30 };
        verdict(&estimate, direction, Margin::new(0.01).expect("positive"))
    }

    #[test]
    fn the_interval_decides_and_the_direction_names_it() {
        use Direction::{Higher, Lower};
        for (low, high, direction, expected) in [
            (0.90, 0.95, Lower, Verdict::Improved),
            (0.90, 0.95, Higher, Verdict::Regressed),
            (1.05, 1.10, Lower, Verdict::Regressed),
            (1.05, 1.10, Higher, Verdict::Improved),
            (0.995, 1.005, Lower, Verdict::Unchanged),
            (0.98, 1.005, Lower, Verdict::Inconclusive),
            (0.0, f64::INFINITY, Lower, Verdict::Inconclusive),
            // Certain but small: named, although within the margin.
            (1.002, 1.004, Lower, Verdict::Regressed),
            // An interval that touches 1 excludes nothing.
            (1.0, 1.5, Lower, Verdict::Inconclusive),
            (1.0, 1.0, Lower, Verdict::Unchanged),
        ] {
            assert_eq!(judged(low, high, direction), expected, "[{low}, {high}]");
        }
    }

    #[test]
    fn a_margin_is_positive() {
        for fraction in [0.0, -0.01, f64::NAN, f64::INFINITY] {
            assert_eq!(Margin::new(fraction), None);
        }
    }
}
