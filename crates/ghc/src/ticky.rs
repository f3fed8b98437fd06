//! GHC's ticky-ticky counters: the entries and the allocations of each closure.
//!
//! A program compiled with `-ticky` writes them with `+RTS -r`. The file has a summary, a table
//! with a row for each closure, and counters of the whole program. Names in the table are cut to
//! the lowest eight bits of each character (GHC 8.8 to 9.10), so the file is Latin-1 at best.
//!
//! Two figures may be wrong, and are then missing here, with the reason. Without `-ticky-allocd`
//! the allocated bytes of each closure were not counted, and the table has zeros. And GHC 9.6.6
//! adds those bytes to the entries instead, so that both are unknown; it shows, because
//! constructors are never entered.
//!
//! A row belongs to a binding of Core. Names that are visible outside their module are the same in
//! both; for the others, name and unique are. GHC names local bindings and the parts of expressions
//! that it binds (`sat_...`) in its pass CorePrep, so only the dump of that pass (`-ddump-prep`) of
//! the very same compilation knows them.

use std::collections::HashMap;

use super::core::Dump;
use super::core::names::{module, occurrence};
use super::core::tree::{Binding, Id};

/// The counters of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// The closures, in the order of the table.
    pub closures: Vec<Closure>,
    /// The counters of the whole program, by name, such as `UNKNOWN_CALL_ctr`.
    pub counters: HashMap<String, u64>,
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closure {
    /// The name as in Core: with its module if visible outside it, otherwise with its unique.
    pub name: String,
    /// Its unique.
    pub unique: Option<String>,
    /// The module that contains its code.
    pub module: Option<String>,
    /// Its kind.
    pub kind: Kind,
    /// Set if it is entered at most once (`se`), as far as GHC knows.
    pub single_entry: bool,
    /// The unique of the closure whose code allocates it.
    pub parent: Option<String>,
    /// The number of its arguments that are passed in registers or on the stack.
    pub arity: u32,
    /// A letter for each of those: GHC's abbreviation for the way it is passed.
    pub arguments: String,
    /// The number of its entries.
    pub entries: Result<u64, Missing>,
    /// The bytes that its code allocated, for any closures.
    pub allocates_bytes: u64,
    /// The bytes allocated for the closure itself.
    pub allocated_bytes: Result<u64, Missing>,
}

/// The kind of a closure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A function.
    Function,
    /// A thunk.
    Thunk,
    /// A constructor application; with its name, which GHC 8 omits.
    Constructor(Option<String>),
    /// Code without a closure: a join point, or a loop.
    LetNoEscape,
    /// Another kind, in GHC's word for it.
    Other(String),
}

/// The reason why a figure is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// No closure has allocated bytes.
    #[error("allocated bytes were not counted; that takes `-ticky-allocd`")]
    NotCounted,
    /// Entries and allocated bytes are one sum.
    #[error(
        "GHC added allocated bytes to entries, as 9.6.6 does with `-ticky-allocd`; without that option entries are right"
    )]
    Mixed,
}

/// The reason why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TickyError {
    /// The table is missing.
    #[error("there is no table of closures, as GHC's ticky counters have it")]
    NoTable,
    /// The counters after the table are missing.
    #[error("the ticky counters are cut off; the program was ended before it had written them")]
    CutOff,
    /// A row is malformed.
    #[error("line {line} of the ticky counters is no row of their table: `{row}`")]
    Row {
        /// The line, from 1.
        line: usize,
        /// The row.
        row: String,
    },
}

