//! The size of expressions, in GHC's count.
//!
//! GHC prints the size of every binding (`-- RHS size:`), so a count from the tree shows if a dump
//! was read correctly. GHC's rules are those of `GHC.Core.Stats`: one for each variable and
//! literal, for each binder of a lambda, of a case and of a binding, and for each alternative;
//! nothing for a tick, an argument that is a type, or the binders of a pattern.

use super::arena::Id;
use super::core::Core;
use super::tree::{Argument, Evidence, Expr, LetKind};

/// The countable nodes of a dump, regardless of suppressed parts, except for the coercions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    /// Nodes of expressions.
    pub terms: u32,
    /// Nodes of coercions; `None` if the dump shows them in full, because GHC counts nodes that it
    /// then does not print.
    pub coercions: Option<u32>,
    /// Join points among the bindings within.
    pub join_points: u32,
    /// Bindings within, join points among them.
    pub inner_bindings: u32,
}

impl Core {
    /// The size of the right-hand side `root`. The parameters on the left-hand side of a join point
    /// are counted if its binding is nested.
    #[must_use]
    pub fn size(&self, root: Id<Expr>) -> Counted {
        let mut size = Counted { coercions: Some(0), ..Counted::default() };
        for it in self.walk(root) {
            match self.exprs[it] {
                Expr::Variable(_) | Expr::Literal(_) | Expr::Jump(_) | Expr::Foreign(..) => {
                    size.terms += 1;
                }
                Expr::Apply(_, arguments) => {
                    for argument in &self.arguments[arguments] {
                        if let Argument::Coercion(coercion) = argument {
                            size.coercion(self.coercions[*coercion].evidence);
                        }
                    }
                }
                Expr::Lambda(binders, _) => size.terms += binders.len() as u32,
                Expr::Let(kind, bindings, _) => {
                    let inner = bindings.len() as u32;
                    size.terms += inner;
                    for binding in &self.bindings[bindings] {
                        size.terms += binding.parameters.len() as u32;
                        // Type variables are bound by `let`, but are not values.
                        if !matches!(self.exprs[binding.right], Expr::Type(_)) {
                            size.inner_bindings += 1;
                        }
                    }
                    if matches!(kind, LetKind::Join | LetKind::JoinRec) {
                        size.join_points += inner;
                    }
                }
                Expr::Case(_, _, alternatives) => size.terms += 1 + alternatives.len() as u32,
                Expr::Cast(_, coercion) | Expr::Coercion(coercion) => {
                    size.coercion(self.coercions[coercion].evidence);
                }
                // The constructor is not printed, but counts.
                Expr::Tuple(..) => size.terms += 1,
                Expr::Tick(..) | Expr::Type(_) => {}
            }
        }
        size
    }
}

impl Counted {
    fn coercion(&mut self, evidence: Evidence) {
        self.coercions = match evidence {
            Evidence::Size(size) => self.coercions.map(|sum| sum.saturating_add(size)),
            Evidence::Term(_) => None,
        };
    }
}
