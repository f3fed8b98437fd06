//! The costs of the bindings of a run, from its ticky counters.
//!
//! A row of the counters has the allocations of the code of one closure; nested closures have
//! separate rows. So a binding's cost is the sum over its row and those nested in it. Rows are
//! looked up in the dump of CorePrep, whose local names are those of the counters; without that
//! dump, a row belongs to the binding of the row whose code allocates its closure.
//! A finding's part of the heap is that of its kinds of closures in a profile (`-hT`).

use std::collections::{HashMap, HashSet};

use super::examine::{Basis, Only};
use super::program::{Module, Program, Site};
use crate::core::names::{occurrence, split_unique};
use crate::core::tree::{Binding, Expr, Id};
use crate::core::{Core, Dump};
use crate::heap_profile::{HeapProfile, HeapSample};
use crate::ticky::{Kind, Place, Profile, join};

/// The measurements of a run, and the bindings that they belong to.
#[derive(Debug, Clone, Default)]
pub struct Costs {
    /// For each row: the binding of the top level that it belongs to.
    sites: Vec<Option<Site>>,
    /// For each row: its binding in CorePrep.
    preps: Vec<Option<Id<Binding>>>,
    by_site: HashMap<Site, Vec<usize>>,
    /// Bytes allocated by each row's code.
    allocates: Vec<u64>,
    /// The number of entries of each row.
    entries: Vec<Option<u64>>,
    strangers: Strangers,
    /// The kind of each row's closure, and its allocated bytes.
    closures: Vec<(Kind, Option<u64>)>,
    total: Totals,
    undumped: Vec<Undumped>,
}

/// A module with counters but without a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undumped {
    /// Its name.
    pub module: String,
    /// The bytes that its code allocated.
    pub allocated_bytes: u64,
    /// The number of its closures that were counted.
    pub rows: usize,
}

/// The rows with a unique in their names, and those missing from the dumps of CorePrep: none are
/// missing if all is of one compilation, nearly all if of two.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Strangers {
    rows: usize,
    without_binding: usize,
}

/// The totals of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Totals {
    instrumented_bytes: u64,
    allocated_bytes: Option<u64>,
    entries: Option<u64>,
}

/// The cost of a part of the program.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// The bytes that its code allocated.
    pub allocated_bytes: u64,
    /// Their share of all bytes that the program allocated, from 0 to 1; of those that instrumented
    /// code allocated, if the total is unknown. `None` if nothing was allocated.
    pub allocation_share: Option<f64>,
    /// The number of entries of its code; `None` if GHC did not count them.
    pub entries: Option<u64>,
    /// Their share of all entries of instrumented code; `None` without entries.
    pub entry_share: Option<f64>,
    /// Set if the bytes are all that the code allocated, because the relevant ones were not counted
    /// separately.
    pub at_most: bool,
    /// Its part of the heap, if that was sampled and is part of the cost.
    pub held: Option<HeldBytes>,
    /// Its part of the time, if that was sampled and is part of the cost.
    pub time: Option<Time>,
}

/// The samples of a running program in which a part of it was running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time {
    /// The number of these samples.
    pub looks: u64,
    /// The number of all samples, without those of the collector.
    pub of: u64,
}

impl Time {
    /// From 0 to 1.
    pub fn share(self) -> f64 {
        self.looks as f64 / self.of.max(1) as f64
    }
}

/// The part of a run that the counters cover.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    /// The bytes that code with counters allocated.
    pub instrumented_bytes: u64,
    /// All bytes that the program allocated, if the runtime reported them.
    pub allocated_bytes: Option<u64>,
    /// The share of all allocated bytes that code without counters allocated: that of libraries.
    pub outside_share: Option<f64>,
    /// The share of the instrumented bytes in rows without a binding in the dumps.
    pub unplaced_share: Option<f64>,
    /// The number of rows.
    pub rows: usize,
    /// The number of rows without a binding in the dumps.
    pub unplaced_rows: usize,
    /// The number of these in modules without a dump.
    pub undumped_rows: usize,
    /// The share of the rows with a unique in their names that no dump of CorePrep has; `None` if
    /// there are no such rows of modules with that dump.
    pub stranger_share: Option<f64>,
}

