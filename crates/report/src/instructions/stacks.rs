//! Stacks of functions in stored form, for flame graphs.

use std::collections::BTreeMap;

use explain::instructions::stacks::Stacks;
use findings::instructions::{ProgramStacks, StackCounts, StackKind};

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
