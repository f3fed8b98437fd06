//! Work that is done again in each call of a function, on what is the same from call to call.
//!
//! What stands below the parameters of a function is made for each call, also where it depends on some
//! of them only: GHC shares it among calls only where a function of the others is made behind it. So a
//! table in a `where`, for one lookup, is a table for each lookup. The counters tell how often an
//! expression was evaluated, and bound how many different inputs it had ([`super::inputs`]).

use std::collections::{BTreeMap, HashSet};

use super::bound::{bare, is_constructor, is_primitive};
use super::cause::{Cause, Look, Need, Paid};
use super::costs::Cost;
use super::finding::{Basis, Evidence, Finding, Remedy};
use super::inputs::{Inputs, Roots};
use super::library_functions::plain;
use super::names::{Location, in_source, note};
use super::owned::{Owner, lines_within};
use super::prepared::{AllCode, Code, Prepared, is_value};
use super::program::{Program, Site};
use crate::ghc::core::arena::Id;
use crate::ghc::core::names::Name;
use crate::ghc::core::occurrence::{occurrence, split_unique};
use crate::ghc::core::tree::{BinderKind, Binding, Expr, LetKind};

/// What is made anew for each call.
pub(super) static CAUSE: Cause = Cause {
    id: "made-anew",
    title: "makes the same anew in each call",
    about: "A part of the function's work depends on nothing that changes from call to call, and is done \
            again in each of them: a table, an index or a compiled pattern in its `where`.",
    seed: "full laziness (Peyton Jones, Partain and Santos 1996), which does not float out of a \
           function of several parameters what depends on some of them",
    needs: &[Need::Prep, Need::Ticky],
    // All but one of ten makings or more.
    explains: 0.9,
    paid: Paid::Work,
    find,
};

/// What takes a smaller share of the program is not worth another way of writing. Arbitrary.
const LEAST_SHARE: f64 = 0.15;
/// What is made as often as this is made again and again. Arbitrary.
const OFTEN: u64 = 20;
/// How often each input must have come, on the average. Arbitrary.
const LEAST_REPEATS: f64 = 10.0;
/// What allocates less at a time, and runs less other code, is as cheap as looking it up would be.
const LEAST_BYTES: f64 = 256.0;
const LEAST_ENTRIES: f64 = 8.0;
/// The same for work in libraries, which nobody counts, in seconds.
const LEAST_SECONDS: f64 = 1e-6;
/// Functions of libraries that make lists to be gone through at once: making them is no work that one
/// would share.
const ENUMERATIONS: [&str; 10] = [
    "eftInt",
    "eftChar",
    "eftIntFB",
    "enumFromTo",
    "enumFromThenTo",
    "efdtInt",
    "efdtIntUp",
    "replicate",
    "repeat",
    "iterate",
];

/// An expression that was evaluated again and again on the same inputs.
struct Making {
    it: Id<Expr>,
    /// The thunk that it is.
    thunk: Option<Id<Binding>>,
    times: u64,
    inputs: f64,
}

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Place {
    /// The innermost code around it that has a counter.
    code: Id<Binding>,
    /// The innermost of several alternatives in that code that it is in.
    alternative: Option<Id<Expr>>,
    /// The value around it that is made from itself, as a table that looks its own elements up.
    knot: Option<Id<Binding>>,
}

fn find(look: &Look<'_>) -> Vec<Finding> {
    let code = AllCode::of(look.program, look.costs);
    let inputs = Inputs::new(&code);
    let search = Search { look, code: &code, inputs: &inputs };
    let mut found = Vec::new();
    for (number, _) in look.modules() {
        let Some(module) = code.module(number) else { continue };
        for top in &module.tops {
            let makings = search.makings(number, module, *top);
            if let Some(site) = module.site(*top).filter(|_| !makings.is_empty()) {
                found.extend(search.judged(number, *top, site, makings));
            }
        }
    }
    found
}

struct Search<'a> {
    look: &'a Look<'a>,
    code: &'a AllCode<'a>,
    inputs: &'a Inputs<'a>,
}

