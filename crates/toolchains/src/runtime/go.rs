//! Go's runtime: the variable `GODEBUG` with `gctrace=1,inittrace=1`.
//!
//! The trace has one line on standard error for each collection (package `runtime`, "Environment
//! Variables"):
//!
//! ```text
//! gc 3 @0.127s 19%: 0.059+53+2.1 ms clock, 0.11+5.2/22/33+4.2 ms cpu, 27->30->22 MB, 32 MB goal, ...
//! ```
//!
//! `clock` has the times of the three phases, of which the first and the last stop the program;
//! `cpu` is the processor time of all phases, including that of otherwise idle processors. `MB` are
//! mebibytes, rounded down. The third size is the live heap.
//!
//! The trace of initialisations (since Go 1.16) begins with every process, so even a process
//! without collections reports itself. Concurrent processes share the lines, which does not matter:
//! all figures are sums over lines, or maxima.
//!
//! A program that ends right after a collection may cut its line off. The collection then counts,
//! but its times and sizes are unknown.
//!
//! Allocation is not in the trace; sizes at collections would give it only roughly.
//!
//! Go's knobs: the variables `GOGC` and `GOMEMLIMIT` (package `runtime`, "Environment Variables").
//!
//! The user's values are replaced. Checked with Go 1.26.8.

use super::adapter::{Adapter, Asking, Kept, Request, Said, Variable, Way};
use super::figures::{Figures, FiguresError, Quantity};
use super::figures::{decimal, whole};
use super::tuning::{
    ApplyError, Change, Choice, Effect, Knob, Start, Tuning, Unit, Untouched, mib, no_conflict,
    no_facts, plain,
};

/// Go's runtime.
pub static ADAPTER: Adapter = Adapter {
    word: "go",
    name: NAME,
    about: "Go",
    marks: &[&[b"\xff Go buildinf:"]],
    interprets: false,
    ways: &[Way { shown: "GODEBUG=gctrace=1", request, read }],
    leaves: None,
    refusal: super::adapter::never_refuses,
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
    live_heap: Ok(&super::live_heap::GO),
    differences: super::adapter::no_differences,
    settings_variables: &[],
};

const NAME: &str = "Go's runtime";
const NONE_OR_CUT: &str =
    "there was no collection, or the program ended while the last one was being traced";
const ONE_GENERATION: &str = "Go's heap has one generation";

const MEBIBYTE: u64 = 1 << 20;

fn request(_asking: &Asking<'_>) -> Option<Request> {
    let variable = Variable {
        name: "GODEBUG",
        stands_in: None,
        value: "gctrace=1,inittrace=1".to_owned(),
        kept: Kept::Before(","),
    };
    Some(Request { variables: vec![variable], ..Request::default() })
}

/// The line that every process begins with, since Go 1.16.
const STARTED: &str = "init runtime @";

fn read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let (whole, last) = said.stderr.rsplit_once('\n').unwrap_or(("", said.stderr));
    let traced = whole.lines().filter_map(trace).collect::<Vec<_>>();
    let is_known = whole.lines().any(|line| line.starts_with(STARTED));
    let is_cut = is_beginning_of_trace(last);
    if traced.is_empty() && !is_known && !is_cut {
        return Ok(Vec::new());
    }
    if !said.is_stderr_whole || (is_cut && trace(last).is_none()) {
        return Err(FiguresError::CutOff { runtime: NAME });
    }
    let mut lines = traced.into_iter().collect::<Option<Vec<Figures>>>();
    if let (Some(lines), true) = (&mut lines, is_cut) {
        lines.push(untimed());
    }
    let lines = lines.ok_or(FiguresError::Malformed { runtime: NAME })?;
    let none = Figures {
        collections: Some(0),
        major_collections: Some(0),
        gc_cpu_seconds: Some(0.0),
        pause_seconds: Some(0.0),
        ..Figures::default()
    };
    Ok(vec![lines.into_iter().reduce(Figures::plus).unwrap_or(none)])
}

/// A collection with an incomplete line: a program that ends while its line is printed loses the
/// rest.
fn untimed() -> Figures {
    Figures { collections: Some(1), major_collections: Some(1), ..Figures::default() }
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

/// The collection of a line of the trace; `None` if the line is something else, `Some(None)` if it
/// cannot be read.
fn trace(line: &str) -> Option<Option<Figures>> {
    let (number, rest) = line.strip_prefix("gc ")?.split_once(" @")?;
    whole(number)?;
    Some(collection(rest))
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

/// Go's knobs.
pub static TUNING: Tuning =
    Tuning { word: "go", knobs: &[&GROWTH, &LIMIT], conflict: no_conflict, apply, facts: no_facts };

static GROWTH: Knob = Knob {
    name: "GOGC",
    about: "how much the heap may grow over what was live before it is collected",
    unit: Unit::Percent,
    default: "100 %",
    levels: &[
        plain("25"),
        plain("50"),
        plain("200"),
        plain("400"),
        plain("800"),
        plain("1600"),
        plain("off"),
    ],
    untouched: Untouched::After(2),
    effect: Effect::CostsMemory,
    needs: &[],
};

static LIMIT: Knob = Knob {
    name: "GOMEMLIMIT",
    about: "memory above which it is collected in any case (since 1.19)",
    unit: Unit::Bytes,
    default: "none",
    levels: &[
        mib("64MiB", 64),
        mib("256MiB", 256),
        mib("512MiB", 512),
        mib("1GiB", 1024),
        mib("2GiB", 2048),
        mib("4GiB", 4096),
        mib("8GiB", 8192),
    ],
    untouched: Untouched::After(7),
    effect: Effect::CostsMemory,
    needs: &[],
};

#[expect(clippy::unnecessary_wraps, reason = "other runtimes may refuse")]
fn apply(choices: &[Choice], _start: &Start<'_>) -> Result<Change, ApplyError> {
    let variables = choices.iter().map(|c| (c.knob.name, c.level.text.to_owned())).collect();
    Ok(Change { variables, argv: None })
}
