//! The runtimes of CPython, Node and SBCL, which load a file of ours before the program. It reports
//! when the program ends.
//!
//! CPython finds a module `sitecustomize` by the variable `PYTHONPATH`. Most memory of a Python
//! program is freed by counting references, which is not reported. Only the collections of cycles
//! are: their number, their generations and their times. Our module hides a `sitecustomize` of the
//! user's, and loads it. Options that ignore the environment (`-I`, `-E`) or the module (`-S`) make
//! a query impossible. Its one knob is the allocator of small objects (since 3.6): the frequency of
//! the cycle collector can only be set by the program. Checked with CPython 3.11.7.
//!
//! Node has `--require` and its knobs in the variable `NODE_OPTIONS`; the options of the command
//! itself override it. `--trace-gc` is not allowed there, and writes to the program's standard
//! output. `v8.GCProfiler` (since Node 18.15) gives the same data without that: for each collection
//! its kind, the pause of the main thread, and the sizes before and after. It does not cover
//! background threads or the program's workers. Allocation could only be guessed from the sizes.
//! Other options of V8, such as `--min-semi-space-size`, are refused. Checked with Node 20.20.2.
//!
//! SBCL has `--load`, which goes after the options of the C part of the runtime and before those of
//! the Lisp part (SBCL manual, "Command-line options"). `--script` as a C option means `--noinform
//! --disable-ldb --lose-on-corruption` and ends the C options, so these replace it there, and it
//! stays as a Lisp option. The program does not see any of them: the runtime removes the options
//! that it knows from `*posix-argv*`. A program that was saved with its own core and start has its
//! own options and is left alone. The report has allocated bytes and the processor time of
//! collections, including the loading of the program's source. Hooks run after a collection, but
//! one run may cover several collections, so neither their number nor the live heap is known.
//!
//! SBCL's knobs are the size of its heap, an option of the C part, and the bytes allocated between
//! collections, a variable of the Lisp part. The latter takes effect from the next collection on,
//! so one is made at once; both happen before the program is loaded. It defaults to 5 % of the
//! heap's size, so the first knob turns both. Checked with SBCL 2.2.9 and 2.6.4.

use std::ffi::OsString;
use std::path::Path;

use super::adapter::{Adapter, Asking, COMPILED, Kept, Request, Said, Variable, Way, plain_path};
use super::figures::{Figures, FiguresError, MEBIBYTE, Quantity, Report, reports};
use super::tuning::{
    ApplyError, Change, Choice, Effect, Facts, KNOB, Knob, Start, Tuning, Unit, Untouched,
    as_variables, assignment, chosen, in_variable, inserted, plain, refuse_said, sizes,
};

/// The variable with the file that the report goes to.
fn report_to(name: &'static str, asking: &Asking<'_>) -> Option<Variable> {
    Some(Variable::new(name, plain_path(asking.mailbox, &[])?, Kept::No))
}

/// CPython's runtime.
pub(super) static CPYTHON: Adapter = Adapter {
    word: "cpython",
    name: CPYTHON_NAME,
    about: "CPython, for Python programs",
    marks: &[&[b"libpython3", b"Py_BytesMain\0"], &[b"PYTHONHASHSEED\0", b"Py_BytesMain\0"]],
    interprets: true,
    ways: &[Way { shown: "PYTHONPATH=FOLDER", request: cpython_request, read: cpython_read }],
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
    ..COMPILED
};

const CPYTHON_NAME: &str = "CPython's runtime";
const COUNTING: &str =
    "CPython counts references and does not say it; `tracemalloc` in the program does, at a price";

fn cpython_request(asking: &Asking<'_>) -> Option<Request> {
    let folder = plain_path(asking.folder, &[':'])?;
    let path = Variable::new("PYTHONPATH", folder, Kept::After(":"));
    let report = report_to("BRISK_CPYTHON_REPORT", asking)?;
    // The name of the file is prescribed.
    let files = vec![("sitecustomize.py", include_str!("preludes/sitecustomize.py"))];
    Some(Request { variables: vec![path, report], files, ..Request::default() })
}

fn cpython_read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    reports(said.mailbox, "brisk-cpython", CPYTHON_NAME)?.iter().map(Report::collections).collect()
}