impl Search<'_> {
    /// The outermost expressions of a binding that were evaluated again and again on the same inputs.
    fn makings(&self, number: usize, module: &Prepared<'_>, top: Id<Binding>) -> Vec<Making> {
        let core = module.core;
        let mut found = Vec::new();
        let first = Place { code: top, alternative: None, knot: None };
        let mut waiting = vec![(core.bindings[top].right, first)];
        while let Some((it, place)) = waiting.pop() {
            match core.exprs[it] {
                Expr::Let(kind, group, body) => {
                    waiting.push((body, place));
                    for id in group.ids() {
                        let right = core.bindings[id].right;
                        let is_function = !self.code.parameters((number, id)).is_empty();
                        let is_thunk = module.is_code(id)
                            && !is_function
                            && matches!(kind, LetKind::Let | LetKind::LetRec);
                        let knot = (is_thunk && kind == LetKind::LetRec).then_some(id);
                        let making = is_thunk.then(|| self.thunk(number, module, id, place));
                        if let Some(making) = making.flatten() {
                            found.push(making);
                            continue;
                        }
                        let inner = match module.is_code(id) {
                            true => {
                                Place { code: id, alternative: None, knot: knot.or(place.knot) }
                            }
                            false => place,
                        };
                        waiting.push((right, inner));
                    }
                }
                Expr::Case(of, _, alternatives) => {
                    let several = alternatives.len() > 1;
                    for it in &core.alternatives[alternatives] {
                        let alternative = if several { Some(it.right) } else { place.alternative };
                        waiting.push((it.right, Place { alternative, ..place }));
                    }
                    let is_block =
                        matches!(core.exprs[bare(core, of)], Expr::Let(..) | Expr::Case(..));
                    match is_block.then(|| self.strict(number, module, of, place)).flatten() {
                        Some(making) => found.push(making),
                        None => waiting.push((of, place)),
                    }
                }
                Expr::Apply(..) => match self.strict(number, module, it, place) {
                    Some(making) => found.push(making),
                    None => core.children(it, |child| waiting.push((child, place))),
                },
                _ => core.children(it, |child| waiting.push((child, place))),
            }
        }
        found
    }

    /// A thunk that does the same work again and again.
    fn thunk(
        &self,
        number: usize,
        module: &Prepared<'_>,
        id: Id<Binding>,
        place: Place,
    ) -> Option<Making> {
        let times = self.code.entries((number, id));
        let right = module.core.bindings[id].right;
        let making = self.making(number, module, right, times, place)?;
        Some(Making { thunk: Some(id), ..making })
    }

    /// An expression that is evaluated at once.
    fn strict(
        &self,
        number: usize,
        module: &Prepared<'_>,
        it: Id<Expr>,
        place: Place,
    ) -> Option<Making> {
        let own = (number, place.code);
        if self.code.entries(own) < OFTEN {
            return None;
        }
        let callee = match module.core.call(it) {
            Some(call) => {
                let name = module.core.text(call.function);
                if is_primitive(name) || is_constructor(name) || module.is_exit(call.function) {
                    return None;
                }
                self.code.function(self.look.program, number, call.function)
            }
            None => None,
        };
        // A round of a loop around it.
        if callee.is_some_and(|callee| self.code.is_within(own, callee)) {
            return None;
        }
        let times = match place.alternative {
            None => self.code.entries(own),
            Some(alternative) => self.at_least(number, module, own, alternative),
        };
        let times = match callee {
            Some(callee) if !self.calls_itself(callee) => match self.code.calls(callee).len() {
                1 => self.code.entries(callee),
                _ => times.min(self.code.entries(callee)),
            },
            _ => times,
        };
        self.making(number, module, it, times, place)
    }

    /// How often an alternative was taken, at the least, by the counters of what it alone runs.
    fn at_least(
        &self,
        number: usize,
        module: &Prepared<'_>,
        own: Code,
        alternative: Id<Expr>,
    ) -> u64 {
        let core = module.core;
        let mut least = 0;
        let mut rounds = 0;
        let mut waiting = vec![alternative];
        while let Some(it) = waiting.pop() {
            if let Some(call) = core.call(it) {
                let callee = self.code.function(self.look.program, number, call.function);
                if callee == Some(own) {
                    rounds += 1;
                } else if let Some(callee) = callee
                    && self.code.calls(callee).len() == 1
                    && !self.calls_itself(callee)
                {
                    least = least.max(self.code.entries(callee));
                }
            }
            match core.exprs[it] {
                Expr::Let(kind, group, body) => {
                    waiting.push(body);
                    for id in group.ids() {
                        let is_thunk = module.is_code(id)
                            && self.code.parameters((number, id)).is_empty()
                            && matches!(kind, LetKind::Let | LetKind::LetRec);
                        if is_thunk {
                            least = least.max(self.code.entries((number, id)));
                        } else if kind == LetKind::Join {
                            waiting.push(core.bindings[id].right);
                        }
                    }
                }
                Expr::Lambda(..) => {}
                _ => core.children(it, |child| waiting.push(child)),
            }
        }
        let calls = self.code.calls(own);
        let (around, others): (Vec<_>, Vec<_>) =
            calls.iter().partition(|it| self.code.is_within(it.caller, own));
        if rounds > 0 && rounds == around.len() {
            let began: u64 = others.iter().map(|it| self.code.entries(it.caller)).sum();
            least = least.max(self.code.entries(own).saturating_sub(began));
        }
        least
    }

    fn calls_itself(&self, function: Code) -> bool {
        self.code.calls(function).iter().any(|it| self.code.is_within(it.caller, function))
    }

    /// An expression that is evaluated so often, if it is so on few inputs, and something around it
    /// changes.
    fn making(
        &self,
        number: usize,
        module: &Prepared<'_>,
        it: Id<Expr>,
        times: u64,
        place: Place,
    ) -> Option<Making> {
        if times < OFTEN || is_value(module.core, it) || is_enumeration(module, it) {
            return None;
        }
        let knot = place.knot.filter(|knot| uses(module, it, module.core.bindings[*knot].name));
        let name = knot.map(|it| module.core.bindings[it].name);
        let roots = self.inputs.roots(number, it, name);
        if roots.parameters.is_empty() || !self.has_values(module, &roots) {
            return None;
        }
        let inputs = self.inputs.count(&roots).max(1.0);
        if (times as f64) < LEAST_REPEATS * inputs {
            return None;
        }
        if knot.is_some_and(|knot| !self.is_made_alike(number, module, knot, &roots)) {
            return None;
        }
        let changes = |code: &Code| self.changes(module, *code, &roots);
        let mut around =
            std::iter::successors(Some((number, place.code)), |it| self.code.around(*it));
        if !around.any(|code| changes(&code)) {
            return None;
        }
        Some(Making { it, thunk: None, times, inputs })
    }

    /// Whether any of some roots is more than a dictionary.
    fn has_values(&self, module: &Prepared<'_>, roots: &Roots) -> bool {
        roots.parameters.iter().any(|it| {
            let parameters = self.code.parameters(it.function);
            let name = parameters.get(it.number).map(|it| module.core.text(it.name));
            name.is_some_and(|name| !name.starts_with('$'))
        })
    }

    /// Whether a function is called with other values for a parameter that is not one of some.
    fn changes(&self, module: &Prepared<'_>, code: Code, roots: &Roots) -> bool {
        let entries = self.code.entries(code);
        if entries < OFTEN {
            return false;
        }
        let parameters = self.code.parameters(code);
        (0..parameters.len()).any(|number| {
            let it = super::inputs::Parameter { function: code, number };
            let is_other = !roots.parameters.contains(&it)
                && parameters[number].kind == BinderKind::Value
                && !module.core.text(parameters[number].name).starts_with('$');
            let alone = Roots { parameters: [it].into(), is_open: false };
            is_other && self.inputs.count(&alone) * 2.0 >= entries as f64
        })
    }

    /// Whether all that a value made from itself puts off is made from the same as this part of it: then
    /// only how much of it there is depends on more.
    fn is_made_alike(
        &self,
        number: usize,
        module: &Prepared<'_>,
        knot: Id<Binding>,
        of: &Roots,
    ) -> bool {
        let core = module.core;
        let name = core.bindings[knot].name;
        let mut all = true;
        for it in core.walk(core.bindings[knot].right) {
            let Expr::Let(_, group, _) = core.exprs[it] else { continue };
            for id in group.ids() {
                let binding = &core.bindings[id];
                let is_thunk = module.is_code(id) && self.code.parameters((number, id)).is_empty();
                let callee = core
                    .call(binding.right)
                    .and_then(|call| self.code.function(self.look.program, number, call.function));
                let is_round = callee.is_some_and(|it| self.code.is_within((number, id), it));
                if is_thunk && !is_round && !module.is_exit(binding.name) {
                    let own = self.inputs.roots(number, binding.right, Some(name));
                    let outer = |it: &super::inputs::Parameter| {
                        !self.code.is_within(it.function, (number, knot))
                    };
                    all &= !own.is_open
                        && own
                            .parameters
                            .iter()
                            .filter(|it| outer(it))
                            .all(|it| of.parameters.contains(it));
                }
            }
        }
        all
    }
}

