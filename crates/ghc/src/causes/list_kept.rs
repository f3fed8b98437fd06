//! Lists that are kept for a second walk.
//!
//! A list that one function makes and another consumes needs no memory: each cell is freed after
//! its visit. If the same list is walked again afterwards, as by `length` after `sum`, all of it
//! must be kept in between.

use std::collections::{HashMap, HashSet};

use super::bound::{Bound, body};
use super::cause::{Cause, Look, Need, Paid};
use super::finding::{Basis, Evidence, Finding, Remedy};
use super::held::{Held, HeldBytes};
use super::list_shared::{Shared, shared};
use super::loops::loops;
use super::names::in_source;
use super::program::{Program, Site};
use super::tails::ends;
use crate::core::Core;
use crate::core::arena::Id;
use crate::core::names::Name;
use crate::core::tree::{Binder, Binding, Expr, LetKind, Pattern};

/// Lists that are kept for a second walk.
pub(super) static CAUSE: Cause = Cause {
    id: "list-kept",
    title: "keeps a list to walk it again",
    about: "The function walks a list from its beginning to its end, and then walks it again. All of it \
            must stay in memory until the second walk.",
    seed: "Hughes, Why Functional Programming Matters (1989): `average` as sum over length",
    needs: &[Need::HeapProfile],
    explains: 0.9,
    paid: Paid::Memory,
    find,
};

/// Any program with lists has a smaller share of the heap at their peak.
const LEAST_SHARE: f64 = 0.3;
/// If the cells have a smaller share, the list holds data much larger than its cells, and is walked
/// again as a data structure. Arbitrary; numbers in boxes are two fifths.
const LEAST_SHARED: f64 = 0.55;
/// Fewer bytes do not matter.
const LEAST_BYTES: u64 = 1 << 20;

/// Functions of `base` that walk a list to its end, by their names in Core.
const WALKS: [&str; 18] = [
    "length",
    "sum",
    "product",
    "maximum",
    "minimum",
    "foldl",
    "foldl'",
    "foldr",
    "last",
    "mapM_",
    "forM_",
    "elem",
    "and",
    "or",
    "all",
    "any",
    "reverse",
    "genericLength",
];

fn find(look: &Look<'_>) -> Vec<Finding> {
    let most = look.program.heap.as_ref().and_then(|heap| Held::Lists.most(heap));
    let Some((_, most)) = most else { return Vec::new() };
    if most.bytes < LEAST_BYTES || most.share < LEAST_SHARE {
        return Vec::new();
    }
    let walked = look.sites().filter_map(|site| {
        let walks = walked_twice(look.program, site)?;
        can_have_walked(look, site, &walks, most.bytes / CELL_BYTES).then_some((site, walks))
    });
    // The lists in the heap are those of the whole program: the function that ran most is chosen.
    let entries = |site: Site| look.costs.site(site).entries.unwrap_or(0);
    let most_run = walked.max_by_key(|(site, _)| entries(*site));
    let found = most_run.map(|(site, walks)| finding(look.program, site, walks, most));
    let shared = || shared(look, most.bytes / CELL_BYTES).filter(|_| most.share >= LEAST_SHARED);
    found.or_else(|| shared().map(|it| of_shared(look.program, it, most))).into_iter().collect()
}

/// The bytes of a cell: its header, an element and the rest (64 bits).
const CELL_BYTES: u64 = 24;

/// True if a function has run, and the program's walks in one call of it, if any, visited at least
/// half of `cells`.
fn can_have_walked(look: &Look<'_>, site: Site, walks: &[Id<Expr>], cells: u64) -> bool {
    let core = look.program.module_of(site).core();
    let local = local_walkers(look.program, site);
    let own = walks.iter().filter_map(|walk| {
        let function = core.call(*walk)?.function;
        if walked_by_library(core.text(function), 1).is_some() {
            return None;
        }
        let of_local = local
            .get(&function)
            .and_then(|walker| look.costs.own_entries(look.program, site, Some(walker.binding)));
        let walker = look.program.site_of(site.module, function).unwrap_or(site);
        Some(of_local.unwrap_or_else(|| look.costs.most_entries(walker)))
    });
    let has_run = look.program.ticky.is_none() || look.costs.most_entries(site) > 0;
    let around = walks.iter().flat_map(|walk| bindings_around(look.program, site, *walk));
    let around = around.map(Some).chain([None]);
    let calls = around.filter_map(|it| look.costs.own_entries(look.program, site, it)).max();
    let calls = calls.unwrap_or(1).max(1);
    has_run && own.max().is_none_or(|entries| entries / calls >= cells / 2)
}

