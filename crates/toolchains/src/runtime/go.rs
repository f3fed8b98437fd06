//! Go's runtime: the variable `GODEBUG` with `gctrace=1,inittrace=1`, and its knobs, the variables
//! `GOGC` and `GOMEMLIMIT` (package `runtime`, "Environment Variables").
//!
//! The trace has one line on standard error for each collection:
//!
//! ```text
//! gc 3 @0.127s 19%: 0.059+53+2.1 ms clock, 0.11+5.2/22/33+4.2 ms cpu, 27->30->22 MB, 32 MB goal, ...
//! ```
//!
//! `clock` has the times of the three phases, of which the first and the last stop the program;
//! `cpu` is the processor time of all phases, including that of otherwise idle processors. `MB` are
//! mebibytes, rounded down. The third size is the live heap. Allocation is not in the trace.
//!
//! The trace of initialisations (since Go 1.16) begins with every process, so even a process
//! without collections reports itself. Concurrent processes share the lines, which does not matter:
//! all figures are sums over lines, or maxima. A program that ends right after a collection may cut
//! its line off. The collection then counts, but its times and sizes are unknown.
//!
//! A knob replaces the user's value. Checked with Go 1.26.8.

use super::adapter::{
    Adapter, COMPILED, Kept, LiveHeapQuery, LiveSample, Request, Said, Way, ordered_samples,
};
use super::figures::{Figures, FiguresError, MEBIBYTE, Quantity, decimal, whole};
use super::tuning::{Facts, KNOB, Knob, Tuning, Unit, Untouched, as_variables, plain, sizes};

/// Go's runtime.
pub static ADAPTER: Adapter = Adapter {
    word: "go",
    name: NAME,
    about: "Go",
    marks: &[&[b"\xff Go buildinf:"]],
    ways: &[Way {
        shown: "GODEBUG=gctrace=1",
        request: |_| Some(request("gctrace=1,inittrace=1")),
        read,
    }],
    silence: "no program of the run traced its collections (not one of Go's, or its standard error \
              goes elsewhere)",
    unreachable: "Go's runtime cannot be asked like this",
    lacking: &[
        (
            Quantity::Allocated,
            "Go's trace does not say it; `runtime.MemStats.TotalAlloc` in the program does",
        ),
        (Quantity::Promoted, ONE_GENERATION),
        (Quantity::MinorCollections, ONE_GENERATION),
        (Quantity::MaxLive, NONE_OR_CUT),
        (Quantity::GcTime, NONE_OR_CUT),
        (Quantity::PauseTime, NONE_OR_CUT),
        (
            Quantity::MaxInUse,
            "Go's trace does not say it; `runtime.MemStats.HeapSys` in the program does",
        ),
        (Quantity::Copied, "Go's collector does not move anything"),
        (Quantity::MutatorTime, "Go's trace does not say it; see cpu time"),
        (Quantity::MaxPause, NONE_OR_CUT),
    ],
    live_heap: Ok(&LIVE_HEAP),
    ..COMPILED
};

const NAME: &str = "Go's runtime";
const NONE_OR_CUT: &str =
    "there was no collection, or the program ended while the last one was being traced";
const ONE_GENERATION: &str = "Go's heap has one generation";

fn request(value: &str) -> Request {
    Request::variable("GODEBUG", value, Kept::Before(","))
}

/// The line that every process begins with, since Go 1.16.
const STARTED: &str = "init runtime @";

fn read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let (whole, last) = said.stderr.rsplit_once('\n').unwrap_or(("", said.stderr));
    let traced: Vec<_> = whole.lines().filter_map(trace).map(collection).collect();
    let is_known = whole.lines().any(|line| line.starts_with(STARTED));
    let is_cut = is_beginning_of_trace(last);
    if traced.is_empty() && !is_known && !is_cut {
        return Ok(Vec::new());
    }
    if !said.is_stderr_whole || (is_cut && trace(last).is_none()) {
        return Err(FiguresError::CutOff { runtime: NAME });
    }
    let lines: Option<Vec<Figures>> = traced.into_iter().collect();
    let lines = lines.ok_or(FiguresError::Malformed { runtime: NAME })?;
    // A program that ends while its last line is printed loses the rest of it.
    let untimed =
        Figures { collections: Some(1), major_collections: Some(1), ..Figures::default() };
    let lines = lines.into_iter().chain(is_cut.then_some(untimed));
    let none = Figures {
        collections: Some(0),
        major_collections: Some(0),
        gc_cpu_seconds: Some(0.0),
        pause_seconds: Some(0.0),
        ..Figures::default()
    };
    Ok(vec![lines.reduce(Figures::plus).unwrap_or(none)])
}

