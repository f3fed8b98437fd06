//! Structures of which each change, or each question, costs the whole.
//!
//! A step function that goes down a nested structure by recursion and wraps it again on the way back;
//! a free monad's bind that walks all that earlier binds have built; a function that wraps the one
//! before it, so that a lookup goes down the chain of all changes; an immutable array in a mutable
//! cell, which is copied for each write; and `xs ++ ys`, which copies `xs`, in a loop. The work grows
//! with the square of the number of changes.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bound::{
    Bound, Loop, bare, behind_name, body, ends, fields, is_constructor, loops, parameters, variable,
};
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Evidence, Finding};
use super::names::in_source;
use super::numbers::Boxed;
use super::overloading::{implementation_of, method_calls};
use super::program::{Program, Site};
use super::source::definition_line;
use crate::core::Core;
use crate::core::calls::Call;
use crate::core::names::{Name, module, occurrence, split_unique};
use crate::core::tree::{Alternative, Binder, Binding, Expr, Id, Pattern};

pub(super) static REBUILD_AFTER_RECURSION: Cause = Cause {
    id: "rebuild-after-recursion",
    title: "goes down and builds up again in each step",
    about: "The function calls itself on a part of what it was given, and wraps the result in what was \
            around that part. A loop calls it again and again with its own result, so that each step \
            goes all the way down and builds all of the way up.",
    seed: "faster-winter, 7 (the zipper)",
    needs: &[],
    // Case g of the founding measurements: 1071 MB before, 137 MB after, with seven levels.
    explains: 0.87,
    paid: Paid::Allocations,
    find: find_rebuild_after_recursion,
};

fn find_rebuild_after_recursion(look: &Look<'_>) -> Vec<Finding> {
    let stepped = stepped(look);
    look.loops()
        .filter_map(|it| {
            let driver = stepped.iter().find(|(called, _)| *called == it.site)?.1;
            let rebuilt = rebuilt(look.program, &it);
            if rebuilt.is_empty() || !is_one_way(&rebuilt) {
                return None;
            }
            let focus = rebuilt.into_iter().map(|it| it.call).collect();
            Some(rebuild_after_recursion(look.program, &it, focus, driver))
        })
        .collect()
}

/// A recursive call whose result a function takes apart, and wraps again.
#[derive(Debug)]
struct Rebuilt<'a> {
    call: Id<Expr>,
    /// The constructors that it wraps a part of the result in, and takes apart elsewhere, without
    /// their module: patterns omit it more often than expressions do.
    wrapped_in: HashSet<&'a str>,
}

/// True if each constructor has only one way down. A search tree has several below the same one,
/// and chooses its way by comparing; it cannot keep its place.
fn is_one_way(rebuilt: &[Rebuilt<'_>]) -> bool {
    let mut seen = HashSet::new();
    rebuilt.iter().flat_map(|it| &it.wrapped_in).all(|constructor| seen.insert(*constructor))
}

/// The recursive calls whose result is taken apart, with a part of it put into a constructor.
fn rebuilt<'a>(program: &'a Program, it: &Loop) -> Vec<Rebuilt<'a>> {
    let core = program.core_of(it.site);
    let name = it.name();
    let taken_apart = taken_apart(core, it);
    let mut found = Vec::new();
    for case in core.walk(it.binding.right) {
        let Expr::Case(scrutinee, _, alternatives) = core.exprs[case] else { continue };
        let is_self =
            core.call(scrutinee).is_some_and(|call| call.function == name && !call.is_jump);
        if !is_self {
            continue;
        }
        let mut wrapped_in = HashSet::new();
        for alternative in &core.alternatives[alternatives] {
            let bound = Bound::from_core(core, alternative.right);
            let results = core.binders[alternative.binders].iter();
            let parts: HashSet<Name> = results.flat_map(|it| bound.parts(it.name)).collect();
            wrapped_in.extend(wrappers(core, alternative.right, &parts));
        }
        wrapped_in.retain(|it| taken_apart.contains(it));
        if !wrapped_in.is_empty() {
            found.push(Rebuilt { call: scrutinee, wrapped_in });
        }
    }
    found
}

