//! Instructions by function, as shown and exported.

use std::collections::HashMap;

use words::quantity::grouped;

use super::difference::{Change, ProgramCounts, changes};
use super::fate::{Elsewhere, Evidence, Fate};
use super::lines::{LineChange, Side, changed_lines, costly_lines};
use super::profiling::Counts;
use findings::instructions::file_name;
use findings::instructions::{
    CountedFunction, CountedLine, CountedProgram, FunctionFate, InstructionCounts,
};

/// The largest number of functions examined line by line.
const LOOKED_INTO: usize = 5;

/// A program's name, its runs, and the text of its sources.
#[derive(Clone, Copy)]
pub struct ProfiledProgram<'a> {
    /// The command, or the file.
    pub name: &'a str,
    /// The runs.
    pub measured: &'a ProgramCounts,
    /// The text of a line.
    pub text: super::lines::Text<'a>,
}

impl<'a> ProfiledProgram<'a> {
    fn side(&self) -> Side<'a> {
        Side { counts: self.measured.first(), text: self.text }
    }

    fn part(&self) -> CountedProgram {
        CountedProgram {
            name: self.name.to_owned(),
            runs: self.measured.runs.len(),
            program: self.measured.first().program.clone(),
            total: self.measured.total(),
            exact: self.measured.is_exact(),
        }
    }
}

/// The counts of one program.
pub fn of_one(program: ProfiledProgram<'_>, notes: Vec<String>) -> InstructionCounts {
    let nothing = ProgramCounts { runs: vec![empty(program.measured.first())] };
    let mut functions = changes(&nothing, program.measured);
    functions.sort_by_key(|function| std::cmp::Reverse(function.after.middle()));
    let total = program.measured.total().middle();
    let inclusive = inclusive(program.measured.first());
    let parts = functions.iter().enumerate().map(|(place, function)| CountedFunction {
        counts: vec![function.after],
        share: share(i128::from(function.after.middle()), i128::from(total)),
        inclusive: inclusive(function),
        lines: match place < LOOKED_INTO {
            true => line_parts(costly_lines(&function.name, program.side()), 1),
            false => Vec::new(),
        },
        ..function_part(function)
    });
    from_programs(&[program], parts.collect(), notes)
}

/// The changes from one program to the other.
pub fn of_two(
    before: ProfiledProgram<'_>,
    after: ProfiledProgram<'_>,
    notes: Vec<String>,
) -> InstructionCounts {
    let functions = changes(before.measured, after.measured);
    let middle = |program: ProfiledProgram<'_>| i128::from(program.measured.total().middle());
    let total = middle(after) - middle(before);
    let inclusive = inclusive(after.measured.first());
    let parts = functions.iter().enumerate().map(|(place, function)| CountedFunction {
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
    from_programs(&[before, after], parts.collect(), notes)
}

fn from_programs(
    programs: &[ProfiledProgram<'_>],
    functions: Vec<CountedFunction>,
    notes: Vec<String>,
) -> InstructionCounts {
    let newest = programs[programs.len() - 1].measured.first();
    InstructionCounts {
        event: newest.event.clone(),
        variants: programs.iter().map(ProfiledProgram::part).collect(),
        functions,
        no_inclusive: newest.inclusive.as_ref().err().cloned(),
        notes,
        stacks: None,
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

fn function_part(function: &Change) -> CountedFunction {
    CountedFunction {
        name: function.name.clone(),
        object: function.object.clone(),
        symbols: function.symbols,
        ..CountedFunction::default()
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

fn line_parts(lines: Vec<LineChange>, programs: usize) -> Vec<CountedLine> {
    /// This many lines show the place; the rest is in the source.
    const MOST_LINES: usize = 20;
    let changed = lines.into_iter().filter(|line| line.before != line.after);
    let part = |line: LineChange| CountedLine {
        file: line.file.display().to_string(),
        before_line: line.line.0,
        line: line.line.1,
        text: line.text,
        counts: [line.before, line.after][2 - programs..].to_vec(),
    };
    changed.take(MOST_LINES).map(part).collect()
}

fn fate_part(function: &Change) -> Option<FunctionFate> {
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
    Some(FunctionFate {
        what: what.to_owned(),
        elsewhere: elsewhere.as_ref().map(|elsewhere| elsewhere.function.clone()),
        evidence: evidence.map(str::to_owned),
        sentence,
    })
}
