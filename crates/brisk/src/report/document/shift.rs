//! The part of a document that says how much more or less of a metric there is, where one side is 0.

use serde::{Deserialize, Serialize};
use stats::signed_rank::Shift;

/// Candidate minus baseline, in the metric's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShiftPart {
    /// The estimate.
    pub value: f64,
    /// The lower end of its interval; none while it is unbounded.
    pub low: Option<f64>,
    /// Its upper end; none while it is unbounded.
    pub high: Option<f64>,
}

impl ShiftPart {
    /// From one value to another, of which no interval is known.
    pub fn between(before: f64, after: f64) -> Self {
        Self { value: after - before, low: None, high: None }
    }

    /// The ratio of the same two sides, as far as it has one.
    pub fn ratio(self) -> f64 {
        if self.value > 0.0 { f64::INFINITY } else { 0.0 }
    }

    /// Whether it was the same in every round.
    pub fn is_exact(self) -> bool {
        self.low == Some(self.value) && self.high == Some(self.value)
    }
}

impl From<Shift> for ShiftPart {
    fn from(shift: Shift) -> Self {
        let end = |end: f64| end.is_finite().then_some(end);
        Self { value: shift.estimate, low: end(shift.low), high: end(shift.high) }
    }
}