/// The constructors, other than that of lists, by which a function takes its arguments apart. A map
/// walks a list and builds another, but only once.
fn taken_apart<'a>(core: &'a Core, it: &Loop) -> HashSet<&'a str> {
    let bound = Bound::from_core(core, it.binding.right);
    let parts: HashSet<Name> =
        it.parameters.iter().flat_map(|parameter| bound.parts(parameter.name)).collect();
    let mut found = HashSet::new();
    for case in core.walk(it.binding.right) {
        let Expr::Case(scrutinee, _, alternatives) = core.exprs[case] else { continue };
        let is_part = variable(core, scrutinee).is_some_and(|name| parts.contains(&name));
        for alternative in core.alternatives[alternatives].iter().filter(|_| is_part) {
            if let Pattern::Constructor(name) = alternative.pattern
                && occurrence(core.text(name)) != ":"
            {
                found.insert(occurrence(core.text(name)));
            }
        }
    }
    found
}

/// The constructors that are applied to one of some names.
fn wrappers<'a>(core: &'a Core, root: Id<Expr>, parts: &HashSet<Name>) -> HashSet<&'a str> {
    let calls = core.walk(root).filter_map(|it| core.call(it));
    calls
        .filter(|call| {
            is_constructor(core.text(call.function))
                && call
                    .values
                    .iter()
                    .any(|value| variable(core, *value).is_some_and(|name| parts.contains(&name)))
        })
        .map(|call| occurrence(core.text(call.function)))
        .map(|name| name.strip_prefix("$W").unwrap_or(name))
        .collect()
}

/// The functions that a loop calls and whose result it passes to its next round, each with the
/// loop's binding of the top level.
fn stepped(look: &Look<'_>) -> Vec<(Site, Site)> {
    let program = look.program;
    let mut found = Vec::new();
    for driver in look.loops() {
        let core = program.core_of(driver.site);
        let bound = Bound::from_core(core, driver.binding.right);
        for case in core.walk(driver.binding.right) {
            let Expr::Case(scrutinee, binder, alternatives) = core.exprs[case] else { continue };
            let Some(call) = core.call(scrutinee) else { continue };
            let Some(called) = program.site_of(driver.site.module, call.function) else { continue };
            if called == driver.site {
                continue;
            }
            let alternatives = core.alternatives[alternatives].iter();
            let results = alternatives.flat_map(|it| &core.binders[it.binders]).map(|it| it.name);
            let itself = binder.map(|it| core.binders[it].name);
            let mut parts: HashSet<Name> = HashSet::new();
            for name in results.chain(itself) {
                parts.extend(bound.parts(name));
            }
            let is_passed_on = driver
                .calls
                .iter()
                .chain(&driver.through_wrapper)
                .any(|(_, call)| call.values.iter().any(|value| bound.uses(*value, &parts)));
            if is_passed_on {
                found.push((called, driver.site));
            }
        }
    }
    found
}

fn rebuild_after_recursion(
    program: &Program,
    it: &Loop,
    rebuilt: Vec<Id<Expr>>,
    driver: Site,
) -> Finding {
    let core = program.core_of(it.site);
    let name = in_source(core.text(it.name()));
    let driver = in_source(program.name(driver));
    Finding {
        what: format!(
            "each round of `{driver}` lets `{name}` go down a nested structure and build it up again"
        ),
        remedy: "turn the structure inside out (a zipper): keep the part that is worked on in front, \
                 and what is around it in a list, from the inside out"
            .into(),
        why: "Which part the next step works on follows from the program's meaning, not from its form; \
              GHC does not change data structures."
            .to_owned(),
        ..Finding::at_loop(&REBUILD_AFTER_RECURSION, it, rebuilt)
    }
}

