//! Node's runtime, V8: a JavaScript file that is loaded before the program, by the variable
//! `NODE_OPTIONS` with `--require`, and reports at exit.
//!
//! `--trace-gc` is not allowed in the variable, and writes to the program's standard output.
//! `v8.GCProfiler` (since Node 18.15) gives the same data without that: for each collection its
//! kind, the pause of the main thread, and the sizes before and after. It does not cover background
//! threads or the program's workers. Allocation could only be guessed from the sizes. Checked with
//! Node 20.20.2.

use super::adapter::{Adapter, Asking, Kept, Request, Said, Variable, Way, plain};
use super::figures::{Figures, FiguresError, Quantity};
use super::reports::{Report, reports};

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
    let file = plain(&asking.folder.join(FILE), &['"', '\\'])?;
    let option = Variable {
        name: "NODE_OPTIONS",
        stands_in: None,
        value: format!("--require \"{file}\""),
        kept: Kept::Before(" "),
    };
    let report = Variable {
        name: "BRISK_NODE_REPORT",
        stands_in: None,
        value: plain(asking.mailbox, &[])?,
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
