//! The part of a document that only a sweep has: its points, and which of them are worth choosing.

use serde::{Deserialize, Serialize};

use crate::judge::verdict::Verdict;
use crate::metric::MetricId;
use crate::spec::parameters::Parameter;

/// What a sweep found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SweepPart {
    /// The command, `{name}` standing for a parameter's value, with the variables set for it.
    pub command: String,
    /// The parameters and their values, in their order.
    pub parameters: Vec<Parameter>,
    /// What shall be small.
    pub minimized: MetricId,
    /// What shall be small beside it: peak memory, unless something else was named.
    pub beside: MetricId,
    /// The variant that runs when nobody sets a parameter; none where nobody said which that is.
    pub default: Option<u32>,
    /// What a point must keep to, as it was written.
    pub limits: Vec<String>,
    /// One for each variant, in their order.
    pub points: Vec<PointPart>,
    /// The Pareto front of what is minimised against what shall be small beside it, the least of the
    /// former first: all points of which it is not shown that another one is better in one and not worse in
    /// the other.
    pub front: Vec<u32>,
    /// The member of the front that has most for its memory: the one farthest below the line
    /// between the front's ends.
    pub knee: Option<u32>,
    /// The member with the least memory that has nine tenths of the fastest's gain over the default
    /// for at most half of its additional memory.
    pub thrifty: Option<u32>,
    /// What was searched before, where the points are what a search named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<TuningPart>,
}

impl SweepPart {
    /// What else is in the front's balance than what is minimised.
    pub fn beside(&self) -> Option<&MetricId> {
        (self.beside != self.minimized).then_some(&self.beside)
    }
}

/// One point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PointPart {
    /// Which variant it is; its labels are the parameters' values.
    pub variant: u32,
    /// How many rounds it took part in.
    pub rounds: u32,
    /// What became of it.
    #[serde(flatten)]
    pub state: PointState,
}

/// What became of a point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum PointState {
    /// It is on the front, and no other point can be better in one objective and as good in the other.
    Front,
    /// It is on the front, as another point is that differs from it by no more than the margin.
    Equal {
        /// Which.
        to: u32,
    },
    /// Another point is shown to be better in one objective and not worse in the other.
    Dominated {
        /// Which.
        by: u32,
    },
    /// Another point is so clearly better that it took part no more.
    Dropped {
        /// Which.
        by: u32,
    },
    /// It does not keep to a limit.
    OverLimit {
        /// The limit, as it was written.
        limit: String,
    },
    /// A run of it failed, and it took part no more.
    Failed {
        /// How.
        how: String,
        /// The last lines of its standard error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stderr: Option<String>,
    },
    /// Where `with` names another point, it is on the front, and it is not decided whether that one is
    /// better; else it was not read.
    Undecided {
        /// The other point.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<u32>,
    },
}

impl PointState {
    /// Whether the point is on the front: it is left, was read, and is not shown to be worse than another.
    pub fn is_on_front(&self) -> bool {
        matches!(self, Self::Front | Self::Equal { .. } | Self::Undecided { with: Some(_) })
    }
}

/// What a tuning searched, beside what its confirmation measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TuningPart {
    /// The runtime, by its word: `ocaml`.
    pub runtime: String,
    /// What was varied.
    pub knobs: Vec<KnobPart>,
    /// What was not, and why.
    pub left_out: Vec<LeftOutPart>,
    /// How many settings could have been tried.
    pub settings: u64,
    /// How many runs the search took; those of the confirmation are the experiment's own.
    pub search_runs: usize,
    /// What the search knows of each setting that it tried, the fastest first.
    pub tried: Vec<TriedPart>,
    /// Whether the experiment is the confirmation of what the search named; where it named nothing, the
    /// experiment is the search's last batch, from which nothing follows.
    pub is_confirmed: bool,
    /// The variant of the confirmation to choose; none where nothing is certainly better than the
    /// default.
    pub recommended: Option<u32>,
    /// What to paste into a shell to have it.
    pub line: Option<String>,
    /// How the recommended setting does on another command; none where none was given.
    pub check: Option<CheckedPart>,
}

/// One thing that the runtime can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KnobPart {
    /// Its name, as the runtime has it.
    pub name: String,
    /// What it sets, in words.
    pub about: String,
    /// The value it has when nobody sets it.
    pub default: String,
    /// The values that were searched.
    pub levels: Vec<String>,
}

/// A knob that was not turned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOutPart {
    /// Its name, as the runtime has it.
    pub name: String,
    /// Why it was not turned.
    pub reason: String,
}

/// A setting that the search tried: what its few runs say, which is no measurement to rely on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TriedPart {
    /// As it is written in tables: `s=32M o=200`.
    pub setting: String,
    /// How many runs it had.
    pub runs: usize,
    /// What is minimised, in seconds; none where a run failed or was ended as hopeless.
    pub seconds: Option<f64>,
    /// The peak memory, in bytes.
    pub peak_bytes: Option<f64>,
}

/// The recommended setting on another command, against the default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckedPart {
    /// The other command.
    pub command: String,
    /// Candidate over baseline.
    pub ratio: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// Its upper end; none while it is unbounded.
    pub high: Option<f64>,
    /// What the interval says.
    pub verdict: Verdict,
}
