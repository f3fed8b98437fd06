//! The properties of a binding that decide its cost, and the changes between two versions of them, in
//! the terms of its authors.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::compare::{numberless, stem};
use crate::causes::bound::parameters;
use crate::causes::bound::{given_back, is_continuation};
use crate::causes::names::in_source;
use crate::causes::overloading::{classes, implementation_of, is_idle};
use crate::causes::{Cause, Module, Program, Site};
use crate::core::Core;
use crate::core::names::{Name, occurrence};
use crate::core::tree::{Binder, Binding, Expr, Id, Key, LetKind, Type};

/// The properties of a binding of the top level.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// The number of arguments that it takes before it does work, if the dump has it; for a worker,
    /// that of its wrapper, if present.
    pub arity: Option<u32>,
    /// The same for its own code: a worker's arguments differ.
    pub own_arity: Option<u32>,
    /// Its parameters that are passed without a box.
    pub unboxed: u32,
    /// Its parameters that are dictionaries of classes.
    pub dictionaries: u32,
    /// Set if it has a continuation as a parameter.
    pub is_continued: bool,
    /// For each argument, set if it is certainly needed; if the dump has it.
    pub strict: Option<Vec<bool>>,
    /// The allocations of its body, with everything nested in it.
    pub allocates: Allocates,
    /// Calls of functions that are arguments or parts of data.
    pub unknown_calls: u32,
    /// Set if it returns a function that it makes after some work.
    pub gives_function: bool,
    /// The nested functions, by name without number and unique.
    pub inner: BTreeMap<String, Inner>,
    /// The nested values that its source names and that are made before their use, such as a list
    /// that is used twice; empty without the source.
    pub values: BTreeSet<String>,
    /// Its pragma, such as `NOINLINE`.
    pub pragma: Option<String>,
    /// Set if it is recursive, or GHC chose it as a loop breaker; it is then never inlined.
    pub is_recursive: bool,
    /// GHC's condition for inlining it.
    pub guidance: Option<String>,
}

/// A nested function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inner {
    /// The number of its arguments.
    pub arity: Option<u32>,
    /// Set if it is a join point: code to be jumped to, without allocation.
    pub is_join_point: bool,
}

/// The number of places of a body that allocate, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allocates {
    /// Functions.
    pub functions: u32,
    /// Deferred computations.
    pub thunks: u32,
    /// Data, including boxes.
    pub constructors: u32,
    /// Set if all thunks are visible: deferred arguments only get a name in CorePrep.
    pub is_exact: bool,
}

impl Facts {
    pub(super) fn from_binding(program: &Program, site: Site) -> Self {
        let module = program.module_of(site);
        let core = module.core();
        let binding = module.binding(site.top);
        let parameters = parameters(core, binding);
        let is_dictionary = |it: &&Binder| {
            let class = stem(core.text(it.name)).strip_prefix("$d");
            class.is_some_and(|class| !is_idle(numberless(class)))
        };
        let passed = parameters.iter().filter(is_dictionary).count();
        Self {
            arity: arity(program, site),
            own_arity: core.arity(binding),
            is_continued: parameters.iter().any(|it| {
                is_function(core, it.signature) && is_continuation(program, site, it.name)
            }),
            unboxed: parameters.iter().filter(|it| is_unboxed(core, it.signature)).count() as u32,
            // Up to 9.0, GHC passes the methods to a worker one by one.
            dictionaries: passed.max(classes(program, site).len()) as u32,
            strict: core.attribute(binding.info, Key::Strictness).map(strict),
            allocates: allocates(module, site.top),
            unknown_calls: unknown_calls(program, site),
            gives_function: !given_back(core, binding).is_empty(),
            inner: inner(core, binding.right),
            values: values(module, binding.right),
            pragma: pragma(module, binding),
            is_recursive: is_recursive(module, site.top),
            guidance: core.guidance(binding).map(str::to_owned),
        }
    }

