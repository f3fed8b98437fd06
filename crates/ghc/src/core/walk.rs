//! Traversal of expressions, from the outside in and from left to right.

use super::arena::Id;
use super::core::Core;
use super::tree::{Argument, Expr};

/// All expressions within one, itself first. Templates of unfoldings and rules are not included:
/// they are not run.
#[derive(Debug)]
pub struct Walk<'a> {
    core: &'a Core,
    /// The expressions still to be visited, with the number of expressions around each.
    waiting: Vec<(Id<Expr>, usize)>,
    path: Vec<Id<Expr>>,
}

impl Core {
    /// All expressions within `root`, itself first.
    #[must_use]
    pub fn walk(&self, root: Id<Expr>) -> Walk<'_> {
        Walk { core: self, waiting: vec![(root, 0)], path: Vec::new() }
    }

    /// Calls `each` with the expressions directly within another, from left to right.
    pub fn children(&self, it: Id<Expr>, mut each: impl FnMut(Id<Expr>)) {
        match self.exprs[it] {
            Expr::Variable(_)
            | Expr::Literal(_)
            | Expr::Jump(_)
            | Expr::Foreign(..)
            | Expr::Type(_)
            | Expr::Coercion(_) => {}
            Expr::Apply(head, arguments) => {
                each(head);
                for argument in &self.arguments[arguments] {
                    if let Argument::Value(it) = argument {
                        each(*it);
                    }
                }
            }
            Expr::Lambda(_, body) | Expr::Cast(body, _) | Expr::Tick(_, body) => each(body),
            Expr::Let(_, bindings, body) => {
                self.bindings[bindings].iter().for_each(|binding| each(binding.right));
                each(body);
            }
            Expr::Case(scrutinee, _, alternatives) => {
                each(scrutinee);
                self.alternatives[alternatives]
                    .iter()
                    .for_each(|alternative| each(alternative.right));
            }
            Expr::Tuple(_, elements) => self.elements[elements].iter().copied().for_each(each),
        }
    }
}

impl Walk<'_> {
    /// The expressions around the one visited last, from the outermost on, and itself.
    #[must_use]
    pub fn path(&self) -> &[Id<Expr>] {
        &self.path
    }
}

impl Iterator for Walk<'_> {
    type Item = Id<Expr>;

    fn next(&mut self) -> Option<Id<Expr>> {
        let (it, depth) = self.waiting.pop()?;
        self.path.truncate(depth);
        self.path.push(it);
        let begin = self.waiting.len();
        self.core.children(it, |child| self.waiting.push((child, depth + 1)));
        self.waiting[begin..].reverse();
        Some(it)
    }
}
