//! Core as a tree: its nodes, in arenas, and their traversal and count.
//!
//! Nodes follow the constructors of GHC's `CoreExpr`, `Type` and `IdInfo` as far as a dump shows them.
//! Two forms with the same meaning are one node: `let! { pat ~ b <- e } in` is a case, and brackets
//! that only group are gone.
//!
//! The nodes of one type are in one growing array, identified by their indices. A dump of hundreds of
//! megabytes has tens of millions of nodes: arrays add no overhead for each, and dropping them needs
//! no recursion, however deeply the program was nested.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::Index;

use super::names::{Name, Names};

/// An expression.
#[derive(Debug, Clone, Copy)]
pub enum Expr {
    /// A variable or a data constructor.
    Variable(Name),
    /// A literal in its exact form, such as `3#`, `"x"#`, `'a'#`, `1.5##` or
    /// `__label "f" (function)`.
    Literal(Name),
    /// A jump to a join point: the head of an application, or alone.
    Jump(Name),
    /// A foreign call: its words as printed, and its type.
    Foreign(Name, Id<Type>),
    /// A function and its arguments, at least one.
    Apply(Id<Expr>, List<Argument>),
    /// Parameters, at least one, and a body.
    Lambda(List<Binder>, Id<Expr>),
    /// Bindings and a body.
    Let(LetKind, List<Binding>, Id<Expr>),
    /// The scrutinee, its name in the alternatives, and the alternatives.
    Case(Id<Expr>, Option<Id<Binder>>, List<Alternative>),
    /// An expression at another type.
    Cast(Id<Expr>, Id<Coercion>),
    /// A note of the source, of a cost centre or of coverage, and its expression.
    Tick(Name, Id<Expr>),
    /// A saturated tuple.
    Tuple(Brackets, List<Id<Expr>>),
    /// A type where an expression is expected.
    Type(Id<Type>),
    /// A coercion where an expression is expected.
    Coercion(Id<Coercion>),
}

/// An argument of a function.
#[derive(Debug, Clone, Copy)]
pub enum Argument {
    /// A value.
    Value(Id<Expr>),
    /// `@ty`.
    Type(Id<Type>),
    /// `@~co`.
    Coercion(Id<Coercion>),
}

/// The four words that begin bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LetKind {
    /// `let`: one binding, not recursive.
    Let,
    /// `letrec`.
    LetRec,
    /// `join`: one join point, not recursive.
    Join,
    /// `joinrec`.
    JoinRec,
}

impl LetKind {
    /// True if the bound expression may use its own name.
    pub fn is_recursive(self) -> bool {
        matches!(self, Self::LetRec | Self::JoinRec)
    }

    /// True if it binds join points: code to be jumped to, without allocation.
    pub fn is_join(self) -> bool {
        matches!(self, Self::Join | Self::JoinRec)
    }
}

/// The brackets of a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Brackets {
    /// `(a, b)`.
    Round,
    /// `(# a, b #)`.
    Unboxed,
    /// `(% a, b %)`, of constraints.
    Constraint,
}

impl Brackets {
    /// The opening and the closing bracket, with the blanks inside.
    pub fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Round => ("(", ")"),
            Self::Unboxed => ("(# ", " #)"),
            Self::Constraint => ("(% ", " %)"),
        }
    }
}

/// One binding.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// The bound name.
    pub name: Name,
    /// Its type; `None` if signatures are suppressed.
    pub signature: Option<Id<Type>>,
    /// The attributes between name and type: pragmas, occurrences, demand.
    pub notes: List<Attribute>,
    /// The attributes after the type: kind of identifier, arity, strictness, unfolding.
    pub info: List<Attribute>,
    /// The parameters on the left-hand side; only join points have them there.
    pub parameters: List<Binder>,
    /// The right-hand side.
    pub right: Id<Expr>,
    /// The line of the dump on which it begins, from 1.
    pub line: u32,
}

/// A binder of a lambda, a pattern, a case or a rule.
#[derive(Debug, Clone, Copy)]
pub struct Binder {
    /// Its name; `_` if it is dead and the dump leaves the name out.
    pub name: Name,
    /// Its kind: value or type.
    pub kind: BinderKind,
    /// Its type or kind, if the dump has it.
    pub signature: Option<Id<Type>>,
    /// The attributes after its name.
    pub notes: List<Attribute>,
    /// Its unfolding.
    pub unfolding: Option<Id<Unfolding>>,
}

impl Binder {
    /// True if it stands for a value.
    pub fn is_value(&self) -> bool {
        self.kind == BinderKind::Value
    }
}

/// The kind of a binder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinderKind {
    /// A value (or a coercion, which dumps do not tell apart).
    Value,
    /// A type.
    Type,
}