/// Reads the file that a program wrote.
///
/// # Errors
///
/// When the table is missing or has no end, or one of its rows is malformed.
pub fn read(bytes: &[u8]) -> Result<Profile, TickyError> {
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let mut lines = text.lines().enumerate().map(|(place, line)| (place + 1, line));
    let is_head =
        |line: &str| line.trim_start().starts_with("Entries") && line.contains("STG Name");
    let (_, head) = lines.by_ref().find(|(_, line)| is_head(line)).ok_or(TickyError::NoTable)?;
    let ends = ["Entries", "Alloc", "Alloc'd"]
        .map(|word| head.find(&format!("{word} ")).map_or(0, |at| at + word.len()));
    let mut profile = Profile::default();
    let mut is_ended = false;
    for (place, line) in lines {
        if line.starts_with("***") {
            is_ended = true;
        } else if is_ended {
            profile.counters.extend(counter(line));
        } else if !line.trim().is_empty() && !line.starts_with("---") {
            let row = || TickyError::Row { line: place, row: line.trim().to_owned() };
            profile.closures.push(closure(line, ends).ok_or_else(row)?);
        }
    }
    // The last counters of every version.
    if !profile.counters.contains_key("GC_FAILED_PROMOTION_ctr") {
        return Err(TickyError::CutOff);
    }
    mark_missing(&mut profile);
    Ok(profile)
}

/// Parses `  200017 UNKNOWN_CALL_ctr`.
fn counter(line: &str) -> Option<(String, u64)> {
    let mut words = line.split_whitespace();
    let count = words.next()?.parse().ok()?;
    // GHC has a mistake in the name of one of them.
    Some((words.next()?.replace('!', ""), count))
}

fn closure(line: &str, ends: [usize; 3]) -> Option<Closure> {
    let ([entries, allocates, allocated], rest) = figures(line, ends)?;
    let (arity, mut rest) = word(rest)?;
    let arity: u32 = arity.parse().ok()?;
    let mut arguments = "";
    if arity > 0 {
        (arguments, rest) = word(rest)?;
    }
    let rest = rest.trim();
    let (described, parent) = match rest.rsplit_once(" in ") {
        Some((described, parent)) if described.ends_with(')') => (described, Some(parent)),
        _ => (rest, None),
    };
    let (named, kind, single_entry) = kind_of(described)?;
    let (named, module) = match named.strip_suffix(')').and_then(|named| named.rsplit_once(" (")) {
        Some((named, module)) => (named, Some(without_package(module).to_owned())),
        None => (named, None),
    };
    let (stem, braces) = named.strip_suffix('}')?.rsplit_once('{')?;
    let unique = braces.split(' ').next_back().filter(|unique| *unique != braces);
    let is_external = module.is_none();
    let name = match (is_external, unique) {
        (true, _) => without_package(stem).to_owned(),
        (false, Some(unique)) => format!("{stem}_{unique}"),
        (false, None) => stem.to_owned(),
    };
    let of_name = super::core::names::split_unique(&name).map(|(_, unique)| unique.to_owned());
    let in_name = super::core::names::module(&name).map(str::to_owned);
    Some(Closure {
        unique: unique.map(str::to_owned).or(if is_external { None } else { of_name }),
        module: module.or(in_name),
        kind,
        single_entry,
        parent: parent.map(str::to_owned),
        arity,
        arguments: arguments.to_owned(),
        entries: Ok(entries),
        allocates_bytes: allocates,
        allocated_bytes: Ok(allocated),
        name,
    })
}

/// The three figures of a row, and the rest of it. Up to GHC 9.0 columns are only separated by
/// their width, so that one of eleven digits touches the one before it; then they end at the ends
/// of their heads.
fn figures(line: &str, ends: [usize; 3]) -> Option<([u64; 3], &str)> {
    let by_blanks = || {
        let (entries, rest) = word(line)?;
        let (allocates, rest) = word(rest)?;
        let (allocated, rest) = word(rest)?;
        word(rest)?.0.parse::<u32>().ok()?;
        Some(([entries, allocates, allocated], rest))
    };
    let by_columns = || {
        let columns =
            [line.get(..ends[0])?, line.get(ends[0]..ends[1])?, line.get(ends[1]..ends[2])?];
        Some((columns.map(str::trim), line.get(ends[2]..)?))
    };
    let (columns, rest) = by_blanks().or_else(by_columns)?;
    let [entries, allocates, allocated] = columns.map(|column| column.parse().ok());
    Some(([entries?, allocates?, allocated?], rest))
}

/// The first word of a line, and the rest after it.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace)?;
    Some((&text[..end], &text[end..]))
}

