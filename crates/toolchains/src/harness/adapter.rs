//! What is to be known of a harness in order to drive it.
//!
//! An adapter is a row of data with a few pure functions. Whoever runs programs drives all of them
//! alike: has the program list its benchmarks, adds the arguments that select some of them and say
//! where the report goes, and hands what came out to [`Harness::read`].

use std::collections::BTreeMap;
use std::path::Path;

use super::measurement::{HarnessError, Measured};

/// One harness.
#[derive(Debug)]
pub struct Harness {
    /// Its name for the command line.
    pub word: &'static str,
    /// Its name in sentences, for example `Go's testing`.
    pub name: &'static str,
    /// What it is, for help texts.
    pub about: &'static str,
    /// The strings by which an executable file with it is known: any of these, each complete.
    pub marks: &'static [&'static [&'static [u8]]],
    /// The arguments with which it lists its benchmarks instead of running them.
    pub list_arguments: &'static [&'static str],
    /// The variables with which it does.
    pub list_variables: &'static [(&'static str, &'static str)],
    /// The names in what it then prints, in the order in which it prints them.
    pub list: fn(stdout: &str) -> Result<Vec<String>, HarnessError>,
    /// How benchmarks are found that the death of a listing process hides; `None` where listing runs
    /// none of them.
    pub discovery: Option<Discovery>,
    /// With these arguments it measures benchmarks for a time that it chooses, or tries them out, so that
    /// its own time says nothing about them.
    pub is_timed: fn(arguments: &[&str]) -> bool,
    /// Where in the output of a process that failed the cause stands.
    pub cause: Cause,
    /// The arguments with which it runs exactly these benchmarks, or all that it has.
    pub select: fn(Selection<'_>) -> Vec<String>,
    /// The arguments and variables with which it writes its report; files go to the folder.
    pub report: fn(folder: &Path) -> Request,
    /// What it measured, in the order of its report.
    pub read: fn(&Reported<'_>) -> Result<Vec<Measured>, HarnessError>,
    /// How long it shall measure one benchmark.
    pub duration: Duration,
    /// In which orders it runs several benchmarks in one process.
    pub arranges: Arranges,
    /// What of an earlier run somebody may have kept.
    pub kept: Kept,
    /// Whether it always says what was allocated.
    pub counts_allocations: bool,
    /// Whether names that are not ASCII need a locale that has them, as in programs of GHC.
    pub needs_locale: bool,
}

impl PartialEq for Harness {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Harness {}

/// How a harness that lists its benchmarks by running them tells those that it has in any case.
#[derive(Debug)]
pub struct Discovery {
    /// The arguments with which it names the benchmarks of the top level, and runs nothing.
    pub root_arguments: &'static [&'static str],
    /// Their names in what it then prints.
    pub roots: fn(stdout: &str) -> Vec<String>,
    /// What was printed is of a process that came to its end.
    pub is_complete: fn(stdout: &str) -> bool,
}

/// The lines between which the output of a failed process says why it failed: a runtime prints more
/// behind them, such as its stack.
#[derive(Debug, Clone, Copy)]
pub struct Cause {
    /// How the first line may begin; where none does, or none is named, all lines count.
    pub begins: &'static [&'static str],
    /// How a line behind the last one may begin.
    pub ends: &'static [&'static str],
}

impl Cause {
    /// The part of an output that says why.
    #[must_use]
    pub fn within(self, output: &str) -> &str {
        let first = |text: &str, beginnings: &[&str]| {
            let mut at = 0;
            text.split_inclusive('\n').find_map(|line| {
                let start = at;
                at += line.len();
                let line = line.trim_start();
                beginnings.iter().any(|words| line.starts_with(words)).then_some(start)
            })
        };
        let rest = &output[first(output, self.begins).unwrap_or(0)..];
        rest[..first(rest, self.ends).unwrap_or(rest.len())].trim()
    }
}

/// The cause in the output of a program in Rust.
pub(crate) const PANIC: Cause =
    Cause { begins: &["thread '"], ends: &["note: run with `RUST_BACKTRACE", "stack backtrace:"] };

/// The cause in the output of a program of GHC's.
pub(crate) const EXCEPTION: Cause =
    Cause { begins: &[], ends: &["CallStack (from HasCallStack)", "HasCallStack backtrace:"] };

/// Which benchmarks are to be run.
#[derive(Debug, Clone, Copy)]
pub enum Selection<'a> {
    /// All.
    Everything,
    /// Those with these names.
    Only(&'a [&'a str]),
}

