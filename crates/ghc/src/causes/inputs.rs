//! The number of different inputs on which code ran.
//!
//! A pure function returns equal results for equal arguments, so a name takes no more different
//! values than the parameters that its value is made from, and a parameter no more than the calls
//! of its function pass. Counters give the number of runs of each function. Together they give an
//! upper bound on the number of different values.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::bound::bare;
use super::prepared::{AllCode, Code, Meaning, Prepared};
use crate::core::names::{Name, occurrence};
use crate::core::tree::{Binding, Expr, Id};

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
        own: &[&super::prepared::Call],
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
        let of = |function: &str, numbers: &[usize]| inputs(TEXT, &entries, function, numbers);
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
        let text = format!("{TEXT}\n{EACH}");
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
        let program = program_of(TEXT);
        let code = AllCode::counted(&program, &[]);
        let roots = Roots { is_open: true, ..Roots::default() };
        assert_eq!(Inputs::new(&code).count(&roots), f64::INFINITY);
    }
}
