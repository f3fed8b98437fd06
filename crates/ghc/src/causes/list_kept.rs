//! Lists that are kept because they are walked again.
//!
//! A list that one function makes and another consumes needs no memory: each cell is freed after
//! its visit. If the same list is walked again afterwards, as by `length` after `sum`, all of it
//! must be kept in between. A list of the top level, or one bound outside the function that walks
//! it, is the same for each walk; GHC itself moves lists out of functions (full laziness) if they do
//! not depend on the arguments. As long as another walk may come, all cells walked so far are kept.

use std::collections::{HashMap, HashSet};

use super::bound::{Bound, Uses, bare, body, ends, fields, loops, parameters};
use super::cause::{Cause, Look, Need, Paid};
use super::costs::{Held, HeldBytes};
use super::examine::{Basis, Evidence, Finding};
use super::names::in_source;
use super::program::{Program, Site};
use super::source::definition_line;
use crate::core::Core;
use crate::core::names::Name;
use crate::core::tree::{Binder, Binding, Expr, Id, Key, LetKind, Pattern, Type};

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

/// The lists of any program reach a smaller share of the heap's peak.
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
    let core = look.program.core_of(site);
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
    let core = program.core_of(site);
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
    let core = program.core_of(site);
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
        if let Some(name) = bound.variable(*value) {
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
fn walked_by_library(name: &str, arguments: usize) -> Option<usize> {
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
struct Walker {
    /// Its binding.
    binding: Id<Binding>,
    /// The index of the list among its parameters.
    place: usize,
    /// The calls within it.
    calls: HashSet<Id<Expr>>,
}

fn local_walkers(program: &Program, site: Site) -> HashMap<Name, Walker> {
    let core = program.core_of(site);
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
fn takes_lists_apart(program: &Program, site: Site) -> Option<usize> {
    let core = program.core_of(site);
    let own = loops(program, site).into_iter().find(|it| it.within.is_none())?;
    takes_apart(core, own.binding.right, &own.parameters)
}

/// The index of the parameter that is examined by a case with a list cell.
fn takes_apart(core: &Core, root: Id<Expr>, parameters: &[Binder]) -> Option<usize> {
    let bound = Bound::from_core(core, root);
    core.walk(root).find_map(|it| {
        let Expr::Case(of, _, alternatives) = core.exprs[it] else { return None };
        let name = bound.variable(of)?;
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
        what: format!(
            "`{name}` walks a list {} times, so that all of it stays: lists are {:.1} MB of the heap, \
             {:.0} % of its peak",
            walks.len(),
            most.bytes as f64 / 1e6,
            most.share * 100.0
        ),
        remedy: "compute everything in one walk: a foldl' over a data type with strict fields, or the \
                 `foldl` package; where the list is cheap to make, make it twice"
            .into(),
        why: "The second walk needs what the first has seen, and GHC does not merge two walks into one."
            .to_owned(),
        basis: Basis { held: Some(Held::Lists), ..Basis::site(site) },
        ..Finding::at_site(&CAUSE, site, walks)
    }
}

fn of_shared(program: &Program, it: Shared, most: HeldBytes) -> Finding {
    let Shared { site, within, is_floated, walks, .. } = it;
    let core = program.core_of(site);
    let within_at = within.and_then(|it| program.location_within(site, &core.bindings[it]));
    let at = within_at.or_else(|| program.nearest_location(site));
    let declared = at.as_ref().and_then(|at| program.declared(site, at)).filter(|_| is_floated);
    let name = declared.unwrap_or_else(|| in_source(program.name(site)));
    let bytes = most.bytes as f64 / 1e6;
    let held = format!(
        "so that all of it stays: lists are {bytes:.1} MB of the heap, {:.0} % of its peak",
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
        what,
        evidence: vec![Evidence { site, within: None, focus: walks }],
        remedy: text.into(),
        why: "What is bound outside of a function is made once. GHC binds outside what does not depend on \
              a function's arguments, and does not know that it takes more memory to keep than to make."
            .to_owned(),
        basis: Basis { held: Some(Held::Lists), ..Basis::site(site) },
        ..Finding::within(&CAUSE, site, within, Vec::new())
    }
}

/// A list that may be walked again.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shared {
    /// The binding of the top level that it is, or that contains it.
    site: Site,
    /// Its binding within that one; `None` if it is that one.
    within: Option<Id<Binding>>,
    /// Set if GHC, and not the source, bound it outside the function that names it.
    is_floated: bool,
    /// The expressions that walk it, within that binding of the top level.
    walks: Vec<Id<Expr>>,
    /// The number of cells visited by the counted walks.
    cells: u64,
}

/// A list walked more often than this serves as a table: it is cheaper to keep than to make so
/// often. Arbitrary.
const MOST_WALKS: u64 = 20;

/// The most walked list among those that may have `cells` cells.
fn shared(look: &Look<'_>, cells: u64) -> Option<Shared> {
    let mut found = of_top_level(look, cells);
    found.extend(look.sites().flat_map(|site| within(look, site, cells)));
    found.into_iter().max_by_key(|it| it.cells)
}

/// A place that names a list.
struct Mention {
    site: Site,
    it: Id<Expr>,
    /// Set if the code around it may run again.
    is_again: bool,
    taken: Taken,
}

/// The use of a list at a place that names it.
enum Taken {
    /// This number of cells is consumed, as far as counted.
    Walked(Option<u64>),
    /// It is searched.
    LookedUp,
    Otherwise,
}

/// Lists of the top level that are made when they are walked, and that are named where another walk
/// may come.
fn of_top_level(look: &Look<'_>, cells: u64) -> Vec<Shared> {
    let program = look.program;
    let is_list = |site: &Site| {
        let core = program.core_of(*site);
        let binding = program.binding(*site);
        is_list(core, binding.signature) && parameters(core, binding).is_empty()
    };
    let lists: HashSet<Site> = look.sites().filter(is_list).collect();
    if lists.is_empty() {
        return Vec::new();
    }
    let mut mentions: HashMap<Site, Vec<Mention>> = HashMap::new();
    for site in program.sites() {
        let core = program.core_of(site);
        let walkers = local_walkers(program, site);
        let mut walk = core.walk(program.binding(site).right);
        while let Some(it) = walk.next() {
            let Expr::Variable(name) = core.exprs[it] else { continue };
            if let Some(list) = program.site_of(site.module, name).filter(|it| lists.contains(it)) {
                let mention = Mention {
                    site,
                    it,
                    is_again: runs_again(core, walk.path()),
                    taken: taken(look, site, &walkers, walk.path()),
                };
                mentions.entry(list).or_default().push(mention);
            }
        }
    }
    let uses = Uses::from_program(program);
    let lists =
        lists.into_iter().filter(|it| fields(program.core_of(*it), root(program, *it)).is_none());
    lists
        .filter_map(|list| {
            // A list with known first cells stands for the rest, too.
            let of = aliases(program, list, &mentions);
            let all: Vec<&Mention> = of
                .iter()
                .filter_map(|it| mentions.get(it))
                .flatten()
                .filter(|it| !of.contains(&it.site))
                .collect();
            let made = uses
                .only_for(&HashSet::from([list]), &HashSet::new())
                .into_iter()
                .chain([list])
                .map(|it| look.costs.most_entries(it))
                .max();
            let signature = program.binding(list).signature;
            let least = own_cells(program.core_of(list), signature, cells) / 2;
            let walked = walked(&all, least, MOST_WALKS * cells, made)?;
            let walks = all.iter().filter(|it| it.site == list).map(|it| it.it).collect();
            let source = program.module_of(list).source.as_ref();
            let name = in_source(program.name(list));
            let is_floated = source.is_some_and(|it| definition_line(&it.text, name).is_none());
            Some(Shared { site: list, within: None, is_floated, walks, cells: walked })
        })
        .collect()
}

fn root(program: &Program, site: Site) -> Id<Expr> {
    bare(program.core_of(site), program.binding(site).right)
}

/// A list, and the lists of the top level that only add cells in front of it.
fn aliases(program: &Program, list: Site, mentions: &HashMap<Site, Vec<Mention>>) -> HashSet<Site> {
    let mut aliases = HashSet::from([list]);
    let mut waiting = vec![list];
    while let Some(it) = waiting.pop() {
        for mention in mentions.get(&it).into_iter().flatten() {
            let root = root(program, mention.site);
            if fields(program.core_of(mention.site), root).is_some() && aliases.insert(mention.site)
            {
                waiting.push(mention.site);
            }
        }
    }
    aliases
}

/// The number of cells visited by the walks of a list, if it may have been walked again and the
/// number is between `least` and `most`. `made` is the number of runs of code that only the list
/// needs.
fn walked(mentions: &[&Mention], least: u64, most: u64, made: Option<u64>) -> Option<u64> {
    let is_again = mentions.iter().any(|it| it.is_again) || mentions.len() > 1;
    if !is_again || mentions.iter().any(|it| matches!(it.taken, Taken::LookedUp)) {
        return None;
    }
    let counted = mentions.iter().filter_map(|it| match it.taken {
        Taken::Walked(cells) => cells,
        _ => None,
    });
    let walked = counted.sum::<u64>();
    let made = made.unwrap_or(0);
    (walked.max(made) >= least && walked <= most).then_some(walked.max(made))
}

/// Lists that a binding makes outside the functions that walk them.
fn within(look: &Look<'_>, site: Site, cells: u64) -> Vec<Shared> {
    let program = look.program;
    let core = program.core_of(site);
    let right = program.binding(site).right;
    let mut lists: HashMap<Name, (Id<Binding>, Id<Expr>)> = HashMap::new();
    for it in core.walk(right) {
        let Expr::Let(LetKind::Let | LetKind::LetRec, group, _) = core.exprs[it] else { continue };
        for id in group.ids().filter(|id| is_list(core, core.bindings[*id].signature)) {
            lists.insert(core.bindings[id].name, (id, it));
        }
    }
    if lists.is_empty() {
        return Vec::new();
    }
    let walkers = local_walkers(program, site);
    let mut mentions: HashMap<Name, Vec<Mention>> = HashMap::new();
    let mut longer: HashMap<Name, Name> = HashMap::new();
    let mut walk = core.walk(right);
    while let Some(it) = walk.next() {
        let Expr::Variable(name) = core.exprs[it] else { continue };
        let Some((_, bound_at)) = lists.get(&name) else { continue };
        let path = walk.path();
        let inner =
            path.iter().position(|it| it == bound_at).map_or(path, |place| &path[place + 1..]);
        if let Some(of) = lists.iter().find(|(_, (id, _))| {
            let right = bare(core, core.bindings[*id].right);
            path.contains(&right) && fields(core, right).is_some()
        }) {
            longer.insert(name, *of.0);
            continue;
        }
        mentions.entry(name).or_default().push(Mention {
            site,
            it,
            is_again: runs_again(core, inner),
            taken: taken(look, site, &walkers, path),
        });
    }
    let made_lists = lists
        .iter()
        .filter(|(_, (id, _))| fields(core, bare(core, core.bindings[*id].right)).is_none());
    made_lists
        .filter_map(|(name, (id, _))| {
            let names =
                std::iter::successors(Some(*name), |it| longer.get(it).copied()).take(lists.len());
            let all: Vec<&Mention> = names.filter_map(|it| mentions.get(&it)).flatten().collect();
            // Two walks in one round are reported by another cause.
            if !all.iter().any(|it| it.is_again) {
                return None;
            }
            let least = own_cells(core, core.bindings[*id].signature, cells) / 2;
            let walked = walked(&all, least, MOST_WALKS * cells, None)?;
            Some(Shared {
                site,
                within: Some(*id),
                is_floated: in_source(core.text(*name)).starts_with("lvl"),
                walks: all.iter().map(|it| it.it).collect(),
                cells: walked,
            })
        })
        .collect()
}

/// The largest share of a list's cells that may belong to the list itself: in a list of lists, most
/// belong to the elements.
fn own_cells(core: &Core, signature: Option<Id<Type>>, cells: u64) -> u64 {
    /// The assumed maximum number of cells of such an element. Arbitrary.
    const LONG: u64 = 32;
    let is_nested = signature.is_some_and(|it| match core.types[it] {
        Type::List(of) => core.type_lists[of].iter().any(|it| is_list(core, Some(*it))),
        _ => false,
    });
    if is_nested { cells / LONG } else { cells }
}

/// True if a type is a list type.
fn is_list(core: &Core, signature: Option<Id<Type>>) -> bool {
    signature.is_some_and(|it| matches!(core.types[it], Type::List(_)))
}

/// True if the last expression of a path is within a function that may be called several times.
fn runs_again(core: &Core, path: &[Id<Expr>]) -> bool {
    path.windows(2).any(|pair| match core.exprs[pair[0]] {
        Expr::Lambda(binders, _) => core.binders[binders].iter().any(|it| {
            it.is_value()
                && core.attribute(it.notes, Key::OneShot).is_none()
                && !is_state(core, it.signature)
        }),
        Expr::Let(LetKind::LetRec | LetKind::JoinRec, group, _) => group.ids().any(|id| {
            core.bindings[id].right == pair[1] && !parameters(core, &core.bindings[id]).is_empty()
        }),
        _ => false,
    })
}

/// True if a type is that of the state token passed between actions.
fn is_state(core: &Core, signature: Option<Id<Type>>) -> bool {
    signature.is_some_and(|it| match core.types[it] {
        Type::Apply(head, _) => {
            matches!(core.types[head], Type::Name(name) if core.text(name).ends_with("State#"))
        }
        _ => false,
    })
}

/// True if a function is mentioned exactly once outside itself.
fn is_mentioned_once(program: &Program, function: Site) -> bool {
    let mut mentions = program.sites().filter(|site| *site != function).flat_map(|site| {
        let core = program.core_of(site);
        let names = core.walk(program.binding(site).right).filter_map(|it| match core.exprs[it] {
            Expr::Variable(name) => Some(name),
            _ => None,
        });
        let is_it = move |name: &Name| program.site_of(site.module, *name) == Some(function);
        names.filter(is_it).collect::<Vec<_>>()
    });
    mentions.next().is_some() && mentions.next().is_none()
}

/// The use of the list that the last expression of a path names.
fn taken(look: &Look<'_>, site: Site, walkers: &HashMap<Name, Walker>, path: &[Id<Expr>]) -> Taken {
    let program = look.program;
    let core = program.core_of(site);
    let name = path.last().copied();
    for around in path.iter().rev().skip(1) {
        match core.exprs[*around] {
            Expr::Tick(..) | Expr::Cast(..) => continue,
            Expr::Case(of, ..) if core.walk(of).next().is_some() && path.contains(&of) => {
                return Taken::Walked(None);
            }
            Expr::Apply(..) => {}
            _ => return Taken::Otherwise,
        }
        let Some(call) = core.call(*around) else { return Taken::Otherwise };
        let at = |value: &Id<Expr>| core.walk(*value).any(|it| Some(it) == name);
        let Some(place) = call.values.iter().position(at) else { return Taken::Otherwise };
        if let Some(walker) = walkers.get(&call.function) {
            let entries = look.costs.own_entries(program, site, Some(walker.binding));
            return if walker.place == place { Taken::Walked(entries) } else { Taken::Otherwise };
        }
        let text = core.text(call.function);
        if walked_by_library(text, call.values.len()) == Some(place) {
            return Taken::Walked(None);
        }
        if matches!(in_source(text), "!!" | "lookup" | "elem" | "notElem") {
            return Taken::LookedUp;
        }
        let Some(called) = program.site_of(site.module, call.function) else {
            return Taken::Otherwise;
        };
        return match takes_lists_apart(program, called) {
            // A function that others call also walks other lists.
            Some(of) if of == place => Taken::Walked(
                look.costs
                    .own_entries(program, called, None)
                    .filter(|_| is_mentioned_once(program, called)),
            ),
            _ => Taken::Otherwise,
        };
    }
    Taken::Otherwise
}
