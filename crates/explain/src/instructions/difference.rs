//! The change from one program to another, by function.

use std::collections::{BTreeMap, HashMap};

use super::fate::{Fate, fate, fate_unsought};
use super::objects;
use super::profiling::{Counts, FunctionCount};
use findings::instructions::Range;

/// The runs of one program; a second run shows whether the counts are exact.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramCounts {
    /// The counts of each run, at least one.
    pub runs: Vec<Counts>,
}

impl ProgramCounts {
    /// The range of the total over all functions.
    pub fn total(&self) -> Range {
        Range::from_counts(self.runs.iter().map(|run| run.total))
    }

    /// The run that represents all of them if only one can be shown.
    pub fn first(&self) -> &Counts {
        self.runs.first().expect("at least one run")
    }

    /// The range and the number of symbols of each function, by object and name.
    fn functions(&self) -> BTreeMap<(&str, &str), (Range, u32)> {
        let mut counts: BTreeMap<(&str, &str), (Vec<u64>, u32)> = BTreeMap::new();
        for (number, run) in self.runs.iter().enumerate() {
            for FunctionCount { object, name, count, symbols } in &run.functions {
                let (all, most) = counts.entry((object, name)).or_default();
                all.resize(number, 0);
                all.push(*count);
                *most = (*most).max(*symbols);
            }
        }
        let range = |(mut all, most): (Vec<u64>, u32)| {
            all.resize(self.runs.len(), 0);
            (Range::from_counts(all), most)
        };
        counts.into_iter().map(|(key, entry)| (key, range(entry))).collect()
    }

    /// True if every function has the same count in all runs; `None` for a single run.
    pub fn is_exact(&self) -> Option<bool> {
        (self.runs.len() > 1).then(|| self.functions().values().all(|(range, _)| range.is_exact()))
    }
}

/// The number of functions that are searched for in the other program: each takes a pass over all
/// of its lines, and nobody reads more.
const LOOKED_FOR: usize = 50;

/// The change of one function.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The path of the executable or library: the new one if it is in both programs.
    pub object: String,
    /// The path of that object in the old program.
    pub old_object: String,
    /// The name, readable.
    pub name: String,
    /// The maximum number of symbols with this name that ran.
    pub symbols: u32,
    /// The events of the function itself, before.
    pub before: Range,
    /// The same, after.
    pub after: Range,
    /// The fate of a function that is on one side only.
    pub fate: Fate,
}

impl Change {
    /// The difference of the midpoints.
    pub fn change(&self) -> i128 {
        i128::from(self.after.middle()) - i128::from(self.before.middle())
    }

    /// True if the ranges of the two sides do not overlap, so that the change exceeds the spread
    /// between runs.
    pub fn is_certain(&self) -> bool {
        self.before.high < self.after.low || self.after.high < self.before.low
    }
}

/// Every function of both programs, largest change first.
pub fn changes(before: &ProgramCounts, after: &ProgramCounts) -> Vec<Change> {
    let pairs = objects::aligned(before.first(), after.first());
    let ours = |object: &str| pairs.get(object).cloned().unwrap_or_else(|| object.to_owned());
    let new_names: HashMap<&String, &String> = pairs.iter().map(|(b, a)| (a, b)).collect();
    let mut rows: BTreeMap<(String, String), Change> = BTreeMap::new();
    for ((object, name), (range, symbols)) in before.functions() {
        let shown = new_names.get(&object.to_owned()).map_or(object, |new| new.as_str());
        let change = Change {
            object: shown.to_owned(),
            old_object: object.to_owned(),
            name: name.to_owned(),
            symbols,
            before: range,
            after: Range::default(),
            fate: Fate::Both,
        };
        rows.insert((object.to_owned(), name.to_owned()), change);
    }
    for ((object, name), (range, symbols)) in after.functions() {
        let row = rows.entry((ours(object), name.to_owned())).or_insert_with(|| Change {
            object: object.to_owned(),
            old_object: ours(object),
            name: name.to_owned(),
            symbols: 0,
            before: Range::default(),
            after: Range::default(),
            fate: Fate::Both,
        });
        row.after = range;
        row.symbols = row.symbols.max(symbols);
    }
    let mut changes: Vec<Change> = rows.into_values().filter(Change::ran).collect();
    changes.sort_by_key(|change| std::cmp::Reverse(change.change().unsigned_abs()));
    for (place, change) in changes.iter_mut().enumerate() {
        change.fate = match place < LOOKED_FOR {
            true => fate(change, before.first(), after.first()),
            false => fate_unsought(change),
        };
    }
    changes
}

impl Change {
    fn ran(&self) -> bool {
        self.before.high > 0 || self.after.high > 0
    }
}
