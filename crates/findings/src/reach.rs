//! The reach of a change: the benchmarks that it can affect, and the changed functions that none of
//! them runs.

use serde::{Deserialize, Serialize};

pub use judge::reach::Reach;

/// The reach of the change from one commit to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ChangeReach {
    /// The full hash of the old commit.
    pub base: String,
    /// The full hash of the new commit.
    pub head: String,
    /// The benchmarks, in the order of the project.
    pub benchmarks: Vec<BenchmarkReach>,
    /// The functions that the change touches, as far as debug information knows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<ChangedFunction>,
    /// The time that callgrind took to see what the benchmarks run, in seconds; 0 if that was known
    /// from an earlier call.
    pub profiling_seconds: f64,
}

/// A benchmark with regard to a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct BenchmarkReach {
    /// The benchmark.
    pub benchmark: String,
    /// The reach of the change.
    pub reach: Reach,
    /// The reason, in words.
    pub reason: String,
    /// Set if the functions that it runs are known.
    pub profiled: bool,
}

/// A function that a change touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ChangedFunction {
    /// The name.
    pub name: String,
    /// The source file in the repository.
    pub file: String,
    /// The benchmarks that run it.
    pub run_by: Vec<String>,
}

impl ChangeReach {
    /// True if it is proved that the change reaches no benchmark.
    pub fn reaches_nothing(&self) -> bool {
        let is_unreached = |one: &BenchmarkReach| one.reach == Reach::NotReached;
        !self.benchmarks.is_empty() && self.benchmarks.iter().all(is_unreached)
    }

    /// The benchmarks that the change does not reach.
    pub fn unreached(&self) -> impl Iterator<Item = &BenchmarkReach> {
        self.benchmarks.iter().filter(|one| one.reach == Reach::NotReached)
    }

    /// The benchmarks of which nothing is known.
    pub fn unknown(&self) -> impl Iterator<Item = &BenchmarkReach> {
        self.benchmarks.iter().filter(|one| one.reach == Reach::Unknown)
    }

    /// True if a benchmark of this name need not be measured.
    pub fn skips(&self, benchmark: &str) -> bool {
        self.unreached().any(|one| one.benchmark == benchmark)
    }

    /// The changed functions that no benchmark runs, as far as that is known.
    pub fn not_run(&self) -> impl Iterator<Item = &ChangedFunction> {
        self.functions.iter().filter(|function| function.run_by.is_empty())
    }
}
