//! Calls of functions stored in data.
//!
//! A function in a field or a list can be any function: it is called through its code pointer, with
//! arguments in the standard way and, if they are numbers, in boxes. It cannot be inlined.

use std::collections::HashSet;

use super::bound::{is_lambda, loops};
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::overloaded_loop::is_overloaded;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::Name;
use crate::core::tree::{Argument, Expr, Id, LetKind};

/// Calls of functions stored in data.
pub(super) static CAUSE: Cause = Cause {
    id: "unknown-call",
    title: "calls functions that it does not know",
    about: "The loop calls functions that it finds in a structure. Such a call goes through a pointer, \
            its arguments are boxed, and nothing is inlined.",
    seed: "mvar-locking (the general conclusion); case d of the founding measurements: 1 000 001 \
           unknown calls before, none after",
    needs: &[Need::Ticky],
    explains: 0.15,
    paid: Paid::Entries,
    find,
};

/// A smaller share of unknown calls among the program's calls does not matter.
const LEAST_UNKNOWN: f64 = 0.02;

fn find(look: &Look<'_>) -> Vec<Finding> {
    if !matters(look.program) {
        return Vec::new();
    }
    look.sites()
        // Dictionaries are structures of functions, and have a separate cause.
        .filter(|site| !is_overloaded(look.program, *site))
        .filter_map(|site| finding(look.program, site))
        .collect()
}

fn matters(program: &Program) -> bool {
    let Some(profile) = &program.ticky else { return false };
    let unknown = profile.counters.get("UNKNOWN_CALL_ctr").copied().unwrap_or(0);
    let known = profile.counters.get("KNOWN_CALL_ctr").copied().unwrap_or(0);
    unknown as f64 >= LEAST_UNKNOWN * (known + unknown) as f64 && unknown > 0
}

fn finding(program: &Program, site: Site) -> Option<Finding> {
    let module = program.module_of(site);
    let core = module.core();
    let is_loop = module.is_recursive(site.top) || !loops(program, site).is_empty();
    let calls = if is_loop { unknown(program, site) } else { Vec::new() };
    let count = calls.len();
    let first = calls.first()?;
    let called = in_source(core.text(core.call(*first)?.function)).to_owned();
    let name = in_source(program.name(site));
    Some(Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: None,
        what: format!(
            "`{name}` calls functions that it does not know, such as `{called}`, in {count} {}",
            if count == 1 { "place" } else { "places" }
        ),
        evidence: vec![Evidence { site, within: None, focus: calls }],
        remedy: Remedy {
            text:
                "let the structure hold what is to be done as a data type, and do it by `case`; or \
                   make the function that is called known: inline what passes it"
                    .to_owned(),
            change: None,
        },
        why: "Which function it is, is known only at run time.".to_owned(),
        basis: Basis { counters: vec!["UNKNOWN_CALL_ctr"], ..Basis::site(site) },
    })
}

/// The calls of functions that patterns bind. Calls of parameters are up to the caller that passes
/// them, and a deferred call, as in difference lists, is not work of the loop.
fn unknown(program: &Program, site: Site) -> Vec<Id<Expr>> {
    let core = program.module_of(site).core();
    let binding = program.binding(site);
    let mut local: HashSet<Name> = HashSet::new();
    for it in core.walk(binding.right) {
        if let Expr::Case(_, _, alternatives) = core.exprs[it] {
            let alternatives = core.alternatives[alternatives].iter();
            let binders = alternatives.flat_map(|it| &core.binders[it.binders]);
            local.extend(binders.map(|it| it.name));
        }
    }
    let run = run(core, binding.right);
    let mut calls = core.calls_within(binding.right);
    calls.retain(|(it, call)| local.contains(&call.function) && run.contains(it));
    calls.into_iter().map(|(it, _)| it).collect()
}

/// The expressions that run when a function does, or one that it makes; without deferred ones.
fn run(core: &Core, root: Id<Expr>) -> HashSet<Id<Expr>> {
    let mut found = HashSet::new();
    let mut waiting = vec![root];
    while let Some(it) = waiting.pop() {
        found.insert(it);
        match core.exprs[it] {
            Expr::Lambda(_, inner) | Expr::Cast(inner, _) | Expr::Tick(_, inner) => {
                waiting.push(inner);
            }
            Expr::Let(kind, bindings, body) => {
                let is_join = matches!(kind, LetKind::Join | LetKind::JoinRec);
                let rights = core.bindings[bindings].iter().map(|it| it.right);
                waiting.extend(rights.filter(|right| is_join || is_lambda(core, *right)));
                waiting.push(body);
            }
            Expr::Case(of, _, alternatives) => {
                waiting.push(of);
                waiting.extend(core.alternatives[alternatives].iter().map(|it| it.right));
            }
            Expr::Apply(head, arguments) => {
                waiting.push(head);
                waiting.extend(core.arguments[arguments].iter().filter_map(|it| match it {
                    Argument::Value(value) if is_lambda(core, *value) => Some(*value),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    found
}
