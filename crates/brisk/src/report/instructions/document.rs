//! Instructions by function, as shown and exported.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::sentences::grouped;
use super::stacks::StacksPart;
use crate::explain::instructions::counts::Counts;
use crate::explain::instructions::difference::{Change, ProgramCounts, Range, changes};
use crate::explain::instructions::fate::{Elsewhere, Evidence, Fate};
use crate::explain::instructions::lines::{LineChange, Side, changed_lines, costly_lines};
use crate::explain::instructions::objects::file_name;
use crate::report::document::ReadError;

/// The largest number of functions examined line by line.
const LOOKED_INTO: usize = 5;

/// Counts by function of one program, or of an old and a new one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InstructionsPart {
    /// The counted event, in callgrind's terms: `Ir` are instructions.
    pub event: String,
    /// The programs: one, or the old one and the new one.
    pub variants: Vec<VariantPart>,
    /// The functions: those that changed most first or, with one program, the costliest.
    pub functions: Vec<FunctionPart>,
    /// The reason inclusive counts are missing, if they are.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub no_inclusive: Option<String>,
    /// Further remarks, in sentences.
    pub notes: Vec<String>,
    /// The stacks of a flame graph; absent if not requested.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stacks: Option<StacksPart>,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "InstructionsVariantPart"))]
pub struct VariantPart {
    /// The command, or the file that was read.
    pub name: String,
    /// The number of runs.
    pub runs: usize,
    /// The path of the executable that was started, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub program: Option<String>,
    /// The count of all functions together.
    pub total: Range,
    /// True if every function had the same count in each run; absent with a single run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exact: Option<bool>,
}

/// A function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "InstructionsFunctionPart"))]
pub struct FunctionPart {
    /// Its readable name.
    pub name: String,
    /// The path of the executable or library.
    pub object: String,
    /// The number of symbols with this name.
    pub symbols: u32,
    /// Its own count, for each program.
    pub counts: Vec<Range>,
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
    pub fate: Option<FatePart>,
    /// Its lines, if there is debug information: for the first functions, those that changed most.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lines: Vec<LinePart>,
}