/// One alternative of a case.
#[derive(Debug, Clone, Copy)]
pub struct Alternative {
    /// The condition for it.
    pub pattern: Pattern,
    /// Its binders.
    pub binders: List<Binder>,
    /// The right-hand side.
    pub right: Id<Expr>,
}

/// The condition for an alternative.
#[derive(Debug, Clone, Copy)]
pub enum Pattern {
    /// `__DEFAULT`.
    Default,
    /// A literal.
    Literal(Name),
    /// A data constructor.
    Constructor(Name),
    /// A tuple.
    Tuple(Brackets),
}

/// Evidence that two types are represented alike.
#[derive(Debug, Clone, Copy)]
pub struct Coercion {
    /// The evidence.
    pub evidence: Evidence,
    /// Its types, as in `a ~R# b`.
    pub kind: Option<Id<Type>>,
}

/// The part of a coercion that a dump shows.
#[derive(Debug, Clone, Copy)]
pub enum Evidence {
    /// `<Co:7>`: its size (`-dsuppress-coercions`).
    Size(u32),
    /// All of it. Its operators are read like those of types.
    Term(Id<Type>),
}

/// A type, a kind, or the evidence in a coercion.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    /// A variable or a constructor.
    Name(Name),
    /// A number, a string or a character.
    Literal(Name),
    /// A constructor or variable and its arguments, at least one.
    Apply(Id<Type>, List<Id<Type>>),
    /// `@k`, an argument that is visible only with `-fprint-explicit-kinds`.
    Invisible(Id<Type>),
    /// `@{k}`, one that can never be passed explicitly.
    Inferred(Id<Type>),
    /// An operator between its operands; operators in a row nest to the left.
    Infix(Id<Type>, Name, Id<Type>),
    /// From, arrow, to. The arrow is `->`, `=>`, `->_R` and so on.
    Function(Id<Type>, Name, Id<Type>),
    /// Like `Function`, with the multiplicity first: `%1`, or the type after the `%`.
    Linear(Id<Linear>),
    /// `forall a b. t`.
    Forall(List<TypeBinder>, Id<Type>),
    /// `forall a -> t`.
    VisibleForall(List<TypeBinder>, Id<Type>),
    /// `(a, b)`; an empty one is always unboxed.
    Tuple(Brackets, List<Id<Type>>),
    /// `(# a | b #)`.
    Sum(List<Id<Type>>),
    /// `[a]`, or several elements of a promoted list.
    List(List<Id<Type>>),
    /// `'t`: a promoted constructor, list or tuple.
    Promoted(Id<Type>),
    /// `(t :: k)`.
    Signature(Id<Type>, Id<Type>),
    /// `?x::t`.
    Implicit(Name, Id<Type>),
    /// `<t>_N`, reflexivity, with its role.
    Reflexive(Id<Type>, Name),
    /// `(co)_R`, with its role.
    Role(Id<Type>, Name),
}

/// A function with a multiplicity for its argument.
#[derive(Debug, Clone, Copy)]
pub struct Linear {
    /// The type after the `%`.
    pub multiplicity: Id<Type>,
    /// The argument.
    pub from: Id<Type>,
    /// `->`, or with a role.
    pub arrow: Name,
    /// The result.
    pub to: Id<Type>,
}

/// A binder of a `forall`.
#[derive(Debug, Clone, Copy)]
pub struct TypeBinder {
    /// Its name.
    pub name: Name,
    /// Its kind, if the dump has it.
    pub kind: Option<Id<Type>>,
    /// Set if it is in braces: its argument is never passed explicitly.
    pub inferred: bool,
}

/// One item in the brackets after a binder.
#[derive(Debug, Clone, Copy)]
pub enum Attribute {
    /// An item of text.
    Text(Key, Name),
    /// `Unf=`.
    Unfolding(Id<Unfolding>),
    /// `RULES:`.
    Rules(List<Rule>),
}

/// The key of an item of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// `GblId`, `LclIdX` or `LclId`.
    Scope,
    /// The text in brackets after the scope, such as `DFunId` or `JoinId(2)`.
    Details,
    /// `Arity`: the number of value arguments taken before any work is done.
    Arity,
    /// `CallArity`.
    CallArity,
    /// `Caf`.
    Caf,
    /// `Str`: the strictness signature.
    Strictness,
    /// `Cpr`: the constructed product returned, if any.
    Cpr,
    /// `InlPrag`.
    Inline,
    /// `Occ`: the number of occurrences; loop breakers.
    Occurrence,
    /// `Dmd`: the demand on it.
    Demand,
    /// `OS`: a lambda that is entered at most once.
    OneShot,
    /// Any other.
    Other(Name),
    /// A word that stands alone.
    Flag,
}

