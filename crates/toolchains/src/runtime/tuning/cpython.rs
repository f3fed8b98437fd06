//! The knob of CPython: the allocator of small objects, by the variable `PYTHONMALLOC` (since 3.6).
//!
//! The frequency of the cycle collector can only be set by the program, with `gc.set_threshold`,
//! `gc.freeze` or `gc.disable`. Checked with CPython 3.11.7.

use super::apply::{ApplyError, Change, Start};
use super::knob::{Effect, Knob, Unit, Untouched, plain};
use super::menu::{Choice, Tuning, no_conflict, no_facts};

/// CPython's knob.
pub static TUNING: Tuning =
    Tuning { word: "cpython", knobs: &[&ALLOCATOR], conflict: no_conflict, apply, facts: no_facts };

static ALLOCATOR: Knob = Knob {
    name: "PYTHONMALLOC",
    about: "where small objects come from",
    unit: Unit::Name,
    default: "pymalloc, arenas of its own",
    levels: &[plain("malloc")],
    untouched: Untouched::After(0),
    effect: Effect::Unordered,
    needs: &[],
};

#[expect(clippy::unnecessary_wraps, reason = "other runtimes may refuse")]
fn apply(choices: &[Choice], _start: &Start<'_>) -> Result<Change, ApplyError> {
    let variables = choices.iter().map(|c| (c.knob.name, c.level.text.to_owned())).collect();
    Ok(Change { variables, argv: None })
}
