//! Related bindings, and their cost: bindings that exchanged code, pieces of one function, and
//! overloaded functions with their specialisations if GHC knows the types, and what follows from these
//! elsewhere.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::align::Side;
use super::compare::{Aligned, is_evidence, is_specialised};
use super::facts::{Change, Tends};
use super::tokens::Token;
use super::view::View;
use crate::causes::costs::Costs;
use crate::causes::names::in_source;
use crate::causes::{Module, Paid, Site};
use crate::core::tree::Expr;
use crate::instructions::Instructions;

/// A cost before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moved {
    /// Bytes that its code allocated before.
    pub bytes_before: u64,
    /// Bytes that its code allocated after.
    pub bytes_after: u64,
    /// The number of entries of its code before, if GHC counted them.
    pub entries_before: Option<u64>,
    /// The number of entries of its code after, if GHC counted them.
    pub entries_after: Option<u64>,
    /// Instructions that its code executed before, if they were counted and bindings can be
    /// compared by them.
    pub instructions_before: Option<u64>,
    /// Instructions that its code executed after, likewise.
    pub instructions_after: Option<u64>,
}

/// The measure by which a difference is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Allocated bytes.
    Bytes,
    /// Bytes allocated by libraries, on behalf of unknown bindings: then the change with the most
    /// explanatory weight comes first.
    Outside,
    /// Instructions.
    Instructions,
    /// Entries of code.
    Entries,
}

/// A smaller share of all allocations is not a change that needs a cause.
const NO_CHANGE: f64 = 0.001;

/// The least weight of a change that means different work.
const OTHER: u32 = 55;

impl By {
    /// The measure that moved: bytes, either of code with counters or of the rest, whose change is
    /// `outside`; else instructions if counted, else entries.
    pub(super) fn from_moved(total: &Moved, outside: Option<i128>) -> Self {
        let most = total.bytes_before.max(total.bytes_after) as f64;
        let counted = total.bytes().unsigned_abs();
        let outside = outside.map_or(0, i128::unsigned_abs);
        let is_much = |bytes: u128| bytes > 0 && bytes as f64 >= NO_CHANGE * most;
        match (is_much(counted), is_much(outside)) {
            (true, _) if counted >= outside => Self::Bytes,
            (_, true) => Self::Outside,
            (true, false) => Self::Bytes,
            (false, false) if total.instructions().is_some() => Self::Instructions,
            (false, false) => Self::Entries,
        }
    }
}

/// The measure, and the change outside the bindings, for its direction if no binding moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    pub(super) by: By,
    pub(super) outside: Option<i128>,
}

impl Moved {
    /// The change in bytes.
    pub fn bytes(&self) -> i128 {
        i128::from(self.bytes_after) - i128::from(self.bytes_before)
    }

    /// The change in entries, if known.
    pub fn entries(&self) -> Option<i128> {
        Some(i128::from(self.entries_after?) - i128::from(self.entries_before?))
    }

    /// The change in instructions, if known.
    pub fn instructions(&self) -> Option<i128> {
        Some(i128::from(self.instructions_after?) - i128::from(self.instructions_before?))
    }

    /// The change by a measure; 0 if unknown.
    pub fn by(&self, by: By) -> i128 {
        match by {
            By::Bytes => self.bytes(),
            By::Outside => 0,
            By::Instructions => self.instructions().unwrap_or(0),
            By::Entries => self.entries().unwrap_or(0),
        }
    }

    /// The size of a change, for finding the largest.
    fn size(&self, by: By) -> (u128, u128, u128) {
        let rest = |by: By| self.by(by).unsigned_abs();
        if by == By::Outside {
            return (0, 0, 0);
        }
        (rest(by), rest(By::Bytes), rest(By::Entries))
    }
}

/// Bindings that exchanged code, or one that changed alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The bindings, by number; the most informative one first.
    pub bindings: Vec<usize>,
    /// Their total cost; `None` if nothing was measured.
    pub moved: Option<Moved>,
    /// The change that explains most: the binding, and the index among its changes.
    pub lead: Option<(usize, usize)>,
}

