//! Node's knobs: options of V8 in the variable `NODE_OPTIONS`, as far as it accepts them.
//!
//! It refuses others, such as `--min-semi-space-size`. The options of the command itself override
//! the variable. Checked with Node 20.20.2.

use super::apply::{ApplyError, Change, Start, beside, refuse_said};
use super::knob::{Effect, Knob, Unit, Untouched, mib};
use super::menu::{Choice, Tuning, chosen, no_facts};

/// Node's knobs.
pub static TUNING: Tuning =
    Tuning { word: "node", knobs: &[&YOUNG, &OLD], conflict, apply, facts: no_facts };

static YOUNG: Knob = Knob {
    name: "--max-semi-space-size",
    about: "size that each half of the young generation may have",
    unit: Unit::Mebibytes,
    default: "16 MiB",
    levels: &[
        mib("1", 1),
        mib("4", 4),
        mib("8", 8),
        mib("32", 32),
        mib("64", 64),
        mib("128", 128),
        mib("256", 256),
        mib("512", 512),
    ],
    untouched: Untouched::After(3),
    effect: Effect::CostsMemory,
    needs: &[],
};

static OLD: Knob = Knob {
    name: "--max-old-space-size",
    about: "size that the old generation may have",
    unit: Unit::Mebibytes,
    default: "2 to 4 GiB, by the machine's memory",
    levels: &[
        mib("256", 256),
        mib("512", 512),
        mib("1024", 1024),
        mib("2048", 2048),
        mib("8192", 8192),
        mib("16384", 16384),
    ],
    untouched: Untouched::PartOfMemory(4),
    effect: Effect::CostsMemory,
    needs: &[],
};

fn conflict(choices: &[Choice]) -> Option<&'static str> {
    let bytes = |knob| chosen(choices, knob).map(|level| level.claims_bytes);
    let is_larger = bytes(&YOUNG).zip(bytes(&OLD)).is_some_and(|(young, old)| young >= old);
    is_larger.then_some("the young generation is smaller than the old one")
}

/// True if a word of the user's sets the same knob as a choice; V8 accepts `_` for `-`.
fn is_same(word: &str, choice: &Choice) -> bool {
    word.replace('_', "-").starts_with(choice.knob.name)
}

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    refuse_said(start.argv.unwrap_or_default().iter().skip(1), choices, is_same)?;
    let ours: Vec<String> =
        choices.iter().map(|c| format!("{}={}", c.knob.name, c.level.text)).collect();
    let is_ours = |word: &str| choices.iter().any(|choice| is_same(word, choice));
    let value = beside((start.variable)("NODE_OPTIONS"), ' ', &ours, is_ours);
    Ok(Change { variables: vec![("NODE_OPTIONS", value)], argv: None })
}
