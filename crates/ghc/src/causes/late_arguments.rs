//! Functions that do some work before they take their last arguments.
//!
//! GHC counts the arguments that a function takes before it does work: its arity. `step instr = case
//! instr of Add -> \config -> ...` takes one argument, does the case, and returns a function, which is
//! allocated, and called as an unknown one. The program need not be written like this: `ReaderT`,
//! `StateT` and continuations are functions in disguise. If every call has all arguments, or the
//! returned function is called only once, the detour gains nothing.

use std::collections::{HashMap, HashSet};

use super::bound::{body, given_back, loops, tails, tails_of, variable};
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Evidence, Finding};
use super::names::in_source;
use super::overloading::is_overloaded;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::calls::Saturation;
use crate::core::names::Name;
use crate::core::tree::{Binding, Expr, Id, Key, LetKind};

pub(super) static OVER_SATURATED_CALLS: Cause = Cause {
    id: "over-saturated-calls",
    title: "called with more arguments than it takes at once",
    about: "The function takes some arguments, does some work, and gives back another function that \
            takes the rest. Its callers always have all arguments. Each call allocates the function \
            in between and calls it as an unknown one.",
    seed: "faster-winter, 5 and 6 (continuations and `ReaderT` in the evaluator); GHC User's Guide, \
           `-fpedantic-bottoms` and `oneShot`",
    needs: &[Need::IdInfo],
    // The pair of `ghc.md`, case f, with GHC 9.0.2.
    explains: 0.33,
    paid: Paid::Allocations,
    find: find_over_saturated_calls,
};

/// The calls of one function.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Those with more arguments than its arity.
    over: Vec<(Site, Id<Expr>)>,
    /// The largest number of arguments of such a call.
    most: u32,
    all: usize,
}

fn find_over_saturated_calls(look: &Look<'_>) -> Vec<Finding> {
    let found = over_saturated(look);
    found
        .into_iter()
        .filter_map(|(called, calls)| over_saturated_calls(look, called, &calls))
        .collect()
}

/// The functions all of whose calls have too many arguments.
pub(super) fn over_saturated(look: &Look<'_>) -> Vec<(Site, Calls)> {
    let program = look.program;
    let mut calls: HashMap<Site, Calls> = HashMap::new();
    for caller in look.sites() {
        let core = program.core_of(caller);
        let tails = body_tails(core, program.binding(caller).right);
        for (it, call) in core.calls_within(program.binding(caller).right) {
            let Some(called) = program.site_of(caller.module, call.function) else { continue };
            // In a recursive tail call, the missing arguments come from the original caller.
            if called == caller && tails.contains(&it) {
                continue;
            }
            let callee = program.core_of(called);
            let Some(arity @ 1..) = callee.arity(program.binding(called)) else { continue };
            let known = calls.entry(called).or_default();
            known.all += 1;
            if let Saturation::Excess(_) = call.saturation(arity) {
                known.over.push((caller, it));
                known.most = known.most.max(call.values.len() as u32);
            }
        }
    }
    let mut found: Vec<(Site, Calls)> = calls.into_iter().collect();
    found.sort_unstable_by_key(|(site, _)| *site);
    let is_one = |(called, calls): &(Site, Calls)| {
        // If most calls have fewer arguments, the work in between may be shared on purpose.
        !calls.over.is_empty()
            && calls.over.len() * 2 >= calls.all
            && gives_lambda(look, *called).is_some()
    };
    found.retain(is_one);
    found
}

fn over_saturated_calls(look: &Look<'_>, called: Site, calls: &Calls) -> Option<Finding> {
    let program = look.program;
    let arity = program.core_of(called).arity(program.binding(called))?;
    let name = in_source(program.name(called));
    let count = calls.over.len();
    let (caller, call) = *calls.over.first()?;
    let lambda = gives_lambda(look, called)?;
    Some(Finding {
        what: format!(
            "`{name}` takes {} and gives back a function, but {} it {} at once",
            arguments(arity),
            match (count, calls.all) {
                (1, 1) => "its only call gives".to_owned(),
                (count, all) if count == all => format!("all {count} calls give"),
                (count, all) => format!("{count} of {all} calls give"),
            },
            calls.most
        ),
        evidence: vec![
            Evidence { site: called, within: None, focus: vec![lambda] },
            Evidence { site: caller, within: None, focus: vec![call] },
        ],
        remedy: format!(
            "let `{name}` take all arguments at once: write the last ones as parameters of every \
             equation, or wrap the function that it gives back in `oneShot` (GHC.Exts)"
        )
        .into(),
        why: format!(
            "GHC gives `{name}` another parameter only if no work would be repeated; it cannot know \
             that nobody calls it with {} and uses the result many times.",
            arguments(arity)
        ),
        ..Finding::at_site(&OVER_SATURATED_CALLS, called, Vec::new())
    })
}

fn arguments(arity: u32) -> String {
    if arity == 1 { "1 argument".to_owned() } else { format!("{arity} arguments") }
}

/// The expressions whose value is that of a binding's body, from the outside in.
fn body_tails(core: &Core, right: Id<Expr>) -> HashSet<Id<Expr>> {
    let mut body = right;
    while let Expr::Lambda(_, inner) = core.exprs[body] {
        body = inner;
    }
    tails(core, body)
}

