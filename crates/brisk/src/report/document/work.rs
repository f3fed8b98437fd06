//! What setups cost and when they pay, and whether the variants did the same work.

use serde::{Deserialize, Serialize};

use crate::judge::interval::Interval;
use crate::metric::{MetricId, Source};

/// What the setup command of one variant cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SetupPart {
    /// Whose.
    pub variant: u32,
    /// The command as typed, with its placeholders.
    pub command: String,
    /// How often it was run.
    pub runs: usize,
    /// Its wall time in seconds: the mean.
    pub seconds: f64,
    /// The 95 % interval of the mean; none where it was run once.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Its processor time in seconds: the mean.
    pub cpu_seconds: Option<f64>,
    /// The largest resident set of one process in any of its runs, in bytes.
    pub peak_rss: Option<f64>,
    /// The peak only says "at most this much".
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub peak_at_most: bool,
}

/// When the dearer of two setups pays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PaybackPart {
    /// What is compared with.
    pub baseline: u32,
    /// What is compared.
    pub candidate: u32,
    /// The time that is spent and gained: wall time or cpu time.
    pub metric: MetricId,
    /// Which of the two has the dearer setup, to be paid back.
    pub variant: u32,
    /// By how many seconds it is dearer.
    pub cost: Interval,
    /// How many seconds less a run of it takes than one of the other.
    pub gain: Interval,
    /// Whether it pays.
    pub verdict: PaybackVerdict,
    /// After how many runs it has paid, by the estimates; none unless it pays.
    pub runs: Option<u64>,
    /// The least number of runs that the intervals allow; where it is undecided whether it pays,
    /// not before.
    pub low: Option<u64>,
    /// The largest number of runs that the intervals allow.
    pub high: Option<u64>,
}

/// Whether a setup pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PaybackVerdict {
    /// After some number of runs.
    Pays,
    /// A run is not faster.
    Never,
    /// Whether a run is faster is open.
    Undecided,
}

/// Whether the variants did the same work, as far as it shows from outside.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EqualWorkPart {
    /// What each variant printed.
    pub outputs: Vec<OutputPart>,
    /// The comparisons whose two sides printed something else, or ended in another way.
    pub differences: Vec<DifferencePart>,
    /// The comparisons of which one side needed so little that it may not have done the work.
    pub suspicions: Vec<SuspicionPart>,
}

/// What one variant printed on its standard output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OutputPart {
    /// Which variant.
    pub variant: u32,
    /// How many bytes, in its first run for this.
    pub bytes: Option<u64>,
    /// Their SHA-256, in hexadecimal digits.
    pub sha256: Option<String>,
    /// With what status that run exited; none where a signal or its time limit ended it.
    pub exit_status: Option<i32>,
    /// Whether another run printed the same; none where nobody had to know.
    pub repeatable: Option<bool>,
    /// Why it was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// Two variants that did not do the same, as far as it shows from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DifferencePart {
    /// What is compared with.
    pub baseline: u32,
    /// What is compared.
    pub candidate: u32,
    /// Whether they printed something else.
    pub prints_differ: bool,
    /// Where it first differs; none where that lies beyond the beginning that was kept.
    pub first: Option<Spot>,
    /// How the two runs ended, where that differs: in words, baseline and candidate.
    pub ends: Option<(String, String)>,
}

/// A place in an output, both counted from 1, as cmp(1) counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Spot {
    /// Which byte.
    pub byte: u64,
    /// In which line.
    pub line: u64,
}

/// A reading of which one variant has suspiciously little.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuspicionPart {
    /// What is compared with.
    pub baseline: u32,
    /// What is compared.
    pub candidate: u32,
    /// What there is so little of.
    pub metric: MetricId,
    /// Where it came from.
    pub source: Source,
    /// Which of the two has so little.
    pub variant: u32,
    /// How much: the median.
    pub value: f64,
    /// How much the other has.
    pub other_value: f64,
}
