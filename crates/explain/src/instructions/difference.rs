//! The change from one program to another, by function.
//!
//! Executables and libraries of the two are matched first, then functions by name. A function that
//! is in only one of the programs may have been inlined: its code is searched for in the other.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use findings::instructions::{ALLOCATED_BYTES, Range, file_name};

use super::profiling::{Counts, FunctionCount, NO_SYMBOL};

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

    /// The range of all allocated blocks together; `None` if something else was counted.
    pub fn blocks(&self) -> Option<Range> {
        let is_counted = self.first().event == ALLOCATED_BYTES;
        let sum = |run: &Counts| run.functions.iter().filter_map(|it| it.blocks).sum();
        is_counted.then(|| Range::from_counts(self.runs.iter().map(sum)))
    }

    /// The ranges and the number of symbols of each function, by object and name.
    fn functions(&self) -> BTreeMap<(&str, &str), FunctionRanges> {
        let mut all: BTreeMap<(&str, &str), Vec<Option<&FunctionCount>>> = BTreeMap::new();
        for (number, run) in self.runs.iter().enumerate() {
            for function in &run.functions {
                let runs = all.entry((&function.object, &function.name)).or_default();
                runs.resize(self.runs.len(), None);
                runs[number] = Some(function);
            }
        }
        all.into_iter().map(|(key, runs)| (key, FunctionRanges::of_runs(&runs))).collect()
    }

    /// True if every function has the same counts in all runs; `None` for a single run.
    pub fn is_exact(&self) -> Option<bool> {
        let is_exact = |it: &FunctionRanges| it.count.is_exact() && it.blocks.is_exact();
        (self.runs.len() > 1).then(|| self.functions().values().all(is_exact))
    }
}

/// The counts of a function over the runs of a program.
struct FunctionRanges {
    count: Range,
    /// Its blocks; 0 if something else than allocations was counted.
    blocks: Range,
    symbols: u32,
}

impl FunctionRanges {
    /// The ranges over these runs, in some of which the function did not run.
    fn of_runs(runs: &[Option<&FunctionCount>]) -> Self {
        let range = |count: fn(&FunctionCount) -> u64| {
            Range::from_counts(runs.iter().map(|run| run.map_or(0, count)))
        };
        Self {
            count: range(|it| it.count),
            blocks: range(|it| it.blocks.unwrap_or(0)),
            symbols: runs.iter().flatten().map(|it| it.symbols).max().unwrap_or(0),
        }
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
    /// The blocks that the function allocated, before and after; 0 if something else than
    /// allocations was counted.
    pub blocks: [Range; 2],
    /// The fate of a function that is on one side only.
    pub fate: Fate,
}

impl Change {
    /// The difference of the midpoints.
    pub fn change(&self) -> i128 {
        i128::from(self.after.middle()) - i128::from(self.before.middle())
    }

    /// The difference of the blocks' midpoints.
    fn block_change(&self) -> i64 {
        let [before, after] = self.blocks.map(|range| i64::try_from(range.middle()));
        after.unwrap_or(i64::MAX) - before.unwrap_or(i64::MAX)
    }

