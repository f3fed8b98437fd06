//! CPython's runtime: a module `sitecustomize`, found by the variable `PYTHONPATH`, that reports
//! when the program ends.
//!
//! Most memory of a Python program is freed by counting references, which is not reported. Only the
//! collections of cycles are: their number, their generations and their times. Our module hides a
//! `sitecustomize` of the user's, and loads it. Options that ignore the environment (`-I`, `-E`) or
//! the module (`-S`) make a query impossible. Checked with CPython 3.11.7.
//!
//! The knob of CPython: the allocator of small objects, by the variable `PYTHONMALLOC` (since 3.6).
//!
//! The frequency of the cycle collector can only be set by the program, with `gc.set_threshold`,
//! `gc.freeze` or `gc.disable`. Checked with CPython 3.11.7.

use super::adapter::{Adapter, Asking, Kept, Request, Said, Variable, Way, plain_path};
use super::figures::{Figures, FiguresError, Quantity, Report, reports};
use super::tuning::{
    ApplyError, Change, Choice, Effect, Knob, Start, Tuning, Unit, Untouched, no_conflict,
    no_facts, plain,
};

/// CPython's runtime.
pub static ADAPTER: Adapter = Adapter {
    word: "cpython",
    name: NAME,
    about: "CPython, for Python programs",
    marks: &[&[b"libpython3", b"Py_BytesMain\0"], &[b"PYTHONHASHSEED\0", b"Py_BytesMain\0"]],
    interprets: true,
    ways: &[Way { shown: "PYTHONPATH=FOLDER", request, read }],
    leaves: None,
    refusal: super::adapter::never_refuses,
    silence: "no program of the run gave a report when it ended (not one of CPython's, run with \
              `-I`, `-E` or `-S`, or ended by a signal or `os._exit`)",
    unreachable: "the folder for temporary files has a colon in its name; `TMPDIR` chooses another",
    lacking: &[
        (Quantity::Allocated, COUNTING),
        (Quantity::MaxLive, COUNTING),
        (Quantity::MaxInUse, COUNTING),
        (Quantity::Promoted, COUNTING),
        (Quantity::Copied, "CPython does not move anything"),
        (Quantity::GcTime, "CPython gives only the pauses: pause time"),
        (Quantity::MutatorTime, "CPython does not say it; see cpu time"),
        (Quantity::MaxPause, "there was no collection of cycles"),
    ],
    live_heap: Err("CPython counts references, and does not say what is live"),
    differences: super::adapter::no_differences,
    settings_variables: &[],
};

const NAME: &str = "CPython's runtime";
const COUNTING: &str =
    "CPython counts references and does not say it; `tracemalloc` in the program does, at a price";

/// The file, whose name is prescribed, and the word that its reports begin with.
const FILE: &str = "sitecustomize.py";
const WORD: &str = "brisk-cpython";

const PRELUDE: &str = include_str!("preludes/sitecustomize.py");

fn request(asking: &Asking<'_>) -> Option<Request> {
    let path = Variable {
        name: "PYTHONPATH",
        stands_in: None,
        value: plain_path(asking.folder, &[':'])?,
        kept: Kept::After(":"),
    };
    let report = Variable {
        name: "BRISK_CPYTHON_REPORT",
        stands_in: None,
        value: plain_path(asking.mailbox, &[])?,
        kept: Kept::No,
    };
    let files = vec![(FILE, PRELUDE)];
    Some(Request { variables: vec![path, report], files, ..Request::default() })
}

fn read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    reports(said.mailbox, WORD, NAME)?.iter().map(Report::collections).collect()
}

/// CPython's knob.
pub static TUNING: Tuning =
    Tuning { word: "cpython", knobs: &[&ALLOCATOR], conflict: no_conflict, apply, facts: no_facts };

static ALLOCATOR: Knob = Knob {
    name: "PYTHONMALLOC",
    about: "where small objects come from",
    unit: Unit::Name,
    default: "pymalloc, arenas of its own",
    levels: &[plain("malloc")],
    untouched: Untouched::After(0),
    effect: Effect::Unordered,
    needs: &[],
};

#[expect(clippy::unnecessary_wraps, reason = "other runtimes may refuse")]
fn apply(choices: &[Choice], _start: &Start<'_>) -> Result<Change, ApplyError> {
    let variables = choices.iter().map(|c| (c.knob.name, c.level.text.to_owned())).collect();
    Ok(Change { variables, argv: None })
}
