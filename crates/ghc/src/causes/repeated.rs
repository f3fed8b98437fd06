//! Expressions that were evaluated repeatedly on the same inputs.

use std::collections::HashSet;

use super::bound::{bare, is_constructor, is_primitive};
use super::inputs::{Inputs, Parameter, Roots};
use super::library_use::plain;
use super::prepared::{AllCode, Code, Meaning, Prepared, is_value};
use super::program::Program;
use crate::core::calls::Call;
use crate::core::names::Name;
use crate::core::tree::{Binding, Expr, Id, LetKind};

/// The least number of evaluations of a repeated expression. Arbitrary.
const OFTEN: u64 = 20;
/// The least mean number of evaluations for each input. Arbitrary.
const LEAST_REPEATS: f64 = 10.0;

/// Library functions that make lists for immediate consumption: the work of making them is not
/// worth sharing.
const ENUMERATIONS: [&str; 10] = [
    "eftInt",
    "eftIntFB",
    "eftChar",
    "enumFromTo",
    "enumFromThenTo",
    "efdtInt",
    "efdtIntUp",
    "replicate",
    "repeat",
    "iterate",
];

/// An expression that was evaluated repeatedly on the same inputs.
#[derive(Debug)]
pub(super) struct Repeated {
    pub(super) it: Id<Expr>,
    /// Its thunk, if it is one.
    pub(super) thunk: Option<Id<Binding>>,
    /// The number of its evaluations.
    pub(super) times: u64,
    /// The number of times that its container was made: for an element of a table, the table.
    pub(super) makings: u64,
    /// The largest possible number of its different inputs.
    pub(super) inputs: f64,
}

/// A search for repeated expressions in a binding of the top level.
pub(super) struct Search<'a> {
    pub(super) program: &'a Program,
    pub(super) code: &'a AllCode<'a>,
    pub(super) inputs: &'a Inputs<'a>,
    pub(super) module: &'a Prepared<'a>,
    /// The binding.
    pub(super) top: Code,
}

/// The position of an expression.
#[derive(Clone, Copy)]
struct Place {
    /// The innermost code around it that has a counter.
    code: Id<Binding>,
    /// The innermost alternative, among several in that code, that contains it.
    alternative: Option<Id<Expr>>,
    /// The self-referential value around it, such as a table that looks up elements in itself.
    knot: Option<Id<Binding>>,
}