/// GHC's knowledge of a value.
#[derive(Debug, Clone, Copy)]
pub enum Unfolding {
    /// The text after `Unf=` without an expression: `OtherCon [...]`, `No unfolding`, and
    /// `DFun: ...`, whose arguments GHC prints without brackets, so they cannot be separated.
    Text(Name),
    /// `Unf{...}`: its fields except the last, and the last, which is shown if it is stable.
    Core(List<Field>, Option<Id<Expr>>),
}

/// One field of an unfolding.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// `Src`, `TopLvl`, `Value`, `ConLike`, `WorkFree`, `Expandable`, `Guidance`.
    pub key: Name,
    /// Its text.
    pub value: Name,
}

/// A rewrite rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its name, without quotes.
    pub name: Name,
    /// Its effect.
    pub body: RuleBody,
    /// The line of the dump on which it begins, from 1.
    pub line: u32,
}

/// The effect of a rule.
#[derive(Debug, Clone, Copy)]
pub enum RuleBody {
    /// Built into GHC, for this function.
    BuiltIn(Name),
    /// Replaces an expression by another.
    Rewrite(Id<Rewrite>),
}

/// A replacement.
#[derive(Debug, Clone, Copy)]
pub struct Rewrite {
    /// Its activation phase, such as `[2]` or `[~1]`.
    pub activation: Option<Name>,
    /// Its variables.
    pub binders: List<Binder>,
    /// The expression to be replaced.
    pub left: Id<Expr>,
    /// The replacement.
    pub right: Id<Expr>,
}

/// The sizes that GHC prints, in its counts of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Nodes of expressions.
    pub terms: u32,
    /// Nodes of types.
    pub types: u32,
    /// Nodes of coercions.
    pub coercions: u32,
    /// Join points among the nested bindings.
    pub join_points: u32,
    /// Nested bindings, including join points.
    pub inner_bindings: u32,
}

/// A binding of the top level.
#[derive(Debug, Clone, Copy)]
pub struct Top {
    /// The binding.
    pub binding: Id<Binding>,
    /// Its size, if the dump has it.
    pub size: Option<Size>,
}

/// Bindings of the top level that refer to each other, or a single one that is not recursive.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Set in `Rec { ... end Rec }`.
    pub recursive: bool,
    /// Its bindings.
    pub bindings: List<Top>,
}

/// The output of one pass of the compiler.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// The words between the rules of `=` signs; `None` for text without such a header.
    pub title: Option<Name>,
    /// The total size, if the dump has it.
    pub size: Option<Size>,
    /// The bindings.
    pub groups: List<Group>,
    /// The rules for functions of other modules, at the end.
    pub rules: List<Rule>,
    /// The line of the dump on which it begins, from 1.
    pub line: u32,
}

/// The index of a node of type `T`.
pub struct Id<T>(NonZeroU32, PhantomData<fn() -> T>);

/// Adjacent nodes of type `T`.
pub struct List<T> {
    first: u32,
    length: u32,
    of: PhantomData<fn() -> T>,
}

/// All nodes of one type.
#[derive(Debug, Clone)]
pub struct Arena<T> {
    nodes: Vec<T>,
}

impl<T> Id<T> {
    fn at(place: usize) -> Self {
        let number = u32::try_from(place + 1).ok().and_then(NonZeroU32::new);
        Self(
            number.expect("a dump is shorter than 4 GiB, and every node takes a byte"),
            PhantomData,
        )
    }

    /// The index as a number, from 0.
    pub fn place(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl<T> List<T> {
    /// An empty list.
    pub const EMPTY: Self = Self { first: 0, length: 0, of: PhantomData };

    /// The number of its nodes.
    pub fn len(self) -> usize {
        self.length as usize
    }

    /// True if it is empty.
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    /// The indices of its nodes.
    pub fn ids(self) -> impl DoubleEndedIterator<Item = Id<T>> + ExactSizeIterator {
        let first = self.first as usize;
        (first..first + self.len()).map(Id::at)
    }
}

impl<T> Arena<T> {
    /// Adds a node.
    pub fn add(&mut self, node: T) -> Id<T> {
        let id = Id::at(self.nodes.len());
        self.nodes.push(node);
        id
    }

    /// Adds nodes next to each other.
    pub fn add_all(&mut self, nodes: impl IntoIterator<Item = T>) -> List<T> {
        let first = self.nodes.len();
        self.nodes.extend(nodes);
        let length = self.nodes.len() - first;
        if length == 0 {
            return List::EMPTY;
        }
        // If the last index fits, the others do too.
        Id::<T>::at(self.nodes.len() - 1);
        let (first, length) = (first as u32, length as u32);
        List { first, length, of: PhantomData }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if it is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The indices of all nodes.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = Id<T>> + ExactSizeIterator + use<T> {
        (0..self.nodes.len()).map(Id::at)
    }

    /// All nodes in the order in which they were added.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.nodes.iter()
    }

    /// The bytes allocated for the nodes.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<T>()
    }

    /// Drops the nodes from this index on.
    pub(super) fn truncate(&mut self, length: usize) {
        self.nodes.truncate(length);
    }
}

impl<'a, T> IntoIterator for &'a Arena<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { nodes: Vec::new() }
    }
}

