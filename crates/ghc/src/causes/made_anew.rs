//! Work repeated in each call of a function, on values that are the same from call to call.
//!
//! Code below the parameters of a function runs for each call, even if it depends on only some of
//! them: GHC shares it among calls only if a function of the others is made after it. So a table in
//! a `where`, for one lookup, is a table for each lookup. The counters give the number of
//! evaluations of an expression, and an upper bound on the number of its different inputs
//! ([`super::inputs`]).

use std::collections::BTreeMap;

use super::bound::{is_constructor, is_primitive};
use super::cause::{Cause, Look, Need, Paid};
use super::costs::Cost;
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::inputs::Inputs;
use super::library_use::plain;
use super::names::{Location, in_source, note};
use super::owned::{Owner, lines_within};
use super::prepared::{AllCode, Code, Prepared};
use super::program::{Program, Site};
use super::repeated::{Repeated, Search};
use crate::core::names::{Name, occurrence, split_unique};
use crate::core::tree::{Expr, Id};

/// Values made anew for each call.
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
            cause: &CAUSE,
            site,
            within: None,
            at: place.cloned(),
            what: format!("`{name}` runs {what} {} times, {inputs}", repeated.times),
            evidence: vec![Evidence {
                site,
                within: None,
                focus: focus(program, site, self.module, repeated),
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
    let core = program.module_of(site).core();
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
