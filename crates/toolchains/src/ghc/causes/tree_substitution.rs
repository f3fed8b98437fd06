//! Binds that walk the tree that was built so far.
//!
//! A free monad's bind replaces the ends of a tree by other trees: it goes down to them and builds up
//! again all that is above. Where binds are nested to the left, as in loops that go on from a result,
//! each walks what all before have built, so that the work grows with the square of their number.

use std::collections::HashSet;

use super::bound::{Bound, is_constructor};
use super::cause::{Cause, Look, Paid};
use super::finding::{Basis, Evidence, Finding, Remedy};
use super::loops::{Loop, loops};
use super::names::in_source;
use super::program::Program;
use super::tails::ends;
use crate::ghc::core::arena::Id;
use crate::ghc::core::names::Name;
use crate::ghc::core::occurrence::occurrence;
use crate::ghc::core::tree::{Alternative, Expr, Pattern};

/// Binds that walk the tree that was built so far.
pub(super) static CAUSE: Cause = Cause {
    id: "tree-substitution",
    title: "walks the tree built so far to replace its ends",
    about: "The function goes down a tree to its ends, calls a function there, and builds the tree up \
            again. As the bind of a free monad it does so once for each step that follows.",
    seed: "Voigtländer, Asymptotic Improvement of Computations over Free Monads (MPC 2008)",
    needs: &[],
    explains: 0.97,
    paid: Paid::Entries,
    find,
};

/// A bind that takes a smaller share of all entries goes down no deep trees. Arbitrary.
const LEAST_ENTRIES: f64 = 0.2;

fn find(look: &Look<'_>) -> Vec<Finding> {
    let all = look.sites().flat_map(|site| loops(look.program, site));
    all.filter(|it| {
        let share = look.costs.site(it.site).entry_share;
        share.is_none_or(|share| share >= LEAST_ENTRIES)
    })
    .filter_map(|it| {
        let walks = walks(look.program, &it);
        (!walks.is_empty()).then(|| finding(look.program, &it, walks))
    })
    .collect()
}

/// The calls of itself, put off, with which a function fills the constructor that it has taken apart;
/// none where it does not call one of its parameters with what another constructor holds.
fn walks(program: &Program, it: &Loop) -> Vec<Id<Expr>> {
    let core = program.module_of(it.site).core();
    let bound = Bound::of(core, it.binding.right);
    let parameters: HashSet<Name> = it.parameters.iter().map(|it| it.name).collect();
    let mut found = Vec::new();
    for case in core.walk(it.binding.right) {
        let Expr::Case(of, _, alternatives) = core.exprs[case] else { continue };
        let Expr::Variable(taken) = core.exprs[bound.behind(of)] else { continue };
        if !parameters.contains(&taken) {
            continue;
        }
        let alternatives = &core.alternatives[alternatives];
        let ends_here = |alternative: &Alternative| {
            let fields: HashSet<Name> =
                core.binders[alternative.binders].iter().map(|it| it.name).collect();
            let ends = ends(core, alternative.right);
            core.calls_within(alternative.right).iter().any(|(it, call)| {
                ends.contains(it)
                    && parameters.contains(&call.function)
                    && call.values.iter().any(|value| bound.uses(*value, &fields))
            })
        };
        let (ending, going_on): (Vec<&Alternative>, Vec<&Alternative>) =
            alternatives.iter().partition(|it| ends_here(it));
        for alternative in going_on.iter().filter(|_| !ending.is_empty()) {
            let Pattern::Constructor(constructor) = alternative.pattern else { continue };
            let constructor = occurrence(core.text(constructor));
            let calls = core.calls_within(alternative.right);
            let is_built = calls.iter().any(|(_, call)| {
                let name = core.text(call.function);
                is_constructor(name) && occurrence(name).trim_start_matches("$W") == constructor
            });
            let own = calls.iter().filter(|(_, call)| call.function == it.name());
            found.extend(own.filter(|_| is_built).map(|(call, _)| *call));
        }
    }
    found
}

fn finding(program: &Program, it: &Loop, walks: Vec<Id<Expr>>) -> Finding {
    let core = program.module_of(it.site).core();
    let name = in_source(core.text(it.name()));
    Finding {
        cause: &CAUSE,
        site: it.site,
        within: it.within,
        at: None,
        what: format!("`{name}` goes down to the ends of a tree, and builds it up again around them"),
        evidence: vec![Evidence { site: it.site, within: it.within, focus: walks }],
        remedy: Remedy {
            text: "build the tree once: take what follows as an argument (Codensity, or the Church \
                   encoding of `Control.Monad.Free.Church`), or nest binds to the right"
                .to_owned(),
            change: None,
        },
        why: "Which step follows is known only at the ends, and GHC does not change how binds are nested."
            .to_owned(),
        basis: match it.within {
            Some(within) => Basis::part(it.site, within),
            None => Basis::site(it.site),
        },
    }
}
