//! Work repeated in each call of a function, on values that are the same from call to call.
//!
//! Code below the parameters of a function runs for each call, even if it depends on only some of
//! them: GHC shares it among calls only if a function of the others is made after it. So a table in a
//! `where`, for one lookup, is a table for each lookup. The counters give the number of evaluations of
//! an expression, and an upper bound on the number of its different inputs
//! ([`Inputs`]). The cost of such an expression is that of the code that runs only
//! for it.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bound::{bare, is_constructor, is_primitive};
use super::cause::{Cause, Look, Need, Paid};
use super::costs::{Cost, Time};
use super::examine::{Basis, Finding};
use super::library_use::plain;
use super::names::{Location, in_source, note};
use super::prepared::{AllCode, Code, Meaning, Prepared, is_value};
use super::prepared::{Inputs, Parameter, Roots};
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::calls::Call;
use crate::core::names::{Name, occurrence, split_unique};
use crate::core::tree::{Binding, Expr, Id, LetKind};

pub(super) static CAUSE: Cause = Cause {
    id: "made-anew",
    title: "makes the same anew in each call",
    about: "A part of the function's work depends on nothing that changes from call to call, and is done \
            again in each of them: a table, an index or a compiled pattern in its `where`.",
    seed: "full laziness (Peyton Jones, Partain and Santos 1996), which does not float out of a \
           function of several parameters what depends on some of them",
    needs: &[Need::Prep, Need::Ticky],
    // For ten makings or more, all but one.
    explains: 0.9,
    paid: Paid::Work,
    find,
};

/// A smaller share of the program is not worth rewriting. Arbitrary.
const LEAST_SHARE: f64 = 0.15;
/// Code that allocates less each time, and enters less other code, is as cheap as a lookup.
const LEAST_BYTES: f64 = 256.0;
const LEAST_ENTRIES: f64 = 8.0;
/// The same for work in libraries, which have no counters, in seconds.
const LEAST_SECONDS: f64 = 1e-6;

fn find(look: &Look<'_>) -> Vec<Finding> {
    if look.modules.is_empty() {
        return Vec::new();
    }
    let code = AllCode::from_program(look.program, look.costs);
    let inputs = Inputs::new(&code);
    let mut found = Vec::new();
    for (number, _) in look.modules() {
        let Some(module) = code.module(number) else { continue };
        for top in &module.tops {
            let top = (number, *top);
            let search =
                Search { program: look.program, code: &code, inputs: &inputs, module, top };
            let repeated = search.all();
            if let Some(site) = module.site(top.1).filter(|_| !repeated.is_empty()) {
                found.extend(Judge { look, code: &code, module, top, site }.judged(repeated));
            }
        }
    }
    found
}

/// The assessment of repeated work in a binding of the top level.
struct Judge<'a> {
    look: &'a Look<'a>,
    code: &'a AllCode<'a>,
    module: &'a Prepared<'a>,
    top: Code,
    site: Site,
}

/// Repeated work and its places in the source: that of the finding, and that of its code.
type Placed = (Repeated, Option<(Location, Location)>);

