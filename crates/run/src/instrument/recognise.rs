//! Recognition of the runtimes of programs by their files.
//!
//! Each file is read once, before anything is measured: that of the command's first word, also if a
//! shell runs the command; for a script, the program named in its first line.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use toolchains::harness::description::Harness;
use toolchains::harness::{self};
use toolchains::runtime::adapter::Adapter;
use toolchains::runtime::executable::Search;
use toolchains::runtime::executable::{Interpreter, interpreter};

use model::spec::{Experiment, Invocation, Variant, words};

/// A variant whose runtime is to be queried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuntimeProgram {
    /// The runtime.
    pub adapter: &'static Adapter,
    /// Set if the command's first word is the program itself, so that arguments reach it without a
    /// shell or script in between.
    pub is_named: bool,
}

/// The runtime program of each variant, if it certainly is one.
pub fn certain(experiment: &Experiment) -> Vec<Option<RuntimeProgram>> {
    let mut known = Known::default();
    let look = |variant: &Variant| {
        let words = words_of(variant, experiment);
        match known.look_at(words.first()?, &variant.run) {
            Look::Runtime(adapter) => {
                Some(RuntimeProgram { adapter, is_named: experiment.shell.is_none() })
            }
            Look::Script(Some(adapter)) if adapter.interprets => {
                Some(RuntimeProgram { adapter, is_named: false })
            }
            _ => None,
        }
    };
    experiment.variants.iter().map(look).collect()
}

/// The variants that may start a program of this runtime: all but those in which no word can refer
/// to one.
pub fn possible(experiment: &Experiment, adapter: &'static Adapter) -> Vec<Option<RuntimeProgram>> {
    let mut known = Known::default();
    let is_runtime = |look| look == Look::Runtime(adapter) || look == Look::Script(Some(adapter));
    let look = |variant: &Variant| {
        let words = words_of(variant, experiment);
        let mut looks = words.iter().map(|word| known.look_at(word, &variant.run));
        let program = looks.next().unwrap_or(Look::Missing);
        let is_possible = experiment.shell.is_some()
            || !matches!(program, Look::Other | Look::Runtime(_))
            || is_runtime(program)
            || looks.any(is_runtime);
        // The setup command may not have built it yet.
        let is_program = program == Look::Runtime(adapter) || program == Look::Missing;
        let is_named = experiment.shell.is_none() && is_program;
        is_possible.then_some(RuntimeProgram { adapter, is_named })
    };
    experiment.variants.iter().map(look).collect()
}

/// A command that is a suite of benchmarks, with the harness that decides its duration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedSuite {
    /// The program's file.
    pub program: PathBuf,
    /// Its harness.
    pub harness: &'static Harness,
}

/// The first command whose duration is chosen by a benchmark harness in it.
pub fn timed_suite(experiment: &Experiment) -> Option<TimedSuite> {
    let mut known: BTreeMap<PathBuf, Option<&'static Harness>> = BTreeMap::new();
    experiment.variants.iter().find_map(|variant| {
        let words = words_of(variant, experiment);
        let (program, arguments) = words.split_first()?;
        let program = file_of(program, &variant.run)?;
        let harness = (*known.entry(program.clone()).or_insert_with(|| harness_of(&program)))?;
        let arguments: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        harness.is_timed(&arguments).then_some(TimedSuite { program, harness })
    })
}

/// The harness in an executable file, if it is unique.
fn harness_of(program: &Path) -> Option<&'static Harness> {
    let contents = std::fs::read(program).ok()?;
    match harness::recognised(&contents)[..] {
        [harness] => Some(harness),
        _ => None,
    }
}

/// The words of the command without the shell around it.
fn words_of(variant: &Variant, experiment: &Experiment) -> Vec<OsString> {
    if experiment.shell.is_none() {
        return variant.run.argv.clone();
    }
    let words = words::split(&variant.command).map(|split| split.words).unwrap_or_default();
    words.into_iter().map(OsString::from).collect()
}

/// The result of inspecting a program's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// It has this runtime.
    Runtime(&'static Adapter),
    /// A script, which may start anything; with the runtime of its interpreter, if any.
    Script(Option<&'static Adapter>),
    /// A compiled program without a known runtime.
    Other,
    /// The file does not exist yet.
    Missing,
}

/// The files inspected already: many variants may share a program.
#[derive(Debug, Default)]
struct Known(BTreeMap<PathBuf, Look>);

impl Known {
    fn look_at(&mut self, word: &OsString, run: &Invocation) -> Look {
        let Some(program) = file_of(word, run) else { return Look::Missing };
        if let Some(look) = self.0.get(&program) {
            return *look;
        }
        let mut look = search(&program).unwrap_or(Look::Missing);
        if look == Look::Script(None)
            && let Some(interpreter) = interpreter_of(&program, run)
            && let Ok(Look::Runtime(adapter)) = search(&interpreter)
        {
            look = Look::Script(Some(adapter));
        }
        self.0.insert(program, look);
        look
    }
}

/// The file that a word refers to in the variant's environment.
fn file_of(word: &OsString, run: &Invocation) -> Option<PathBuf> {
    let named = Invocation { argv: vec![word.clone()], ..run.clone() };
    named.resolve().ok().map(|command| command.program)
}

/// The interpreter of a script.
fn interpreter_of(script: &Path, run: &Invocation) -> Option<PathBuf> {
    let mut beginning = Vec::new();
    File::open(script).ok()?.take(PIECE_BYTES as u64).read_to_end(&mut beginning).ok()?;
    match interpreter(&beginning)? {
        Interpreter::Path(path) => file_of(&path.into(), run),
        Interpreter::Name(name) => file_of(&name.into(), run),
    }
}

/// The size of the pieces in which a program is read.
const PIECE_BYTES: usize = 1 << 18;

fn search(program: &Path) -> std::io::Result<Look> {
    let mut file = File::open(program)?;
    let mut piece = vec![0; PIECE_BYTES];
    let mut search = Search::default();
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 || !search.take(&piece[..length]) {
            break;
        }
    }
    Ok(match (search.runtime(), search.is_elf()) {
        (Some(adapter), _) => Look::Runtime(adapter),
        (None, true) => Look::Other,
        (None, false) => Look::Script(None),
    })
}