    /// True if a nested function has the name of a binding, except for GHC's prefixes and suffixes.
    pub(super) fn has_inner(&self, name: &str) -> bool {
        let bare = |name: &str| {
            let name = numberless(stem(name));
            name.trim_start_matches("$w").trim_start_matches("$s").to_owned()
        };
        let name = bare(name);
        self.inner.keys().any(|inner| bare(inner) == name)
    }

    /// True if its pragma forbids inlining.
    pub fn is_noinline(&self) -> bool {
        self.pragma
            .as_deref()
            .is_some_and(|it| it.starts_with("NOINLINE") || it.starts_with("OPAQUE"))
    }

    /// True if its pragma asks for inlining.
    pub fn is_inline(&self) -> bool {
        self.pragma.as_deref().is_some_and(|it| it.starts_with("INLINE"))
    }

    /// Its size in GHC's count for inlining: the second figure of `IF_ARGS [...] 60 10`.
    pub fn inlining_size(&self) -> Option<u32> {
        let after = self.guidance.as_deref()?.strip_prefix("IF_ARGS")?.split_once(']')?.1;
        after.split_whitespace().next()?.parse().ok()
    }
}

/// The pragma on inlining. GHC does not print those of bindings that only their module sees, so
/// these are taken from the source, if present.
fn pragma(module: &Module, binding: &Binding) -> Option<String> {
    let core = module.core();
    if let Some(printed) = core.attribute(binding.notes, Key::Inline) {
        return Some(printed.to_owned());
    }
    let text = &module.source.as_ref()?.text;
    let name = in_source(core.text(binding.name));
    text.split("{-#").skip(1).find_map(|rest| {
        let mut words = rest.split("#-}").next()?.split_whitespace();
        let word = words.next()?.to_ascii_uppercase();
        let is_known = matches!(&word[..], "INLINE" | "NOINLINE" | "NOTINLINE" | "OPAQUE");
        // The phase, such as `[1]`, comes between pragma and names.
        let mut names = words.skip_while(|word| word.starts_with('['));
        let is_of_name = names.any(|it| it.trim_matches([',', '(', ')']) == name);
        (is_known && is_of_name).then(|| word.replace("NOTINLINE", "NOINLINE"))
    })
}

fn is_recursive(module: &Module, top: usize) -> bool {
    let binding = module.binding(top);
    let breaks_loop = [binding.notes, binding.info].iter().any(|notes| {
        let occurrence = module.core().attribute(*notes, Key::Occurrence);
        occurrence.is_some_and(|text| text.starts_with("LoopBreaker"))
    });
    breaks_loop || module.graph.uses(top).contains(&top)
}

/// The number of arguments of a function; for a worker, that of its wrapper: the worker has more if
/// one comes in parts.
fn arity(program: &Program, site: Site) -> Option<u32> {
    let core = program.core_of(site);
    let is_worker = stem(program.name(site)).starts_with("$w");
    let function = if is_worker { implementation_of(program, site)? } else { site };
    core.arity(program.binding(function))
}

fn is_function(core: &Core, signature: Option<Id<Type>>) -> bool {
    signature.is_some_and(|it| matches!(core.types[it], Type::Function(..) | Type::Linear(..)))
}

/// True if values of a type have no box. The state of the world does not exist at run time.
fn is_unboxed(core: &Core, signature: Option<Id<Type>>) -> bool {
    let Some(mut head) = signature else { return false };
    while let Type::Apply(inner, _) = core.types[head] {
        head = inner;
    }
    match core.types[head] {
        Type::Name(name) => {
            let name = occurrence(core.text(name));
            name.ends_with('#') && name != "State#"
        }
        _ => false,
    }
}