/// A function that only one program has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FatePart {
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinePart {
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

impl InstructionsPart {
    /// Checks that the parts agree.
    ///
    /// # Errors
    ///
    /// The first part that contradicts another.
    pub fn check(&self) -> Result<(), ReadError> {
        let count = self.variants.len();
        if !(1..=2).contains(&count) {
            let (part, what) = ("instructions.variants", "programs at most");
            return Err(ReadError::Length { part, what, found: count, count: 2 });
        }
        let functions = || self.functions.iter();
        let ranges = functions().flat_map(|function| &function.counts);
        let ranges = ranges.chain(self.variants.iter().map(|variant| &variant.total));
        if ranges.into_iter().any(|range| range.low > range.high) {
            let (part, what) = ("instructions", "counts, the least before the most");
            return Err(ReadError::Unordered { part, what });
        }
        let lines = functions().flat_map(|function| &function.lines);
        let counts = functions().map(|function| function.counts.len());
        let stacks = self.stacks.iter().flat_map(|part| &part.stacks);
        let counts = counts.chain(lines.map(|line| line.counts.len()));
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

/// A program's name, its runs, and the text of its sources.
#[derive(Clone, Copy)]
pub struct ProfiledProgram<'a> {
    /// The command, or the file.
    pub name: &'a str,
    /// The runs.
    pub measured: &'a ProgramCounts,
    /// The text of a line.
    pub text: crate::explain::instructions::lines::Text<'a>,
}

impl<'a> ProfiledProgram<'a> {
    fn side(&self) -> Side<'a> {
        Side { counts: self.measured.first(), text: self.text }
    }

    fn part(&self) -> VariantPart {
        VariantPart {
            name: self.name.to_owned(),
            runs: self.measured.runs.len(),
            program: self.measured.first().program.clone(),
            total: self.measured.total(),
            exact: self.measured.is_exact(),
        }
    }
}

impl InstructionsPart {
    /// The counts of one program.
    pub fn of_one(program: ProfiledProgram<'_>, notes: Vec<String>) -> Self {
        let nothing = ProgramCounts { runs: vec![empty(program.measured.first())] };
        let mut functions = changes(&nothing, program.measured);
        functions.sort_by_key(|function| std::cmp::Reverse(function.after.middle()));
        let total = program.measured.total().middle();
        let inclusive = inclusive(program.measured.first());
        let parts = functions.iter().enumerate().map(|(place, function)| FunctionPart {
            counts: vec![function.after],
            share: share(i128::from(function.after.middle()), i128::from(total)),
            inclusive: inclusive(function),
            lines: match place < LOOKED_INTO {
                true => line_parts(costly_lines(&function.name, program.side()), 1),
                false => Vec::new(),
            },
            ..function_part(function)
        });
        Self::from_programs(&[program], parts.collect(), notes)
    }

    /// The changes from one program to the other.
    pub fn of_two(
        before: ProfiledProgram<'_>,
        after: ProfiledProgram<'_>,
        notes: Vec<String>,
    ) -> Self {
        let functions = changes(before.measured, after.measured);
        let middle = |program: ProfiledProgram<'_>| i128::from(program.measured.total().middle());
        let total = middle(after) - middle(before);
        let inclusive = inclusive(after.measured.first());
        let parts = functions.iter().enumerate().map(|(place, function)| FunctionPart {
            counts: vec![function.before, function.after],
            change: Some(i64::try_from(function.change()).unwrap_or(i64::MAX)),
            certain: Some(function.is_certain()),
            share: share(function.change(), total),
            relative: share(function.change(), middle(before)),
            inclusive: inclusive(function),
            fate: fate_part(function),
            lines: match place < LOOKED_INTO && function.change() != 0 {
                true => line_parts(changed_lines(&function.name, before.side(), after.side()), 2),
                false => Vec::new(),
            },
            ..function_part(function)
        });
        Self::from_programs(&[before, after], parts.collect(), notes)
    }

    fn from_programs(
        programs: &[ProfiledProgram<'_>],
        functions: Vec<FunctionPart>,
        notes: Vec<String>,
    ) -> Self {
        let newest = programs[programs.len() - 1].measured.first();
        Self {
            event: newest.event.clone(),
            variants: programs.iter().map(ProfiledProgram::part).collect(),
            functions,
            no_inclusive: newest.inclusive.as_ref().err().cloned(),
            notes,
            stacks: None,
        }
    }
}

/// A run without any executed instruction.
fn empty(like: &Counts) -> Counts {
    Counts {
        event: like.event.clone(),
        total: 0,
        functions: Vec::new(),
        files: Vec::new(),
        lines: Vec::new(),
        calls: Vec::new(),
        inclusive: Ok(Vec::new()),
        has_ghc: false,
        program: like.program.clone(),
        remarks: Vec::new(),
    }
}

fn function_part(function: &Change) -> FunctionPart {
    FunctionPart {
        name: function.name.clone(),
        object: function.object.clone(),
        symbols: function.symbols,
        ..FunctionPart::default()
    }
}

/// The inclusive counts of functions, by name and object; `None` if unknown.
fn inclusive(counts: &Counts) -> impl Fn(&Change) -> Option<u64> {
    let all = counts.inclusive.as_deref().unwrap_or_default();
    let known: HashMap<_, _> = counts
        .functions
        .iter()
        .zip(all)
        .map(|(known, count)| ((known.name.clone(), file_name(&known.object).to_owned()), *count))
        .collect();
    move |function| {
        known.get(&(function.name.clone(), file_name(&function.object).to_owned())).copied()
    }
}

fn share(part: i128, whole: i128) -> Option<f64> {
    (whole != 0).then(|| part as f64 / whole as f64)
}

fn line_parts(lines: Vec<LineChange>, programs: usize) -> Vec<LinePart> {
    /// This many lines show the place; the rest is in the source.
    const MOST_LINES: usize = 20;
    let changed = lines.into_iter().filter(|line| line.before != line.after);
    let part = |line: LineChange| LinePart {
        file: line.file.display().to_string(),
        before_line: line.line.0,
        line: line.line.1,
        text: line.text,
        counts: [line.before, line.after][2 - programs..].to_vec(),
    };
    changed.take(MOST_LINES).map(part).collect()
}

fn fate_part(function: &Change) -> Option<FatePart> {
    let (what, verb, elsewhere) = match &function.fate {
        Fate::Both => return None,
        Fate::Vanished(elsewhere) => ("vanished", ("no longer runs by itself", "now"), elsewhere),
        Fate::Appeared(elsewhere) => ("appeared", ("runs by itself now", "before"), elsewhere),
    };
    let name = &function.name;
    let (state, when) = verb;
    let (sentence, evidence) = match elsewhere {
        None => (
            format!(
                "`{name}` {what}: {} has no function of this name that runs",
                if what == "vanished" { "the new program" } else { "the old program" }
            ),
            None,
        ),
        Some(Elsewhere { function: host, evidence: Evidence::Lines { there, of } }) => (
            format!(
                "`{name}` {state}: {there} of its {of} source lines run in `{host}` {when}, where \
                 it is inlined"
            ),
            Some("lines"),
        ),
        Some(Elsewhere { function: host, evidence: Evidence::Caller { calls, more } }) => (
            format!(
                "`{name}` {state}; perhaps it is inlined in `{host}` {when}, from where {} of its \
                 calls came, and which executes {} itself",
                grouped(*calls),
                match more {
                    0 => "as much".to_owned(),
                    1.. => format!("{} more", grouped(more.unsigned_abs())),
                    _ => format!("{} less", grouped(more.unsigned_abs())),
                },
            ),
            Some("caller"),
        ),
    };
    Some(FatePart {
        what: what.to_owned(),
        elsewhere: elsewhere.as_ref().map(|elsewhere| elsewhere.function.clone()),
        evidence: evidence.map(str::to_owned),
        sentence,
    })
}
