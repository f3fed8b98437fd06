//! The differences between the Core of two programs.

use serde::{Deserialize, Serialize};

use crate::explanation::{CoreExcerpt, ExplainedRun, FindingCost, SourceLocation};

/// The value of `told_by` for allocations in libraries.
pub const LIBRARIES: &str = "libraries";

/// The changes in Core between two builds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CoreDifference {
    /// The build before.
    pub before: ComparedBuild,
    /// The build after.
    pub after: ComparedBuild,
    /// The numbers of top-level bindings that stayed, changed, came or went.
    pub bindings: BindingCounts,
    /// The cost of all code with counters; missing if one of the two was not measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub total: Option<CostChange>,
    /// Bytes that the whole programs, with their libraries, allocated in their runs, if both are
    /// known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allocated_bytes: Option<[u64; 2]>,
    /// Instructions executed by the runs without counters, or the reason they were not counted;
    /// absent if nothing was run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instructions: Option<ExecutedInstructions>,
    /// The measure that describes the difference: `allocations`, or `libraries` if most of the
    /// change in allocations was there; or, if allocations did not change, `instructions` or
    /// `entries`.
    pub told_by: String,
    /// The change that the first sentence names; absent if none explains how the cost moved.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lead: Option<DifferenceLead>,
    /// The causes of cost of both builds, joined; those that moved most first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub causes: Vec<CauseChange>,
    /// The share of the total movement, up and down, that lies in bindings whose Core changed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub explained_share: Option<f64>,
    /// The changes, those with the largest change in cost first.
    pub changes: Vec<ChangeGroup>,
    /// Bindings whose cost changed although their Core did not.
    pub elsewhere: Vec<ChangeElsewhere>,
    /// Rewrite rules that fired a different number of times.
    pub rules: Vec<RuleCount>,
    /// Modules that only the build before has.
    pub modules_gone: Vec<String>,
    /// Modules that only the build after has.
    pub modules_new: Vec<String>,
    /// Reasons to doubt the whole comparison, in sentences.
    pub doubts: Vec<String>,
}

/// The change that the first sentence about a difference names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DifferenceLead {
    /// One of the causes, by number, from 0.
    Cause(usize),
    /// One of the changes in Core, by number, from 0.
    Change(usize),
}

/// A cause of cost, before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CauseChange {
    /// The cause's identifier.
    pub cause: String,
    /// The readable name of its function, with its module.
    pub binding: String,
    /// Its place in the source, on the side where it costs more; if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub location: Option<SourceLocation>,
    /// The development of its cost.
    pub fate: CauseFate,
    /// The change, as one sentence without its subject.
    pub what: String,
    /// The problem on the side where it costs more, as one sentence.
    pub problem: String,
    /// The change in its cost, as a share of the whole program's cost of that kind, on the side where
    /// that is larger.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub moved_share: Option<f64>,
    /// Its cost before; missing if it was not there, or nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<FindingCost>,
    /// Its cost after; missing if it is not there, or nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<FindingCost>,
}

/// The development of a cause from one build to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CauseFate {
    /// Only the build before has it, or the build after has less than a tenth of it.
    Gone,
    /// Only the build after has it, or the build before had less than a tenth of it.
    New,
    /// It costs less than half.
    Less,
    /// It costs more than twice as much.
    More,
    /// It costs about the same.
    Same,
}

/// One of the two builds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ComparedBuild {
    /// The subject of the build: a path, a folder of dumps, a commit.
    pub subject: String,
    /// The version of the compiler, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compiler: Option<String>,
    /// The number of modules read.
    pub modules: usize,
    /// The run of the build, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<ExplainedRun>,
}

/// The instructions of both runs, or the reason they were not counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ExecutedInstructions {
    /// The instructions were counted.
    Counted {
        /// Instructions of the build before.
        before: InstructionPlaces,
        /// Instructions of the build after.
        after: InstructionPlaces,
        /// The reason bindings cannot be compared by instructions, if they cannot.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        unattributed: Option<String>,
    },
    /// The instructions were not counted.
    Missing {
        /// The reason.
        missing: String,
    },
}

/// A run's executed instructions, by the kind of code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct InstructionPlaces {
    /// All instructions.
    pub total: u64,
    /// Those in the program's bindings.
    pub bindings: u64,
    /// Those in code of its modules that belongs to no binding of their dumps.
    pub unplaced: u64,
    /// Those in libraries compiled by GHC.
    pub libraries: u64,
    /// Those in code not compiled by GHC: its runtime, the C library.
    pub runtime: u64,
    /// Those in code without a symbol.
    pub nameless: u64,
}

/// The numbers of top-level bindings that stayed, changed, came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct BindingCounts {
    /// Unchanged bindings.
    pub same: usize,
    /// Changed bindings.
    pub changed: usize,
    /// Removed bindings.
    pub only_before: usize,
    /// Added bindings.
    pub only_after: usize,
    /// Bindings under another name or in another module, changed or not.
    pub renamed: usize,
}

/// A cost before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CostChange {
    /// Bytes allocated by the code before.
    pub bytes_before: u64,
    /// Bytes allocated by the code after.
    pub bytes_after: u64,
    /// The change in bytes as a share of all that code with counters allocated before; null if that
    /// was zero.
    pub share: Option<f64>,
    /// The number of entries into the code before.
    pub entries_before: Option<u64>,
    /// The number of entries into the code after.
    pub entries_after: Option<u64>,
    /// Instructions executed by the code before, if they were counted and attributed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instructions_before: Option<u64>,
    /// Instructions executed by the code after, if they were counted and attributed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instructions_after: Option<u64>,
}

/// Bindings that changed together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ChangeGroup {
    /// The most telling binding, under its readable name, with its module.
    pub binding: String,
    /// The same binding, under its name in Core.
    pub core_name: String,
    /// The change in it, as one sentence without its subject.
    pub what: String,
    /// The group's cost; missing if nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub moved: Option<CostChange>,
    /// Set if the change is too small to be shown by default.
    pub minor: bool,
    /// The other changes in the group.
    pub more: Vec<GroupRemark>,
    /// The group's removed bindings.
    pub gone: Vec<String>,
    /// The group's added bindings.
    pub new: Vec<String>,
    /// Lines of its Core before, with what the other version lacks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<CoreExcerpt>,
    /// Lines of its Core after, with what the other version lacks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<CoreExcerpt>,
}

/// A single change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct GroupRemark {
    /// The binding's readable name.
    pub binding: String,
    /// The change, as one sentence without its subject.
    pub what: String,
}

/// A binding whose cost changed although its Core did not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ChangeElsewhere {
    /// The binding's readable name.
    pub binding: String,
    /// Its cost.
    pub moved: CostChange,
}

/// A rewrite rule that fired a different number of times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct RuleCount {
    /// The module in which it fired.
    pub module: String,
    /// The name of the rule.
    pub rule: String,
    /// The number of times it fired before.
    pub before: usize,
    /// The number of times it fired after.
    pub after: usize,
}

impl CoreDifference {
    /// The changes shown by default.
    pub fn major(&self) -> impl Iterator<Item = &ChangeGroup> {
        self.changes.iter().filter(|it| !it.minor)
    }
}