/// For each argument of a signature such as `<L,U><S,1*U>` or `<1!P(L)><L>`, true if it is needed.
fn strict(signature: &str) -> Vec<bool> {
    let mut all = Vec::new();
    let mut depth = 0_u32;
    for (at, letter) in signature.char_indices() {
        match letter {
            '<' => {
                depth += 1;
                if depth == 1 {
                    // `B` is an argument of a function that never returns: written so before 9.4.
                    all.push(signature[at + 1..].starts_with(['S', '1', 'B']));
                }
            }
            '>' if !signature[..at].ends_with('-') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    all
}

/// The allocations of a binding; by CorePrep if present, because it names all thunks.
fn allocates(module: &Module, top: usize) -> Allocates {
    match (&module.prep, module.prepared(top)) {
        (Some(prep), Some(it)) => allocated(&prep.core, prep.core.bindings[it].right, true),
        _ => allocated(module.core(), module.binding(top).right, false),
    }
}

fn allocated(core: &Core, root: Id<Expr>, is_exact: bool) -> Allocates {
    let mut all = Allocates { is_exact, ..Allocates::default() };
    // The code of the binding itself, and of join points, is not a closure; and data of the top
    // level exists before the program runs.
    let mut code: HashSet<Id<Expr>> = HashSet::new();
    code.insert(root);
    code.extend(through(core, root));
    for it in core.walk(root) {
        match core.exprs[it] {
            Expr::Let(kind, bindings, _) => {
                for binding in &core.bindings[bindings] {
                    if kind.is_join() {
                        code.extend(through(core, binding.right));
                    } else if is_thunk(core, binding) {
                        all.thunks += 1;
                    }
                }
            }
            Expr::Lambda(binders, _) if !code.contains(&it) => {
                let is_value = core.binders[binders].iter().any(|it| it.is_value());
                if is_value {
                    all.functions += 1;
                    code.extend(through(core, it));
                }
            }
            Expr::Apply(..) if !code.contains(&it) => {
                if let Some(call) = core.call(it) {
                    // `f x` within `f x y` is not a separate call.
                    code.extend(through_heads(core, it));
                    if is_constructor(core.text(call.function)) && !call.values.is_empty() {
                        all.constructors += 1;
                    }
                }
            }
            _ => {}
        }
    }
    all
}

/// The lambdas, casts and notes from an expression inwards, including itself.
fn through(core: &Core, it: Id<Expr>) -> Vec<Id<Expr>> {
    let mut all = Vec::new();
    let mut it = it;
    while let Expr::Lambda(_, inner) | Expr::Cast(inner, _) | Expr::Tick(_, inner) = core.exprs[it]
    {
        all.push(it);
        it = inner;
    }
    all
}

fn through_heads(core: &Core, it: Id<Expr>) -> Vec<Id<Expr>> {
    let mut all = Vec::new();
    let mut it = it;
    while let Expr::Apply(head, _) | Expr::Cast(head, _) | Expr::Tick(_, head) = core.exprs[it] {
        all.push(head);
        it = head;
    }
    all
}

fn is_thunk(core: &Core, binding: &Binding) -> bool {
    // A value that is certainly needed is computed at once.
    let demand = core.attribute(binding.notes, Key::Demand).unwrap_or_default();
    if demand.trim_start_matches('<').starts_with(['S', '1', 'B'])
        || is_unboxed(core, binding.signature)
    {
        return false;
    }
    let mut it = binding.right;
    loop {
        it = match core.exprs[it] {
            Expr::Cast(inner, _) | Expr::Tick(_, inner) => inner,
            Expr::Lambda(binders, inner) => {
                if core.binders[binders].iter().any(|it| it.is_value()) {
                    return false;
                }
                inner
            }
            Expr::Variable(_) | Expr::Literal(_) | Expr::Type(_) | Expr::Coercion(_) => {
                return false;
            }
            Expr::Apply(..) => {
                let called = core.call(it).map(|call| core.text(call.function));
                return !called.is_some_and(|name| is_constructor(name) || name.ends_with('#'));
            }
            _ => return true,
        };
    }
}

/// True if a name is that of a data constructor.
pub(super) fn is_constructor(name: &str) -> bool {
    let name = occurrence(name);
    name.starts_with(|first: char| first.is_uppercase() || first == ':' || first == '[')
        || (name.starts_with('(') && name != "(")
}

/// The number of calls whose function is an argument or part of data.
fn unknown_calls(program: &Program, site: Site) -> u32 {
    let core = program.core_of(site);
    let root = program.binding(site).right;
    let mut bound: HashMap<Name, bool> = HashMap::new();
    let mut bind = |binders: &[Binder], is_unknown| {
        bound.extend(binders.iter().map(|binder| (binder.name, is_unknown)));
    };
    bind(&core.binders[program.binding(site).parameters], true);
    for it in core.walk(root) {
        match core.exprs[it] {
            Expr::Lambda(binders, _) => bind(&core.binders[binders], true),
            Expr::Case(_, binder, alternatives) => {
                bind(binder.map(|it| &core.binders[it]).map_or(&[], std::slice::from_ref), true);
                for alternative in &core.alternatives[alternatives] {
                    bind(&core.binders[alternative.binders], true);
                }
            }
            Expr::Let(_, bindings, _) => {
                for binding in &core.bindings[bindings] {
                    bind(&core.binders[binding.parameters], true);
                }
            }
            _ => {}
        }
    }
    let calls = core.calls_within(root);
    let is_unknown = |function: Name| bound.get(&function).is_some_and(|is_unknown| *is_unknown);
    calls
        .iter()
        .filter(|(_, call)| !call.is_jump && !call.values.is_empty() && is_unknown(call.function))
        .count() as u32
}

/// The nested functions with a unique name.
fn inner(core: &Core, root: Id<Expr>) -> BTreeMap<String, Inner> {
    let mut all: BTreeMap<String, Option<Inner>> = BTreeMap::new();
    for it in core.walk(root) {
        let Expr::Let(kind, bindings, _) = core.exprs[it] else { continue };
        for binding in &core.bindings[bindings] {
            let name = numberless(stem(core.text(binding.name)));
            let parameters = core.parameters(binding);
            // GHC makes these up, and readers do not know them.
            if parameters == 0 || matches!(name, "$j" | "lvl" | "fail" | "exit" | "eta" | "sat") {
                continue;
            }
            let is_join_point = kind.is_join();
            let arity = core.arity(binding).or(Some(parameters));
            all.entry(name.to_owned())
                .and_modify(|it| *it = None)
                .or_insert(Some(Inner { arity, is_join_point }));
        }
    }
    all.into_iter().filter_map(|(name, inner)| Some((name, inner?))).collect()
}

/// The nested values with names of the source.
fn values(module: &Module, root: Id<Expr>) -> BTreeSet<String> {
    let core = module.core();
    let Some(source) = &module.source else { return BTreeSet::new() };
    let is_defined = |name: &str| {
        let begins = |line: &str| {
            let line = line.trim_start();
            let line =
                ["let ", "where "].iter().find_map(|it| line.strip_prefix(it)).unwrap_or(line);
            line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with("= "))
        };
        source.text.lines().any(begins)
    };
    let bindings = core.walk(root).filter_map(|it| match core.exprs[it] {
        Expr::Let(LetKind::Let | LetKind::LetRec, bindings, _) => Some(&core.bindings[bindings]),
        _ => None,
    });
    bindings
        .flatten()
        .filter(|it| core.parameters(it) == 0 && !is_unboxed(core, it.signature))
        .map(|it| numberless(stem(core.text(it.name))))
        .filter(|name| is_defined(name))
        .map(str::to_owned)
        .collect()
}

/// One change in a binding from before to after.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Another binding's code is now in it, and it does not call that one any more.
    Inlines {
        /// The other binding, for people.
        what: String,
        /// The reasons why it was not before, as far as the dumps show.
        reasons: Vec<Reason>,
    },
    /// Another binding's code was in it, which it now calls.
    NoLongerInlines {
        /// The other binding, for people.
        what: String,
        /// The reasons, as far as the dumps show.
        reasons: Vec<Reason>,
    },
    /// It calls a copy of a function specialised for its types.
    Specialised {
        /// The function, for people.
        what: String,
    },
    /// It called such a copy, and now calls the overloaded function.
    NoLongerSpecialised {
        /// The function, for people.
        what: String,
    },
    /// GHC split it into a worker, which takes parts of its arguments, and a wrapper.
    Split,
    /// It is not split into worker and wrapper any more.
    NoLongerSplit,
    /// The number of arguments that it takes before it does work.
    Arity {
        /// The nested function, if it is about one.
        of: Option<String>,
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// The number of parameters passed without a box.
    Unboxed {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// The number of parameters that are dictionaries of classes.
    Dictionaries {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// It has a continuation as a parameter, or not any more.
    Continuation {
        /// Set if it has after the change.
        now: bool,
    },
    /// It returns a function that it makes after some work, or not any more.
    GivesFunction {
        /// Set if it does after the change.
        now: bool,
    },
    /// A nested function is a join point, which is not allocated, or not any more.
    JoinPoint {
        /// The function.
        of: String,
        /// Set if it is one after the change.
        now: bool,
    },
    /// The number of calls of functions that are arguments or parts of data.
    UnknownCalls {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// A nested value, with a name of the source, is made before its use, or not any more.
    Keeps {
        /// The value.
        what: String,
        /// Set if it is after the change.
        now: bool,
    },
    /// The number of places in its body that allocate.
    Allocates {
        /// Before.
        before: Allocates,
        /// After.
        after: Allocates,
    },
    /// An argument is certainly needed, or not any more.
    Strict {
        /// Its number, from 1.
        argument: usize,
        /// Set if it is after the change.
        now: bool,
    },
    /// Its pragma.
    Pragma {
        /// Before.
        before: Option<String>,
        /// After.
        after: Option<String>,
    },
    /// It is recursive, or not any more.
    Recursive {
        /// Set if it is after the change.
        now: bool,
    },
    /// It uses other functions.
    Uses {
        /// Functions that it no longer uses; names for people.
        before: Vec<String>,
        /// Functions that it did not use before; names for people.
        after: Vec<String>,
        /// Set if one of them is a function of the program that only one of the builds has: then
        /// the source has changed.
        rewritten: bool,
    },
    /// It shows a known cause of cost, or not any more.
    Cause {
        /// The cause.
        cause: &'static Cause,
        /// Set if it shows after the change.
        now: bool,
        /// Set if the binding itself came or went with it.
        whole: bool,
    },
    /// Any other change.
    Body,
}

/// The reason why a binding is not inlined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A pragma forbids it now.
    Forbidden,
    /// A pragma asked for inlining, and is gone.
    NotAskedFor,
    /// It is now recursive, directly or through others, and was not if it existed before.
    BreaksLoop,
    /// It is larger, in GHC's count for inlining.
    Grew {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// Its definition in the source is longer, in lines.
    Longer {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// Its module exports it, so its code stays although it is used once.
    Exported,
    /// It is too large to be inlined; its size in GHC's count for inlining.
    Large {
        /// The size.
        size: u32,
    },
}

/// The usual effect of a change on the cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tends {
    /// Less work.
    Down,
    /// More work.
    Up,
    /// Either.
    Either,
}

impl Change {
    /// Its usual effect on the cost.
    pub fn tends(&self) -> Tends {
        let less = |is_less: bool| if is_less { Tends::Down } else { Tends::Up };
        match self {
            Self::Inlines { .. } | Self::Specialised { .. } | Self::Split => Tends::Down,
            Self::NoLongerInlines { .. }
            | Self::NoLongerSpecialised { .. }
            | Self::NoLongerSplit => Tends::Up,
            Self::Arity { before, after, .. } | Self::Unboxed { before, after } => {
                less(after > before)
            }
            Self::Dictionaries { before, after } | Self::UnknownCalls { before, after } => {
                less(after < before)
            }
            Self::GivesFunction { now } | Self::Continuation { now } => less(!now),
            Self::JoinPoint { now, .. } | Self::Strict { now, .. } => less(*now),
            Self::Allocates { before, after } => match after.sum().cmp(&before.sum()) {
                std::cmp::Ordering::Less => Tends::Down,
                std::cmp::Ordering::Greater => Tends::Up,
                std::cmp::Ordering::Equal => Tends::Either,
            },
            Self::Recursive { now } | Self::Cause { now, .. } | Self::Keeps { now, .. } => {
                less(!now)
            }
            Self::Pragma { .. } | Self::Uses { .. } | Self::Body => Tends::Either,
        }
    }

    /// The weight of a change as an explanation among several: causes come before their
    /// consequences.
    pub fn weight(&self) -> u32 {
        match self {
            Self::NoLongerSpecialised { .. } | Self::Specialised { .. } => 120,
            Self::Dictionaries { .. } => 110,
            Self::NoLongerInlines { reasons, .. } if reasons.is_empty() => 65,
            Self::NoLongerInlines { reasons, .. } | Self::Inlines { reasons, .. } => {
                let is_telling = |reason: &Reason| {
                    !matches!(reason, Reason::Large { .. } | Reason::Longer { .. })
                };
                if reasons.iter().any(is_telling) { 100 } else { 90 }
            }
            // From 77 to 99, by the cause's `explains`. Code that goes elsewhere takes its causes
            // along, so a cause that went says more than one that came.
            Self::Cause { cause, now, .. } => {
                (if *now { 77 } else { 80 }) + (19.0 * cause.explains) as u32
            }
            // Thunks and boxes made by callers follow from the way a function is called.
            Self::GivesFunction { .. } => 100,
            // A difference list looks the same.
            Self::Continuation { .. } => 92,
            Self::Arity { before: 0, .. } | Self::Arity { after: 0, .. } => 40,
            Self::Uses { rewritten: true, .. } => 85,
            Self::Arity { of: None, .. } => 80,
            Self::Arity { .. } | Self::Unboxed { .. } => 70,
            Self::Split | Self::NoLongerSplit | Self::JoinPoint { .. } => 60,
            Self::Uses { before, after, .. } if !before.is_empty() && !after.is_empty() => 55,
            Self::Pragma { .. } | Self::Strict { .. } | Self::Recursive { .. } => 50,
            Self::Keeps { .. } => 45,
            Self::UnknownCalls { .. } => 40,
            Self::Uses { .. } => 30,
            Self::Allocates { .. } => 20,
            Self::Body => 0,
        }
    }
}

impl Allocates {
    /// All places.
    pub fn sum(&self) -> u32 {
        self.functions + self.thunks + self.constructors
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.functions, self.constructors) == (other.functions, other.constructors)
            && (self.thunks == other.thunks || self.is_exact != other.is_exact)
    }
}

/// The changes between the facts of two versions of a binding.
pub(super) fn of_facts(before: &Facts, after: &Facts) -> Vec<Change> {
    let mut changes = Vec::new();
    // Otherwise the arguments are different ones.
    let is_called_alike =
        before.dictionaries == after.dictionaries && before.is_continued == after.is_continued;
    if let (Some(before), Some(after)) = (before.arity, after.arity)
        && before != after
        && is_called_alike
    {
        changes.push(Change::Arity { of: None, before, after });
    }
    if before.unboxed != after.unboxed {
        changes.push(Change::Unboxed { before: before.unboxed, after: after.unboxed });
    }
    let dictionaries = (before.dictionaries, after.dictionaries);
    // A worker whose wrapper is gone has only lost the type that names its classes.
    let takes_as_many = before.own_arity.is_some() && before.own_arity == after.own_arity;
    if dictionaries.0 != dictionaries.1 && !takes_as_many {
        changes.push(Change::Dictionaries { before: dictionaries.0, after: dictionaries.1 });
    }
    if before.is_continued != after.is_continued {
        changes.push(Change::Continuation { now: after.is_continued });
    }
    if before.gives_function != after.gives_function {
        changes.push(Change::GivesFunction { now: after.gives_function });
    }
    inner_changes(before, after, &mut changes);
    if before.is_recursive != after.is_recursive {
        changes.push(Change::Recursive { now: after.is_recursive });
    }
    let asks = |facts: &Facts| facts.is_inline() || facts.is_noinline();
    if before.pragma != after.pragma && (asks(before) || asks(after)) {
        let pragma = |facts: &Facts| facts.pragma.clone().filter(|_| asks(facts));
        changes.push(Change::Pragma { before: pragma(before), after: pragma(after) });
    }
    if let (Some(ours), Some(theirs)) = (&before.strict, &after.strict)
        // With a different number of arguments they are not the same ones.
        && ours.len() == theirs.len()
        && is_called_alike
    {
        let pairs = ours.iter().zip(theirs).enumerate();
        let moved = pairs.filter(|(_, (before, after))| before != after);
        changes.extend(
            moved.map(|(place, (_, now))| Change::Strict { argument: place + 1, now: *now }),
        );
    }
    // Calls of methods and continuations follow these changes.
    if before.unknown_calls != after.unknown_calls && is_called_alike {
        let (before, after) = (before.unknown_calls, after.unknown_calls);
        changes.push(Change::UnknownCalls { before, after });
    }
    for (now, one, other) in [(false, before, after), (true, after, before)] {
        let only = one.values.difference(&other.values);
        changes.extend(only.map(|what| Change::Keeps { what: what.clone(), now }));
    }
    if !before.allocates.is_like(&after.allocates) {
        changes.push(Change::Allocates { before: before.allocates, after: after.allocates });
    }
    changes
}

/// The changes in nested functions that both have.
fn inner_changes(before: &Facts, after: &Facts, changes: &mut Vec<Change>) {
    for (name, ours) in &before.inner {
        let Some(theirs) = after.inner.get(name) else { continue };
        if ours.is_join_point != theirs.is_join_point {
            changes.push(Change::JoinPoint { of: name.clone(), now: theirs.is_join_point });
        }
        if let (Some(before), Some(after)) = (ours.arity, theirs.arity)
            && before != after
        {
            changes.push(Change::Arity { of: Some(name.clone()), before, after });
        }
    }
}

/// The reasons why a binding may not be inlined. `before` are the facts of the one that was, if it
/// existed.
pub(super) fn reasons(
    before: Option<&Facts>,
    after: &Facts,
    is_exported_alone: bool,
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if after.is_noinline() && !before.is_some_and(Facts::is_noinline) {
        reasons.push(Reason::Forbidden);
    }
    if before.is_some_and(Facts::is_inline) && !after.is_inline() {
        reasons.push(Reason::NotAskedFor);
    }
    if after.is_recursive && !before.is_some_and(|it| it.is_recursive) {
        reasons.push(Reason::BreaksLoop);
    }
    let size = after.inlining_size();
    match (before.and_then(Facts::inlining_size), size) {
        (Some(before), Some(after)) if after > before => {
            reasons.push(Reason::Grew { before, after });
        }
        _ => {}
    }
    if is_exported_alone {
        reasons.push(Reason::Exported);
    }
    if let (true, Some(size)) = (reasons.is_empty() && !after.is_inline(), size) {
        reasons.push(Reason::Large { size });
    }
    reasons
}
