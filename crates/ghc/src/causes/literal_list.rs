//! Literal lists that a recursive function takes apart.
//!
//! A recursive function is never inlined. It walks a list of known length at run time, although all
//! its work is known when the program is compiled.

use std::collections::HashSet;

use super::bound::{Bound, Loop, bare, body, loops, parameters};
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::kept::{Kept, kept};
use super::names::in_source;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::calls::Call;
use crate::core::names::{Name, occurrence};
use crate::core::tree::{Expr, Id};

/// Literal lists that a recursive function takes apart.
pub(super) static CAUSE: Cause = Cause {
    id: "literal-list",
    title: "gives a recursive function a list of known length",
    about: "The caller allocates a list whose length is known, and a recursive function takes it apart \
            again. Because it is recursive it is not inlined, so that nothing of what is known of the \
            elements helps.",
    seed: "aeson-performance (`commaSep`)",
    needs: &[Need::IdInfo],
    // Case h of the founding measurements: 14 % with 5 elements, 32 % with 25.
    explains: 0.32,
    paid: Paid::Allocations,
    find,
};

/// Shorter lists are optional arguments.
const LEAST_ELEMENTS: usize = 2;

/// A call with such a list.
#[derive(Debug)]
struct Fed {
    caller: Site,
    callee: Site,
    call: Id<Expr>,
    elements: usize,
}

fn find(look: &Look<'_>) -> Vec<Finding> {
    // One list for each caller and callee suffices.
    let mut told = HashSet::new();
    let all = look.sites().flat_map(|caller| fed_by(look.program, caller));
    all.filter(|fed| told.insert((fed.caller, fed.callee)))
        .map(|fed| finding(look.program, &fed))
        .collect()
}

fn fed_by(program: &Program, caller: Site) -> Vec<Fed> {
    let core = program.module_of(caller).core();
    let binding = program.binding(caller);
    // A binding without arguments runs once.
    if body(core, binding) == binding.right {
        return Vec::new();
    }
    let bound = Bound::from_core(core, binding.right);
    let calls = core.calls_within(binding.right);
    calls.iter().filter_map(|(it, call)| fed(program, caller, &bound, *it, call)).collect()
}

fn fed(
    program: &Program,
    caller: Site,
    bound: &Bound<'_>,
    it: Id<Expr>,
    call: &Call,
) -> Option<Fed> {
    let callee = program.site_of(caller.module, call.function).filter(|it| *it != caller)?;
    if kept(program, callee) == Kept::NoInline {
        return None;
    }
    let known = call.values.iter().enumerate().filter_map(|(number, value)| {
        let elements = elements(program, caller, bound, *value)?;
        takes_apart(program, callee, number).then_some(elements)
    });
    let elements = known.max()?;
    (elements >= LEAST_ELEMENTS).then_some(Fed { caller, callee, call: it, elements })
}

/// True if a function walks the list that is its argument of this number: all recursive calls, or
/// those of a loop within it, pass a part of that list in its place.
fn takes_apart(program: &Program, callee: Site, number: usize) -> bool {
    let core = program.module_of(callee).core();
    let outer = parameters(core, program.binding(callee));
    loops(program, callee).iter().any(|it| {
        let number = match it.within {
            None => Some(number),
            Some(_) => outer.get(number).and_then(|list| begun_with(core, program, it, list.name)),
        };
        let Some((number, list)) = number.and_then(|at| Some((at, it.parameters.get(at)?))) else {
            return false;
        };
        let bound = Bound::from_core(core, it.binding.right);
        let mut parts = bound.parts(list.name);
        parts.remove(&list.name);
        it.calls.iter().all(|(_, call)| {
            call.values.get(number).is_some_and(|value| {
                matches!(core.exprs[bound.behind(*value)], Expr::Variable(name) if parts.contains(&name))
            })
        })
    })
}

/// The index of the loop parameter whose initial value is this parameter of the function.
fn begun_with(core: &Core, program: &Program, it: &Loop, list: Name) -> Option<usize> {
    let calls = core.calls_within(program.binding(it.site).right);
    calls.iter().filter(|(_, call)| call.function == it.name()).find_map(|(_, call)| {
        call.values.iter().position(
            |value| matches!(core.exprs[bare(core, *value)], Expr::Variable(name) if name == list),
        )
    })
}

/// The number of elements of a list of known length, if the caller makes at least one of them.
fn elements(program: &Program, caller: Site, bound: &Bound<'_>, mut it: Id<Expr>) -> Option<usize> {
    /// A longer literal list was generated.
    const LONGEST: usize = 10_000;
    let module = program.module_of(caller);
    let core = module.core();
    let mut count = 0;
    let mut is_made_here = false;
    while count < LONGEST {
        it = bound.behind(it);
        if let Expr::Variable(name) = core.exprs[it] {
            if occurrence(core.text(name)) == "[]" {
                return is_made_here.then_some(count);
            }
            // Its end may be shared by all callers.
            it = module.binding(module.top(name)?).right;
            if matches!(core.exprs[it], Expr::Variable(_)) {
                return None;
            }
            continue;
        }
        let call = core.call(it).filter(|call| occurrence(core.text(call.function)) == ":")?;
        let [head, tail] = call.values[..] else { return None };
        is_made_here |= !is_constant(core, module, bound, head);
        count += 1;
        it = tail;
    }
    None
}

/// True if an element does not depend on the caller's arguments.
fn is_constant(
    core: &Core,
    module: &super::program::Module,
    bound: &Bound<'_>,
    it: Id<Expr>,
) -> bool {
    let names = core.free_variables(bound.behind(it));
    names.into_iter().all(|name| {
        module.top(name).is_some()
            || super::bound::is_constructor(core.text(name))
            || crate::core::names::module(core.text(name)).is_some()
    })
}

fn finding(program: &Program, fed: &Fed) -> Finding {
    let callee = in_source(program.name(fed.callee));
    let caller = in_source(program.name(fed.caller));
    Finding {
        cause: &CAUSE,
        site: fed.caller,
        within: None,
        at: None,
        what: format!(
            "`{caller}` makes a list of {} elements for `{callee}`, which is recursive and takes it \
             apart again",
            fed.elements
        ),
        evidence: vec![
            Evidence { site: fed.caller, within: None, focus: vec![fed.call] },
            Evidence { site: fed.callee, within: None, focus: Vec::new() },
        ],
        remedy: Remedy {
            text: format!(
                "write out what `{callee}` does with the {} elements, with an operator instead of a \
                 list; or write `{callee}` with `foldr` and INLINE, so that it fuses with the list",
                fed.elements
            ),
            change: None,
        },
        why: format!("`{callee}` is recursive, and GHC inlines no recursive function."),
        basis: Basis::sites([fed.caller, fed.callee]),
    }
}
