//! Methods stored with each value.
//!
//! A data type with a hidden type (`forall s. Shape s => AnyShape s`) keeps a dictionary of methods
//! beside each value. The methods are known only once the value is, so each is an unknown call,
//! with numbers in boxes.

use std::collections::HashSet;

use super::bound::Bound;
use super::cause::{Cause, Look, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::program::{Program, Site};
use crate::core::names::{Name, occurrence};
use crate::core::tree::{Expr, Id};

/// Methods stored with each value.
pub(super) static CAUSE: Cause = Cause {
    id: "existential-dictionary",
    title: "calls methods that each value brings along",
    about: "The values are of a type that hides another one, and each comes with the methods of a class \
            for it. A method is called through a pointer, its numbers are in boxes, and nothing of it \
            is inlined.",
    seed: "GHC User's Guide, existentially quantified data constructors",
    needs: &[],
    explains: 0.5,
    paid: Paid::Entries,
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    let found = look.sites().filter_map(|site| {
        let calls = calls(look.program, site);
        (!calls.is_empty()).then(|| finding(look.program, site, calls))
    });
    found.collect()
}

/// The calls of methods from dictionaries that patterns bind.
fn calls(program: &Program, site: Site) -> Vec<Id<Expr>> {
    let core = program.module_of(site).core();
    let right = program.binding(site).right;
    let mut dictionaries: HashSet<Name> = HashSet::new();
    for it in core.walk(right) {
        let Expr::Case(_, _, alternatives) = core.exprs[it] else { continue };
        for alternative in &core.alternatives[alternatives] {
            // The fields of a dictionary are methods and superclasses, and do not count.
            if let crate::core::tree::Pattern::Constructor(constructor) = alternative.pattern
                && !occurrence(core.text(constructor)).starts_with("C:")
            {
                let binders = core.binders[alternative.binders].iter().map(|it| it.name);
                dictionaries.extend(binders.filter(|name| core.text(*name).starts_with("$d")));
            }
        }
    }
    if dictionaries.is_empty() {
        return Vec::new();
    }
    let bound = Bound::from_core(core, right);
    let methods: HashSet<Name> =
        dictionaries.iter().flat_map(|dictionary| bound.parts(*dictionary)).collect();
    let calls = core.calls_within(right).into_iter().filter(|(_, call)| {
        let is_of_one = call.values.first().is_some_and(|first| {
            matches!(core.exprs[bound.behind(*first)],
                Expr::Variable(name) if dictionaries.contains(&name))
        });
        // Selecting a superclass does no work.
        methods.contains(&call.function)
            || is_of_one && !occurrence(core.text(call.function)).starts_with("$p")
    });
    calls.map(|(it, _)| it).collect()
}

fn finding(program: &Program, site: Site, calls: Vec<Id<Expr>>) -> Finding {
    /// More evidence adds nothing.
    const MOST_SHOWN: usize = 3;
    let name = in_source(program.name(site));
    let count = calls.len();
    let places = if count == 1 { "place" } else { "places" };
    Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: None,
        what: format!("`{name}` calls methods that a value brings along, in {count} {places}"),
        evidence: vec![Evidence {
            site,
            within: None,
            focus: calls.into_iter().take(MOST_SHOWN).collect(),
        }],
        remedy: Remedy {
            text: "make it a data type with a constructor for each kind of value, and tell them apart \
                   by `case`; where the kinds are not known, keep one list for each type"
                .to_owned(),
            change: None,
        },
        why: "The type is hidden on purpose: which methods are called is known only at run time."
            .to_owned(),
        basis: Basis { counters: vec!["UNKNOWN_CALL_ctr"], ..Basis::site(site) },
    }
}