impl Search<'_> {
    /// Those makings that cost a share of the program that matters, by the declarations of the source
    /// that they are in.
    fn judged(
        &self,
        number: usize,
        top: Id<Binding>,
        site: Site,
        makings: Vec<Making>,
    ) -> Vec<Finding> {
        let mut groups: BTreeMap<String, Vec<(Making, Option<Location>)>> = BTreeMap::new();
        for it in makings {
            let at = self.at(number, top, site, it.it);
            let declared = at.as_ref().and_then(|at| self.look.program.declared(site, at));
            groups.entry(declared.unwrap_or_default().to_owned()).or_default().push((it, at));
        }
        groups.into_values().filter_map(|group| self.finding(number, top, site, &group)).collect()
    }

    /// Where an expression is from: by the nearest note around it that is of this module, else by the
    /// nearest of any.
    fn at(&self, number: usize, top: Id<Binding>, site: Site, it: Id<Expr>) -> Option<Location> {
        let program = self.look.program;
        let core = self.code.module(number)?.core;
        let mut walk = core.walk(core.bindings[top].right);
        walk.by_ref().find(|next| *next == it)?;
        let notes = walk.path().iter().rev().chain([&it]).filter_map(|it| match core.exprs[*it] {
            Expr::Tick(tick, _) => {
                let at = note(core.text(tick))?;
                let at = program.source_line(&at.file, at.line.into())?;
                program.declared(site, &at).is_some().then_some(at)
            }
            _ => None,
        });
        let notes: Vec<Location> = notes.collect();
        let own = program.module_of(site).source.as_ref().map(|it| &it.path);
        let is_own = |at: &&Location| own == Some(&at.file);
        notes.iter().find(is_own).or(notes.first()).cloned()
    }

    fn finding(
        &self,
        number: usize,
        top: Id<Binding>,
        site: Site,
        group: &[(Making, Option<Location>)],
    ) -> Option<Finding> {
        let program = self.look.program;
        let module = self.code.module(number)?;
        let basis = |group: &[&(Making, Option<Location>)]| {
            let own = group.iter().flat_map(|(it, at)| {
                let around = at.iter().map(|at| (at.file.clone(), u64::from(at.line)));
                around.chain(lines_within(module.core, it.it))
            });
            let owner = Owner {
                look: self.look,
                code: self.code,
                number,
                top,
                of: group.iter().map(|(it, _)| it.it).collect(),
                thunks: group.iter().filter_map(|(it, _)| it.thunk).collect(),
                times: group.iter().map(|(it, _)| it.times).max().unwrap_or(0),
                lines: own.collect(),
            };
            owner.basis()
        };
        let costs = self.look.costs;
        let all = basis(&group.iter().collect::<Vec<_>>())?;
        let cost = costs.basis(program, &all);
        let times: u64 = group.iter().map(|(it, _)| it.times).sum();
        if CAUSE.paid.share(&cost).is_none_or(|share| share < LEAST_SHARE)
            || is_cheap(program, &cost, times)
        {
            return None;
        }
        let share_of = |it: &(Making, Option<Location>)| {
            let cost = costs.basis(program, &basis(&[it]).unwrap_or_default());
            CAUSE.paid.share(&cost).unwrap_or(0.0)
        };
        let first = group.iter().max_by(|one, other| {
            let key = |it| (share_of(it), it.0.times as f64);
            let (one, other) = (key(*one), key(*other));
            one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
        })?;
        Some(self.told(module, site, first, all))
    }

    fn told(
        &self,
        module: &Prepared<'_>,
        site: Site,
        (making, at): &(Making, Option<Location>),
        basis: Basis,
    ) -> Finding {
        let program = self.look.program;
        let declared = at.as_ref().and_then(|at| program.declared(site, at));
        let name = declared.unwrap_or_else(|| in_source(program.name(site)));
        let what = made_by(module, making);
        let inputs = match making.inputs.round() {
            1.0 => "on one and the same input".to_owned(),
            inputs => format!("on at most {inputs} different inputs"),
        };
        Finding {
            cause: &CAUSE,
            site,
            within: None,
            at: at.clone(),
            what: format!("`{name}` runs {what} {} times, {inputs}", making.times),
            evidence: vec![Evidence {
                site,
                within: None,
                focus: focus(program, site, module, making),
            }],
            remedy: Remedy {
                text: "make it once, where its inputs are known, and hand it on: as an argument, in the \
                       record that it is made from, or by a function that binds it and gives back a \
                       function of what changes (`f fixed = let table = ... in \\x -> ...`)"
                    .to_owned(),
                change: None,
            },
            why: "A `where` or `let` below the parameters is made in each call, also where it does not \
                  depend on all of them; GHC moves work out of a function, but not between the \
                  parameters of one."
                .to_owned(),
            basis,
        }
    }
}

