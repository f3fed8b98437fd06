//! The results of functions.

use std::collections::HashSet;

use super::bound::body;
use crate::core::Core;
use crate::core::arena::Id;
use crate::core::tree::{BinderKind, Binding, Expr, LetKind};

/// The functions that a binding returns after it has done some work, from left to right.
pub(crate) fn given_back(core: &Core, binding: &Binding) -> Vec<Id<Expr>> {
    let mut found = Vec::new();
    let mut tails = vec![body(core, binding)];
    while let Some(tail) = tails.pop() {
        match core.exprs[tail] {
            Expr::Lambda(binders, inner) => {
                let is_value = core.binders[binders].iter().any(|it| it.kind == BinderKind::Value);
                if is_value {
                    found.push(tail);
                } else {
                    tails.push(inner);
                }
            }
            _ => {
                let begin = tails.len();
                tails_of(core, tail, &mut tails);
                tails[begin..].reverse();
            }
        }
    }
    found
}

/// The innermost of the expressions whose value is that of an expression: those without further
/// tails.
pub(super) fn ends(core: &Core, root: Id<Expr>) -> HashSet<Id<Expr>> {
    let mut found = HashSet::new();
    let mut waiting = vec![root];
    while let Some(it) = waiting.pop() {
        let before = waiting.len();
        tails_of(core, it, &mut waiting);
        if waiting.len() == before {
            found.insert(it);
        }
    }
    found
}

/// Adds the expressions whose value is that of an expression.
pub(super) fn tails_of(core: &Core, it: Id<Expr>, tails: &mut Vec<Id<Expr>>) {
    match core.exprs[it] {
        Expr::Cast(inner, _) | Expr::Tick(_, inner) => tails.push(inner),
        Expr::Let(kind, bindings, body) => {
            if matches!(kind, LetKind::Join | LetKind::JoinRec) {
                // The parameters of a join point are not in its right-hand side.
                tails.extend(core.bindings[bindings].iter().map(|point| point.right));
            }
            tails.push(body);
        }
        Expr::Case(_, _, alternatives) => {
            tails.extend(core.alternatives[alternatives].iter().map(|it| it.right));
        }
        _ => {}
    }
}
