//! The part of a document that only a suite of benchmarks has.

use serde::{Deserialize, Serialize};

use crate::judge::loops::{Idle, Level};
use crate::judge::orders::{After, Dependence, Regimes, Waits};
use crate::judge::parts::PartsAgainstWhole;
use crate::run::suite::lists::PlacedLists;
use crate::spec::suite::Arrangement;

/// The benchmarks of one or two programs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuitePart {
    /// What ran before a benchmark in its process, where it was judged.
    pub order: Arrangement,
    /// The programs; of two, the old one first.
    pub programs: Vec<ProgramPart>,
    /// The benchmarks, in the order of the programs.
    pub benchmarks: Vec<BenchmarkPart>,
    /// The benchmarks that a saved baseline has, and the program has not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_in_baseline: Vec<String>,
    /// What takes part no more, because its processes failed again and again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_up: Vec<GivenUpPart>,
    /// The benchmarks in other arrangements, from which is learnt what they depend on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub company: Vec<CompanyPart>,
    /// What each benchmark takes where it is judged, with intervals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// The benchmarks that may not do their work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<Idle>,
    /// What is said to be made of others, against its parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_of: Vec<PartsAgainstWhole>,
    /// The benchmarks whose result depends on what ran before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependences: Vec<Dependence>,
    /// What each of at most 24 benchmarks of a program took after each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<After>,
    /// What is left out of these, because waiting for a processor explains it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Waits>,
    /// The benchmarks whose processes fall into two regimes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regimes: Vec<Regimes>,
    /// What the harnesses measured, by variant and round; in exports only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measurements: Vec<PlacedLists>,
}

/// A program of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProgramPart {
    /// As it was typed.
    pub name: String,
    /// What it runs its benchmarks with, by its word.
    pub harness: String,
}

/// A benchmark of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BenchmarkPart {
    /// Its name; of namesakes, a number behind it.
    pub name: String,
    /// Which variant it is in each program; none where a program does not have it.
    pub variants: Vec<Option<u32>>,
}

/// A benchmark in an arrangement in which it is not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CompanyPart {
    /// Which variant it is there.
    pub variant: u32,
    /// Which program, by its place.
    pub program: usize,
    /// Which benchmark, by its place.
    pub benchmark: usize,
    /// What ran before it in its process.
    pub order: Arrangement,
}

/// A benchmark that takes part no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GivenUpPart {
    /// Which variant it is.
    pub variant: u32,
    /// In how many rounds it took part.
    pub rounds: u32,
}
