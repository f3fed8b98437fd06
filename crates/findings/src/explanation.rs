//! The explanation of a program's cost: by its Core, or by the messages of SBCL's compiler and
//! profiler.

use serde::{Deserialize, Serialize};

/// The probability that an interval of a share of the time misses the true share.
const TIME_ALPHA: f64 = 0.05;

/// The reasons for a program's cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// The explained program: a path, as it was given.
    pub subject: String,
    /// The version of the compiler, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compiler: Option<String>,
    /// The run of the program, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<ExplainedRun>,
    /// The modules examined.
    pub modules: Vec<String>,
    /// The share of the run covered by counters; missing if nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<DumpCoverage>,
    /// The places where a run without counters spent its time; missing if not sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<SampledTime>,
    /// The contents of the heap at its peak; missing if not sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub heap: Option<HeapPeak>,
    /// The growth of the whole program's allocations with the work, if it ran with two amounts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub growth: Option<CostGrowth>,
    /// The findings, most costly first.
    pub findings: Vec<CauseFinding>,
    /// The places of the findings, in the order of each one's first finding.
    pub places: Vec<CostPlace>,
    /// Causes that could not be examined everywhere.
    pub not_looked: Vec<BlindSpot>,
    /// Reasons to doubt the whole explanation, in sentences.
    pub doubts: Vec<String>,
}

/// A command, and its runtime's figures on its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ExplainedRun {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Bytes allocated by the plain program.
    pub allocated_bytes: Option<u64>,
    /// Seconds taken by the plain program, according to its runtime.
    pub wall_seconds: Option<f64>,
    /// Processor time of the plain program without its collector, in seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mutator_seconds: Option<f64>,
    /// Processor time of its collector, in seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub collector_seconds: Option<f64>,
    /// The most bytes that were live at a major collection; missing if there was none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_live_bytes: Option<u64>,
    /// The most bytes that its runtime held of the system's memory.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub peak_bytes: Option<u64>,
    /// Bytes allocated by the instrumented program.
    pub instrumented_allocated_bytes: Option<u64>,
    /// Seconds taken by the instrumented program, according to its runtime.
    pub instrumented_wall_seconds: Option<f64>,
}

/// The contents of the heap at its peak, in a run with samples of the heap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct HeapPeak {
    /// All bytes.
    pub bytes: u64,
    /// The kinds of closures with the most bytes, the largest first.
    pub kinds: Vec<HeapKind>,
}

/// A kind of closures in the heap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct HeapKind {
    /// Its name: a constructor with its module, or a kind of the runtime's, such as `THUNK_2_0`.
    pub kind: String,
    /// Its bytes.
    pub bytes: u64,
}

/// The part of a run that the counters cover.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct DumpCoverage {
    /// All bytes allocated by the program, if known.
    pub allocated_bytes: Option<u64>,
    /// The bytes allocated by instrumented code.
    pub instrumented_bytes: u64,
    /// The share allocated by code without counters: libraries and the runtime.
    pub outside_share: Option<f64>,
    /// The share of the instrumented bytes that belongs to no binding of the dumps.
    pub unplaced_share: Option<f64>,
    /// The number of closures counted.
    pub rows: usize,
    /// The number of these that belong to no binding of the dumps.
    pub unplaced_rows: usize,
    /// The modules with counters but without a dump, which could not be examined; costliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undumped: Vec<UndumpedModule>,
}

/// A module with counters but without a dump.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct UndumpedModule {
    /// Its name.
    pub module: String,
    /// The bytes allocated by its code.
    pub allocated_bytes: u64,
}

impl ExplainedRun {
    /// Processor time of the plain program with its collector, in seconds.
    #[must_use]
    pub fn cpu_seconds(&self) -> Option<f64> {
        Some(self.mutator_seconds? + self.collector_seconds?)
    }

    /// The collector's share of the processor time, from 0 to 1; `None` without any time.
    #[must_use]
    pub fn collector_share(&self) -> Option<f64> {
        let all = self.cpu_seconds().filter(|all| *all > 0.0)?;
        Some(self.collector_seconds? / all)
    }
}

