//! The code that ran, as CorePrep left it: there all that is put off and all functions have names, and
//! so counters.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::bound::{bare, parameters};
use super::costs::{Costs, owners};
use super::program::{Program, Site};
use crate::ghc::core::Core;
use crate::ghc::core::arena::Id;
use crate::ghc::core::names::Name;
use crate::ghc::core::tree::{Binder, BinderKind, Binding, Expr, LetKind};

/// A binding of CorePrep, of the top level or within: by the number of its module, and its own.
pub(super) type Code = (usize, Id<Binding>);

/// A call of a function of the program, or a place that hands the function on; then it has no values.
#[derive(Debug)]
pub(super) struct Call {
    /// The innermost code around it that has a counter.
    pub(super) caller: Code,
    pub(super) values: Vec<Id<Expr>>,
}

/// What a name stands for that code binds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meaning {
    /// The value parameter of this number.
    Parameter(Id<Binding>, usize),
    /// What a `let` binds.
    Bound(Id<Binding>),
    /// A value that a case examines, or (not `whole`) a part of it.
    Examined { of: Id<Expr>, whole: bool },
    /// The parameter of a function without a name.
    Unknown,
}

/// One module's code.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub(super) core: &'a Core,
    /// By the binding of the top level, because CorePrep gives some names to several parameters.
    meanings: HashMap<(Id<Binding>, Name), Meaning>,
    /// The bindings of the top level, in their order.
    pub(super) tops: Vec<Id<Binding>>,
    /// Of code with a counter: the innermost such code around it.
    around: HashMap<Id<Binding>, Option<Id<Binding>>>,
    /// Join points that do not call themselves: code that goes on elsewhere.
    exits: HashSet<Name>,
    /// The binding of the simplified program that one of the top level is, or is a part of.
    sites: HashMap<Id<Binding>, Site>,
    free: RefCell<HashMap<Id<Expr>, Rc<[Name]>>>,
}

/// All modules' code.
#[derive(Debug)]
pub(super) struct AllCode<'a> {
    pub(super) modules: Vec<Option<Prepared<'a>>>,
    calls: HashMap<Code, Vec<Call>>,
    rows: HashMap<Code, usize>,
    entries: HashMap<Code, u64>,
    by_name: HashMap<String, Code>,
}

impl<'a> AllCode<'a> {
    pub(super) fn of(program: &'a Program, costs: &Costs) -> Self {
        let modules: Vec<_> =
            program.modules.iter().map(|module| Prepared::of(program, module)).collect();
        let mut by_name = HashMap::new();
        for (number, module) in modules.iter().enumerate() {
            for top in module.iter().flat_map(|it| &it.tops) {
                let core = modules[number].as_ref().map(|it| it.core);
                let name = core.map(|core| core.text(core.bindings[*top].name)).unwrap_or_default();
                let name = program.modules[number].full_name(name).into_owned();
                by_name.entry(name).or_insert((number, *top));
            }
        }
        let (mut rows, mut entries) = (HashMap::new(), HashMap::new());
        for site in program.sites() {
            for row in costs.rows(site) {
                if let Some(binding) = costs.prep(*row) {
                    rows.insert((site.module, binding), *row);
                    entries.extend(costs.row_entries(*row).map(|it| ((site.module, binding), it)));
                }
            }
        }
        let mut all = Self { modules, calls: HashMap::new(), rows, entries, by_name };
        for number in 0..all.modules.len() {
            all.add_calls(program, number);
        }
        all
    }

