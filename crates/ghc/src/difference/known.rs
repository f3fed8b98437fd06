//! Known causes of cost that came or went.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::change::Change;
use super::compare::{Aligned, is_evidence, is_specialised};
use super::facts::Facts;
use crate::causes::{Cause, Program, Site, examine};

/// A cause by its name in data, and the function of the source in which it shows.
type Key<'a> = (&'static str, &'a str);

/// The cause that only goes away together with the dictionaries.
const OVERLOADED_LOOP: &str = "overloaded-loop";

/// The cause that other changes may bring along.
const FUNCTION_ARGUMENT: &str = "function-argument";

/// Adds to each binding the causes that show in it on one side only. An unchanged binding gets
/// none.
pub(super) fn add(bindings: &mut [Aligned], programs: [&Program; 2]) {
    let mut sides = [0, 1].map(|side| shown(bindings, side, programs[side]));
    let sites = |number: usize| [bindings[number].before, bindings[number].after];
    for (side, other) in [(0, 1), (1, 0)] {
        // With a copy for some types, another finding replaces this one, though it still loops.
        sides[side].retain(|_, (number, cause)| {
            let there = sites(*number)[other];
            let is_overloaded = there
                .is_some_and(|site| Facts::from_binding(programs[other], site).dictionaries > 0);
            let name = &bindings[*number].name;
            let has_copy = || {
                let named = bindings.iter().filter(|it| it.name == *name);
                let mut sites = named.filter_map(|it| [it.before, it.after][other]);
                sites.any(|site| is_specialised(programs[other].name(site)))
            };
            cause.id != OVERLOADED_LOOP || !(is_overloaded || has_copy())
        });
    }
    let mut found = Vec::new();
    for (side, (here, there)) in [(&sides[0], &sides[1]), (&sides[1], &sides[0])].iter().enumerate()
    {
        let alone = here.iter().filter(|(key, _)| !there.contains_key(*key));
        found.extend(alone.map(|(_, (number, cause))| (*number, *cause, side == 1)));
    }
    let known = |side: usize| -> HashSet<String> {
        let there = bindings.iter().filter(|it| [it.before, it.after][side].is_some());
        there.map(|it| it.name.clone()).collect()
    };
    let names = [known(0), known(1)];
    // A cause in a worker is reported for its function, if that is only split on one side.
    for (number, _, now) in &mut found {
        let worker = &bindings[*number];
        let site = [worker.before, worker.after][usize::from(*now)];
        let is_copy = site.is_some_and(|it| is_specialised(programs[usize::from(*now)].name(it)));
        let is_function = |it: &Aligned| {
            it.before.is_some() && it.after.is_some() && !it.is_same() && it.name == worker.name
        };
        if !is_copy && (worker.before.is_none() || worker.after.is_none()) {
            *number = bindings.iter().position(is_function).unwrap_or(*number);
        }
    }
    // A new copy of an existing function is not news about it.
    found.retain(|(number, _, now)| {
        let it = &bindings[*number];
        let is_alone = it.before.is_none() || it.after.is_none();
        let program = programs[usize::from(*now)];
        let site = [it.before, it.after][usize::from(*now)];
        let is_passed = site.is_some_and(|site| is_evidence(program.name(site)));
        !(is_alone && (is_passed || names[usize::from(!*now)].contains(&it.name)))
    });
    // A function may be passed as a consequence of the other changes.
    found.sort_by_key(|(number, cause, _)| (*number, cause.id == FUNCTION_ARGUMENT));
    for (number, cause, now) in found {
        bindings[number].changes.retain(|change| *change != Change::Body);
        let whole = bindings[number].before.is_none() || bindings[number].after.is_none();
        bindings[number].changes.push(Change::Cause { cause, now, whole });
    }
}

/// By cause and function: the first binding in which it shows.
fn shown<'a>(
    bindings: &'a [Aligned],
    side: usize,
    program: &Program,
) -> BTreeMap<Key<'a>, (usize, &'static Cause)> {
    let site_of = |aligned: &Aligned| [aligned.before, aligned.after][side];
    let numbers: HashMap<Site, usize> =
        bindings.iter().enumerate().filter_map(|(at, it)| Some((site_of(it)?, at))).collect();
    let mut shown = BTreeMap::new();
    for ranked in examine(program).ranked.iter().filter(|ranked| !ranked.is_minor()) {
        let cause = ranked.finding.cause;
        if let Some(number) = numbers.get(&ranked.finding.site) {
            let key = (cause.id, bindings[*number].name.as_str());
            shown.entry(key).or_insert((*number, cause));
        }
    }
    let is_changed = |(number, _): &(usize, &'static Cause)| !bindings[*number].is_same();
    // A cause in an unchanged binding shows on both sides, or is due to others.
    shown.retain(|_, it| is_changed(it));
    shown
}
