//! The nodes of a dump, and access to them.

use super::arena::{Arena, Id, List};
use super::names::{Name, Names};
use super::tree::{
    Alternative, Argument, Attribute, Binder, Binding, Coercion, Expr, Field, Group, Key, Linear,
    Rewrite, Rule, Top, Type, TypeBinder, Unfolding,
};

/// All nodes of a dump, by type, and its names.
#[derive(Debug, Clone, Default)]
pub struct Core {
    /// Names, operators, literals.
    pub names: Names,
    /// Expressions.
    pub exprs: Arena<Expr>,
    /// Elements of tuples.
    pub elements: Arena<Id<Expr>>,
    /// Arguments of applications.
    pub arguments: Arena<Argument>,
    /// Bindings, of the top level and nested.
    pub bindings: Arena<Binding>,
    /// Binders of lambdas, patterns, cases and rules.
    pub binders: Arena<Binder>,
    /// Alternatives of cases.
    pub alternatives: Arena<Alternative>,
    /// Coercions.
    pub coercions: Arena<Coercion>,
    /// Types, kinds and evidence.
    pub types: Arena<Type>,
    /// Arguments of type constructors, elements of tuples of types.
    pub type_lists: Arena<Id<Type>>,
    /// Binders of `forall`.
    pub type_binders: Arena<TypeBinder>,
    /// Functions with a multiplicity.
    pub linears: Arena<Linear>,
    /// Attributes in brackets after binders.
    pub attributes: Arena<Attribute>,
    /// Unfoldings of values.
    pub unfoldings: Arena<Unfolding>,
    /// Fields of unfoldings.
    pub fields: Arena<Field>,
    /// Rules.
    pub rules: Arena<Rule>,
    /// Rewrites of rules.
    pub rewrites: Arena<Rewrite>,
    /// Bindings of the top level.
    pub tops: Arena<Top>,
    /// Groups of the top level.
    pub groups: Arena<Group>,
}

/// The number of nodes of each type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark([usize; 16]);

impl Core {
    /// The text of a name.
    #[must_use]
    pub fn text(&self, name: Name) -> &str {
        self.names.text(name)
    }

    /// The text of the attribute with `key`.
    #[must_use]
    pub fn attribute(&self, attributes: List<Attribute>, key: Key) -> Option<&str> {
        self.attributes[attributes].iter().find_map(|attribute| match attribute {
            Attribute::Text(its, text) if *its == key => Some(self.text(*text)),
            _ => None,
        })
    }

    /// The unfolding among the attributes.
    #[must_use]
    pub fn unfolding(&self, attributes: List<Attribute>) -> Option<&Unfolding> {
        self.attributes[attributes].iter().find_map(|attribute| match attribute {
            Attribute::Unfolding(id) => Some(&self.unfoldings[*id]),
            _ => None,
        })
    }

    /// The bytes allocated for everything.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.names.bytes()
            + self.exprs.bytes()
            + self.elements.bytes()
            + self.arguments.bytes()
            + self.bindings.bytes()
            + self.binders.bytes()
            + self.alternatives.bytes()
            + self.coercions.bytes()
            + self.types.bytes()
            + self.type_lists.bytes()
            + self.type_binders.bytes()
            + self.linears.bytes()
            + self.attributes.bytes()
            + self.unfoldings.bytes()
            + self.fields.bytes()
            + self.rules.bytes()
            + self.rewrites.bytes()
            + self.tops.bytes()
            + self.groups.bytes()
    }

    /// The current ends of all arenas.
    pub(super) fn mark(&self) -> Mark {
        Mark([
            self.exprs.len(),
            self.elements.len(),
            self.arguments.len(),
            self.bindings.len(),
            self.binders.len(),
            self.alternatives.len(),
            self.coercions.len(),
            self.types.len(),
            self.type_lists.len(),
            self.type_binders.len(),
            self.linears.len(),
            self.attributes.len(),
            self.unfoldings.len(),
            self.fields.len(),
            self.rules.len(),
            self.rewrites.len(),
        ])
    }

    /// Drops all nodes added after `mark`; names remain.
    pub(super) fn back_to(&mut self, mark: Mark) {
        let [
            exprs,
            elements,
            arguments,
            bindings,
            binders,
            alternatives,
            coercions,
            types,
            type_lists,
            type_binders,
            linears,
            attributes,
            unfoldings,
            fields,
            rules,
            rewrites,
        ] = mark.0;
        self.exprs.truncate(exprs);
        self.elements.truncate(elements);
        self.arguments.truncate(arguments);
        self.bindings.truncate(bindings);
        self.binders.truncate(binders);
        self.alternatives.truncate(alternatives);
        self.coercions.truncate(coercions);
        self.types.truncate(types);
        self.type_lists.truncate(type_lists);
        self.type_binders.truncate(type_binders);
        self.linears.truncate(linears);
        self.attributes.truncate(attributes);
        self.unfoldings.truncate(unfoldings);
        self.fields.truncate(fields);
        self.rules.truncate(rules);
        self.rewrites.truncate(rewrites);
    }
}
