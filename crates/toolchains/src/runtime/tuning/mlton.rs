//! The knobs of MLton's runtime: arguments between `@MLton` and `--`, before the program's own.
//!
//! The runtime requires mark-compact-ratio <= copy-ratio <= live-ratio; the first is 1.04 by
//! default. If there are several groups of arguments, the last one counts, so ours goes last.
//! Checked with MLton 20241230.

use super::apply::{ApplyError, Change, Start, inserted, refuse_said};
use super::knob::{Effect, Knob, Level, Unit, Untouched, mib, plain};
use super::menu::{Choice, Tuning, chosen, no_facts};

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