impl Costs {
    /// The costs of a program; empty without counters.
    pub fn from_program(program: &Program) -> Self {
        let Some(profile) = &program.ticky else { return Self::default() };
        let dumps: Vec<(&str, &Dump)> = program
            .modules
            .iter()
            .map(|it| (it.name.as_str(), it.prep.as_ref().unwrap_or(&it.dump)))
            .collect();
        let places = join(profile, &dumps);
        let mut sites = placed(program, &places);
        inherit(profile, &mut sites);
        let mut by_site: HashMap<Site, Vec<usize>> = HashMap::new();
        for (row, site) in sites.iter().enumerate() {
            if let Some(site) = site {
                by_site.entry(*site).or_default().push(row);
            }
        }
        let of_prep =
            |place: &Place| program.modules[place.dump].prep.is_some().then_some(place.binding);
        let rows = &profile.closures;
        let entries: Vec<Option<u64>> = rows.iter().map(|row| row.entries.ok()).collect();
        let total = Totals {
            instrumented_bytes: rows.iter().map(|row| row.allocates_bytes).sum(),
            allocated_bytes: program.allocated_bytes,
            entries: entries.iter().copied().sum(),
        };
        Self {
            undumped: undumped(program, profile, &sites),
            strangers: strangers(program, profile, &places),
            preps: places.iter().map(|it| it.as_ref().and_then(of_prep)).collect(),
            allocates: rows.iter().map(|row| row.allocates_bytes).collect(),
            closures: rows.iter().map(|row| (row.kind.clone(), row.allocated_bytes.ok())).collect(),
            sites,
            by_site,
            entries,
            total,
        }
    }

    /// True if anything was measured.
    pub fn is_measured(&self) -> bool {
        !self.allocates.is_empty()
    }

    /// The rows of a binding and of everything nested in it.
    pub fn rows(&self, site: Site) -> &[usize] {
        self.by_site.get(&site).map_or(&[], Vec::as_slice)
    }

    /// The CorePrep binding of a row, if known.
    pub fn prep(&self, row: usize) -> Option<Id<Binding>> {
        self.preps[row]
    }

    /// The number of entries of a row's code; `None` if unknown.
    pub fn row_entries(&self, row: usize) -> Option<u64> {
        self.entries[row]
    }

    /// The rows of a binding within one of the top level, and of everything nested in it. `None` if
    /// they cannot be determined.
    pub fn rows_within(
        &self,
        program: &Program,
        site: Site,
        part: Id<Binding>,
    ) -> Option<Vec<usize>> {
        let module = program.module_of(site);
        let prep = module.prep.as_ref()?;
        let core = &prep.core;
        let whole = module.prepared(site.top)?;
        let counterpart = counterpart(module, site, part, core, whole)?;
        let mut within: HashSet<Id<Binding>> =
            core.bindings_within(core.bindings[counterpart].right).collect();
        within.insert(counterpart);
        let is_within = |row: &&usize| self.preps[**row].is_some_and(|it| within.contains(&it));
        Some(self.rows(site).iter().filter(is_within).copied().collect())
    }

    /// The number of entries of a binding itself, without those nested in it; `None` if unknown.
    pub fn own_entries(
        &self,
        program: &Program,
        site: Site,
        part: Option<Id<Binding>>,
    ) -> Option<u64> {
        let module = program.module_of(site);
        let whole = module.prepared(site.top)?;
        let prep = &module.prep.as_ref()?.core;
        let binding = match part {
            Some(part) => counterpart(module, site, part, prep, whole)?,
            None => whole,
        };
        let row = self.rows(site).iter().find(|row| self.preps[**row] == Some(binding))?;
        self.entries[*row]
    }

    /// The number of entries of the most entered code within a binding of the top level.
    pub fn most_entries(&self, site: Site) -> u64 {
        self.rows(site).iter().filter_map(|row| self.entries[*row]).max().unwrap_or(0)
    }

    /// The cost of a binding of the top level, with everything nested in it.
    pub fn site(&self, site: Site) -> Cost {
        self.sum(self.rows(site))
    }

    /// The cost of a finding.
    pub fn basis(&self, program: &Program, basis: &Basis) -> Cost {
        if basis.whole_program {
            return self.whole();
        }
        let mut rows: Vec<usize> = basis.rows.clone();
        for site in &basis.sites {
            rows.extend(self.rows(*site));
        }
        for (site, part) in &basis.parts {
            match self.rows_within(program, *site, *part) {
                Some(within) => rows.extend(within),
                None => rows.extend(self.rows(*site)),
            }
        }
        rows.sort_unstable();
        rows.dedup();
        let held = basis.held.and_then(|held| held.most(program.heap.as_ref()?));
        let held = held.map(|(_, bytes)| bytes);
        let cost = Cost { held, time: basis.time, ..self.sum(&rows) };
        let Some(only) = &basis.only else { return cost };
        match self.bytes_of(&rows, only) {
            Some(bytes) => self.with_bytes(cost, bytes),
            None => Cost { at_most: true, ..cost },
        }
    }

