//! Equality of two trees, except for the indices of their nodes and the lines of the dump.

use super::binders::Name;
use super::dump::Dump;
use super::tree::Core;
use super::tree::{
    Alternative, Argument, Attribute, Binder, Binding, Coercion, Evidence, Expr, Field, Key,
    Pattern, Rule, RuleBody, Type, TypeBinder, Unfolding,
};
use super::tree::{Arena, Id, List};

/// Two nodes that are still to be compared.
#[derive(Debug, Clone, Copy)]
enum Pair {
    Expr(Id<Expr>, Id<Expr>),
    Type(Id<Type>, Id<Type>),
}

/// Compares nodes of one tree with nodes of another.
struct Comparison<'a> {
    left: &'a Core,
    right: &'a Core,
    work: Vec<Pair>,
}

impl Dump {
    /// True if another dump has the same passes with the same bindings and rules.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let mut comparison = Comparison { left: &self.core, right: &other.core, work: Vec::new() };
        self.passes.len() == other.passes.len()
            && self.passes.iter().zip(&other.passes).all(|(left, right)| {
                left.size == right.size
                    && comparison.title(left.title, right.title)
                    && comparison.groups(left.groups, right.groups)
                    && comparison.rules(left.rules, right.rules)
                    && comparison.finish()
            })
    }
}

