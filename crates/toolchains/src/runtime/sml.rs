//! The runtimes of Standard ML programs, MLton's and Poly/ML's, whose figures and knobs are
//! arguments.
//!
//! There is no variable, so a program is only reached if the command names it directly. The program
//! sees none of the arguments.
//!
//! MLton's runtime takes `@MLton gc-summary-file FILE --` before all others, or `@MLton gc-summary
//! --`, which writes to standard error. Other arguments for the runtime, such as those that load a
//! saved world, may follow; if there are several groups, the last one counts, so that of the knobs
//! goes last. The summary has a table of the three kinds of collection, then lines `key: 1,234
//! unit`; times are whole milliseconds of processor time. The runtime requires mark-compact-ratio
//! <= copy-ratio <= live-ratio; the first is 1.04 by default. Checked with MLton 20241230.
//!
//! Poly/ML's runtime removes its arguments wherever they stand: `--debug gc,heapsize --logfile
//! FILE` and the knobs. Its log is for people: a quick collection begins with `GC: Beginning quick
//! GC`, a full one with `GC: Full GC`, and marking reports the number of live words. The last lines
//! have the total times. Sizes of the heap are in units with two decimals. It refuses sizes unless
//! least heap <= initial heap <= largest heap. Checked with Poly/ML 5.7.1.

use std::ffi::OsString;

use super::adapter::{Adapter, Asking, COMPILED, Request, Said, Way, plain_path};
use super::figures::{Figures, FiguresError, MEBIBYTE, Quantity, between, decimal, size, whole};
use super::tuning::{
    ApplyError, Change, Choice, Effect, Facts, KNOB, Knob, Level, Start, Tuning, Unit, Untouched,
    chosen, inserted, plain, refuse_said, sizes,
};

/// Arguments directly after the program's name.
fn arguments<const N: usize>(words: [&str; N]) -> Request {
    Request { arguments: words.map(str::to_owned).to_vec(), arguments_at: 1, ..Request::default() }
}

/// The words of the command, if arguments reach the runtime of this adapter.
fn reachable<'a>(start: &Start<'a>, adapter: &Adapter) -> Result<&'a [OsString], ApplyError> {
    start.argv.ok_or(ApplyError::Unreachable { reason: adapter.unreachable })
}

/// The choices as pairs of words.
fn words(choices: &[Choice]) -> impl Iterator<Item = String> {
    choices.iter().flat_map(|c| [c.knob.name.to_owned(), c.level.text.to_owned()])
}

fn is_same(word: &str, choice: &Choice) -> bool {
    word == choice.knob.name
}

/// MLton's runtime.
pub(super) static MLTON: Adapter = Adapter {
    word: "mlton",
    name: MLTON_NAME,
    about: "MLton, for Standard ML programs",
    marks: &[&[b"@MLton\0", b"gc-summary\0"]],
    ways: &[
        Way {
            shown: "@MLton gc-summary-file FILE --",
            request: to_file,
            read: |said| summaries(said.mailbox),
        },
        Way { shown: "@MLton gc-summary --", request: to_stderr, read: read_stderr },
    ],
    refusal: |stderr| stderr.lines().find(|line| line.starts_with("Strange @MLton arg: ")),
    silence: "the program gave no summary (not one of MLton's, or ended by a signal)",
    unreachable: "MLton's runtime is asked by arguments, which reach only a program that the command \
                  itself names, without a shell or a script",
    lacking: &[
        (Quantity::MaxLive, "there was no major collection"),
        (Quantity::PauseTime, "MLton's runtime gives it as processor time only: gc time"),
    ],
    live_heap: Err("MLton does not say what is live after each collection"),
    ..COMPILED
};

const MLTON_NAME: &str = "MLton's runtime";

fn to_file(asking: &Asking<'_>) -> Option<Request> {
    asking.argv?;
    let file = plain_path(asking.mailbox, &[])?;
    Some(arguments(["@MLton", "gc-summary-file", &file, "--"]))
}

fn to_stderr(asking: &Asking<'_>) -> Option<Request> {
    asking.argv.map(|_| arguments(["@MLton", "gc-summary", "--"]))
}