/// CPython's knob.
pub(super) static CPYTHON_TUNING: Tuning = Tuning {
    word: "cpython",
    knobs: &[&ALLOCATOR],
    conflict: |_| None,
    apply: as_variables,
    facts: |_| Facts::default(),
};

static ALLOCATOR: Knob = Knob {
    name: "PYTHONMALLOC",
    about: "where small objects come from",
    unit: Unit::Name,
    default: "pymalloc, arenas of its own",
    levels: &plain(["malloc"]),
    effect: Effect::Unordered,
    ..KNOB
};

/// Node's runtime.
pub(super) static NODE: Adapter = Adapter {
    word: "node",
    name: NODE_NAME,
    about: "Node, for JavaScript programs",
    marks: &[&[b"NODE_OPTIONS\0", b"_ZN2v8", b"node::"], &[b"NODE_OPTIONS\0", b"v8::", b"node::"]],
    interprets: true,
    ways: &[Way { shown: "NODE_OPTIONS=--require FILE", request: node_request, read: node_read }],
    silence: "no program of the run gave a report when it ended (not one of Node's, older than \
              18.15, or ended by a signal)",
    unreachable: "the folder for temporary files has a sign in its name that the options of Node \
                  cannot have; `TMPDIR` chooses another",
    lacking: &[
        (Quantity::Allocated, "V8 does not say it; `--heap-prof` samples it"),
        (Quantity::Promoted, "V8 does not say it"),
        (Quantity::Copied, "V8 does not say it"),
        (Quantity::MaxLive, "there was no major collection"),
        (Quantity::GcTime, "V8 gives only the pauses of the main thread: pause time"),
        (Quantity::MutatorTime, "V8 does not say it; see cpu time"),
        (Quantity::MaxPause, "there was no collection"),
    ],
    live_heap: Err("what Node says of each collection is not read over time"),
    ..COMPILED
};

const NODE_NAME: &str = "Node's runtime";

const NODE_VARIABLE: &str = "NODE_OPTIONS";
const NODE_FILE: &str = "brisk-node.cjs";

fn node_request(asking: &Asking<'_>) -> Option<Request> {
    let file = plain_path(&asking.folder.join(NODE_FILE), &['"', '\\'])?;
    let value = format!("--require \"{file}\"");
    let option = Variable::new(NODE_VARIABLE, value, Kept::Before(" "));
    let report = report_to("BRISK_NODE_REPORT", asking)?;
    let files = vec![(NODE_FILE, include_str!("preludes/node.cjs"))];
    Some(Request { variables: vec![option, report], files, ..Request::default() })
}

fn node_read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let figures = |report: &Report<'_>| {
        Ok(Figures {
            max_live_bytes: report.count("max_live_bytes")?,
            max_in_use_bytes: report.count("max_heap_bytes")?,
            ..report.collections()?
        })
    };
    reports(said.mailbox, "brisk-node", NODE_NAME)?.iter().map(figures).collect()
}

/// Node's knobs.
pub(super) static NODE_TUNING: Tuning = Tuning {
    word: "node",
    knobs: &[&YOUNG, &OLD],
    conflict: node_conflict,
    apply: node_apply,
    facts: |_| Facts::default(),
};

static YOUNG: Knob = Knob {
    name: "--max-semi-space-size",
    about: "size that each half of the young generation may have",
    unit: Unit::Mebibytes,
    default: "16 MiB",
    levels: &sizes(["1", "4", "8", "32", "64", "128", "256", "512"], MEBIBYTE),
    untouched: Untouched::After(3),
    ..KNOB
};

static OLD: Knob = Knob {
    name: "--max-old-space-size",
    about: "size that the old generation may have",
    unit: Unit::Mebibytes,
    default: "2 to 4 GiB, by the machine's memory",
    levels: &sizes(["256", "512", "1024", "2048", "8192", "16384"], MEBIBYTE),
    untouched: Untouched::PartOfMemory(4),
    ..KNOB
};

