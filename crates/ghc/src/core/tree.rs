//! Core as a tree: the nodes.
//!
//! They follow the constructors of GHC's `CoreExpr`, `Type` and `IdInfo` as far as a dump shows
//! them. What a dump shows in two ways that mean the same is one node: `let! { pat ~ b <- e } in`
//! is a case, and brackets that only group are gone.

use super::arena::{Id, List};
use super::names::Name;

/// An expression.
#[derive(Debug, Clone, Copy)]
pub enum Expr {
    /// A variable or a data constructor.
    Variable(Name),
    /// A literal in its exact form, such as `3#`, `"x"#`, `'a'#`, `1.5##` or `__label "f" (function)`.
    Literal(Name),
    /// A join point that is jumped to: the head of an application, or alone.
    Jump(Name),
    /// A foreign call: its words as printed, and its type.
    Foreign(Name, Id<Type>),
    /// A function and its arguments, of which there is at least one.
    Apply(Id<Expr>, List<Argument>),
    /// Parameters, of which there is at least one, and a body.
    Lambda(List<Binder>, Id<Expr>),
    /// Bindings and a body.
    Let(LetKind, List<Binding>, Id<Expr>),
    /// What is examined, the name it gets, and what is done.
    Case(Id<Expr>, Option<Id<Binder>>, List<Alternative>),
    /// An expression at another type.
    Cast(Id<Expr>, Id<Coercion>),
    /// A note of the source, of a cost centre or of coverage, and what it is about.
    Tick(Name, Id<Expr>),
    /// A saturated tuple.
    Tuple(Brackets, List<Id<Expr>>),
    /// A type where an expression is expected.
    Type(Id<Type>),
    /// A coercion where an expression is expected.
    Coercion(Id<Coercion>),
}

/// What a function is applied to.
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
    /// Whether what is bound may use itself.
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
    /// What is bound.
    pub name: Name,
    /// Its type; none where signatures are suppressed.
    pub signature: Option<Id<Type>>,
    /// What stands in brackets between name and type: pragmas, occurrences, demand.
    pub notes: List<Attribute>,
    /// What stands in brackets after the type: kind of identifier, arity, strictness, unfolding.
    pub info: List<Attribute>,
    /// The parameters on the left-hand side; only join points have them there.
    pub parameters: List<Binder>,
    /// What it is.
    pub right: Id<Expr>,
    /// The line of the dump on which it begins, from 1.
    pub line: u32,
}

/// Something that a lambda, a pattern, a case or a rule binds.
#[derive(Debug, Clone, Copy)]
pub struct Binder {
    /// Its name; `_` where it is dead and the dump leaves the name out.
    pub name: Name,
    /// Whether it stands for a value or for a type.
    pub kind: BinderKind,
    /// Its type or kind, where the dump has it.
    pub signature: Option<Id<Type>>,
    /// What stands in brackets after its name.
    pub notes: List<Attribute>,
    /// What is known of its value.
    pub unfolding: Option<Id<Unfolding>>,
}

/// What a binder stands for.
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
    /// When it is taken.
    pub pattern: Pattern,
    /// What it binds.
    pub binders: List<Binder>,
    /// What is done then.
    pub right: Id<Expr>,
}

/// When an alternative is taken.
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
    /// The types it is about, as in `a ~R# b`.
    pub kind: Option<Id<Type>>,
}

/// How much of a coercion a dump shows.
#[derive(Debug, Clone, Copy)]
pub enum Evidence {
    /// `<Co:7>`: its size (`-dsuppress-coercions`).
    Size(u32),
    /// All of it. Its operators are read as those of types are.
    Term(Id<Type>),
}

/// A type, a kind, or the evidence in a coercion.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    /// A variable or a constructor.
    Name(Name),
    /// A number, a string or a character.
    Literal(Name),
    /// A constructor or variable and its arguments, of which there is at least one.
    Apply(Id<Type>, List<Id<Type>>),
    /// `@k`, an argument that is visible only by `-fprint-explicit-kinds`.
    Invisible(Id<Type>),
    /// `@{k}`, one that can never be given.
    Inferred(Id<Type>),
    /// An operator between its operands; operators in a row nest to the left.
    Infix(Id<Type>, Name, Id<Type>),
    /// From, arrow, to. The arrow is `->`, `=>`, `->_R` and so on.
    Function(Id<Type>, Name, Id<Type>),
    /// As `Function`, with the multiplicity first: `%1`, or what stands after the `%`.
    Linear(Id<Linear>),
    /// `forall a b. t`.
    Forall(List<TypeBinder>, Id<Type>),
    /// `forall a -> t`.
    VisibleForall(List<TypeBinder>, Id<Type>),
    /// `(a, b)`; with no elements only where unboxed.
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

