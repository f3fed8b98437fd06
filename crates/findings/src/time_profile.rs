//! The processor time of programs by function, from samples.

use serde::{Deserialize, Serialize};

use crate::ReadError;
use crate::instructions::{CountedLine, FunctionFate, ProgramStacks};

/// Time by function of one program, or of an old and a new one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct TimeProfile {
    /// The programs: one, or the old one and the new one.
    pub variants: Vec<SampledProgram>,
    /// The functions: with one program the costliest first; with two those that are named, then the
    /// others, each by the size of their change.
    pub functions: Vec<SampledFunction>,
    /// The number of rounds; each ran every program once.
    pub rounds: usize,
    /// The level of the intervals, such as 0.95: of the changes of functions together, of all
    /// others each.
    pub confidence: f64,
    /// The change of the sampled processor time per run, in seconds; absent with one program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub change: Option<Bounded>,
    /// The reason that times with calls are missing, if they are.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub no_inclusive: Option<String>,
    /// The reason for sampling instead of counting, or further remarks, in sentences.
    pub notes: Vec<String>,
    /// The stacks of a flame graph, in nanoseconds per run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stacks: Option<ProgramStacks>,
}

/// An estimate with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Bounded {
    /// The estimate.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Bounded {
    /// True if 0 is outside.
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The same in units of `whole`.
    #[must_use]
    pub fn over(self, whole: f64) -> Self {
        Self { value: self.value / whole, low: self.low / whole, high: self.high / whole }
    }
}

/// A program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SampledProgram {
    /// The command.
    pub name: String,
    /// The path of the executable.
    pub program: String,
    /// The number of samples of all sampled runs.
    pub samples: u64,
    /// The number of samples and other records that the kernel had no room for.
    pub lost: u64,
    /// The mean processor time between two samples, in seconds.
    pub period: f64,
    /// The processor time that samples account for, in seconds per run.
    pub sampled_seconds: f64,
    /// The median wall time of the sampled runs, in seconds.
    pub sampled_wall: f64,
    /// The median wall time of the plain runs, in seconds.
    pub plain_wall: f64,
    /// The number of plain runs.
    pub plain_runs: usize,
    /// The time off the processor.
    pub off_processor: OffProcessor,
}

/// The time that a program does not run, and its usual reasons: medians of plain runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct OffProcessor {
    /// Wall time without processor time, in seconds; 0 if several threads used more of the latter.
    pub seconds: f64,
    /// Time for which it could have run but no processor was free, in seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ready_seconds: Option<f64>,
    /// Switches to wait for something.
    pub voluntary_switches: f64,
    /// Switches because others ran.
    pub involuntary_switches: f64,
    /// Page faults that needed the disk.
    pub major_faults: f64,
    /// Page faults that did not.
    pub minor_faults: f64,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SampledFunction {
    /// Its readable name.
    pub name: String,
    /// The path of the executable or library, or a name in brackets.
    pub object: String,
    /// Its own time per run, for each program, in seconds.
    pub seconds: Vec<f64>,
    /// Its share of the samples; absent with two programs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub share: Option<Bounded>,
    /// The share of the newest program's samples in it or in what it calls.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub inclusive: Option<f64>,
    /// The change per run, in seconds; absent with one program, or if too few samples or rounds
    /// allow no interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub change: Option<Bounded>,
    /// The same, relative to the old program's sampled time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub relative: Option<Bounded>,
    /// The part of the whole change, if that is certain.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub part_of_change: Option<f64>,
    /// True if its change is certain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub named: bool,
    /// Its presence, if its code is known to be elsewhere in one of the programs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fate: Option<FunctionFate>,
    /// Its lines, if there is debug information: for the first functions. Counts are samples.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lines: Vec<CountedLine>,
}

impl TimeProfile {
    /// Checks that the parts agree.
    ///
    /// # Errors
    ///
    /// The first part that contradicts another.
    pub fn verify(&self) -> Result<(), ReadError> {
        let count = self.variants.len();
        if !(1..=2).contains(&count) {
            let (part, what) = ("time_profile.variants", "programs at most");
            return Err(ReadError::Length { part, what, found: count, count: 2 });
        }
        let functions = || self.functions.iter();
        let bounds = functions()
            .flat_map(|function| [function.share, function.change, function.relative])
            .chain([self.change]);
        if bounds.flatten().any(|it| it.low > it.value || it.value > it.high) {
            let (part, what) = ("time_profile", "estimates within their intervals");
            return Err(ReadError::Unordered { part, what });
        }
        let lines = functions().flat_map(|function| &function.lines);
        let stacks = self.stacks.iter().flat_map(|part| &part.stacks);
        let counts = functions()
            .map(|function| function.seconds.len())
            .chain(lines.map(|line| line.counts.len()))
            .chain(stacks.map(|stack| stack.counts.len()));
        match counts.into_iter().find(|found| *found != count) {
            Some(found) => {
                let (part, what) = ("time_profile.functions", "programs");
                Err(ReadError::Length { part, what, found, count })
            }
            None => Ok(()),
        }
    }
}
