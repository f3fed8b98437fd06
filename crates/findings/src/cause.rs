//! The cause of a change between two commits: its class, the functions, and the hunks with their
//! proofs.

use serde::{Deserialize, Serialize};

use judge::cause::{CauseClass, Certainty, CodeChange};
use model::metric::MetricId;

use crate::instructions::ProgramStacks;
use crate::time_profile::Bounded;

/// The cause of a change of a metric between two commits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Cause {
    /// The hash of the older commit.
    pub from: String,
    /// The hash of the newer commit.
    pub commit: String,
    /// The benchmark of a suite; absent for a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// The metric that changed.
    pub metric: MetricId,
    /// The class.
    pub class: CauseClass,
    /// The certainty of the class; absent if it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// The instructions of the newer program over those of the older one; absent if not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions_ratio: Option<f64>,
    /// The share of the change of wall time that is certainly not the program's own work on the
    /// processor; absent in other metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_share: Option<f64>,
    /// The functions whose work changed most, the largest change first; of samples, those whose change
    /// is certain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<ChangedFunction>,
    /// The number of functions that the difference touches, that ran, and that cost the same.
    pub touched_without_effect: usize,
    /// The search for hunks; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunks: Option<HunkSearch>,
    /// Both commits, compiled otherwise; empty if that was not asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counter_builds: Vec<CounterBuilt>,
    /// The stacks of both programs, for a flame graph of the change; absent if they are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stacks: Option<ProgramStacks>,
    /// The questions that stay open, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// A function whose cost changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ChangedFunction {
    /// Its readable name.
    pub name: String,
    /// The name of the program or library that contains it.
    pub object: String,
    /// Its own work in both programs.
    #[serde(flatten)]
    pub work: FunctionWork,
    /// Its change as a share of all work of the older program.
    pub of_program: f64,
    /// True if the difference touches its text.
    pub touched: bool,
    /// Its machine code.
    pub code: CodeChange,
    /// The way in which it was compiled otherwise, in words; absent if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiled: Option<String>,
}

/// The own work of a function in two programs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FunctionWork {
    /// Its instructions in the older program and in the newer one.
    Counts([u64; 2]),
    /// The change of its processor time per run, in seconds, from samples.
    SecondsMore(Bounded),
}

/// Both commits, compiled otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CounterBuilt {
    /// The options of the compiler, as users write them.
    pub options: String,
    /// The instructions of both commits, compiled so.
    pub counts: [u64; 2],
    /// The part of the change that remains.
    pub remains: f64,
    /// True if the change is gone.
    pub is_gone: bool,
    /// True if the newer commit takes no more instructions so than the older one does as it is
    /// usually built: the options are a remedy.
    pub is_remedy: bool,
}

/// The search for the hunks that make a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct HunkSearch {
    /// The number of hunks in files that could matter.
    pub total: usize,
    /// The metric that decided.
    pub metric: MetricId,
    /// True if it was counted and repeats exactly, rather than measured in rounds.
    pub exact: bool,
    /// The number of programs with some of the hunks that were tried.
    pub programs: usize,
    /// The hunks that make the change, the largest part first.
    pub guilty: Vec<ProvedHunks>,
    /// The reason that the search ended early, or found nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
}

/// Hunks that make a change together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ProvedHunks {
    /// Their numbers, from 1.
    pub numbers: Vec<usize>,
    /// Their places, such as `src/parse.rs:214-231`, in the newer commit.
    pub places: Vec<String>,
    /// The functions that they touch, by their names alone, as far as their text tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    /// The numbers of further hunks without which they do not build or run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needed: Vec<usize>,
    /// The metric of a program with these hunks alone, over that of the older program.
    pub alone: f64,
    /// The metric of a program without them, over that of the older program; absent if none builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<f64>,
    /// True if both programs prove that these hunks make the change.
    pub proved: bool,
}
