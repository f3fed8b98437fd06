//! Who makes the thunks that fill a heap: by a census of the heap, else as far as the counters tell.

use std::collections::HashSet;

use super::bound::{is_constructor, is_primitive};
use super::cause::Look;
use super::held::{Held, HeldBytes};
use super::names::{Location, in_source};
use super::program::{Module, Site};
use crate::core::arena::Id;
use crate::core::names::Name;
use crate::core::occurrence::split_unique;
use crate::core::tree::{Binding, Expr};
use crate::heap_census::Waiting;
use crate::heap_profile::HeapProfile;
use crate::ticky::{Closure, Kind, Profile};

/// Who makes them.
#[derive(Debug)]
pub(super) struct Maker {
    pub(super) site: Site,
    /// The function without counters that it calls, and which makes them.
    pub(super) by_way_of: Option<String>,
    /// Where in the source they are made.
    pub(super) location: Option<Location>,
    /// What is put off.
    pub(super) focus: Vec<Id<Expr>>,
}

/// The bytes of the smallest thunk: header, room for its value, and one word.
const LEAST_THUNK_BYTES: u64 = 24;
/// What a call that puts off one thing keeps, at most: two such thunks, as one for each part of a pair.
const PUT_OFF_BYTES: u64 = 2 * LEAST_THUNK_BYTES;
/// Of so many thunks of a kind that is hardly ever asked for, one is.
const MANY: u64 = 10;
/// Functions of `base` and `containers` whose results hold work put off, the commonest first: those that
/// put off one or two things each time they are called.
const LAZY_ONCE: [&str; 12] = [
    "++",
    "modifyIORef",
    "modifySTRef",
    "modifyTVar",
    "modify",
    "insertWith",
    "insertWithKey",
    "adjust",
    "alter",
    "fromListWith",
    "unionWith",
    "atomicModifyIORef",
];
/// Those that put off something for each element of what they are given.
const LAZY_EACH: [&str; 9] =
    ["foldl", "map", "fmap", "zip", "zipWith", "filter", "concat", "concatMap", "iterate"];

/// Functions of `base` that never come back.
const FAILURES: [&str; 3] = ["error", "errorWithoutStackTrace", "throw"];

/// Who makes most of what the heap holds: where thunks of one kind that nobody asks for are half of it
/// and more, the binding that makes these; else a caller of libraries, whose closures are not counted.
pub(super) fn maker(look: &Look<'_>, growth: HeldBytes) -> Option<Maker> {
    let profile = look.program.ticky.as_ref()?;
    if let Some(maker) = counted(look) {
        return Some(maker);
    }
    let words = look.program.heap.as_ref().and_then(Words::of_most);
    let bytes = |row: usize| profile.closures[row].allocated_bytes.ok().unwrap_or(0);
    let rows =
        look.sites().flat_map(|site| look.costs.rows(site).iter().map(move |row| (site, *row)));
    let kept = rows
        .filter(|(site, row)| is_kept(&profile.closures[*row]) && can_be(look, *site, *row, words));
    if let Some((site, row)) = kept.max_by_key(|(_, row)| bytes(*row))
        && bytes(row) >= growth.bytes / 2
    {
        return Some(at_row(look, site, row));
    }
    let is_counted = profile.closures.iter().all(|it| it.allocated_bytes.is_ok());
    let once = |entries: u64| entries.saturating_mul(PUT_OFF_BYTES) >= growth.bytes / 2;
    let by_call = is_counted.then(|| caller(look, &LAZY_ONCE, once)).flatten();
    by_call
        .or_else(|| busiest(look, profile, words, growth.bytes / 2))
        .or_else(|| is_counted.then(|| caller(look, &LAZY_EACH, |entries| entries > 0)).flatten())
}

/// The share of all thunks in the heap that those in chains are, at least, if they are what fills it: what
/// they hold may be larger than they are.
const LEAST_CHAINED: f64 = 0.1;

