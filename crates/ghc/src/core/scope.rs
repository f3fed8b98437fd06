//! The free names of an expression.

use std::collections::{HashMap, HashSet};

use super::binders::Name;
use super::tree::Core;
use super::tree::{Argument, Binder, Binding, Expr, LetKind};
use super::tree::{Id, List};

/// Pending work while scopes are followed.
#[derive(Debug, Clone, Copy)]
enum Work {
    Visit(Id<Expr>),
    Bind(Name),
    Leave(Name),
    BindAll(List<Binder>),
    LeaveAll(List<Binder>),
}

impl Core {
    /// Calls `each` with every occurrence of a name that `root` does not bind, from left to right,
    /// with the expression of the occurrence.
    pub fn free_occurrences(&self, root: Id<Expr>, mut each: impl FnMut(Name, Id<Expr>)) {
        let mut bound: HashMap<Name, u32> = HashMap::new();
        let mut work = vec![Work::Visit(root)];
        while let Some(next) = work.pop() {
            match next {
                Work::Visit(it) => match self.exprs[it] {
                    Expr::Variable(name) | Expr::Jump(name) => {
                        if !bound.contains_key(&name) {
                            each(name, it);
                        }
                    }
                    _ => self.scopes(it, &mut work),
                },
                Work::Bind(name) => bind(&mut bound, name),
                Work::Leave(name) => leave(&mut bound, name),
                Work::BindAll(binders) => {
                    self.binders[binders].iter().for_each(|binder| bind(&mut bound, binder.name));
                }
                Work::LeaveAll(binders) => {
                    self.binders[binders].iter().for_each(|binder| leave(&mut bound, binder.name));
                }
            }
        }
    }

    /// The names that `root` uses but does not bind, in order of their first occurrence. Names of
    /// the top level and of other modules, including constructors, are free everywhere.
    #[must_use]
    pub fn free_variables(&self, root: Id<Expr>) -> Vec<Name> {
        let mut seen = HashSet::new();
        let mut free = Vec::new();
        self.free_occurrences(root, |name, _| {
            if seen.insert(name) {
                free.push(name);
            }
        });
        free
    }

    /// Puts the parts of an expression, with the scopes around them, before other work.
    fn scopes(&self, it: Id<Expr>, work: &mut Vec<Work>) {
        let begin = work.len();
        match self.exprs[it] {
            Expr::Lambda(binders, body) => within(work, binders, body),
            Expr::Let(kind, bindings, body) => self.let_scopes(kind, bindings, body, work),
            Expr::Case(scrutinee, binder, alternatives) => {
                work.push(Work::Visit(scrutinee));
                let binder = binder.map(|binder| self.binders[binder].name);
                work.extend(binder.map(Work::Bind));
                for alternative in &self.alternatives[alternatives] {
                    within(work, alternative.binders, alternative.right);
                }
                work.extend(binder.map(Work::Leave));
            }
            Expr::Apply(head, arguments) => {
                work.push(Work::Visit(head));
                for argument in &self.arguments[arguments] {
                    if let Argument::Value(it) = argument {
                        work.push(Work::Visit(*it));
                    }
                }
            }
            _ => self.children(it, |child| work.push(Work::Visit(child))),
        }
        work[begin..].reverse();
    }

    fn let_scopes(
        &self,
        kind: LetKind,
        bindings: List<Binding>,
        body: Id<Expr>,
        work: &mut Vec<Work>,
    ) {
        let bindings = &self.bindings[bindings];
        let recursive = matches!(kind, LetKind::LetRec | LetKind::JoinRec);
        if recursive {
            work.extend(bindings.iter().map(|binding| Work::Bind(binding.name)));
        }
        for binding in bindings {
            within(work, binding.parameters, binding.right);
        }
        if !recursive {
            work.extend(bindings.iter().map(|binding| Work::Bind(binding.name)));
        }
        work.push(Work::Visit(body));
        work.extend(bindings.iter().map(|binding| Work::Leave(binding.name)));
    }
}

fn within(work: &mut Vec<Work>, binders: List<Binder>, it: Id<Expr>) {
    work.extend([Work::BindAll(binders), Work::Visit(it), Work::LeaveAll(binders)]);
}

fn bind(bound: &mut HashMap<Name, u32>, name: Name) {
    *bound.entry(name).or_default() += 1;
}

/// Scopes nest, and a name may be bound again within its own.
fn leave(bound: &mut HashMap<Name, u32>, name: Name) {
    if let Some(count) = bound.get_mut(&name) {
        *count -= 1;
        if *count == 0 {
            bound.remove(&name);
        }
    }
}
