//! Functions passed to functions that are not inlined.
//!
//! If a function takes another one as an argument and is not inlined, its caller allocates a
//! closure for the argument, and the function calls it as an unknown one: through its code pointer,
//! with its arguments and its result in boxes.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bound::{Bound, Loop, bare, body, is_lambda, loops, parameters, tails_of};
use super::cause::{Cause, Look, Need, Paid};
use super::continuation::{comes_back, is_continuation};
use super::dictionaries::classes;
use super::examine::{Basis, Change, Evidence, Finding, Remedy};
use super::kept::{Kept, kept};
use super::names::in_source;
use super::program::{Program, Site, definition_line};
use crate::core::names::{Name, split_unique};
use crate::core::tree::{Expr, Id};

/// Functions passed to functions that are not inlined.
pub(super) static CAUSE: Cause = Cause {
    id: "function-argument",
    title: "gives a function to one that is not inlined",
    about: "The caller knows which function it passes, but what it passes it to is not inlined. So a \
            closure is allocated, and called without being known.",
    seed: "mvar-locking (`withMVar`)",
    needs: &[Need::IdInfo],
    // Case i of the founding measurements: 528 MB before, 360 MB after.
    explains: 0.32,
    paid: Paid::Allocations,
    find,
};

/// A call with a function as an argument.
#[derive(Debug, Clone)]
struct Passed {
    caller: Site,
    callee: Site,
    function: Id<Expr>,
    /// The callee's parameter for it.
    parameter: Name,
}

/// A parameter that a function calls.
#[derive(Debug, Clone, Copy)]
struct Called {
    number: usize,
    parameter: Name,
    /// Set if it is the function's continuation.
    is_continuation: bool,
}

fn find(look: &Look<'_>) -> Vec<Finding> {
    let mut by_callee: BTreeMap<Site, Vec<Passed>> = BTreeMap::new();
    let mut known = HashMap::new();
    for passed in look.sites().flat_map(|caller| passed_by(look.program, caller, &mut known)) {
        let all = by_callee.entry(passed.callee).or_default();
        // The calls of one caller are adjacent.
        if all.last().is_none_or(|it| it.caller != passed.caller) {
            all.push(passed);
        }
    }
    by_callee.values_mut().for_each(|all| {
        // The most costly caller represents all.
        all.sort_by_key(|it| std::cmp::Reverse(look.costs.site(it.caller).allocated_bytes));
    });
    by_callee.values().map(|all| finding(look.program, all)).collect()
}

fn passed_by(
    program: &Program,
    caller: Site,
    called: &mut HashMap<Site, Option<Called>>,
) -> Vec<Passed> {
    let core = program.module_of(caller).core();
    let right = program.binding(caller).right;
    let bound = Bound::from_core(core, right);
    let mut found = Vec::new();
    for (_, call) in core.calls_within(right) {
        let Some(callee) = program.site_of(caller.module, call.function) else { continue };
        let callee = behind_names(program, callee);
        // A function that a loop passes to itself was found at its origin.
        if callee == caller {
            continue;
        }
        let called = called.entry(callee).or_insert_with(|| called_parameter(program, callee));
        let Some(Called { number, parameter, is_continuation }) = *called else { continue };
        let Some(value) = call.values.get(number) else { continue };
        let function = bound.behind(*value);
        let is_function = is_lambda(core, function) || is_known_function(program, caller, function);
        if is_function && (!is_continuation || comes_back(program, caller, &bound, function)) {
            found.push(Passed { caller, callee, function, parameter });
        }
    }
    found
}

/// The only parameter that a function calls, unless a loop exits through it. Two continuations, one
/// for success and one for failure, are a deliberate protocol; and methods are passed for other
/// reasons.
fn called_parameter(program: &Program, callee: Site) -> Option<Called> {
    if !classes(program, callee).is_empty() {
        return None;
    }
    let core = program.module_of(callee).core();
    let binding = program.binding(callee);
    let calls = core.calls_within(binding.right);
    let functions: HashSet<Name> = calls.iter().map(|(_, call)| call.function).collect();
    let parameters = parameters(core, binding);
    let mut called =
        parameters.iter().map(|it| it.name).enumerate().filter(|(_, it)| functions.contains(it));
    let (Some((number, parameter)), None) = (called.next(), called.next()) else { return None };
    if is_left_by(program, callee, parameter) {
        return None;
    }
    let is_continuation = is_continuation(program, callee, parameter);
    Some(Called { number, parameter, is_continuation })
}