impl DumpCoverage {
    /// All bytes allocated by the program, as far as known.
    #[must_use]
    pub fn whole_bytes(&self) -> u64 {
        self.allocated_bytes.unwrap_or_default().max(self.instrumented_bytes)
    }

    /// The bytes allocated by code of bindings in the dumps.
    #[must_use]
    pub fn looked_at_bytes(&self) -> u64 {
        let unplaced = self.unplaced_share.unwrap_or_default() * self.instrumented_bytes as f64;
        self.instrumented_bytes.saturating_sub(unplaced.round() as u64)
    }
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CauseFinding {
    /// The cause's identifier.
    pub cause: String,
    /// A short title of the cause.
    pub title: String,
    /// The cause's page, as a file of brisk's documentation.
    pub page: String,
    /// The module.
    pub module: String,
    /// The binding's readable name, with its module.
    pub binding: String,
    /// The binding's name in Core.
    pub core_name: String,
    /// Its place in the source, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub location: Option<SourceLocation>,
    /// The problem.
    pub what: String,
    /// Its cost; missing if nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost: Option<FindingCost>,
    /// The growth of its cost with the work, if the program ran with two amounts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub growth: Option<CostGrowth>,
    /// Set if its cost is too small to be shown by default.
    pub minor: bool,
    /// The Core that shows the problem.
    pub evidence: Vec<CoreExcerpt>,
    /// The suggested remedy.
    pub remedy: String,
    /// The change that a program can make by itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub change: Option<ProposedChange>,
    /// The reason GHC did not do that by itself.
    pub why: String,
    /// The result of trying the change.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub proof: Option<ChangeProof>,
}

/// A binding with its findings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CostPlace {
    /// The binding's readable name, with its module.
    pub binding: String,
    /// Its place in the source, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub location: Option<SourceLocation>,
    /// The cost of all code that its findings are about; missing if nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost: Option<FindingCost>,
    /// The findings by number, from 0, most costly first.
    pub findings: Vec<usize>,
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SourceLocation {
    /// The file, as passed to GHC.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<u32>,
    /// The name of the top-level declaration there, if the source is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
}

/// The cost of a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct FindingCost {
    /// The quantity that decides its rank: `allocations`, `entries`, `memory` or `time`.
    pub paid_in: String,
    /// Bytes allocated by the code in question.
    pub allocated_bytes: u64,
    /// Their share of all allocated bytes.
    pub allocation_share: Option<f64>,
    /// Set if the bytes are all that the code allocated, because those in question were not counted
    /// separately.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_most: bool,
    /// The number of entries into that code.
    pub entries: Option<u64>,
    /// Their share of all entries.
    pub entry_share: Option<f64>,
    /// Bytes it occupies in the heap at its largest, if sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub heap_bytes: Option<u64>,
    /// Their share of the heap at the heap's own peak.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub heap_share: Option<f64>,
    /// The share of the time spent in libraries on its behalf, without the collector's, if sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<TimeShare>,
    /// Counters of the whole program in which it shows.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub counters: Vec<CounterValue>,
}

/// A counter of the whole program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CounterValue {
    /// Its name, such as `UNKNOWN_CALL_ctr`.
    pub name: String,
    /// Its value.
    pub count: u64,
}

/// Lines of Core.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CoreExcerpt {
    /// The binding's readable name, with its module.
    pub binding: String,
    /// The lines.
    pub core: String,
    /// The byte ranges of `core` that matter: beginnings and ends.
    pub marks: Vec<[usize; 2]>,
}

/// A change that a program can make by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ProposedChange {
    /// A pragma before a binding.
    Pragma {
        /// The module.
        module: String,
        /// The binding.
        binding: String,
        /// The pragma, without brackets.
        pragma: String,
    },
    /// An export list.
    ExportList {
        /// The module.
        module: String,
        /// The exported names.
        exports: Vec<String>,
    },
    /// An option for GHC.
    CompilerOption {
        /// The option.
        option: String,
    },
    /// Options of the runtime.
    RuntimeOption {
        /// The options.
        option: String,
    },
}

