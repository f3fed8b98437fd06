//! One execution of one variant, and its place in the plan.

use measure::Outcome;
use serde::{Deserialize, Serialize};

use crate::metric::{Readings, Source};

/// One execution of one variant, with all its readings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its place in the plan.
    pub place: RunPlace,
    /// The start time, in nanoseconds since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// The outcome.
    pub outcome: Outcome,
    /// The readings.
    pub readings: Readings,
    /// The number of processes it left behind; they were ended.
    pub left_behind: u32,
    /// The last lines of its standard error, if it failed.
    pub stderr_tail: Option<String>,
}

/// The place of a run in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunPlace {
    /// The source of its readings: timed or instrumented.
    pub source: Source,
    /// Set for a warm-up: stored, never judged.
    pub warmup: bool,
    /// The round, from 0, counted separately for warm-ups and for each source.
    pub round: u32,
    /// The position within the round, from 0.
    pub position: u32,
    /// The variant.
    pub variant: u32,
}