fn read_stderr(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let before = said.stderr.split(SUMMARY_BEGIN).next().unwrap_or_default();
    if !said.is_stderr_whole && before.contains(IN_EVERY_SUMMARY) {
        return Err(FiguresError::CutOff { runtime: MLTON_NAME });
    }
    summaries(said.stderr)
}

/// The heading of the table with which a summary begins.
const SUMMARY_BEGIN: &str = "GC type\t\ttime ms\t number\t";

/// A line of every summary, after the table.
const IN_EVERY_SUMMARY: &str = "total bytes allocated: ";

fn summaries(text: &str) -> Result<Vec<Figures>, FiguresError> {
    text.split(SUMMARY_BEGIN).skip(1).map(summary).collect()
}

fn summary(text: &str) -> Result<Figures, FiguresError> {
    let row = |kind: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(kind));
        let line = line.ok_or(FiguresError::CutOff { runtime: MLTON_NAME })?;
        let cells = line.split_ascii_whitespace().take(3).map(whole).collect::<Option<Vec<u64>>>();
        match cells.as_deref() {
            Some(&[_, number, bytes]) => Ok((number, bytes)),
            _ => Err(FiguresError::Malformed { runtime: MLTON_NAME }),
        }
    };
    let value = |key: &str, unit: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(key));
        let rest = rest.ok_or(FiguresError::CutOff { runtime: MLTON_NAME })?;
        let number = rest.split_once(unit).and_then(|(number, _)| whole(number));
        number.ok_or(FiguresError::Malformed { runtime: MLTON_NAME })
    };
    let seconds = |key: &str| Ok(value(key, " ms")? as f64 / 1e3);
    let (copying, copied) = row("copying\t")?;
    let (compacting, _) = row("mark-compact\t")?;
    let (minor, promoted) = row("minor\t")?;
    let sum = |a: u64, b: u64| a.checked_add(b);
    let major = sum(copying, compacting);
    let (all, gc) = (value("total time: ", " ms")?, value("total GC time: ", " ms")?);
    Ok(Figures {
        allocated_bytes: Some(value(IN_EVERY_SUMMARY, " bytes")?),
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
pub(super) static MLTON_TUNING: Tuning = Tuning {
    word: "mlton",
    knobs: &[&LIVE, &COPY, &FIXED_HEAP, &COPY_GENERATIONAL, &NURSERY, &MARK_GENERATIONAL, &GROW],
    conflict: mlton_conflict,
    apply: mlton_apply,
    facts: |_| Facts::default(),
};

/// A quotient, whose effect is known or not.
const RATIO: Knob = Knob { unit: Unit::Quotient, ..KNOB };
const OTHER_RATIO: Knob = Knob { effect: Effect::Unknown, ..RATIO };

static LIVE: Knob = Knob {
    name: "live-ratio",
    about: "size of the heap over what is live, as wanted",
    default: "8",
    levels: &plain(["2", "4", "5.6", "11", "16", "32", "64"]),
    untouched: Untouched::After(3),
    ..RATIO
};

static COPY: Knob = Knob {
    name: "copy-ratio",
    about: "size of the heap over what is live from which on it is collected by copying",
    default: "4",
    levels: &plain(["1.5", "2", "3", "6", "8", "16"]),
    untouched: Untouched::After(3),
    ..RATIO
};

static FIXED_HEAP: Knob = Knob {
    name: "fixed-heap",
    about: "size of the heap from the beginning to the end",
    default: "it grows",
    levels: &sizes(["64m", "256m", "1g", "2g", "4g", "8g"], 1),
    ..KNOB
};

static COPY_GENERATIONAL: Knob = Knob {
    name: "copy-generational-ratio",
    about: "size of the heap over what is live below which there are generations, when copying",
    default: "4",
    levels: &plain(["1.5", "2", "8", "16"]),
    untouched: Untouched::After(2),
    ..OTHER_RATIO
};

static NURSERY: Knob = Knob {
    name: "nursery-ratio",
    about: "size of the nursery from which on it is used, as a part of the heap",
    default: "10",
    levels: &plain(["2", "5", "20", "40"]),
    untouched: Untouched::After(2),
    ..OTHER_RATIO
};

static MARK_GENERATIONAL: Knob = Knob {
    name: "mark-compact-generational-ratio",
    about: "size of the heap over what is live below which there are generations, when compacting",
    default: "8",
    levels: &plain(["2", "4", "16", "32"]),
    untouched: Untouched::After(2),
    ..OTHER_RATIO
};

static GROW: Knob = Knob {
    name: "grow-ratio",
    about: "how much the heap may grow at once",
    default: "8",
    levels: &plain(["2", "4", "16", "32"]),
    untouched: Untouched::After(2),
    ..OTHER_RATIO
};

/// The runtime's defaults.
const USUAL_LIVE: f64 = 8.0;
const USUAL_COPY: f64 = 4.0;

fn mlton_conflict(choices: &[Choice]) -> Option<&'static str> {
    let number = |level: Level| level.text.parse::<f64>().ok();
    let live = chosen(choices, &LIVE).and_then(number).unwrap_or(USUAL_LIVE);
    let copy = chosen(choices, &COPY).and_then(number).unwrap_or(USUAL_COPY);
    let grows = chosen(choices, &GROW).is_some() && chosen(choices, &FIXED_HEAP).is_some();
    match () {
        () if copy > live => Some("MLton's runtime wants copy-ratio <= live-ratio"),
        () if grows => Some("a heap of fixed size does not grow"),
        () => None,
    }
}

fn mlton_apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    let argv = reachable(start, &MLTON)?;
    let end = groups_end(argv);
    refuse_said(argv.get(1..end).unwrap_or_default().iter(), choices, is_same)?;
    let group = ["@MLton".to_owned()].into_iter().chain(words(choices)).chain(["--".to_owned()]);
    Ok(inserted(argv, end, group.collect()))
}

