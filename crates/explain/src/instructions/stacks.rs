//! Stacks of functions with the events of their tops, for drawing.

use std::collections::{BTreeMap, HashMap};

use toolchains::callgrind::Profile;
use toolchains::symbol::{Program, context};

use super::profiling::shown;
use findings::instructions::file_name;
use findings::instructions::{ProgramStacks, StackCounts, StackKind};

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

/// The least share for a box: smaller ones would be narrower than a tenth of a unit of the picture,
/// and are counted with the calling function.
const LEAST_SHARE: f64 = 1.0 / 12_000.0;

/// The stacks of all programs together.
pub fn common_stacks(programs: &[&Stacks]) -> ProgramStacks {
    let mut all: BTreeMap<&[String], Vec<u64>> = BTreeMap::new();
    for (place, program) in programs.iter().enumerate() {
        for (frames, count) in &program.counts {
            let counts = all.entry(frames).or_insert_with(|| vec![0; programs.len()]);
            counts[place] += count;
        }
    }
    let largest = programs.iter().map(|program| program.counts.values().sum::<u64>()).max();
    let least = (largest.unwrap_or(0) as f64 * LEAST_SHARE) as u64;
    // Pictures show the common ground: names of objects if one program has nothing else.
    let is_flat = programs.iter().any(|program| program.kind == StackKind::Objects);
    let kind = if is_flat { StackKind::Objects } else { StackKind::Callers };
    let stack =
        |(frames, counts): (&[String], Vec<u64>)| StackCounts { frames: frames.to_vec(), counts };
    ProgramStacks { kind, stacks: visible(all, least).into_iter().map(stack).collect() }
}

/// The same stacks, with boxes too small to be seen counted one function further out.
fn visible(mut all: BTreeMap<&[String], Vec<u64>>, least: u64) -> BTreeMap<&[String], Vec<u64>> {
    let longest = all.keys().map(|frames| frames.len()).max().unwrap_or(0);
    for length in (2..=longest).rev() {
        let is_small = |(frames, counts): &(&&[String], &Vec<u64>)| {
            frames.len() == length && counts.iter().all(|count| *count < least)
        };
        let small: Vec<&[String]> =
            all.iter().filter(is_small).map(|(frames, _)| *frames).collect();
        for frames in small {
            let Some(counts) = all.remove(frames) else { continue };
            let outer = all.entry(&frames[..length - 1]).or_insert_with(|| vec![0; counts.len()]);
            outer.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stacks(kind: StackKind, counts: &[(&str, u64)]) -> Stacks {
        let frames = |names: &str| names.split(';').map(str::to_owned).collect();
        Stacks {
            kind,
            counts: counts.iter().map(|(names, count)| (frames(names), *count)).collect(),
        }
    }

    #[test]
    fn nothing_is_lost_where_boxes_are_too_small_to_be_seen() {
        let before = stacks(StackKind::Callers, &[("main", 10), ("main;f;g;h", 3)]);
        let after =
            stacks(StackKind::Callers, &[("main", 1_000_000), ("main;f", 500), ("main;f;g", 7)]);
        let part = common_stacks(&[&before, &after]);
        let shown: Vec<(String, Vec<u64>)> =
            part.stacks.iter().map(|one| (one.frames.join(";"), one.counts.clone())).collect();
        let expected = [("main", [10, 1_000_000]), ("main;f", [3, 507])];
        assert_eq!(shown, expected.map(|(frames, counts)| (frames.to_owned(), counts.to_vec())));
    }

    #[test]
    fn what_one_program_has_no_stacks_of_is_no_stack() {
        let flat = stacks(StackKind::Objects, &[("p;main", 5)]);
        let deep = stacks(StackKind::Callers, &[("main", 5)]);
        assert_eq!(common_stacks(&[&flat, &deep]).kind, StackKind::Objects);
        assert_eq!(common_stacks(&[&deep]).kind, StackKind::Callers);
    }
}
