//! Numbers that a loop keeps in mutable references.
//!
//! An `IORef`, `STRef` or `TVar` points to a value, so a number in one is in a box. A loop that
//! counts in references allocates a box for each change, writes a pointer to it, and notifies the
//! collector.

use super::bound::{Bound, loops};
use super::boxed_elements::{BOXES, Boxed};
use super::cause::{Cause, Look, Paid};
use super::examine::{Basis, Evidence, Finding, Only, Remedy};
use super::program::{Program, Site};
use crate::core::names::occurrence;
use crate::core::tree::{Expr, Id};

/// Numbers that a loop keeps in mutable references.
pub(super) static CAUSE: Cause = Cause {
    id: "boxed-reference",
    title: "keeps numbers in mutable references",
    about: "The loop reads a number from an `IORef`, `STRef` or `TVar`, and writes another one in a new \
            box. A number that is passed from round to round stays in a register.",
    seed: "Data.STRef: a reference holds a pointer to a boxed value",
    needs: &[],
    explains: 0.9,
    paid: Paid::Allocations,
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    let is_loop = |site: &Site| {
        program.module_of(*site).is_recursive(site.top) || !loops(program, *site).is_empty()
    };
    let sites = look.sites().filter(is_loop);
    sites
        .filter_map(|site| {
            let written = written(program, site);
            (!written.is_empty()).then(|| finding(program, site, written))
        })
        .collect()
}

/// The writes of boxes made for the write; those of literals are made only once.
fn written(program: &Program, site: Site) -> Vec<Id<Expr>> {
    let core = program.module_of(site).core();
    let binding = program.binding(site);
    let bound = Bound::from_core(core, binding.right);
    let is_box = |it: Id<Expr>| {
        core.call(bound.behind(it)).is_some_and(|call| {
            Boxed::by(core, call.function).is_some()
                && call.values.iter().any(|it| !matches!(core.exprs[*it], Expr::Literal(_)))
        })
    };
    let calls = core.calls_within(binding.right).into_iter().filter(|(_, call)| {
        let name = occurrence(core.text(call.function));
        matches!(name, "writeMutVar#" | "writeTVar#" | "atomicWriteMutVar#")
            && call.values.get(1).is_some_and(|value| is_box(*value))
    });
    calls.map(|(it, _)| it).collect()
}

fn finding(program: &Program, site: Site, written: Vec<Id<Expr>>) -> Finding {
    /// More evidence adds nothing.
    const MOST_SHOWN: usize = 3;
    // The written value is computed around the write, and its location may be elsewhere.
    let names = |line: &str| line.contains("Ref") || line.contains("Var");
    let at = written.first().and_then(|it| program.location_of_use(site, *it, names));
    let name = program.name_at(site, at.as_ref()).to_owned();
    let count = written.len();
    let places = if count == 1 { "place" } else { "places" };
    Finding {
        cause: &CAUSE,
        site,
        within: None,
        at,
        what: format!(
            "`{name}` writes numbers into mutable references in {count} {places}, each in a new box"
        ),
        evidence: vec![Evidence {
            site,
            within: None,
            focus: written.into_iter().take(MOST_SHOWN).collect(),
        }],
        remedy: Remedy {
            text: "pass the numbers as arguments of the loop, with bangs; where they must be \
                   references, an unboxed array of one element (STUArray, IOUArray) holds them without \
                   boxes"
                .to_owned(),
            change: None,
        },
        why: "A reference can hold any value, so it holds a pointer; GHC does not turn references into \
              arguments."
            .to_owned(),
        basis: Basis { only: Some(Only::Constructors(&BOXES)), ..Basis::site(site) },
    }
}
