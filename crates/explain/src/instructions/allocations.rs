//! The allocations of a run, as counts by function and by stack.
//!
//! The bytes of a stack belong to its call site, and to its callers with calls.

use std::collections::{BTreeMap, HashMap, HashSet};

use findings::instructions::{ALLOCATED_BYTES, StackKind};
use toolchains::dhat::{Allocations, Place};
use toolchains::symbol::Program;

use super::profiling::{Counts, LineCount, Stacks, Sum, named_by, shown};

/// Sums the processes of a run.
pub fn counts(processes: &[Allocations]) -> Counts {
    let mut sum = Sum::of_program(program(processes));
    let mut with_calls = Vec::new();
    for process in processes {
        let mut known: HashMap<(&str, &str), usize> = HashMap::new();
        for stack in &process.stacks {
            let mut places = process.places(stack);
            if places.is_empty() {
                places.push(UNKNOWN);
            }
            let program = sum.program;
            let functions: Vec<usize> = places
                .iter()
                .map(|it| {
                    let place = || sum.place(it.object, &shown(it.symbol, program));
                    *known.entry((it.object, it.symbol)).or_insert_with(place)
                })
                .collect();
            let (site, line) = (functions[0], places[0]);
            let function = &mut sum.functions[site];
            function.count += stack.bytes;
            *function.blocks.get_or_insert(0) += stack.blocks;
            function.symbols = 1;
            let file = sum.file(line.file);
            let line = LineCount { function: site, file, line: line.line, count: stack.bytes };
            sum.lines.push(line);
            with_calls.resize(sum.functions.len(), 0);
            let distinct: HashSet<usize> = functions.into_iter().collect();
            distinct.into_iter().for_each(|function| with_calls[function] += stack.bytes);
        }
    }
    sum.add_up_lines();
    let objects = sum.functions.iter().map(|function| function.object.as_str());
    let command = processes.first().map_or("", |process| &process.command);
    let cut_off = processes.iter().find_map(cut_off);
    let inclusive = match &cut_off {
        _ if sum.program.has_ghc => Err("stacks of GHC's code cannot be followed".to_owned()),
        Some(reason) => Err(reason.clone()),
        None => Ok(with_calls),
    };
    Counts {
        event: ALLOCATED_BYTES.to_owned(),
        total: sum.functions.iter().map(|function| function.count).sum(),
        program: named_by(command, objects),
        inclusive,
        files: sum.files,
        lines: sum.lines,
        calls: Vec::new(),
        has_ghc: sum.program.has_ghc,
        remarks: cut_off.into_iter().chain(remarks(processes, sum.program)).collect(),
        functions: sum.functions,
    }
}

/// The stacks of all processes, from their outermost function to the call site.
pub fn stacks(processes: &[Allocations]) -> Stacks {
    let program = program(processes);
    let mut counts = BTreeMap::new();
    for process in processes {
        let mut known: HashMap<&str, String> = HashMap::new();
        for stack in &process.stacks {
            let places = process.places(stack);
            let symbols = places.iter().rev().map(|place| place.symbol);
            let mut name =
                |symbol| known.entry(symbol).or_insert_with(|| shown(symbol, program)).clone();
            let mut names: Vec<String> = symbols.map(&mut name).collect();
            names.dedup();
            *counts.entry(names).or_insert(0) += stack.bytes;
        }
    }
    Stacks { kind: StackKind::Allocations, counts }
}

const UNKNOWN: Place<'static> = Place { symbol: "???", object: "???", file: "???", line: 0 };

/// The schemes of the symbols on the stacks.
fn program(processes: &[Allocations]) -> Program {
    Program::from_symbols(processes.iter().flat_map(Allocations::symbols))
}

