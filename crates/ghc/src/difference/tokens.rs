//! A binding as a row of tokens, reduced to the code that runs: without types, casts, notes of the
//! source, and uniques. Two bindings with the same row do the same.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::core::Core;
use crate::core::names::Name;
use crate::core::tree::{Argument, Binder, Binding, Brackets, Expr, Id, LetKind, List, Pattern};

/// One node of an expression.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    /// The hash of the node; a local name is represented by the number of its binder.
    pub(super) exact: u64,
    /// The hash of the node with all local names alike. Two bodies can be compared piece by piece
    /// by this.
    pub(super) loose: u64,
    /// The expression of the node.
    pub(super) expr: Id<Expr>,
}

/// A node in the form to be hashed.
#[derive(Debug, Hash)]
enum Node<'a> {
    Local(u32),
    Free(u64),
    Literal(&'a str),
    Foreign(&'a str),
    Apply(usize),
    Lambda(usize),
    Let(LetKind, usize),
    Parameters(usize),
    Case(usize),
    Default(usize),
    Constant(&'a str),
    Constructor(u64, usize),
    Tuple(Brackets, usize),
    Nothing,
}

enum Work {
    Visit(Id<Expr>),
    Alternative(Id<Expr>, Pattern, List<Binder>),
    Parameters(Id<Expr>, List<Binder>),
    Bind(Name),
    BindAll(List<Binder>),
    Leave(usize),
}

struct Flattening<'a> {
    core: &'a Core,
    label: &'a dyn Fn(Name) -> u64,
    /// By name: the numbers of the binders in scope, the innermost last.
    bound: HashMap<Name, Vec<u32>>,
    /// The names bound so far, in order.
    scope: Vec<Name>,
    count: u32,
    tokens: Vec<Token>,
}

/// The tokens of a binding. `label` maps names that are not bound within to their meaning.
pub(super) fn tokens(core: &Core, binding: &Binding, label: &dyn Fn(Name) -> u64) -> Vec<Token> {
    let mut flat = Flattening {
        core,
        label,
        bound: HashMap::new(),
        scope: Vec::new(),
        count: 0,
        tokens: Vec::new(),
    };
    let mut work = vec![Work::Visit(binding.right), Work::BindAll(binding.parameters)];
    while let Some(next) = work.pop() {
        match next {
            Work::Visit(it) => flat.visit(it, &mut work),
            Work::Alternative(it, pattern, binders) => flat.alternative(it, pattern, binders),
            Work::Parameters(it, binders) => {
                flat.add(it, &Node::Parameters(values(core, binders)));
                flat.bind_all(binders);
            }
            Work::Bind(name) => flat.bind(name),
            Work::BindAll(binders) => flat.bind_all(binders),
            Work::Leave(to) => flat.leave(to),
        }
    }
    flat.tokens
}

/// The row of tokens in one number.
pub(super) fn shape(tokens: &[Token]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for token in tokens {
        token.exact.hash(&mut hasher);
    }
    hasher.finish()
}

/// A value as a number.
pub(super) fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

fn values(core: &Core, binders: List<Binder>) -> usize {
    core.binders[binders].iter().filter(|it| it.is_value()).count()
}

impl Flattening<'_> {
    fn add(&mut self, expr: Id<Expr>, node: &Node<'_>) {
        let exact = hash(node);
        let loose = if let Node::Local(_) = node { hash(Node::Nothing) } else { exact };
        self.tokens.push(Token { exact, loose, expr });
    }

    fn bind(&mut self, name: Name) {
        self.bound.entry(name).or_default().push(self.count);
        self.count += 1;
        self.scope.push(name);
    }

    fn bind_all(&mut self, binders: List<Binder>) {
        let core = self.core;
        for binder in core.binders[binders].iter().filter(|it| it.is_value()) {
            self.bind(binder.name);
        }
    }

    /// Ends the scopes except the first `to`.
    fn leave(&mut self, to: usize) {
        for name in self.scope.drain(to..) {
            self.bound.get_mut(&name).and_then(Vec::pop);
        }
    }

    fn alternative(&mut self, it: Id<Expr>, pattern: Pattern, binders: List<Binder>) {
        let core = self.core;
        let count = values(core, binders);
        let node = match pattern {
            Pattern::Default => Node::Default(count),
            Pattern::Literal(name) => Node::Constant(core.text(name)),
            Pattern::Constructor(name) => Node::Constructor((self.label)(name), count),
            Pattern::Tuple(brackets) => Node::Tuple(brackets, count),
        };
        self.add(it, &node);
        self.bind_all(binders);
    }

    fn variable(&mut self, it: Id<Expr>, name: Name) {
        let node = match self.bound.get(&name).and_then(|scopes| scopes.last()) {
            Some(number) => Node::Local(*number),
            None => Node::Free((self.label)(name)),
        };
        self.add(it, &node);
    }

    fn visit(&mut self, it: Id<Expr>, work: &mut Vec<Work>) {
        let core = self.core;
        match core.exprs[it] {
            Expr::Variable(name) | Expr::Jump(name) => self.variable(it, name),
            Expr::Literal(name) => self.add(it, &Node::Literal(core.text(name))),
            Expr::Foreign(name, _) => self.add(it, &Node::Foreign(core.text(name))),
            Expr::Cast(inner, _) | Expr::Tick(_, inner) => work.push(Work::Visit(inner)),
            Expr::Apply(..) => self.application(it, work),
            Expr::Lambda(..) => self.lambda(it, work),
            Expr::Let(kind, bindings, body) => self.let_(it, kind, bindings, body, work),
            Expr::Case(scrutinee, binder, alternatives) => {
                let alternatives = &core.alternatives[alternatives];
                self.add(it, &Node::Case(alternatives.len()));
                let scope = self.scope.len();
                work.push(Work::Leave(scope));
                let inner = scope + usize::from(binder.is_some());
                for alternative in alternatives.iter().rev() {
                    work.push(Work::Leave(inner));
                    work.push(Work::Visit(alternative.right));
                    let (pattern, binders) = (alternative.pattern, alternative.binders);
                    work.push(Work::Alternative(alternative.right, pattern, binders));
                }
                work.extend(binder.map(|binder| Work::Bind(core.binders[binder].name)));
                work.push(Work::Visit(scrutinee));
            }
            Expr::Tuple(brackets, elements) => {
                let elements = &core.elements[elements];
                self.add(it, &Node::Tuple(brackets, elements.len()));
                work.extend(elements.iter().rev().map(|it| Work::Visit(*it)));
            }
            Expr::Type(_) | Expr::Coercion(_) => self.add(it, &Node::Nothing),
        }
    }

    /// An application, with the casts between its arguments.
    fn application(&mut self, it: Id<Expr>, work: &mut Vec<Work>) {
        let core = self.core;
        let mut head = it;
        let begin = work.len();
        loop {
            match core.exprs[head] {
                Expr::Apply(function, arguments) => {
                    work.extend(core.arguments[arguments].iter().rev().filter_map(|argument| {
                        match argument {
                            Argument::Value(it) => Some(Work::Visit(*it)),
                            _ => None,
                        }
                    }));
                    head = function;
                }
                Expr::Cast(inner, _) | Expr::Tick(_, inner) => head = inner,
                _ => break,
            }
        }
        let count = work.len() - begin;
        if count > 0 {
            self.add(it, &Node::Apply(count));
        }
        work.push(Work::Visit(head));
    }

    /// Lambdas, with the casts between them.
    fn lambda(&mut self, it: Id<Expr>, work: &mut Vec<Work>) {
        let core = self.core;
        let mut lists = Vec::new();
        let mut body = it;
        loop {
            match core.exprs[body] {
                Expr::Lambda(binders, inner) => {
                    lists.push(binders);
                    body = inner;
                }
                Expr::Cast(inner, _) | Expr::Tick(_, inner) => body = inner,
                _ => break,
            }
        }
        let count: usize = lists.iter().map(|list| values(core, *list)).sum();
        if count > 0 {
            self.add(it, &Node::Lambda(count));
        }
        work.push(Work::Leave(self.scope.len()));
        work.push(Work::Visit(body));
        work.extend(lists.into_iter().rev().map(Work::BindAll));
    }

    fn let_(
        &mut self,
        it: Id<Expr>,
        kind: LetKind,
        bindings: List<Binding>,
        body: Id<Expr>,
        work: &mut Vec<Work>,
    ) {
        let bindings = &self.core.bindings[bindings];
        self.add(it, &Node::Let(kind, bindings.len()));
        let scope = self.scope.len();
        let is_recursive = kind.is_recursive();
        let names = || bindings.iter().map(|binding| Work::Bind(binding.name));
        let inner = scope + if is_recursive { bindings.len() } else { 0 };
        work.push(Work::Leave(scope));
        work.push(Work::Visit(body));
        if !is_recursive {
            work.extend(names().rev());
        }
        for binding in bindings.iter().rev() {
            work.push(Work::Leave(inner));
            work.push(Work::Visit(binding.right));
            work.push(Work::Parameters(binding.right, binding.parameters));
        }
        if is_recursive {
            work.extend(names().rev());
        }
    }
}
