//! Binds that walk the tree built so far.
//!
//! A free monad's bind replaces the ends of a tree by other trees: it goes down to them and
//! rebuilds everything above. If binds are nested to the left, as in loops that continue from a
//! result, each walks the tree that all earlier ones have built, so the work grows with the square
//! of their number.

use std::collections::HashSet;

use super::bound::{Bound, Loop, ends, is_constructor, loops};
use super::cause::{Cause, Look, Paid};
use super::dictionaries::implementation_of;
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::program::{Program, Site, definition_line};
use crate::core::calls::Call;
use crate::core::names::{Name, occurrence};
use crate::core::tree::{Alternative, Binding, Expr, Id, Pattern};

/// Binds that walk the tree built so far.
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

/// A bind with a smaller share of all entries does not walk deep trees. Arbitrary.
const LEAST_ENTRIES: f64 = 0.2;

fn find(look: &Look<'_>) -> Vec<Finding> {
    let all = look.sites().flat_map(|site| loops(look.program, site));
    all.filter(|it| {
        let share = look.costs.site(it.site).entry_share;
        share.is_none_or(|share| share >= LEAST_ENTRIES)
    })
    .filter_map(|it| {
        let walks = walks(look.program, &it);
        (!walks.is_empty()).then(|| finding(look, &it, walks))
    })
    .collect()
}

/// A function that passes the result of a recursive call to a bind: each of its rounds nests binds
/// one deeper to the left.
struct Nest {
    site: Site,
    within: Option<Id<Binding>>,
    bind: Id<Expr>,
}

/// The function that runs most often among those that nest this bind to the left.
fn nest(look: &Look<'_>, walk: &Loop) -> Option<Nest> {
    let program = look.program;
    let is_walk = |caller: Site, name: Name| {
        program
            .site_of(caller.module, name)
            .is_some_and(|it| it == walk.site || implementation_of(program, walk.site) == Some(it))
    };
    // Users cannot change a copy of library code, such as that of `replicateM`.
    let is_own = |site: &Site| {
        let (name, text) = (program.name(*site), &program.module_of(*site).source);
        let is_written =
            || text.as_ref().is_some_and(|it| definition_line(&it.text, in_source(name)).is_some());
        !name.contains("$s") || is_written()
    };
    let others = look.sites().filter(|site| *site != walk.site && is_own(site));
    let nests = others.flat_map(|site| loops(program, site)).filter_map(|it| {
        let core = program.module_of(it.site).core();
        let bound = Bound::from_core(core, it.binding.right);
        let calls = core.calls_within(it.binding.right);
        let mut binds = calls.iter().filter(|(_, call)| is_walk(it.site, call.function));
        let is_nested = |call: &Call| {
            call.values.iter().any(|value| it.is_call_of_itself(bound.behind(*value)))
        };
        let (bind, _) = binds.find(|(_, call)| is_nested(call))?;
        Some(Nest { site: it.site, within: it.within, bind: *bind })
    });
    nests.max_by_key(|it| look.costs.site(it.site).entries)
}

/// The deferred recursive calls with which a function fills the constructor that it has taken
/// apart; empty if it does not call one of its parameters with the contents of another constructor.
fn walks(program: &Program, it: &Loop) -> Vec<Id<Expr>> {
    let core = program.module_of(it.site).core();
    let bound = Bound::from_core(core, it.binding.right);
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

fn finding(look: &Look<'_>, it: &Loop, walks: Vec<Id<Expr>>) -> Finding {
    let program = look.program;
    let core = program.module_of(it.site).core();
    let name = in_source(core.text(it.name()));
    let goes =
        format!("`{name}` goes down to the ends of a tree, and builds it up again around them");
    let walks = Evidence { site: it.site, within: it.within, focus: walks };
    let (site, within, what, evidence) = match nest(look, it) {
        None => (it.site, it.within, goes, vec![walks]),
        Some(nest) => {
            let user = program.name_at(nest.site, program.location(nest.site).as_ref());
            let what = format!("{goes}; `{user}` gives it what it has made by a call of itself");
            let bind = Evidence { site: nest.site, within: nest.within, focus: vec![nest.bind] };
            (nest.site, nest.within, what, vec![bind, walks])
        }
    };
    Finding {
        cause: &CAUSE,
        site,
        within,
        at: None,
        what,
        evidence,
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
