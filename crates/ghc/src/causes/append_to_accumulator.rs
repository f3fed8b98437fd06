//! Lists that a loop extends at their end.
//!
//! `xs ++ ys` copies `xs`. A loop that appends to its accumulator copies it in every round, so the
//! work grows with the square of the number of rounds. If the list is not read before the end, the
//! appends stay in memory as a chain of thunks.

use std::collections::{BTreeMap, HashSet};

use super::bound::{Bound, Loop, bare, body, fields, loops};
use super::cause::{Cause, Look, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::program::Site;
use crate::core::Core;
use crate::core::names::{Name, module, occurrence, split_unique};
use crate::core::tree::{Alternative, Expr, Id};

/// Lists that a loop extends at their end.
pub(super) static CAUSE: Cause = Cause {
    id: "append-to-accumulator",
    title: "appends to its own accumulator",
    about: "Each round of the loop appends to what the rounds before have gathered, and copies all of \
            it, at once or when the end is looked at.",
    seed: "faster-winter, 3 (difference lists)",
    needs: &[],
    // The test pair, and case c of the founding measurements: 4147 MB without, 2 MB with a
    // difference list.
    explains: 0.99,
    // The copies are allocated by the library's `++`, which has no counters.
    paid: Paid::Entries,
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for site in look.sites() {
        let core = look.program.module_of(site).core();
        let mut loops = loops(look.program, site);
        loops.retain(|it| !appends(core, it).is_empty());
        found.extend(loops.iter().map(|it| finding(look, it)));
    }
    found.extend(copied(look).into_iter().map(|(caller, loops)| of_copies(look, caller, &loops)));
    found
}

/// The least mean length of a list that counts as growing. Arbitrary.
const LEAST_LENGTH: u64 = 8;

/// The loops that GHC makes of `xs ++ ys` if it knows `ys`, and that copy long lists, by the
/// binding that uses them most.
fn copied(look: &Look<'_>) -> BTreeMap<Site, Vec<Loop>> {
    let program = look.program;
    let own = |site, part| look.costs.own_entries(program, site, part).unwrap_or(0);
    let mut copied: BTreeMap<Site, Vec<Loop>> = BTreeMap::new();
    for it in look.sites().flat_map(|site| loops(program, site)) {
        let module = program.module_of(it.site);
        if !copies_to_its_end(module.core(), &it) {
            continue;
        }
        let users = module.graph.users(it.name());
        let users = users.filter_map(|user| module.top(module.core().bindings[user.binding].name));
        let users = users.filter(|top| *top != it.site.top).map(|top| Site { top, ..it.site });
        let user = match it.within {
            Some(_) => Some(it.site),
            None => users.max_by_key(|user| own(*user, None)),
        };
        let Some(user) = user else { continue };
        if own(it.site, it.within) >= LEAST_LENGTH * own(user, None).max(1) {
            copied.entry(user).or_default().push(it);
        }
    }
    copied
}

/// True if a function returns its list with something else at the end: `[] -> end` and
/// `y : ys -> y : itself ys`.
fn copies_to_its_end(core: &Core, it: &Loop) -> bool {
    let [parameter] = it.parameters[..] else { return false };
    let Expr::Case(of, _, alternatives) = core.exprs[bare(core, body(core, &it.binding))] else {
        return false;
    };
    let is = |value: Id<Expr>, name: Name| matches!(core.exprs[bare(core, value)], Expr::Variable(it) if it == name);
    let goes_on = |alternative: &Alternative| {
        let parts: Vec<Name> = core.binders[alternative.binders].iter().map(|it| it.name).collect();
        let [first, rest] = parts[..] else { return false };
        let built = fields(core, bare(core, alternative.right)).unwrap_or_default();
        let [head, tail] = built[..] else { return false };
        let is_itself = core.call(tail).is_some_and(|call| {
            call.function == it.name() && call.values.iter().any(|value| is(*value, rest))
        });
        is(head, first) && is_itself
    };
    is(of, parameter.name) && core.alternatives[alternatives].iter().any(goes_on)
}

fn of_copies(look: &Look<'_>, caller: Site, loops: &[Loop]) -> Finding {
    let name = in_source(look.program.name(caller));
    Finding {
        site: caller,
        within: None,
        what: format!("`{name}` appends to lists, and copies all that is in them each time"),
        evidence: loops
            .iter()
            .map(|it| Evidence { site: it.site, within: it.within, focus: Vec::new() })
            .collect(),
        basis: Basis {
            sites: loops.iter().filter(|it| it.within.is_none()).map(|it| it.site).collect(),
            parts: loops.iter().filter_map(|it| Some((it.site, it.within?))).collect(),
            ..Basis::default()
        },
        ..remedied(caller)
    }
}

/// The calls within a loop that append to one of its parameters, or to a field of one, and pass the
/// result in the same position to the next round.
fn appends(core: &Core, it: &Loop) -> Vec<Id<Expr>> {
    let bound = Bound::from_core(core, it.binding.right);
    let mut found = Vec::new();
    for (_, call) in &it.calls {
        for (value, parameter) in call.values.iter().zip(&it.parameters) {
            let value = bound.behind(*value);
            if appends_to(core, &bound, value, &bound.aliases(parameter.name)) {
                found.push(value);
                continue;
            }
            let constructor = core.call(value).map(|it| it.function);
            let fields = fields(core, value).unwrap_or_default();
            for (number, field) in fields.into_iter().enumerate() {
                let field = bound.behind(field);
                let places = bound.fields(parameter.name, constructor, number);
                if appends_to(core, &bound, field, &places) {
                    found.push(field);
                }
            }
        }
    }
    found
}

fn appends_to(core: &Core, bound: &Bound<'_>, it: Id<Expr>, names: &HashSet<Name>) -> bool {
    let left = appended(core, it).map(|left| core.exprs[bound.behind(left)]);
    matches!(left, Some(Expr::Variable(name)) if names.contains(&name))
}

/// The left operand, if an expression is an append.
pub(super) fn appended(core: &Core, it: Id<Expr>) -> Option<Id<Expr>> {
    let call = core.call(it)?;
    let name = core.text(call.function);
    // An imported name may come without its module, or with another word for it.
    let is_local = split_unique(name).is_some();
    let is_append = match occurrence(name) {
        "++" => true,
        "append" | "snoc" | "$fSemigroupByteString_$c<>" => module(name).is_some(),
        _ => false,
    };
    (is_append && !is_local).then(|| call.values.first().copied()).flatten()
}

fn finding(look: &Look<'_>, it: &Loop) -> Finding {
    let core = look.program.module_of(it.site).core();
    let name = in_source(core.text(it.name()));
    Finding {
        within: it.within,
        what: format!(
            "each round of `{name}` appends to what it has gathered, which copies all of it"
        ),
        evidence: vec![Evidence { site: it.site, within: it.within, focus: appends(core, it) }],
        basis: match it.within {
            Some(within) => Basis::part(it.site, within),
            None => Basis::site(it.site),
        },
        ..remedied(it.site)
    }
}

/// The parts that all findings have in common.
fn remedied(site: Site) -> Finding {
    Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: None,
        what: String::new(),
        evidence: Vec::new(),
        remedy: Remedy {
            text: "gather the other way round: put new elements in front and `reverse` at the end, or \
                   keep a difference list (`[a] -> [a]`, with `.` for `++` and `(x :)` for `[x]`; \
                   `Endo [a]` for a `Writer`); for text a Builder, for access from both ends \
                   Data.Sequence"
                .to_owned(),
            change: None,
        },
        why: "GHC does not change data structures: `++` is strict in its left list, and nothing tells \
              GHC that only the end result is wanted."
            .to_owned(),
        basis: Basis::default(),
    }
}
