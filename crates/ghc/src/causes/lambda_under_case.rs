//! Functions that examine an argument before they take the next one.
//!
//! `step instr = case instr of Add -> \config -> ...` takes one argument, does the case, and
//! returns a function, which is allocated. The program need not be written like this: `ReaderT`,
//! `StateT` and continuations are functions in disguise. If the returned function is called only
//! once, the outer one could take all arguments at once.

use std::collections::HashSet;

use super::bound::{bare, body, given_back, loops, tails_of};
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::over_saturated_calls;
use super::overloaded_loop::is_overloaded;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::Name;
use crate::core::tree::{Binding, Expr, Id, Key, LetKind};

/// Functions that examine an argument before they take the next one.
pub(super) static CAUSE: Cause = Cause {
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
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    // Functions always called with too many arguments are found by their calls.
    let by_calls: HashSet<Site> =
        over_saturated_calls::all(look).into_iter().map(|(site, _)| site).collect();
    let mut found = Vec::new();
    for site in look.sites() {
        let core = program.module_of(site).core();
        let top = program.binding(site);
        // In code for any monad, the returned function is up to that monad.
        if !by_calls.contains(&site) && !is_overloaded(program, site) && is_late(core, top) {
            let is_recursive = || program.module_of(site).is_recursive(site.top);
            if measured(look, site).unwrap_or_else(is_recursive) {
                found.push(finding(program, site, None, top));
            }
        }
        for it in loops(program, site) {
            let is_part = it.within.is_some() && !is_overloaded(program, site);
            if is_part && is_late(core, &it.binding) {
                found.push(finding(program, site, it.within, &it.binding));
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
        if let Expr::Variable(name) = core.exprs[bare(core, tail)] {
            found.extend(named.iter().filter(|(it, _)| *it == name).map(|(_, id)| *id));
        }
        tails_of(core, tail, &mut tails);
    }
    found
}

fn finding(
    program: &Program,
    site: Site,
    within: Option<Id<Binding>>,
    binding: &Binding,
) -> Finding {
    /// More evidence adds nothing.
    const MOST_SHOWN: usize = 2;
    let core = program.module_of(site).core();
    let name = in_source(core.text(binding.name));
    let mut lambdas = given_back(core, binding);
    lambdas.truncate(MOST_SHOWN);
    Finding {
        cause: &CAUSE,
        site,
        within,
        at: None,
        what: format!(
            "`{name}` does work before it takes its last arguments, and allocates a function"
        ),
        evidence: vec![Evidence { site, within, focus: lambdas }],
        remedy: Remedy {
            text: format!(
                "let `{name}` take all arguments at once: write the last ones as parameters, or wrap its \
                 body: `ReaderT (oneShot (\\r -> runReaderT (...) r))` with `oneShot` of GHC.Exts; in \
                 continuation-passing style, return the result instead of calling the continuation"
            ),
            change: None,
        },
        why: format!(
            "Somebody might give `{name}` its first arguments once and use what comes back many times; \
             then the work would be done each time. GHC cannot know that nobody does."
        ),
        basis: match within {
            Some(within) => Basis::part(site, within),
            None => Basis::site(site),
        },
    }
}
