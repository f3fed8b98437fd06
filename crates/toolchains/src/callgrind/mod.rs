//! Callgrind's counts: instructions executed by function and by line, and the calls between
//! functions.
//!
//! Format: the manual of Valgrind 3.19, "Callgrind Format Specification". A file has parts, one for
//! each dump; a part has a header, then cost lines below lines that name object, file and function.
//! Names are given once and then by number; positions are relative to those of the line before.
//! Cachegrind's files have the same form, without calls.
//!
//! Costs are those of one event, by default `Ir`, the instructions. Self costs are exact. Inclusive
//! costs are what calls cost until they returned, and are meaningless in programs whose calls do
//! not return, such as those of GHC.

mod number;
mod reader;

use std::collections::HashMap;

pub use reader::Reader;

// Costs of functions including everything that they call, where these are meaningful.

/// The reason that inclusive costs are meaningless here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoInclusive {
    /// The file has no calls.
    NoCalls,
    /// A function would cost more than the whole program: calls do not return where callgrind
    /// expects it (tail calls), or recursion was counted several times.
    BeyondTheTotal,
}

impl std::fmt::Display for NoInclusive {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::NoCalls => "the profile has no calls",
            Self::BeyondTheTotal => {
                "calls do not return to their callers (tail calls), so that a function would cost \
                 more than the whole program"
            }
        })
    }
}

/// The cost of each function including everything that it calls, indexed like the functions; a
/// deeper level of recursion (`f'2`) is part of `f`.
///
/// # Errors
///
/// When inclusive costs would be meaningless.
pub fn inclusive(profile: &Profile) -> Result<Vec<u64>, NoInclusive> {
    if profile.calls.is_empty() {
        return Err(NoInclusive::NoCalls);
    }
    let mut costs: Vec<u64> = profile.functions.iter().map(|f| f.self_cost).collect();
    for call in &profile.calls {
        let cost = &mut costs[call.caller as usize];
        *cost = cost.saturating_add(call.inclusive_cost);
    }
    let is_first_level = |place: usize| {
        let name = profile.name(profile.functions[place].name);
        !name.contains('\'')
    };
    let total = profile.total();
    match costs.iter().enumerate().any(|(place, &cost)| cost > total && is_first_level(place)) {
        true => Err(NoInclusive::BeyondTheTotal),
        false => Ok(costs),
    }
}

// Names of objects, files and functions, each stored once, and their numbers in the file.

/// A name of a profile: its index among the names of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub(super) u32);

/// The names of one kind.
#[derive(Debug, Default)]
struct Names {
    texts: Vec<String>,
    places: HashMap<Box<[u8]>, Name>,
    /// The names behind the file's numbers.
    numbered: Numbered,
}

/// Names by number. Callgrind counts from 0, so nearly all numbers are small.
#[derive(Debug, Default)]
struct Numbered {
    near: Vec<Option<Name>>,
    far: HashMap<u64, Name>,
}

/// Numbers below this, or below twice the length of the vector, go into the vector.
const NEAR: usize = 1 << 16;

impl Numbered {
    fn get(&self, number: u64) -> Option<Name> {
        let near = usize::try_from(number).ok().and_then(|number| self.near.get(number));
        near.copied().flatten().or_else(|| self.far.get(&number).copied())
    }

    fn set(&mut self, number: u64, name: Name) {
        let limit = NEAR.max(2 * self.near.len());
        match usize::try_from(number) {
            Ok(near) if near < limit => {
                if self.near.len() <= near {
                    self.near.resize(near + 1, None);
                }
                self.near[near] = Some(name);
            }
            _ => _ = self.far.insert(number, name),
        }
    }
}

/// The placeholder for an unknown name, as in callgrind's own files.
const UNKNOWN: &str = "???";

impl Names {
    /// The name that `text`, the part after the `=`, refers to: `(12) main`, `(12)` or `main`;
    /// `None` if its number was never given a name.
    fn read(&mut self, text: &[u8]) -> Option<Name> {
        let text = number::skip_blanks(text);
        let Some((id, name)) = numbered(text) else { return Some(self.keep(text)) };
        if name.is_empty() {
            return self.numbered.get(id);
        }
        let name = self.keep(name);
        self.numbered.set(id, name);
        Some(name)
    }

    /// Stores a name and returns its index; names are equal if their bytes are.
    fn keep(&mut self, bytes: &[u8]) -> Name {
        if let Some(name) = self.places.get(bytes) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).expect("fewer names than bytes of memory"));
        self.texts.push(String::from_utf8_lossy(bytes).into_owned());
        self.places.insert(bytes.into(), name);
        name
    }

    fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

/// The number and the rest of `(12) rest`. A name may begin with a bracket, too: `(below main)`.
fn numbered(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut rest = text.strip_prefix(b"(")?;
    let id = number::take(&mut rest)?;
    Some((id, number::skip_blanks(rest.strip_prefix(b")")?)))
}

// The contents of a profile.

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
    objects: Vec<String>,
    files: Vec<String>,
    names: Vec<String>,
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
