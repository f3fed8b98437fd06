//! What was read of a file.

use super::names::Name;

/// What one run of one process cost, by function, line and call, in one event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    /// The event of all costs here, such as `Ir`.
    pub event: String,
    /// All events of the file.
    pub events: Vec<String>,
    /// The command that was run, as callgrind writes it; empty where it does not say.
    pub command: String,
    /// The process, where it is said.
    pub process: Option<u64>,
    /// Every function that something was said of.
    pub functions: Vec<Function>,
    /// The costs of lines, by function, file and line; each once.
    pub lines: Vec<LineCost>,
    /// The calls, by caller and callee; each pair once.
    pub calls: Vec<Call>,
    /// What each part of the file says that it costs, and what its lines add up to.
    pub parts: Vec<Part>,
    /// The first of the lines that could not be read.
    pub problems: Vec<Problem>,
    /// How many lines could not be read.
    pub unread_lines: u64,
    pub(super) objects: Vec<String>,
    pub(super) files: Vec<String>,
    pub(super) names: Vec<String>,
}

/// A function, as the file tells them apart: by object, source file and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The executable or library that it is in.
    pub object: Name,
    /// The source file that it is defined in.
    pub file: Name,
    /// Its name, as the file has it.
    pub name: Name,
    /// What its own instructions cost, without those of what it calls.
    pub self_cost: u64,
}

/// What one line cost within one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineCost {
    /// The function, by its place.
    pub function: u32,
    /// The source file of the line; not the function's where the code was inlined into it.
    pub file: Name,
    /// The line, from 1; 0 where it is not known.
    pub line: u64,
    /// What it cost.
    pub cost: u64,
}

/// All calls of one function by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// Who calls, by its place.
    pub caller: u32,
    /// Who is called.
    pub callee: u32,
    /// How often.
    pub count: u64,
    /// What the calls cost, with all that they called.
    pub inclusive_cost: u64,
}

/// What a part of the file says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Part {
    /// The line `summary:`.
    pub summary: Option<u64>,
    /// The line `totals:`, which callgrind writes last.
    pub totals: Option<u64>,
    /// The sum of the costs that were read.
    pub read: u64,
}

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub what: &'static str,
}

/// Whether what was read is what the file says it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// To the instruction.
    Exact,
    /// The lines add up to something else.
    Differs {
        /// What the file says.
        stated: u64,
        /// What its lines add up to.
        read: u64,
    },
    /// The file does not say what it adds up to; it may be cut off.
    NotStated,
}

/// Why there is no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum CallgrindError {
    #[error("it names no events, so it is not output of callgrind")]
    NoEvents,
    #[error("it does not count `{event}`, only {}", counted.join(", "))]
    NoEvent { event: String, counted: Vec<String> },
    #[error("line {line}: the events change within the file")]
    OtherEvents { line: u64 },
    #[error("line {line}: the costs need more than 64 bits")]
    Overflow { line: u64 },
    #[error("there are no costs in it: the program was ended before callgrind could write them")]
    NoCosts,
}

impl Profile {
    /// What all functions cost together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.parts.iter().map(|part| part.read).sum()
    }

    /// The path of an object.
    #[must_use]
    pub fn object(&self, name: Name) -> &str {
        &self.objects[name.0 as usize]
    }

    /// The path of a source file; `???` where it is not known.
    #[must_use]
    pub fn file(&self, name: Name) -> &str {
        &self.files[name.0 as usize]
    }

    /// The name of a function, as the file has it.
    #[must_use]
    pub fn name(&self, name: Name) -> &str {
        &self.names[name.0 as usize]
    }

    /// Whether what was read is what the file says it holds. Calls do not count: their costs are
    /// those of other functions.
    #[must_use]
    pub fn agreement(&self) -> Agreement {
        let stated = self.parts.iter().map(|part| part.totals.or(part.summary));
        let read = self.total();
        match stated.sum::<Option<u64>>() {
            Some(stated) if stated == read => Agreement::Exact,
            Some(stated) => Agreement::Differs { stated, read },
            None => Agreement::NotStated,
        }
    }
}