/// The bindings around an expression, within that of the top level.
fn bindings_around(program: &Program, site: Site, it: Id<Expr>) -> Vec<Id<Binding>> {
    let core = program.module_of(site).core();
    let mut walk = core.walk(program.binding(site).right);
    if !walk.by_ref().any(|inner| inner == it) {
        return Vec::new();
    }
    let around = walk.path().windows(2).filter_map(|pair| match core.exprs[pair[0]] {
        Expr::Let(_, group, _) => group.ids().find(|id| core.bindings[*id].right == pair[1]),
        _ => None,
    });
    around.collect()
}

/// The calls that walk the same list of a function, if at least two of them run.
fn walked_twice(program: &Program, site: Site) -> Option<Vec<Id<Expr>>> {
    let core = program.module_of(site).core();
    let binding = program.binding(site);
    let bound = Bound::from_core(core, binding.right);
    let local = local_walkers(program, site);
    let mut walks: HashMap<Name, Vec<Id<Expr>>> = HashMap::new();
    let paths = paths(core, binding.right);
    let ends = ends(core, body(core, binding));
    for (it, call) in core.calls_within(binding.right) {
        if local.values().any(|walker| walker.calls.contains(&it)) {
            continue;
        }
        let place = match local.get(&call.function) {
            Some(walker) => Some(walker.place),
            None => walked_by_library(core.text(call.function), call.values.len()).or_else(|| {
                let called = program.site_of(site.module, call.function)?;
                (called != site).then(|| takes_lists_apart(program, called))?
            }),
        };
        let Some(value) = place.and_then(|place| call.values.get(place)) else { continue };
        if let Expr::Variable(name) = core.exprs[bound.behind(*value)] {
            walks.entry(original(&bound, binding.right, core, name)).or_default().push(it);
        }
    }
    let both_run = |walks: &Vec<Id<Expr>>| {
        let pairs = walks
            .iter()
            .enumerate()
            .flat_map(|(number, one)| walks[number + 1..].iter().map(move |other| (one, other)));
        // A function ends with only one tail call.
        let are_ends = |one, other| ends.contains(one) && ends.contains(other);
        pairs
            .into_iter()
            .any(|(one, other)| !are_ends(one, other) && !exclude(core, &paths[one], &paths[other]))
    };
    walks.into_values().filter(both_run).max_by_key(Vec::len)
}

/// By expression: those around it, from the outside in, and itself.
fn paths(core: &Core, root: Id<Expr>) -> HashMap<Id<Expr>, Vec<Id<Expr>>> {
    let mut paths = HashMap::new();
    let mut walk = core.walk(root);
    while let Some(it) = walk.next() {
        if core.call(it).is_some() {
            paths.insert(it, walk.path().to_vec());
        }
    }
    paths
}

/// True if one of two expressions may run without the other: they are in two alternatives of a
/// case, or one is in a function made between them.
fn exclude(core: &Core, one: &[Id<Expr>], other: &[Id<Expr>]) -> bool {
    let common = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let Some(last) = common.checked_sub(1) else { return false };
    let is_made = |path: &&[Id<Expr>]| {
        path.iter().skip(common).any(|it| matches!(core.exprs[*it], Expr::Lambda(..)))
    };
    let are_alternatives = match core.exprs[one[last]] {
        Expr::Case(of, ..) => {
            [one, other].iter().all(|path| path.get(common).is_some_and(|next| *next != of))
        }
        _ => false,
    };
    are_alternatives || [one, other].iter().any(is_made)
}

/// The index of the argument, out of `arguments`, that a function of `base` walks to its end as a
/// list.
pub(super) fn walked_by_library(name: &str, arguments: usize) -> Option<usize> {
    let name = in_source(name);
    match name {
        // It takes the list first, and then the count so far.
        "lenAcc" => Some(0),
        _ if WALKS.contains(&name) => arguments.checked_sub(1),
        _ => None,
    }
}

/// The name of the same value further out: cases give the list they examine another name.
fn original(bound: &Bound<'_>, root: Id<Expr>, core: &Core, name: Name) -> Name {
    let outer = core.walk(root).find_map(|it| match core.exprs[it] {
        Expr::Case(of, Some(binder), _) if core.binders[binder].name == name => {
            match core.exprs[bound.behind(of)] {
                Expr::Variable(outer) => Some(outer),
                _ => None,
            }
        }
        _ => None,
    });
    outer.unwrap_or(name)
}

/// A function within a binding that calls itself and takes a list apart.
#[derive(Debug)]
pub(super) struct Walker {
    /// Its binding.
    pub(super) binding: Id<Binding>,
    /// The index of the list among its parameters.
    pub(super) place: usize,
    /// The calls within it.
    calls: HashSet<Id<Expr>>,
}

