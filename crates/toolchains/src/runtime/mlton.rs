//! The runtime of Standard ML programs compiled by MLton: the first arguments `@MLton
//! gc-summary-file FILE --`, or `@MLton gc-summary --`, which writes to standard error.
//!
//! There is no variable, so a program is only reached if the command names it directly. The runtime
//! removes these arguments before the program sees its own; other arguments for the runtime, such
//! as those that load a saved world, may follow. Its summary has a table of the three kinds of
//! collection, then lines `key: 1,234 unit`; times are whole milliseconds of processor time.
//! Checked with MLton 20241230.
//!
//! The knobs of MLton's runtime: arguments between `@MLton` and `--`, before the program's own.
//!
//! The runtime requires mark-compact-ratio <= copy-ratio <= live-ratio; the first is 1.04 by
//! default. If there are several groups of arguments, the last one counts, so ours goes last.
//! Checked with MLton 20241230.

use super::adapter::{Adapter, Asking, Request, Said, Way, plain_path};
use super::figures::{Figures, FiguresError, Quantity, whole};
use super::tuning::{
    ApplyError, Change, Choice, Effect, Knob, Level, Start, Tuning, Unit, Untouched, chosen,
    inserted, mib, no_facts, plain, refuse_said,
};

/// MLton's runtime.
pub static ADAPTER: Adapter = Adapter {
    word: "mlton",
    name: NAME,
    about: "MLton, for Standard ML programs",
    marks: &[&[b"@MLton\0", b"gc-summary\0"]],
    interprets: false,
    ways: &[
        Way { shown: "@MLton gc-summary-file FILE --", request: to_file, read: read_file },
        Way { shown: "@MLton gc-summary --", request: to_stderr, read: read_stderr },
    ],
    leaves: None,
    refusal: |stderr| stderr.lines().find(|line| line.starts_with("Strange @MLton arg: ")),
    silence: "the program gave no summary (not one of MLton's, or ended by a signal)",
    unreachable: "MLton's runtime is asked by arguments, which reach only a program that the command \
                  itself names, without a shell or a script",
    lacking: &[
        (Quantity::MaxLive, "there was no major collection"),
        (Quantity::PauseTime, "MLton's runtime gives it as processor time only: gc time"),
    ],
    live_heap: Err("MLton does not say what is live after each collection"),
    differences: super::adapter::no_differences,
    settings_variables: &[],
};

const NAME: &str = "MLton's runtime";

fn to_file(asking: &Asking<'_>) -> Option<Request> {
    asking.argv?;
    let file = plain_path(asking.mailbox, &[])?;
    Some(arguments(&["@MLton", "gc-summary-file", &file, "--"]))
}

fn to_stderr(asking: &Asking<'_>) -> Option<Request> {
    asking.argv.map(|_| arguments(&["@MLton", "gc-summary", "--"]))
}

fn arguments(words: &[&str]) -> Request {
    let arguments = words.iter().map(|&word| word.to_owned()).collect();
    Request { arguments, arguments_at: 1, ..Request::default() }
}

fn read_file(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    summaries(said.mailbox)
}

fn read_stderr(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let before = said.stderr.split(BEGIN).next().unwrap_or_default();
    if !said.is_stderr_whole && before.contains(IN_EVERY) {
        return Err(FiguresError::CutOff { runtime: NAME });
    }
    summaries(said.stderr)
}

/// The heading of the table with which a summary begins.
const BEGIN: &str = "GC type\t\ttime ms\t number\t";

/// A line of every summary, after the table.
const IN_EVERY: &str = "total bytes allocated: ";

fn summaries(text: &str) -> Result<Vec<Figures>, FiguresError> {
    text.split(BEGIN).skip(1).map(summary).collect()
}

fn summary(text: &str) -> Result<Figures, FiguresError> {
    let row = |kind: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(kind));
        let line = line.ok_or(FiguresError::CutOff { runtime: NAME })?;
        let cells = line.split_ascii_whitespace().take(3).map(whole).collect::<Option<Vec<u64>>>();
        match cells.as_deref() {
            Some(&[_, number, bytes]) => Ok((number, bytes)),
            _ => Err(FiguresError::Malformed { runtime: NAME }),
        }
    };
    let value = |key: &str, unit: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(key));
        let rest = rest.ok_or(FiguresError::CutOff { runtime: NAME })?;
        let number = rest.split_once(unit).and_then(|(number, _)| whole(number));
        number.ok_or(FiguresError::Malformed { runtime: NAME })
    };
    let seconds = |key: &str| Ok(value(key, " ms")? as f64 / 1e3);
    let (copying, copied) = row("copying\t")?;
    let (compacting, _) = row("mark-compact\t")?;
    let (minor, promoted) = row("minor\t")?;
    let sum = |a: u64, b: u64| a.checked_add(b);
    let major = sum(copying, compacting);
    let (all, gc) = (value("total time: ", " ms")?, value("total GC time: ", " ms")?);
    Ok(Figures {
        allocated_bytes: Some(value(IN_EVERY, " bytes")?),
        promoted_bytes: Some(promoted),
        max_live_bytes: Some(value("max bytes live: ", " bytes")?).filter(|_| major != Some(0)),
        max_in_use_bytes: Some(value("max heap size: ", " bytes")?),
        copied_bytes: sum(copied, promoted),
        collections: major.and_then(|major| sum(major, minor)),
        minor_collections: Some(minor),
        major_collections: major,
        gc_cpu_seconds: Some(gc as f64 / 1e3),
        mutator_cpu_seconds: all.checked_sub(gc).map(|mutator| mutator as f64 / 1e3),
        max_pause_seconds: Some(seconds("max pause time: ")?),
        ..Figures::default()
    })
}