impl Judge<'_> {
    /// The findings of repeated work with a significant share of the program, by the declarations
    /// of the source that contain it.
    fn judged(&self, repeated: Vec<Repeated>) -> Vec<Finding> {
        let placed = repeated.into_iter().map(|it| (self.declared(it.it), it));
        let placed: Vec<Placed> = placed.map(|(at, it)| (it, at)).collect();
        // Code in a loop that only another one calls is a part of that one.
        let is_part = |it: &Placed| {
            let others = placed.iter().filter(|other| other.0.it != it.0.it);
            others.into_iter().any(|other| self.owner(&[other]).expressions().contains(&it.0.it))
        };
        let parts: Vec<bool> = placed.iter().map(is_part).collect();
        let mut groups: BTreeMap<String, Vec<Placed>> = BTreeMap::new();
        for ((it, at), _) in placed.into_iter().zip(parts).filter(|(_, is_part)| !is_part) {
            let declared =
                at.as_ref().and_then(|(at, _)| self.look.program.declared(self.site, at));
            let declared = declared.unwrap_or_default().to_owned();
            groups.entry(declared).or_default().push((it, at));
        }
        groups.into_values().filter_map(|group| self.finding(&group)).collect()
    }

    /// The place for a finding and that of its code, among the declarations of the source that
    /// contain an expression, from the inside out: the first of this module that does more than
    /// this (else the first of this module, else of any), and the first of all.
    fn declared(&self, it: Id<Expr>) -> Option<(Location, Location)> {
        let program = self.look.program;
        let core = self.module.core;
        let mut walk = core.walk(core.bindings[self.top.1].right);
        walk.by_ref().find(|next| *next == it)?;
        let own = self.module.free(it);
        let notes = walk.path().iter().rev().filter_map(|it| match core.exprs[*it] {
            Expr::Tick(tick, _) => {
                let at = note(core.text(tick))?;
                let at = program.source_line(&at.file, at.line.into())?;
                program.declared(self.site, &at)?;
                let others = self.module.free(*it);
                let mut others = others.iter().filter(|name| !own.contains(name));
                let has_more = others.any(|name| self.module.meaning(self.top.1, *name).is_some());
                Some((at, has_more))
            }
            _ => None,
        });
        let notes: Vec<(Location, bool)> = notes.collect();
        let file = program.module_of(self.site).source.as_ref().map(|it| &it.path);
        let is_own = |at: &Location| file == Some(&at.file);
        let place = (notes.iter().find(|(at, has_more)| *has_more && is_own(at)))
            .or_else(|| notes.iter().find(|(at, _)| is_own(at)))
            .or(notes.first())?;
        Some((place.0.clone(), notes.first()?.0.clone()))
    }

    /// The code that runs only for these expressions.
    fn owner(&self, group: &[&Placed]) -> Owner<'_> {
        let lines = group.iter().flat_map(|(it, at)| {
            let around = at.iter().map(|(_, at)| (at.file.clone(), u64::from(at.line)));
            around.chain(lines_within(self.module.core, it.it))
        });
        Owner {
            look: self.look,
            code: self.code,
            number: self.top.0,
            top: self.top.1,
            of: group.iter().map(|(it, _)| it.it).collect(),
            thunks: group.iter().filter_map(|(it, _)| it.thunk).collect(),
            times: group.iter().map(|(it, _)| it.times).max().unwrap_or(0),
            lines: lines.collect(),
        }
    }

    fn finding(&self, group: &[Placed]) -> Option<Finding> {
        let program = self.look.program;
        let basis = |group: &[&Placed]| self.owner(group).basis();
        let costs = self.look.costs;
        let all = basis(&group.iter().collect::<Vec<_>>())?;
        let cost = costs.basis(program, &all);
        let makings: u64 = group.iter().map(|(it, _)| it.makings).sum();
        if CAUSE.paid.share(&cost).is_none_or(|share| share < LEAST_SHARE)
            || is_cheap(program, &cost, makings)
        {
            return None;
        }
        let share_of = |it: &Placed| {
            let cost = costs.basis(program, &basis(&[it]).unwrap_or_default());
            CAUSE.paid.share(&cost).unwrap_or(0.0)
        };
        let first = group.iter().max_by(|one, other| {
            let key = |it| (share_of(it), it.0.times as f64);
            let (one, other) = (key(*one), key(*other));
            one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
        })?;
        Some(self.told(first, all))
    }

    fn told(&self, (repeated, at): &Placed, basis: Basis) -> Finding {
        let (program, site) = (self.look.program, self.site);
        let declared = |at: &Location| program.declared(site, at);
        let (place, own) = at.as_ref().map(|(place, own)| (place, own)).unzip();
        let name = place.and_then(declared).unwrap_or_else(|| in_source(program.name(site)));
        let inlined = own.and_then(declared).filter(|own| *own != name);
        let what = made_by(self.module, repeated, inlined);
        let inputs = match repeated.inputs.round() {
            1.0 => "on one and the same input".to_owned(),
            inputs => format!("on at most {inputs} different inputs"),
        };
        Finding {
            at: place.cloned(),
            what: format!("`{name}` runs {what} {} times, {inputs}", repeated.times),
            remedy: "make it once, where its inputs are known, and hand it on: as an argument, in the \
                     record that it is made from, or by a function that binds it and gives back a \
                     function of what changes (`f fixed = let table = ... in \\x -> ...`)"
                .into(),
            why: "A `where` or `let` below the parameters is made in each call, also where it does not \
                  depend on all of them; GHC moves work out of a function, but not between the \
                  parameters of one."
                .to_owned(),
            basis,
            ..Finding::at_site(&CAUSE, site, focus(program, site, self.module, repeated))
        }
    }
}

/// True if each making costs no more than looking its result up would.
fn is_cheap(program: &Program, cost: &Cost, makings: u64) -> bool {
    let each = |all: f64| all / makings.max(1) as f64;
    let seconds = program.samples.as_ref().ok().and_then(|it| it.mutator_seconds);
    let seconds = seconds.zip(cost.time).map(|(all, time)| all * time.share());
    each(cost.allocated_bytes as f64) < LEAST_BYTES
        && each(cost.entries.unwrap_or(0) as f64) < LEAST_ENTRIES
        && seconds.is_none_or(|it| each(it) < LEAST_SECONDS)
}

