//! Instructions by function, as shown and exported, with the source lines of the functions that
//! matter most.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use findings::instructions::{
    ALLOCATED_BYTES, CountedFunction, CountedLine, CountedProgram, FunctionFate, InstructionCounts,
    Range, file_name,
};
use words::quantity::grouped;

use super::difference::{Change, Elsewhere, Evidence, Fate, ProgramCounts, changes};
use super::profiling::Counts;

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
    pub text: Text<'a>,
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
            blocks: self.measured.blocks(),
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
        blocks: blocks(program, &function.blocks[1..]),
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
        blocks: blocks(after, &function.blocks),
        change: Some(i64::try_from(function.change()).unwrap_or(i64::MAX)),
        certain: Some(function.is_certain()),
        share: share(function.change(), total),
        relative: share(function.change(), middle(before)),
        inclusive: inclusive(function),
        fate: fate_part(function, verbs(after.measured.first())),
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
pub(crate) fn empty(like: &Counts) -> Counts {
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

/// The blocks of a function, if a program's allocations were counted.
fn blocks(program: ProfiledProgram<'_>, blocks: &[Range]) -> Vec<Range> {
    program.measured.blocks().map(|_| blocks.to_vec()).unwrap_or_default()
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

pub(crate) fn line_parts(lines: Vec<LineChange>, programs: usize) -> Vec<CountedLine> {
    /// This many lines show the place; the rest is in the source.
    const MOST_LINES: usize = 20;
    let changed = lines.into_iter().filter(|line| line.before != line.after);
    let part = |line: LineChange| CountedLine {
        file: line.file,
        before_line: line.line.0,
        line: line.line.1,
        text: line.text,
        counts: [line.before, line.after][2 - programs..].to_vec(),
    };
    changed.take(MOST_LINES).map(part).collect()
}

/// The verbs for counted functions and lines.
#[derive(Clone, Copy)]
pub(crate) struct Verbs {
    function: &'static str,
    lines: &'static str,
}

/// The verbs for executed code.
pub(crate) const RUNS: Verbs = Verbs { function: "runs", lines: "run" };

fn verbs(counts: &Counts) -> Verbs {
    match &*counts.event {
        ALLOCATED_BYTES => Verbs { function: "allocates", lines: "allocate" },
        _ => RUNS,
    }
}

pub(crate) fn fate_part(function: &Change, verbs: Verbs) -> Option<FunctionFate> {
    let Verbs { function: verb, lines } = verbs;
    let (what, state, when, other, elsewhere) = match &function.fate {
        Fate::Both => return None,
        Fate::Vanished(elsewhere) => {
            ("vanished", format!("no longer {verb} by itself"), "now", "the new program", elsewhere)
        }
        Fate::Appeared(elsewhere) => {
            ("appeared", format!("{verb} by itself now"), "before", "the old program", elsewhere)
        }
    };
    let name = &function.name;
    let (sentence, evidence) = match elsewhere {
        None => {
            (format!("`{name}` {what}: {other} has no function of this name that {verb}"), None)
        }
        Some(Elsewhere { function: host, evidence: Evidence::Lines { there, of } }) => (
            format!(
                "`{name}` {state}: {there} of its {of} source lines {lines} in `{host}` {when}, where \
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

/// Returns the text of a line of a source file, from 1; `None` if it is unavailable.
pub type Text<'a> = &'a dyn Fn(&str, u64) -> Option<String>;

/// The events of one line within one function, on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineChange {
    /// The path of the source file.
    pub(super) file: String,
    /// The line number before, and after; `None` if it did not run.
    pub(super) line: (Option<u64>, Option<u64>),
    /// The text of the line.
    pub(super) text: Option<String>,
    /// The events before.
    pub(super) before: u64,
    /// The events after.
    pub(super) after: u64,
}

/// One program with the text of its sources.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    /// The counts of the program.
    pub(crate) counts: &'a Counts,
    /// The text of the sources.
    pub(crate) text: Text<'a>,
}

/// The lines of the function `name`, largest change first. Lines are matched by text, because they
/// move; if any text is unknown, by file name and number.
pub(crate) fn changed_lines(name: &str, before: Side<'_>, after: Side<'_>) -> Vec<LineChange> {
    let (old, new) = (lines_of(name, before), lines_of(name, after));
    let has_texts = old.iter().chain(&new).all(|line| line.text.is_some());
    let mut joined: BTreeMap<(String, String), LineChange> = BTreeMap::new();
    let sides = old.iter().map(|line| (line, true)).chain(new.iter().map(|line| (line, false)));
    for (line, is_old) in sides {
        let key = match &line.text {
            // The same file may have different names in the two programs.
            Some(text) if has_texts => (String::new(), text.clone()),
            _ => (file_name(&line.file).to_owned(), line.number.to_string()),
        };
        let change = joined.entry(key).or_insert_with(|| LineChange {
            file: line.file.clone(),
            line: (None, None),
            text: None,
            before: 0,
            after: 0,
        });
        // The newer text is the one that the user looks at.
        change.text = line.text.clone().or(change.text.take());
        if is_old {
            change.line.0.get_or_insert(line.number);
            change.before += line.count;
        } else {
            change.line.1.get_or_insert(line.number);
            change.after += line.count;
        }
    }
    let mut changes: Vec<LineChange> = joined.into_values().collect();
    changes.sort_by_key(|line| std::cmp::Reverse(line.before.abs_diff(line.after)));
    changes
}

/// One line of a function.
struct Line {
    file: String,
    number: u64,
    text: Option<String>,
    count: u64,
}

fn lines_of(name: &str, side: Side<'_>) -> Vec<Line> {
    let counts = side.counts;
    let mut lines = Vec::new();
    for (place, _) in counts.functions.iter().enumerate().filter(|(_, f)| f.name == name) {
        let first = counts.lines.partition_point(|line| line.function < place);
        let own = counts.lines[first..].iter().take_while(|line| line.function == place);
        for line in own.filter(|line| line.line > 0 && line.count > 0) {
            let file = &counts.files[line.file];
            lines.push(Line {
                file: file.clone(),
                number: line.line,
                text: (side.text)(file, line.line),
                count: line.count,
            });
        }
    }
    lines
}

/// The lines of a function in one program, costliest first.
pub(crate) fn costly_lines(name: &str, side: Side<'_>) -> Vec<LineChange> {
    let mut lines: Vec<LineChange> = lines_of(name, side)
        .into_iter()
        .map(|line| LineChange {
            file: line.file,
            line: (None, Some(line.number)),
            text: line.text,
            before: 0,
            after: line.count,
        })
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.after));
    lines
}

/// The maximum size of a source file, in bytes; anything larger is ignored.
const MOST_BYTES: u64 = 16 << 20;

/// Reads source files on demand.
#[derive(Debug)]
pub struct Sources {
    /// The folder of the command: paths may be relative to it.
    folder: PathBuf,
    /// The time of compilation; a newer source is not the compiled one.
    compiled: Option<SystemTime>,
    read: RefCell<HashMap<String, Option<Vec<String>>>>,
}

impl Sources {
    /// The sources of a program that was compiled into `object`, or counted in that file.
    pub fn in_folder(folder: &Path, object: &Path) -> Self {
        let compiled = fs::metadata(object).and_then(|about| about.modified()).ok();
        Self { folder: folder.to_owned(), compiled, read: RefCell::default() }
    }

    /// The text of a line, from 1, trimmed; `None` if it is unavailable.
    pub fn text(&self, file: &str, line: u64) -> Option<String> {
        let mut read = self.read.borrow_mut();
        if !read.contains_key(file) {
            read.insert(file.to_owned(), self.lines(file));
        }
        let lines = read.get(file)?.as_ref()?;
        let place = usize::try_from(line).ok()?.checked_sub(1)?;
        lines.get(place).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn lines(&self, file: &str) -> Option<Vec<String>> {
        let path = self.folder.join(file);
        let about = fs::metadata(&path).ok()?;
        let is_as_compiled = about.modified().ok()? <= self.compiled?;
        if !about.is_file() || about.len() > MOST_BYTES || !is_as_compiled {
            return None;
        }
        let text = fs::read(&path).ok()?;
        Some(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
    }
}
