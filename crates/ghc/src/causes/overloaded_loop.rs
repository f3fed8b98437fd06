//! Loops that receive the operations of their types as arguments.
//!
//! A function with a class constraint takes a dictionary: the class's methods for the type at hand.
//! Each method is an unknown call, with arguments and results in boxes, and in a monad each step of
//! a `do` block is one. GHC makes a copy for a known type, a specialisation, only if it sees the
//! function's definition.

use std::collections::{HashMap, HashSet};

use super::bound::{Bound, is_primitive, loops, parameters};
use super::cause::{Cause, Look, Need, Paid};
use super::dictionaries::{classes, implementation_of, known_dictionaries};
use super::examine::{Basis, Change, Evidence, Finding, Remedy};
use super::names::in_source;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::{Name, occurrence};
use crate::core::tree::{Binder, Expr, Id, Key, Type};

/// Loops that receive the operations of their types as arguments.
pub(super) static CAUSE: Cause = Cause {
    id: "overloaded-loop",
    title: "loops over methods that it is passed",
    about: "The loop is written for any type of a class, and runs that way: it is passed a dictionary \
            of methods, and calls them without knowing them.",
    seed: "faster-winter, 2 (SPECIALIZE)",
    needs: &[Need::IdInfo],
    // Case b of the founding measurements: 97 % of the allocations.
    explains: 0.95,
    paid: Paid::Allocations,
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    let lost: HashSet<Site> =
        super::lost_specialise::all(look).into_iter().map(|it| it.callee).collect();
    let mut known: HashMap<Site, Vec<String>> = HashMap::new();
    for use_ in known_dictionaries(look) {
        known.entry(use_.callee).or_default().extend(use_.dictionaries);
    }
    look.sites()
        .filter(|site| !lost.contains(site) && is_overloaded(program, *site))
        .filter(|site| {
            program.module_of(*site).is_recursive(site.top) || !loops(program, *site).is_empty()
        })
        // The general version remains beside its specialisations, but unused.
        .filter(|site| known.contains_key(site) || was_entered(look, *site))
        .filter_map(|site| {
            let calls = method_calls(program, site);
            let dictionaries = known.get(&site).map_or(&[][..], Vec::as_slice);
            (!calls.is_empty()).then(|| finding(program, site, calls, dictionaries))
        })
        .collect()
}

fn was_entered(look: &Look<'_>, site: Site) -> bool {
    look.costs.site(site).entries.is_some_and(|entries| entries > 0)
}

/// True if a function receives the methods of a class in its type.
pub(super) fn is_overloaded(program: &Program, site: Site) -> bool {
    !classes(program, site).is_empty() && !method_calls(program, site).is_empty()
}

/// The calls of methods: those selected from a dictionary, or a dictionary's fields if GHC passes
/// them one by one, as it does up to 9.0.
pub(super) fn method_calls(program: &Program, site: Site) -> Vec<Id<Expr>> {
    let core = program.module_of(site).core();
    let binding = program.binding(site);
    let bound = Bound::from_core(core, binding.right);
    let parameters = parameters(core, binding);
    let mut dictionaries: HashSet<Name> = HashSet::new();
    let mut methods: HashSet<Name> = HashSet::new();
    let classes = classes(program, site);
    // A worker's parameters have lost their names, but not their types.
    let is_dictionary_type = |parameter: &Binder| {
        let class = parameter.signature.and_then(|it| head(core, it));
        class.is_some_and(|class| classes.iter().any(|it| it == class))
    };
    for parameter in &parameters {
        let is_dictionary = core.text(parameter.name).starts_with("$d");
        if is_dictionary || is_dictionary_type(parameter) {
            dictionaries.insert(parameter.name);
            methods.extend(bound.parts(parameter.name));
        } else if core.text(parameter.name).starts_with("ww") && is_polymorphic(core, parameter) {
            methods.insert(parameter.name);
        }
    }
    let calls = core.calls_within(binding.right).into_iter().filter(|(_, call)| {
        let is_selector = || {
            let name = core.text(call.function);
            let is_of_dictionary = call
                .values
                .first()
                .is_some_and(|it| is_dictionary(core, &bound, &dictionaries, *it));
            // Selecting a superclass does no work.
            is_of_dictionary
                && !occurrence(name).starts_with("$p")
                && !is_primitive(name)
                && call.function != binding.name
                && program.site_of(site.module, call.function).is_none_or(|called| {
                    let callee = program.module_of(called).core();
                    // The class's selectors, but not functions that only receive the dictionary.
                    callee
                        .attribute(program.binding(called).info, Key::Details)
                        .is_some_and(|details| details.contains("ClassOp"))
                })
        };
        methods.contains(&call.function) || is_selector()
    });
    calls.map(|(it, _)| it).collect()
}

