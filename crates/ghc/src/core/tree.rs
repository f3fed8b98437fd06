//! Core as a tree: the nodes.
//!
//! They follow the constructors of GHC's `CoreExpr`, `Type` and `IdInfo` as far as a dump shows
//! them. Two forms with the same meaning are one node: `let! { pat ~ b <- e } in` is a case, and
//! brackets that only group are gone.

use super::arena::{Id, List};
use super::names::Name;

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
    #[must_use]
    pub fn is_recursive(self) -> bool {
        matches!(self, Self::LetRec | Self::JoinRec)
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
