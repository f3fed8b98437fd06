//! Keys that are recomputed in each comparison.
//!
//! `sortBy (comparing f)` calls `f` for both values of each comparison: for n values some 2 n log n
//! times. If `f` only selects a field, that costs nothing; if it computes something, `sortOn` does
//! so once for each value.

use std::collections::HashSet;

use super::bound::{Bound, Uses, is_constructor, is_primitive, lambda_parameters, parameters};
use super::cause::{Cause, Look, Need, Paid};
use super::costs::Time;
use super::examine::{Basis, Finding};
use super::library_use::plain;
use super::names::in_source;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::{Name, occurrence, split_unique};
use crate::core::tree::{Binding, Expr, Id, LetKind};

pub(super) static CAUSE: Cause = Cause {
    id: "sort-keys",
    title: "makes the keys again in each comparison",
    about: "The function compares two values by what it computes from each. A sort compares a value many \
            times, and computes its key each time.",
    seed: "Data.List.sortOn: the decorate-sort-undecorate paradigm, or Schwartzian transform",
    needs: &[Need::Ticky],
    // Among thousands of values, each is compared some twenty times.
    explains: 0.9,
    paid: Paid::Work,
    find,
};

/// Keys with a smaller share of the program cost about as much as selecting a field. Arbitrary.
const LEAST_SHARE: f64 = 0.1;
/// The least number of repeated comparisons. Arbitrary.
const OFTEN: u64 = 100;

/// Library functions that compare values by a function passed to them.
const COMPARING: [&str; 12] = [
    "sortBy",
    "insertBy",
    "maximumBy",
    "minimumBy",
    "groupBy",
    "nubBy",
    "unstableSortBy",
    "sortByBounds",
    "stableSortBy",
    "mergeBy",
    "groupAllWith",
    "partialSort",
];

/// The largest number of functions that the values of a comparison may be passed on to.
const MOST_STEPS: usize = 3;

/// Functions that compare, and do not make keys.
const COMPARISONS: [&str; 14] = [
    "compare",
    "==",
    "/=",
    "<",
    "<=",
    ">",
    ">=",
    "max",
    "min",
    "eqString",
    "comparing",
    "on",
    "<>",
    "eq",
];

/// A function that compares two values.
struct Comparator {
    site: Site,
    /// Its binding within that one, if it is nested.
    within: Option<Id<Binding>>,
    /// Set if it is a function within that binding without a binding for itself.
    is_nameless: bool,
    /// The keys it compares, with the calls for the first and for the second value.
    keys: Vec<Key>,
}

/// A function that is called for either value.
struct Key {
    function: Name,
    calls: Vec<Id<Expr>>,
}

fn find(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    let mut comparators: Vec<Comparator> = Vec::new();
    let mut seen = HashSet::new();
    for site in look.sites() {
        let found = given(program, site).into_iter().chain(instance(program, site));
        comparators
            .extend(found.filter(|it| seen.insert((it.site, it.within, it.keys[0].calls[0]))));
    }
    if comparators.is_empty() {
        return Vec::new();
    }
    let uses = Uses::from_program(program);
    let judged = comparators.iter().filter_map(|it| Some((it, judged(look, &uses, it)?)));
    let mut found: Vec<(&Comparator, Finding)> = judged.collect();
    // The methods of one instance compare by the same keys: the one that ran most represents them.
    let entries = |it: &Comparator| look.costs.own_entries(program, it.site, it.within);
    found.sort_by_key(|(it, _)| std::cmp::Reverse(entries(it)));
    let mut told = HashSet::new();
    found.retain(|(it, _)| {
        !is_method(program, it.site) || told.insert((it.site.module, it.keys[0].function))
    });
    found.into_iter().map(|(_, it)| it).collect()
}

/// The functions that a binding passes to comparing functions, and that call another function for
/// each of their two arguments.
fn given(program: &Program, site: Site) -> Vec<Comparator> {
    let core = program.core_of(site);
    let right = program.binding(site).right;
    let is_comparing = |name: &str| COMPARING.contains(&in_source(name));
    let calls = core.calls_within(right);
    let mut calls =
        calls.into_iter().filter(|(_, it)| is_comparing(core.text(it.function))).peekable();
    if calls.peek().is_none() {
        return Vec::new();
    }
    let bound = Bound::from_core(core, right);
    let of = |value: Id<Expr>| {
        let mut behind = bound.behind(value);
        // Values that it needs are bound before it:
        // `sortBy (comparing (distance (map toLower word)))`.
        while let Expr::Let(.., body) = core.exprs[behind] {
            behind = bound.behind(body);
        }
        match core.exprs[behind] {
            Expr::Variable(name) => {
                let top = program.site_of(site.module, name)?;
                comparator(program, top, program.binding(top).right, None)
            }
            Expr::Lambda(..) => {
                let within = core.walk(right).find_map(|it| match core.exprs[it] {
                    Expr::Let(_, group, _) => {
                        group.ids().find(|id| core.bindings[*id].right == behind)
                    }
                    _ => None,
                });
                let found = comparator(program, site, behind, within)?;
                let is_nameless = within.is_none() && found.site == site;
                Some(Comparator { is_nameless, ..found })
            }
            _ => None,
        }
    };
    calls.flat_map(|(_, call)| call.values).filter_map(of).collect()
}

