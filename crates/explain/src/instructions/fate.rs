//! Functions that are in only one of two programs: whether they were inlined.

use std::collections::{HashMap, HashSet};

use super::difference::Change;
use super::profiling::{Counts, FunctionCount, NO_SYMBOL};
use findings::instructions::file_name;

/// The presence of a function on the two sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It ran on both sides.
    Both,
    /// It ran only before; with the place of its code now, if known.
    Vanished(Option<Elsewhere>),
    /// It ran only after; with the place of its code before, if known.
    Appeared(Option<Elsewhere>),
}

/// The place of a function's code on the other side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// The function that contains it.
    pub function: String,
    /// The evidence.
    pub evidence: Evidence,
}

/// The evidence for the place of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Its source lines run there, according to the debug information.
    Lines {
        /// The number of its lines that run there.
        there: usize,
        /// The number of its lines.
        of: usize,
    },
    /// Most of its calls came from there, and that function runs without it. A guess.
    Caller {
        /// The number of calls from there.
        calls: u64,
        /// The increase of the caller's own events; negative for a decrease.
        more: i64,
    },
}

/// The fate of this function.
pub(super) fn fate(change: &Change, before: &Counts, after: &Counts) -> Fate {
    match (change.before.high, change.after.high) {
        (_, 0) => Fate::Vanished(elsewhere(&change.old_object, &change.name, before, after)),
        (0, _) => Fate::Appeared(elsewhere(&change.object, &change.name, after, before)),
        _ => Fate::Both,
    }
}

/// As [`fate`], without a search for the code.
pub(super) fn fate_unsought(change: &Change) -> Fate {
    match (change.before.high, change.after.high) {
        (_, 0) => Fate::Vanished(None),
        (0, _) => Fate::Appeared(None),
        _ => Fate::Both,
    }
}

/// The place in `other` of the code of a function that only `own` has, by its object and name.
fn elsewhere(object: &str, name: &str, own: &Counts, other: &Counts) -> Option<Elsewhere> {
    let is_it = |function: &FunctionCount| function.name == name && function.object == object;
    let place = own.functions.iter().position(|function| function.count > 0 && is_it(function))?;
    by_lines(place, own, other).or_else(|| by_callers(place, own, other))
}

/// The function in which at least half of its lines run.
fn by_lines(place: usize, own: &Counts, other: &Counts) -> Option<Elsewhere> {
    let is_known = |path: &str, line: u64| line > 0 && path != "???";
    let first = own.lines.partition_point(|line| line.function < place);
    let lines: HashSet<(&str, u64)> = own.lines[first..]
        .iter()
        .take_while(|line| line.function == place)
        .filter(|line| is_known(&own.files[line.file], line.line))
        .map(|line| (file_name(&own.files[line.file]), line.line))
        .collect();
    // There may be millions of lines, so those of other files are skipped quickly.
    let names: HashSet<&str> = lines.iter().map(|(name, _)| *name).collect();
    let of_file = |path: &String| names.get(file_name(path)).copied();
    let files: Vec<Option<&str>> = other.files.iter().map(of_file).collect();
    let mut there: HashMap<usize, usize> = HashMap::new();
    for line in &other.lines {
        if files[line.file].is_some_and(|name| lines.contains(&(name, line.line))) {
            *there.entry(line.function).or_default() += 1;
        }
    }
    let name = |place: usize| &other.functions[place].name;
    let (host, count) = there
        .into_iter()
        .filter(|(host, _)| *name(*host) != own.functions[place].name)
        .max_by_key(|&(host, count)| (count, name(host)))?;
    let evidence = Evidence::Lines { there: count, of: lines.len() };
    (2 * count >= lines.len()).then(|| Elsewhere { function: name(host).clone(), evidence })
}

/// The function that most of its calls came from, if that also runs in the other program. Jumps
/// between GHC code look like calls, so for those the caller must also have grown.
fn by_callers(place: usize, own: &Counts, other: &Counts) -> Option<Elsewhere> {
    let callers = || own.calls.iter().filter(|call| call.callee == place && call.caller != place);
    let all = callers().map(|call| call.calls).fold(0, u64::saturating_add);
    let most = callers().max_by_key(|call| call.calls).filter(|call| call.calls > all / 2)?;
    let caller = &own.functions[most.caller];
    let is_it = |theirs: &&FunctionCount| {
        theirs.name == caller.name && theirs.count > 0 && caller.name != NO_SYMBOL
    };
    let theirs = other.functions.iter().find(is_it)?;
    let more = i128::from(theirs.count) - i128::from(caller.count);
    let more = i64::try_from(more).unwrap_or(i64::MAX);
    let evidence = Evidence::Caller { calls: most.calls, more };
    (!own.has_ghc || more > 0).then(|| Elsewhere { function: caller.name.clone(), evidence })
}