/// The costs of single bindings.
#[derive(Debug)]
pub(super) struct Both<'a> {
    before: Costs,
    after: Costs,
    /// Those of both programs; `None` if bindings cannot be compared by them.
    instructions: Option<[&'a Instructions; 2]>,
}

impl<'a> Both<'a> {
    pub(super) fn new(before: &Side<'a>, after: &Side<'a>) -> Option<Self> {
        let programs = [before.names.program, after.names.program];
        let costs = programs.map(Costs::from_program);
        let [one, other] = [0, 1].map(|side| {
            let allocated_bytes = costs[side].coverage().instrumented_bytes;
            let counted = programs[side].instructions.as_ref();
            counted.filter(|counted| counted.compares_bindings(allocated_bytes))
        });
        let [before, after] = costs;
        let is_measured = before.is_measured() && after.is_measured();
        let instructions = one.zip(other).map(|(one, other)| [one, other]);
        is_measured.then_some(Self { before, after, instructions })
    }

    /// The coverage of each run.
    pub(super) fn coverages(&self) -> [crate::causes::costs::Coverage; 2] {
        [self.before.coverage(), self.after.coverage()]
    }

    pub(super) fn moved(&self, aligned: &Aligned) -> Moved {
        let cost = |costs: &Costs, site: Option<Site>| match site {
            Some(site) => {
                let cost = costs.site(site);
                (cost.allocated_bytes, cost.entries)
            }
            None => (0, Some(0)),
        };
        let executed = |side: usize, site: Option<Site>| {
            let counts = self.instructions?[side];
            Some(site.map_or(0, |site| counts.site(site)))
        };
        let (bytes_before, entries_before) = cost(&self.before, aligned.before);
        let (bytes_after, entries_after) = cost(&self.after, aligned.after);
        Moved {
            bytes_before,
            bytes_after,
            entries_before,
            entries_after,
            instructions_before: executed(0, aligned.before),
            instructions_after: executed(1, aligned.after),
        }
    }
}

/// The total cost of several bindings.
pub(super) fn sum(all: impl Iterator<Item = Moved>) -> Moved {
    let nothing = Some(0);
    let zero = Moved {
        entries_before: nothing,
        entries_after: nothing,
        instructions_before: nothing,
        instructions_after: nothing,
        ..Moved::default()
    };
    let add = |one: Option<u64>, other: Option<u64>| one?.checked_add(other?);
    all.fold(zero, |sum, it| Moved {
        bytes_before: sum.bytes_before.saturating_add(it.bytes_before),
        bytes_after: sum.bytes_after.saturating_add(it.bytes_after),
        entries_before: add(sum.entries_before, it.entries_before),
        entries_after: add(sum.entries_after, it.entries_after),
        instructions_before: add(sum.instructions_before, it.instructions_before),
        instructions_after: add(sum.instructions_after, it.instructions_after),
    })
}