pub(super) static TREE_SUBSTITUTION: Cause = Cause {
    id: "tree-substitution",
    title: "walks the tree built so far to replace its ends",
    about: "The function goes down a tree to its ends, calls a function there, and builds the tree up \
            again. As the bind of a free monad it does so once for each step that follows.",
    seed: "Voigtländer, Asymptotic Improvement of Computations over Free Monads (MPC 2008)",
    needs: &[],
    explains: 0.97,
    paid: Paid::Entries,
    find: find_tree_substitution,
};

/// A bind with a smaller share of all entries does not walk deep trees. Arbitrary.
const LEAST_ENTRIES: f64 = 0.2;

fn find_tree_substitution(look: &Look<'_>) -> Vec<Finding> {
    look.loops()
        .filter(|it| {
            let share = look.costs.site(it.site).entry_share;
            share.is_none_or(|share| share >= LEAST_ENTRIES)
        })
        .filter_map(|it| {
            let walks = walks(look.program, &it);
            (!walks.is_empty()).then(|| tree_substitution(look, &it, walks))
        })
        .collect()
}

/// A function that passes the result of a recursive call to a bind: each of its rounds nests binds
/// one deeper to the left.
struct Nest {
    site: Site,
    within: Option<Id<Binding>>,
    bind: Id<Expr>,
}

/// The function that runs most often among those that nest this bind to the left.
fn nest(look: &Look<'_>, walk: &Loop) -> Option<Nest> {
    let program = look.program;
    let is_walk = |caller: Site, name: Name| {
        program
            .site_of(caller.module, name)
            .is_some_and(|it| it == walk.site || implementation_of(program, walk.site) == Some(it))
    };
    // Users cannot change a copy of library code, such as that of `replicateM`.
    let is_own = |site: &Site| {
        let (name, text) = (program.name(*site), &program.module_of(*site).source);
        let is_written =
            || text.as_ref().is_some_and(|it| definition_line(&it.text, in_source(name)).is_some());
        !name.contains("$s") || is_written()
    };
    let others = look.sites().filter(|site| *site != walk.site && is_own(site));
    let nests = others.flat_map(|site| loops(program, site)).filter_map(|it| {
        let core = program.core_of(it.site);
        let bound = Bound::from_core(core, it.binding.right);
        let calls = core.calls_within(it.binding.right);
        let mut binds = calls.iter().filter(|(_, call)| is_walk(it.site, call.function));
        let is_nested = |call: &Call| {
            call.values.iter().any(|value| it.is_call_of_itself(bound.behind(*value)))
        };
        let (bind, _) = binds.find(|(_, call)| is_nested(call))?;
        Some(Nest { site: it.site, within: it.within, bind: *bind })
    });
    nests.max_by_key(|it| look.costs.site(it.site).entries)
}

/// The deferred recursive calls with which a function fills the constructor that it has taken
/// apart; empty if it does not call one of its parameters with the contents of another constructor.
fn walks(program: &Program, it: &Loop) -> Vec<Id<Expr>> {
    let core = program.core_of(it.site);
    let bound = Bound::from_core(core, it.binding.right);
    let parameters: HashSet<Name> = it.parameters.iter().map(|it| it.name).collect();
    let mut found = Vec::new();
    for case in core.walk(it.binding.right) {
        let Expr::Case(of, _, alternatives) = core.exprs[case] else { continue };
        let Some(taken) = bound.variable(of) else { continue };
        if !parameters.contains(&taken) {
            continue;
        }
        let alternatives = &core.alternatives[alternatives];
        let ends_here = |alternative: &Alternative| {
            let fields: HashSet<Name> =
                core.binders[alternative.binders].iter().map(|it| it.name).collect();
            let ends = ends(core, alternative.right);
            core.calls_within(alternative.right).iter().any(|(it, call)| {
                ends.contains(it)
                    && parameters.contains(&call.function)
                    && call.values.iter().any(|value| bound.uses(*value, &fields))
            })
        };
        let (ending, going_on): (Vec<&Alternative>, Vec<&Alternative>) =
            alternatives.iter().partition(|it| ends_here(it));
        for alternative in going_on.iter().filter(|_| !ending.is_empty()) {
            let Pattern::Constructor(constructor) = alternative.pattern else { continue };
            let constructor = occurrence(core.text(constructor));
            let calls = core.calls_within(alternative.right);
            let is_built = calls.iter().any(|(_, call)| {
                let name = core.text(call.function);
                is_constructor(name) && occurrence(name).trim_start_matches("$W") == constructor
            });
            let own = calls.iter().filter(|(_, call)| call.function == it.name());
            found.extend(own.filter(|_| is_built).map(|(call, _)| *call));
        }
    }
    found
}