/// The position after the groups of arguments for the runtime.
fn groups_end(argv: &[OsString]) -> usize {
    let mut at = argv.len().min(1);
    while argv.get(at).is_some_and(|word| word == "@MLton") {
        match argv[at..].iter().position(|word| word == "--") {
            Some(length) => at += length + 1,
            None => break,
        }
    }
    at
}

/// Poly/ML's runtime.
pub(super) static POLYML: Adapter = Adapter {
    word: "polyml",
    name: POLYML_NAME,
    about: "Poly/ML, for Standard ML programs",
    marks: &[&[b"libpolyml.so"], &[b"--gcthreads\0", b"--exportstats\0", b"--logfile\0"]],
    ways: &[Way {
        shown: "--debug gc,heapsize --logfile FILE",
        request: to_log,
        read: |said| said.mailbox.split(LOG_BEGIN).skip(1).map(log).collect(),
    }],
    silence: "the program wrote no log (not one of Poly/ML's, or ended by a signal)",
    unreachable: "Poly/ML's runtime is asked by arguments, which reach only a program that the \
                  command itself names, without a shell or a script",
    lacking: &[
        (Quantity::Allocated, "Poly/ML's log does not say it"),
        (Quantity::Promoted, "Poly/ML's log does not say it"),
        (Quantity::Copied, "Poly/ML's log does not say it"),
        (Quantity::MaxLive, "there was no full collection"),
        (Quantity::MaxPause, "Poly/ML's log does not say it"),
    ],
    live_heap: Err("what Poly/ML logs of each collection is not read over time"),
    ..COMPILED
};

const POLYML_NAME: &str = "Poly/ML's runtime";

/// Bytes of a word on the supported machines.
const WORD: u64 = 8;

fn to_log(asking: &Asking<'_>) -> Option<Request> {
    asking.argv?;
    let file = plain_path(asking.mailbox, &[])?;
    Some(arguments(["--debug", "gc,heapsize", "--logfile", &file]))
}

/// The first words of a log.
const LOG_BEGIN: &str = "Heap: Initial settings: ";