/// Whether each making costs no more than looking its result up would.
fn is_cheap(program: &Program, cost: &Cost, times: u64) -> bool {
    let each = |all: f64| all / times.max(1) as f64;
    let seconds = program.samples.as_ref().ok().and_then(|it| it.mutator_seconds);
    let seconds = seconds.zip(cost.time).map(|(all, time)| all * time.share());
    each(cost.allocated_bytes as f64) < LEAST_BYTES
        && each(cost.entries.unwrap_or(0) as f64) < LEAST_ENTRIES
        && seconds.is_none_or(|it| each(it) < LEAST_SECONDS)
}

/// What makes it, for people: the name that the source gives it, or the function that is called.
fn made_by(module: &Prepared<'_>, making: &Making) -> String {
    let core = module.core;
    let calls = core.calls_within(making.it);
    let is_work = |name: Name| !is_primitive(core.text(name)) && !is_constructor(core.text(name));
    let own = making.thunk.map(|it| in_source(core.text(core.bindings[it].name)));
    let is_given = |name: &&str| {
        !["sat", "lvl", "ds", "x", "y", "z", "wild", "ww", "w"]
            .contains(&name.trim_end_matches(|last: char| last.is_ascii_digit()))
    };
    let mut called = calls.iter().map(|(_, call)| call.function).filter(|it| is_work(*it));
    let of_call = called.find(|it| split_unique(core.text(*it)).is_none());
    match (own.filter(is_given), of_call) {
        (Some(name), _) => format!("`{name}`"),
        (None, Some(function)) => format!("`{}`", plain(core.text(function))),
        (None, None) => "the same loop".to_owned(),
    }
}

