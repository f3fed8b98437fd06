//! The costs of setups, when they pay, and the comparison of the variants' work.

use serde::{Deserialize, Serialize};

use judge::level::Interval;
use model::metric::{MetricId, Source};
use stats::signed_rank::Shift;

/// The cost of one variant's setup command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SetupCost {
    /// The variant.
    pub variant: u32,
    /// The command as typed, with its placeholders.
    pub command: String,
    /// The number of times it was run.
    pub runs: usize,
    /// Its mean wall time, in seconds.
    pub seconds: f64,
    /// The lower end of the 95 % interval of the mean; null for a single run.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
    /// Its mean processor time, in seconds.
    pub cpu_seconds: Option<f64>,
    /// The largest resident set of one process in any of its runs, in bytes.
    pub peak_rss: Option<f64>,
    /// Set if the peak is only an upper bound.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub peak_at_most: bool,
}

/// The number of runs after which the more expensive of two setups pays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SetupPayback {
    /// The baseline.
    pub baseline: u32,
    /// The candidate.
    pub candidate: u32,
    /// The time that is spent and gained: wall time or CPU time.
    pub metric: MetricId,
    /// The variant with the more expensive setup, which has to pay.
    pub variant: u32,
    /// The additional cost of its setup, in seconds.
    pub cost: Interval,
    /// The time that each of its runs saves, in seconds.
    pub gain: Interval,
    /// The verdict: whether it pays.
    pub verdict: PaybackVerdict,
    /// The number of runs after which it has paid, by the estimates; null unless it pays.
    pub runs: Option<u64>,
    /// The smallest number of runs that the intervals allow; if the verdict is undecided, it does
    /// not pay earlier.
    pub low: Option<u64>,
    /// The largest number of runs that the intervals allow.
    pub high: Option<u64>,
}

/// The verdict on whether a setup pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PaybackVerdict {
    /// The setup pays after some number of runs.
    Pays,
    /// Its runs are not faster.
    Never,
    /// It is open whether its runs are faster.
    Undecided,
}

/// The comparison of the variants' work, as far as it is visible from outside.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct EqualWork {
    /// The output of each variant.
    pub outputs: Vec<ProgramOutput>,
    /// The comparisons whose two sides printed different output or ended differently.
    pub differences: Vec<OutputDifference>,
    /// The comparisons in which one side needed so little that it may not have done the work.
    pub suspicions: Vec<Suspicion>,
}

/// The standard output of one variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ProgramOutput {
    /// The variant.
    pub variant: u32,
    /// The number of bytes in its first run for this check.
    pub bytes: Option<u64>,
    /// Their SHA-256, in hexadecimal digits.
    pub sha256: Option<String>,
    /// The exit status of that run; null if a signal or its time limit ended it.
    pub exit_status: Option<i32>,
    /// True if another run printed the same; null if that was not needed.
    pub repeatable: Option<bool>,
    /// The reason it was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// Two variants whose work differs, as far as it is visible from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct OutputDifference {
    /// The baseline.
    pub baseline: u32,
    /// The candidate.
    pub candidate: u32,
    /// Set if they printed different output.
    pub prints_differ: bool,
    /// The first difference in the output; null if it lies beyond the beginning that was kept.
    pub first: Option<Spot>,
    /// The ends of the two runs, in words, baseline and candidate, if they differ.
    pub ends: Option<(String, String)>,
}

/// A place in an output; both numbers count from 1, as in cmp(1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Spot {
    /// The byte.
    pub byte: u64,
    /// The line.
    pub line: u64,
}

/// A reading that is suspiciously low for one variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Suspicion {
    /// The baseline.
    pub baseline: u32,
    /// The candidate.
    pub candidate: u32,
    /// The metric that is so low.
    pub metric: MetricId,
    /// The source of its values.
    pub source: Source,
    /// The variant with so little.
    pub variant: u32,
    /// Its median.
    pub value: f64,
    /// The median of the other variant.
    pub other_value: f64,
}

/// Candidate minus baseline, in the metric's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ShiftFromZero {
    /// The estimate.
    pub value: f64,
    /// The lower end of its interval; null if it is unbounded.
    pub low: Option<f64>,
    /// Its upper end; null if it is unbounded.
    pub high: Option<f64>,
}

impl ShiftFromZero {
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

impl From<Shift> for ShiftFromZero {
    fn from(shift: Shift) -> Self {
        let end = |end: f64| end.is_finite().then_some(end);
        Self { value: shift.estimate, low: end(shift.low), high: end(shift.high) }
    }
}