fn node_conflict(choices: &[Choice]) -> Option<&'static str> {
    let bytes = |knob| chosen(choices, knob).map(|level| level.claims_bytes);
    let is_larger = bytes(&YOUNG).zip(bytes(&OLD)).is_some_and(|(young, old)| young >= old);
    is_larger.then_some("the young generation is smaller than the old one")
}

/// True if a word of the user's sets the same knob as a choice; V8 accepts `_` for `-`.
fn is_node_same(word: &str, choice: &Choice) -> bool {
    word.replace('_', "-").starts_with(choice.knob.name)
}

fn node_apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    refuse_said(start.argv.unwrap_or_default().iter().skip(1), choices, is_node_same)?;
    let theirs = (start.variable)(NODE_VARIABLE);
    Ok(in_variable(NODE_VARIABLE, theirs, ' ', choices, assignment, is_node_same))
}

/// SBCL's runtime.
pub(super) static SBCL: Adapter = Adapter {
    word: "sbcl",
    name: SBCL_NAME,
    about: "SBCL, for Common Lisp programs that `sbcl` loads",
    marks: &[&[b"SBCL_HOME\0", b"--dynamic-space-size\0", b"--merge-core-pages\0"]],
    ways: &[Way { shown: "sbcl --load FILE", request: sbcl_request, read: sbcl_read }],
    silence: "the program gave no report when it ended (not run by `sbcl`, ended by a signal, by \
              `(exit :abort t)`, or because the heap was exhausted)",
    unreachable: "SBCL's runtime is asked by arguments, which reach only an `sbcl` that the command \
                  itself names, without a shell or a script, and no program saved with a start of \
                  its own",
    lacking: &[
        (Quantity::Promoted, "SBCL does not say it"),
        (Quantity::MaxLive, "SBCL tells it only in a log of every collection, `sb-ext:gc-logfile`"),
        (Quantity::MaxInUse, "SBCL does not say it; see peak rss"),
        (Quantity::Copied, "SBCL does not say it"),
        (Quantity::Collections, COUNT),
        (Quantity::MinorCollections, COUNT),
        (Quantity::MajorCollections, COUNT),
        (Quantity::PauseTime, "SBCL gives it as processor time only: gc time"),
        (Quantity::MaxPause, "SBCL does not say it"),
    ],
    live_heap: Err("SBCL does not say what is live after each collection"),
    ..COMPILED
};

const SBCL_NAME: &str = "SBCL's runtime";
const COUNT: &str = "SBCL counts them only in a log of every collection, `sb-ext:gc-logfile`";

/// The options of the C part that take a value, and those that do not.
const WITH_VALUE: [&str; 4] =
    ["--core", "--dynamic-space-size", "--control-stack-size", "--tls-limit"];
const ALONE: [&str; 7] = [
    "--noinform",
    "--debug-environment",
    "--disable-ldb",
    "--lose-on-corruption",
    "--merge-core-pages",
    "--no-merge-core-pages",
    "--default-merge-core-pages",
];

/// The position at which the options of the Lisp part begin.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ToplevelPlace {
    /// The number of words of the command before it.
    at: usize,
    /// The options to insert first, if `--script` follows, which implied them.
    instead: &'static [&'static str],
}

/// The position at which the options of the Lisp part begin; `None` if the program is not `sbcl`.
fn toplevel_place(argv: &[OsString]) -> Option<ToplevelPlace> {
    if Path::new(argv.first()?).file_name()? != "sbcl" {
        return None;
    }
    let mut at = 1;
    let mut instead: &[&str] = &[];
    while let Some(word) = argv.get(at).and_then(|word| word.to_str()) {
        match word {
            _ if WITH_VALUE.contains(&word) => at += 2,
            _ if ALONE.contains(&word) => at += 1,
            "--end-runtime-options" => {
                at += 1;
                break;
            }
            "--script" => {
                instead = &["--noinform", "--disable-ldb", "--lose-on-corruption"];
                break;
            }
            _ => break,
        }
    }
    Some(ToplevelPlace { at: at.min(argv.len()), instead })
}

const SBCL_FILE: &str = "brisk-sbcl.lisp";