/// The calls of the simplified program that the making is, as far as they are found.
fn focus(program: &Program, site: Site, module: &Prepared<'_>, making: &Making) -> Vec<Id<Expr>> {
    let core = program.module_of(site).core();
    let stem =
        |name: &str| split_unique(name).map_or(occurrence(name), |(stem, _)| stem).to_owned();
    let of_prep = module.core.calls_within(making.it);
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

/// Whether an expression uses a name, by way of local functions too.
fn uses(module: &Prepared<'_>, it: Id<Expr>, wanted: Name) -> bool {
    let mut seen = HashSet::new();
    let mut waiting: Vec<Name> = module.free(it).to_vec();
    while let Some(name) = waiting.pop() {
        if name == wanted {
            return true;
        }
        if seen.insert(name)
            && let Some(super::prepared::Meaning::Bound(binding)) = module.meanings.get(&name)
        {
            waiting.extend(module.free(module.core.bindings[*binding].right).iter());
        }
    }
    false
}

/// Whether an expression only counts up or down and makes a list.
fn is_enumeration(module: &Prepared<'_>, it: Id<Expr>) -> bool {
    let core = module.core;
    let Some(call) = core.call(bare(core, it)) else { return false };
    let name = core.text(call.function);
    if ENUMERATIONS.contains(&plain(name)) {
        return true;
    }
    let Some(super::prepared::Meaning::Bound(binding)) = module.meanings.get(&call.function) else {
        return false;
    };
    let binding = &core.bindings[*binding];
    let calls = core.calls_within(binding.right);
    let mut makes_list = false;
    calls.iter().all(|(_, call)| {
        let text = core.text(call.function);
        makes_list |= text.ends_with("GHC.Types.:") || text == ":";
        call.function == binding.name || is_primitive(text) || is_constructor(text)
    }) && makes_list
}