    /// The bytes of some of the closures allocated in the rows; `None` if they were not counted.
    fn bytes_of(&self, rows: &[usize], only: &Only) -> Option<u64> {
        if let Only::Rows(rows) = only {
            return rows.iter().map(|row| self.closures[*row].1).sum();
        }
        let is_one = |kind: &Kind| match (only, kind) {
            (Only::Thunks, Kind::Thunk) => true,
            (Only::Constructors(names), Kind::Constructor(Some(name))) => {
                names.contains(&occurrence(name))
            }
            _ => false,
        };
        // GHC 8 does not name the constructor.
        let is_unclear =
            |kind: &Kind| matches!((only, kind), (Only::Constructors(_), Kind::Constructor(None)));
        let mut sum = 0;
        for (kind, bytes) in rows.iter().map(|row| &self.closures[*row]) {
            let bytes = (*bytes).filter(|_| !is_unclear(kind))?;
            if is_one(kind) {
                sum += bytes;
            }
        }
        Some(sum)
    }

    fn with_bytes(&self, cost: Cost, allocated_bytes: u64) -> Cost {
        let allocation_share = share(allocated_bytes, self.whole_bytes());
        Cost { allocated_bytes, allocation_share, ..cost }
    }

    /// The modules with counters but without a dump, the costliest first.
    pub fn undumped(&self) -> &[Undumped] {
        &self.undumped
    }

    /// The part of the run that the counters cover.
    pub fn coverage(&self) -> Coverage {
        let Totals { instrumented_bytes, allocated_bytes, .. } = self.total;
        let unplaced = || (0..self.sites.len()).filter(|row| self.sites[*row].is_none());
        Coverage {
            instrumented_bytes,
            allocated_bytes,
            outside_share: allocated_bytes
                .and_then(|all| share(all.saturating_sub(instrumented_bytes), all)),
            unplaced_share: share(
                unplaced().map(|row| self.allocates[row]).sum(),
                instrumented_bytes,
            ),
            rows: self.sites.len(),
            unplaced_rows: unplaced().count(),
            undumped_rows: self.undumped.iter().map(|it| it.rows).sum(),
            stranger_share: share(
                self.strangers.without_binding as u64,
                self.strangers.rows as u64,
            ),
        }
    }

    fn whole(&self) -> Cost {
        let all = self.whole_bytes();
        Cost {
            allocated_bytes: all,
            allocation_share: (all > 0).then_some(1.0),
            entries: self.total.entries,
            entry_share: self.total.entries.filter(|all| *all > 0).map(|_| 1.0),
            ..Cost::default()
        }
    }

    /// All allocated bytes, as far as known. The runtime's figure cannot really be less than that
    /// of the counters, but GHC counts the allocations of some closures at their entry.
    fn whole_bytes(&self) -> u64 {
        let Totals { instrumented_bytes, allocated_bytes, .. } = self.total;
        allocated_bytes.map_or(instrumented_bytes, |all| all.max(instrumented_bytes))
    }

    fn sum(&self, rows: &[usize]) -> Cost {
        let allocated_bytes: u64 = rows.iter().map(|row| self.allocates[*row]).sum();
        let entries: Option<u64> = rows.iter().map(|row| self.entries[*row]).sum();
        Cost {
            allocated_bytes,
            allocation_share: share(allocated_bytes, self.whole_bytes()),
            entries,
            entry_share: entries.and_then(|entries| share(entries, self.total.entries?)),
            ..Cost::default()
        }
    }
}

/// A part of a whole; `None` if that is nothing.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The modules without a dump whose rows have no binding.
fn undumped(program: &Program, profile: &Profile, sites: &[Option<Site>]) -> Vec<Undumped> {
    let dumped: HashSet<&str> = program.modules.iter().map(|it| it.name.as_str()).collect();
    let mut all: Vec<Undumped> = Vec::new();
    for (row, _) in profile.closures.iter().zip(sites).filter(|(_, site)| site.is_none()) {
        let Some(name) = row.module.as_deref().filter(|name| !dumped.contains(name)) else {
            continue;
        };
        let place = all.iter().position(|it| it.module == name).unwrap_or_else(|| {
            all.push(Undumped { module: name.to_owned(), allocated_bytes: 0, rows: 0 });
            all.len() - 1
        });
        all[place].allocated_bytes += row.allocates_bytes;
        all[place].rows += 1;
    }
    all.sort_by_key(|it| std::cmp::Reverse(it.allocated_bytes));
    all
}

