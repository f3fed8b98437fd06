//! The instructions that programs execute, or the bytes that they allocate, by function.

use serde::{Deserialize, Serialize};

use crate::ReadError;

/// The event of counts by DHAT.
pub const ALLOCATED_BYTES: &str = "allocated bytes";

/// Counts by function of one program, or of an old and a new one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct InstructionCounts {
    /// The counted event: `allocated bytes` by DHAT, or one in callgrind's terms, where `Ir` are
    /// instructions.
    pub event: String,
    /// The programs: one, or the old one and the new one.
    pub variants: Vec<CountedProgram>,
    /// The functions: those that changed most first or, with one program, the costliest.
    pub functions: Vec<CountedFunction>,
    /// The reason inclusive counts are missing, if they are.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub no_inclusive: Option<String>,
    /// Further remarks, in sentences.
    pub notes: Vec<String>,
    /// The stacks of a flame graph; absent if not requested.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stacks: Option<ProgramStacks>,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CountedProgram {
    /// The command, or the file that was read.
    pub name: String,
    /// The number of runs.
    pub runs: usize,
    /// The path of the executable that was started, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub program: Option<String>,
    /// The count of all functions together.
    pub total: Range,
    /// The allocated blocks of all functions together; absent for other events.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub blocks: Option<Range>,
    /// True if every function had the same count in each run; absent with a single run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exact: Option<bool>,
}

/// A function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CountedFunction {
    /// Its readable name.
    pub name: String,
    /// The path of the executable or library.
    pub object: String,
    /// The number of symbols with this name.
    pub symbols: u32,
    /// Its own count, for each program.
    pub counts: Vec<Range>,
    /// Its allocated blocks, for each program; empty for other events.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub blocks: Vec<Range>,
    /// The difference in the new program, between the middles of the ranges; absent with one
    /// program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub change: Option<i64>,
    /// True if the change exceeds the spread between runs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certain: Option<bool>,
    /// Its share of the whole change or, with one program, of the total count. Shares of a change
    /// may be negative, and large if functions cancel each other out.
    pub share: Option<f64>,
    /// The change relative to the old program's total count; absent with one program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub relative: Option<f64>,
    /// The count including all functions it calls, in the first run of the newest program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub inclusive: Option<u64>,
    /// `vanished` or `appeared`, if only one program has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fate: Option<FunctionFate>,
    /// Its lines, if there is debug information: for the first functions, those that changed most.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lines: Vec<CountedLine>,
}

/// A function that only one program has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct FunctionFate {
    /// `vanished` or `appeared`.
    pub what: String,
    /// The function that holds its code in the other program, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub elsewhere: Option<String>,
    /// `lines`: its source lines run there; `caller`: a guess, from the calls and the growth.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<String>,
    /// The same as a sentence.
    pub sentence: String,
}

/// A source line within a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CountedLine {
    /// The source file.
    pub file: String,
    /// Its number in the old program, if it ran there.
    pub before_line: Option<u64>,
    /// Its number in the new program, or in the only one.
    pub line: Option<u64>,
    /// The text of the line, if the source exists and is no newer than the program.
    pub text: Option<String>,
    /// Its count, for each program.
    pub counts: Vec<u64>,
}

impl InstructionCounts {
    /// True if allocated bytes were counted.
    pub fn is_allocations(&self) -> bool {
        self.event == ALLOCATED_BYTES
    }

    /// Checks that the parts agree.
    ///
    /// # Errors
    ///
    /// The first part that contradicts another.
    pub fn verify(&self) -> Result<(), ReadError> {
        let count = self.variants.len();
        if !(1..=2).contains(&count) {
            let (part, what) = ("instructions.variants", "programs at most");
            return Err(ReadError::Length { part, what, found: count, count: 2 });
        }
        let functions = || self.functions.iter();
        let ranges =
            functions().flat_map(|function| function.counts.iter().chain(&function.blocks));
        let ranges = ranges.chain(self.variants.iter().map(|variant| &variant.total));
        let ranges =
            ranges.chain(self.variants.iter().filter_map(|variant| variant.blocks.as_ref()));
        if ranges.into_iter().any(|range| range.low > range.high) {
            let (part, what) = ("instructions", "counts, the least before the most");
            return Err(ReadError::Unordered { part, what });
        }
        let lines = functions().flat_map(|function| &function.lines);
        let counts = functions().map(|function| function.counts.len());
        let stacks = self.stacks.iter().flat_map(|part| &part.stacks);
        let counts = counts.chain(lines.map(|line| line.counts.len()));
        let blocks =
            functions().map(|function| function.blocks.len()).filter(|_| self.is_allocations());
        let with_blocks = self.variants.iter().filter(|variant| variant.blocks.is_some()).count();
        let counts = counts.chain(blocks).chain(self.is_allocations().then_some(with_blocks));
        let counts = counts.chain(stacks.map(|stack| stack.counts.len()));
        match counts.into_iter().find(|found| *found != count) {
            Some(found) => {
                let (part, what) = ("instructions.functions.counts", "programs");
                Err(ReadError::Length { part, what, found, count })
            }
            None => Ok(()),
        }
    }
}

/// The minimum and maximum over several runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Range {
    /// The minimum.
    pub low: u64,
    /// The maximum.
    pub high: u64,
}

impl Range {
    /// The range of these counts.
    pub fn from_counts(counts: impl IntoIterator<Item = u64>) -> Self {
        let (low, high) = counts
            .into_iter()
            .fold((u64::MAX, 0), |(low, high), count| (low.min(count), high.max(count)));
        Self { low: low.min(high), high }
    }

    /// True if all runs gave the same count.
    pub fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// The midpoint.
    pub fn middle(self) -> u64 {
        self.low + (self.high - self.low) / 2
    }
}

/// The stacks of one program, or of an old and a new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ProgramStacks {
    /// The kind of the stacks.
    pub kind: StackKind,
    /// The stacks, in order.
    pub stacks: Vec<StackCounts>,
}

/// A stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct StackCounts {
    /// The functions, outermost first.
    pub frames: Vec<String>,
    /// The innermost function's own count, for each program.
    pub counts: Vec<u64>,
}

/// The kind of the stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StackKind {
    /// Callgrind distinguished functions by their callers, up to a depth: exact.
    Callers,
    /// DHAT's, up to 500 calls: exact.
    Allocations,
    /// Unwound from the stacks of samples.
    Unwound,
    /// Not stacks: executables and libraries, with the functions in them.
    Objects,
}

/// The last part of the path of an object or a source file.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
