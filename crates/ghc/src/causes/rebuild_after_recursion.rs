//! Structures that each step of a loop takes apart down to the place of a change, and builds again.
//!
//! A step function goes down a nested structure by recursion, changes the bottom, and wraps it
//! again on the way back; a loop takes one step after the other. The cost of each step grows with
//! the depth of the structure. A zipper keeps the place of work at hand, and the path to it aside.

use std::collections::HashSet;

use super::bound::{Bound, Loop, bare, is_constructor, loops};
use super::cause::{Cause, Look, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::{Name, occurrence};
use crate::core::tree::{Expr, Id, Pattern};

/// Structures that each step of a loop takes apart down to the place of a change, and builds again.
pub(super) static CAUSE: Cause = Cause {
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
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    let stepped = stepped(look);
    let all = look.sites().flat_map(|site| loops(look.program, site));
    all.filter_map(|it| {
        let driver = stepped.iter().find(|(called, _)| *called == it.site)?.1;
        let rebuilt = rebuilt(look.program, &it);
        if rebuilt.is_empty() || !is_one_way(&rebuilt) {
            return None;
        }
        let focus = rebuilt.into_iter().map(|it| it.call).collect();
        Some(finding(look.program, &it, focus, driver))
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
    let core = program.module_of(it.site).core();
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
        let is_part = matches!(core.exprs[bare(core, scrutinee)],
            Expr::Variable(name) if parts.contains(&name));
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
                && call.values.iter().any(|value| {
                    matches!(core.exprs[bare(core, *value)],
                        Expr::Variable(name) if parts.contains(&name))
                })
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
    for driver in look.sites().flat_map(|site| loops(program, site)) {
        let core = program.module_of(driver.site).core();
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

fn finding(program: &Program, it: &Loop, rebuilt: Vec<Id<Expr>>, driver: Site) -> Finding {
    let core = program.module_of(it.site).core();
    let name = in_source(core.text(it.name()));
    let driver = in_source(program.name(driver));
    Finding {
        cause: &CAUSE,
        site: it.site,
        within: it.within,
        at: None,
        what: format!(
            "each round of `{driver}` lets `{name}` go down a nested structure and build it up again"
        ),
        evidence: vec![Evidence { site: it.site, within: it.within, focus: rebuilt }],
        remedy: Remedy {
            text: "turn the structure inside out (a zipper): keep the part that is worked on in front, \
                   and what is around it in a list, from the inside out"
                .to_owned(),
            change: None,
        },
        why: "Which part the next step works on follows from the program's meaning, not from its form; \
              GHC does not change data structures."
            .to_owned(),
        basis: match it.within {
            Some(within) => Basis::part(it.site, within),
            None => Basis::site(it.site),
        },
    }
}