/// The reason why callers may be missing: the longest stacks do not begin where programs and
/// threads do.
fn cut_off(process: &Allocations) -> Option<String> {
    /// The fewest callers that valgrind keeps by default; nobody asks for fewer.
    const FEWEST: usize = 12;
    const OUTERMOST: [&str; 6] =
        ["main", "(below main)", "_start", "start_thread", "clone", "clone3"];
    let longest = process.stacks.iter().map(|stack| stack.depth()).max()?;
    let is_cut = process.stacks.iter().filter(|stack| stack.depth() == longest).any(|stack| {
        let outermost = process.places(stack).last().map(|place| place.symbol);
        outermost.is_some_and(|symbol| !OUTERMOST.contains(&symbol))
    });
    (longest >= FEWEST && is_cut).then(|| {
        format!(
            "the longest stacks of `{}` have {longest} calls and may be cut off there \
             (`--num-callers`): their outer callers are missing",
            process.command
        )
    })
}

/// Remarks on allocations that DHAT could not see, or saw twice.
fn remarks(processes: &[Allocations], program: Program) -> Vec<String> {
    let mut remarks = Vec::new();
    if program.has_ghc {
        remarks.push(
            "GHC's heap is not counted here, only what its runtime and C code allocate: `brisk \
             explain` with the source explains what Haskell allocates, and `brisk compare` counts \
             its bytes"
                .to_owned(),
        );
    }
    let mut commands = HashSet::new();
    for process in processes {
        let command = &process.command;
        if process.stacks.is_empty() {
            remarks.push(format!(
                "valgrind saw no allocation of `{command}`, which does not mean that it has none: a \
                 program that is linked statically, or has its own allocator or heap, hides them"
            ));
        }
        if !commands.insert(command) {
            remarks.push(format!(
                "several processes ran `{command}`: if one forked another, allocations from before \
                 the fork count in both, since DHAT starts a forked process with its parent's counts"
            ));
        }
    }
    remarks.dedup();
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolchains::dhat;

    /// The allocations of `7` bytes with each of these stacks, innermost function first.
    fn run(stacks: &[&[&str]]) -> Counts {
        let mut entries = vec!["[root]".to_owned()];
        let mut points = Vec::new();
        for stack in stacks {
            let first = entries.len();
            let entry = |(place, name): (usize, &&str)| format!("0x{place}: {name} (in /code/p)");
            entries.extend(stack.iter().enumerate().map(entry));
            let frames: Vec<usize> = (first..entries.len()).collect();
            points.push(format!("{{\"tb\":7,\"tbk\":1,\"fs\":{frames:?}}}"));
        }
        let text = format!(
            "{{\"dhatFileVersion\":2,\"mode\":\"heap\",\"cmd\":\"./p\",\"pps\":[{}],\"ftbl\":{entries:?}}}",
            points.join(",")
        );
        counts(&[dhat::read(text.as_bytes()).expect("a sound file")])
    }

    #[test]
    fn callers_have_what_their_callees_allocate_once_with_recursion() {
        let counts = run(&[&["malloc", "f", "g", "f", "main"], &["malloc", "main"]]);
        let inclusive = counts.inclusive.as_deref().expect("whole stacks");
        let found: Vec<_> = counts
            .functions
            .iter()
            .zip(inclusive)
            .map(|(it, with_calls)| (it.name.as_str(), it.count, it.blocks, *with_calls))
            .collect();
        let expected = [("f", 7, Some(1), 7), ("g", 0, None, 7), ("main", 7, Some(1), 14)];
        assert_eq!(found, expected);
        assert_eq!((counts.total, counts.program.as_deref()), (14, Some("/code/p")));
    }

    #[test]
    fn stacks_that_lack_their_callers_give_no_counts_with_calls() {
        let deep = ["malloc", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let cut = run(&[&deep, &["malloc", "main"]]);
        assert!(cut.inclusive.is_err_and(|reason| reason.contains("have 12 calls")));
        assert_eq!(cut.remarks.len(), 1);
        let whole = run(&[&[&deep[..], &["main"]].concat()]);
        assert!(whole.inclusive.is_ok() && whole.remarks.is_empty(), "{:?}", whole.remarks);
    }

    #[test]
    fn a_program_of_ghc_has_a_heap_that_is_not_counted() {
        let counts = run(&[&["malloc", "stgMallocBytes", "hs_init_ghc", "hs_main", "main"]]);
        assert!(counts.has_ghc && counts.inclusive.is_err());
        assert!(counts.remarks[0].starts_with("GHC's heap is not counted here"));
    }
}