/// The maker, for people: the name that the source gives it, or the function that is called.
fn made_by(module: &Prepared<'_>, repeated: &Repeated, inlined: Option<&str>) -> String {
    let core = module.core;
    let calls = core.calls_within(repeated.it);
    let is_work = |name: Name| !is_primitive(core.text(name)) && !is_constructor(core.text(name));
    let own = repeated.thunk.map(|it| in_source(core.text(core.bindings[it].name)));
    let is_given = |name: &&str| {
        !["sat", "lvl", "ds", "x", "y", "z", "wild", "ww", "w"]
            .contains(&name.trim_end_matches(|last: char| last.is_ascii_digit()))
    };
    let mut called = calls.iter().map(|(_, call)| call.function).filter(|it| is_work(*it));
    let of_call = called.find(|it| split_unique(core.text(*it)).is_none());
    let of_call = of_call.map(|it| plain(core.text(it))).filter(|it| !it.starts_with('$'));
    match own.filter(is_given).or(inlined).or(of_call) {
        Some(name) => format!("`{name}`"),
        None => "the same loop".to_owned(),
    }
}

/// The calls of the simplified program that correspond to the repeated work, as far as found.
fn focus(
    program: &Program,
    site: Site,
    module: &Prepared<'_>,
    repeated: &Repeated,
) -> Vec<Id<Expr>> {
    let core = program.core_of(site);
    let stem =
        |name: &str| split_unique(name).map_or(occurrence(name), |(stem, _)| stem).to_owned();
    let of_prep = module.core.calls_within(repeated.it);
    let Some((_, wanted)) = of_prep.iter().find(|(_, call)| {
        let text = module.core.text(call.function);
        !is_primitive(text) && !is_constructor(text)
    }) else {
        return Vec::new();
    };
    let wanted = stem(module.core.text(wanted.function));
    let calls = core.calls_within(program.binding(site).right);
    let of_name = calls.iter().filter(|(_, call)| stem(core.text(call.function)) == wanted);
    of_name.map(|(it, _)| *it).take(1).collect()
}

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

/// Other callers may share the code called for an expression if they run less often by this factor.
const RARELY: u64 = 10;

/// Some expressions of one binding of the top level.
pub(super) struct Owner<'a> {
    pub(super) look: &'a Look<'a>,
    pub(super) code: &'a AllCode<'a>,
    pub(super) number: usize,
    pub(super) top: Id<Binding>,
    /// The expressions.
    pub(super) of: Vec<Id<Expr>>,
    /// The thunks among them.
    pub(super) thunks: Vec<Id<Binding>>,
    /// The number of their evaluations.
    pub(super) times: u64,
    /// Their lines in the source, by the end of the file's name and line number.
    pub(super) lines: HashSet<(String, u64)>,
}