/// A function that says how often it uses its argument.
#[derive(Debug, Clone, Copy)]
pub struct Linear {
    /// What stands after the `%`.
    pub multiplicity: Id<Type>,
    /// The argument.
    pub from: Id<Type>,
    /// `->`, or with a role.
    pub arrow: Name,
    /// The result.
    pub to: Id<Type>,
}

/// What a `forall` binds.
#[derive(Debug, Clone, Copy)]
pub struct TypeBinder {
    /// Its name.
    pub name: Name,
    /// Its kind, where the dump has it.
    pub kind: Option<Id<Type>>,
    /// Whether it stands in braces: its argument is never given explicitly.
    pub inferred: bool,
}

/// One item in brackets after a binder.
#[derive(Debug, Clone, Copy)]
pub enum Attribute {
    /// An item of text.
    Text(Key, Name),
    /// `Unf=`.
    Unfolding(Id<Unfolding>),
    /// `RULES:`.
    Rules(List<Rule>),
}

/// What an item of text is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// `GblId`, `LclIdX` or `LclId`.
    Scope,
    /// What stands in brackets after the scope, such as `DFunId` or `JoinId(2)`.
    Details,
    /// `Arity`: how many value arguments it takes before it does work.
    Arity,
    /// `CallArity`.
    CallArity,
    /// `Caf`.
    Caf,
    /// `Str`: the strictness signature.
    Strictness,
    /// `Cpr`: whether it returns a constructed product.
    Cpr,
    /// `InlPrag`.
    Inline,
    /// `Occ`: how often it occurs; loop breakers.
    Occurrence,
    /// `Dmd`: how it is demanded.
    Demand,
    /// `OS`: whether a lambda is entered at most once.
    OneShot,
    /// Any other.
    Other(Name),
    /// A word that stands alone.
    Flag,
}

/// What GHC knows of a value.
#[derive(Debug, Clone, Copy)]
pub enum Unfolding {
    /// The text after `Unf=` where it holds no expression: `OtherCon [...]`, `No unfolding`, and
    /// `DFun: ...`, whose arguments GHC prints without brackets, so that they cannot be told apart.
    Text(Name),
    /// `Unf{...}`: its fields but the last, and the last, which is shown where it is stable.
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
    /// What it does.
    pub body: RuleBody,
    /// The line of the dump on which it begins, from 1.
    pub line: u32,
}

/// What a rule does.
#[derive(Debug, Clone, Copy)]
pub enum RuleBody {
    /// It is built into GHC, for this function.
    BuiltIn(Name),
    /// It replaces an expression by another.
    Rewrite(Id<Rewrite>),
}

/// A replacement.
#[derive(Debug, Clone, Copy)]
pub struct Rewrite {
    /// When it is active, such as `[2]` or `[~1]`.
    pub activation: Option<Name>,
    /// Its variables.
    pub binders: List<Binder>,
    /// What is replaced.
    pub left: Id<Expr>,
    /// By what.
    pub right: Id<Expr>,
}

/// The sizes that GHC prints, in its own counts of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Nodes of expressions.
    pub terms: u32,
    /// Nodes of types.
    pub types: u32,
    /// Nodes of coercions.
    pub coercions: u32,
    /// Join points among the bindings within.
    pub join_points: u32,
    /// Bindings within, join points among them.
    pub inner_bindings: u32,
}

/// A binding of the top level.
#[derive(Debug, Clone, Copy)]
pub struct Top {
    /// The binding.
    pub binding: Id<Binding>,
    /// Its size, where the dump has it.
    pub size: Option<Size>,
}

/// Bindings of the top level that refer to each other, or one that does not.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Whether it stands in `Rec { ... end Rec }`.
    pub recursive: bool,
    /// Its bindings.
    pub bindings: List<Top>,
}

/// What one pass of the compiler left.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// The words between the rules of `=` signs; of text without such a header, none.
    pub title: Option<Name>,
    /// The size of the whole, where the dump has it.
    pub size: Option<Size>,
    /// The bindings.
    pub groups: List<Group>,
    /// The rules for functions of other modules, at the end.
    pub rules: List<Rule>,
    /// The line of the dump on which it begins, from 1.
    pub line: u32,
}