fn log(text: &str) -> Result<Figures, FiguresError> {
    let malformed = FiguresError::Malformed { runtime: POLYML_NAME };
    let count = |beginning: &str| text.lines().filter(|line| line.starts_with(beginning)).count();
    let (minor, major) = (count("GC: Beginning quick GC") as u64, count("GC: Full GC") as u64);
    let largest = |values: Option<Vec<u64>>| values.map(|v| v.into_iter().max()).ok_or(malformed);
    let words =
        text.lines().filter_map(|line| between(line, "GC: Mark: Total live data ", " words"));
    let live = words.map(|words| whole(words)?.checked_mul(WORD));
    let initial = between(text, "Initial heap ", " ");
    let totals = text.lines().filter_map(|line| between(line, " Total space ", " ")).chain(initial);
    let total = |kind: &str| {
        let line = text.lines().rfind(|line| line.starts_with(kind));
        let line = line.ok_or(FiguresError::CutOff { runtime: POLYML_NAME })?;
        let [user, system, real] = times(line).ok_or(malformed)?;
        Ok((user + system, real))
    };
    let (gc, pause) = total("GC (Total): GC time: ")?;
    let (mutator, _) = total("GC (Total): Non-GC time: ")?;
    Ok(Figures {
        max_live_bytes: largest(live.collect())?,
        max_in_use_bytes: largest(totals.map(size).collect())?,
        collections: minor.checked_add(major),
        minor_collections: Some(minor),
        major_collections: Some(major),
        gc_cpu_seconds: Some(gc),
        mutator_cpu_seconds: Some(mutator),
        pause_seconds: Some(pause),
        ..Figures::default()
    })
}

/// `... CPU user: 0.003 system: 0.001 real: 0.004`, in seconds.
fn times(line: &str) -> Option<[f64; 3]> {
    let real = line.split_once(" real: ")?.1.split(' ').next()?;
    Some([
        decimal(between(line, " user: ", " ")?)?,
        decimal(between(line, " system: ", " ")?)?,
        decimal(real)?,
    ])
}

/// Poly/ML's knobs.
pub(super) static POLYML_TUNING: Tuning = Tuning {
    word: "polyml",
    knobs: &[&LEAST, &INITIAL, &PERCENT, &LARGEST],
    conflict: polyml_conflict,
    apply: polyml_apply,
    facts: |_| Facts::default(),
};

const SIZE: Knob = Knob { unit: Unit::Mebibytes, levels: &SIZES, ..KNOB };

static SIZES: [Level; 8] =
    sizes(["64", "128", "256", "512", "1024", "2048", "4096", "8192"], MEBIBYTE);

static LEAST: Knob = Knob {
    name: "--minheap",
    about: "the heap never gets smaller",
    default: "as small as what is live allows",
    ..SIZE
};

static INITIAL: Knob = Knob {
    name: "-H",
    about: "size of the heap at the beginning",
    default: "a tenth of a gigabyte or so",
    ..SIZE
};

static PERCENT: Knob = Knob {
    name: "--gcpercent",
    about: "part of the time that may be spent collecting; the heap grows to keep it",
    unit: Unit::Percent,
    default: "10 %",
    levels: &plain(["1", "2", "5", "20", "40", "80"]),
    untouched: Untouched::After(3),
    effect: Effect::SavesMemory,
    ..KNOB
};

static LARGEST: Knob = Knob {
    name: "--maxheap",
    about: "the heap never gets larger",
    default: "most of the machine's memory",
    untouched: Untouched::After(SIZES.len()),
    ..SIZE
};

fn polyml_conflict(choices: &[Choice]) -> Option<&'static str> {
    let sizes = [&LEAST, &INITIAL, &LARGEST].map(|knob| chosen(choices, knob));
    let sizes: Vec<u64> = sizes.into_iter().flatten().map(|level| level.claims_bytes).collect();
    let least_alone = chosen(choices, &LEAST).is_some() && chosen(choices, &INITIAL).is_some();
    match () {
        () if !sizes.is_sorted() => Some("Poly/ML wants --minheap <= -H <= --maxheap"),
        // The least size alone already gives an initial heap of that size.
        () if least_alone && sizes[0] == sizes[1] => Some("a heap begins at its least size"),
        () => None,
    }
}

fn polyml_apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    let argv = reachable(start, &POLYML)?;
    refuse_said(argv.iter().skip(1), choices, is_same)?;
    Ok(inserted(argv, argv.len().min(1), words(choices).collect()))
}
