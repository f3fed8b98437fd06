//! Arguments of loops that are deferred, round after round.
//!
//! If a loop is lazy in a parameter and passes itself a value made from that parameter, each round
//! allocates a thunk that holds the thunk of the round before. The chain is as long as the loop
//! runs, and stays in memory until its end is needed.

use super::append_to_accumulator::appended;
use super::bound::{Bound, Loop, fields, is_lambda, is_primitive, loops};
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Evidence, Finding, Only, Remedy};
use super::names::in_source;
use super::program::Program;
use crate::core::Core;
use crate::core::tree::{Expr, Id};

/// Arguments of loops that are deferred, round after round.
pub(super) static CAUSE: Cause = Cause {
    id: "lazy-accumulator",
    title: "puts off what it accumulates",
    about: "The loop passes itself a value that is computed only when somebody asks for it, from the \
            value of the round before, which may have been put off, too. Each round allocates a thunk, \
            and the chain of them stays in memory.",
    seed: "faster-winter, 3 (the memory leak); case c of the founding measurements",
    needs: &[Need::IdInfo],
    explains: 0.9,
    paid: Paid::Allocations,
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    let all = look.sites().flat_map(|site| loops(look.program, site));
    all.filter_map(|it| {
        let put_off = put_off(look.program, &it);
        (!put_off.is_empty()).then(|| finding(look.program, &it, put_off))
    })
    .collect()
}

/// The thunks that a loop makes from a parameter for that same parameter.
fn put_off(program: &Program, it: &Loop) -> Vec<Id<Expr>> {
    let core = program.module_of(it.site).core();
    let bound = Bound::from_core(core, it.binding.right);
    let mut found = Vec::new();
    for (_, call) in &it.calls {
        for (number, (value, parameter)) in call.values.iter().zip(&it.parameters).enumerate() {
            if !it.is_lazy(core, number) {
                continue;
            }
            let parts = bound.parts(parameter.name);
            let value = bound.behind(*value);
            // A lazy field is within a constructor that is not lazy.
            let parts_of_value = fields(core, value).unwrap_or_else(|| vec![value]);
            for part in parts_of_value {
                let part = bound.behind(part);
                if is_thunk(program, it, part) && bound.uses(part, &parts) {
                    found.push(part);
                }
            }
        }
    }
    found
}

/// True if a lazy argument becomes a thunk of a chain. A value, or an expression as cheap as one,
/// does not. A result of the loop itself (`go left (go right rest)`) is consumed as it comes;
/// computing it first makes the stack as deep as the chain would be long.
fn is_thunk(program: &Program, within: &Loop, it: Id<Expr>) -> bool {
    let core = program.module_of(within.site).core();
    match core.exprs[it] {
        Expr::Case(..) | Expr::Let(..) => !gives_lambda(core, it),
        Expr::Apply(..) => core.call(it).is_some_and(|call| {
            let name = core.text(call.function);
            let is_partial =
                program.site_of(within.site.module, call.function).is_some_and(|called| {
                    let callee = program.module_of(called).core();
                    callee
                        .arity(program.binding(called))
                        .is_some_and(|arity| arity as usize > call.values.len())
                });
            !is_partial
                && !within.is_call_of_itself(it)
                && !is_primitive(name)
                && fields(core, it).is_none()
                // Appends have a separate cause.
                && appended(core, it).is_none()
        }),
        _ => false,
    }
}

/// True if an expression is a function below bindings: a difference list, or a continuation.
fn gives_lambda(core: &Core, mut it: Id<Expr>) -> bool {
    while let Expr::Let(_, _, body) | Expr::Cast(body, _) | Expr::Tick(_, body) = core.exprs[it] {
        it = body;
    }
    is_lambda(core, it)
}

fn finding(program: &Program, it: &Loop, put_off: Vec<Id<Expr>>) -> Finding {
    let core = program.module_of(it.site).core();
    let name = in_source(core.text(it.name()));
    let count = put_off.len();
    Finding {
        cause: &CAUSE,
        site: it.site,
        within: it.within,
        at: None,
        what: format!(
            "each round of `{name}` puts off {}, made from that of the round before",
            if count == 1 { "an argument".to_owned() } else { format!("{count} arguments") }
        ),
        evidence: vec![Evidence { site: it.site, within: it.within, focus: put_off }],
        remedy: Remedy {
            text: "make it strict: a bang on the parameter in the first equation (`!acc`), strict fields \
                   (`!Int`) where it is part of a data type, foldl' for foldl, modify' for modify"
                .to_owned(),
            change: None,
        },
        why: format!(
            "`{name}` does not always need the value, so GHC may not compute it: that could fail, or \
             never end."
        ),
        basis: Basis {
            only: Some(Only::Thunks),
            ..match it.within {
                Some(within) => Basis::part(it.site, within),
                None => Basis::site(it.site),
            }
        },
    }
}