impl Owner<'_> {
    /// The work done only for these expressions.
    pub(super) fn basis(&self) -> Option<Basis> {
        let module = self.code.module(self.number)?;
        let (own, mut codes) = self.local(module);
        let tops = self.of_top_level(module, &own);
        for (number, top) in &tops {
            let core = self.code.module(*number)?.core;
            codes.insert((*number, *top));
            codes.extend(core.bindings_within(core.bindings[*top].right).map(|it| (*number, it)));
        }
        let mut rows: Vec<usize> = codes.iter().filter_map(|it| self.code.row(*it)).collect();
        rows.sort_unstable();
        let time = self.time(module, &own, &tops);
        Some(Basis { rows, time, ..Basis::default() })
    }

    /// The expressions within these and within local functions that only these call.
    pub(super) fn expressions(&self) -> HashSet<Id<Expr>> {
        self.code.module(self.number).map(|it| self.local(it).0).unwrap_or_default()
    }

    /// The expressions within these and within local functions that only these call, and the code
    /// with counters among them.
    fn local(&self, module: &Prepared<'_>) -> (HashSet<Id<Expr>>, HashSet<Code>) {
        let core = module.core;
        let mut own: HashSet<Id<Expr>> = HashSet::new();
        let mut codes: HashSet<Code> = self.thunks.iter().map(|it| (self.number, *it)).collect();
        let mut occurrences: HashMap<Name, Vec<Id<Expr>>> = HashMap::new();
        for it in core.walk(core.bindings[self.top].right) {
            if let Expr::Variable(name) | Expr::Jump(name) = core.exprs[it] {
                occurrences.entry(name).or_default().push(it);
            }
        }
        let mut waiting = self.of.clone();
        while let Some(root) = waiting.pop() {
            own.extend(core.walk(root));
            codes.extend(core.bindings_within(root).map(|it| (self.number, it)));
            for name in module.free(root).iter() {
                let Some(Meaning::Bound(binding)) = module.meaning(self.top, *name) else {
                    continue;
                };
                let right = core.bindings[binding].right;
                if module.is_exit(*name) || !module.is_code(binding) || own.contains(&right) {
                    continue;
                }
                let within: HashSet<Id<Expr>> = core.walk(right).collect();
                let of_name = occurrences.get(name).into_iter().flatten();
                if of_name.into_iter().all(|it| own.contains(it) || within.contains(it)) {
                    codes.insert((self.number, binding));
                    waiting.push(right);
                }
            }
        }
        (own, codes)
    }

    /// The functions of the top level that only these expressions call, directly or through others.
    fn of_top_level(&self, module: &Prepared<'_>, own: &HashSet<Id<Expr>>) -> HashSet<Code> {
        let core = module.core;
        let mut elsewhere: HashSet<Code> = HashSet::new();
        let mut waiting: Vec<Code> = Vec::new();
        for it in core.walk(core.bindings[self.top].right) {
            if let Expr::Variable(name) = core.exprs[it]
                && let Some(callee) = self.top_function((self.number, self.top), name)
            {
                if own.contains(&it) {
                    waiting.push(callee);
                } else {
                    elsewhere.insert(callee);
                }
            }
        }
        let mut found: HashSet<Code> = HashSet::new();
        while let Some(it) = waiting.pop() {
            if it == (self.number, self.top) || elsewhere.contains(&it) || !found.insert(it) {
                continue;
            }
            let Some(module) = self.code.module(it.0) else { continue };
            let names = module.free(module.core.bindings[it.1].right);
            waiting.extend(names.iter().filter_map(|name| self.top_function(it, *name)));
        }
        loop {
            let is_foreign = |it: &Code| {
                self.code.calls(*it).iter().any(|call| {
                    let top = (call.caller.0, self.code.top(call.caller));
                    top != (self.number, self.top)
                        && !found.contains(&top)
                        && self.code.entries(call.caller).saturating_mul(RARELY) > self.times
                })
            };
            let foreign: Vec<Code> = found.iter().copied().filter(is_foreign).collect();
            if foreign.is_empty() {
                return found;
            }
            for it in foreign {
                found.remove(&it);
            }
        }
    }

    /// The function of the top level that a name means; a binding without parameters is made only
    /// once.
    fn top_function(&self, around: Code, name: Name) -> Option<Code> {
        let found = self.code.function(self.look.program, around, name)?;
        let is_top = self.code.around(found).is_none();
        (is_top && !self.code.parameters(found).is_empty()).then_some(found)
    }

    /// The samples of these functions of the top level, and of the lines of the expressions, or of
    /// library functions called there.
    fn time(
        &self,
        module: &Prepared<'_>,
        own: &HashSet<Id<Expr>>,
        tops: &HashSet<Code>,
    ) -> Option<Time> {
        let program = self.look.program;
        let samples = program.samples.as_ref().ok()?;
        let core = module.core;
        let site = module.site(self.top);
        let sites: HashSet<Site> = tops.iter().filter_map(|it| self.site(program, *it)).collect();
        let called: HashSet<&str> = own
            .iter()
            .filter_map(|it| match core.exprs[*it] {
                Expr::Variable(name) => Some(plain(core.text(name))),
                _ => None,
            })
            .collect();
        let mut looks = 0;
        for it in &samples.uses {
            let is_called = it.functions.first().is_none_or(|it| called.contains(plain(&it.name)));
            if it.site.is_some_and(|it| sites.contains(&it)) {
                looks += it.looks;
            } else if it.site == site && site.is_some() && is_called {
                let of_lines =
                    it.lines.iter().filter(|((file, line), _)| self.has_line(file, *line));
                looks += of_lines.map(|(_, looks)| looks).sum::<u64>();
            }
        }
        Some(Time { looks, of: samples.working() })
    }

    fn has_line(&self, file: &str, line: u64) -> bool {
        self.lines.iter().any(|(own, number)| {
            *number == line && (own.ends_with(file) || file.ends_with(own.as_str()))
        })
    }

    fn site(&self, program: &Program, code: Code) -> Option<Site> {
        let site = self.code.module(code.0)?.site(code.1)?;
        (program.modules[site.module].prepared(site.top) == Some(code.1)).then_some(site)
    }
}

/// The lines of the notes within an expression.
pub(super) fn lines_within(core: &Core, root: Id<Expr>) -> HashSet<(String, u64)> {
    let at = |it| match core.exprs[it] {
        Expr::Tick(tick, _) => note(core.text(tick)).map(|at| (at.file, u64::from(at.line))),
        _ => None,
    };
    core.walk(root).filter_map(at).collect()
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
