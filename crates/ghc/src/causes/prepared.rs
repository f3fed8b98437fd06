//! The code that ran, in CorePrep's form, and the number of different inputs on which it ran.
//!
//! CorePrep names all thunks and functions, so that they have counters. A pure function returns equal
//! results for equal arguments, so a name takes no more different values than the parameters that its
//! value is made from, and a parameter no more than the calls of its function pass. Counters give the
//! number of runs of each function. Together they give an upper bound on the number of different
//! values.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::bound::{bare, parameters};
use super::costs::{Costs, owners};
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::{Name, occurrence};
use crate::core::tree::{Binder, Binding, Expr, Id, LetKind};

/// A binding of CorePrep, of the top level or nested: by the number of its module, and its id.
pub(super) type Code = (usize, Id<Binding>);

/// A call of a function of the program, or a place that passes the function on; then it has no
/// values.
#[derive(Debug)]
pub(super) struct Call {
    /// The innermost code around it that has a counter.
    pub(super) caller: Code,
    pub(super) values: Vec<Id<Expr>>,
}

/// The meaning of a name that is bound in the code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meaning {
    /// The value parameter of this number.
    Parameter(Id<Binding>, usize),
    /// The binding of a `let`.
    Bound(Id<Binding>),
    /// A value that a case examines, or (not `whole`) a part of it.
    Examined { of: Id<Expr>, whole: bool },
    /// The parameter of a function without a name.
    Unknown,
}

/// The code of one module.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub(super) core: &'a Core,
    /// By the binding of the top level, because CorePrep gives some names to several parameters.
    meanings: HashMap<(Id<Binding>, Name), Meaning>,
    /// The bindings of the top level, in their order.
    pub(super) tops: Vec<Id<Binding>>,
    /// For code with a counter: the innermost such code around it.
    around: HashMap<Id<Binding>, Option<Id<Binding>>>,
    /// Join points that do not call themselves: code that continues elsewhere.
    exits: HashSet<Name>,
    /// The binding of the simplified program that a binding of the top level is, or is a part of.
    sites: HashMap<Id<Binding>, Site>,
    free: RefCell<HashMap<Id<Expr>, Rc<[Name]>>>,
}

/// The code of all modules.
#[derive(Debug)]
pub(super) struct AllCode<'a> {
    pub(super) modules: Vec<Option<Prepared<'a>>>,
    calls: HashMap<Code, Vec<Call>>,
    rows: HashMap<Code, usize>,
    entries: HashMap<Code, u64>,
    by_name: HashMap<String, Code>,
}

