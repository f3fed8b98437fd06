//! Stacks of functions and what was executed at their tops, to be drawn.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use toolchains::callgrind::Profile;
use toolchains::symbol::{Program, context};

use super::counts::shown;
use super::objects::file_name;

/// What the stacks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StackKind {
    /// Callgrind told functions apart by their callers, up to a depth: exact.
    Callers,
    /// No stacks: executables and libraries, and the functions in them.
    Objects,
}

/// Stacks, outermost function first, and what their tops executed themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stacks {
    /// What they are.
    pub kind: StackKind,
    /// The stacks.
    pub counts: BTreeMap<Vec<String>, u64>,
}

/// The stacks of a run, from the profiles of its processes.
///
/// Callgrind counts calls between two functions, not stacks. Where it told functions apart by all
/// their callers, those are the stacks. Where it did not, or where calls do not return, as in
/// programs of GHC, there are none to be had.
pub fn stacks(profiles: &[Profile]) -> Stacks {
    let symbols = profiles.iter().flat_map(|profile| {
        profile.functions.iter().map(|function| context(profile.name(function.name)).0)
    });
    let program = Program::of(symbols);
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
                    // The loader and what runs before `main` have no symbols of their own.
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
