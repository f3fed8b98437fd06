//! Events between runs: a look at the data, a pause.

use serde::{Deserialize, Serialize};

/// A point where measuring resumed after an interruption, or after other work had the machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    /// The first round after the pause.
    pub round: u32,
    /// The seconds of measuring before the pause.
    pub elapsed_seconds: f64,
}

/// The moment of a look.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LookTaken {
    /// The number of rounds before the look.
    pub rounds: u32,
    /// The share of the permitted error available by then, above 0 and at most 1.
    pub clock: f64,
    /// The seconds of measuring before the look.
    pub elapsed_seconds: f64,
}
