//! Functions that wrap the previous function.
//!
//! An environment can be a function from names to values; adding a name wraps it in another
//! function, which asks the previous one for every other name. Each addition makes all later
//! lookups longer, and replaced entries stay in the chain.

use std::collections::{HashMap, HashSet};

use super::bound::{Bound, bare, body, ends, parameters};
use super::boxed_elements::Boxed;
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::{Name, split_unique};
use crate::core::tree::{Binder, Expr, Id};

/// Functions that wrap the previous function.
pub(super) static CAUSE: Cause = Cause {
    id: "closure-chain",
    title: "wraps a function around the one before, again and again",
    about: "Each change makes a function that answers one question itself and passes all others to the \
            function before it. A question goes down the chain of all changes.",
    seed: "difference lists and environments as functions: the case that `Map` replaces",
    needs: &[Need::Ticky, Need::IdInfo, Need::Prep],
    explains: 0.9,
    paid: Paid::Entries,
    find,
};

/// The least mean number of functions in a long lookup. Arbitrary.
const LEAST_DEPTH: u64 = 8;

fn find(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    let makers = makers(look);
    let entries = |site: Site| look.costs.own_entries(program, site, None).unwrap_or(0);
    let all = look.sites().filter_map(|site| {
        let made_by = makers.get(&site)?;
        let made: u64 = made_by.iter().map(|maker| entries(*maker)).sum();
        let asks = asks(program, site);
        let is_long = made > 0 && entries(site) / made >= LEAST_DEPTH;
        (is_long && !asks.is_empty()).then(|| finding(program, site, asks, entries(site) / made))
    });
    all.chain(look.sites().filter_map(|site| of_functions_within(look, site))).collect()
}

/// The finding of a binding that makes such functions within itself.
fn of_functions_within(look: &Look<'_>, site: Site) -> Option<Finding> {
    let program = look.program;
    let own = look.costs.own_entries(program, site, None)?;
    let depth = look.costs.most_entries(site).checked_div(own)?;
    let core = program.module_of(site).core();
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
    (depth >= LEAST_DEPTH && !asks.is_empty()).then(|| finding(program, site, asks, depth))
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
        let core = program.module_of(site).core();
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
            let called = behind_casts(program, called);
            let arity = program.module_of(called).core().arity(program.binding(called));
            let is_partial = arity.is_some_and(|arity| (arity as usize) > call.values.len());
            let is_name = |it: &Id<Expr>| name(core, &bound, *it);
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

/// The function for which a binding is another name, as with newtypes; otherwise the binding
/// itself.
fn behind_casts(program: &Program, site: Site) -> Site {
    let core = program.module_of(site).core();
    match core.exprs[bare(core, program.binding(site).right)] {
        Expr::Variable(name) => program.site_of(site.module, name).unwrap_or(site),
        _ => site,
    }
}

/// The name of a value, or of the content of its box.
fn name(core: &Core, bound: &Bound<'_>, value: Id<Expr>) -> Option<Name> {
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
    let core = program.module_of(site).core();
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
            name(core, bound, *value).is_some_and(|it| bound.aliases(parameter.name).contains(&it))
        })
}

fn finding(program: &Program, site: Site, asks: Vec<Id<Expr>>, depth: u64) -> Finding {
    let name = in_source(program.name(site));
    Finding {
        cause: &CAUSE,
        site,
        within: None,
        // The wrapper was written at the call of the wrapped function.
        at: asks.first().and_then(|ask| program.location_within_code(site, *ask)),
        what: format!(
            "`{name}` wraps a function around the one before, and was entered {depth} times for each \
             that was made"
        ),
        evidence: vec![Evidence { site, within: None, focus: asks }],
        remedy: Remedy {
            text: "keep what was added as data: Data.Map or Data.IntMap for names and values, an array \
                   for numbered ones"
                .to_owned(),
            change: None,
        },
        why: "A function cannot be looked into: GHC cannot leave out of the chain what is asked for no \
              more."
            .to_owned(),
        basis: Basis::site(site),
    }
}
