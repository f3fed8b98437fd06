//! What happens between the runs: a look at what is measured, a pause.

use serde::{Deserialize, Serialize};

/// When measuring went on after an interruption, or after others had the machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    /// The first round after it.
    pub round: u32,
    /// Seconds of measuring before it.
    pub elapsed_seconds: f64,
}

/// When a look was taken.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LookTaken {
    /// After so many rounds.
    pub rounds: u32,
    /// The share of the permitted error that could be spent by then, above 0 and at most 1.
    pub clock: f64,
    /// Seconds of measuring until then.
    pub elapsed_seconds: f64,
}