pub(super) fn local_walkers(program: &Program, site: Site) -> HashMap<Name, Walker> {
    let core = program.module_of(site).core();
    let mut found = HashMap::new();
    for it in core.walk(program.binding(site).right) {
        let Expr::Let(LetKind::LetRec | LetKind::JoinRec, bindings, _) = core.exprs[it] else {
            continue;
        };
        for id in bindings.ids() {
            let binding = &core.bindings[id];
            let parameters = super::bound::parameters(core, binding);
            if let Some(place) = takes_apart(core, binding.right, &parameters) {
                let calls = core.calls_within(binding.right).into_iter().map(|(it, _)| it);
                found.insert(binding.name, Walker { binding: id, place, calls: calls.collect() });
            }
        }
    }
    found
}

/// The index of the parameter that a recursive function of the top level takes apart as a list.
pub(super) fn takes_lists_apart(program: &Program, site: Site) -> Option<usize> {
    let core = program.module_of(site).core();
    let own = loops(program, site).into_iter().find(|it| it.within.is_none())?;
    takes_apart(core, own.binding.right, &own.parameters)
}

/// The index of the parameter that is examined by a case with a list cell.
fn takes_apart(core: &Core, root: Id<Expr>, parameters: &[Binder]) -> Option<usize> {
    let bound = Bound::from_core(core, root);
    core.walk(root).find_map(|it| {
        let Expr::Case(of, _, alternatives) = core.exprs[it] else { return None };
        let Expr::Variable(name) = core.exprs[bound.behind(of)] else { return None };
        let place = parameters.iter().position(|it| it.name == name)?;
        let has_cell = core.alternatives[alternatives].iter().any(|it| {
            matches!(it.pattern, Pattern::Constructor(name)
                if matches!(core.text(name), ":" | "GHC.Types.:"))
        });
        has_cell.then_some(place)
    })
}

fn finding(program: &Program, site: Site, walks: Vec<Id<Expr>>, most: HeldBytes) -> Finding {
    let name = in_source(program.name(site));
    Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: None,
        what: format!(
            "`{name}` walks a list {} times, so that all of it stays: lists are {:.1} MB of the heap \
             ({:.0} %)",
            walks.len(),
            most.bytes as f64 / 1e6,
            most.share * 100.0
        ),
        evidence: vec![Evidence { site, within: None, focus: walks }],
        remedy: Remedy {
            text: "compute everything in one walk: a foldl' over a data type with strict fields, or the \
                   `foldl` package; where the list is cheap to make, make it twice"
                .to_owned(),
            change: None,
        },
        why: "The second walk needs what the first has seen, and GHC does not merge two walks into one."
            .to_owned(),
        basis: Basis { held: Some(Held::Lists), ..Basis::site(site) },
    }
}

fn of_shared(program: &Program, it: Shared, most: HeldBytes) -> Finding {
    let Shared { site, within, is_floated, walks, .. } = it;
    let core = program.module_of(site).core();
    let within_at = within.and_then(|it| program.location_within(site, &core.bindings[it]));
    let at = within_at.or_else(|| program.nearest_location(site));
    let declared = at.as_ref().and_then(|at| program.declared(site, at)).filter(|_| is_floated);
    let name = declared.unwrap_or_else(|| in_source(program.name(site)));
    let bytes = most.bytes as f64 / 1e6;
    let held = format!(
        "so that all of it stays: lists are {bytes:.1} MB of the heap ({:.0} %)",
        most.share * 100.0
    );
    let what = match within {
        _ if is_floated => {
            format!("GHC makes a list of `{name}` once for all walks of it, {held}")
        }
        None => format!("`{name}` is a list of the top level that is walked again, {held}"),
        Some(_) => {
            format!(
                "`{name}` makes a list once, outside of a function that walks it in each call, {held}"
            )
        }
    };
    let text = match within {
        None if !is_floated => {
            "make the list a function of its seed or its bounds, so that each walk has a list of its own \
             and drops it; or pass on the state that the next element is made from; or walk it once"
        }
        _ => {
            "walk the list once, for all calls at the same time; where it is cheap to make, let each call \
             make it: compile the module with -fno-full-laziness (`{-# OPTIONS_GHC ... #-}`)"
        }
    };
    Finding {
        cause: &CAUSE,
        site,
        within,
        at: None,
        what,
        evidence: vec![Evidence { site, within: None, focus: walks }],
        remedy: Remedy { text: text.to_owned(), change: None },
        why: "What is bound outside of a function is made once. GHC binds outside what does not depend on \
              a function's arguments, and does not know that it takes more memory to keep than to make."
            .to_owned(),
        basis: Basis { held: Some(Held::Lists), ..Basis::site(site) },
    }
}
