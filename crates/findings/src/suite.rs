//! The part of a document that only a suite of benchmarks has.

use serde::{Deserialize, Serialize};

use judge::loops::{BenchmarkLevel, Idle};
use judge::orders::{After, Dependence, Regimes, Waits};
use judge::parts::PartsAgainstWhole;
use model::spec::suite::Arrangement;
use run::suite::listing::PlacedLists;

/// The benchmarks of one or two programs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SuiteFinding {
    /// The arrangement in which benchmarks are judged: what runs before them in their process.
    pub order: Arrangement,
    /// The programs; if there are two, the old one first.
    pub programs: Vec<SuiteProgram>,
    /// The benchmarks, in the order of the programs.
    pub benchmarks: Vec<SuiteBenchmark>,
    /// The benchmarks of a saved baseline that the program lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_in_baseline: Vec<String>,
    /// The benchmarks that were dropped because their processes kept failing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_up: Vec<GivenUp>,
    /// The benchmarks in other arrangements, which show what they depend on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub company: Vec<OtherArrangement>,
    /// The time of each benchmark where it is judged, with intervals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<BenchmarkLevel>,
    /// The benchmarks that may not do their work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<Idle>,
    /// The benchmarks declared to be made of others, compared with their parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_of: Vec<PartsAgainstWhole>,
    /// The benchmarks whose result depends on what ran before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependences: Vec<Dependence>,
    /// The time of each of at most 24 benchmarks of a program after each of the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<After>,
    /// The dependences left out above because waiting for a processor explains them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Waits>,
    /// The benchmarks whose processes fall into two regimes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regimes: Vec<Regimes>,
    /// The measurements of the harnesses, by variant and round; in exports only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measurements: Vec<PlacedLists>,
}

/// A program of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SuiteProgram {
    /// The program as typed.
    pub name: String,
    /// The harness of its benchmarks, by its word.
    pub harness: String,
}

/// A benchmark of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SuiteBenchmark {
    /// Its name; namesakes have a number appended.
    pub name: String,
    /// Its variant in each program; null if a program lacks it.
    pub variants: Vec<Option<u32>>,
}

/// A benchmark in an arrangement in which it is not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct OtherArrangement {
    /// Its variant in this arrangement.
    pub variant: u32,
    /// The program, by its place.
    pub program: usize,
    /// The benchmark, by its place.
    pub benchmark: usize,
    /// That arrangement: what ran before it in its process.
    pub order: Arrangement,
}

/// A benchmark that was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct GivenUp {
    /// Its variant.
    pub variant: u32,
    /// The number of rounds it took part in.
    pub rounds: u32,
}
