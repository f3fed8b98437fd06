//! Node's runtime, V8: a JavaScript file that is loaded before the program, by the variable
//! `NODE_OPTIONS` with `--require`, and reports at exit.
//!
//! `--trace-gc` is not allowed in the variable, and writes to the program's standard output.
//! `v8.GCProfiler` (since Node 18.15) gives the same data without that: for each collection its
//! kind, the pause of the main thread, and the sizes before and after. It does not cover background
//! threads or the program's workers. Allocation could only be guessed from the sizes. Checked with
//! Node 20.20.2.
//!
//! Node's knobs: options of V8 in the variable `NODE_OPTIONS`, as far as it accepts them.
//!
//! It refuses others, such as `--min-semi-space-size`. The options of the command itself override
//! the variable. Checked with Node 20.20.2.

use super::adapter::{Adapter, Asking, Kept, Request, Said, Variable, Way, plain_path};
use super::figures::{Figures, FiguresError, Quantity};
use super::figures::{Report, reports};
use super::tuning::{
    ApplyError, Change, Choice, Effect, Knob, Start, Tuning, Unit, Untouched, beside, chosen, mib,
    no_facts, refuse_said,
};

/// Node's runtime.
pub static ADAPTER: Adapter = Adapter {
    word: "node",
    name: NAME,
    about: "Node, for JavaScript programs",
    marks: &[&[b"NODE_OPTIONS\0", b"_ZN2v8", b"node::"], &[b"NODE_OPTIONS\0", b"v8::", b"node::"]],
    interprets: true,
    ways: &[Way { shown: "NODE_OPTIONS=--require FILE", request, read }],
    leaves: None,
    refusal: super::adapter::never_refuses,
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
    differences: super::adapter::no_differences,
    settings_variables: &[],
};

const NAME: &str = "Node's runtime";

/// The file, and the word that its reports begin with.
const FILE: &str = "brisk-node.cjs";
const WORD: &str = "brisk-node";

const PRELUDE: &str = include_str!("preludes/node.cjs");

fn request(asking: &Asking<'_>) -> Option<Request> {
    let file = plain_path(&asking.folder.join(FILE), &['"', '\\'])?;
    let option = Variable {
        name: "NODE_OPTIONS",
        stands_in: None,
        value: format!("--require \"{file}\""),
        kept: Kept::Before(" "),
    };
    let report = Variable {
        name: "BRISK_NODE_REPORT",
        stands_in: None,
        value: plain_path(asking.mailbox, &[])?,
        kept: Kept::No,
    };
    let files = vec![(FILE, PRELUDE)];
    Some(Request { variables: vec![option, report], files, ..Request::default() })
}

fn read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    reports(said.mailbox, WORD, NAME)?.iter().map(figures).collect()
}

fn figures(report: &Report<'_>) -> Result<Figures, FiguresError> {
    Ok(Figures {
        max_live_bytes: report.count("max_live_bytes")?,
        max_in_use_bytes: report.count("max_heap_bytes")?,
        ..report.collections()?
    })
}

/// Node's knobs.
pub static TUNING: Tuning =
    Tuning { word: "node", knobs: &[&YOUNG, &OLD], conflict, apply, facts: no_facts };

static YOUNG: Knob = Knob {
    name: "--max-semi-space-size",
    about: "size that each half of the young generation may have",
    unit: Unit::Mebibytes,
    default: "16 MiB",
    levels: &[
        mib("1", 1),
        mib("4", 4),
        mib("8", 8),
        mib("32", 32),
        mib("64", 64),
        mib("128", 128),
        mib("256", 256),
        mib("512", 512),
    ],
    untouched: Untouched::After(3),
    effect: Effect::CostsMemory,
    needs: &[],
};

static OLD: Knob = Knob {
    name: "--max-old-space-size",
    about: "size that the old generation may have",
    unit: Unit::Mebibytes,
    default: "2 to 4 GiB, by the machine's memory",
    levels: &[
        mib("256", 256),
        mib("512", 512),
        mib("1024", 1024),
        mib("2048", 2048),
        mib("8192", 8192),
        mib("16384", 16384),
    ],
    untouched: Untouched::PartOfMemory(4),
    effect: Effect::CostsMemory,
    needs: &[],
};

fn conflict(choices: &[Choice]) -> Option<&'static str> {
    let bytes = |knob| chosen(choices, knob).map(|level| level.claims_bytes);
    let is_larger = bytes(&YOUNG).zip(bytes(&OLD)).is_some_and(|(young, old)| young >= old);
    is_larger.then_some("the young generation is smaller than the old one")
}

/// True if a word of the user's sets the same knob as a choice; V8 accepts `_` for `-`.
fn is_same(word: &str, choice: &Choice) -> bool {
    word.replace('_', "-").starts_with(choice.knob.name)
}

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    refuse_said(start.argv.unwrap_or_default().iter().skip(1), choices, is_same)?;
    let ours: Vec<String> =
        choices.iter().map(|c| format!("{}={}", c.knob.name, c.level.text)).collect();
    let is_ours = |word: &str| choices.iter().any(|choice| is_same(word, choice));
    let value = beside((start.variable)("NODE_OPTIONS"), ' ', &ours, is_ours);
    Ok(Change { variables: vec![("NODE_OPTIONS", value)], argv: None })
}
