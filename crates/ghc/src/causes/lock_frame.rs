//! Locks taken and released around small pieces of work.
//!
//! `withMVar` and `modifyMVar` release the lock even if the work fails or is interrupted. For that
//! they change the masking state, allocate a handler, and put a frame on the stack, each time.

use super::cause::{Cause, Look, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::program::Site;
use crate::core::names::occurrence;
use crate::core::tree::{Expr, Id};

/// Locks taken and released around small pieces of work.
pub(super) static CAUSE: Cause = Cause {
    id: "lock-frame",
    title: "takes a lock, with a handler, for each piece of work",
    about: "The function takes an `MVar`, does its work under an exception handler, and puts the \
            `MVar` back. Handler and masking cost more than many a piece of work.",
    seed: "mvar-locking (52 s with `withMVar`, 20 s with a simpler lock, 10 s without handler)",
    needs: &[],
    explains: 0.5,
    // The code under the handler is a new closure each time; the entries also include those of any
    // other loop in the function.
    paid: Paid::Allocations,
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    look.sites().filter_map(|site| finding(look, site)).collect()
}

fn finding(look: &Look<'_>, site: Site) -> Option<Finding> {
    let core = look.program.module_of(site).core();
    let calls = core.calls_within(look.program.binding(site).right);
    let first = |of: &[&str]| -> Option<Id<Expr>> {
        let is_one = |name: &str| of.contains(&occurrence(name));
        calls.iter().find(|(_, call)| is_one(core.text(call.function))).map(|(it, _)| *it)
    };
    let focus = vec![first(&["takeMVar#"])?, first(&["catch#"])?, first(&["putMVar#"])?];
    let name = in_source(look.program.name(site));
    Some(Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: None,
        what: format!("`{name}` takes a lock and sets up an exception handler each time"),
        evidence: vec![Evidence { site, within: None, focus }],
        remedy: Remedy {
            text: "take the lock once for many pieces of work; for a single value, IORef with \
                   atomicModifyIORef'; where the MVar only guards data that is elsewhere, `MVar ()` with \
                   one handler and no masking"
                .to_owned(),
            change: None,
        },
        why: "Handler and masking keep the lock from being lost when a thread is interrupted; GHC may \
              not leave them out, even where that cannot happen."
            .to_owned(),
        basis: Basis::site(site),
    })
}
