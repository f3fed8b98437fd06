//! Uses of names: the free names of an expression, the calls in it, and the uses between bindings of
//! the top level.

use std::collections::{HashMap, HashSet};

use super::dump::Dump;
use super::names::{Name, occurrence};
use super::tree::{Argument, Binder, Binding, Core, Expr, Id, Key, List, Pass, Unfolding};

/// An application of a name, seen through casts, ticks and brackets: GHC puts casts between the
/// arguments of functions whose results are newtypes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The called function.
    pub function: Name,
    /// Set for a jump to a join point.
    pub is_jump: bool,
    /// Its value arguments, from left to right.
    pub values: Vec<Id<Expr>>,
}

/// The number of a call's arguments relative to the function's arity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saturation {
    /// This number is lacking: a partial application, which is allocated.
    Lacking(u32),
    /// All are present.
    Exact,
    /// This number beyond the function's arity: its result is called, which is a call of an unknown
    /// function.
    Excess(u32),
}

impl Call {
    /// The number of arguments relative to an arity.
    pub fn saturation(&self, arity: u32) -> Saturation {
        let given = self.values.len() as u32;
        match given.cmp(&arity) {
            std::cmp::Ordering::Less => Saturation::Lacking(arity - given),
            std::cmp::Ordering::Equal => Saturation::Exact,
            std::cmp::Ordering::Greater => Saturation::Excess(given - arity),
        }
    }
}

impl Core {
    /// The call that an expression is. A name without arguments is not a call, and neither is an
    /// application of anything other than a name.
    pub fn call(&self, it: Id<Expr>) -> Option<Call> {
        let mut groups = Vec::new();
        let mut head = it;
        loop {
            match self.exprs[head] {
                Expr::Apply(function, arguments) => {
                    let arguments = &self.arguments[arguments];
                    let values = arguments.iter().filter_map(|argument| match argument {
                        Argument::Value(it) => Some(*it),
                        _ => None,
                    });
                    groups.push(values.collect::<Vec<_>>());
                    head = function;
                }
                Expr::Cast(inner, _) | Expr::Tick(_, inner) => head = inner,
                Expr::Variable(function) | Expr::Jump(function) if !groups.is_empty() => {
                    let is_jump = matches!(self.exprs[head], Expr::Jump(_));
                    let values = groups.into_iter().rev().flatten().collect();
                    return Some(Call { function, is_jump, values });
                }
                _ => return None,
            }
        }
    }

    /// The calls within an expression, each as a whole: `f x y`, but not also `f x`.
    pub fn calls_within(&self, root: Id<Expr>) -> Vec<(Id<Expr>, Call)> {
        let mut calls = Vec::new();
        let mut heads = HashSet::new();
        for it in self.walk(root) {
            // Casts and notes may come between the heads of one call.
            if let Expr::Cast(inner, _) | Expr::Tick(_, inner) = self.exprs[it]
                && heads.contains(&it)
            {
                heads.insert(inner);
            }
            let Expr::Apply(head, _) = self.exprs[it] else { continue };
            let is_head = heads.contains(&it);
            heads.insert(head);
            if !is_head {
                calls.extend(self.call(it).map(|call| (it, call)));
            }
        }
        calls
    }

    /// The first call within an expression of one of some functions, by their names without module.
    pub fn first_call(&self, root: Id<Expr>, functions: &[&str]) -> Option<Id<Expr>> {
        let is_one = |call: &Call| functions.contains(&occurrence(self.text(call.function)));
        self.calls_within(root).into_iter().find(|(_, call)| is_one(call)).map(|(it, _)| it)
    }

    /// The number of value arguments that a binding takes before it does work, according to GHC;
    /// `None` if the dump lacks GHC's information about it.
    pub fn arity(&self, binding: &Binding) -> Option<u32> {
        self.attribute(binding.info, Key::Scope)?;
        match self.attribute(binding.info, Key::Arity) {
            // GHC omits an arity of 0.
            None => Some(0),
            Some(arity) => arity.parse().ok(),
        }
    }

    /// GHC's condition for inlining a binding, such as `IF_ARGS [30 0] 90 10`.
    pub fn guidance(&self, binding: &Binding) -> Option<&str> {
        let Some(Unfolding::Core(fields, _)) = self.unfolding(binding.info) else { return None };
        let field = self.fields[*fields].iter().find(|it| self.text(it.key) == "Guidance")?;
        Some(self.text(field.value))
    }