fn tree_substitution(look: &Look<'_>, it: &Loop, walks: Vec<Id<Expr>>) -> Finding {
    let program = look.program;
    let core = program.core_of(it.site);
    let name = in_source(core.text(it.name()));
    let goes =
        format!("`{name}` goes down to the ends of a tree, and builds it up again around them");
    let walks = Evidence { site: it.site, within: it.within, focus: walks };
    let (site, within, what, evidence) = match nest(look, it) {
        None => (it.site, it.within, goes, vec![walks]),
        Some(nest) => {
            let user = program.name_at(nest.site, program.location(nest.site).as_ref());
            let what = format!("{goes}; `{user}` gives it what it has made by a call of itself");
            let bind = Evidence { site: nest.site, within: nest.within, focus: vec![nest.bind] };
            (nest.site, nest.within, what, vec![bind, walks])
        }
    };
    Finding {
        what,
        evidence,
        remedy: "build the tree once: take what follows as an argument (Codensity, or the Church \
                 encoding of `Control.Monad.Free.Church`), or nest binds to the right"
            .into(),
        why: "Which step follows is known only at the ends, and GHC does not change how binds are nested."
            .to_owned(),
        basis: Basis::binding(it.site, it.within),
        ..Finding::within(&TREE_SUBSTITUTION, site, within, Vec::new())
    }
}

pub(super) static CLOSURE_CHAIN: Cause = Cause {
    id: "closure-chain",
    title: "wraps a function around the one before, again and again",
    about: "Each change makes a function that answers one question itself and passes all others to the \
            function before it. A question goes down the chain of all changes.",
    seed: "difference lists and environments as functions: the case that `Map` replaces",
    needs: &[Need::Ticky, Need::IdInfo, Need::Prep],
    explains: 0.9,
    paid: Paid::Entries,
    find: find_closure_chain,
};

/// The least mean number of functions in a long lookup. Arbitrary.
const LEAST_DEPTH: u64 = 8;

fn find_closure_chain(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    let makers = makers(look);
    let entries = |site: Site| look.costs.own_entries(program, site, None).unwrap_or(0);
    let all = look.sites().filter_map(|site| {
        let made_by = makers.get(&site)?;
        let made: u64 = made_by.iter().map(|maker| entries(*maker)).sum();
        let asks = asks(program, site);
        let is_long = made > 0 && entries(site) / made >= LEAST_DEPTH;
        (is_long && !asks.is_empty())
            .then(|| closure_chain(program, site, asks, entries(site) / made))
    });
    all.chain(look.sites().filter_map(|site| of_functions_within(look, site))).collect()
}

/// The finding of a binding that makes such functions within itself.
fn of_functions_within(look: &Look<'_>, site: Site) -> Option<Finding> {
    let program = look.program;
    let own = look.costs.own_entries(program, site, None)?;
    let depth = look.costs.most_entries(site).checked_div(own)?;
    let core = program.core_of(site);
    let right = program.binding(site).right;
    // A sibling function is not a link of the chain: it did not exist before.
    let mut given: HashSet<Name> =
        parameters(core, program.binding(site)).iter().map(|it| it.name).collect();
    for it in core.walk(right) {
        if let Expr::Case(_, _, alternatives) = core.exprs[it] {
            let all = core.alternatives[alternatives].iter();
            given.extend(all.flat_map(|it| &core.binders[it.binders]).map(|it| it.name));
        }
    }
    let is_given =
        |it: &Id<Expr>| core.call(*it).is_some_and(|call| given.contains(&call.function));
    let asks: Vec<Id<Expr>> =
        core.walk(right).filter_map(|it| asks_another(core, it)).filter(is_given).collect();
    (depth >= LEAST_DEPTH && !asks.is_empty()).then(|| closure_chain(program, site, asks, depth))
}