/// True if a loop passes a function on unchanged, and calls it only when it ends: one call for all
/// rounds.
fn is_left_by(program: &Program, callee: Site, parameter: Name) -> bool {
    let core = program.module_of(callee).core();
    let binding = program.binding(callee);
    let mut own = loops(program, callee);
    own.retain(|it| it.within.is_none() && !it.calls.is_empty());
    let Some(it) = own.first() else { return false };
    let passes_on =
        it.parameters.iter().position(|it| it.name == parameter).is_some_and(|number| {
            it.calls.iter().all(|(_, call)| {
                call.values.get(number).is_some_and(|value| {
                    matches!(core.exprs[bare(core, *value)],
                    Expr::Variable(name) if name == parameter)
                })
            })
        });
    let mut ends = HashSet::new();
    let mut tails = vec![body(core, binding)];
    while let Some(tail) = tails.pop() {
        ends.insert(tail);
        tails_of(core, tail, &mut tails);
    }
    let calls = core.calls_within(binding.right);
    let mut of_parameter = calls.iter().filter(|(_, call)| call.function == parameter);
    passes_on && of_parameter.all(|(it, _)| ends.contains(it))
}

/// The function for which a binding is another name, often because its type has a newtype.
fn behind_names(program: &Program, site: Site) -> Site {
    let core = program.module_of(site).core();
    let other = match core.exprs[bare(core, program.binding(site).right)] {
        Expr::Variable(name) => program.site_of(site.module, name),
        _ => None,
    };
    other.unwrap_or(site)
}

/// True if an expression is the name of a function of the program.
fn is_known_function(program: &Program, caller: Site, it: Id<Expr>) -> bool {
    let Expr::Variable(name) = program.module_of(caller).core().exprs[it] else { return false };
    program.site_of(caller.module, name).is_some_and(|site| {
        program.module_of(site).core().arity(program.binding(site)).is_some_and(|arity| arity > 0)
    })
}

fn finding(program: &Program, all: &[Passed]) -> Finding {
    let passed = &all[0];
    let others = match all.len() {
        1 => String::new(),
        count => format!(" (as do {} others)", count - 1),
    };
    let callee = in_source(program.name(passed.callee));
    let caller_at = program.location_of_code(passed.caller, passed.function);
    let caller = program.name_at(passed.caller, caller_at.as_ref());
    let kept = kept(program, passed.callee);
    let module = program.module_of(passed.callee).name.clone();
    // A pragma needs a name of the source; local functions were lifted out of others.
    let is_of_source = split_unique(program.name(passed.callee)).is_none()
        || program
            .module_of(passed.callee)
            .source
            .as_ref()
            .is_some_and(|source| definition_line(&source.text, callee).is_some());
    let change = (kept == Kept::Large && is_of_source).then(|| Change::Pragma {
        module,
        binding: callee.to_owned(),
        pragma: format!("INLINE {callee}"),
    });
    let text = match kept {
        Kept::Large => format!(
            "`{{-# INLINE {callee} #-}}`, so that each caller gets a copy for its own function"
        ),
        Kept::NoInline => {
            format!("take the NOINLINE of `{callee}` away, or write INLINE in its place")
        }
        Kept::Recursive => format!(
            "split `{callee}`: an outer function that takes the function argument and is inlined, and a \
             local loop in it that does not pass it on"
        ),
    };
    let given = Evidence { site: passed.caller, within: None, focus: vec![passed.function] };
    let calls = calls_of(program, passed.callee, passed.parameter);
    let called = Evidence { site: passed.callee, within: None, focus: calls };
    // The place is where the unknown calls are repeated: in a loop that receives the function once,
    // or else around each call of the function that receives it. A copy of a library's function is
    // not a place in the source.
    let own = program.location(passed.callee);
    let is_place = own.is_some() && is_in_loop(program, passed.callee, passed.parameter);
    let (site, evidence) = match is_place {
        true => (passed.callee, vec![called, given]),
        false => (passed.caller, vec![given, called]),
    };
    Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: own.filter(|_| is_place),
        what: format!(
            "`{caller}` makes a function for `{callee}`{others}, which is not inlined and calls it \
             without knowing it"
        ),
        evidence,
        remedy: Remedy { text, change },
        why: kept.words(callee),
        basis: Basis {
            counters: vec!["UNKNOWN_CALL_ctr"],
            ..Basis::sites(all.iter().map(|it| it.caller).chain([passed.callee]))
        },
    }
}

/// True if a function calls another one in a loop within itself.
fn is_in_loop(program: &Program, site: Site, function: Name) -> bool {
    let core = program.module_of(site).core();
    let is_called = |it: &Loop| {
        let calls = core.calls_within(it.binding.right);
        calls.iter().any(|(_, call)| call.function == function)
    };
    loops(program, site).iter().any(is_called)
}

fn calls_of(program: &Program, site: Site, function: Name) -> Vec<Id<Expr>> {
    let core = program.module_of(site).core();
    let calls = core.calls_within(program.binding(site).right);
    calls.into_iter().filter(|(_, call)| call.function == function).map(|(it, _)| it).collect()
}