/// MLton's knobs.
pub static TUNING: Tuning = Tuning {
    word: "mlton",
    knobs: &[&LIVE, &COPY, &HEAP, &COPY_GENERATIONAL, &NURSERY, &MARK_GENERATIONAL, &GROW],
    conflict,
    apply,
    facts: no_facts,
};

const RATIO: Knob = Knob {
    name: "",
    about: "",
    unit: Unit::Quotient,
    default: "",
    levels: &[],
    untouched: Untouched::After(0),
    effect: Effect::CostsMemory,
    needs: &[],
};

static LIVE: Knob = Knob {
    name: "live-ratio",
    about: "size of the heap over what is live, as wanted",
    default: "8",
    levels: &[
        plain("2"),
        plain("4"),
        plain("5.6"),
        plain("11"),
        plain("16"),
        plain("32"),
        plain("64"),
    ],
    untouched: Untouched::After(3),
    ..RATIO
};

static COPY: Knob = Knob {
    name: "copy-ratio",
    about: "size of the heap over what is live from which on it is collected by copying",
    default: "4",
    levels: &[plain("1.5"), plain("2"), plain("3"), plain("6"), plain("8"), plain("16")],
    untouched: Untouched::After(3),
    ..RATIO
};

static HEAP: Knob = Knob {
    name: "fixed-heap",
    about: "size of the heap from the beginning to the end",
    unit: Unit::Bytes,
    default: "it grows",
    levels: &[
        mib("64m", 64),
        mib("256m", 256),
        mib("1g", 1024),
        mib("2g", 2048),
        mib("4g", 4096),
        mib("8g", 8192),
    ],
    untouched: Untouched::After(0),
    ..RATIO
};

static COPY_GENERATIONAL: Knob = Knob {
    name: "copy-generational-ratio",
    about: "size of the heap over what is live below which there are generations, when copying",
    default: "4",
    levels: &[plain("1.5"), plain("2"), plain("8"), plain("16")],
    untouched: Untouched::After(2),
    effect: Effect::Unknown,
    ..RATIO
};

static NURSERY: Knob = Knob {
    name: "nursery-ratio",
    about: "size of the nursery from which on it is used, as a part of the heap",
    default: "10",
    levels: &[plain("2"), plain("5"), plain("20"), plain("40")],
    untouched: Untouched::After(2),
    effect: Effect::Unknown,
    ..RATIO
};

static MARK_GENERATIONAL: Knob = Knob {
    name: "mark-compact-generational-ratio",
    about: "size of the heap over what is live below which there are generations, when compacting",
    default: "8",
    levels: &[plain("2"), plain("4"), plain("16"), plain("32")],
    untouched: Untouched::After(2),
    effect: Effect::Unknown,
    ..RATIO
};

static GROW: Knob = Knob {
    name: "grow-ratio",
    about: "how much the heap may grow at once",
    default: "8",
    levels: &[plain("2"), plain("4"), plain("16"), plain("32")],
    untouched: Untouched::After(2),
    effect: Effect::Unknown,
    ..RATIO
};

/// The runtime's defaults.
const USUAL_LIVE: f64 = 8.0;
const USUAL_COPY: f64 = 4.0;

fn conflict(choices: &[Choice]) -> Option<&'static str> {
    let number = |level: Level| level.text.parse::<f64>().ok();
    let live = chosen(choices, &LIVE).and_then(number).unwrap_or(USUAL_LIVE);
    let copy = chosen(choices, &COPY).and_then(number).unwrap_or(USUAL_COPY);
    let grows = chosen(choices, &GROW).is_some() && chosen(choices, &HEAP).is_some();
    match () {
        () if copy > live => Some("MLton's runtime wants copy-ratio <= live-ratio"),
        () if grows => Some("a heap of fixed size does not grow"),
        () => None,
    }
}

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    let unreachable = crate::runtime::mlton::ADAPTER.unreachable;
    let argv = start.argv.ok_or(ApplyError::Unreachable { reason: unreachable })?;
    let end = groups_end(argv);
    let of_runtime = argv.get(1..end).unwrap_or_default();
    refuse_said(of_runtime.iter(), choices, |word, choice| word == choice.knob.name)?;
    let mut words = vec!["@MLton".to_owned()];
    words.extend(choices.iter().flat_map(|c| [c.knob.name.to_owned(), c.level.text.to_owned()]));
    words.push("--".to_owned());
    Ok(inserted(argv, end, words))
}

/// The position after the groups of arguments for the runtime.
fn groups_end(argv: &[std::ffi::OsString]) -> usize {
    let mut at = argv.len().min(1);
    while argv.get(at).is_some_and(|word| word == "@MLton") {
        match argv[at..].iter().position(|word| word == "--") {
            Some(length) => at += length + 1,
            None => break,
        }
    }
    at
}
