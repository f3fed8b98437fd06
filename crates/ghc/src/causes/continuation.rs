//! Functions that take their continuation as an argument: continuation-passing style.
//!
//! Builders and parsers are written so: a function ends by calling its continuation, and if it
//! cannot continue yet, it returns a function to its caller that does so later. A closure for each
//! continuation is inherent in this style, and inlining the function leaves the next one.

use std::collections::HashSet;

use super::bound::{Bound, bare, body, is_lambda, tails_of};
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::{Name, occurrence, split_unique};
use crate::core::tree::{Binding, Expr, Id};

/// Operations that do something after the function passed to them has ended.
const AROUND: [&str; 7] = [
    "catch#",
    "catchRetry#",
    "catchSTM#",
    "maskAsyncExceptions#",
    "maskUninterruptible#",
    "unmaskAsyncExceptions#",
    "atomically#",
];

/// True if a function calls a parameter only in tail position, itself or in a function that it
/// makes, and makes one that does.
pub(crate) fn is_continuation(program: &Program, callee: Site, parameter: Name) -> bool {
    let core = program.module_of(callee).core();
    let binding = program.binding(callee);
    let bound = Bound::from_core(core, binding.right);
    let within = ends(core, &bound, body(core, binding));
    let made = made(core, &bound, binding);
    let later: HashSet<Id<Expr>> = made.iter().flat_map(|it| ends(core, &bound, *it)).collect();
    let calls = core.calls_within(binding.right);
    let mut calls = calls.iter().filter(|(_, call)| call.function == parameter).peekable();
    let is_kept = made.iter().any(|it| bound.uses(*it, &HashSet::from([parameter])));
    is_kept
        && calls.peek().is_some()
        && calls.all(|(it, _)| within.contains(it) || later.contains(it))
}

/// True if the passed expression leads back to the caller: a loop through the continuation, which
/// could be a direct one.
pub(super) fn comes_back(program: &Program, caller: Site, bound: &Bound<'_>, it: Id<Expr>) -> bool {
    let module = program.module_of(caller);
    // A function and its worker count as one.
    let stem = |top: usize| {
        let name = module.top_name(top);
        let stem = split_unique(name).map_or_else(|| occurrence(name), |(stem, _)| stem);
        stem.strip_prefix("$w").unwrap_or(stem)
    };
    let own = stem(caller.top);
    let all = (0..module.len()).filter(|top| stem(*top) == own);
    bound.uses(it, &all.map(|top| module.binding(top).name).collect())
}

/// The bodies of the functions that an expression makes, except the function itself and the
/// arguments of the operations in [`AROUND`].
fn made(core: &Core, bound: &Bound<'_>, binding: &Binding) -> Vec<Id<Expr>> {
    let around: HashSet<Id<Expr>> = core
        .calls_within(binding.right)
        .into_iter()
        .filter(|(_, call)| AROUND.contains(&occurrence(core.text(call.function))))
        .flat_map(|(_, call)| call.values)
        .map(|value| bound.behind(value))
        .collect();
    core.walk(body(core, binding))
        .filter(|it| matches!(core.exprs[*it], Expr::Lambda(..)) && is_lambda(core, *it))
        .filter(|it| !around.contains(&bare(core, *it)))
        .filter_map(|it| match core.exprs[it] {
            Expr::Lambda(_, inner) => Some(inner),
            _ => None,
        })
        .collect()
}

/// The expressions that an expression returns, directly or through a name.
fn ends(core: &Core, bound: &Bound<'_>, it: Id<Expr>) -> HashSet<Id<Expr>> {
    let mut ends = HashSet::new();
    let mut waiting = vec![it];
    while let Some(it) = waiting.pop() {
        if ends.insert(it) {
            tails_of(core, it, &mut waiting);
            waiting.push(bound.behind(it));
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::Module;
    use crate::causes::bound::parameters;
    use crate::core::Dump;

    /// True if the only parameter that is a function is a continuation of the only function.
    fn is_one(right: &str) -> bool {
        let text = format!("Main.f :: Int\n[GblId, Arity=2]\nMain.f = {right}\n");
        let dump = Dump::read(text.as_bytes());
        assert_eq!(dump.problems, []);
        let program = Program::new(vec![Module::new("Main", dump)]);
        let site = Site { module: 0, top: 0 };
        let core = program.module_of(site).core();
        let all = parameters(core, program.binding(site));
        let k = all.iter().find(|it| core.text(it.name) == "k_a2").expect("a parameter");
        is_continuation(&program, site, k.name)
    }

    #[test]
    fn what_is_called_to_end_now_or_later_is_a_continuation() {
        let later = "Later (\\ (m_a4 :: Int) -> k_a2 m_a4)";
        assert!(is_one(&format!(
            "\\ (n_a1 :: Int) (k_a2 :: Int -> R) -> case n_a1 of {{ __DEFAULT -> k_a2 n_a1; 1# -> {later} }}"
        )));
        let by_name = "let { r_a3 = k_a2 n_a1 } in Later (\\ (m_a4 :: Int) -> r_a3)";
        assert!(is_one(&format!("\\ (n_a1 :: Int) (k_a2 :: Int -> R) -> {by_name}")));
    }

    #[test]
    fn what_is_only_called_or_called_for_its_result_is_none() {
        for body in [
            "k_a2 n_a1",
            "k_a2 (k_a2 n_a1)",
            "case k_a2 n_a1 of { __DEFAULT -> Later (\\ (m_a4 :: Int) -> k_a2 m_a4) }",
            "catch# (\\ (s_a4 :: S) -> k_a2 n_a1 s_a4) n_a1",
        ] {
            assert!(!is_one(&format!("\\ (n_a1 :: Int) (k_a2 :: Int -> R) -> {body}")), "{body}");
        }
    }
}