    pub(super) fn module(&self, number: usize) -> Option<&Prepared<'a>> {
        self.modules.get(number)?.as_ref()
    }

    pub(super) fn row(&self, code: Code) -> Option<usize> {
        self.rows.get(&code).copied()
    }

    /// How often code ran; a join point without a counter as often as what is around it.
    pub(super) fn entries(&self, code: Code) -> u64 {
        let is_exit = |it: Code| {
            self.module(it.0)
                .is_some_and(|module| module.exits.contains(&module.core.bindings[it.1].name))
        };
        match self.entries.get(&code) {
            Some(entries) => *entries,
            None if is_exit(code) => self.around(code).map_or(0, |it| self.entries(it)),
            None => 0,
        }
    }

    /// The code with a counter around some other.
    pub(super) fn around(&self, code: Code) -> Option<Code> {
        let around = self.module(code.0)?.around.get(&code.1).copied().flatten()?;
        Some((code.0, around))
    }

    /// Whether code is other code, or within it.
    pub(super) fn is_within(&self, code: Code, other: Code) -> bool {
        std::iter::successors(Some(code), |it| self.around(*it)).any(|it| it == other)
    }

    /// The binding of the top level that code is, or is within.
    pub(super) fn top(&self, code: Code) -> Id<Binding> {
        std::iter::successors(Some(code), |it| self.around(*it)).last().unwrap_or(code).1
    }

    /// The function of the program that a name means within a binding of a module's top level.
    pub(super) fn function(
        &self,
        program: &Program,
        (module, top): Code,
        name: Name,
    ) -> Option<Code> {
        let it = self.module(module)?;
        match it.meaning(top, name) {
            Some(Meaning::Bound(binding)) => Some((module, binding)),
            Some(_) => None,
            None => {
                let text = it.core.text(name);
                let full = program.modules[module].full_name(text);
                self.by_name.get(full.as_ref()).copied()
            }
        }
    }

    /// The calls of a function, in any module.
    pub(super) fn calls(&self, code: Code) -> &[Call] {
        self.calls.get(&code).map_or(&[], Vec::as_slice)
    }

    pub(super) fn parameters(&self, code: Code) -> Vec<Binder> {
        self.module(code.0)
            .map_or_else(Vec::new, |it| parameters(it.core, &it.core.bindings[code.1]))
    }

    fn add_calls(&mut self, program: &Program, number: usize) {
        let Some(module) = &self.modules[number] else { return };
        let core = module.core;
        let mut found: Vec<(Code, Call)> = Vec::new();
        for top in &module.tops {
            let mut waiting = vec![(core.bindings[*top].right, *top)];
            while let Some((it, around)) = waiting.pop() {
                let caller = (number, around);
                match core.exprs[it] {
                    Expr::Variable(name) => {
                        if let Some(callee) = self.function(program, (number, *top), name) {
                            found.push((callee, Call { caller, values: Vec::new() }));
                        }
                    }
                    Expr::Apply(..) => match core.call(it) {
                        Some(call) => {
                            waiting.extend(call.values.iter().map(|value| (*value, around)));
                            if let Some(callee) =
                                self.function(program, (number, *top), call.function)
                            {
                                found.push((callee, Call { caller, values: call.values }));
                            }
                        }
                        None => core.children(it, |child| waiting.push((child, around))),
                    },
                    Expr::Let(_, group, body) => {
                        for id in group.ids() {
                            let own = if module.around.contains_key(&id) { id } else { around };
                            waiting.push((core.bindings[id].right, own));
                        }
                        waiting.push((body, around));
                    }
                    _ => core.children(it, |child| waiting.push((child, around))),
                }
            }
        }
        for (callee, call) in found {
            self.calls.entry(callee).or_default().push(call);
        }
    }
}

impl<'a> Prepared<'a> {
    fn of(program: &Program, module: &'a super::program::Module) -> Option<Self> {
        let dump = module.prep.as_ref()?;
        let core = &dump.core;
        let pass = dump.passes.last()?;
        let tops: Vec<Id<Binding>> = dump.tops(pass).map(|top| top.binding).collect();
        let sites = owners(program, module, dump);
        let mut it = Self {
            core,
            meanings: HashMap::new(),
            around: HashMap::new(),
            exits: HashSet::new(),
            sites,
            free: RefCell::default(),
            tops: Vec::new(),
        };
        for top in &tops {
            it.around.insert(*top, None);
            it.add(*top);
        }
        it.tops = tops;
        Some(it)
    }

    pub(super) fn site(&self, binding: Id<Binding>) -> Option<Site> {
        self.sites.get(&binding).copied()
    }

