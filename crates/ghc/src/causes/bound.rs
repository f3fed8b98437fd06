//! The values behind the names within a binding.

use std::collections::{HashMap, HashSet};

use crate::core::Core;
use crate::core::arena::Id;
use crate::core::names::Name;
use crate::core::occurrence::occurrence;
use crate::core::tree::{Argument, Binder, BinderKind, Binding, Expr, LetKind, Pattern};

/// The longest chain of names that is followed; a dump with `x = y; y = x` has no end.
const LONGEST_CHAIN: usize = 50;

/// The names that a binding's right-hand side binds.
#[derive(Debug)]
pub(super) struct Bound<'a> {
    core: &'a Core,
    /// By name: the expression that a `let` binds to it. Join points are not values.
    lets: HashMap<Name, Id<Expr>>,
    /// The cases that scrutinise a variable.
    cases: Vec<Case>,
}

/// A case that scrutinises a variable.
#[derive(Debug)]
struct Case {
    of: Name,
    /// The case binder: the other name of the value in the alternatives.
    binder: Option<Name>,
    /// The constructor of each alternative, if it has one, and the names of its fields.
    alternatives: Vec<(Option<Name>, Vec<Name>)>,
}

impl<'a> Bound<'a> {
    /// The names within `root`.
    pub(super) fn from_core(core: &'a Core, root: Id<Expr>) -> Self {
        let mut lets = HashMap::new();
        let mut cases = Vec::new();
        for it in core.walk(root) {
            match core.exprs[it] {
                Expr::Let(LetKind::Let | LetKind::LetRec, bindings, _) => {
                    lets.extend(core.bindings[bindings].iter().map(|it| (it.name, it.right)));
                }
                Expr::Case(scrutinee, binder, alternatives) => {
                    let Expr::Variable(name) = core.exprs[bare(core, scrutinee)] else { continue };
                    let alternatives = core.alternatives[alternatives].iter().map(|it| {
                        let constructor = match it.pattern {
                            Pattern::Constructor(name) => Some(name),
                            _ => None,
                        };
                        let names = values(&core.binders[it.binders]).map(|it| it.name);
                        (constructor, names.collect())
                    });
                    cases.push(Case {
                        of: name,
                        binder: binder.map(|binder| core.binders[binder].name),
                        alternatives: alternatives.collect(),
                    });
                }
                _ => {}
            }
        }
        Self { core, lets, cases }
    }

    /// The expression behind casts, notes, and names that a `let` binds.
    pub(super) fn behind(&self, it: Id<Expr>) -> Id<Expr> {
        let mut it = bare(self.core, it);
        for _ in 0..LONGEST_CHAIN {
            let Expr::Variable(name) = self.core.exprs[it] else { break };
            let Some(next) = self.lets.get(&name) else { break };
            it = bare(self.core, *next);
        }
        it
    }

    /// A name, and all names that cases bind to parts of its value.
    pub(super) fn parts(&self, name: Name) -> HashSet<Name> {
        let mut parts = HashSet::from([name]);
        // Cases are in the order of the walk, so outer ones come before inner ones.
        for case in &self.cases {
            if parts.contains(&case.of) {
                parts.extend(case.binder);
                parts.extend(case.alternatives.iter().flat_map(|(_, names)| names));
            }
        }
        parts
    }

    /// A name, and the other names that cases give to its value.
    pub(super) fn aliases(&self, name: Name) -> HashSet<Name> {
        let mut aliases = HashSet::from([name]);
        for case in &self.cases {
            if aliases.contains(&case.of) {
                aliases.extend(case.binder);
            }
        }
        aliases
    }

    /// The names that cases give to field `number` of a value made with this constructor.
    pub(super) fn fields(&self, name: Name, by: Option<Name>, number: usize) -> HashSet<Name> {
        let aliases = self.aliases(name);
        let cases = self.cases.iter().filter(|case| aliases.contains(&case.of));
        let alternatives = cases.flat_map(|case| &case.alternatives).filter(|(it, _)| *it == by);
        alternatives
            .filter_map(|(_, names)| names.get(number))
            .flat_map(|name| self.aliases(*name))
            .collect()
    }

    /// True if an expression uses one of the names, directly or through a `let`.
    pub(super) fn uses(&self, it: Id<Expr>, names: &HashSet<Name>) -> bool {
        let mut waiting = vec![it];
        let mut seen = HashSet::new();
        while let Some(root) = waiting.pop() {
            for it in self.core.walk(root) {
                let (Expr::Variable(name) | Expr::Jump(name)) = self.core.exprs[it] else {
                    continue;
                };
                if names.contains(&name) {
                    return true;
                }
                if let Some(bound) = self.lets.get(&name)
                    && seen.insert(name)
                {
                    waiting.push(*bound);
                }
            }
        }
        false
    }
}

/// The expression without casts, notes, and type arguments or parameters.
pub(super) fn bare(core: &Core, mut it: Id<Expr>) -> Id<Expr> {
    loop {
        it = match core.exprs[it] {
            Expr::Cast(inner, _) | Expr::Tick(_, inner) => inner,
            Expr::Lambda(binders, body) if values(&core.binders[binders]).next().is_none() => body,
            Expr::Apply(head, arguments)
                if !core.arguments[arguments].iter().any(|it| matches!(it, Argument::Value(_))) =>
            {
                head
            }
            _ => return it,
        };
    }
}

/// The binders that stand for values.
fn values(binders: &[Binder]) -> impl Iterator<Item = &Binder> {
    binders.iter().filter(|it| it.kind == BinderKind::Value)
}

/// The value parameters at the beginning of a binding, seen through casts, notes and types.
pub(super) fn parameters(core: &Core, binding: &Binding) -> Vec<Binder> {
    let mut all: Vec<Binder> = values(&core.binders[binding.parameters]).copied().collect();
    let mut body = binding.right;
    loop {
        body = match core.exprs[body] {
            Expr::Lambda(binders, inner) => {
                all.extend(values(&core.binders[binders]));
                inner
            }
            Expr::Cast(inner, _) | Expr::Tick(_, inner) => inner,
            _ => return all,
        };
    }
}

/// The body of a binding behind its parameters.
pub(super) fn body(core: &Core, binding: &Binding) -> Id<Expr> {
    let mut body = binding.right;
    while let Expr::Lambda(_, inner) | Expr::Cast(inner, _) | Expr::Tick(_, inner) =
        core.exprs[body]
    {
        body = inner;
    }
    body
}

/// True if an expression is a function, seen through casts, notes and types.
pub(super) fn is_lambda(core: &Core, it: Id<Expr>) -> bool {
    matches!(core.exprs[bare(core, it)], Expr::Lambda(..))
}

/// True if a name is that of a data constructor.
pub(super) fn is_constructor(name: &str) -> bool {
    let name = occurrence(name);
    let name = name.strip_prefix("$W").unwrap_or(name);
    name.starts_with(|first: char| first.is_uppercase() || matches!(first, ':' | '(' | '['))
}

/// True if a name is that of a primitive operation of GHC, such as `+#`.
pub(super) fn is_primitive(name: &str) -> bool {
    let name = occurrence(name);
    name.ends_with('#') && !is_constructor(name)
}

/// The value arguments of a constructor application; `None` for other expressions.
pub(super) fn fields(core: &Core, it: Id<Expr>) -> Option<Vec<Id<Expr>>> {
    match core.exprs[it] {
        Expr::Tuple(_, elements) => Some(core.elements[elements].to_vec()),
        _ => core.call(it).filter(|it| is_constructor(core.text(it.function))).map(|it| it.values),
    }
}
