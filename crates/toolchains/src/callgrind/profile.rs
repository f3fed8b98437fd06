//! The contents of a profile.

use super::names::Name;

/// The costs of one run of one process, by function, line and call, in one event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    /// The event of all costs here, such as `Ir`.
    pub event: String,
    /// All events of the file.
    pub events: Vec<String>,
    /// The command, as callgrind writes it; empty if the file does not give it.
    pub command: String,
    /// The process id, if the file gives it.
    pub process: Option<u64>,
    /// Every function that the file mentions.
    pub functions: Vec<Function>,
    /// The costs of lines, by function, file and line; each once.
    pub lines: Vec<LineCost>,
    /// The calls, by caller and callee; each pair once.
    pub calls: Vec<Call>,
    /// The totals that each part of the file states, and the sums of its lines.
    pub parts: Vec<Part>,
    /// The first of the lines that could not be read.
    pub problems: Vec<Problem>,
    /// The number of lines that could not be read.
    pub unread_lines: u64,
    pub(super) objects: Vec<String>,
    pub(super) files: Vec<String>,
    pub(super) names: Vec<String>,
}

/// A function, distinguished as in the file: by object, source file and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The executable or library that it is in.
    pub object: Name,
    /// The source file that it is defined in.
    pub file: Name,
    /// Its name, as the file has it.
    pub name: Name,
    /// The cost of its own instructions, without those of its callees.
    pub self_cost: u64,
}

/// The cost of one line within one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineCost {
    /// The index of the function.
    pub function: u32,
    /// The source file of the line; differs from the function's if the code was inlined.
    pub file: Name,
    /// The line, from 1; 0 if unknown.
    pub line: u64,
    /// The cost.
    pub cost: u64,
}

/// All calls of one function by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// The index of the caller.
    pub caller: u32,
    /// The index of the callee.
    pub callee: u32,
    /// The number of calls.
    pub count: u64,
    /// The cost of the calls, including everything that they called.
    pub inclusive_cost: u64,
}

/// The totals that a part of the file states, and the sum that was read.
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
    /// The line number, from 1.
    pub line: u64,
    /// The fault.
    pub what: &'static str,
}

/// The comparison of the costs that were read with the totals that the file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Exactly equal.
    Exact,
    /// The lines add up to something else.
    Differs {
        /// The total that the file states.
        stated: u64,
        /// The sum of its lines.
        read: u64,
    },
    /// The file states no total; it may be cut off.
    NotStated,
}

/// The reason that the file has no profile.
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
    /// The cost of all functions together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.parts.iter().map(|part| part.read).sum()
    }

    /// The path of an object.
    #[must_use]
    pub fn object(&self, name: Name) -> &str {
        &self.objects[name.0 as usize]
    }

    /// The path of a source file; `???` if unknown.
    #[must_use]
    pub fn file(&self, name: Name) -> &str {
        &self.files[name.0 as usize]
    }

    /// The name of a function, as the file has it.
    #[must_use]
    pub fn name(&self, name: Name) -> &str {
        &self.names[name.0 as usize]
    }

    /// Compares the costs that were read with the totals that the file states. Calls do not count:
    /// their costs are those of other functions.
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