/// Rows with a unique in their names, of the modules that have a dump of CorePrep.
fn strangers(program: &Program, profile: &Profile, places: &[Option<Place>]) -> Strangers {
    let prepared: HashSet<&str> = program
        .modules
        .iter()
        .filter(|module| module.prep.is_some())
        .map(|module| module.name.as_str())
        .collect();
    let mut strangers = Strangers::default();
    for (row, place) in profile.closures.iter().zip(places) {
        let is_prepared = row.module.as_deref().is_some_and(|module| prepared.contains(module));
        if is_prepared && split_unique(&row.name).is_some() {
            strangers.rows += 1;
            strangers.without_binding += usize::from(place.is_none());
        }
    }
    strangers
}

/// For each row, the top-level binding that contains its binding.
fn placed(program: &Program, places: &[Option<Place>]) -> Vec<Option<Site>> {
    let modules: Vec<HashMap<Id<Binding>, Site>> = program
        .modules
        .iter()
        .map(|module| owners(program, module, module.prep.as_ref().unwrap_or(&module.dump)))
        .collect();
    let place = |it: &Option<Place>| {
        it.as_ref().and_then(|place| modules[place.dump].get(&place.binding).copied())
    };
    places.iter().map(place).collect()
}

/// Gives rows without a place that of the row whose code allocates their closure.
fn inherit(profile: &Profile, sites: &mut [Option<Site>]) {
    let mut by_unique: HashMap<(Option<&str>, &str), usize> = HashMap::new();
    for (row, closure) in profile.closures.iter().enumerate() {
        if let Some(unique) = &closure.unique {
            by_unique.insert((closure.module.as_deref(), unique), row);
        }
    }
    let parent = |row: usize| -> Option<usize> {
        let closure = &profile.closures[row];
        let unique = closure.parent.as_deref()?;
        by_unique.get(&(closure.module.as_deref(), unique)).copied()
    };
    // Each row is visited once: the result is given to all rows on the way, and a row already
    // passed without a place has no place, even if parents form a cycle.
    let mut passed = vec![false; sites.len()];
    for row in 0..sites.len() {
        let mut way = Vec::new();
        let mut next = Some(row);
        while let Some(at) = next.filter(|at| sites[*at].is_none() && !passed[*at]) {
            passed[at] = true;
            way.push(at);
            next = parent(at);
        }
        let found = next.and_then(|at| sites[at]);
        way.into_iter().for_each(|at| sites[at] = found);
    }
}

/// For each binding of a dump, the top-level binding of the simplified program that contains it.
/// CorePrep makes bindings of the top level from parts of others, and puts them before those.
pub(crate) fn owners(
    program: &Program,
    module: &Module,
    dump: &Dump,
) -> HashMap<Id<Binding>, Site> {
    let core = &dump.core;
    let mut owners = HashMap::new();
    let mut parts = Vec::new();
    let Some(pass) = dump.passes.last() else { return owners };
    for top in dump.tops(pass) {
        let binding = &core.bindings[top.binding];
        parts.push(top.binding);
        parts.extend(core.bindings_within(binding.right));
        let name = module.full_name(core.text(binding.name));
        if let Some(site) = program.site_named(&name) {
            owners.extend(parts.drain(..).map(|it| (it, site)));
        }
    }
    owners
}

/// The binding of CorePrep that a nested binding of the simplified program became. That pass gives
/// local names new uniques, and adds bindings, but keeps the order: so it is the one with the same
/// index among those of the same name, if both have equally many of these.
fn counterpart(
    module: &Module,
    site: Site,
    part: Id<Binding>,
    prep: &Core,
    whole: Id<Binding>,
) -> Option<Id<Binding>> {
    let of_name = |core: &Core, root: Id<Expr>, wanted: &str| -> Vec<Id<Binding>> {
        let is_wanted = |it: &Id<Binding>| stem(core.text(core.bindings[*it].name)) == wanted;
        core.bindings_within(root).filter(is_wanted).collect()
    };
    let wanted = stem(module.core().text(module.core().bindings[part].name));
    let here = of_name(module.core(), module.binding(site.top).right, wanted);
    let number = here.iter().position(|it| *it == part)?;
    let there = of_name(prep, prep.bindings[whole].right, wanted);
    (there.len() == here.len()).then(|| there[number])
}