fn sbcl_request(asking: &Asking<'_>) -> Option<Request> {
    let ToplevelPlace { at, instead } = toplevel_place(asking.argv?)?;
    let mut arguments: Vec<String> = instead.iter().map(|&word| word.to_owned()).collect();
    arguments.extend(["--load".to_owned(), plain_path(&asking.folder.join(SBCL_FILE), &[])?]);
    Some(Request {
        variables: vec![report_to("BRISK_SBCL_REPORT", asking)?],
        arguments,
        arguments_at: at,
        files: vec![(SBCL_FILE, include_str!("preludes/sbcl.lisp"))],
    })
}

fn sbcl_read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let figures = |report: &Report<'_>| {
        // Internal time units are microseconds on every 64-bit machine.
        let gc = report.count("gc_microseconds")?;
        let all = report.count("run_microseconds")?;
        let seconds = |microseconds: u64| microseconds as f64 / 1e6;
        Ok(Figures {
            allocated_bytes: report.count("bytes_consed")?,
            gc_cpu_seconds: gc.map(seconds),
            mutator_cpu_seconds: all.zip(gc).and_then(|(all, gc)| all.checked_sub(gc)).map(seconds),
            ..Figures::default()
        })
    };
    reports(said.mailbox, "brisk-sbcl", SBCL_NAME)?.iter().map(figures).collect()
}

/// SBCL's knobs.
pub(super) static SBCL_TUNING: Tuning = Tuning {
    word: "sbcl",
    knobs: &[&SPACE, &NURSERY],
    conflict: sbcl_conflict,
    apply: sbcl_apply,
    facts: |_| Facts::default(),
};

static SPACE: Knob = Knob {
    name: "--dynamic-space-size",
    about: "size of the heap",
    unit: Unit::Mebibytes,
    default: "8192 MiB, or as built (Debian 1024)",
    levels: &sizes(["512", "2048", "4096", "6144", "8192", "12288", "16384", "32768"], MEBIBYTE),
    untouched: Untouched::After(1),
    ..KNOB
};

static NURSERY: Knob = Knob {
    name: "bytes-consed-between-gcs",
    about: "how much is allocated between two collections",
    default: "5 % of the heap's size",
    levels: &sizes(
        [
            "8388608",
            "16777216",
            "33554432",
            "67108864",
            "134217728",
            "268435456",
            "536870912",
            "1073741824",
            "2147483648",
        ],
        1,
    ),
    untouched: Untouched::After(3),
    ..KNOB
};

/// The smallest common default heap: Debian's.
const USUAL_SPACE_BYTES: u64 = 1 << 30;

/// A copying collection needs room for its copies; a nursery of more than this part of the heap is
/// useless.
const LEAST_NURSERIES: u64 = 4;

fn sbcl_conflict(choices: &[Choice]) -> Option<&'static str> {
    let space = chosen(choices, &SPACE).map_or(USUAL_SPACE_BYTES, |level| level.claims_bytes);
    let nursery = chosen(choices, &NURSERY).map_or(0, |level| level.claims_bytes);
    (nursery * LEAST_NURSERIES > space).then_some("the heap has no room for four such nurseries")
}

fn sbcl_apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    let unreachable = ApplyError::Unreachable { reason: SBCL.unreachable };
    let place = start.argv.and_then(|argv| Some((argv, toplevel_place(argv)?)));
    let (argv, place) = place.ok_or(unreachable)?;
    let says_space = |word: &str, choice: &Choice| choice.knob == &SPACE && word == SPACE.name;
    refuse_said(argv[..place.at].iter(), choices, says_space)?;
    let mut words: Vec<String> = place.instead.iter().map(|&word| word.to_owned()).collect();
    if let Some(level) = chosen(choices, &NURSERY) {
        let form = format!("(progn (setf (sb-ext:bytes-consed-between-gcs) {}) (gc))", level.text);
        words.extend(["--eval".to_owned(), form]);
    }
    let change = inserted(argv, place.at, words);
    let Some(level) = chosen(choices, &SPACE) else { return Ok(change) };
    let argv = change.argv.unwrap_or_default();
    // Directly after the program's name, before `--end-runtime-options`.
    Ok(inserted(&argv, 1, vec![SPACE.name.to_owned(), level.text.to_owned()]))
}
