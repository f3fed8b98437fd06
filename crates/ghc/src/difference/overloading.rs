//! Overloaded functions, their specialisation if GHC knows the types, and its consequences
//! elsewhere.

use std::collections::{HashMap, HashSet};

use super::align::Side;
use super::change::{Change, Tends};
use super::compare::{Aligned, is_evidence, is_specialised};
use super::view::View;
use crate::causes::names::in_source;
use crate::causes::{Module, Site};

/// Causes that go away once the types are known.
const OVERLOADED: [&str; 2] = ["overloaded-loop", "lost-specialise"];

/// Causes that may come and go with the way another function is called.
const FOLLOWING: [&str; 2] = ["lazy-accumulator", "boxed-argument"];

/// A change of less weight may be a consequence of another function's arguments.
const OWN: u32 = 50;

/// True if a function, given by its number, is overloaded, and a binding of the other program that
/// does not use it contains a copy of its code: judged by a rule that fired there more often or, if
/// that is unknown, by an existing copy.
pub(super) fn is_copied(here: &View<'_>, number: usize, there: &View<'_>, place: Site) -> bool {
    let (Some(site), Some(other)) = (here.sites.get(&number), there.sites.get(&number)) else {
        return false;
    };
    let (program, other_program) = (there.side.names.program, here.side.names.program);
    let module = program.module_of(place);
    let name = in_source(here.name(*site));
    if here.facts[site].dictionaries == 0 || there.facts[other].dictionaries == 0 {
        return false;
    }
    let fired = |module: &Module| {
        let firings = module.firings.as_ref()?;
        let of_it = firings.iter().filter(|firing| {
            let mut words = firing.rule.split_whitespace();
            let is_copy = words.next().is_some_and(|word| word.contains("SPEC"));
            is_copy && words.next().is_some_and(|of| in_source(of) == name)
        });
        Some(of_it.count())
    };
    let before = other_program.modules.iter().find(|it| it.name == module.name).and_then(fired);
    match fired(module) {
        Some(count) => count > before.unwrap_or(0),
        None => there.side.sites().any(|site| {
            let copy = program.name(site);
            is_specialised(copy) && in_source(copy) == name
        }),
    }
}

/// Removes changes that contradict the specialisation of a function, or its loss: a worker that GHC
/// made of one version may have more parameters than the one it is compared with, and if a copy
/// runs on one side, changes in the overloaded function itself affect nothing that runs on both.
pub(super) fn settle(all: &mut [Aligned], dictionaries: impl Fn(&Aligned) -> bool) {
    let mut said: HashSet<(String, Tends)> = HashSet::new();
    let mut copied: HashSet<String> = HashSet::new();
    for aligned in all.iter() {
        for change in &aligned.changes {
            match change {
                Change::Specialised { what } | Change::NoLongerSpecialised { what } => {
                    copied.insert(what.clone());
                    said.insert((what.clone(), change.tends()));
                }
                change if is_of_types(change) => {
                    said.insert((aligned.name.clone(), change.tends()));
                }
                _ => {}
            }
        }
    }
    for aligned in all.iter_mut().filter(|it| !it.is_same()) {
        let has = |tends| said.contains(&(aligned.name.clone(), tends));
        let is_one_way = has(Tends::Up) != has(Tends::Down);
        let is_copied = copied.contains(&aligned.name) && dictionaries(aligned);
        let count = aligned.changes.len();
        aligned.changes.retain(|change| match change {
            Change::Dictionaries { .. } => !is_one_way || has(change.tends()),
            change => !is_copied || is_of_types(change),
        });
        if aligned.changes.len() < count && aligned.changes.is_empty() {
            aligned.changes.push(Change::Body);
        }
    }
}

/// True if a change is a cause that goes away once the types are known.
fn is_of_types(change: &Change) -> bool {
    matches!(change, Change::Cause { cause, .. } if OVERLOADED.contains(&cause.id))
}