    /// True if the ranges of the two sides do not overlap, so that the change exceeds the spread
    /// between runs.
    pub fn is_certain(&self) -> bool {
        self.before.high < self.after.low || self.after.high < self.before.low
    }
}

/// Every function of both programs, largest change first.
pub fn changes(before: &ProgramCounts, after: &ProgramCounts) -> Vec<Change> {
    let pairs = aligned_objects(before.first(), after.first());
    let ours = |object: &str| pairs.get(object).cloned().unwrap_or_else(|| object.to_owned());
    let new_names: HashMap<&String, &String> = pairs.iter().map(|(b, a)| (a, b)).collect();
    let row = |object: &str, old_object: &str, name: &str| Change {
        object: object.to_owned(),
        old_object: old_object.to_owned(),
        name: name.to_owned(),
        symbols: 0,
        before: Range::default(),
        after: Range::default(),
        blocks: [Range::default(); 2],
        fate: Fate::Both,
    };
    let mut rows: BTreeMap<(String, String), Change> = BTreeMap::new();
    for ((object, name), FunctionRanges { count, blocks, symbols }) in before.functions() {
        let shown = new_names.get(&object.to_owned()).map_or(object, |new| new.as_str());
        let blocks = [blocks, Range::default()];
        let change = Change { symbols, before: count, blocks, ..row(shown, object, name) };
        rows.insert((object.to_owned(), name.to_owned()), change);
    }
    for ((object, name), FunctionRanges { count, blocks, symbols }) in after.functions() {
        let old = ours(object);
        let key = (old.clone(), name.to_owned());
        let row = rows.entry(key).or_insert_with(|| row(object, &old, name));
        row.after = count;
        row.blocks[1] = blocks;
        row.symbols = row.symbols.max(symbols);
    }
    let ran = |change: &Change| {
        [change.before, change.after].iter().chain(&change.blocks).any(|range| range.high > 0)
    };
    let mut changes: Vec<Change> = rows.into_values().filter(ran).collect();
    let size =
        |change: &Change| (change.change().unsigned_abs(), change.block_change().unsigned_abs());
    changes.sort_by_key(|change| std::cmp::Reverse(size(change)));
    for (place, change) in changes.iter_mut().enumerate() {
        change.fate = fate(change, place < LOOKED_FOR, before.first(), after.first());
    }
    changes
}

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

/// The fate of this function; its code is only searched for if `is_sought`.
fn fate(change: &Change, is_sought: bool, before: &Counts, after: &Counts) -> Fate {
    let place = |object: &str, own, other| {
        is_sought.then(|| elsewhere(object, &change.name, own, other)).flatten()
    };
    match (change.before.high, change.after.high) {
        (_, 0) => Fate::Vanished(place(&change.old_object, before, after)),
        (0, _) => Fate::Appeared(place(&change.object, after, before)),
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

/// The old object for each object of the new program that replaces it.
///
/// The started executables match each other. Then objects match by path, then by file name; of the
/// rest, those with most in common match, such as two versions of a library.
pub(super) fn aligned_objects(before: &Counts, after: &Counts) -> BTreeMap<String, String> {
    let (mut old, mut new) = (objects(before), objects(after));
    let mut pairs = BTreeMap::new();
    if let (Some(a), Some(b)) = (&before.program, &after.program)
        && old.remove(a).is_some()
        && new.remove(b).is_some()
    {
        pairs.insert(b.clone(), a.clone());
    }
    for is_same in [|a: &str, b: &str| a == b, |a: &str, b: &str| file_name(a) == file_name(b)] {
        let found: Vec<(String, String)> = new
            .keys()
            .filter_map(|b| {
                let mut same = old.keys().filter(|a| is_same(a, b));
                // Two objects with the same name are ambiguous.
                let first = same.next().filter(|_| same.next().is_none())?;
                Some((b.clone(), first.clone()))
            })
            .collect();
        for (b, a) in found {
            if old.remove(&a).is_some() && new.remove(&b).is_some() {
                pairs.insert(b, a);
            }
        }
    }
    while let Some((b, a)) = most_in_common(&old, &new) {
        old.remove(&a);
        new.remove(&b);
        pairs.insert(b, a);
    }
    pairs
}

type Names<'a> = BTreeSet<&'a str>;

fn objects(counts: &Counts) -> BTreeMap<String, Names<'_>> {
    let mut objects: BTreeMap<String, Names<'_>> = BTreeMap::new();
    for function in counts.functions.iter().filter(|function| function.count > 0) {
        objects.entry(function.object.clone()).or_default().insert(&function.name);
    }
    objects
}

fn most_in_common(
    old: &BTreeMap<String, Names<'_>>,
    new: &BTreeMap<String, Names<'_>>,
) -> Option<(String, String)> {
    let pairs = new.iter().flat_map(|(b, theirs)| {
        old.iter().map(move |(a, ours)| (ours.intersection(theirs).count(), b, a))
    });
    let best = pairs.filter(|(common, ..)| *common > 0).max_by_key(|(common, ..)| *common)?;
    Some((best.1.clone(), best.2.clone()))
}