impl<'a> AllCode<'a> {
    pub(super) fn from_program(program: &'a Program, costs: &Costs) -> Self {
        let modules: Vec<_> =
            program.modules.iter().map(|module| Prepared::from_module(program, module)).collect();
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

    /// The number of runs of some code; a join point without a counter runs as often as the code
    /// around it.
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

    /// The code with a counter around some code.
    pub(super) fn around(&self, code: Code) -> Option<Code> {
        let around = self.module(code.0)?.around.get(&code.1).copied().flatten()?;
        Some((code.0, around))
    }

    /// True if `code` is `other`, or within it.
    pub(super) fn is_within(&self, code: Code, other: Code) -> bool {
        std::iter::successors(Some(code), |it| self.around(*it)).any(|it| it == other)
    }

    /// The binding of the top level that some code is, or is within.
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
    fn from_module(program: &Program, module: &'a super::program::Module) -> Option<Self> {
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

    /// True if a binding has a counter: a function, a join point, or a thunk.
    pub(super) fn is_code(&self, binding: Id<Binding>) -> bool {
        self.around.contains_key(&binding)
    }

    /// The names that an expression uses but does not bind.
    pub(super) fn free(&self, it: Id<Expr>) -> Rc<[Name]> {
        let known = self.free.borrow().get(&it).cloned();
        known.unwrap_or_else(|| {
            let names: Rc<[Name]> = self.core.free_variables(it).into();
            self.free.borrow_mut().insert(it, Rc::clone(&names));
            names
        })
    }

    /// The names that a binding uses but does not bind.
    pub(super) fn used_by(&self, top: Id<Binding>, id: Id<Binding>) -> Vec<Name> {
        // A join point's parameters are before its right-hand side.
        let is_own = |name: &Name| matches!(self.meaning(top, *name), Some(Meaning::Parameter(of, _)) if of == id);
        let names = self.free(self.core.bindings[id].right);
        names.iter().copied().filter(|name| !is_own(name)).collect()
    }

    /// Records the meanings of the names within a binding.
    fn add(&mut self, top: Id<Binding>) {
        let core = self.core;
        self.add_parameters(top, top);
        let mut waiting = vec![(core.bindings[top].right, top)];
        while let Some((it, around)) = waiting.pop() {
            match core.exprs[it] {
                Expr::Lambda(binders, _) => {
                    let values = core.binders[binders].iter();
                    for it in values.filter(|it| it.is_value()) {
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
                        let is_join = kind.is_join();
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

    /// The meaning of a name that is bound within a binding of the top level.
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

/// True if the right-hand side of a `let` is already a value: a constructor, a literal or another
/// name.
pub(super) fn is_value(core: &Core, right: Id<Expr>) -> bool {
    let it = bare(core, right);
    match core.exprs[it] {
        Expr::Variable(_) | Expr::Literal(_) => true,
        _ => super::bound::fields(core, it).is_some(),
    }
}

/// A program of one module, `Main`, whose simplified code and CorePrep are both this text.
#[cfg(test)]
pub(super) fn program_of(text: &str) -> Program {
    use super::program::Module;
    use crate::core::Dump;

    let read = || {
        let dump = Dump::read(text.as_bytes());
        assert_eq!(dump.problems, []);
        dump
    };
    let mut module = Module::new("Main", read());
    module.prep = Some(read());
    Program::new(vec![module])
}

#[cfg(test)]
impl<'a> AllCode<'a> {
    /// The code of a program, with the number of runs of some bindings.
    pub(super) fn counted(program: &'a Program, entries: &[(&str, u64)]) -> Self {
        let mut all = Self::from_program(program, &Costs::default());
        for (name, count) in entries {
            let code = all.named(name);
            all.entries.insert(code, *count);
        }
        all
    }

    /// The binding of this name in the first module.
    pub(super) fn named(&self, name: &str) -> Code {
        let module = self.module(0).expect("a module");
        let mut codes = module.around.keys();
        let is_it = |it: &&Id<Binding>| module.core.text(module.core.bindings[**it].name) == name;
        (0, *codes.find(is_it).expect("a binding with this name"))
    }
}

/// The limits for one answer: functions examined, and calls followed in a chain. Beyond these, each
/// call counts as another input. Arbitrary.
const MOST_ASKED: usize = 2000;
const LONGEST_WAY: usize = 50;

/// The depth to which the arguments of two calls are compared.
const DEEPEST: usize = 4;

/// Parameters, each by its function and number, that a value is made from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Roots {
    pub(super) parameters: BTreeSet<Parameter>,
    /// Set if it is also made from something unknown.
    pub(super) is_open: bool,
}

/// A value parameter of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Parameter {
    pub(super) function: Code,
    pub(super) number: usize,
}

impl Parameter {
    fn key(&self) -> (usize, usize, usize) {
        (self.function.0, self.function.1.place(), self.number)
    }
}

impl PartialOrd for Parameter {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Parameter {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// Some parameters of a function.
type Group = (Code, BTreeSet<usize>);

/// Counter of inputs.
#[derive(Debug)]
pub(super) struct Inputs<'a> {
    code: &'a AllCode<'a>,
    known: RefCell<HashMap<Group, f64>>,
    under_way: RefCell<HashSet<Code>>,
    /// The number of functions examined for one answer.
    asked: Cell<usize>,
    /// Set if some were not examined, so that the answer may be too large.
    is_cut: Cell<bool>,
}

impl<'a> Inputs<'a> {
    pub(super) fn new(code: &'a AllCode<'a>) -> Self {
        Self {
            code,
            known: RefCell::default(),
            under_way: RefCell::default(),
            asked: Cell::new(0),
            is_cut: Cell::new(false),
        }
    }

    /// The parameters that an expression's value is made from, including through the functions that
    /// it calls; `knot` is left out.
    pub(super) fn roots(&self, around: Code, it: Id<Expr>, knot: Option<Name>) -> Roots {
        let (module, top) = (around.0, self.code.top(around));
        let mut roots = Roots::default();
        let Some(own) = self.code.module(module) else { return roots };
        let mut seen: HashSet<Name> = knot.into_iter().collect();
        let mut waiting: Vec<Name> = own.free(it).to_vec();
        while let Some(name) = waiting.pop() {
            if own.is_exit(name) || !seen.insert(name) {
                continue;
            }
            match own.meaning(top, name) {
                Some(Meaning::Parameter(function, number)) => {
                    let function = (module, function);
                    roots.parameters.insert(Parameter { function, number });
                }
                Some(Meaning::Bound(binding)) => waiting.extend(own.used_by(top, binding)),
                Some(Meaning::Examined { of, .. }) => waiting.extend(own.free(of).iter()),
                Some(Meaning::Unknown) => roots.is_open = true,
                None => {}
            }
        }
        roots
    }

    /// The largest possible number of different inputs for some roots.
    pub(super) fn count(&self, roots: &Roots) -> f64 {
        if roots.is_open {
            return f64::INFINITY;
        }
        let mut groups: BTreeMap<(usize, usize), Group> = BTreeMap::new();
        for it in &roots.parameters {
            let key = (it.function.0, it.function.1.place());
            groups.entry(key).or_insert_with(|| (it.function, BTreeSet::new())).1.insert(it.number);
        }
        groups.into_values().map(|group| self.of_group(group)).product()
    }

    fn of_group(&self, group: Group) -> f64 {
        if let Some(known) = self.known.borrow().get(&group) {
            return *known;
        }
        let most = self.code.entries(group.0) as f64;
        let is_first = self.under_way.borrow().is_empty();
        let asked = if is_first { 0 } else { self.asked.get() } + 1;
        self.asked.set(asked);
        // A function that is met again during its examination is indirectly recursive.
        let is_far = asked > MOST_ASKED || self.under_way.borrow().len() > LONGEST_WAY;
        if is_far || !self.under_way.borrow_mut().insert(group.0) {
            self.is_cut.set(true);
            return most;
        }
        let was_cut = self.is_cut.replace(false);
        let found = self.of_calls(group.0, group.1.clone()).map_or(most, |it| it.min(most));
        self.under_way.borrow_mut().remove(&group.0);
        // A cut answer depends on the starting point.
        if is_first || !self.is_cut.get() {
            self.known.borrow_mut().insert(group, found);
        }
        self.is_cut.set(self.is_cut.get() || was_cut);
        found
    }

    /// The number of different values that the calls of a function pass for some of its parameters;
    /// `None` if only the number of calls bounds it.
    fn of_calls(&self, function: Code, mut numbers: BTreeSet<usize>) -> Option<f64> {
        let calls = self.code.calls(function);
        let (own, others): (Vec<_>, Vec<_>) =
            calls.iter().partition(|it| self.code.is_within(it.caller, function));
        // A value passed to the next round may be made from other parameters.
        let mut around = Roots::default();
        loop {
            let before = numbers.len();
            for call in &own {
                for number in numbers.clone() {
                    let value = *call.values.get(number)?;
                    if self.is_passed_on(function, number, value) {
                        continue;
                    }
                    let roots = self.roots(function, value, None);
                    for it in roots.parameters {
                        if it.function == function {
                            numbers.insert(it.number);
                        } else if self.code.is_within(it.function, function) {
                            return None;
                        } else {
                            around.parameters.insert(it);
                        }
                    }
                    if roots.is_open {
                        return None;
                    }
                }
            }
            if numbers.len() == before {
                break;
            }
        }
        let parameters = self.code.parameters(function);
        let core = self.code.module(function.0)?.core;
        let is_state = |number: &usize| {
            let signature = parameters.get(*number).and_then(|it| it.signature);
            signature.is_some_and(|it| occurrence(&core.print_type(it)).starts_with("State#"))
        };
        if others.is_empty() || numbers.iter().any(is_state) {
            return None;
        }
        let mut different = 0.0;
        let mut began = 0;
        for call in &others {
            let mut roots = Roots::default();
            for number in &numbers {
                let of_value = self.roots(call.caller, *call.values.get(*number)?, None);
                roots.parameters.extend(of_value.parameters);
                roots.is_open |= of_value.is_open;
            }
            // A value made once by a module has no counter if it was not entered through its
            // closure.
            let is_once = self.code.around(call.caller).is_none()
                && self.code.parameters(call.caller).is_empty();
            let most = self.code.entries(call.caller).max(u64::from(is_once));
            // No more than the number of calls.
            different += self.count(&roots).min(most as f64);
            began += most;
        }
        if began == 0 {
            return None;
        }
        let rounds = self.rounds(function, &own, &numbers, began)?;
        Some(different * rounds * self.count(&around))
    }

    /// The number of rounds of a loop whose next values are made from the last ones in one way; 1
    /// if they do not change.
    fn rounds(
        &self,
        function: Code,
        own: &[&Call],
        numbers: &BTreeSet<usize>,
        began: u64,
    ) -> Option<f64> {
        let module = self.code.module(function.0)?;
        let mut changes = false;
        for number in numbers {
            let values: Vec<Id<Expr>> =
                own.iter().filter_map(|call| call.values.get(*number).copied()).collect();
            if values.iter().all(|it| self.is_passed_on(function, *number, *it)) {
                continue;
            }
            changes = true;
            let top = self.code.top(function);
            let mut shapes = values.iter().map(|it| shape(module, top, *it, DEEPEST));
            let first = shapes.next()?;
            if shapes.any(|it| it != first) {
                return None;
            }
        }
        let rounds = self.code.entries(function) as f64 / began.max(1) as f64;
        match changes {
            false => Some(1.0),
            // For a loop of fewer than two rounds per call, the number is unknown.
            true => Some(rounds).filter(|it| *it >= 2.0),
        }
    }

    /// True if an argument of a call is the parameter itself.
    fn is_passed_on(&self, function: Code, number: usize, value: Id<Expr>) -> bool {
        let Some(module) = self.code.module(function.0) else { return false };
        let top = self.code.top(function);
        let Expr::Variable(name) = module.core.exprs[behind(module, top, value)] else {
            return false;
        };
        matches!(module.meaning(top, name),
            Some(Meaning::Parameter(of, it)) if (function.0, of) == function && it == number)
    }
}

/// The expression behind names that stand for other names.
fn behind(module: &Prepared<'_>, top: Id<Binding>, it: Id<Expr>) -> Id<Expr> {
    let core = module.core;
    let mut it = bare(core, it);
    for _ in 0..50 {
        let Expr::Variable(name) = core.exprs[it] else { break };
        let next = match module.meaning(top, name) {
            Some(Meaning::Bound(binding)) => bare(core, core.bindings[binding].right),
            Some(Meaning::Examined { of, whole: true }) => bare(core, of),
            _ => break,
        };
        if !matches!(core.exprs[next], Expr::Variable(_)) {
            break;
        }
        it = next;
    }
    it
}

/// An argument as a text, equal for arguments that are made in the same way.
fn shape(module: &Prepared<'_>, top: Id<Binding>, it: Id<Expr>, depth: usize) -> String {
    let core = module.core;
    let it = behind(module, top, it);
    match core.exprs[it] {
        Expr::Variable(name) => match module.meaning(top, name) {
            Some(Meaning::Bound(binding)) if depth > 0 => {
                shape(module, top, core.bindings[binding].right, depth - 1)
            }
            Some(Meaning::Examined { of, whole: true }) if depth > 0 => {
                shape(module, top, of, depth - 1)
            }
            _ => core.text(name).to_owned(),
        },
        Expr::Literal(name) => core.text(name).to_owned(),
        _ => match core.call(it) {
            Some(call) if depth > 0 => {
                let values: Vec<String> =
                    call.values.iter().map(|it| shape(module, top, *it, depth - 1)).collect();
                format!("{}({})", core.text(call.function), values.join(","))
            }
            _ => format!("#{}", it.place()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::prepared::program_of;
    use super::*;

    const TEXT: &str = "\
Main.f :: Int -> [Int] -> Int
[GblId]
Main.f = \\ (x_a1 :: Int) (all_a2 :: [Int]) ->
  join { exit_a3 :: Int
  [LclId[JoinId(0)]]
  exit_a3 = Main.g x_a1 } in
  let { late_a4 :: Int
  [LclId]
  late_a4 = Main.g x_a1 } in
  let { made_a5 :: [Int]
  [LclId]
  made_a5 = GHC.Types.: @ Int late_a4 all_a2 } in
  case Main.h Main.g made_a5 of done_a6 {
    [] -> jump exit_a3;
    : head_a7 tail_a8 -> head_a7
  }

Main.g :: Int -> Int
[GblId]
Main.g = \\ (n_a9 :: Int) -> Main.unknown n_a9

Main.h :: (Int -> Int) -> [Int] -> [Int]
[GblId]
Main.h = \\ (g_b1 :: Int -> Int) (list_b2 :: [Int]) -> Main.map g_b1 list_b2
";

    /// An answer about the code of the text, and of the program.
    fn asked<Answer>(ask: impl FnOnce(&AllCode<'_>, &Program) -> Answer) -> Answer {
        let program = program_of(TEXT);
        let counted = [("Main.f", 7), ("late_a4", 5), ("Main.g", 12)];
        ask(&AllCode::counted(&program, &counted), &program)
    }

    fn name(module: &Prepared<'_>, text: &str) -> Name {
        let all = module.meanings.keys().map(|(_, name)| *name);
        all.into_iter().find(|name| module.core.text(*name) == text).expect("a local name")
    }

    #[test]
    fn names_mean_what_binds_them() {
        asked(|code, _| {
            let module = code.module(0).expect("it was read");
            let f = code.named("Main.f").1;
            let meaning = |text| module.meaning(f, name(module, text));
            assert_eq!(meaning("all_a2"), Some(Meaning::Parameter(f, 1)));
            assert_eq!(meaning("late_a4"), Some(Meaning::Bound(code.named("late_a4").1)));
            assert!(matches!(meaning("done_a6"), Some(Meaning::Examined { whole: true, .. })));
            assert!(matches!(meaning("head_a7"), Some(Meaning::Examined { whole: false, .. })));
            assert_eq!(meaning("n_a9"), None, "another function binds it");
        });
    }

    #[test]
    fn what_is_put_off_and_where_one_goes_on_is_code_and_a_value_is_not() {
        asked(|code, _| {
            let module = code.module(0).expect("it was read");
            let f = code.named("Main.f");
            let late = code.named("late_a4");
            assert_eq!(code.around(late), Some(f));
            assert!(code.is_within(late, f) && !code.is_within(f, late));
            assert_eq!((code.top(late), code.around(f)), (f.1, None));
            let made = module.meaning(f.1, name(module, "made_a5"));
            let Some(Meaning::Bound(made)) = made else { panic!("{made:?}") };
            assert!(module.is_code(late.1) && !module.is_code(made));
        });
    }

    #[test]
    fn who_ends_in_a_join_point_runs_it_as_often_as_itself() {
        asked(|code, _| {
            assert_eq!(code.entries(code.named("exit_a3")), 7);
            assert_eq!(code.entries(code.named("late_a4")), 5);
            assert_eq!(code.entries(code.named("Main.h")), 0, "it has no counter, and is no exit");
        });
    }

    #[test]
    fn a_function_is_called_with_values_or_handed_on() {
        asked(|code, program| {
            let f = code.named("Main.f");
            let calls = code.calls(code.named("Main.g"));
            let from: HashSet<_> = calls.iter().map(|it| (it.caller, it.values.len())).collect();
            let expected = [(code.named("late_a4"), 1), (code.named("exit_a3"), 1), (f, 0)];
            assert_eq!(from, HashSet::from(expected));
            assert_eq!(calls.len(), expected.len());
            let module = code.module(0).expect("it was read");
            let g = name(module, "g_b1");
            assert_eq!(code.function(program, code.named("Main.h"), g), None, "a parameter");
        });
    }

    const LOOP: &str = "\
Main.f :: Int -> Int -> Int
[GblId]
Main.f = \\ (x_a1 :: Int) (y_a2 :: Int) -> Main.plus x_a1 y_a2

Main.g :: Int -> Int
[GblId]
Main.g = \\ (n_a3 :: Int) -> Main.f n_a3 Main.one

Rec {
Main.loop :: Int -> Int -> Int
[GblId]
Main.loop = \\ (kept_a4 :: Int) (next_a5 :: Int) ->
  case Main.f kept_a4 next_a5 of done_a6 { __DEFAULT -> Main.loop kept_a4 (Main.less next_a5) }
end Rec }

Main.main :: Int
[GblId]
Main.main = Main.loop Main.one Main.many
";

    const EACH: &str = "\
Main.each :: [Int] -> [Int]
[GblId]
Main.each = \\ (all_a7 :: [Int]) -> let { sat_a8 :: Int -> Int
[LclId]
sat_a8 = \\ (one_a9 :: Int) -> Main.g one_a9 } in Main.map sat_a8 all_a7
";

    /// The largest number of different inputs on which some parameters of a function ran.
    fn inputs(text: &str, entries: &[(&str, u64)], function: &str, numbers: &[usize]) -> f64 {
        let program = program_of(text);
        let code = AllCode::counted(&program, entries);
        let function = code.named(function);
        let parameters = numbers.iter().map(|number| Parameter { function, number: *number });
        let roots = Roots { parameters: parameters.collect(), is_open: false };
        Inputs::new(&code).count(&roots)
    }

    #[test]
    fn a_parameter_has_no_more_values_than_its_calls_pass() {
        let entries = [("Main.f", 1000), ("Main.g", 10), ("Main.loop", 200), ("Main.main", 1)];
        let of = |function: &str, numbers: &[usize]| inputs(LOOP, &entries, function, numbers);
        // 10 of `g`, and the one that the loop keeps.
        assert_eq!(of("Main.f", &[0]), 11.0);
        // One constant of `g`, and 200 rounds.
        assert_eq!(of("Main.f", &[1]), 201.0);
        assert_eq!(of("Main.f", &[0, 1]), 210.0);
        assert_eq!(of("Main.loop", &[0]), 1.0);
        assert_eq!(of("Main.loop", &[1]), 200.0);
        assert_eq!(of("Main.g", &[0]), 10.0, "nobody is known to call it");
        assert_eq!(of("Main.f", &[]), 1.0);
    }

    #[test]
    fn what_is_handed_on_has_as_many_values_as_it_runs() {
        let text = format!("{LOOP}\n{EACH}");
        let entries = [
            ("Main.f", 1000),
            ("Main.g", 900),
            ("sat_a8", 900),
            ("Main.each", 3),
            ("Main.main", 1),
        ];
        assert_eq!(inputs(&text, &entries, "sat_a8", &[0]), 900.0);
        assert_eq!(inputs(&text, &entries, "Main.g", &[0]), 900.0);
    }

    #[test]
    fn what_is_made_of_something_unknown_has_any_number_of_values() {
        let program = program_of(LOOP);
        let code = AllCode::counted(&program, &[]);
        let roots = Roots { is_open: true, ..Roots::default() };
        assert_eq!(Inputs::new(&code).count(&roots), f64::INFINITY);
    }
}
