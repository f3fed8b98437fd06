//! The part of a document that only a sweep has: its points, and those worth choosing.

use serde::{Deserialize, Serialize};

use model::metric::MetricId;
use model::spec::parameters::Parameter;
use model::verdict::Verdict;

/// The results of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SweepFinding {
    /// The command, with `{name}` for a parameter's value, and the variables set for it.
    pub command: String,
    /// The parameters and their values, in their order.
    pub parameters: Vec<Parameter>,
    /// The metric to minimise.
    pub minimized: MetricId,
    /// The second metric to keep small: peak memory, unless another was named.
    pub beside: MetricId,
    /// The variant that runs if no parameter is set; null if it was not specified.
    pub default: Option<u32>,
    /// The limits on every point, as written.
    pub limits: Vec<String>,
    /// One point for each variant, in their order.
    pub points: Vec<SweepPoint>,
    /// The Pareto front of `minimized` against `beside`, ascending by the former: all points for
    /// which no other point is shown to be better in one and not worse in the other.
    pub front: Vec<u32>,
    /// The point of the front that gains most for its memory: the one farthest below the line
    /// between the front's ends.
    pub knee: Option<u32>,
    /// The point of the front with the least memory that has nine tenths of the fastest's gain over
    /// the default for at most half of its additional memory.
    pub thrifty: Option<u32>,
    /// The search that chose the points, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<TuningFinding>,
}

impl SweepFinding {
    /// The second objective of the front, if it differs from the minimised metric.
    pub fn beside(&self) -> Option<&MetricId> {
        (self.beside != self.minimized).then_some(&self.beside)
    }
}

/// A point of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SweepPoint {
    /// Its variant, whose labels are the parameters' values.
    pub variant: u32,
    /// The number of rounds it took part in.
    pub rounds: u32,
    /// Its outcome.
    #[serde(flatten)]
    pub state: PointState,
}

/// The outcome of a point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum PointState {
    /// On the front: no other point can be better in one objective and as good in the other.
    Front,
    /// On the front, together with another point that differs from it by no more than the margin.
    Equal {
        /// The other point.
        to: u32,
    },
    /// Another point is shown to be better in one objective and not worse in the other.
    Dominated {
        /// The better point.
        by: u32,
    },
    /// Another point is so clearly better that this one was dropped.
    Dropped {
        /// The better point.
        by: u32,
    },
    /// The point exceeds a limit.
    OverLimit {
        /// The limit, as written.
        limit: String,
    },
    /// A run of the point failed, and it was dropped.
    Failed {
        /// The way it failed.
        how: String,
        /// The last lines of its standard error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stderr: Option<String>,
    },
    /// On the front if `with` names another point, which may or may not be better; otherwise it was
    /// not read.
    Undecided {
        /// The other point.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<u32>,
    },
}

impl PointState {
    /// True if the point is on the front: still taking part, read, and not shown to be worse than
    /// another.
    pub fn is_on_front(&self) -> bool {
        matches!(self, Self::Front | Self::Equal { .. } | Self::Undecided { with: Some(_) })
    }
}

/// The search of a tuning, apart from the measurements that confirmed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct TuningFinding {
    /// The runtime, by its word: `ocaml`.
    pub runtime: String,
    /// The knobs that were varied.
    pub knobs: Vec<VariedKnob>,
    /// The knobs that were not varied, with the reason.
    pub left_out: Vec<UnvariedKnob>,
    /// The number of possible settings.
    pub settings: u64,
    /// The number of runs in the search; those of the confirmation belong to the experiment.
    pub search_runs: usize,
    /// The search's results for each setting that it tried, fastest first.
    pub tried: Vec<TriedSetting>,
    /// Set if the experiment confirms the search's choice. If the search chose nothing, the
    /// experiment is its last batch, from which nothing follows.
    pub is_confirmed: bool,
    /// The variant of the confirmation to choose; null if none is certainly better than the
    /// default.
    pub recommended: Option<u32>,
    /// The line to paste into a shell to apply it.
    pub line: Option<String>,
    /// The result of the recommended setting on another command; null if none was given.
    pub check: Option<CheckedSetting>,
}

/// A setting of the runtime.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct VariedKnob {
    /// Its name in the runtime.
    pub name: String,
    /// Its purpose, in words.
    pub about: String,
    /// Its default value.
    pub default: String,
    /// The values that were searched.
    pub levels: Vec<String>,
}

/// A knob that was not varied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct UnvariedKnob {
    /// Its name in the runtime.
    pub name: String,
    /// The reason it was not varied.
    pub reason: String,
}

/// A setting that the search tried. Its few runs are not a reliable measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct TriedSetting {
    /// The setting as written in tables: `s=32M o=200`.
    pub setting: String,
    /// The number of its runs.
    pub runs: usize,
    /// The minimised metric, in seconds; null if a run failed or was ended as hopeless.
    pub seconds: Option<f64>,
    /// The peak memory, in bytes.
    pub peak_bytes: Option<f64>,
}

/// The recommended setting on another command, against the default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CheckedSetting {
    /// The other command.
    pub command: String,
    /// The ratio of candidate to baseline.
    pub ratio: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval; null if it is unbounded.
    pub high: Option<f64>,
    /// The verdict from the interval.
    pub verdict: Verdict,
}