fn stem(name: &str) -> &str {
    split_unique(name).map_or(name, |(stem, _)| stem)
}

/// The closures in the heap that make up a finding's cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Held {
    /// Deferred work, and functions applied but not run yet.
    Thunks,
    /// Arrays of pointers, of any element type, and boxes with these constructors.
    PointerArrays(&'static [&'static str]),
    /// The cells of lists.
    Lists,
    /// Arrays of bytes, which hold texts.
    Bytes,
    /// Stacks, of all threads.
    Stacks,
}

/// The peak of one kind in the heap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldBytes {
    /// Its bytes.
    pub bytes: u64,
    /// Their share of the heap at the heap's own peak, from 0 to 1.
    pub share: f64,
}

impl Held {
    /// The bytes at one moment.
    pub fn bytes(self, sample: &HeapSample) -> u64 {
        let bands = sample.bands.iter().filter(|(band, _)| self.has(band));
        bands.map(|(_, bytes)| bytes).sum()
    }

    /// The moment of its peak, the last of several; `None` without moments.
    pub fn most(self, profile: &HeapProfile) -> Option<(usize, HeldBytes)> {
        let all = profile.samples.iter().map(|sample| self.bytes(sample)).enumerate();
        let (place, bytes) = all.max_by_key(|(place, bytes)| (*bytes, *place))?;
        let heap = profile.peak()?.bytes();
        let share = if heap > 0 { bytes as f64 / heap as f64 } else { 0.0 };
        Some((place, HeldBytes { bytes, share }))
    }

    fn has(self, band: &str) -> bool {
        match self {
            Self::Thunks => band.starts_with("THUNK") || matches!(band, "AP" | "AP_UPD"),
            Self::Lists => band.split_once(':').is_some_and(|(_, name)| name == "GHC.Types.:"),
            Self::Bytes => band == "ARR_WORDS",
            Self::Stacks => band == "STACK",
            Self::PointerArrays(boxes) => {
                band.starts_with("MUT_ARR_PTRS")
                    || band.starts_with("SMALL_MUT_ARR_PTRS")
                    // A constructor has its package before it: `base:GHC.Word.W8#`.
                    || band.split_once(':').is_some_and(|(_, name)| boxes.contains(&occurrence(name)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(bands: &[(&str, u64)]) -> HeapSample {
        let bands = bands.iter().map(|(band, bytes)| ((*band).to_owned(), *bytes));
        HeapSample { seconds: 0.0, bands: bands.collect() }
    }

    #[test]
    fn each_kind_has_its_bands() {
        let sample = sample(&[
            ("THUNK_2_0", 1),
            ("AP", 2),
            ("APPEND", 4),
            ("MUT_ARR_PTRS_FROZEN_CLEAN", 8),
            ("SMALL_MUT_ARR_PTRS_DIRTY", 16),
            ("base:GHC.Word.W8#", 32),
            ("ghc-prim:GHC.Types.I#", 64),
            ("ARR_WORDS", 128),
            ("ghc-prim:GHC.Types.:", 256),
            ("STACK", 512),
            ("AP_STACK", 1024),
        ]);
        assert_eq!(Held::Stacks.bytes(&sample), 512);
        assert_eq!(Held::Lists.bytes(&sample), 256);
        assert_eq!(Held::Bytes.bytes(&sample), 128);
        assert_eq!(Held::Thunks.bytes(&sample), 3);
        assert_eq!(Held::PointerArrays(&["W8#"]).bytes(&sample), 8 + 16 + 32);
    }

    #[test]
    fn the_share_is_that_of_the_heaps_own_peak() {
        let profile = HeapProfile {
            samples: vec![
                sample(&[("THUNK", 10), ("FUN", 90)]),
                sample(&[("THUNK", 30), ("FUN", 30)]),
                sample(&[("THUNK", 20)]),
            ],
        };
        let most = Held::Thunks.most(&profile);
        assert_eq!(most, Some((1, HeldBytes { bytes: 30, share: 0.3 })));
        let nothing = Held::PointerArrays(&["W8#"]).most(&profile).map(|(_, most)| most);
        assert_eq!(nothing, Some(HeldBytes { bytes: 0, share: 0.0 }));
        assert_eq!(Held::Thunks.most(&HeapProfile::default()), None);
    }
}