/// A method of `Ord` that compares two values by what another function makes of each.
fn instance(program: &Program, site: Site) -> Option<Comparator> {
    is_method(program, site)
        .then(|| comparator(program, site, program.binding(site).right, None))?
}

fn is_method(program: &Program, site: Site) -> bool {
    let method = occurrence(program.name(site)).rsplit_once("$c").map(|(_, method)| method);
    matches!(method, Some("compare" | "<" | "<=" | ">" | ">="))
}

/// The comparator for a function; `None` if it does not call a function for both values.
fn comparator(
    program: &Program,
    site: Site,
    root: Id<Expr>,
    within: Option<Id<Binding>>,
) -> Option<Comparator> {
    let core = program.core_of(site);
    let [.., one, other] = lambda_parameters(core, root)[..] else { return None };
    let sides = [HashSet::from([one.name]), HashSet::from([other.name])];
    compared(program, site, root, within, sides, MOST_STEPS)
}

/// The comparator for code with the values of two sides. If the code only passes them on to another
/// function, such as a worker that receives them unpacked, it is that one.
fn compared(
    program: &Program,
    site: Site,
    root: Id<Expr>,
    within: Option<Id<Binding>>,
    sides: [HashSet<Name>; 2],
    steps: usize,
) -> Option<Comparator> {
    let core = program.core_of(site);
    let bound = Bound::from_core(core, root);
    let sides = sides
        .map(|side| -> HashSet<Name> { side.iter().flat_map(|it| bound.parts(*it)).collect() });
    let of_sides = |it: Id<Expr>| [0, 1].map(|side| bound.uses(it, &sides[side]));
    let local = local_loops(core, root);
    let mut keys: Vec<(Name, [Vec<Id<Expr>>; 2])> = Vec::new();
    let mut next = None;
    for (it, call) in core.calls_within(root) {
        let text = core.text(call.function);
        let is_loop = local.contains(&call.function);
        if is_primitive(text) || is_constructor(text) || compares(text) || call.is_jump && !is_loop
        {
            continue;
        }
        // Inlined code appears twice, once for each side, under different names.
        let is_it = |name: Name| match is_loop {
            true => local.contains(&name) && plain(core.text(name)) == plain(text),
            false => name == call.function,
        };
        match of_sides(it) {
            [true, true] => next = next.or(Some(call)),
            [false, false] => {}
            [_, of_other] => {
                let known = keys.iter().position(|(name, _)| is_it(*name));
                let place = known.unwrap_or(keys.len());
                if known.is_none() {
                    keys.push((call.function, Default::default()));
                }
                keys[place].1[usize::from(of_other)].push(it);
            }
        }
    }
    let keys: Vec<Key> = keys
        .into_iter()
        .filter(|(_, calls)| calls.iter().all(|it| !it.is_empty()))
        .map(|(function, calls)| Key { function, calls: calls.concat() })
        .collect();
    if !keys.is_empty() {
        return Some(Comparator { site, within, is_nameless: false, keys });
    }
    let call = next.filter(|_| steps > 0)?;
    let called = program.site_of(site.module, call.function)?;
    let parameters = parameters(program.core_of(called), program.binding(called));
    let mut sides = [HashSet::new(), HashSet::new()];
    for (value, parameter) in call.values.iter().zip(&parameters) {
        match of_sides(*value) {
            [true, true] => return None,
            [false, false] => {}
            [_, of_other] => {
                sides[usize::from(of_other)].insert(parameter.name);
            }
        }
    }
    compared(program, called, program.binding(called).right, None, sides, steps - 1)
}

/// The recursive functions within an expression.
fn local_loops(core: &Core, root: Id<Expr>) -> HashSet<Name> {
    let groups = core.walk(root).filter_map(|it| match core.exprs[it] {
        Expr::Let(LetKind::LetRec | LetKind::JoinRec, group, _) => Some(group),
        _ => None,
    });
    groups.flat_map(|group| &core.bindings[group]).map(|it| it.name).collect()
}