impl Comparison<'_> {
    fn title(&self, left: Option<Name>, right: Option<Name>) -> bool {
        left.map(|name| self.left.text(name)) == right.map(|name| self.right.text(name))
    }

    fn groups(&mut self, left: List<super::tree::Group>, right: List<super::tree::Group>) -> bool {
        let (ours, theirs) = (self.left, self.right);
        let (left, right) = (&ours.groups[left], &theirs.groups[right]);
        left.len() == right.len()
            && left.iter().zip(right).all(|(left, right)| {
                let (lefts, rights) = (&ours.tops[left.bindings], &theirs.tops[right.bindings]);
                left.recursive == right.recursive
                    && lefts.len() == rights.len()
                    && lefts.iter().zip(rights).all(|(left, right)| {
                        let binding =
                            (&ours.bindings[left.binding], &theirs.bindings[right.binding]);
                        left.size == right.size
                            && self.binding(binding.0, binding.1)
                            && self.finish()
                    })
            })
    }

    /// Compares the pending pairs.
    fn finish(&mut self) -> bool {
        while let Some(pair) = self.work.pop() {
            let same = match pair {
                Pair::Expr(left, right) => self.expr(left, right),
                Pair::Type(left, right) => self.type_(left, right),
            };
            if !same {
                return false;
            }
        }
        true
    }

    fn name(&self, left: Name, right: Name) -> bool {
        self.left.text(left) == self.right.text(right)
    }

    /// True if lists are equally long and each pair of their elements is the same.
    fn all<T>(
        &mut self,
        arena: fn(&Core) -> &Arena<T>,
        (left, right): (List<T>, List<T>),
        mut same: impl FnMut(&mut Self, &T, &T) -> bool,
    ) -> bool {
        let (left, right) = (&arena(self.left)[left], &arena(self.right)[right]);
        left.len() == right.len()
            && left.iter().zip(right).all(|(left, right)| same(self, left, right))
    }

    fn later(&mut self, left: Id<Expr>, right: Id<Expr>) -> bool {
        self.work.push(Pair::Expr(left, right));
        true
    }

    fn type_later(&mut self, left: Id<Type>, right: Id<Type>) -> bool {
        self.work.push(Pair::Type(left, right));
        true
    }

    fn type_if_any(&mut self, left: Option<Id<Type>>, right: Option<Id<Type>>) -> bool {
        match (left, right) {
            (None, None) => true,
            (Some(left), Some(right)) => self.type_later(left, right),
            _ => false,
        }
    }

    fn expr(&mut self, left: Id<Expr>, right: Id<Expr>) -> bool {
        match (self.left.exprs[left], self.right.exprs[right]) {
            (Expr::Variable(left), Expr::Variable(right))
            | (Expr::Literal(left), Expr::Literal(right))
            | (Expr::Jump(left), Expr::Jump(right)) => self.name(left, right),
            (Expr::Foreign(left, of), Expr::Foreign(right, other)) => {
                self.name(left, right) && self.type_later(of, other)
            }
            (Expr::Apply(left, arguments), Expr::Apply(right, others)) => {
                self.later(left, right)
                    && self.all(|core| &core.arguments, (arguments, others), Self::argument)
            }
            (Expr::Lambda(binders, left), Expr::Lambda(others, right)) => {
                self.binders(binders, others) && self.later(left, right)
            }
            (Expr::Let(kind, bindings, left), Expr::Let(other, others, right)) => {
                kind == other
                    && self.all(|core| &core.bindings, (bindings, others), Self::binding)
                    && self.later(left, right)
            }
            (Expr::Case(left, binder, list), Expr::Case(right, other, others)) => {
                let binders = match (binder, other) {
                    (None, None) => true,
                    (Some(left), Some(right)) => {
                        self.binder(&self.left.binders[left], &self.right.binders[right])
                    }
                    _ => false,
                };
                binders
                    && self.later(left, right)
                    && self.all(|core| &core.alternatives, (list, others), Self::alternative)
            }
            (Expr::Cast(left, coercion), Expr::Cast(right, other)) => {
                self.later(left, right) && self.coercion(coercion, other)
            }
            (Expr::Tick(tick, left), Expr::Tick(other, right)) => {
                self.name(tick, other) && self.later(left, right)
            }
            (Expr::Tuple(brackets, list), Expr::Tuple(other, others)) => {
                brackets == other
                    && self.all(
                        |core| &core.elements,
                        (list, others),
                        |this, left, right| this.later(*left, *right),
                    )
            }
            (Expr::Type(left), Expr::Type(right)) => self.type_later(left, right),
            (Expr::Coercion(left), Expr::Coercion(right)) => self.coercion(left, right),
            _ => false,
        }
    }

    fn argument(&mut self, left: &Argument, right: &Argument) -> bool {
        match (*left, *right) {
            (Argument::Value(left), Argument::Value(right)) => self.later(left, right),
            (Argument::Type(left), Argument::Type(right)) => self.type_later(left, right),
            (Argument::Coercion(left), Argument::Coercion(right)) => self.coercion(left, right),
            _ => false,
        }
    }

    fn alternative(&mut self, left: &Alternative, right: &Alternative) -> bool {
        let pattern = match (left.pattern, right.pattern) {
            (Pattern::Default, Pattern::Default) => true,
            (Pattern::Literal(left), Pattern::Literal(right))
            | (Pattern::Constructor(left), Pattern::Constructor(right)) => self.name(left, right),
            (Pattern::Tuple(left), Pattern::Tuple(right)) => left == right,
            _ => false,
        };
        pattern && self.binders(left.binders, right.binders) && self.later(left.right, right.right)
    }

    fn binding(&mut self, left: &Binding, right: &Binding) -> bool {
        self.name(left.name, right.name)
            && self.type_if_any(left.signature, right.signature)
            && self.attributes(left.notes, right.notes)
            && self.attributes(left.info, right.info)
            && self.binders(left.parameters, right.parameters)
            && self.later(left.right, right.right)
    }

    fn binders(&mut self, left: List<Binder>, right: List<Binder>) -> bool {
        self.all(|core| &core.binders, (left, right), Self::binder)
    }

    fn binder(&mut self, left: &Binder, right: &Binder) -> bool {
        let unfolding = match (left.unfolding, right.unfolding) {
            (None, None) => true,
            (Some(left), Some(right)) => self.unfolding(left, right),
            _ => false,
        };
        unfolding
            && left.kind == right.kind
            && self.name(left.name, right.name)
            && self.type_if_any(left.signature, right.signature)
            && self.attributes(left.notes, right.notes)
    }

    fn attributes(&mut self, left: List<Attribute>, right: List<Attribute>) -> bool {
        self.all(
            |core| &core.attributes,
            (left, right),
            |this, left, right| match (left, right) {
                (Attribute::Text(key, left), Attribute::Text(other, right)) => {
                    let keys = match (key, other) {
                        (Key::Other(left), Key::Other(right)) => this.name(*left, *right),
                        _ => key == other,
                    };
                    keys && this.name(*left, *right)
                }
                (Attribute::Unfolding(left), Attribute::Unfolding(right)) => {
                    this.unfolding(*left, *right)
                }
                (Attribute::Rules(left), Attribute::Rules(right)) => this.rules(*left, *right),
                _ => false,
            },
        )
    }

    fn unfolding(&mut self, left: Id<Unfolding>, right: Id<Unfolding>) -> bool {
        match (self.left.unfoldings[left], self.right.unfoldings[right]) {
            (Unfolding::Text(left), Unfolding::Text(right)) => self.name(left, right),
            (Unfolding::Core(fields, left), Unfolding::Core(others, right)) => {
                let fields = self.all(|core| &core.fields, (fields, others), Self::field);
                fields
                    && match (left, right) {
                        (None, None) => true,
                        (Some(left), Some(right)) => self.later(left, right),
                        _ => false,
                    }
            }
            _ => false,
        }
    }

    fn field(&mut self, left: &Field, right: &Field) -> bool {
        self.name(left.key, right.key) && self.name(left.value, right.value)
    }

    fn rules(&mut self, left: List<Rule>, right: List<Rule>) -> bool {
        self.all(
            |core| &core.rules,
            (left, right),
            |this, left, right| {
                this.name(left.name, right.name)
                    && match (left.body, right.body) {
                        (RuleBody::BuiltIn(left), RuleBody::BuiltIn(right)) => {
                            this.name(left, right)
                        }
                        (RuleBody::Rewrite(left), RuleBody::Rewrite(right)) => {
                            let (left, right) =
                                (this.left.rewrites[left], this.right.rewrites[right]);
                            this.title(left.activation, right.activation)
                                && this.binders(left.binders, right.binders)
                                && this.later(left.left, right.left)
                                && this.later(left.right, right.right)
                        }
                        _ => false,
                    }
            },
        )
    }

    fn coercion(&mut self, left: Id<Coercion>, right: Id<Coercion>) -> bool {
        let (left, right) = (self.left.coercions[left], self.right.coercions[right]);
        let evidence = match (left.evidence, right.evidence) {
            (Evidence::Size(left), Evidence::Size(right)) => left == right,
            (Evidence::Term(left), Evidence::Term(right)) => self.type_later(left, right),
            _ => false,
        };
        evidence && self.type_if_any(left.kind, right.kind)
    }

    fn type_(&mut self, left: Id<Type>, right: Id<Type>) -> bool {
        match (self.left.types[left], self.right.types[right]) {
            (Type::Name(left), Type::Name(right)) | (Type::Literal(left), Type::Literal(right)) => {
                self.name(left, right)
            }
            (Type::Apply(left, list), Type::Apply(right, others)) => {
                self.type_later(left, right) && self.type_list(list, others)
            }
            (Type::Tuple(brackets, list), Type::Tuple(other, others)) => {
                brackets == other && self.type_list(list, others)
            }
            (Type::Sum(list), Type::Sum(others)) | (Type::List(list), Type::List(others)) => {
                self.type_list(list, others)
            }
            (Type::Invisible(left), Type::Invisible(right))
            | (Type::Inferred(left), Type::Inferred(right))
            | (Type::Promoted(left), Type::Promoted(right)) => self.type_later(left, right),
            (Type::Infix(a, left, b), Type::Infix(c, right, d))
            | (Type::Function(a, left, b), Type::Function(c, right, d)) => {
                self.name(left, right) && self.type_later(a, c) && self.type_later(b, d)
            }
            (Type::Linear(left), Type::Linear(right)) => {
                let (left, right) = (self.left.linears[left], self.right.linears[right]);
                self.name(left.arrow, right.arrow)
                    && self.type_later(left.multiplicity, right.multiplicity)
                    && self.type_later(left.from, right.from)
                    && self.type_later(left.to, right.to)
            }
            (Type::Forall(binders, left), Type::Forall(others, right))
            | (Type::VisibleForall(binders, left), Type::VisibleForall(others, right)) => {
                self.all(|core| &core.type_binders, (binders, others), Self::type_binder)
                    && self.type_later(left, right)
            }
            (Type::Signature(a, b), Type::Signature(c, d)) => {
                self.type_later(a, c) && self.type_later(b, d)
            }
            (Type::Implicit(left, a), Type::Implicit(right, b))
            | (Type::Reflexive(a, left), Type::Reflexive(b, right))
            | (Type::Role(a, left), Type::Role(b, right)) => {
                self.name(left, right) && self.type_later(a, b)
            }
            _ => false,
        }
    }

    fn type_list(&mut self, left: List<Id<Type>>, right: List<Id<Type>>) -> bool {
        self.all(
            |core| &core.type_lists,
            (left, right),
            |this, left, right| this.type_later(*left, *right),
        )
    }

    fn type_binder(&mut self, left: &TypeBinder, right: &TypeBinder) -> bool {
        left.inferred == right.inferred
            && self.name(left.name, right.name)
            && self.type_if_any(left.kind, right.kind)
    }
}