    pub(super) fn is_exit(&self, name: Name) -> bool {
        self.exits.contains(&name)
    }

    /// Whether what a binding stands for has a counter: a function, a join point, or a thunk.
    pub(super) fn is_code(&self, binding: Id<Binding>) -> bool {
        self.around.contains_key(&binding)
    }

    /// The names that an expression uses and does not bind.
    pub(super) fn free(&self, it: Id<Expr>) -> Rc<[Name]> {
        let known = self.free.borrow().get(&it).cloned();
        known.unwrap_or_else(|| {
            let names: Rc<[Name]> = self.core.free_variables(it).into();
            self.free.borrow_mut().insert(it, Rc::clone(&names));
            names
        })
    }

    /// The names that a binding uses and does not bind.
    pub(super) fn used_by(&self, top: Id<Binding>, id: Id<Binding>) -> Vec<Name> {
        // A join point's parameters stand before its right-hand side.
        let is_own = |name: &Name| matches!(self.meaning(top, *name), Some(Meaning::Parameter(of, _)) if of == id);
        let names = self.free(self.core.bindings[id].right);
        names.iter().copied().filter(|name| !is_own(name)).collect()
    }

    /// Takes note of what the names within a binding stand for.
    fn add(&mut self, top: Id<Binding>) {
        let core = self.core;
        self.add_parameters(top, top);
        let mut waiting = vec![(core.bindings[top].right, top)];
        while let Some((it, around)) = waiting.pop() {
            match core.exprs[it] {
                Expr::Lambda(binders, _) => {
                    let values = core.binders[binders].iter();
                    for it in values.filter(|it| it.kind == BinderKind::Value) {
                        self.meanings.entry((top, it.name)).or_insert(Meaning::Unknown);
                    }
                }
                Expr::Let(kind, group, body) => {
                    for id in group.ids() {
                        let binding = &core.bindings[id];
                        self.mean(top, binding.name, Meaning::Bound(id));
                        if kind == LetKind::Join {
                            self.exits.insert(binding.name);
                        }
                        let is_join = matches!(kind, LetKind::Join | LetKind::JoinRec);
                        let own = if is_join || !is_value(core, binding.right) {
                            self.around.insert(id, Some(around));
                            self.add_parameters(top, id);
                            id
                        } else {
                            around
                        };
                        waiting.push((binding.right, own));
                    }
                    waiting.push((body, around));
                    continue;
                }
                Expr::Case(of, binder, alternatives) => {
                    if let Some(binder) = binder {
                        let name = core.binders[binder].name;
                        self.mean(top, name, Meaning::Examined { of, whole: true });
                    }
                    for it in &core.alternatives[alternatives] {
                        for part in &core.binders[it.binders] {
                            let meaning = Meaning::Examined { of, whole: false };
                            self.mean(top, part.name, meaning);
                        }
                    }
                }
                _ => {}
            }
            core.children(it, |child| waiting.push((child, around)));
        }
    }

    /// What a name stands for that is bound within a binding of the top level.
    pub(super) fn meaning(&self, top: Id<Binding>, name: Name) -> Option<Meaning> {
        self.meanings.get(&(top, name)).copied()
    }

    fn mean(&mut self, top: Id<Binding>, name: Name, meaning: Meaning) {
        let known = self.meanings.entry((top, name)).or_insert(meaning);
        if *known != meaning {
            *known = Meaning::Unknown;
        }
    }

    fn add_parameters(&mut self, top: Id<Binding>, id: Id<Binding>) {
        for (number, it) in parameters(self.core, &self.core.bindings[id]).iter().enumerate() {
            self.mean(top, it.name, Meaning::Parameter(id, number));
        }
    }
}

/// Whether what a `let` binds is there at once: a constructor, a literal or another name.
pub(super) fn is_value(core: &Core, right: Id<Expr>) -> bool {
    let it = bare(core, right);
    match core.exprs[it] {
        Expr::Variable(_) | Expr::Literal(_) => true,
        _ => super::bound::fields(core, it).is_some(),
    }
}
