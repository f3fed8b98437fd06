//! OCaml's knobs: letters of the variable `OCAMLRUNPARAM` (OCaml manual, "ocamlrun: options and
//! environment").
//!
//! Version 4 silently limits `s` to 2^28 words; larger values are offered to version 5 only.
//! Version 5 reserves address space, not memory, of `s` words for each of up to 128 domains, and
//! reads `i` and `a` without any effect. Checked with OCaml 4.13.1 and 5.4.1.

use memchr::memmem::find;

use super::apply::{ApplyError, Change, Start, beside};
use super::knob::{Effect, Knob, Level, Need, Unit, Untouched, kib, mib, plain};
use super::menu::{Choice, Facts, Tuning, no_conflict};

/// OCaml's knobs.
pub static TUNING: Tuning = Tuning {
    word: "ocaml",
    knobs: &[&MINOR_HEAP_4, &MINOR_HEAP_5, &OVERHEAD, &POLICY, &INCREMENT],
    conflict: no_conflict,
    apply,
    facts,
};

/// The values of `s`; version 4 accepts all but the last.
static SIZES: [Level; 14] = [
    kib("32k", 256),
    kib("64k", 512),
    mib("128k", 1),
    mib("512k", 4),
    mib("1M", 8),
    mib("2M", 16),
    mib("4M", 32),
    mib("8M", 64),
    mib("16M", 128),
    mib("32M", 256),
    mib("64M", 512),
    mib("128M", 1024),
    mib("256M", 2048),
    // For version 5 only.
    mib("512M", 4096),
];

static MINOR_HEAP_4: Knob =
    Knob { levels: SIZES.split_at(13).0, needs: &[Need::BeforeMajor(5)], ..MINOR };
static MINOR_HEAP_5: Knob = Knob { levels: &SIZES, needs: &[Need::SinceMajor(5)], ..MINOR };

const MINOR: Knob = Knob {
    name: "s",
    about: "size of the minor heap",
    unit: Unit::Words,
    default: "256k words",
    levels: &[],
    untouched: Untouched::After(3),
    effect: Effect::CostsMemory,
    needs: &[],
};

static OVERHEAD: Knob = Knob {
    name: "o",
    about: "how much memory may be wasted before the major heap is collected",
    unit: Unit::Percent,
    default: "120 % (80 % before 4.14)",
    levels: &[
        plain("40"),
        plain("60"),
        plain("80"),
        plain("200"),
        plain("400"),
        plain("800"),
        plain("1600"),
    ],
    untouched: Untouched::After(3),
    effect: Effect::CostsMemory,
    needs: &[],
};

static POLICY: Knob = Knob {
    name: "a",
    about: "how free blocks of the major heap are found: 0 next fit, 1 first fit, 2 best fit",
    unit: Unit::Name,
    default: "2 (best fit) since 4.14, 0 in some older ones",
    levels: &[plain("0"), plain("1"), plain("2")],
    untouched: Untouched::After(0),
    effect: Effect::Unordered,
    needs: &[Need::BeforeMajor(5)],
};

static INCREMENT: Knob = Knob {
    name: "i",
    about: "how the major heap grows: percent up to 1000, words above",
    unit: Unit::Percent,
    default: "15 %",
    levels: &[plain("30"), plain("60"), plain("120"), plain("240"), plain("480")],
    untouched: Untouched::After(0),
    effect: Effect::CostsMemory,
    needs: &[Need::BeforeMajor(5)],
};

const VARIABLE: &str = "OCAMLRUNPARAM";

/// The variable that is read if the first is not set.
const OLD_VARIABLE: &str = "CAMLRUNPARAM";

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    let theirs = (start.variable)(VARIABLE).or_else(|| (start.variable)(OLD_VARIABLE));
    let ours: Vec<String> =
        choices.iter().map(|c| format!("{}={}", c.knob.name, c.level.text)).collect();
    let is_ours = |word: &str| {
        let letter = word.split_once('=').map_or(word, |(letter, _)| letter);
        choices.iter().any(|choice| choice.knob.name == letter)
    };
    let value = beside(theirs, ',', &ours, is_ours);
    Ok(Change { variables: vec![(VARIABLE, value)], argv: None })
}

/// Facts from an executable: only the runtime of version 5 contains its events variable's name.
fn facts(executable: &[u8]) -> Facts {
    let is_5 = find(executable, b"OCAML_RUNTIME_EVENTS_START").is_some();
    let is_any = find(executable, b"OCAMLRUNPARAM").is_some();
    Facts { major: is_any.then_some(if is_5 { 5 } else { 4 }), ..Facts::default() }
}
