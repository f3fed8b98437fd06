//! Pairs of small programs, before and after a change, as compiled and run by GHC 9.0.2
//! (`fixtures/ghc_difference`): the reported change is the real one.

mod headlines;
mod instructions;
mod pairs;
mod properties;
#[path = "../ghc_causes/program.rs"]
mod recorded;

use ghc::causes::program::Source;
use ghc::causes::{Module, Program};
use ghc::core::Dump;
use ghc::ticky;

/// One version of a program: its source, its dumps, and the counters of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Version {
    pub(crate) source: &'static str,
    pub(crate) simpl: &'static str,
    pub(crate) prep: &'static str,
    pub(crate) ticky: &'static [u8],
}

macro_rules! version {
    ($pair:literal, $source:literal, $side:literal) => {
        Version {
            source: include_str!(concat!(
                "../../../../fixtures/ghc_difference/",
                $pair,
                "/",
                $source,
                ".hs"
            )),
            simpl: include_str!(concat!(
                "../../../../fixtures/ghc_difference/samples/",
                $pair,
                "-",
                $side,
                "-simpl.txt"
            )),
            prep: include_str!(concat!(
                "../../../../fixtures/ghc_difference/samples/",
                $pair,
                "-",
                $side,
                "-prep.txt"
            )),
            ticky: include_bytes!(concat!(
                "../../../../fixtures/ghc_difference/samples/",
                $pair,
                "-",
                $side,
                "-ticky.txt"
            )),
        }
    };
}

macro_rules! pair {
    ($pair:literal) => {
        ($pair, [version!($pair, "Before", "before"), version!($pair, "After", "after")])
    };
}

/// The pairs: name, before and after.
pub(crate) const PAIRS: [(&str, [Version; 2]); 8] = [
    pair!("inlining"),
    pair!("arity"),
    pair!("overloading"),
    pair!("boxing"),
    pair!("export"),
    pair!("grown"),
    pair!("strictness"),
    pair!("append"),
];

/// The versions of a pair.
pub(crate) fn pair(name: &str) -> [Version; 2] {
    PAIRS.iter().find(|(known, _)| *known == name).expect("a pair of this name").1
}

/// A version as a program; `rename` may change the texts of its dumps, in which case it has no
/// counters.
pub(crate) fn program(version: Version, rename: Option<&dyn Fn(&str) -> String>) -> Program {
    let read = |text: &str| match rename {
        Some(rename) => Dump::read(rename(text).as_bytes()),
        None => Dump::read(text.as_bytes()),
    };
    let dump = read(version.simpl);
    assert!(dump.problems.is_empty(), "the sample is read: {:?}", dump.problems);
    let mut module = Module::new("Main", dump);
    module.prep = Some(read(version.prep));
    module.source = Some(Source { path: "Main.hs".to_owned(), text: version.source.to_owned() });
    let mut program = Program::new(vec![module]);
    if rename.is_none() {
        program.ticky = Some(ticky::read(version.ticky).expect("counters"));
    }
    program
}
