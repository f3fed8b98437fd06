//! The parts of a document with memory over time.

use serde::{Deserialize, Serialize};

use run::curve::Quantity;

/// One quantity over the time of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct MemoryCurve {
    /// The variant that ran.
    pub variant: u32,
    /// The sampled round.
    pub round: u32,
    /// The sampled quantity.
    pub source: Quantity,
    /// Always `bytes`.
    pub unit: String,
    /// The times of the samples since the start of the run; empty without samples.
    pub seconds: Vec<f64>,
    /// The sampled values.
    pub bytes: Vec<f64>,
    /// The reason for missing samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The verdict on the run; absent without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<MemoryGrowth>,
}

/// The growth of memory over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct MemoryGrowth {
    /// The largest sample, in bytes.
    pub peak: f64,
    /// The median of the remaining samples, in bytes.
    pub level: f64,
    /// The time from which it was judged, in seconds: the end of the start-up.
    pub from_seconds: f64,
    /// `constant`, `proportional`, `steps` or `undecided`.
    pub kind: GrowthKind,
    /// Bytes per second, with the 95 % interval; absent for steps, and if undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slope: Option<MemorySlope>,
    /// The changes of level, if any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<MemoryStep>,
    /// The reason it is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The course of memory over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GrowthKind {
    /// Memory stays the same.
    Constant,
    /// Memory grows or falls evenly with time.
    Proportional,
    /// Memory changes at some moments.
    Steps,
    /// None of the above is certain.
    Undecided,
}

/// Bytes per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct MemorySlope {
    /// The slope.
    pub bytes_per_second: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// A change of level, in seconds and bytes; both times are equal unless it took a while.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "MemoryStep"))]
pub struct MemoryStep {
    /// Its beginning, since the start of the run.
    pub begin_seconds: f64,
    /// Its end.
    pub end_seconds: f64,
    /// The level before it, in bytes.
    pub before: f64,
    /// The level after it, in bytes.
    pub after: f64,
}

/// The joint verdict of a variant's sampled rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct MemoryVerdict {
    /// The variant.
    pub variant: u32,
    /// The quantity.
    pub source: Quantity,
    /// The representative round.
    pub round: u32,
    /// The number of rounds, out of `rounds`, that agree.
    pub agree: usize,
    /// The number of rounds with samples.
    pub rounds: usize,
    /// Their verdict; its interval covers those of all rounds that agree.
    pub verdict: MemoryGrowth,
}