impl<T> Index<Id<T>> for Arena<T> {
    type Output = T;

    fn index(&self, id: Id<T>) -> &T {
        &self.nodes[id.place()]
    }
}

impl<T> Index<List<T>> for Arena<T> {
    type Output = [T];

    fn index(&self, list: List<T>) -> &[T] {
        &self.nodes[list.first as usize..][..list.len()]
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Id<T> {}

impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Id<T> {}

impl<T> std::hash::Hash for Id<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}", self.0)
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}+{}", self.first, self.length)
    }
}

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
    pub fn walk(&self, root: Id<Expr>) -> Walk<'_> {
        Walk { core: self, waiting: vec![(root, 0)], path: Vec::new() }
    }

    /// The bindings within `root`, from the outside in and from left to right.
    pub fn bindings_within(&self, root: Id<Expr>) -> impl Iterator<Item = Id<Binding>> + '_ {
        let groups = self.walk(root).filter_map(|it| match self.exprs[it] {
            Expr::Let(_, bindings, _) => Some(bindings.ids()),
            _ => None,
        });
        groups.flatten()
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

/// The size of an expression in GHC's count, regardless of suppressed parts, except for the
/// coercions.
///
/// GHC prints the size of every binding (`-- RHS size:`), so a count from the tree shows if a dump
/// was read correctly. GHC's rules are those of `GHC.Core.Stats`: one for each variable and literal,
/// for each binder of a lambda, of a case and of a binding, and for each alternative; nothing for a
/// tick, an argument that is a type, or the binders of a pattern.
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
                    if kind.is_join() {
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

/// Defines the tree with these arenas, and what is done with each of them.
macro_rules! core {
    ($(#[doc = $about:literal] $arena:ident: $node:ty,)*) => {
        /// All nodes of a dump, by type, and its names.
        #[derive(Debug, Clone, Default)]
        pub struct Core {
            /// Names, operators, literals.
            pub names: Names,
            $(#[doc = $about] pub $arena: Arena<$node>,)*
        }

        /// The number of nodes of each type.
        #[derive(Debug, Clone, Copy)]
        pub(super) struct Mark {
            $($arena: usize,)*
        }

        impl Core {
            /// The bytes allocated for everything.
            pub fn bytes(&self) -> usize {
                self.names.bytes() $(+ self.$arena.bytes())*
            }

            /// The current ends of all arenas.
            pub(super) fn mark(&self) -> Mark {
                Mark { $($arena: self.$arena.len(),)* }
            }

            /// Drops all nodes added after `mark`; names remain.
            pub(super) fn back_to(&mut self, mark: Mark) {
                $(self.$arena.truncate(mark.$arena);)*
            }
        }
    };
}

core! {
    /// Expressions.
    exprs: Expr,
    /// Elements of tuples.
    elements: Id<Expr>,
    /// Arguments of applications.
    arguments: Argument,
    /// Bindings, of the top level and nested.
    bindings: Binding,
    /// Binders of lambdas, patterns, cases and rules.
    binders: Binder,
    /// Alternatives of cases.
    alternatives: Alternative,
    /// Coercions.
    coercions: Coercion,
    /// Types, kinds and evidence.
    types: Type,
    /// Arguments of type constructors, elements of tuples of types.
    type_lists: Id<Type>,
    /// Binders of `forall`.
    type_binders: TypeBinder,
    /// Functions with a multiplicity.
    linears: Linear,
    /// Attributes in brackets after binders.
    attributes: Attribute,
    /// Unfoldings of values.
    unfoldings: Unfolding,
    /// Fields of unfoldings.
    fields: Field,
    /// Rules.
    rules: Rule,
    /// Rewrites of rules.
    rewrites: Rewrite,
    /// Bindings of the top level.
    tops: Top,
    /// Groups of the top level.
    groups: Group,
}

impl Core {
    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        self.names.text(name)
    }

    /// The text of the attribute with `key`.
    pub fn attribute(&self, attributes: List<Attribute>, key: Key) -> Option<&str> {
        self.attributes[attributes].iter().find_map(|attribute| match attribute {
            Attribute::Text(its, text) if *its == key => Some(self.text(*text)),
            _ => None,
        })
    }

    /// The unfolding among the attributes.
    pub fn unfolding(&self, attributes: List<Attribute>) -> Option<&Unfolding> {
        self.attributes[attributes].iter().find_map(|attribute| match attribute {
            Attribute::Unfolding(id) => Some(&self.unfoldings[*id]),
            _ => None,
        })
    }
}