/// A function that a binding returns after it has done some work.
fn gives_lambda(look: &Look<'_>, site: Site) -> Option<Id<Expr>> {
    let core = look.program.core_of(site);
    given_back(core, look.program.binding(site)).first().copied()
}

pub(super) static LAMBDA_UNDER_CASE: Cause = Cause {
    id: "lambda-under-case",
    title: "does work before it takes its last arguments",
    about: "The function does some work with its first arguments and gives back a function that takes \
            the others. Each call allocates that function, and calls it as an unknown one.",
    seed: "faster-winter, 5 (eta-expanding `ReaderT`) and 6 (continuations)",
    needs: &[Need::IdInfo],
    // Case e of the founding measurements: 920 MB before, 320 MB after; case f with GHC 9.0.2: 33
    // %.
    explains: 0.5,
    paid: Paid::Allocations,
    find: find_lambda_under_case,
};

fn find_lambda_under_case(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    // Functions always called with too many arguments are found by their calls.
    let by_calls: HashSet<Site> = over_saturated(look).into_iter().map(|(site, _)| site).collect();
    let mut found = Vec::new();
    for site in look.sites() {
        let core = program.core_of(site);
        let top = program.binding(site);
        // In code for any monad, the returned function is up to that monad.
        if !by_calls.contains(&site) && !is_overloaded(program, site) && is_late(core, top) {
            let is_recursive = || program.module_of(site).is_recursive(site.top);
            if measured(look, site).unwrap_or_else(is_recursive) {
                found.push(lambda_under_case(program, site, None, top));
            }
        }
        for it in loops(program, site) {
            let is_part = it.within.is_some() && !is_overloaded(program, site);
            if is_part && is_late(core, &it.binding) {
                found.push(lambda_under_case(program, site, it.within, &it.binding));
            }
        }
    }
    found
}

/// True if a binding takes arguments, does work, and returns a function that GHC does not know to
/// be called once.
fn is_late(core: &Core, binding: &Binding) -> bool {
    if body(core, binding) == binding.right {
        return false;
    }
    let lambdas = given_back(core, binding);
    // Behind bindings alone, there is no work to be shared.
    let is_once = |it: &Id<Expr>| match core.exprs[*it] {
        Expr::Lambda(binders, _) => core.binders[binders]
            .first()
            .is_some_and(|binder| core.attribute(binder.notes, Key::OneShot).is_some()),
        _ => false,
    };
    !lambdas.is_empty() && !lambdas.iter().all(is_once)
}

/// True if the functions returned in a run were entered no more often than their maker: then making
/// them first shared nothing. `None` if that was not counted.
fn measured(look: &Look<'_>, site: Site) -> Option<bool> {
    let program = look.program;
    let module = program.module_of(site);
    let prep = module.prep.as_ref()?;
    let profile = program.ticky.as_ref()?;
    let top = module.prepared(site.top)?;
    let made = functions_given_back(&prep.core, &prep.core.bindings[top]);
    let rows = look.costs.rows(site);
    let own = rows.iter().find(|row| look.costs.prep(**row) == Some(top))?;
    let maker = profile.closures[*own].entries.ok()?;
    let mut entered = 0_u64;
    let mut known = 0;
    for row in rows {
        if look.costs.prep(*row).is_some_and(|it| made.contains(&it)) {
            entered += profile.closures[*row].entries.ok()?;
            known += 1;
        }
    }
    Some(known > 0 && maker > 0 && entered <= maker)
}

/// The bindings of CorePrep that a binding returns: that pass names every function.
fn functions_given_back(core: &Core, binding: &Binding) -> Vec<Id<Binding>> {
    let mut named: Vec<(Name, Id<Binding>)> = Vec::new();
    for it in core.walk(binding.right) {
        if let Expr::Let(LetKind::Let | LetKind::LetRec, bindings, _) = core.exprs[it] {
            named.extend(bindings.ids().map(|id| (core.bindings[id].name, id)));
        }
    }
    let mut found = Vec::new();
    let mut tails = vec![body(core, binding)];
    while let Some(tail) = tails.pop() {
        if let Some(name) = variable(core, tail) {
            found.extend(named.iter().filter(|(it, _)| *it == name).map(|(_, id)| *id));
        }
        tails_of(core, tail, &mut tails);
    }
    found
}

fn lambda_under_case(
    program: &Program,
    site: Site,
    within: Option<Id<Binding>>,
    binding: &Binding,
) -> Finding {
    /// More evidence adds nothing.
    const MOST_SHOWN: usize = 2;
    let core = program.core_of(site);
    let name = in_source(core.text(binding.name));
    let mut lambdas = given_back(core, binding);
    lambdas.truncate(MOST_SHOWN);
    Finding {
        what: format!(
            "`{name}` does work before it takes its last arguments, and allocates a function"
        ),
        remedy: format!(
            "let `{name}` take all arguments at once: write the last ones as parameters, or wrap its \
             body: `ReaderT (oneShot (\\r -> runReaderT (...) r))` with `oneShot` of GHC.Exts; in \
             continuation-passing style, return the result instead of calling the continuation"
        ).into(),
        why: format!(
            "Somebody might give `{name}` its first arguments once and use what comes back many times; \
             then the work would be done each time. GHC cannot know that nobody does."
        ),
        ..Finding::within(&LAMBDA_UNDER_CASE, site, within, lambdas)
    }
}
