//! Functions that are in one of two programs alone: whether they were inlined.

use std::collections::{HashMap, HashSet};

use super::counts::{Counts, FunctionCount};
use super::difference::Change;
use super::objects::file_name;

/// What is known of a function's being there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It ran in both.
    Both,
    /// It ran before alone; where its code is now.
    Vanished(Option<Elsewhere>),
    /// It ran after alone; where its code was before.
    Appeared(Option<Elsewhere>),
}

/// Where a function's code is on the other side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// The function it is in.
    pub function: String,
    /// How that is known.
    pub evidence: Evidence,
}

/// How it is known where code went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Its source lines run there, by the debug information: so many of them, of so many.
    Lines {
        /// How many run there.
        there: usize,
        /// How many it has.
        of: usize,
    },
    /// It was called from there, and that executes more itself without it. A guess.
    Caller {
        /// How often it was called.
        calls: u64,
        /// How much more the caller executes itself.
        more: u64,
    },
}

/// What is known of this function.
pub(super) fn fate(change: &Change, before: &Counts, after: &Counts) -> Fate {
    match (change.before.high, change.after.high) {
        (_, 0) => Fate::Vanished(elsewhere(change, before, after)),
        (0, _) => Fate::Appeared(elsewhere(change, after, before)),
        _ => Fate::Both,
    }
}

/// The same, without looking for where the code is.
pub(super) fn fate_unsought(change: &Change) -> Fate {
    match (change.before.high, change.after.high) {
        (_, 0) => Fate::Vanished(None),
        (0, _) => Fate::Appeared(None),
        _ => Fate::Both,
    }
}

/// Where in `other` the code is of a function that only `own` has.
fn elsewhere(change: &Change, own: &Counts, other: &Counts) -> Option<Elsewhere> {
    let is_it = |function: &FunctionCount| {
        function.name == change.name && file_name(&function.object) == file_name(&change.object)
    };
    let place = own.functions.iter().position(|function| function.count > 0 && is_it(function))?;
    by_lines(place, own, other).or_else(|| by_callers(place, own, other))
}

/// Where at least half of its lines run.
fn by_lines(place: usize, own: &Counts, other: &Counts) -> Option<Elsewhere> {
    let known = |counts: &Counts, file: usize, line: u64| {
        let path = &counts.files[file];
        (line > 0 && path != "???").then(|| (file_name(path).to_owned(), line))
    };
    let first = own.lines.partition_point(|line| line.function < place);
    let lines: HashSet<_> = own.lines[first..]
        .iter()
        .take_while(|line| line.function == place)
        .filter_map(|line| known(own, line.file, line.line))
        .collect();
    let mut there: HashMap<usize, usize> = HashMap::new();
    for line in &other.lines {
        if known(other, line.file, line.line).is_some_and(|line| lines.contains(&line)) {
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

/// The caller that does more itself where the function is not.
fn by_callers(place: usize, own: &Counts, other: &Counts) -> Option<Elsewhere> {
    let count_in_other = |caller: &FunctionCount| {
        let is_it = |theirs: &&FunctionCount| theirs.name == caller.name && theirs.count > 0;
        other.functions.iter().find(is_it).map(|theirs| theirs.count)
    };
    let callers = own.calls.iter().filter(|call| call.callee == place && call.caller != place);
    let grown = callers.filter_map(|call| {
        let caller = &own.functions[call.caller];
        let more = count_in_other(caller)?.checked_sub(caller.count).filter(|&more| more > 0)?;
        Some((call.calls, more, caller))
    });
    let (calls, more, caller) = grown.max_by_key(|(calls, ..)| *calls)?;
    let evidence = Evidence::Caller { calls, more };
    Some(Elsewhere { function: caller.name.clone(), evidence })
}
