//! What programs compiled by GHC, the Haskell compiler, are and say.
//!
//! The runtime reads the variable `GHCRTS` and the options between `+RTS` and `-RTS`, so an
//! executable has these three names as C strings, each ended by a zero byte; removing the symbols
//! (`strip`) leaves them. Where the runtime is a shared library (`ghc -dynamic`), its name,
//! `libHSrts...so`, is among the names that the executable asks the linker for. Checked with GHC
//! 9.0.2.
//!
//! What it may be asked depends on how the program was linked:
//!
//! 1. With `-rtsopts` it writes its exact figures to a file.
//! 2. Without, it refuses that before it does anything, with exit status 1 (GHC 9.0.2), but prints
//!    one line of coarser figures to standard error.
//! 3. With `-rtsopts=none` it says that it ignores the variable; with `-rtsopts=ignoreAll` it says
//!    nothing. There are no figures then.

pub mod causes;
pub mod compiling;
pub mod core;
pub mod difference;
pub mod heap_census;
pub mod heap_profile;
pub mod image;
pub mod instructions;
pub mod performance_note;
pub mod samples;
pub mod stack;
pub mod stack_census;
pub mod statistics;
pub mod ticky;
pub mod ticky_join;
pub mod zcode;

use crate::runtime::adapter::{
    Adapter, Asking, Kept, Request, Variable, Way, no_differences, plain,
};
use crate::runtime::figures::Quantity;

/// GHC's runtime.
pub static ADAPTER: Adapter = Adapter {
    word: "ghc",
    name: statistics::NAME,
    about: "GHC, for Haskell programs",
    marks: &[&[b"GHCRTS\0", b"+RTS\0", b"-RTS\0"], &[b"libHSrts"]],
    interprets: false,
    ways: &[
        Way { shown: "GHCRTS=-t", request: to_file, read: statistics::exact },
        Way { shown: "GHCRTS=-t", request: to_stderr, read: statistics::lines },
    ],
    leaves: None,
    refusal: statistics::refusal,
    silence: "no program of the run gave GHC's figures (not one of GHC's, linked with \
              `-rtsopts=ignoreAll`, with `+RTS` options of its own, or its standard error goes \
              elsewhere)",
    unreachable: "GHC's runtime cannot be asked like this",
    lacking: &[
        (Quantity::MaxLive, "there was no major collection"),
        (Quantity::Promoted, "GHC's runtime does not say it; see what was copied"),
        (Quantity::Copied, EXACT_ONLY),
        (Quantity::MinorCollections, EXACT_ONLY),
        (Quantity::MajorCollections, EXACT_ONLY),
        (Quantity::PauseTime, EXACT_ONLY),
        (Quantity::MaxPause, EXACT_ONLY),
    ],
    live_heap: Ok(&crate::runtime::live_heap::GHC),
    differences: no_differences,
    settings_variables: &[],
};

const EXACT_ONLY: &str = "only said when linked with `-rtsopts`";

fn to_file(asking: &Asking<'_>) -> Option<Request> {
    // The runtime cuts its variable at every blank.
    let file = plain(asking.mailbox, &[' ', '\t', '\n', '\r', '\x0b', '\x0c'])?;
    Some(options(format!("-t{file} --machine-readable")))
}

fn to_stderr(_asking: &Asking<'_>) -> Option<Request> {
    Some(options("-t".to_owned()))
}

fn options(value: String) -> Request {
    let variable = Variable { name: "GHCRTS", stands_in: None, value, kept: Kept::Before(" ") };
    Request { variables: vec![variable], ..Request::default() }
}
