//! Functions called with more arguments than they take at once.
//!
//! GHC counts the arguments that a function takes before it does work: its arity. If a function
//! does some work and then returns another function, every call with all arguments allocates that
//! other function, and calls it as an unknown one. If every call has them all, the detour gains
//! nothing.

use std::collections::{HashMap, HashSet};

use super::bound::{given_back, tails_of};
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::program::Site;
use crate::core::Core;
use crate::core::calls::Saturation;
use crate::core::tree::{Expr, Id};

/// Functions called with more arguments than they take at once.
pub(super) static CAUSE: Cause = Cause {
    id: "over-saturated-calls",
    title: "called with more arguments than it takes at once",
    about: "The function takes some arguments, does some work, and gives back another function that \
            takes the rest. Its callers always have all arguments. Each call allocates the function \
            in between and calls it as an unknown one.",
    seed: "faster-winter, 5 and 6 (continuations and `ReaderT` in the evaluator); GHC User's Guide, \
           `-fpedantic-bottoms` and `oneShot`",
    needs: &[Need::IdInfo],
    // The pair of `ghc.md`, case f, with GHC 9.0.2.
    explains: 0.33,
    paid: Paid::Allocations,
    find,
};

/// The calls of one function.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Those with more arguments than its arity.
    over: Vec<(Site, Id<Expr>)>,
    /// The largest number of arguments of such a call.
    most: u32,
    all: usize,
}

fn find(look: &Look<'_>) -> Vec<Finding> {
    let found = all(look);
    found.into_iter().filter_map(|(called, calls)| finding(look, called, &calls)).collect()
}

/// The functions all of whose calls have too many arguments.
pub(super) fn all(look: &Look<'_>) -> Vec<(Site, Calls)> {
    let program = look.program;
    let mut calls: HashMap<Site, Calls> = HashMap::new();
    for caller in look.sites() {
        let core = program.module_of(caller).core();
        let tails = tails(core, program.binding(caller).right);
        for (it, call) in core.calls_within(program.binding(caller).right) {
            let Some(called) = program.site_of(caller.module, call.function) else { continue };
            // In a recursive tail call, the missing arguments come from the original caller.
            if called == caller && tails.contains(&it) {
                continue;
            }
            let callee = program.module_of(called).core();
            let Some(arity @ 1..) = callee.arity(program.binding(called)) else { continue };
            let known = calls.entry(called).or_default();
            known.all += 1;
            if let Saturation::Excess(_) = call.saturation(arity) {
                known.over.push((caller, it));
                known.most = known.most.max(call.values.len() as u32);
            }
        }
    }
    let mut found: Vec<(Site, Calls)> = calls.into_iter().collect();
    found.sort_unstable_by_key(|(site, _)| *site);
    let is_one = |(called, calls): &(Site, Calls)| {
        // If most calls have fewer arguments, the work in between may be shared on purpose.
        !calls.over.is_empty()
            && calls.over.len() * 2 >= calls.all
            && gives_lambda(look, *called).is_some()
    };
    found.retain(is_one);
    found
}

fn finding(look: &Look<'_>, called: Site, calls: &Calls) -> Option<Finding> {
    let program = look.program;
    let arity = program.module_of(called).core().arity(program.binding(called))?;
    let name = in_source(program.name(called));
    let count = calls.over.len();
    let (caller, call) = *calls.over.first()?;
    let lambda = gives_lambda(look, called)?;
    Some(Finding {
        cause: &CAUSE,
        site: called,
        within: None,
        at: None,
        what: format!(
            "`{name}` takes {} and gives back a function, but {} it {} at once",
            words(arity),
            match (count, calls.all) {
                (1, 1) => "its only call gives".to_owned(),
                (count, all) if count == all => format!("all {count} calls give"),
                (count, all) => format!("{count} of {all} calls give"),
            },
            calls.most
        ),
        evidence: vec![
            Evidence { site: called, within: None, focus: vec![lambda] },
            Evidence { site: caller, within: None, focus: vec![call] },
        ],
        remedy: Remedy {
            text: format!(
                "let `{name}` take all arguments at once: write the last ones as parameters of every \
                 equation, or wrap the function that it gives back in `oneShot` (GHC.Exts)"
            ),
            change: None,
        },
        why: format!(
            "GHC gives `{name}` another parameter only if no work would be repeated; it cannot know \
             that nobody calls it with {} and uses the result many times.",
            words(arity)
        ),
        basis: Basis::site(called),
    })
}

fn words(arity: u32) -> String {
    if arity == 1 { "1 argument".to_owned() } else { format!("{arity} arguments") }
}

/// The expressions whose value is that of a binding's body, from the outside in.
fn tails(core: &Core, right: Id<Expr>) -> HashSet<Id<Expr>> {
    let mut body = right;
    while let Expr::Lambda(_, inner) = core.exprs[body] {
        body = inner;
    }
    let mut tails = vec![body];
    let mut all = HashSet::new();
    while let Some(tail) = tails.pop() {
        all.insert(tail);
        tails_of(core, tail, &mut tails);
    }
    all
}

/// A function that a binding returns after it has done some work.
fn gives_lambda(look: &Look<'_>, site: Site) -> Option<Id<Expr>> {
    let core = look.program.module_of(site).core();
    given_back(core, look.program.binding(site)).first().copied()
}