impl Search<'_> {
    /// The outermost repeated expressions.
    pub(super) fn all(&self) -> Vec<Repeated> {
        let core = self.module.core;
        let mut found = Vec::new();
        let first = Place { code: self.top.1, alternative: None, knot: None };
        let mut waiting = vec![(core.bindings[self.top.1].right, first)];
        while let Some((it, place)) = waiting.pop() {
            match core.exprs[it] {
                Expr::Let(kind, group, body) => {
                    waiting.push((body, place));
                    for id in group.ids() {
                        let is_thunk = self.is_thunk(kind, id);
                        match is_thunk.then(|| self.thunk(id, place)).flatten() {
                            Some(repeated) => found.push(repeated),
                            None => {
                                let knot = (is_thunk && kind == LetKind::LetRec).then_some(id);
                                let knot = knot.or(place.knot);
                                let inner = Place { code: id, alternative: None, knot };
                                let is_code = self.module.is_code(id);
                                let place = if is_code { inner } else { place };
                                waiting.push((core.bindings[id].right, place));
                            }
                        }
                    }
                }
                Expr::Case(of, _, alternatives) => {
                    let is_one = alternatives.len() == 1;
                    for it in &core.alternatives[alternatives] {
                        let alternative = if is_one { place.alternative } else { Some(it.right) };
                        waiting.push((it.right, Place { alternative, ..place }));
                    }
                    let within = core.exprs[bare(core, of)];
                    let is_block = matches!(within, Expr::Let(..) | Expr::Case(..));
                    match is_block.then(|| self.block(of, place)).flatten() {
                        Some(repeated) => found.push(repeated),
                        None => waiting.push((of, place)),
                    }
                }
                Expr::Apply(..) => match core.call(it) {
                    Some(call) => match self.call(it, &call, place) {
                        Some(repeated) => found.push(repeated),
                        None => waiting.extend(call.values.iter().map(|it| (*it, place))),
                    },
                    None => core.children(it, |child| waiting.push((child, place))),
                },
                _ => core.children(it, |child| waiting.push((child, place))),
            }
        }
        found
    }

    fn own(&self, binding: Id<Binding>) -> Code {
        (self.top.0, binding)
    }

    fn is_thunk(&self, kind: LetKind, id: Id<Binding>) -> bool {
        matches!(kind, LetKind::Let | LetKind::LetRec)
            && self.module.is_code(id)
            && self.code.parameters(self.own(id)).is_empty()
    }

    fn function(&self, name: Name) -> Option<Code> {
        self.code.function(self.program, self.top, name)
    }

    /// A thunk: its counter gives the number of evaluations.
    fn thunk(&self, id: Id<Binding>, place: Place) -> Option<Repeated> {
        let right = self.module.core.bindings[id].right;
        let found = self.repeated(right, self.code.entries(self.own(id)), place)?;
        Some(Repeated { thunk: Some(id), ..found })
    }

    /// Several steps whose result is examined at once.
    fn block(&self, it: Id<Expr>, place: Place) -> Option<Repeated> {
        self.repeated(it, self.at_least(place), place)
    }

    fn call(&self, it: Id<Expr>, call: &Call, place: Place) -> Option<Repeated> {
        let own = self.own(place.code);
        let name = self.module.core.text(call.function);
        let is_work = !is_primitive(name)
            && !is_constructor(name)
            && !self.module.is_exit(call.function)
            && self.code.entries(own) >= OFTEN;
        if !is_work {
            return None;
        }
        let Some(callee) = self.function(call.function) else {
            return self.repeated(it, self.at_least(place), place);
        };
        // A round of a loop around it, or a function without all its arguments.
        if self.code.is_within(own, callee)
            || call.values.len() < self.code.parameters(callee).len()
        {
            return None;
        }
        let times = self.at_least(place).max(self.calls_from(own, callee));
        self.repeated(it, times.min(self.code.entries(callee)), place)
    }

    /// The least number of times that one call of a function, among those in some code, was made,
    /// by the counter of the function. Several calls count alike.
    fn calls_from(&self, own: Code, callee: Code) -> u64 {
        let (mut here, mut others) = (0, 0_u64);
        for call in self.code.calls(callee) {
            if call.caller == own {
                here += 1;
            } else {
                others = others.saturating_add(self.code.entries(call.caller));
            }
        }
        self.code.entries(callee).saturating_sub(others) / here.max(1)
    }

    /// The least number of runs of the code at a position: that of the code around it, or, in one
    /// of several alternatives, the number given by the counters of code that only runs there.
    fn at_least(&self, place: Place) -> u64 {
        let own = self.own(place.code);
        let Some(alternative) = place.alternative else { return self.code.entries(own) };
        let core = self.module.core;
        let (mut least, mut rounds) = (0, 0);
        let mut waiting = vec![alternative];
        while let Some(it) = waiting.pop() {
            if let Some(callee) = core.call(it).and_then(|call| self.function(call.function)) {
                rounds += usize::from(callee == own);
                if self.code.calls(callee).len() == 1 {
                    least = least.max(self.code.entries(callee));
                }
            }
            match core.exprs[it] {
                Expr::Let(kind, group, body) => {
                    waiting.push(body);
                    for id in group.ids() {
                        if self.is_thunk(kind, id) {
                            least = least.max(self.code.entries(self.own(id)));
                        } else if kind == LetKind::Join {
                            waiting.push(core.bindings[id].right);
                        }
                    }
                }
                Expr::Lambda(..) => {}
                _ => core.children(it, |child| waiting.push(child)),
            }
        }
        // All rounds of a loop pass through an alternative that contains all its recursive calls.
        let calls = self.code.calls(own);
        let around = calls.iter().filter(|it| self.code.is_within(it.caller, own)).count();
        if rounds > 0 && rounds == around {
            let others = calls.iter().filter(|it| !self.code.is_within(it.caller, own));
            let began: u64 = others.map(|it| self.code.entries(it.caller)).sum();
            least = least.max(self.code.entries(own).saturating_sub(began));
        }
        least
    }

    /// An expression evaluated this number of times, if it has few different inputs, and some value
    /// around it changes.
    fn repeated(&self, it: Id<Expr>, times: u64, place: Place) -> Option<Repeated> {
        if times < OFTEN || is_value(self.module.core, it) || self.is_enumeration(it) {
            return None;
        }
        let core = self.module.core;
        let knot = place.knot.filter(|knot| self.uses(it, core.bindings[*knot].name));
        let name = knot.map(|it| core.bindings[it].name);
        let roots = self.inputs.roots(self.top, it, name);
        if !roots.parameters.iter().any(|it| self.is_value_parameter(*it)) {
            return None;
        }
        let inputs = self.inputs.count(&roots).max(1.0);
        if (times as f64) < LEAST_REPEATS * inputs
            || knot.is_some_and(|knot| !self.is_made_alike(knot, &roots))
        {
            return None;
        }
        let outermost = knot.unwrap_or(place.code);
        let mut around =
            std::iter::successors(Some(self.own(outermost)), |it| self.code.around(*it));
        if !around.any(|code| self.changes(code, &roots)) {
            return None;
        }
        let makings = knot.map_or(times, |knot| self.code.entries(self.own(knot)));
        Some(Repeated { it, thunk: None, times, makings, inputs })
    }

    /// True if a parameter is more than a dictionary.
    fn is_value_parameter(&self, it: Parameter) -> bool {
        let parameters = self.code.parameters(it.function);
        let name = parameters.get(it.number).map(|it| self.module.core.text(it.name));
        name.is_some_and(|name| !name.starts_with('$'))
    }

    /// True if a function is called with changing values, and not only for some parameters.
    fn changes(&self, code: Code, roots: &Roots) -> bool {
        let entries = self.code.entries(code);
        let all = 0..self.code.parameters(code).len();
        let all = all.map(|number| Parameter { function: code, number });
        let all: Vec<Parameter> = all.filter(|it| self.is_value_parameter(*it)).collect();
        let count = |of: &[Parameter]| {
            self.inputs.count(&Roots { parameters: of.iter().copied().collect(), is_open: false })
        };
        let others = all.iter().filter(|it| !roots.parameters.contains(it));
        entries >= OFTEN
            && others.into_iter().any(|it| count(&[*it]) >= LEAST_REPEATS)
            && count(&all) * LEAST_REPEATS > entries as f64
    }

    /// True if all thunks of a self-referential value are made from the same inputs as this part of
    /// it: then only its size depends on more.
    fn is_made_alike(&self, knot: Id<Binding>, of: &Roots) -> bool {
        let core = self.module.core;
        let name = core.bindings[knot].name;
        let groups = core.walk(core.bindings[knot].right).filter_map(|it| match core.exprs[it] {
            Expr::Let(kind, group, _) => Some((kind, group)),
            _ => None,
        });
        let thunks = groups.flat_map(|(kind, group)| {
            group.ids().filter(move |id| self.is_thunk(kind, *id)).collect::<Vec<_>>()
        });
        thunks.into_iter().all(|id| {
            let right = core.bindings[id].right;
            let is_round = self.is_round(id, right);
            let roots = self.inputs.roots(self.top, right, Some(name));
            let is_known = |it: &Parameter| {
                of.parameters.contains(it) || self.code.is_within(it.function, self.own(knot))
            };
            is_round || !roots.is_open && roots.parameters.iter().all(is_known)
        })
    }

    /// True if code only ends, or calls a function around it again.
    fn is_round(&self, around: Id<Binding>, it: Id<Expr>) -> bool {
        let core = self.module.core;
        let it = bare(core, it);
        if let Expr::Case(of, _, alternatives) = core.exprs[it] {
            let is_test = |call: Call| is_primitive(core.text(call.function));
            return core.call(of).is_some_and(is_test)
                && core.alternatives[alternatives]
                    .iter()
                    .all(|it| self.is_round(around, it.right));
        }
        let callee = core.call(it).and_then(|call| self.function(call.function));
        is_value(core, it) || callee.is_some_and(|it| self.code.is_within(self.own(around), it))
    }

    /// True if an expression uses a name, directly or through local functions.
    fn uses(&self, it: Id<Expr>, wanted: Name) -> bool {
        let mut seen = HashSet::new();
        let mut waiting: Vec<Name> = self.module.free(it).to_vec();
        while let Some(name) = waiting.pop() {
            if name == wanted {
                return true;
            }
            if seen.insert(name)
                && let Some(Meaning::Bound(binding)) = self.module.meaning(self.top.1, name)
            {
                waiting.extend(self.module.used_by(self.top.1, binding));
            }
        }
        false
    }

    /// True if an expression only makes a list by counting.
    fn is_enumeration(&self, it: Id<Expr>) -> bool {
        let core = self.module.core;
        let Some(call) = core.call(bare(core, it)) else { return false };
        if ENUMERATIONS.contains(&plain(core.text(call.function))) {
            return true;
        }
        let meaning = self.module.meaning(self.top.1, call.function);
        let Some(Meaning::Bound(binding)) = meaning else { return false };
        let binding = &core.bindings[binding];
        let calls = core.calls_within(binding.right);
        let is_cons = |it: &Call| core.text(it.function).ends_with(':');
        calls.iter().any(|(_, call)| is_cons(call))
            && calls.iter().all(|(_, call)| {
                let name = core.text(call.function);
                call.function == binding.name || is_primitive(name) || is_constructor(name)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::super::prepared::program_of;
    use super::*;

    /// The evaluations and inputs of an expression in a loop with this number of rounds and two
    /// parameters, one constant and one changing.
    fn found(expression: &str, rounds: u64) -> Vec<(u64, f64)> {
        let text = format!(
            "\
Rec {{
Main.loop :: Int -> Int -> Int
[GblId]
Main.loop = \\ (kept_a1 :: Int) (next_a2 :: Int) ->
  case {expression} of done_a3 {{ __DEFAULT -> Main.loop kept_a1 (Main.less next_a2 done_a3) }}
end Rec }}

Main.main :: Int
[GblId]
Main.main = Main.loop Main.one Main.many
"
        );
        let program = program_of(&text);
        let code = AllCode::counted(&program, &[("Main.loop", rounds), ("Main.main", 1)]);
        let inputs = Inputs::new(&code);
        let top = code.named("Main.loop");
        let module = code.module(top.0).expect("it was read");
        let search = Search { program: &program, code: &code, inputs: &inputs, module, top };
        search.all().iter().map(|it| (it.times, it.inputs)).collect()
    }

    #[test]
    fn what_depends_on_what_stays_alone_is_done_again() {
        assert_eq!(found("Main.slow kept_a1", 200), [(200, 1.0)]);
        assert_eq!(found("Main.slow next_a2", 200), []);
        assert_eq!(found("Main.slow kept_a1 next_a2", 200), []);
    }

    #[test]
    fn what_is_done_seldom_is_not_worth_sharing() {
        assert_eq!(found("Main.slow kept_a1", OFTEN), [(OFTEN, 1.0)]);
        assert_eq!(found("Main.slow kept_a1", OFTEN - 1), []);
    }

    #[test]
    fn what_is_no_work_is_not_shared() {
        for no_work in ["kept_a1", "GHC.Types.I# kept_a1", "GHC.Enum.eftInt kept_a1 kept_a1"] {
            assert_eq!(found(no_work, 200), [], "{no_work}");
        }
    }
}
