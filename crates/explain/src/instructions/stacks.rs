//! Stacks of functions with the events of their tops, for drawing.

use std::collections::{BTreeMap, HashMap};

use toolchains::callgrind::Profile;
use toolchains::symbol::{Program, context};

use super::counts::shown;
use super::objects::file_name;
use findings::instructions::StackKind;

/// Stacks, outermost function first, with the events of their tops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stacks {
    /// Their kind.
    pub kind: StackKind,
    /// The events of each stack.
    pub counts: BTreeMap<Vec<String>, u64>,
}

/// The stacks of a run, from the profiles of its processes.
///
/// Callgrind counts calls between two functions, not stacks. If it distinguished functions by all
/// their callers, those are the stacks. Otherwise, or if calls do not return, as in GHC programs,
/// stacks are unavailable.
pub fn stacks(profiles: &[Profile]) -> Stacks {
    let symbols = profiles.iter().flat_map(|profile| {
        profile.functions.iter().map(|function| context(profile.name(function.name)).0)
    });
    let program = Program::from_symbols(symbols);
    let has_callers = profiles.iter().any(|profile| {
        let mut names = profile.functions.iter().map(|function| profile.name(function.name));
        names.any(|name| !context(name).1.is_empty())
    });
    let kind =
        if has_callers && !program.has_ghc { StackKind::Callers } else { StackKind::Objects };
    let mut counts = BTreeMap::new();
    let mut names = HashMap::new();
    for profile in profiles {
        for function in profile.functions.iter().filter(|function| function.self_cost > 0) {
            let (symbol, callers) = context(profile.name(function.name));
            let mut readable = |symbol: &str| -> String {
                let known = names.entry(symbol.to_owned());
                known.or_insert_with(|| shown(symbol, program)).clone()
            };
            let stack = match kind {
                StackKind::Callers => {
                    let mut stack: Vec<String> =
                        callers.iter().rev().map(|caller| readable(caller)).collect();
                    stack.push(readable(symbol));
                    // The loader and the code before `main` have no symbols.
                    stack.dedup();
                    stack
                }
                StackKind::Objects => {
                    let object = file_name(profile.object(function.object)).to_owned();
                    vec![object, readable(symbol)]
                }
            };
            *counts.entry(stack).or_insert(0) += function.self_cost;
        }
    }
    Stacks { kind, counts }
}