/// True if an expression is one of some dictionaries, or a superclass of one.
fn is_dictionary(
    core: &Core,
    bound: &Bound<'_>,
    dictionaries: &HashSet<Name>,
    it: Id<Expr>,
) -> bool {
    /// The depth of superclasses is small.
    const DEEPEST: usize = 20;
    let mut it = it;
    for _ in 0..DEEPEST {
        it = bound.behind(it);
        if let Expr::Variable(name) = core.exprs[it] {
            return dictionaries.contains(&name);
        }
        let Some(call) = core.call(it) else { return false };
        if !occurrence(core.text(call.function)).starts_with("$p") {
            return false;
        }
        let Some(first) = call.values.first() else { return false };
        it = *first;
    }
    false
}

/// The type constructor at the head of a type, if any, without its module.
fn head(core: &Core, it: Id<Type>) -> Option<&str> {
    match core.types[it] {
        Type::Name(name) => Some(occurrence(core.text(name))),
        Type::Apply(function, _) => head(core, function),
        _ => None,
    }
}

/// True if a parameter is a function at types chosen by the caller.
fn is_polymorphic(core: &crate::core::Core, parameter: &Binder) -> bool {
    parameter.signature.is_some_and(|it| {
        matches!(core.types[it], Type::Forall(..) | Type::Function(..) | Type::Linear(..))
    })
}

fn finding(
    program: &Program,
    site: Site,
    calls: Vec<Id<Expr>>,
    dictionaries: &[String],
) -> Finding {
    /// More evidence adds nothing.
    const MOST_SHOWN: usize = 3;
    let module = program.module_of(site);
    let name = in_source(program.name(site));
    let count = calls.len();
    let classes = classes(program, site).join(", ");
    let of_wrapper = implementation_of(program, site).unwrap_or(site);
    let core = module.core();
    let pragma = core.attribute(program.binding(of_wrapper).notes, Key::Inline).unwrap_or_default();
    let is_open = pragma.contains("INLINABLE");
    let used_at = match dictionaries.first() {
        Some(first) => format!("; it is used with `{first}`"),
        None => String::new(),
    };
    let remedy = if is_open {
        Remedy {
            text: format!(
                "`{name}` is INLINABLE already: see that its callers know the type, or give it a \
                 signature with one type"
            ),
            change: None,
        }
    } else {
        Remedy {
            text: format!(
                "`{{-# INLINABLE {name} #-}}`, so that modules that use it make a copy for their type; or \
                 a SPECIALISE pragma for the type, or a signature with one type"
            ),
            change: Some(Change::Pragma {
                module: module.name.clone(),
                binding: name.to_owned(),
                pragma: format!("INLINABLE {name}"),
            }),
        }
    };
    Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: None,
        what: format!(
            "`{name}` is a loop for any {classes}, and calls methods that it is passed in {count} {}\
             {used_at}",
            if count == 1 { "place" } else { "places" }
        ),
        evidence: vec![Evidence {
            site,
            within: None,
            focus: calls.into_iter().take(MOST_SHOWN).collect(),
        }],
        remedy,
        why: "GHC specialises a function by itself where it is defined; for other modules only when its \
              text is kept with it, which INLINABLE does."
            .to_owned(),
        basis: Basis { counters: vec!["UNKNOWN_CALL_ctr"], ..Basis::site(site) },
    }
}
