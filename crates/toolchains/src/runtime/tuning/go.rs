//! Go's knobs: the variables `GOGC` and `GOMEMLIMIT` (package `runtime`, "Environment Variables").
//!
//! The user's values are replaced. Checked with Go 1.26.8.

use super::apply::{ApplyError, Change, Start};
use super::knob::{Effect, Knob, Unit, Untouched, mib, plain};
use super::menu::{Choice, Tuning, no_conflict, no_facts};

/// Go's knobs.
pub static TUNING: Tuning =
    Tuning { word: "go", knobs: &[&GROWTH, &LIMIT], conflict: no_conflict, apply, facts: no_facts };

static GROWTH: Knob = Knob {
    name: "GOGC",
    about: "how much the heap may grow over what was live before it is collected",
    unit: Unit::Percent,
    default: "100 %",
    levels: &[
        plain("25"),
        plain("50"),
        plain("200"),
        plain("400"),
        plain("800"),
        plain("1600"),
        plain("off"),
    ],
    untouched: Untouched::After(2),
    effect: Effect::CostsMemory,
    needs: &[],
};

static LIMIT: Knob = Knob {
    name: "GOMEMLIMIT",
    about: "memory above which it is collected in any case (since 1.19)",
    unit: Unit::Bytes,
    default: "none",
    levels: &[
        mib("64MiB", 64),
        mib("256MiB", 256),
        mib("512MiB", 512),
        mib("1GiB", 1024),
        mib("2GiB", 2048),
        mib("4GiB", 4096),
        mib("8GiB", 8192),
    ],
    untouched: Untouched::After(7),
    effect: Effect::CostsMemory,
    needs: &[],
};

#[expect(clippy::unnecessary_wraps, reason = "other runtimes may refuse")]
fn apply(choices: &[Choice], _start: &Start<'_>) -> Result<Change, ApplyError> {
    let variables = choices.iter().map(|c| (c.knob.name, c.level.text.to_owned())).collect();
    Ok(Change { variables, argv: None })
}
