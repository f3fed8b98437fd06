//! Loops that count with arbitrary-precision numbers.
//!
//! `Integer` has no limit, so each operation is a call, and most allocate. If the type of a number
//! is not given, Haskell takes `Integer`; then it is converted wherever it meets an `Int`.

use super::bound::{Bound, Loop, bare, fields, loops};
use super::cause::{Cause, Look, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::program::Module;
use crate::core::Core;
use crate::core::names::{occurrence, split_unique};
use crate::core::tree::{Expr, Id};

/// Loops that count with arbitrary-precision numbers.
pub(super) static CAUSE: Cause = Cause {
    id: "integer-arithmetic",
    title: "counts with numbers of any size",
    about: "The loop passes itself an `Integer` (or a `Natural`) that it computes in each round. Each \
            operation is a call that looks at the size of the number first.",
    seed: "Haskell 2010 Report, 4.3.4 (ambiguous types and defaulting)",
    needs: &[],
    explains: 0.3,
    paid: Paid::Entries,
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    let all = look.sites().flat_map(|site| loops(look.program, site));
    all.filter_map(|it| {
        let module = look.program.module_of(it.site);
        let core = module.core();
        let steps = steps(module, &it);
        (!steps.is_empty()).then(|| finding(core, &it, steps))
    })
    .collect()
}

/// The operations that make an argument of the next round from the same one of this round, by a
/// constant step. A sum of varying values is not a counter: only the author knows how large it may
/// become.
fn steps(module: &Module, it: &Loop) -> Vec<Id<Expr>> {
    let core = module.core();
    let bound = Bound::from_core(core, it.binding.right);
    let mut found = Vec::new();
    for (_, call) in &it.calls {
        for (value, parameter) in call.values.iter().zip(&it.parameters) {
            let value = bound.behind(*value);
            let same = bound.aliases(parameter.name);
            let is_of = |operand: &Id<Expr>| {
                matches!(core.exprs[bound.behind(*operand)],
                    Expr::Variable(name) if same.contains(&name))
            };
            let is_constant = |operand: &Id<Expr>| is_constant(module, bound.behind(*operand));
            let is_step = core.call(value).is_some_and(|call| {
                is_operation(core.text(call.function))
                    && call.values.iter().any(is_of)
                    && call.values.iter().any(is_constant)
            });
            if is_step {
                found.push(value);
            }
        }
    }
    found
}

/// True if an expression is a number that is the same in each round: the constructor of a small
/// number around a literal, in place or in a binding of the top level.
fn is_constant(module: &Module, it: Id<Expr>) -> bool {
    let core = module.core();
    let it = match core.exprs[it] {
        Expr::Variable(name) => match module.top(name) {
            Some(top) => bare(core, module.binding(top).right),
            None => return false,
        },
        _ => it,
    };
    let parts = fields(core, it).unwrap_or_else(|| vec![it]);
    parts.iter().all(|part| matches!(core.exprs[bare(core, *part)], Expr::Literal(_)))
}

/// True if a name is that of a counter's step. Products and powers are the usual reason for numbers
/// without a limit.
fn is_operation(name: &str) -> bool {
    matches!(
        occurrence(name),
        "integerAdd"
            | "integerSub"
            | "plusInteger"
            | "minusInteger"
            | "naturalAdd"
            | "naturalSubThrow"
            | "plusNatural"
            | "minusNatural"
    ) && split_unique(name).is_none()
}

fn finding(core: &Core, it: &Loop, steps: Vec<Id<Expr>>) -> Finding {
    let name = in_source(core.text(it.name()));
    Finding {
        cause: &CAUSE,
        site: it.site,
        within: it.within,
        at: None,
        what: format!("`{name}` counts with an `Integer`, a number of any size"),
        evidence: vec![Evidence { site: it.site, within: it.within, focus: steps }],
        remedy: Remedy {
            text: "if the number fits into 64 bits, say so: a signature, or `:: Int` where it begins; \
                   `-Wtype-defaults` lists the places where nothing says a type"
                .to_owned(),
            change: None,
        },
        why: "GHC cannot know how large the number becomes, and may not let it overflow.".to_owned(),
        basis: match it.within {
            Some(within) => Basis::part(it.site, within),
            None => Basis::site(it.site),
        },
    }
}