/// The tail call by which a nested function passes its question on to a function from outside, if
/// it has other ends too.
fn asks_another(core: &Core, it: Id<Expr>) -> Option<Id<Expr>> {
    let Expr::Lambda(binders, inner) = core.exprs[it] else { return None };
    let own = &core.binders[binders];
    let bound = Bound::from_core(core, inner);
    let ends = ends(core, inner);
    let within: HashSet<Name> = own.iter().flat_map(|it| bound.parts(it.name)).collect();
    let asks = core.calls_within(inner).into_iter().find(|(it, call)| {
        ends.contains(it)
            // Bound outside the function, and below the top level.
            && !within.contains(&call.function)
            && split_unique(core.text(call.function)).is_some()
            && are_last(core, &bound, own, &call.values)
            && call.values.len() == own.len()
    });
    asks.map(|(it, _)| it).filter(|_| ends.len() > 1)
}

/// By function: the bindings that make a function of it, by passing all but its last arguments, or
/// by calling it in a function that takes the last one.
fn makers(look: &Look<'_>) -> HashMap<Site, HashSet<Site>> {
    let program = look.program;
    let mut makers: HashMap<Site, HashSet<Site>> = HashMap::new();
    for site in look.sites() {
        let core = program.core_of(site);
        let right = program.binding(site).right;
        let bound = Bound::from_core(core, right);
        let own = parameters(core, program.binding(site));
        let of_lambdas: HashSet<Name> = core
            .walk(right)
            .filter_map(|it| match core.exprs[it] {
                Expr::Lambda(binders, _) => Some(&core.binders[binders]),
                _ => None,
            })
            .flatten()
            .filter(|binder| !own.iter().any(|it| it.name == binder.name))
            .flat_map(|binder| bound.parts(binder.name))
            .collect();
        for (_, call) in core.calls_within(right) {
            let Some(called) = program.site_of(site.module, call.function) else { continue };
            let called = behind_name(program, called);
            let arity = program.core_of(called).arity(program.binding(called));
            let is_partial = arity.is_some_and(|arity| (arity as usize) > call.values.len());
            let is_name = |it: &Id<Expr>| name_in_box(core, &bound, *it);
            let takes_last =
                call.values.last().and_then(is_name).is_some_and(|it| of_lambdas.contains(&it));
            let has_name = call.values.iter().any(|it| is_name(it).is_some());
            if (is_partial && has_name || takes_last) && called != site {
                makers.entry(called).or_default().insert(site);
            }
        }
    }
    makers
}

/// The name of a value, or of the content of its box.
fn name_in_box(core: &Core, bound: &Bound<'_>, value: Id<Expr>) -> Option<Name> {
    let value = bound.behind(value);
    let inner = core.call(value).filter(|call| Boxed::by(core, call.function).is_some());
    match core.exprs[inner.and_then(|call| call.values.first().copied()).unwrap_or(value)] {
        Expr::Variable(name) => Some(name),
        _ => None,
    }
}

/// The tail calls by which a function passes its question on to one of its parameters, if it has
/// other ends too and calls no parameter before.
fn asks(program: &Program, site: Site) -> Vec<Id<Expr>> {
    let core = program.core_of(site);
    let binding = program.binding(site);
    let bound = Bound::from_core(core, binding.right);
    let parameters = parameters(core, binding);
    let is_parameter = |name: Name| parameters.iter().any(|it| it.name == name);
    let tails: HashSet<Id<Expr>> = ends(core, body(core, binding));
    let mut calls = core.calls_within(binding.right);
    calls.retain(|(_, call)| is_parameter(call.function));
    let is_ask = |it: &Id<Expr>, values: &[Id<Expr>]| {
        tails.contains(it) && are_last(core, &bound, &parameters, values)
    };
    let all_ask = calls.iter().all(|(it, call)| is_ask(it, &call.values));
    if calls.is_empty() || !all_ask || calls.len() >= tails.len() {
        return Vec::new();
    }
    calls.into_iter().map(|(it, _)| it).collect()
}

