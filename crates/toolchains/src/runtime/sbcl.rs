//! SBCL's runtime, of Common Lisp programs that `sbcl` loads: a Lisp file that is loaded before the
//! program, and reports when it exits.
//!
//! It counts allocated bytes and the processor time of collections from then on, including the
//! loading of the program's source. Hooks run after a collection, but one run may cover several
//! collections, so neither their number nor the live heap is known.
//!
//! The file is loaded by an option, which goes after the options of the C part of the runtime and
//! before those of the Lisp part (SBCL manual, "Command-line options"). `--script` as a C option
//! means `--noinform --disable-ldb --lose-on-corruption` and ends the C options, so these replace
//! it there, and it stays as a Lisp option. The program does not see any of them: the runtime
//! removes the options that it knows from `*posix-argv*`. A program that was saved with its own
//! core and start has its own options and is left alone. Checked with SBCL 2.2.9 and 2.6.4.
//!
//! SBCL's knobs: the size of its heap, an option of the C part of the runtime, and the bytes
//! allocated between collections, a variable of the Lisp part.
//!
//! The latter takes effect from the next collection on, so one is made at once; both happen before
//! the program is loaded. It defaults to 5 % of the heap's size, so the first knob turns both.
//! Checked with SBCL 2.2.9.

use super::adapter::{Adapter, Asking, Kept, Request, Said, Variable, Way, plain_path};
use super::figures::reports;
use super::figures::{Figures, FiguresError, Quantity};
use super::tuning::{
    ApplyError, Change, Choice, Effect, Knob, Start, Tuning, Unit, Untouched, chosen, inserted,
    mib, no_facts, refuse_said,
};
use std::path::Path;

/// SBCL's runtime.
pub static ADAPTER: Adapter = Adapter {
    word: "sbcl",
    name: NAME,
    about: "SBCL, for Common Lisp programs that `sbcl` loads",
    marks: &[&[b"SBCL_HOME\0", b"--dynamic-space-size\0", b"--merge-core-pages\0"]],
    interprets: false,
    ways: &[Way { shown: "sbcl --load FILE", request, read }],
    leaves: None,
    refusal: super::adapter::never_refuses,
    silence: "the program gave no report when it ended (not run by `sbcl`, ended by a signal, by \
              `(exit :abort t)`, or because the heap was exhausted)",
    unreachable: "SBCL's runtime is asked by arguments, which reach only an `sbcl` that the command \
                  itself names, without a shell or a script, and no program saved with a start of \
                  its own",
    lacking: &[
        (Quantity::Promoted, "SBCL does not say it"),
        (Quantity::MaxLive, "SBCL tells it only in a log of every collection, `sb-ext:gc-logfile`"),
        (Quantity::MaxInUse, "SBCL does not say it; see peak rss"),
        (Quantity::Copied, "SBCL does not say it"),
        (Quantity::Collections, COUNT),
        (Quantity::MinorCollections, COUNT),
        (Quantity::MajorCollections, COUNT),
        (Quantity::PauseTime, "SBCL gives it as processor time only: gc time"),
        (Quantity::MaxPause, "SBCL does not say it"),
    ],
    live_heap: Err("SBCL does not say what is live after each collection"),
    differences: super::adapter::no_differences,
    settings_variables: &[],
};

const NAME: &str = "SBCL's runtime";
const COUNT: &str = "SBCL counts them only in a log of every collection, `sb-ext:gc-logfile`";

/// The file, and the word that its reports begin with.
const FILE: &str = "brisk-sbcl.lisp";
const WORD: &str = "brisk-sbcl";

const PRELUDE: &str = include_str!("preludes/sbcl.lisp");

/// The options of the C part that take a value, and those that do not.
const WITH_VALUE: [&str; 4] =
    ["--core", "--dynamic-space-size", "--control-stack-size", "--tls-limit"];
const ALONE: [&str; 7] = [
    "--noinform",
    "--debug-environment",
    "--disable-ldb",
    "--lose-on-corruption",
    "--merge-core-pages",
    "--no-merge-core-pages",
    "--default-merge-core-pages",
];

/// The position at which the options of the Lisp part begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToplevelPlace {
    /// The number of words of the command before it.
    pub(crate) at: usize,
    /// The options to insert first, if `--script` follows, which implied them.
    pub(crate) instead: &'static [&'static str],
}

/// The position at which the options of the Lisp part begin; `None` if the program is not `sbcl`.
pub(crate) fn toplevel_place(argv: &[std::ffi::OsString]) -> Option<ToplevelPlace> {
    if Path::new(argv.first()?).file_name()? != "sbcl" {
        return None;
    }
    let mut at = 1;
    let mut instead: &[&str] = &[];
    while let Some(word) = argv.get(at).and_then(|word| word.to_str()) {
        match word {
            _ if WITH_VALUE.contains(&word) => at += 2,
            _ if ALONE.contains(&word) => at += 1,
            "--end-runtime-options" => {
                at += 1;
                break;
            }
            "--script" => {
                instead = &["--noinform", "--disable-ldb", "--lose-on-corruption"];
                break;
            }
            _ => break,
        }
    }
    Some(ToplevelPlace { at: at.min(argv.len()), instead })
}

fn request(asking: &Asking<'_>) -> Option<Request> {
    let ToplevelPlace { at, instead } = toplevel_place(asking.argv?)?;
    let mut arguments: Vec<String> = instead.iter().map(|&word| word.to_owned()).collect();
    arguments.extend(["--load".to_owned(), plain_path(&asking.folder.join(FILE), &[])?]);
    let report = Variable {
        name: "BRISK_SBCL_REPORT",
        stands_in: None,
        value: plain_path(asking.mailbox, &[])?,
        kept: Kept::No,
    };
    Some(Request {
        variables: vec![report],
        arguments,
        arguments_at: at,
        files: vec![(FILE, PRELUDE)],
    })
}

fn read(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let figures = |report: &super::figures::Report<'_>| {
        // Internal time units are microseconds on every 64-bit machine.
        let gc = report.count("gc_microseconds")?;
        let all = report.count("run_microseconds")?;
        let seconds = |microseconds: u64| microseconds as f64 / 1e6;
        Ok(Figures {
            allocated_bytes: report.count("bytes_consed")?,
            gc_cpu_seconds: gc.map(seconds),
            mutator_cpu_seconds: all.zip(gc).and_then(|(all, gc)| all.checked_sub(gc)).map(seconds),
            ..Figures::default()
        })
    };
    reports(said.mailbox, WORD, NAME)?.iter().map(figures).collect()
}

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
