//! The part of a document with the difference in a metric if one side is 0.

use serde::{Deserialize, Serialize};
use stats::signed_rank::Shift;

/// Candidate minus baseline, in the metric's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShiftPart {
    /// The estimate.
    pub value: f64,
    /// The lower end of its interval; null if it is unbounded.
    pub low: Option<f64>,
    /// Its upper end; null if it is unbounded.
    pub high: Option<f64>,
}

impl ShiftPart {
    /// The difference of two values, without an interval.
    pub fn between(before: f64, after: f64) -> Self {
        Self { value: after - before, low: None, high: None }
    }

    /// The ratio of the same two sides: infinite or 0.
    pub fn ratio(self) -> f64 {
        if self.value > 0.0 { f64::INFINITY } else { 0.0 }
    }

    /// True if it was the same in every round.
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