/// True if the values are a function's last parameters, unchanged.
fn are_last(core: &Core, bound: &Bound<'_>, parameters: &[Binder], values: &[Id<Expr>]) -> bool {
    let Some(first) = parameters.len().checked_sub(values.len()) else { return false };
    !values.is_empty()
        && values.iter().zip(&parameters[first..]).all(|(value, parameter)| {
            name_in_box(core, bound, *value)
                .is_some_and(|it| bound.aliases(parameter.name).contains(&it))
        })
}

fn closure_chain(program: &Program, site: Site, asks: Vec<Id<Expr>>, depth: u64) -> Finding {
    let name = in_source(program.name(site));
    Finding {
        // The wrapper was written at the call of the wrapped function.
        at: asks.first().and_then(|ask| program.location_within_code(site, *ask)),
        what: format!(
            "`{name}` wraps a function around the one before, and was entered {depth} times for each \
             that was made"
        ),
        remedy: "keep what was added as data: Data.Map or Data.IntMap for names and values, an array \
                 for numbered ones"
            .into(),
        why: "A function cannot be looked into: GHC cannot leave out of the chain what is asked for no \
              more."
            .to_owned(),
        ..Finding::at_site(&CLOSURE_CHAIN, site, asks)
    }
}

pub(super) static COPY_ON_WRITE: Cause = Cause {
    id: "copy-on-write",
    title: "copies an array for each write",
    about: "The function makes a new array, copies an old one into it, changes it, and puts it where \
            the old one was. All elements are copied for the few that change.",
    seed: "faster-winter, 1 (vectors)",
    needs: &[],
    // Case a of the founding measurements: 4203 MB before, 2.5 MB after.
    explains: 0.99,
    // Arrays are allocated by the runtime, which has no closure counters.
    paid: Paid::Entries,
    find: find_copy_on_write,
};

/// Operations that make an array to be filled in.
const NEW: [&str; 4] = ["newArray#", "newSmallArray#", "newByteArray#", "newPinnedByteArray#"];
/// Operations that copy many elements into a mutable array.
const COPY: [&str; 5] = [
    "copyArray#",
    "copySmallArray#",
    "copyByteArray#",
    "copyMutableArray#",
    "copyMutableByteArray#",
];
/// Operations that do both.
const THAW: [&str; 2] = ["thawArray#", "thawSmallArray#"];
/// Operations that read one element; in a loop, they copy.
const READ: [&str; 2] = ["indexArray#", "readArray#"];
/// Operations that end the changes.
const FREEZE: [&str; 3] =
    ["unsafeFreezeArray#", "unsafeFreezeSmallArray#", "unsafeFreezeByteArray#"];
/// Operations that store the array.
const STORE: [&str; 4] =
    ["writeMutVar#", "atomicModifyMutVar2#", "atomicModifyMutVar_#", "putMVar#"];

fn find_copy_on_write(look: &Look<'_>) -> Vec<Finding> {
    look.sites().filter_map(|site| copy_on_write(look, site)).collect()
}

