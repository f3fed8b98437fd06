//! Arrays that are copied for every element that changes.
//!
//! An immutable array in a mutable cell: each write makes a new array with all elements of the old
//! one, and puts it into the cell.

use super::cause::{Cause, Look, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::overloaded_loop::method_calls;
use super::program::Site;
use crate::core::names::occurrence;
use crate::core::tree::{Expr, Id};

/// Arrays that are copied for every element that changes.
pub(super) static CAUSE: Cause = Cause {
    id: "copy-on-write",
    title: "copies an array for each write",
    about: "The function makes a new array, copies an old one into it, changes it, and puts it where \
            the old one was. All elements are copied for the few that change.",
    seed: "faster-winter, 1 (vectors)",
    needs: &[],
    // Case a of the founding measurements: 4203 MB before, 2.5 MB after.
    explains: 0.99,
    // Arrays are allocated by the runtime, which has no closure counters.
    paid: Paid::Entries,
    find,
};

/// Operations that make an array to be filled in.
const NEW: [&str; 4] = ["newArray#", "newSmallArray#", "newByteArray#", "newPinnedByteArray#"];
/// Operations that copy many elements into a mutable array.
const COPY: [&str; 5] = [
    "copyArray#",
    "copySmallArray#",
    "copyByteArray#",
    "copyMutableArray#",
    "copyMutableByteArray#",
];
/// Operations that do both.
const THAW: [&str; 2] = ["thawArray#", "thawSmallArray#"];
/// Operations that read one element; in a loop, they copy.
const READ: [&str; 2] = ["indexArray#", "readArray#"];
/// Operations that end the changes.
const FREEZE: [&str; 3] =
    ["unsafeFreezeArray#", "unsafeFreezeSmallArray#", "unsafeFreezeByteArray#"];
/// Operations that store the array.
const STORE: [&str; 4] =
    ["writeMutVar#", "atomicModifyMutVar2#", "atomicModifyMutVar_#", "putMVar#"];

fn find(look: &Look<'_>) -> Vec<Finding> {
    look.sites().filter_map(|site| finding(look, site)).collect()
}

fn finding(look: &Look<'_>, site: Site) -> Option<Finding> {
    let core = look.program.module_of(site).core();
    let binding = look.program.binding(site);
    let calls = core.calls_within(binding.right);
    let first = |of: &[&str]| -> Option<Id<Expr>> {
        let is_one = |name: &str| of.contains(&occurrence(name));
        calls.iter().find(|(_, call)| is_one(core.text(call.function))).map(|(it, _)| *it)
    };
    // In code for any monad, the store is a method passed to it.
    let by_method = || method_calls(look.program, site).first().copied();
    let stored = first(&STORE).or_else(by_method)?;
    let copied = match first(&THAW) {
        Some(thawed) => vec![thawed],
        None => {
            let one_by_one = || {
                let is_loop = core
                    .walk(binding.right)
                    .any(|it| matches!(core.exprs[it], Expr::Let(kind, ..) if kind.is_recursive()));
                first(&READ).filter(|_| is_loop)
            };
            vec![first(&NEW)?, first(&COPY).or_else(one_by_one)?]
        }
    };
    // Without it the new array stays mutable: a larger one in place of a full one.
    first(&FREEZE)?;
    let name = in_source(look.program.name(site));
    let mut focus = copied;
    focus.push(stored);
    Some(Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: None,
        what: format!("`{name}` copies a whole array to change it, and stores the copy"),
        evidence: vec![Evidence { site, within: None, focus }],
        remedy: Remedy {
            text: "keep an array that can be changed in place: IOArray, STUArray, \
                   Data.Vector.Unboxed.Mutable; where old versions are needed, Data.IntMap or \
                   Data.Sequence share what did not change"
                .to_owned(),
            change: None,
        },
        why:
            "The old array may still be used elsewhere, so GHC may not change it; it has no way to \
              know that nobody else has it."
                .to_owned(),
        basis: Basis { counters: vec!["ALLOC_PRIM_gds"], ..Basis::site(site) },
    })
}
