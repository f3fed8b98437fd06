//! The parts of a document that have memory over time.

use serde::{Deserialize, Serialize};

use crate::run::curve::Quantity;

/// One quantity over the time of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CurvePart {
    /// Which variant ran.
    pub variant: u32,
    /// In which of the sampled rounds.
    pub round: u32,
    /// What was sampled.
    pub source: Quantity,
    /// Always `bytes`.
    pub unit: String,
    /// When, since the start of the run; empty where there are no samples.
    pub seconds: Vec<f64>,
    /// How much.
    pub bytes: Vec<f64>,
    /// Why there are no samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// What they say of the run; none where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<GrowthPart>,
}

/// Whether memory grows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GrowthPart {
    /// The largest sample, in bytes.
    pub peak: f64,
    /// The median of what remains, in bytes.
    pub level: f64,
    /// From when on it was judged, in seconds: the end of the start-up.
    pub from_seconds: f64,
    /// `constant`, `proportional`, `steps` or `undecided`.
    pub kind: GrowthKind,
    /// Bytes for each second, with the 95 % interval; none for steps, and where nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slope: Option<SlopePart>,
    /// The changes of level, where there are such.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepPart>,
    /// Why it is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How memory goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GrowthKind {
    /// It stays.
    Constant,
    /// It grows or falls evenly with time.
    Proportional,
    /// It changes at some moments.
    Steps,
    /// None of these is certain.
    Undecided,
}

/// Bytes for each second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SlopePart {
    /// The slope.
    pub bytes_per_second: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// A change of level, in seconds and bytes; the moments are the same unless it took a while.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "MemoryStepPart"))]
pub struct StepPart {
    /// When it began, since the start of the run.
    pub begin_seconds: f64,
    /// When it was over.
    pub end_seconds: f64,
    /// The level before it, in bytes.
    pub before: f64,
    /// The level after it, in bytes.
    pub after: f64,
}

/// What the sampled rounds of a variant say together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "MemoryVerdictPart"))]
pub struct VerdictPart {
    /// Which variant.
    pub variant: u32,
    /// Which quantity.
    pub source: Quantity,
    /// The round that stands for the others.
    pub round: u32,
    /// How many rounds said the same, of `rounds`.
    pub agree: usize,
    /// How many rounds there were with samples.
    pub rounds: usize,
    /// What they say; its interval covers those of all rounds that agree.
    pub verdict: GrowthPart,
}
