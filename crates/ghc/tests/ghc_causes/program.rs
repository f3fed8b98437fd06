//! One program of the samples, as seen by a cause.

use std::fs;

use fixtures::{GHC_CAUSES, Samples};
use ghc::causes::program::Source;
use ghc::causes::{Module, Program};
use ghc::compiling::firings;
use ghc::core::Dump;
use ghc::{heap_profile, ticky};

/// The compilers of the samples.
pub(crate) const VERSIONS: [&str; 4] = ["8.8.4", "9.0.2", "9.6.6", "9.10.3"];

/// The program of a pair, `before` or `after`, from one compiler.
pub(crate) fn program(version: &str, pair: &str, variant: &str) -> Program {
    read(&GHC_CAUSES, version, pair, variant)
}

/// The same for pairs of another set.
pub(crate) fn read(samples: &Samples, version: &str, pair: &str, variant: &str) -> Program {
    let path = |file: &str| format!("{version}/{pair}/{variant}/{file}");
    let sources = samples.folder().join("programs").join(pair).join(variant);
    let mut names: Vec<String> = fs::read_dir(&sources)
        .expect("a program")
        .filter_map(|it| Some(it.ok()?.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    let dump = |name: &str, pass: &str| {
        let path = path(&format!("{name}.{pass}"));
        let dump = Dump::read(samples.text(&path).as_bytes());
        assert_eq!(dump.problems, [], "{path}");
        dump
    };
    let fired = firings(samples.text(&path("firings")));
    let modules = names.iter().map(|name| {
        let mut module = Module::new(name.clone(), dump(name, "simpl"));
        module.prep = Some(dump(name, "prep"));
        module.firings = Some(fired.clone());
        let path = format!("{name}.hs");
        let text = fs::read_to_string(sources.join(&path)).expect("a module");
        module.source = Some(Source { path, text });
        module
    });
    let mut program = Program::new(modules.collect());
    let counters = samples.bytes(&path("ticky"));
    program.ticky = Some(ticky::read(counters).expect("counters of a whole run"));
    let allocated = samples.text(&path("allocated"));
    program.allocated_bytes = Some(allocated.trim().parse().expect("bytes"));
    let heap = path("hp");
    program.heap =
        samples.find(&heap).map(|_| heap_profile::read(samples.text(&heap)).expect("samples"));
    program
}