    /// The number of value parameters at the beginning of a binding, seen through types, casts and
    /// ticks.
    pub fn parameters(&self, binding: &Binding) -> u32 {
        let values = |binders: &[super::tree::Binder]| {
            binders.iter().filter(|binder| binder.is_value()).count() as u32
        };
        let mut count = values(&self.binders[binding.parameters]);
        let mut body = binding.right;
        loop {
            match self.exprs[body] {
                Expr::Lambda(binders, inner) => {
                    count += values(&self.binders[binders]);
                    body = inner;
                }
                Expr::Cast(inner, _) | Expr::Tick(_, inner) => body = inner,
                _ => return count,
            }
        }
    }
}

/// The uses between bindings of the top level, which are numbered from 0 in the order of the dump.
#[derive(Debug, Clone, Default)]
pub struct CallGraph {
    /// By binding: those it uses, each once, in the order of first use.
    uses: Vec<Vec<usize>>,
    /// By binding: its users, in the order of the dump.
    users: Vec<Vec<usize>>,
}

impl CallGraph {
    /// The graph of one pass.
    pub fn from_dump(dump: &Dump, pass: &Pass) -> Self {
        let core = &dump.core;
        let tops = || dump.tops(pass).map(|top| &core.bindings[top.binding]).enumerate();
        let numbers: HashMap<Name, usize> = tops().map(|(top, it)| (it.name, top)).collect();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); tops().count()];
        let mut uses = users.clone();
        for (top, binding) in tops() {
            for used in core.free_variables(binding.right) {
                if let Some(used) = numbers.get(&used) {
                    uses[top].push(*used);
                    users[*used].push(top);
                }
            }
        }
        Self { uses, users }
    }

    /// The bindings that a binding uses, including itself if it is recursive.
    pub fn uses(&self, top: usize) -> &[usize] {
        &self.uses[top]
    }

    /// The bindings that use a binding, including itself if it is recursive.
    pub fn users(&self, top: usize) -> &[usize] {
        &self.users[top]
    }
}

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
                        // Scopes nest, and a name may be bound again within its own.
                        if bound.get(&name).is_none_or(|count| *count == 0) {
                            each(name, it);
                        }
                    }
                    _ => self.scopes(it, &mut work),
                },
                Work::Bind(name) => *bound.entry(name).or_default() += 1,
                Work::Leave(name) => *bound.entry(name).or_default() -= 1,
                Work::BindAll(binders) => {
                    for binder in &self.binders[binders] {
                        *bound.entry(binder.name).or_default() += 1;
                    }
                }
                Work::LeaveAll(binders) => {
                    for binder in &self.binders[binders] {
                        *bound.entry(binder.name).or_default() -= 1;
                    }
                }
            }
        }
    }

    /// The names that `root` uses but does not bind, in order of their first occurrence. Names of
    /// the top level and of other modules, including constructors, are free everywhere.
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
            Expr::Let(kind, bindings, body) => {
                let bindings = &self.bindings[bindings];
                let names = || bindings.iter().map(|binding| binding.name);
                if kind.is_recursive() {
                    work.extend(names().map(Work::Bind));
                }
                for binding in bindings {
                    within(work, binding.parameters, binding.right);
                }
                if !kind.is_recursive() {
                    work.extend(names().map(Work::Bind));
                }
                work.push(Work::Visit(body));
                work.extend(names().map(Work::Leave));
            }
            Expr::Case(scrutinee, binder, alternatives) => {
                work.push(Work::Visit(scrutinee));
                let binder = binder.map(|binder| self.binders[binder].name);
                work.extend(binder.map(Work::Bind));
                for alternative in &self.alternatives[alternatives] {
                    within(work, alternative.binders, alternative.right);
                }
                work.extend(binder.map(Work::Leave));
            }
            _ => self.children(it, |child| work.push(Work::Visit(child))),
        }
        work[begin..].reverse();
    }
}

fn within(work: &mut Vec<Work>, binders: List<Binder>, it: Id<Expr>) {
    work.extend([Work::BindAll(binders), Work::Visit(it), Work::LeaveAll(binders)]);
}