/// The result of trying a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ChangeProof {
    /// The change, in words.
    pub change: String,
    /// The verdict on it.
    pub verdict: String,
    /// The ratio of candidate to baseline in allocated bytes, if both were read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allocation_ratio: Option<f64>,
    /// The ratio of candidate to baseline in wall time, with its interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time_ratio: Option<[f64; 3]>,
    /// The reason there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trouble: Option<String>,
}

/// A cause that could not be examined in some modules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct BlindSpot {
    /// The cause's identifier.
    pub cause: String,
    /// The missing information.
    pub lacks: String,
    /// The reason it is missing.
    pub reason: String,
    /// The modules.
    pub modules: Vec<String>,
}

/// The places where a run without counters spent its time. Shares are relative to all samples
/// outside the collector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SampledTime {
    /// The number of samples over all runs, without those in the collector.
    pub looks: u64,
    /// The number of samples in the collector.
    pub collector_looks: u64,
    /// The share of the program's own code.
    pub own: TimeShare,
    /// The work of libraries and their callers, most costly first.
    pub libraries: Vec<LibraryTime>,
}

/// A share of the time, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct TimeShare {
    /// The number of samples in which it was seen.
    pub looks: u64,
    /// Their share of all samples outside the collector.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// A library function at work for a function of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct LibraryTime {
    /// The function, with its module; if several call each other, the outermost.
    pub function: String,
    /// The function of the program that waits for its result; missing if none was seen.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub caller: Option<String>,
    /// Its share of the time.
    pub time: TimeShare,
}

/// A cost with two amounts of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CostGrowth {
    /// The measure of the cost: `allocations` (bytes), `entries`, or `time` (seconds, sampled).
    pub of: String,
    /// The two amounts of work, smaller first.
    pub works: [u64; 2],
    /// The cost with each amount of work.
    pub costs: [f64; 2],
    /// The power of the work with which the cost grows: 1 in proportion, 2 with its square.
    pub exponent: f64,
}

impl CostGrowth {
    /// The growth between two costs; `None` if one is unknown or zero.
    #[must_use]
    pub fn from_costs(of: &str, works: [u64; 2], costs: [Option<f64>; 2]) -> Option<Self> {
        let costs = [costs[0]?, costs[1]?];
        if costs.iter().any(|cost| *cost <= 0.0) {
            return None;
        }
        let exponent = (costs[1] / costs[0]).ln() / (works[1] as f64 / works[0] as f64).ln();
        Some(Self { of: of.to_owned(), works, costs, exponent })
    }
}

impl TimeShare {
    /// The share that so many of all samples saw, with its 95 % interval.
    pub fn from_looks(looks: u64, of: u64) -> Self {
        let share = looks as f64 / of.max(1) as f64;
        let (low, high) =
            stats::binomial::proportion_interval(looks, of, TIME_ALPHA).unwrap_or((0.0, 1.0));
        Self { looks, share, low, high }
    }
}

/// The messages of SBCL on a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct LispExplanation {
    /// The file.
    pub subject: String,
    /// SBCL's version.
    pub compiler: String,
    /// The number of samples taken by the profiler.
    pub samples: u64,
    /// The functions, ordered by their own samples, most first.
    pub functions: Vec<LispFunction>,
    /// Forms with efficiency notes, those in the costliest functions first.
    pub forms: Vec<LispForm>,
}

/// The samples of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct LispFunction {
    /// Its name, as SBCL prints it.
    pub name: String,
    /// Samples in the function itself.
    pub itself: u64,
    /// Samples in it or in what it called.
    pub total: u64,
    /// The share of its own samples, with the interval that holds the true share in 95 of 100
    /// programs, if the samples are independent.
    pub share: SampledShare,
}

/// A share, with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SampledShare {
    /// The observed share.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// A form with efficiency notes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct LispForm {
    /// The enclosing definition.
    pub within: String,
    /// The form.
    pub form: String,
    /// The number of notes.
    pub notes: usize,
    /// The optimisations that the compiler could not do.
    pub what: Vec<String>,
    /// The reasons.
    pub why: Vec<String>,
    /// Samples in the function or in those it called; absent if the profiler did not see it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub samples: Option<u64>,
}