/// Groups the related bindings, without the unchanged ones; those with the largest change in cost
/// come first.
pub(super) fn groups(
    all: &[Aligned],
    before: &Side<'_>,
    after: &Side<'_>,
    costs: Option<(&Both<'_>, Told)>,
) -> Vec<Group> {
    let mut sets = Sets { parents: (0..all.len()).collect() };
    for (number, aligned) in all.iter().enumerate() {
        for other in &aligned.exchanged {
            sets.join(number, *other);
        }
    }
    of_one_name(all, &mut sets);
    join_copies(all, [before, after], &mut |one, other| sets.join(one, other));
    of_users(all, before, after, &mut sets);
    join(all, [before, after], &mut |one, other| sets.join(one, other));
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for number in 0..all.len() {
        let root = sets.root(number);
        members.entry(root).or_default().push(number);
    }
    members.retain(|_, members| members.iter().any(|it| !all[*it].is_same()));
    let mut groups: Vec<Group> =
        members.into_values().map(|members| group(all, members, costs)).collect();
    groups.sort_by_key(|group| {
        let weight = group.lead.map_or(0, |(at, change)| all[at].weight(change));
        let by = costs.map_or(By::Bytes, |(_, told)| told.by);
        let goes_along = group.lead.is_none_or(|(at, change)| {
            let tends = all[at].changes[change].tends();
            let ways = ways(group.moved.as_ref(), costs.map(|(_, told)| told));
            ways.is_empty() || tends == Tends::Either || ways.contains(&tends)
        });
        let size = group.moved.map(|it| it.size(by)).unwrap_or_default();
        std::cmp::Reverse((size, goes_along, weight))
    });
    groups
}

/// Joins the pieces that GHC made of one function of the source.
fn of_one_name(all: &[Aligned], sets: &mut Sets) {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (number, aligned) in all.iter().enumerate().filter(|(_, it)| !it.is_same()) {
        sets.join(number, *known.entry(&aligned.name).or_insert(number));
    }
}

/// Joins bindings that are only on one side, and values only known to be different, with their
/// users, if these belong together.
fn of_users(all: &[Aligned], before: &Side<'_>, after: &Side<'_>, sets: &mut Sets) {
    let mut numbers: HashMap<(bool, Site), usize> = HashMap::new();
    for (number, aligned) in all.iter().enumerate() {
        numbers.extend(aligned.before.map(|site| ((false, site), number)));
        numbers.extend(aligned.after.map(|site| ((true, site), number)));
    }
    let users = |aligned: &Aligned| -> Vec<usize> {
        let (is_after, users) = match (aligned.before, aligned.after) {
            (Some(site), None) => (false, before.users(site)),
            (None, Some(site)) => (true, after.users(site)),
            (Some(_), Some(site)) if is_other_value(aligned, after) => (true, after.users(site)),
            _ => return Vec::new(),
        };
        let users = users.iter().filter_map(|it| numbers.get(&(is_after, *it)).copied());
        users.filter(|user| !all[*user].is_same()).collect()
    };
    let users: Vec<Vec<usize>> = all.iter().map(users).collect();
    loop {
        let mut is_settled = true;
        for (number, users) in users.iter().enumerate() {
            let own = sets.root(number);
            let mut roots: Vec<usize> = users.iter().map(|it| sets.root(*it)).collect();
            roots.retain(|root| *root != own);
            roots.dedup();
            if let [root] = roots[..] {
                sets.join(own, root);
                is_settled = false;
            }
        }
        if is_settled {
            return;
        }
    }
}

fn is_other_value(aligned: &Aligned, after: &Side<'_>) -> bool {
    let program = after.names.program;
    let arity = |site: Site| program.core_of(site).arity(program.binding(site));
    aligned.changes.iter().all(|it| *it == Change::Body)
        && aligned.after.is_some_and(|site| arity(site) == Some(0))
}

fn group(all: &[Aligned], mut bindings: Vec<usize>, costs: Option<(&Both<'_>, Told)>) -> Group {
    let moved = |number: usize| costs.map(|(costs, _)| costs.moved(&all[number]));
    let by = costs.map_or(By::Bytes, |(_, told)| told.by);
    let size = |number: usize| moved(number).map(|it| it.size(by)).unwrap_or_default();
    let total = costs.map(|(costs, _)| sum(bindings.iter().map(|it| costs.moved(&all[*it]))));
    let ways = ways(total.as_ref(), costs.map(|(_, told)| told));
    // Inlining a function that never ran by itself saved and cost nothing.
    let has_run = |change: &Change| {
        let (what, is_before) = match change {
            Change::Inlines { what, .. } => (what, true),
            Change::NoLongerInlines { what, .. } => (what, false),
            _ => return true,
        };
        let entries = |it: Moved| if is_before { it.entries_before } else { it.entries_after };
        let named = (0..all.len()).filter(|number| all[*number].name == *what);
        let mut entries = named.filter_map(&moved).map(entries).peekable();
        entries.peek().is_none() || entries.any(|it| it != Some(0))
    };
    let rank = |number: usize, place: usize| {
        let change = &all[number].changes[place];
        // A change with the opposite effect cannot be the cause, and among those with either effect
        // only one that means different work.
        let tends = change.tends();
        // Bytes do not show the cost of work if the allocations of libraries are unknown.
        let is_judged = !matches!(change, Change::Cause { cause, .. } if cause.paid == Paid::Entries)
            || costs.is_none_or(|(_, told)| told.outside.is_some());
        let tends = if is_judged { tends } else { Tends::Either };
        let against = !ways.is_empty() && !ways.contains(&tends) && tends != Tends::Either;
        let is_other = tends == Tends::Either && change.weight() >= OTHER;
        let goes_along = ways.is_empty() || ways.contains(&tends) || is_other;
        (!against, goes_along, has_run(change), all[number].weight(place))
    };
    let mut lead = None;
    let mut best = None;
    for number in &bindings {
        for place in 0..all[*number].changes.len() {
            let key = (rank(*number, place), size(*number));
            if best.as_ref().is_none_or(|best| key > *best) {
                best = Some(key);
                lead = Some((*number, place));
            }
        }
    }
    bindings.sort_by_key(|number| {
        let is_lead = lead.is_some_and(|(at, _)| at == *number);
        std::cmp::Reverse((is_lead, size(*number)))
    });
    Group { bindings, moved: total, lead }
}

/// The directions in which a cost moved, if any: by the reported measure, else by another that
/// moved. If libraries allocated it, the program's code may have moved in the opposite direction,
/// and either may belong to a change.
fn ways(moved: Option<&Moved>, told: Option<Told>) -> Vec<Tends> {
    let Some(Told { by, outside }) = told else { return Vec::new() };
    let own = moved.and_then(|moved| {
        [by, By::Bytes, By::Entries].map(|by| moved.by(by)).into_iter().find(|moved| *moved != 0)
    });
    let outside = outside.filter(|_| by == By::Outside);
    outside.into_iter().chain(own).filter(|moved| *moved != 0).map(tends).collect()
}

fn tends(moved: i128) -> Tends {
    match moved {
        1.. => Tends::Up,
        0 => Tends::Either,
        _ => Tends::Down,
    }
}

/// Disjoint sets of numbers.
struct Sets {
    parents: Vec<usize>,
}

impl Sets {
    fn root(&mut self, of: usize) -> usize {
        let mut root = of;
        while self.parents[root] != root {
            root = self.parents[root];
        }
        let mut next = of;
        while self.parents[next] != root {
            next = std::mem::replace(&mut self.parents[next], root);
        }
        root
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        // The smaller number remains, so that the result does not depend on the order.
        self.parents[one.max(other)] = one.min(other);
    }
}

/// Code with fewer nodes is found everywhere.
const TELLING_NODES: usize = 4;

/// The least part of a function's code that must be among the surplus nodes of another binding.
#[derive(Clone, Copy)]
pub(super) struct Least {
    /// The share of its code.
    pub(super) of_its: f64,
    /// Alternatively the share of the surplus, and its size: a function may have grown since it was
    /// inlined there.
    pub(super) of_more: Option<(f64, usize)>,
}

/// True if much of a function's code is in the surplus of another binding; it is then removed from
/// the surplus.
pub(super) fn brought(
    view: &View<'_>,
    candidate: Site,
    least: Least,
    more: &mut HashMap<u64, usize>,
) -> bool {
    let core = view.side.names.program.core_of(candidate);
    let binding = view.side.names.program.binding(candidate);
    if core.parameters(binding) == 0 {
        return false;
    }
    let telling = |token: &&Token| {
        // Its parameters are gone after inlining, and names alone say little.
        !matches!(core.exprs[token.expr], Expr::Lambda(..)) && token.exact == token.loose
    };
    let its: Vec<u64> = view.rows[&candidate].iter().filter(telling).map(|it| it.loose).collect();
    if its.len() < TELLING_NODES {
        return false;
    }
    let mut taken: HashMap<u64, usize> = HashMap::new();
    for node in &its {
        let there = more.get(node).copied().unwrap_or(0);
        let count = taken.entry(*node).or_default();
        if *count < there {
            *count += 1;
        }
    }
    let count: usize = taken.values().sum();
    let is_most = |share: f64, of: usize| count as f64 >= share * of as f64;
    let is_rest =
        least.of_more.is_some_and(|(share, of)| count >= TELLING_NODES && is_most(share, of));
    if !is_most(least.of_its, its.len()) && !is_rest {
        return false;
    }
    for (node, count) in taken {
        if let Some(there) = more.get_mut(&node) {
            *there -= count;
        }
    }
    true
}

/// The number by which each node is more frequent in one row than in another; local names are
/// ignored.
pub(super) fn surplus(row: &[Token], other: &[Token]) -> HashMap<u64, usize> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for token in row.iter().filter(|token| token.exact == token.loose) {
        *counts.entry(token.loose).or_default() += 1;
    }
    for token in other {
        if let Some(count) = counts.get_mut(&token.loose) {
            *count = count.saturating_sub(1);
        }
    }
    counts
}

/// Causes that go away once the types are known.
const OVERLOADED: [&str; 2] = ["overloaded-loop", "lost-specialise"];

/// Causes that may come and go with the way another function is called.
const FOLLOWING: [&str; 2] = ["lazy-accumulator", "boxed-argument"];

/// A change of less weight may be a consequence of another function's arguments.
const OWN: u32 = 50;

/// True if a function, given by its number, is overloaded, and a binding of the other program that
/// does not use it contains a copy of its code: judged by a rule that fired there more often or, if
/// that is unknown, by an existing copy.
pub(super) fn is_copied(here: &View<'_>, number: usize, there: &View<'_>, place: Site) -> bool {
    let (Some(site), Some(other)) = (here.sites.get(&number), there.sites.get(&number)) else {
        return false;
    };
    let (program, other_program) = (there.side.names.program, here.side.names.program);
    let module = program.module_of(place);
    let name = in_source(here.name(*site));
    if here.facts[site].dictionaries == 0 || there.facts[other].dictionaries == 0 {
        return false;
    }
    let fired = |module: &Module| {
        let firings = module.firings.as_ref()?;
        let of_it = firings.iter().filter(|firing| {
            let mut words = firing.rule.split_whitespace();
            let is_copy = words.next().is_some_and(|word| word.contains("SPEC"));
            is_copy && words.next().is_some_and(|of| in_source(of) == name)
        });
        Some(of_it.count())
    };
    let before = other_program.modules.iter().find(|it| it.name == module.name).and_then(fired);
    match fired(module) {
        Some(count) => count > before.unwrap_or(0),
        None => there.side.sites().any(|site| {
            let copy = program.name(site);
            is_specialised(copy) && in_source(copy) == name
        }),
    }
}

/// Removes changes that contradict the specialisation of a function, or its loss: a worker that GHC
/// made of one version may have more parameters than the one it is compared with, and if a copy
/// runs on one side, changes in the overloaded function itself affect nothing that runs on both.
pub(super) fn settle(all: &mut [Aligned], dictionaries: impl Fn(&Aligned) -> bool) {
    let mut said: HashSet<(String, Tends)> = HashSet::new();
    let mut copied: HashSet<String> = HashSet::new();
    for aligned in all.iter() {
        for change in &aligned.changes {
            match change {
                Change::Specialised { what } | Change::NoLongerSpecialised { what } => {
                    copied.insert(what.clone());
                    said.insert((what.clone(), change.tends()));
                }
                change if is_of_types(change) => {
                    said.insert((aligned.name.clone(), change.tends()));
                }
                _ => {}
            }
        }
    }
    for aligned in all.iter_mut().filter(|it| !it.is_same()) {
        let has = |tends| said.contains(&(aligned.name.clone(), tends));
        let is_one_way = has(Tends::Up) != has(Tends::Down);
        let is_copied = copied.contains(&aligned.name) && dictionaries(aligned);
        let count = aligned.changes.len();
        aligned.changes.retain(|change| match change {
            Change::Dictionaries { .. } => !is_one_way || has(change.tends()),
            change => !is_copied || is_of_types(change),
        });
        if aligned.changes.len() < count && aligned.changes.is_empty() {
            aligned.changes.push(Change::Body);
        }
    }
}

/// True if a change is a cause that goes away once the types are known.
fn is_of_types(change: &Change) -> bool {
    matches!(change, Change::Cause { cause, .. } if OVERLOADED.contains(&cause.id))
}

/// Joins specialised copies that only one side has with their overloaded functions: on the other
/// side these did their work.
pub(super) fn join_copies(
    all: &[Aligned],
    sides: [&Side<'_>; 2],
    join: &mut dyn FnMut(usize, usize),
) {
    let is_copy = |aligned: &Aligned| {
        let sites = [aligned.before, aligned.after].into_iter().zip(sides);
        sites.into_iter().any(|(site, side)| site.is_some_and(|site| side.names.is_copy(site)))
    };
    let is_alone = |aligned: &Aligned| aligned.before.is_none() || aligned.after.is_none();
    let mut functions: HashMap<&str, usize> = HashMap::new();
    for (number, aligned) in all.iter().enumerate().filter(|(_, it)| !is_alone(it) && !is_copy(it))
    {
        functions.entry(&aligned.name).or_insert(number);
    }
    for (copy, aligned) in all.iter().enumerate().filter(|(_, it)| is_alone(it) && is_copy(it)) {
        if let Some(function) = functions.get(aligned.name.as_str()) {
            join(copy, *function);
        }
    }
}

/// Joins bindings that only changed because of the way functions are called with those functions:
/// dictionaries that came or went, and bindings whose calls differ but nothing else.
pub(super) fn join(all: &[Aligned], sides: [&Side<'_>; 2], join: &mut dyn FnMut(usize, usize)) {
    let site = |number: usize, side: usize| [all[number].before, all[number].after][side];
    let users = |number: usize| -> HashSet<(usize, Site)> {
        let used = (0..2).filter_map(|side| Some((side, site(number, side)?)));
        let users = |(side, site)| through(sides[side], site).map(move |user| (side, user));
        used.flat_map(users).collect()
    };
    let is_called = |number: &usize| all[*number].changes.iter().any(is_of_calls);
    let functions: Vec<(usize, HashSet<(usize, Site)>)> =
        (0..all.len()).filter(is_called).map(|number| (number, users(number))).collect();
    for (number, aligned) in all.iter().enumerate().filter(|(_, it)| !it.is_same()) {
        let is_passed = (0..2).any(|side| {
            let is_passed = |site| is_evidence(sides[side].names.program.name(site));
            site(number, side).is_some_and(is_passed)
        });
        let is_alone = aligned.before.is_none() || aligned.after.is_none();
        let is_weak = aligned.changes.iter().all(may_follow);
        if if is_passed { !is_alone } else { is_alone || !is_weak } {
            continue;
        }
        let own = if is_passed { users(number) } else { HashSet::new() };
        let follows = |of: &HashSet<(usize, Site)>| {
            let uses = |side| site(number, side).is_some_and(|site| of.contains(&(side, site)));
            if is_passed { own.iter().any(|user| of.contains(user)) } else { uses(0) && uses(1) }
        };
        let found = functions.iter().filter(|(it, of)| *it != number && follows(of));
        let found: Vec<usize> = found.map(|(it, _)| *it).collect();
        // A function may have several versions.
        if let Some(first) = found.first()
            && found.iter().all(|it| all[*it].name == all[*first].name)
        {
            join(number, *first);
        }
    }
}

/// True if a change may follow from the way another function is called: callers need not defer or
/// box an argument that is certainly needed.
fn may_follow(change: &Change) -> bool {
    match change {
        Change::Cause { cause, .. } => FOLLOWING.contains(&cause.id),
        Change::Unboxed { .. } | Change::Strict { .. } => true,
        Change::Split | Change::NoLongerSplit => true,
        change => change.weight() < OWN,
    }
}

/// True if a change is one of the way a function is called.
fn is_of_calls(change: &Change) -> bool {
    is_of_types(change)
        || matches!(
            change,
            Change::Dictionaries { .. }
                | Change::Unboxed { .. }
                | Change::Arity { of: None, .. }
                | Change::GivesFunction { .. }
                | Change::Continuation { .. }
        )
}

/// The users of a binding, directly or through dictionaries that contain it.
fn through(side: &Side<'_>, of: Site) -> impl Iterator<Item = Site> {
    let mut seen: HashSet<Site> = HashSet::from([of]);
    let mut waiting = vec![of];
    while let Some(site) = waiting.pop() {
        for user in side.users(site).iter().copied() {
            if seen.insert(user) && is_evidence(side.names.program.name(user)) {
                waiting.push(user);
            }
        }
    }
    seen.remove(&of);
    seen.into_iter()
}