/// What is added to a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Arguments.
    pub arguments: Vec<String>,
    /// Variables of the environment.
    pub variables: Vec<(&'static str, String)>,
}

/// One of the arguments is one of these options, with or without a value.
pub(crate) fn has_option(arguments: &[&str], options: &[&str]) -> bool {
    let is_it = |argument: &&str| options.contains(&argument.split('=').next().unwrap_or_default());
    arguments.iter().any(is_it)
}

/// How a harness is told how long to measure.
#[derive(Debug)]
pub struct Duration {
    /// The arguments and variables for so many seconds for each benchmark.
    pub request: fn(seconds: f64) -> Request,
    /// The options that say it; where the user gives one of them, nothing is added.
    pub options: &'static [&'static str],
}

impl Duration {
    /// Whether the user's own arguments say it.
    pub fn is_said_by(&self, argument: &str) -> bool {
        self.options.iter().any(|option| {
            let rest = argument.strip_prefix(option);
            // A short option may have its value at once.
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('=') || option.len() == SHORT_OPTION
            })
        })
    }
}

/// The length of an option such as `-L`.
const SHORT_OPTION: usize = 2;

/// In which orders a harness runs several benchmarks in one process, besides its own.
#[derive(Debug, Clone, Copy)]
pub enum Arranges {
    /// In the order in which they are named.
    AsNamed,
    /// As options say.
    ByOptions {
        /// Those for the reverse of its own order; none where it cannot.
        reversed: Option<&'static [&'static str]>,
        /// Those for an order drawn from a seed; none where it cannot.
        shuffled: Option<fn(seed: u64) -> Vec<String>>,
    },
}

/// In which form the report of an earlier run is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// A file, which a run would leave under this name.
    File(&'static str),
    /// What was printed.
    Printed,
    /// A folder that has one for each benchmark, and in it one for each kept run.
    Folders,
    /// Nothing that could be read.
    Nothing,
}

/// In its own order only.
pub(crate) const OWN_ORDER: Arranges = Arranges::ByOptions { reversed: None, shuffled: None };

/// What came out of a run.
#[derive(Debug, Clone, Copy)]
pub struct Reported<'a> {
    /// The names of the benchmarks that were to be run, as the harness lists them.
    pub asked: &'a [&'a str],
    /// What was printed on standard output.
    pub stdout: &'a str,
    /// The files in the folder, by their paths in it.
    pub files: &'a BTreeMap<String, String>,
}

impl<'a> Reported<'a> {
    /// A file that must be there.
    pub(crate) fn file(&self, name: &'static str) -> Result<&'a str, HarnessError> {
        self.files.get(name).map(String::as_str).ok_or(HarnessError::NoReport { file: name })
    }
}

/// Arguments as they are given to a request.
pub(crate) fn arguments<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// The path of a file in a folder, as an argument.
pub(crate) fn path_in(folder: &Path, name: &str) -> String {
    folder.join(name).to_string_lossy().into_owned()
}

/// The lines that are not empty, without spaces around them.
pub(crate) fn names_in_lines(stdout: &str) -> Vec<String> {
    stdout.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_stands_before_the_stack() {
        let go = super::super::go::HARNESS.cause;
        let panic = "a log\npanic: no map\n\ngoroutine 7 [running]:\nx.go:4\n";
        assert_eq!(go.within(panic), "panic: no map");
        assert_eq!(go.within("no such option\n"), "no such option");
        let rust = "thread 'main' panicked at b.rs:1:2:\nboom\nnote: run with `RUST_BACKTRACE=1`\n";
        assert_eq!(PANIC.within(rust), "thread 'main' panicked at b.rs:1:2:\nboom");
        let ghc = "b: boom\nCallStack (from HasCallStack):\n  error, called at B.hs:3:5\n";
        assert_eq!(EXCEPTION.within(ghc), "b: boom");
        assert_eq!(EXCEPTION.within(""), "");
    }

    #[test]
    fn an_option_is_known_with_and_without_its_value() {
        let nothing = |_: f64| Request::default();
        let duration = Duration { request: nothing, options: &["-L", "--time-limit"] };
        for argument in ["-L", "-L5", "--time-limit", "--time-limit=5"] {
            assert!(duration.is_said_by(argument), "{argument}");
        }
        for argument in ["-l", "--time-limits", "--list", "L"] {
            assert!(!duration.is_said_by(argument), "{argument}");
        }
    }
}
