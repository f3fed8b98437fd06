//! Groups of related bindings, with their costs before and after.
//!
//! If code moves from one binding to another, so does its cost. So bindings that exchanged code
//! count as one: their costs before and after can be compared, those of each alone cannot.
//!
//! Detection of inlined code: the nodes of one binding within another.

use std::collections::{BTreeMap, HashMap};

use super::align::Side;
use super::change::{Change, Tends};
use super::compare::Aligned;
use super::overloading;
use super::tokens::Token;
use super::view::View;
use crate::causes::costs::Costs;
use crate::causes::{Paid, Site};
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
    #[must_use]
    pub fn bytes(&self) -> i128 {
        i128::from(self.bytes_after) - i128::from(self.bytes_before)
    }

    /// The change in entries, if known.
    #[must_use]
    pub fn entries(&self) -> Option<i128> {
        Some(i128::from(self.entries_after?) - i128::from(self.entries_before?))
    }

    /// The change in instructions, if known.
    #[must_use]
    pub fn instructions(&self) -> Option<i128> {
        Some(i128::from(self.instructions_after?) - i128::from(self.instructions_before?))
    }

    /// The change by a measure; 0 if unknown.
    #[must_use]
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
    overloading::join_copies(all, [before, after], &mut |one, other| sets.join(one, other));
    of_users(all, before, after, &mut sets);
    overloading::join(all, [before, after], &mut |one, other| sets.join(one, other));
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
    let arity = |site: Site| program.module_of(site).core().arity(program.binding(site));
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
    let core = view.side.names.program.module_of(candidate).core();
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