fn copy_on_write(look: &Look<'_>, site: Site) -> Option<Finding> {
    let core = look.program.core_of(site);
    let binding = look.program.binding(site);
    let first = |of: &[&str]| core.first_call(binding.right, of);
    // In code for any monad, the store is a method passed to it.
    let by_method = || method_calls(look.program, site).first().copied();
    let stored = first(&STORE).or_else(by_method)?;
    let copied = match first(&THAW) {
        Some(thawed) => vec![thawed],
        None => {
            let one_by_one = || {
                let is_loop = core
                    .walk(binding.right)
                    .any(|it| matches!(core.exprs[it], Expr::Let(kind, ..) if kind.is_recursive()));
                first(&READ).filter(|_| is_loop)
            };
            vec![first(&NEW)?, first(&COPY).or_else(one_by_one)?]
        }
    };
    // Without it the new array stays mutable: a larger one in place of a full one.
    first(&FREEZE)?;
    let name = in_source(look.program.name(site));
    let mut focus = copied;
    focus.push(stored);
    Some(Finding {
        what: format!("`{name}` copies a whole array to change it, and stores the copy"),
        remedy: "keep an array that can be changed in place: IOArray, STUArray, \
                 Data.Vector.Unboxed.Mutable; where old versions are needed, Data.IntMap or \
                 Data.Sequence share what did not change"
            .into(),
        why:
            "The old array may still be used elsewhere, so GHC may not change it; it has no way to \
              know that nobody else has it."
                .to_owned(),
        basis: Basis { counters: vec!["ALLOC_PRIM_gds"], ..Basis::site(site) },
        ..Finding::at_site(&COPY_ON_WRITE, site, focus)
    })
}

pub(super) static APPEND_TO_ACCUMULATOR: Cause = Cause {
    id: "append-to-accumulator",
    title: "appends to its own accumulator",
    about: "Each round of the loop appends to what the rounds before have gathered, and copies all of \
            it, at once or when the end is looked at.",
    seed: "faster-winter, 3 (difference lists)",
    needs: &[],
    // The test pair, and case c of the founding measurements: 4147 MB without, 2 MB with a
    // difference list.
    explains: 0.99,
    // The copies are allocated by the library's `++`, which has no counters.
    paid: Paid::Entries,
    find: find_append_to_accumulator,
};

fn find_append_to_accumulator(look: &Look<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for site in look.sites() {
        let core = look.program.core_of(site);
        let mut loops = loops(look.program, site);
        loops.retain(|it| !appends(core, it).is_empty());
        found.extend(loops.iter().map(|it| append_in_loop(look, it)));
    }
    found.extend(copied(look).into_iter().map(|(caller, loops)| of_copies(look, caller, &loops)));
    found
}

/// The least mean length of a list that counts as growing. Arbitrary.
const LEAST_LENGTH: u64 = 8;

/// The loops that GHC makes of `xs ++ ys` if it knows `ys`, and that copy long lists, by the
/// binding that uses them most.
fn copied(look: &Look<'_>) -> BTreeMap<Site, Vec<Loop>> {
    let program = look.program;
    let own = |site, part| look.costs.own_entries(program, site, part).unwrap_or(0);
    let mut copied: BTreeMap<Site, Vec<Loop>> = BTreeMap::new();
    for it in look.loops() {
        let module = program.module_of(it.site);
        if !copies_to_its_end(module.core(), &it) {
            continue;
        }
        let users = module.graph.users(it.site.top).iter().copied();
        let users = users.filter(|top| *top != it.site.top).map(|top| Site { top, ..it.site });
        let user = match it.within {
            Some(_) => Some(it.site),
            None => users.max_by_key(|user| own(*user, None)),
        };
        let Some(user) = user else { continue };
        if own(it.site, it.within) >= LEAST_LENGTH * own(user, None).max(1) {
            copied.entry(user).or_default().push(it);
        }
    }
    copied
}

/// True if a function returns its list with something else at the end: `[] -> end` and
/// `y : ys -> y : itself ys`.
fn copies_to_its_end(core: &Core, it: &Loop) -> bool {
    let [parameter] = it.parameters[..] else { return false };
    let Expr::Case(of, _, alternatives) = core.exprs[bare(core, body(core, &it.binding))] else {
        return false;
    };
    let is = |value: Id<Expr>, name: Name| variable(core, value) == Some(name);
    let goes_on = |alternative: &Alternative| {
        let parts: Vec<Name> = core.binders[alternative.binders].iter().map(|it| it.name).collect();
        let [first, rest] = parts[..] else { return false };
        let built = fields(core, bare(core, alternative.right)).unwrap_or_default();
        let [head, tail] = built[..] else { return false };
        let is_itself = core.call(tail).is_some_and(|call| {
            call.function == it.name() && call.values.iter().any(|value| is(*value, rest))
        });
        is(head, first) && is_itself
    };
    is(of, parameter.name) && core.alternatives[alternatives].iter().any(goes_on)
}

