//! The knobs of GHC's runtime: options in the variable `GHCRTS` (GHC user's guide, "Runtime system
//! options").
//!
//! All need a program that was linked with `-rtsopts`; without, the runtime refuses them before it
//! does anything. Options between `+RTS` and `-RTS` in the command override the variable. The
//! runtime refuses `--nonmoving-gc` with `-c`, crashes with it and `-G1`, and switches `-c` off
//! with `-G1`. Checked with GHC 9.0.2.

use memchr::memmem::find;

use super::apply::{ApplyError, Change, Start, beside, is_option, refuse_said};
use super::knob::{Effect, Knob, Need, Unit, Untouched, kib, mib, plain};
use super::menu::{Choice, Facts, Tuning, chosen};

/// GHC's knobs.
pub static TUNING: Tuning = Tuning {
    word: "ghc",
    knobs: &[&AREA, &FACTOR, &HEAP, &COLLECTOR, &GENERATIONS, &CHUNK, &PROCESSORS],
    conflict,
    apply,
    facts,
};

static AREA: Knob = Knob {
    name: "-A",
    about: "size of the allocation area, for each processor",
    unit: Unit::Bytes,
    default: "1m (4m since 9.2)",
    levels: &[
        kib("256k", 256),
        kib("512k", 512),
        mib("2m", 2),
        mib("4m", 4),
        mib("8m", 8),
        mib("16m", 16),
        mib("32m", 32),
        mib("64m", 64),
        mib("128m", 128),
        mib("256m", 256),
        mib("512m", 512),
        mib("1g", 1024),
        mib("2g", 2048),
    ],
    untouched: Untouched::After(2),
    effect: Effect::CostsMemory,
    needs: &[Need::RtsOpts],
};

static FACTOR: Knob = Knob {
    name: "-F",
    about: "how much the old generation may grow before it is collected",
    unit: Unit::Quotient,
    default: "2",
    levels: &[plain("1.2"), plain("1.5"), plain("3"), plain("4"), plain("6"), plain("8")],
    untouched: Untouched::After(2),
    effect: Effect::CostsMemory,
    needs: &[Need::RtsOpts],
};

static HEAP: Knob = Knob {
    name: "-H",
    about: "heap that may be used for allocation whenever it is not needed otherwise",
    unit: Unit::Bytes,
    default: "0",
    levels: &[
        mib("64m", 64),
        mib("128m", 128),
        mib("256m", 256),
        mib("512m", 512),
        mib("1g", 1024),
        mib("2g", 2048),
        mib("4g", 4096),
    ],
    untouched: Untouched::After(0),
    effect: Effect::CostsMemory,
    needs: &[Need::RtsOpts],
};

static COLLECTOR: Knob = Knob {
    name: "collector",
    about: "how the oldest generation is collected: compacting, or without moving (since 8.10)",
    unit: Unit::Name,
    default: "copying",
    levels: &[plain("-c"), plain("--nonmoving-gc")],
    untouched: Untouched::After(0),
    effect: Effect::Unordered,
    needs: &[Need::RtsOpts],
};

static GENERATIONS: Knob = Knob {
    name: "-G",
    about: "number of generations",
    unit: Unit::Count,
    default: "2",
    levels: &[plain("1"), plain("3"), plain("4")],
    untouched: Untouched::After(1),
    effect: Effect::Unknown,
    needs: &[Need::RtsOpts],
};

static CHUNK: Knob = Knob {
    name: "-n",
    about: "size of the pieces in which the allocation area is handed out",
    unit: Unit::Bytes,
    default: "none (4m with an area of 16m or more)",
    levels: &[kib("256k", 256), mib("1m", 1), mib("4m", 4), mib("16m", 16)],
    untouched: Untouched::After(0),
    effect: Effect::Unknown,
    needs: &[Need::RtsOpts],
};

static PROCESSORS: Knob = Knob {
    name: "-N",
    about: "number of processors that are used at once",
    unit: Unit::Count,
    default: "1",
    levels: &[plain("2"), plain("4"), plain("8"), plain("16")],
    untouched: Untouched::After(0),
    effect: Effect::Unknown,
    needs: &[Need::RtsOpts, Need::Threaded, Need::Processors],
};

/// A lower bound of the default allocation area in all versions.
const LEAST_AREA_BYTES: u64 = 1 << 20;

fn conflict(choices: &[Choice]) -> Option<&'static str> {
    let one_generation = chosen(choices, &GENERATIONS).is_some_and(|level| level.text == "1");
    if one_generation && chosen(choices, &COLLECTOR).is_some() {
        return Some("with one generation there is only the copying collector");
    }
    let area = chosen(choices, &AREA).map_or(LEAST_AREA_BYTES, |level| level.claims_bytes);
    let chunk = chosen(choices, &CHUNK).map_or(0, |level| level.claims_bytes);
    (chunk >= area).then_some("a piece is no smaller than the allocation area")
}

fn word(choice: &Choice) -> String {
    match choice.knob.name {
        "collector" => choice.level.text.to_owned(),
        name => format!("{name}{}", choice.level.text),
    }
}

/// True if a word of the user's sets the same knob as a choice.
fn is_same(word: &str, choice: &Choice) -> bool {
    match choice.knob.name {
        "collector" => is_option(word, "-c") || word == "--nonmoving-gc",
        name => is_option(word, name),
    }
}

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    let mut is_for_runtime = false;
    let of_runtime = start.argv.unwrap_or_default().iter().take_while(|word| *word != "--RTS");
    let of_runtime = of_runtime.filter(move |word| {
        is_for_runtime = (is_for_runtime || *word == "+RTS") && *word != "-RTS";
        is_for_runtime
    });
    refuse_said(of_runtime, choices, is_same)?;
    let ours: Vec<String> = choices.iter().map(word).collect();
    let is_ours = |word: &str| choices.iter().any(|choice| is_same(word, choice));
    let value = beside((start.variable)("GHCRTS"), ' ', &ours, is_ours);
    Ok(Change { variables: vec![("GHCRTS", value)], argv: None })
}

/// Facts from an executable: only the threaded runtime explains the option `-N` in its help.
fn facts(executable: &[u8]) -> Facts {
    let is_static = find(executable, b"+RTS\0").is_some();
    let threaded = is_static.then(|| find(executable, b"  -N[<n>]").is_some());
    Facts { threaded, ..Facts::default() }
}