/// Who makes most of the thunks that were counted in the heap, or most of those in chains. None where
/// nobody counted, or where these are of libraries.
fn counted(look: &Look<'_>) -> Option<Maker> {
    let waiting = &look.program.waiting;
    let all: u64 = waiting.iter().map(|it| it.bytes).sum();
    let chained: u64 = waiting.iter().filter(|it| it.is_chained).map(|it| it.bytes).sum();
    let is_chain = chained as f64 >= LEAST_CHAINED * all as f64;
    let candidates = || waiting.iter().filter(|it| it.is_chained || !is_chain);
    let by = |it: &Waiting| {
        let declared = |at| look.program.declared(it.site?, at).map(str::to_owned);
        (it.site, it.at.as_ref().and_then(declared), it.library.clone())
    };
    let bytes = |it: &Waiting| -> u64 {
        candidates().filter(|other| by(other) == by(it)).map(|it| it.bytes).sum()
    };
    let most = candidates().max_by_key(|it| (bytes(it), it.bytes))?;
    let (site, line) = (most.site?, most.at.clone()?);
    let location = row_of(look, site, most).and_then(|row| written(look, site, row));
    Some(at(look, site, location.or(Some(line))))
}

/// The row of the counters of some thunks of a binding: as large, and allocated as often at least.
fn row_of(look: &Look<'_>, site: Site, thunks: &Waiting) -> Option<usize> {
    let profile = look.program.ticky.as_ref()?;
    let words = Some(Words::Exactly(usize::try_from(thunks.words).ok()?));
    let allocated = |row: usize| profile.closures[row].allocated_bytes.ok();
    let enough = thunks.bytes - thunks.bytes / 10;
    let rows = look.costs.rows(site).iter().copied().filter(|row| {
        profile.closures[*row].kind == Kind::Thunk
            && look.costs.prep(*row).is_some()
            && can_be(look, site, *row, words)
            && allocated(*row).is_some_and(|it| it >= enough)
    });
    rows.min_by_key(|row| allocated(*row))
}

/// Where in the source the code of a row is written, also where it was inlined: by the notes within it,
/// else by the nearest around it.
fn written(look: &Look<'_>, site: Site, row: usize) -> Option<Location> {
    let module = look.program.module_of(site);
    let (prep, binding) = module.prep.as_ref().zip(look.costs.prep(row))?;
    let whole = module.prepared(site.top)?;
    look.program.written(site, &prep.core, prep.core.bindings[whole].right, binding)
}

/// How many words a thunk holds of what is around it. A heap profile tells this of its thunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Exactly(usize),
    AtLeast(usize),
}

impl Words {
    /// That of the kind which is most of the thunks when there are most of them, where one is.
    fn of_most(heap: &HeapProfile) -> Option<Self> {
        let (moment, most) = Held::Thunks.most(heap)?;
        let mut bands = heap.samples[moment].bands.iter();
        let (band, _) =
            bands.find(|(band, bytes)| band.starts_with("THUNK") && bytes * 2 > most.bytes)?;
        match band.as_str() {
            "THUNK_1_0" | "THUNK_0_1" | "THUNK_SELECTOR" => Some(Self::Exactly(1)),
            "THUNK_2_0" | "THUNK_1_1" | "THUNK_0_2" => Some(Self::Exactly(2)),
            "THUNK" => Some(Self::AtLeast(3)),
            _ => None,
        }
    }
}

/// Whether the thunks of a row may be of a kind, as far as it is known what they hold.
fn can_be(look: &Look<'_>, site: Site, row: usize, words: Option<Words>) -> bool {
    let held = |binding| words_of(look.program.module_of(site), binding);
    match (words, look.costs.prep(row).and_then(held)) {
        (Some(Words::Exactly(words)), Some(held)) => held == words,
        (Some(Words::AtLeast(words)), Some(held)) => held >= words,
        _ => true,
    }
}

/// How many words a thunk of a module, as code is made from it, holds: one for each name that it uses
/// from around it. Names of the top level take none.
fn words_of(module: &Module, thunk: Id<Binding>) -> Option<usize> {
    let prep = module.prep.as_ref()?;
    let thunk = prep.core.bindings[thunk];
    let tops: HashSet<Name> = prep
        .passes
        .last()
        .into_iter()
        .flat_map(|pass| prep.tops(pass))
        .map(|top| prep.core.bindings[top.binding].name)
        .collect();
    let is_around = |name: &Name| {
        *name != thunk.name && !tops.contains(name) && split_unique(prep.core.text(*name)).is_some()
    };
    Some(prep.core.free_variables(thunk.right).iter().filter(|it| is_around(it)).count())
}