fn of_copies(look: &Look<'_>, caller: Site, loops: &[Loop]) -> Finding {
    let name = in_source(look.program.name(caller));
    Finding {
        what: format!("`{name}` appends to lists, and copies all that is in them each time"),
        evidence: loops
            .iter()
            .map(|it| Evidence { site: it.site, within: it.within, focus: Vec::new() })
            .collect(),
        basis: Basis {
            sites: loops.iter().filter(|it| it.within.is_none()).map(|it| it.site).collect(),
            parts: loops.iter().filter_map(|it| Some((it.site, it.within?))).collect(),
            ..Basis::default()
        },
        ..appending(caller, None, Vec::new())
    }
}

/// The calls within a loop that append to one of its parameters, or to a field of one, and pass the
/// result in the same position to the next round.
fn appends(core: &Core, it: &Loop) -> Vec<Id<Expr>> {
    let bound = Bound::from_core(core, it.binding.right);
    let mut found = Vec::new();
    for (_, call) in &it.calls {
        for (value, parameter) in call.values.iter().zip(&it.parameters) {
            let value = bound.behind(*value);
            if appends_to(core, &bound, value, &bound.aliases(parameter.name)) {
                found.push(value);
                continue;
            }
            let constructor = core.call(value).map(|it| it.function);
            let fields = fields(core, value).unwrap_or_default();
            for (number, field) in fields.into_iter().enumerate() {
                let field = bound.behind(field);
                let places = bound.fields(parameter.name, constructor, number);
                if appends_to(core, &bound, field, &places) {
                    found.push(field);
                }
            }
        }
    }
    found
}

fn appends_to(core: &Core, bound: &Bound<'_>, it: Id<Expr>, names: &HashSet<Name>) -> bool {
    let left = appended(core, it).map(|left| core.exprs[bound.behind(left)]);
    matches!(left, Some(Expr::Variable(name)) if names.contains(&name))
}

/// The left operand, if an expression is an append.
pub(super) fn appended(core: &Core, it: Id<Expr>) -> Option<Id<Expr>> {
    let call = core.call(it)?;
    let name = core.text(call.function);
    // An imported name may come without its module, or with another word for it.
    let is_local = split_unique(name).is_some();
    let is_append = match occurrence(name) {
        "++" => true,
        "append" | "snoc" | "$fSemigroupByteString_$c<>" => module(name).is_some(),
        _ => false,
    };
    (is_append && !is_local).then(|| call.values.first().copied()).flatten()
}

fn append_in_loop(look: &Look<'_>, it: &Loop) -> Finding {
    let core = look.program.core_of(it.site);
    let name = in_source(core.text(it.name()));
    Finding {
        what: format!(
            "each round of `{name}` appends to what it has gathered, which copies all of it"
        ),
        ..appending(it.site, it.within, appends(core, it))
    }
}

/// The parts that all findings have in common.
fn appending(site: Site, within: Option<Id<Binding>>, focus: Vec<Id<Expr>>) -> Finding {
    Finding {
        remedy: "gather the other way round: put new elements in front and `reverse` at the end, or \
                 keep a difference list (`[a] -> [a]`, with `.` for `++` and `(x :)` for `[x]`; \
                 `Endo [a]` for a `Writer`); for text a Builder, for access from both ends \
                 Data.Sequence"
            .into(),
        why: "GHC does not change data structures: `++` is strict in its left list, and nothing tells \
              GHC that only the end result is wanted."
            .to_owned(),
        ..Finding::within(&APPEND_TO_ACCUMULATOR, site, within, focus)
    }
}