/// True if an unfinished line begins like those of the trace, as far as it goes.
fn is_beginning_of_trace(line: &str) -> bool {
    let Some(number) = line.strip_prefix("gc ") else {
        return !line.is_empty() && "gc ".starts_with(line);
    };
    let digits = number.split(' ').next().unwrap_or_default();
    let rest = &number[digits.len()..];
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && (rest.starts_with(" @") || " @".starts_with(rest))
}

/// The text after the number and the `@` of a line of the trace; `None` for other lines.
fn trace(line: &str) -> Option<&str> {
    let (number, rest) = line.strip_prefix("gc ")?.split_once(" @")?;
    whole(number).map(|_| rest)
}

fn collection(rest: &str) -> Option<Figures> {
    let (_, rest) = rest.split_once("%: ")?;
    let (clock, rest) = rest.split_once(" ms clock, ")?;
    let (cpu, rest) = rest.split_once(" ms cpu, ")?;
    let (sizes, _) = rest.split_once(" MB, ")?;
    let clock = clock.split('+').map(decimal).collect::<Option<Vec<f64>>>()?;
    let cpu = cpu.split(['+', '/']).map(decimal).collect::<Option<Vec<f64>>>()?;
    let sizes = sizes.split("->").map(whole).collect::<Option<Vec<u64>>>()?;
    let (&[first, _, last], &[_, _, live], 5) = (&clock[..], &sizes[..], cpu.len()) else {
        return None;
    };
    Some(Figures {
        max_live_bytes: live.checked_mul(MEBIBYTE),
        collections: Some(1),
        major_collections: Some(1),
        gc_cpu_seconds: Some(cpu.iter().sum::<f64>() / 1e3),
        pause_seconds: Some((first + last) / 1e3),
        max_pause_seconds: Some(first.max(last) / 1e3),
        ..Figures::default()
    })
}

/// The live heap after each collection. Sizes are rounded down to mebibytes.
pub static LIVE_HEAP: LiveHeapQuery = LiveHeapQuery {
    shown: "GODEBUG=gctrace=1",
    request: |_| request("gctrace=1"),
    read: |said| {
        // A program that ends while its last line is printed loses the rest of it.
        let (whole_lines, _) = said.stderr.rsplit_once('\n').unwrap_or_default();
        ordered_samples(said, whole_lines.lines().filter_map(trace).map(live_sample))
    },
};

fn live_sample(rest: &str) -> Option<LiveSample> {
    let (seconds, rest) = rest.split_once("s ")?;
    let (sizes, _) = rest.split_once(" MB, ")?;
    let (_, live) = sizes.rsplit_once("->")?;
    let bytes = whole(live)? as f64 * MEBIBYTE as f64;
    Some(LiveSample { seconds: decimal(seconds)?, bytes })
}

/// Go's knobs.
pub static TUNING: Tuning = Tuning {
    word: "go",
    knobs: &[&GROWTH, &LIMIT],
    conflict: |_| None,
    apply: as_variables,
    facts: |_| Facts::default(),
};

static GROWTH: Knob = Knob {
    name: "GOGC",
    about: "how much the heap may grow over what was live before it is collected",
    unit: Unit::Percent,
    default: "100 %",
    levels: &plain(["25", "50", "200", "400", "800", "1600", "off"]),
    untouched: Untouched::After(2),
    ..KNOB
};

static LIMIT: Knob = Knob {
    name: "GOMEMLIMIT",
    about: "memory above which it is collected in any case (since 1.19)",
    default: "none",
    levels: &sizes(["64MiB", "256MiB", "512MiB", "1GiB", "2GiB", "4GiB", "8GiB"], 1),
    untouched: Untouched::After(7),
    ..KNOB
};