/// The part before the last brackets, and the contents of these: the kind, and the flag for at most
/// one entry.
fn kind_of(described: &str) -> Option<(&str, Kind, bool)> {
    let inside = described.strip_suffix(')')?;
    let begin = [" (con:", " (con", " (fun", " (thk", " (LNE", " (fv", " ("]
        .iter()
        .find_map(|begin| inside.rfind(begin))?;
    let (named, word) = (&described[..begin], &inside[begin + " (".len()..]);
    if let Some(constructor) = word.strip_prefix("con:") {
        let name = constructor.rsplit_once('{').map_or(constructor, |(name, _)| name).trim();
        return Some((named, Kind::Constructor(Some(without_package(name).to_owned())), false));
    }
    let mut words = word.split(',');
    let kind = match words.next()? {
        "fun" => Kind::Function,
        "thk" => Kind::Thunk,
        "con" => Kind::Constructor(None),
        "LNE" => Kind::LetNoEscape,
        other => Kind::Other(other.to_owned()),
    };
    Some((named, kind, words.any(|word| word == "se")))
}

/// GHC 8 has the package before names of modules: `main:Main.f`, and `main::Main.main`.
fn without_package(name: &str) -> &str {
    match name.split_once(':') {
        Some((package, rest))
            if package.starts_with(|first: char| first.is_ascii_lowercase())
                && rest.starts_with(|first: char| first.is_ascii_uppercase() || first == ':')
                && !package.contains('.') =>
        {
            rest
        }
        _ => name,
    }
}

/// Removes wrong figures.
fn mark_missing(profile: &mut Profile) {
    let closures = &mut profile.closures;
    if closures.iter().any(|closure| closure.allocated_bytes.is_ok_and(|bytes| bytes > 0)) {
        return;
    }
    let counted = |counters: &HashMap<String, u64>, part: &str| -> u64 {
        counters.iter().filter(|(name, _)| name.contains(part)).map(|(_, count)| count).sum()
    };
    let entered = |of: fn(&Kind) -> bool| -> u64 {
        let rows = closures.iter().filter(|closure| of(&closure.kind));
        rows.filter_map(|closure| closure.entries.ok()).sum()
    };
    let constructors = entered(|kind| matches!(kind, Kind::Constructor(_)));
    let thunks = entered(|kind| *kind == Kind::Thunk);
    let is_mixed = constructors > 0
        || thunks > counted(&profile.counters, "_THK_") + counted(&profile.counters, "CAF_BH");
    let reason = if is_mixed { Missing::Mixed } else { Missing::NotCounted };
    for closure in closures {
        closure.allocated_bytes = Err(reason);
        if is_mixed {
            closure.entries = Err(reason);
        }
    }
}

/// A binding of one of several dumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of the dump, from 0.
    pub dump: usize,
    /// The binding.
    pub binding: Id<Binding>,
}

/// The binding of each closure of a profile in the dumps of the named modules; `None` if no dump has
/// it.
pub fn join(profile: &Profile, dumps: &[(&str, &Dump)]) -> Vec<Option<Place>> {
    let mut bindings = HashMap::new();
    for (number, (in_module, dump)) in dumps.iter().enumerate() {
        let core = &dump.core;
        for binding in core.bindings.ids() {
            let name = core.text(core.bindings[binding].name);
            let place = Place { dump: number, binding };
            // A module's own names may come without it.
            let full = match module(name) {
                Some(_) => name.to_owned(),
                None => format!("{in_module}.{name}"),
            };
            bindings.insert(as_latin(&full), place);
        }
    }
    let find = |closure: &Closure| -> Option<Place> {
        let name = &closure.name;
        let in_module = closure.module.as_deref()?;
        let full = match module(name) {
            Some(_) => name.clone(),
            None if name.starts_with(':') => name.clone(),
            None => format!("{in_module}.{name}"),
        };
        let with_unique = || {
            let unique = closure.unique.as_deref()?;
            bindings.get(&format!("{in_module}.{}_{unique}", occurrence(name))).copied()
        };
        bindings.get(&full).copied().or_else(with_unique)
    };
    profile.closures.iter().map(find).collect()
}

/// A name as in the profile: the lowest eight bits of each character.
fn as_latin(name: &str) -> String {
    name.chars().map(|letter| char::from(letter as u32 as u8)).collect()
}
