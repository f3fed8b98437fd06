//! Numbers that a loop passes to itself in boxes.
//!
//! GHC passes a number as a machine word if it is sure that the number is needed. Otherwise, each
//! round allocates a box for it.

use super::bound::{Bound, Loop, loops};
use super::boxed_elements::{BOXES, Boxed};
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Evidence, Finding, Only, Remedy};
use super::names::in_source;
use crate::core::Core;
use crate::core::tree::{Expr, Id};

/// Numbers that a loop passes to itself in boxes.
pub(super) static CAUSE: Cause = Cause {
    id: "boxed-argument",
    title: "passes itself numbers in boxes",
    about: "The loop computes a number and puts it into a box for the next round, which is allocated \
            and read again.",
    seed: "faster-winter, 1 (boxed and unboxed vectors); case a of the founding measurements",
    needs: &[Need::IdInfo],
    explains: 0.9,
    paid: Paid::Allocations,
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    let all = look.sites().flat_map(|site| loops(look.program, site));
    all.filter_map(|it| {
        let core = look.program.module_of(it.site).core();
        let boxes = boxes(core, &it);
        (!boxes.is_empty()).then(|| finding(core, &it, boxes))
    })
    .collect()
}

/// The boxes made for arguments of a loop's recursive calls; those of literals are made only once.
fn boxes(core: &Core, it: &Loop) -> Vec<Id<Expr>> {
    let bound = Bound::from_core(core, it.binding.right);
    // An argument that every round needs, but that is boxed anyway, is stored in its box in the
    // end.
    let values = it.calls.iter().flat_map(|(_, call)| {
        let numbered = call.values.iter().enumerate();
        numbered.filter(|(number, _)| it.is_lazy(core, *number)).map(|(_, value)| value)
    });
    let is_box = |value: &Id<Expr>| {
        core.call(*value).is_some_and(|call| {
            Boxed::by(core, call.function).is_some()
                && call.values.iter().any(|it| !matches!(core.exprs[*it], Expr::Literal(_)))
        })
    };
    values.map(|value| bound.behind(*value)).filter(is_box).collect()
}

fn finding(core: &Core, it: &Loop, boxes: Vec<Id<Expr>>) -> Finding {
    let name = in_source(core.text(it.name()));
    Finding {
        cause: &CAUSE,
        site: it.site,
        within: it.within,
        at: None,
        what: format!("`{name}` puts a number into a box for each next round"),
        evidence: vec![Evidence { site: it.site, within: it.within, focus: boxes }],
        remedy: Remedy {
            text: "let the loop need the number in every round: a bang on the parameter (`!n`), or a \
                   strict field where it is part of a data type; if it is a box because the function is \
                   polymorphic, SPECIALISE or INLINABLE"
                .to_owned(),
            change: None,
        },
        why: format!(
            "Some way through `{name}` does not need the number, or stores it; GHC unboxes only what \
             every way needs."
        ),
        basis: Basis {
            only: Some(Only::Constructors(&BOXES)),
            ..match it.within {
                Some(within) => Basis::part(it.site, within),
                None => Basis::site(it.site),
            }
        },
    }
}
