//! The runtime of Standard ML programs compiled by MLton: the first arguments `@MLton
//! gc-summary-file FILE --`, or `@MLton gc-summary --`, which writes to standard error.
//!
//! There is no variable, so a program is only reached if the command names it directly. The runtime
//! removes these arguments before the program sees its own; other arguments for the runtime, such
//! as those that load a saved world, may follow. Its summary has a table of the three kinds of
//! collection, then lines `key: 1,234 unit`; times are whole milliseconds of processor time.
//! Checked with MLton 20241230.

use super::adapter::{Adapter, Asking, Request, Said, Way, plain};
use super::figures::{Figures, FiguresError, Quantity};
use super::numbers::whole;

/// MLton's runtime.
pub static ADAPTER: Adapter = Adapter {
    word: "mlton",
    name: NAME,
    about: "MLton, for Standard ML programs",
    marks: &[&[b"@MLton\0", b"gc-summary\0"]],
    interprets: false,
    ways: &[
        Way { shown: "@MLton gc-summary-file FILE --", request: to_file, read: read_file },
        Way { shown: "@MLton gc-summary --", request: to_stderr, read: read_stderr },
    ],
    leaves: None,
    refusal: |stderr| stderr.lines().find(|line| line.starts_with("Strange @MLton arg: ")),
    silence: "the program gave no summary (not one of MLton's, or ended by a signal)",
    unreachable: "MLton's runtime is asked by arguments, which reach only a program that the command \
                  itself names, without a shell or a script",
    lacking: &[
        (Quantity::MaxLive, "there was no major collection"),
        (Quantity::PauseTime, "MLton's runtime gives it as processor time only: gc time"),
    ],
    live_heap: Err("MLton does not say what is live after each collection"),
    differences: super::adapter::no_differences,
    settings_variables: &[],
};

const NAME: &str = "MLton's runtime";

fn to_file(asking: &Asking<'_>) -> Option<Request> {
    asking.argv?;
    let file = plain(asking.mailbox, &[])?;
    Some(arguments(&["@MLton", "gc-summary-file", &file, "--"]))
}

fn to_stderr(asking: &Asking<'_>) -> Option<Request> {
    asking.argv.map(|_| arguments(&["@MLton", "gc-summary", "--"]))
}

fn arguments(words: &[&str]) -> Request {
    let arguments = words.iter().map(|&word| word.to_owned()).collect();
    Request { arguments, arguments_at: 1, ..Request::default() }
}

fn read_file(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    summaries(said.mailbox)
}

fn read_stderr(said: &Said<'_>) -> Result<Vec<Figures>, FiguresError> {
    let before = said.stderr.split(BEGIN).next().unwrap_or_default();
    if !said.is_stderr_whole && before.contains(IN_EVERY) {
        return Err(FiguresError::CutOff { runtime: NAME });
    }
    summaries(said.stderr)
}

/// The heading of the table with which a summary begins.
const BEGIN: &str = "GC type\t\ttime ms\t number\t";

/// A line of every summary, after the table.
const IN_EVERY: &str = "total bytes allocated: ";

fn summaries(text: &str) -> Result<Vec<Figures>, FiguresError> {
    text.split(BEGIN).skip(1).map(summary).collect()
}

fn summary(text: &str) -> Result<Figures, FiguresError> {
    let row = |kind: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(kind));
        let line = line.ok_or(FiguresError::CutOff { runtime: NAME })?;
        let cells = line.split_ascii_whitespace().take(3).map(whole).collect::<Option<Vec<u64>>>();
        match cells.as_deref() {
            Some(&[_, number, bytes]) => Ok((number, bytes)),
            _ => Err(FiguresError::Malformed { runtime: NAME }),
        }
    };
    let value = |key: &str, unit: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(key));
        let rest = rest.ok_or(FiguresError::CutOff { runtime: NAME })?;
        let number = rest.split_once(unit).and_then(|(number, _)| whole(number));
        number.ok_or(FiguresError::Malformed { runtime: NAME })
    };
    let seconds = |key: &str| Ok(value(key, " ms")? as f64 / 1e3);
    let (copying, copied) = row("copying\t")?;
    let (compacting, _) = row("mark-compact\t")?;
    let (minor, promoted) = row("minor\t")?;
    let sum = |a: u64, b: u64| a.checked_add(b);
    let major = sum(copying, compacting);
    let (all, gc) = (value("total time: ", " ms")?, value("total GC time: ", " ms")?);
    Ok(Figures {
        allocated_bytes: Some(value(IN_EVERY, " bytes")?),
        promoted_bytes: Some(promoted),
        max_live_bytes: Some(value("max bytes live: ", " bytes")?).filter(|_| major != Some(0)),
        max_in_use_bytes: Some(value("max heap size: ", " bytes")?),
        copied_bytes: sum(copied, promoted),
        collections: major.and_then(|major| sum(major, minor)),
        minor_collections: Some(minor),
        major_collections: major,
        gc_cpu_seconds: Some(gc as f64 / 1e3),
        mutator_cpu_seconds: all.checked_sub(gc).map(|mutator| mutator as f64 / 1e3),
        max_pause_seconds: Some(seconds("max pause time: ")?),
        ..Figures::default()
    })
}
