//! One program of the samples, as seen by a cause.

use std::path::{Path, PathBuf};

use ghc::causes::program::Source;
use ghc::causes::{Module, Program};
use ghc::compiling::firings;
use ghc::core::Dump;
use ghc::{heap_profile, ticky};

/// The compilers of the samples.
pub(crate) const VERSIONS: [&str; 4] = ["8.8.4", "9.0.2", "9.6.6", "9.10.3"];

/// The folder of the programs and their dumps.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ghc_causes")
}

/// The program of a pair, `before` or `after`, from one compiler.
pub(crate) fn program(version: &str, pair: &str, variant: &str) -> Program {
    read(&folder(), version, pair, variant)
}

/// The same for pairs in another folder.
pub(crate) fn read(folder: &Path, version: &str, pair: &str, variant: &str) -> Program {
    let samples = folder.join("samples").join(version).join(pair).join(variant);
    let sources = folder.join("programs").join(pair).join(variant);
    let mut names: Vec<String> = std::fs::read_dir(&sources)
        .expect("a program")
        .filter_map(|it| Some(it.ok()?.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    let text = |path: PathBuf| {
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let dump = |name: &str, pass: &str| {
        let path = samples.join(format!("{name}.{pass}"));
        let dump = Dump::read(text(path.clone()).as_bytes());
        assert_eq!(dump.problems, [], "{}", path.display());
        dump
    };
    let fired = firings(&text(samples.join("firings")));
    let modules = names.iter().map(|name| {
        let mut module = Module::new(name.clone(), dump(name, "simpl"));
        module.prep = Some(dump(name, "prep"));
        module.firings = Some(fired.clone());
        let path = format!("{name}.hs");
        module.source = Some(Source { text: text(sources.join(&path)), path });
        module
    });
    let mut program = Program::new(modules.collect());
    let counters = std::fs::read(samples.join("ticky")).expect("counters");
    program.ticky = Some(ticky::read(&counters).expect("counters of a whole run"));
    program.allocated_bytes = Some(text(samples.join("allocated")).trim().parse().expect("bytes"));
    let heap = samples.join("hp");
    program.heap = heap.exists().then(|| heap_profile::read(&text(heap)).expect("samples"));
    program
}
