//! Pairs of small programs, before and after a change, as compiled and run by GHC 9.0.2
//! (`fixtures/ghc_difference`): the reported change is the real one.

mod headlines;
mod instructions;
mod pairs;
mod properties;
#[path = "../ghc_causes/program.rs"]
mod recorded;

use std::collections::BTreeSet;
use std::fs;

use fixtures::GHC_DIFFERENCE;
use ghc::causes::program::Source;
use ghc::causes::{Module, Program};
use ghc::core::Dump;
use ghc::ticky;

/// One version of a program: its source, its dumps, and the counters of a run.
#[derive(Debug)]
pub(crate) struct Version {
    source: String,
    simpl: &'static str,
    prep: &'static str,
    ticky: &'static [u8],
}

/// The pairs of single changes.
pub(crate) const PAIRS: [&str; 8] =
    ["inlining", "arity", "overloading", "boxing", "export", "grown", "strictness", "append"];

/// The versions of a pair: before and after.
pub(crate) fn pair(name: &str) -> [Version; 2] {
    [("Before", "before"), ("After", "after")].map(|(file, variant)| {
        let path = |kind: &str| format!("{name}-{variant}-{kind}.txt");
        let source = GHC_DIFFERENCE.folder().join(name).join(format!("{file}.hs"));
        Version {
            source: fs::read_to_string(source).expect("a program"),
            simpl: GHC_DIFFERENCE.text(&path("simpl")),
            prep: GHC_DIFFERENCE.text(&path("prep")),
            ticky: GHC_DIFFERENCE.bytes(&path("ticky")),
        }
    })
}

/// A version as a program; `rename` may change the texts of its dumps, in which case it has no
/// counters.
pub(crate) fn program(version: &Version, rename: Option<&dyn Fn(&str) -> String>) -> Program {
    let read = |text: &str| match rename {
        Some(rename) => Dump::read(rename(text).as_bytes()),
        None => Dump::read(text.as_bytes()),
    };
    let dump = read(version.simpl);
    assert!(dump.problems.is_empty(), "the sample is read: {:?}", dump.problems);
    let mut module = Module::new("Main", dump);
    module.prep = Some(read(version.prep));
    module.source = Some(Source { path: "Main.hs".to_owned(), text: version.source.clone() });
    let mut program = Program::new(vec![module]);
    if rename.is_none() {
        program.ticky = Some(ticky::read(version.ticky).expect("counters"));
    }
    program
}

#[test]
fn every_packed_program_is_compared() {
    let variants = ["before", "after"];
    let kinds = ["simpl", "prep", "ticky"];
    let dumped = PAIRS.iter().flat_map(|pair| {
        let of = move |variant| kinds.map(|kind| format!("{pair}-{variant}-{kind}.txt"));
        variants.into_iter().flat_map(of)
    });
    let recorded = headlines::PAIRS.iter().flat_map(|(pair, ..)| {
        variants.map(|variant| format!("{}/{pair}/{variant}", headlines::MADE_BY))
    });
    let compared: BTreeSet<String> = dumped.chain(recorded).collect();
    let place = |path: &str| path.rsplit_once('/').map_or(path, |(folder, _)| folder).to_owned();
    let packed: BTreeSet<String> = GHC_DIFFERENCE.paths().map(place).collect();
    assert_eq!(packed, compared);
}