/// Joins specialised copies that only one side has with their overloaded functions: on the other
/// side these did their work.
pub(super) fn join_copies(
    all: &[Aligned],
    sides: [&Side<'_>; 2],
    join: &mut dyn FnMut(usize, usize),
) {
    let is_copy = |aligned: &Aligned| {
        let sites = [aligned.before, aligned.after].into_iter().zip(sides);
        sites.into_iter().any(|(site, side)| site.is_some_and(|site| side.names.is_copy(site)))
    };
    let is_alone = |aligned: &Aligned| aligned.before.is_none() || aligned.after.is_none();
    let mut functions: HashMap<&str, usize> = HashMap::new();
    for (number, aligned) in all.iter().enumerate().filter(|(_, it)| !is_alone(it) && !is_copy(it))
    {
        functions.entry(&aligned.name).or_insert(number);
    }
    for (copy, aligned) in all.iter().enumerate().filter(|(_, it)| is_alone(it) && is_copy(it)) {
        if let Some(function) = functions.get(aligned.name.as_str()) {
            join(copy, *function);
        }
    }
}

/// Joins bindings that only changed because of the way functions are called with those functions:
/// dictionaries that came or went, and bindings whose calls differ but nothing else.
pub(super) fn join(all: &[Aligned], sides: [&Side<'_>; 2], join: &mut dyn FnMut(usize, usize)) {
    let site = |number: usize, side: usize| [all[number].before, all[number].after][side];
    let users = |number: usize| -> HashSet<(usize, Site)> {
        let used = (0..2).filter_map(|side| Some((side, site(number, side)?)));
        let users = |(side, site)| through(sides[side], site).map(move |user| (side, user));
        used.flat_map(users).collect()
    };
    let is_called = |number: &usize| all[*number].changes.iter().any(is_of_calls);
    let functions: Vec<(usize, HashSet<(usize, Site)>)> =
        (0..all.len()).filter(is_called).map(|number| (number, users(number))).collect();
    for (number, aligned) in all.iter().enumerate().filter(|(_, it)| !it.is_same()) {
        let is_passed = (0..2).any(|side| {
            let is_passed = |site| is_evidence(sides[side].names.program.name(site));
            site(number, side).is_some_and(is_passed)
        });
        let is_alone = aligned.before.is_none() || aligned.after.is_none();
        let is_weak = aligned.changes.iter().all(may_follow);
        if if is_passed { !is_alone } else { is_alone || !is_weak } {
            continue;
        }
        let own = if is_passed { users(number) } else { HashSet::new() };
        let follows = |of: &HashSet<(usize, Site)>| {
            let uses = |side| site(number, side).is_some_and(|site| of.contains(&(side, site)));
            if is_passed { own.iter().any(|user| of.contains(user)) } else { uses(0) && uses(1) }
        };
        let found = functions.iter().filter(|(it, of)| *it != number && follows(of));
        let found: Vec<usize> = found.map(|(it, _)| *it).collect();
        // A function may have several versions.
        if let Some(first) = found.first()
            && found.iter().all(|it| all[*it].name == all[*first].name)
        {
            join(number, *first);
        }
    }
}

/// True if a change may follow from the way another function is called: callers need not defer or
/// box an argument that is certainly needed.
fn may_follow(change: &Change) -> bool {
    match change {
        Change::Cause { cause, .. } => FOLLOWING.contains(&cause.id),
        Change::Unboxed { .. } | Change::Strict { .. } => true,
        Change::Split | Change::NoLongerSplit => true,
        change => change.weight() < OWN,
    }
}

/// True if a change is one of the way a function is called.
fn is_of_calls(change: &Change) -> bool {
    is_of_types(change)
        || matches!(
            change,
            Change::Dictionaries { .. }
                | Change::Unboxed { .. }
                | Change::Arity { of: None, .. }
                | Change::GivesFunction { .. }
                | Change::Continuation { .. }
        )
}

/// The users of a binding, directly or through dictionaries that contain it.
fn through(side: &Side<'_>, of: Site) -> impl Iterator<Item = Site> {
    let mut seen: HashSet<Site> = HashSet::from([of]);
    let mut waiting = vec![of];
    while let Some(site) = waiting.pop() {
        for user in side.users(site).iter().copied() {
            if seen.insert(user) && is_evidence(side.names.program.name(user)) {
                waiting.push(user);
            }
        }
    }
    seen.remove(&of);
    seen.into_iter()
}
