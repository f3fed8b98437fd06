//! The knobs of Poly/ML's runtime: arguments, which it removes wherever they stand.
//!
//! It refuses sizes unless least heap <= initial heap <= largest heap. Checked with Poly/ML 5.7.1.

use super::apply::{ApplyError, Change, Start, inserted, refuse_said};
use super::knob::{Effect, Knob, Level, Unit, Untouched, mib, plain};
use super::menu::{Choice, Tuning, chosen, no_facts};

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
