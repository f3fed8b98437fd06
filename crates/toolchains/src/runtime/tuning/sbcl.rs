//! SBCL's knobs: the size of its heap, an option of the C part of the runtime, and the bytes
//! allocated between collections, a variable of the Lisp part.
//!
//! The latter takes effect from the next collection on, so one is made at once; both happen before
//! the program is loaded. It defaults to 5 % of the heap's size, so the first knob turns both.
//! Checked with SBCL 2.2.9.

use crate::runtime::sbcl::toplevel_place;

use super::apply::{ApplyError, Change, Start, inserted, refuse_said};
use super::knob::{Effect, Knob, Unit, Untouched, mib};
use super::menu::{Choice, Tuning, chosen, no_facts};

/// SBCL's knobs.
pub static TUNING: Tuning =
    Tuning { word: "sbcl", knobs: &[&SPACE, &NURSERY], conflict, apply, facts: no_facts };

static SPACE: Knob = Knob {
    name: "--dynamic-space-size",
    about: "size of the heap",
    unit: Unit::Mebibytes,
    default: "8192 MiB, or as built (Debian 1024)",
    levels: &[
        mib("512", 512),
        mib("2048", 2048),
        mib("4096", 4096),
        mib("6144", 6144),
        mib("8192", 8192),
        mib("12288", 12288),
        mib("16384", 16384),
        mib("32768", 32768),
    ],
    untouched: Untouched::After(1),
    effect: Effect::CostsMemory,
    needs: &[],
};

static NURSERY: Knob = Knob {
    name: "bytes-consed-between-gcs",
    about: "how much is allocated between two collections",
    unit: Unit::Bytes,
    default: "5 % of the heap's size",
    levels: &[
        mib("8388608", 8),
        mib("16777216", 16),
        mib("33554432", 32),
        mib("67108864", 64),
        mib("134217728", 128),
        mib("268435456", 256),
        mib("536870912", 512),
        mib("1073741824", 1024),
        mib("2147483648", 2048),
    ],
    untouched: Untouched::After(3),
    effect: Effect::CostsMemory,
    needs: &[],
};

/// The smallest common default heap: Debian's.
const USUAL_SPACE_BYTES: u64 = 1 << 30;

/// A copying collection needs room for its copies; a nursery of more than this part of the heap is
/// useless.
const LEAST_NURSERIES: u64 = 4;

fn conflict(choices: &[Choice]) -> Option<&'static str> {
    let space = chosen(choices, &SPACE).map_or(USUAL_SPACE_BYTES, |level| level.claims_bytes);
    let nursery = chosen(choices, &NURSERY).map_or(0, |level| level.claims_bytes);
    (nursery * LEAST_NURSERIES > space).then_some("the heap has no room for four such nurseries")
}

fn apply(choices: &[Choice], start: &Start<'_>) -> Result<Change, ApplyError> {
    let unreachable = ApplyError::Unreachable { reason: crate::runtime::sbcl::ADAPTER.unreachable };
    let place = start.argv.and_then(|argv| Some((argv, toplevel_place(argv)?)));
    let (argv, place) = place.ok_or(unreachable)?;
    let says_space = |word: &str, choice: &Choice| choice.knob == &SPACE && word == SPACE.name;
    refuse_said(argv[..place.at].iter(), choices, says_space)?;
    let mut words: Vec<String> = place.instead.iter().map(|&word| word.to_owned()).collect();
    if let Some(level) = chosen(choices, &NURSERY) {
        let form = format!("(progn (setf (sb-ext:bytes-consed-between-gcs) {}) (gc))", level.text);
        words.extend(["--eval".to_owned(), form]);
    }
    let change = inserted(argv, place.at, words);
    let Some(level) = chosen(choices, &SPACE) else { return Ok(change) };
    let argv = change.argv.unwrap_or_default();
    // Directly after the program's name, before `--end-runtime-options`.
    Ok(inserted(&argv, 1, vec![SPACE.name.to_owned(), level.text.to_owned()]))
}