fn compares(name: &str) -> bool {
    let name = occurrence(name);
    let method = name.rsplit_once("$c").map_or(in_source(name), |(_, method)| method);
    COMPARISONS.contains(&method.trim_end_matches(|last: char| last.is_ascii_digit()))
}

/// The finding for a comparator, if its keys have a significant share of the program's cost.
fn judged(look: &Look<'_>, uses: &Uses, it: &Comparator) -> Option<Finding> {
    let program = look.program;
    let core = program.core_of(it.site);
    // A function without a binding has no counter either.
    let compared = match it.is_nameless {
        true => None,
        false => Some(look.costs.own_entries(program, it.site, it.within).unwrap_or(0)),
    };
    if compared.is_some_and(|entries| entries < OFTEN) {
        return None;
    }
    let mut makers: HashSet<Site> = HashSet::new();
    let mut keys = Vec::new();
    for key in &it.keys {
        let maker = program.site_of(it.site.module, key.function);
        let own = maker.map(|site| worker_of(look, uses, site));
        // A function called much more often than values are compared has other callers.
        let is_for_others = own
            .as_ref()
            .zip(compared)
            .is_some_and(|((_, entries), compared)| *entries > compared.saturating_mul(MOST_KEYS));
        if !is_for_others {
            makers.extend(own.into_iter().flat_map(|(sites, _)| sites));
            keys.push(key);
        }
    }
    let first = keys.first()?;
    makers.extend((it.within.is_none() && !it.is_nameless).then_some(it.site));
    let others = uses.only_for(&makers, &HashSet::new());
    let sites: HashSet<Site> = makers.union(&others).copied().collect();
    let mut sorted: Vec<Site> = sites.iter().copied().collect();
    sorted.sort_unstable();
    let parts = it.within.map(|within| (it.site, within)).into_iter().collect();
    let basis = Basis { parts, time: time(program, &sites), ..Basis::sites(sorted) };
    let share = CAUSE.paid.share(&look.costs.basis(program, &basis))?;
    if share < LEAST_SHARE {
        return None;
    }
    let key = match program.site_of(it.site.module, first.function) {
        None if split_unique(core.text(first.function)).is_some() => "a loop".to_owned(),
        _ => format!("`{}`", in_source(core.text(first.function))),
    };
    let focus = keys.iter().flat_map(|it| it.calls.iter().copied()).collect();
    Some(finding(program, it, &key, compared, focus, basis))
}

/// With more calls for each comparison than this, a key is made for other uses. Two are made for
/// each; some for another comparison of the same.
const MOST_KEYS: u64 = 5;

/// A function and its worker, and the number of runs of its code.
fn worker_of(look: &Look<'_>, uses: &Uses, site: Site) -> (Vec<Site>, u64) {
    let name = in_source(look.program.name(site));
    let is_worker = |it: &Site| {
        it.module == site.module && *it != site && in_source(look.program.name(*it)) == name
    };
    let mut sites = vec![site];
    sites.extend(uses.by(site).filter(is_worker));
    let entries = sites.iter().filter_map(|it| look.costs.own_entries(look.program, *it, None));
    let entries = entries.max().unwrap_or(0);
    (sites, entries)
}

/// The samples of some bindings, without those of comparisons.
fn time(program: &Program, sites: &HashSet<Site>) -> Option<Time> {
    let samples = program.samples.as_ref().ok()?;
    let is_key = |it: &&crate::samples::Use| {
        it.site.is_some_and(|site| sites.contains(&site))
            && !it.functions.last().is_some_and(|it| compares(&it.name))
    };
    let looks = samples.uses.iter().filter(is_key).map(|it| it.looks).sum();
    Some(Time { looks, of: samples.working() })
}

fn finding(
    program: &Program,
    it: &Comparator,
    key: &str,
    compared: Option<u64>,
    focus: Vec<Id<Expr>>,
    basis: Basis,
) -> Finding {
    let name = program.name_at(it.site, program.location(it.site).as_ref()).to_owned();
    let times = compared.map_or(String::new(), |times| format!(", {times} times"));
    Finding {
        what: format!("`{name}` compares two values by what {key} makes of each{times}"),
        remedy: "make each key once: `sortOn` in the place of `sortBy (comparing ...)`; elsewhere, put \
                 each value beside its key (`map (\\x -> (key x, x))`, or `Arg`) and compare these, or \
                 keep the key in the value"
            .into(),
        why: "A sort gets a function and calls it for each comparison; GHC does not know that it is given \
              the same values again."
            .to_owned(),
        basis,
        ..Finding::within(&CAUSE, it.site, it.within, focus)
    }
}