/// Whether most closures of a row are thunks that were never asked for.
fn is_kept(closure: &Closure) -> bool {
    let (Ok(bytes), Ok(entries)) = (closure.allocated_bytes, closure.entries) else { return false };
    closure.kind == Kind::Thunk && bytes / LEAST_THUNK_BYTES > entries.saturating_mul(MANY)
}

fn at_row(look: &Look<'_>, site: Site, row: usize) -> Maker {
    let module = look.program.module_of(site);
    let prep = module.prep.as_ref().zip(look.costs.prep(row));
    let location = prep.and_then(|(prep, binding)| {
        look.program.location_in(&prep.core, site, &prep.core.bindings[binding])
    });
    at(look, site, location)
}

/// Thunks of a place in the source.
fn at(look: &Look<'_>, site: Site, location: Option<Location>) -> Maker {
    // The same note is around the same expression, before CorePrep gave it a name.
    let core = look.program.module_of(site).core();
    let focus = location.as_ref().and_then(|location| {
        core.walk(look.program.binding(site).right).find(|it| match core.exprs[*it] {
            Expr::Tick(note, _) => super::names::note(core.text(note)).is_some_and(|it| {
                it.line == location.line
                    && (location.column.is_none() || it.column == location.column)
            }),
            _ => false,
        })
    });
    Maker { site, by_way_of: None, location, focus: focus.into_iter().collect() }
}

/// The binding whose thunks are most, by bytes, or by their number where bytes were not counted; none
/// where these are fewer bytes than `least`.
fn busiest(look: &Look<'_>, profile: &Profile, words: Option<Words>, least: u64) -> Option<Maker> {
    let bytes = |closure: &Closure| match (closure.allocated_bytes, closure.entries) {
        (Ok(bytes), _) => bytes,
        (Err(_), Ok(entries)) => entries.saturating_mul(LEAST_THUNK_BYTES),
        (Err(_), Err(_)) => 0,
    };
    let thunks = |site: Site| {
        let rows = look.costs.rows(site).iter().copied();
        rows.filter(move |row| {
            profile.closures[*row].kind == Kind::Thunk && can_be(look, site, *row, words)
        })
    };
    let of_row = |row: &usize| bytes(&profile.closures[*row]);
    let of_site = |site: Site| -> u64 { thunks(site).map(|row| of_row(&row)).sum() };
    let site = look.sites().max_by_key(|site| of_site(*site))?;
    let row = thunks(site).max_by_key(of_row)?;
    (of_site(site) >= least.max(1)).then(|| at_row(look, site, row))
}

/// The binding that was entered most of those that call one of these functions, which have no counters
/// and whose results hold work put off, if it `can` have made what there is by so many entries.
fn caller(look: &Look<'_>, lazy: &[&str], can: impl Fn(u64) -> bool) -> Option<Maker> {
    let entries = |site: Site| look.costs.site(site).entries.unwrap_or(0);
    let of_site = |site: Site| Some((site, outside(look, site, lazy)?));
    let (site, call) = look.sites().filter_map(of_site).max_by_key(|(site, _)| entries(*site))?;
    let core = look.program.module_of(site).core();
    let function = in_source(core.text(core.call(call)?.function)).to_owned();
    let maker = Maker { site, by_way_of: Some(function), location: None, focus: vec![call] };
    can(entries(site)).then_some(maker)
}

/// A call of such a function, of the commonest one.
fn outside(look: &Look<'_>, site: Site, lazy: &[&str]) -> Option<Id<Expr>> {
    let core = look.program.module_of(site).core();
    let right = look.program.binding(site).right;
    let calls = core.calls_within(right);
    // What is made for a message of a failure is made once, at most.
    let failures =
        calls.iter().filter(|(_, call)| FAILURES.contains(&in_source(core.text(call.function))));
    let of_failures: HashSet<Id<Expr>> = failures.flat_map(|(it, _)| core.walk(*it)).collect();
    let calls = calls.into_iter().filter(|(it, _)| !of_failures.contains(it));
    let ranked = calls.filter_map(|(it, call)| {
        let name = core.text(call.function);
        let is_outside = split_unique(name).is_none()
            && !is_constructor(name)
            && !is_primitive(name)
            && look.program.site_of(site.module, call.function).is_none();
        let rank = lazy.iter().position(|it| *it == in_source(name))?;
        is_outside.then_some((rank, it))
    });
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, it)| it)
}
