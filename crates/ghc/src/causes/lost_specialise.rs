//! SPECIALISE pragmas that do not take effect at a use of the function.
//!
//! The pragma makes a copy of an overloaded function for one type, and a rewrite rule that puts the
//! copy in place of the function. If the rule does not fire, the copy is useless: either the
//! function is used at another type, or it was inlined before the rule was tried.

use std::collections::HashSet;

use super::cause::{Cause, Look, Need, Paid};
use super::dictionaries::{Known, implementation_of, known_dictionaries};
use super::examine::{Basis, Change, Evidence, Finding, Remedy};
use super::names::in_source;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::occurrence;
use crate::core::tree::{Attribute, Rule, RuleBody, Type};

/// SPECIALISE pragmas that do not take effect at a use of the function.
pub(super) static CAUSE: Cause = Cause {
    id: "lost-specialise",
    title: "has a SPECIALISE that is not used",
    about: "There is a copy of the function for one type, by a SPECIALISE pragma, but a caller that \
            knows its type still uses the general function, and passes it a dictionary.",
    seed: "faster-winter, 2 (SPECIALIZE); case b of the founding measurements: with GHC 9.0.2 the rule \
           never fires for a function whose result is a newtype",
    needs: &[Need::IdInfo],
    explains: 0.95,
    paid: Paid::Allocations,
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    let mut told = HashSet::new();
    let all = all(look).into_iter();
    all.filter(|use_| told.insert((use_.callee, use_.caller)))
        .filter_map(|use_| finding(look.program, &use_))
        .collect()
}

/// The calls of functions with a SPECIALISE pragma that still pass a dictionary.
pub(super) fn all(look: &Look<'_>) -> Vec<Known> {
    let mut known = known_dictionaries(look);
    known.retain(|use_| pragma(look.program, use_.callee).is_some());
    known
}

/// The rule of a SPECIALISE pragma for a function, or for its wrapper.
fn pragma(program: &Program, site: Site) -> Option<&Rule> {
    let of = |site: Site| {
        let dump = &program.module_of(site).dump;
        let core = &dump.core;
        let name = in_source(program.name(site));
        let info = &core.attributes[program.binding(site).info];
        let rules = info.iter().filter_map(|attribute| match attribute {
            Attribute::Rules(rules) => Some(&core.rules[*rules]),
            _ => None,
        });
        // The compiler's own specialisations have the type in the rule's name, or the module.
        let at_end = dump.passes.last().map_or(&[][..], |pass| &core.rules[pass.rules]);
        rules.flatten().chain(at_end).find(|rule| {
            let rule = core.text(rule.name);
            let by_hand = rule.strip_prefix("USPEC ").map(|it| it.split(' ').next().unwrap_or(it));
            by_hand.or_else(|| rule.strip_prefix("SPEC ")) == Some(name)
        })
    };
    of(site).or_else(|| implementation_of(program, site).and_then(of))
}

/// The instances that a rule applies to, in GHC's notation: the class followed by its types.
fn instances(core: &Core, rule: &Rule) -> Vec<String> {
    let RuleBody::Rewrite(rewrite) = rule.body else { return Vec::new() };
    let binders = &core.binders[core.rewrites[rewrite].binders];
    let of_type = |binder: &crate::core::tree::Binder| {
        let Type::Apply(class, types) = core.types[binder.signature?] else { return None };
        let word = |it| match core.types[it] {
            Type::Name(name) => Some(occurrence(core.text(name)).to_owned()),
            _ => None,
        };
        let types: Option<Vec<String>> =
            core.type_lists[types].iter().map(|it| word(*it)).collect();
        Some(format!("{} {}", word(class)?, types?.join(" ")))
    };
    binders.iter().filter_map(of_type).collect()
}

fn finding(program: &Program, use_: &Known) -> Option<Finding> {
    let callee_module = program.module_of(use_.callee);
    let rule = pragma(program, use_.callee)?;
    let instances = instances(callee_module.core(), rule);
    let name = in_source(program.name(use_.callee));
    let caller = program.shown_name(use_.caller);
    let dictionary = use_.dictionaries.first()?;
    let is_for = |instance: &String| {
        dictionary.strip_prefix("$f").is_some_and(|it| it.starts_with(&instance.replace(' ', "")))
    };
    let is_same = instances.iter().any(is_for);
    let made_for = if instances.is_empty() { "one type".to_owned() } else { instances.join(", ") };
    let why = if is_same {
        format!(
            "The rule that replaces `{name}` by the copy is tried only where `{name}` still stands; a \
             wrapper that is inlined first, such as that of a newtype, takes its place."
        )
    } else {
        "A SPECIALISE pragma is for the types that it names, and no others.".to_owned()
    };
    Some(Finding {
        cause: &CAUSE,
        site: use_.callee,
        within: None,
        at: None,
        what: format!(
            "`{name}` has a SPECIALISE for {made_for}, but `{caller}` passes the general one `{dictionary}`"
        ),
        evidence: vec![
            Evidence { site: use_.caller, within: None, focus: vec![use_.call] },
            Evidence { site: use_.callee, within: None, focus: Vec::new() },
        ],
        remedy: Remedy {
            text: format!(
                "`{{-# INLINABLE {name} #-}}` in place of the SPECIALISE, so that each module that uses \
                 `{name}` makes the copy that it needs{}",
                if is_same { "" } else { "; or a SPECIALISE for the type that is used" }
            ),
            change: Some(Change::Pragma {
                module: callee_module.name.clone(),
                binding: name.to_owned(),
                pragma: format!("INLINABLE {name}"),
            }),
        },
        why,
        basis: Basis { counters: vec!["UNKNOWN_CALL_ctr"], ..Basis::site(use_.callee) },
    })
}
