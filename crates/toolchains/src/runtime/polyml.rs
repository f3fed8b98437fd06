//! Poly/ML's runtime, of Standard ML programs that `poly` runs or that it exported: the arguments
//! `--debug gc,heapsize --logfile FILE`.
//!
//! The runtime removes these wherever they stand. There is no variable, so a program is only
//! reached if the command names it directly. Its log is for people: a quick collection begins with
//! `GC: Beginning quick GC`, a full one with `GC: Full GC`, and marking reports the number of live
//! words. The last lines have the total times. Sizes of the heap are in units with two decimals.
//! Checked with Poly/ML 5.7.1.
//!
//! The knobs of Poly/ML's runtime: arguments, which it removes wherever they stand.
//!
//! It refuses sizes unless least heap <= initial heap <= largest heap. Checked with Poly/ML 5.7.1.

use super::adapter::{Adapter, Asking, Request, Said, Way, plain_path};
use super::figures::{Figures, FiguresError, Quantity, between, decimal, size, whole};
use super::tuning::{
    ApplyError, Change, Choice, Effect, Knob, Level, Start, Tuning, Unit, Untouched, chosen,
    inserted, mib, no_facts, plain, refuse_said,
};

/// Poly/ML's runtime.
pub static ADAPTER: Adapter = Adapter {
    word: "polyml",
    name: NAME,
    about: "Poly/ML, for Standard ML programs",
    marks: &[&[b"libpolyml.so"], &[b"--gcthreads\0", b"--exportstats\0", b"--logfile\0"]],
    interprets: false,
    ways: &[Way { shown: "--debug gc,heapsize --logfile FILE", request, read }],
    leaves: None,
    refusal: super::adapter::never_refuses,
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
    differences: super::adapter::no_differences,
    settings_variables: &[],
};

const NAME: &str = "Poly/ML's runtime";

/// Bytes of a word on the supported machines.
const WORD: u64 = 8;

fn request(asking: &Asking<'_>) -> Option<Request> {
    asking.argv?;
    let file = plain_path(asking.mailbox, &[])?;
    let words = ["--debug", "gc,heapsize", "--logfile", &file];
    let arguments = words.iter().map(|&word| word.to_owned()).collect();
    Some(Request { arguments, arguments_at: 1, ..Request::default() })
}

/// The first words of a log.
const BEGIN: &str = "Heap: Initial settings: ";

fn read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    said.mailbox.split(BEGIN).skip(1).map(log).collect()
}

fn log(text: &str) -> Result<Figures, FiguresError> {
    let malformed = FiguresError::Malformed { runtime: NAME };
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
        let line = line.ok_or(FiguresError::CutOff { runtime: NAME })?;
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
pub static TUNING: Tuning = Tuning {
    word: "polyml",
    knobs: &[&LEAST, &INITIAL, &PERCENT, &LARGEST],
    conflict,
    apply,
    facts: no_facts,
};

static SIZES: [Level; 8] = [
    mib("64", 64),
    mib("128", 128),
    mib("256", 256),
    mib("512", 512),
    mib("1024", 1024),
    mib("2048", 2048),
    mib("4096", 4096),
    mib("8192", 8192),
];

static LEAST: Knob = Knob {
    name: "--minheap",
    about: "the heap never gets smaller",
    unit: Unit::Mebibytes,
    default: "as small as what is live allows",
    levels: &SIZES,
    untouched: Untouched::After(0),
    effect: Effect::CostsMemory,
    needs: &[],
};

static INITIAL: Knob = Knob {
    name: "-H",
    about: "size of the heap at the beginning",
    unit: Unit::Mebibytes,
    default: "a tenth of a gigabyte or so",
    levels: &SIZES,
    untouched: Untouched::After(0),
    effect: Effect::CostsMemory,
    needs: &[],
};

static PERCENT: Knob = Knob {
    name: "--gcpercent",
    about: "part of the time that may be spent collecting; the heap grows to keep it",
    unit: Unit::Percent,
    default: "10 %",
    levels: &[plain("1"), plain("2"), plain("5"), plain("20"), plain("40"), plain("80")],
    untouched: Untouched::After(3),
    effect: Effect::SavesMemory,
    needs: &[],
};

static LARGEST: Knob = Knob {
    name: "--maxheap",
    about: "the heap never gets larger",
    unit: Unit::Mebibytes,
    default: "most of the machine's memory",
    levels: &SIZES,
    untouched: Untouched::After(SIZES.len()),
    effect: Effect::CostsMemory,
    needs: &[],
};

fn conflict(choices: &[Choice]) -> Option<&'static str> {
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

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    let unreachable = crate::runtime::polyml::ADAPTER.unreachable;
    let argv = start.argv.ok_or(ApplyError::Unreachable { reason: unreachable })?;
    refuse_said(argv.iter().skip(1), choices, |word, choice| word == choice.knob.name)?;
    let words = choices.iter().flat_map(|c| [c.knob.name.to_owned(), c.level.text.to_owned()]);
    Ok(inserted(argv, argv.len().min(1), words.collect()))
}
