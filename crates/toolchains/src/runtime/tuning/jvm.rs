//! The knobs of the Java virtual machine: options in the variable `JDK_JAVA_OPTIONS`, which `java`
//! reads since version 9.
//!
//! The machine refuses to start with two collectors, and with an initial heap above the largest.
//! The options of the command itself override the variable. Checked with OpenJDK 17.0.15.

use super::apply::{ApplyError, Change, Start, beside, refuse_said};
use super::knob::{Effect, Knob, Level, Unit, Untouched, mib, plain};
use super::menu::{Choice, Tuning, chosen, no_facts};

/// The virtual machine's knobs.
pub static TUNING: Tuning = Tuning {
    word: "jvm",
    knobs: &[&COLLECTOR, &YOUNG, &INITIAL, &LARGEST, &RATIO],
    conflict,
    apply,
    facts: no_facts,
};

static COLLECTOR: Knob = Knob {
    name: "collector",
    about: "which collector",
    unit: Unit::Name,
    default: "G1, or Serial on one processor or with less than 1792 MiB",
    levels: &[
        plain("-XX:+UseSerialGC"),
        plain("-XX:+UseParallelGC"),
        plain("-XX:+UseG1GC"),
        plain("-XX:+UseZGC"),
    ],
    untouched: Untouched::After(0),
    effect: Effect::Unordered,
    needs: &[],
};

const SIZE: Knob = Knob {
    name: "",
    about: "",
    unit: Unit::Bytes,
    default: "",
    levels: &[],
    untouched: Untouched::After(0),
    effect: Effect::CostsMemory,
    needs: &[],
};

static YOUNG: Knob = Knob {
    name: "-Xmn",
    about: "size of the young generation",
    default: "it adapts, up to a third of the heap or more",
    levels: &[
        mib("16m", 16),
        mib("32m", 32),
        mib("64m", 64),
        mib("128m", 128),
        mib("256m", 256),
        mib("512m", 512),
        mib("1g", 1024),
        mib("2g", 2048),
        mib("4g", 4096),
    ],
    ..SIZE
};

static SIZES: [Level; 8] = [
    mib("64m", 64),
    mib("128m", 128),
    mib("256m", 256),
    mib("512m", 512),
    mib("1g", 1024),
    mib("2g", 2048),
    mib("4g", 4096),
    mib("8g", 8192),
];

static INITIAL: Knob = Knob {
    name: "-Xms",
    about: "size of the heap at the beginning",
    default: "a sixty-fourth of the machine's memory",
    levels: &SIZES,
    untouched: Untouched::PartOfMemory(64),
    ..SIZE
};

static LARGEST: Knob = Knob {
    name: "-Xmx",
    about: "size that the heap may have",
    default: "a quarter of the machine's memory",
    levels: &SIZES,
    untouched: Untouched::PartOfMemory(4),
    ..SIZE
};

static RATIO: Knob = Knob {
    name: "-XX:NewRatio=",
    about: "size of the old generation over that of the young one",
    unit: Unit::Quotient,
    default: "2",
    levels: &[plain("1"), plain("3"), plain("4"), plain("8")],
    untouched: Untouched::After(1),
    effect: Effect::Unknown,
    ..SIZE
};

fn conflict(choices: &[Choice]) -> Option<&'static str> {
    let bytes = |knob| chosen(choices, knob).map(|level| level.claims_bytes);
    let (young, largest, initial) = (bytes(&YOUNG), bytes(&LARGEST), bytes(&INITIAL));
    let has_generations = chosen(choices, &COLLECTOR).is_none_or(|level| level.text != Z);
    let sizes_young = young.is_some() || chosen(choices, &RATIO).is_some();
    match () {
        () if initial.zip(largest).is_some_and(|(i, l)| i > l) => {
            Some("a heap begins no larger than it may become")
        }
        () if young.zip(largest).is_some_and(|(y, l)| y >= l) => {
            Some("the young generation is smaller than the heap")
        }
        () if young.is_some() && chosen(choices, &RATIO).is_some() => {
            Some("the size of the young generation is given twice")
        }
        () if sizes_young && !has_generations => Some("this collector has no generations"),
        () => None,
    }
}

/// The collector without generations before version 21.
const Z: &str = "-XX:+UseZGC";

fn word(choice: &Choice) -> String {
    match choice.knob.name {
        "collector" => choice.level.text.to_owned(),
        name => format!("{name}{}", choice.level.text),
    }
}

/// True if a word of the user's sets the same knob as a choice.
fn is_same(word: &str, choice: &Choice) -> bool {
    match choice.knob.name {
        "collector" => word.starts_with("-XX:+Use") && word.ends_with("GC"),
        name => word.starts_with(name),
    }
}

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    refuse_said(start.argv.unwrap_or_default().iter().skip(1), choices, is_same)?;
    let ours: Vec<String> = choices.iter().map(word).collect();
    let is_ours = |word: &str| choices.iter().any(|choice| is_same(word, choice));
    let value = beside((start.variable)("JDK_JAVA_OPTIONS"), ' ', &ours, is_ours);
    Ok(Change { variables: vec![("JDK_JAVA_OPTIONS", value)], argv: None })
}
