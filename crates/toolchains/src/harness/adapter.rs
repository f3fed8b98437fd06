//! The data and functions that drive a harness.
//!
//! An adapter is a row of data with a few pure functions. The program runner drives all of them
//! alike: it has the program list its benchmarks, adds the arguments that select some of them and
//! say where the report goes, and passes the results to [`Harness::read`].

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
    /// Its description, for help texts.
    pub about: &'static str,
    /// The strings that identify an executable file with it: all those of any one alternative.
    pub marks: &'static [&'static [&'static [u8]]],
    /// The arguments that make it list its benchmarks instead of running them.
    pub list_arguments: &'static [&'static str],
    /// The environment variables for the same purpose.
    pub list_variables: &'static [(&'static str, &'static str)],
    /// Reads the names from that list, in the order printed.
    pub list: fn(stdout: &str) -> Result<Vec<String>, HarnessError>,
    /// The way to find benchmarks that are hidden when a listing process dies; `None` if listing
    /// does not run benchmarks.
    pub discovery: Option<Discovery>,
    /// True for arguments with which it measures benchmarks for a time of its own choosing, or
    /// tries them out, so that its own duration says nothing about them.
    pub is_timed: fn(arguments: &[&str]) -> bool,
    /// The position of the cause in the output of a failed process.
    pub cause: Cause,
    /// The arguments that run exactly the benchmarks with these names.
    pub select: fn(names: &[&str]) -> Vec<String>,
    /// The arguments that run all benchmarks.
    pub select_all: &'static [&'static str],
    /// The arguments and variables that make it write its report; files go to the folder.
    pub report: fn(folder: &Path) -> Request,
    /// Reads its measurements, in the order of its report.
    pub read: fn(&Reported<'_>) -> Result<Vec<Measured>, HarnessError>,
    /// Its measuring time for one benchmark.
    pub duration: Duration,
    /// The orders in which it can run several benchmarks in one process.
    pub arranges: Arranges,
    /// The form in which users may have kept its results.
    pub kept: Kept,
    /// Set if it always reports allocations.
    pub counts_allocations: bool,
    /// Set if names that are not ASCII need a matching locale, as in programs of GHC.
    pub needs_locale: bool,
}

/// A harness that lists names, one a line, runs benchmarks in its own order and keeps nothing.
pub(super) const PLAIN: Harness = Harness {
    word: "",
    name: "",
    about: "",
    marks: &[],
    list_arguments: &[],
    list_variables: &[],
    list: |stdout| Ok(names_in_lines(stdout)),
    discovery: None,
    is_timed: |_| false,
    cause: Cause { begins: &[], ends: &[] },
    select: |_| Vec::new(),
    select_all: &[],
    report: |_| Request::default(),
    read: |_| Ok(Vec::new()),
    duration: Duration { request: |_| Request::default(), options: &[] },
    arranges: Arranges::ByOptions { reversed: None, shuffled: None },
    kept: Kept::Nothing,
    counts_allocations: false,
    needs_locale: false,
};

impl Harness {
    /// The arguments that run these benchmarks.
    pub fn selecting(&self, selection: Selection<'_>) -> Vec<String> {
        match selection {
            Selection::Everything => self.select_all.iter().map(|&word| word.to_owned()).collect(),
            Selection::Only(names) => (self.select)(names),
        }
    }
}

impl PartialEq for Harness {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Harness {}

/// The way to find the benchmarks of a harness that lists them by running them.
#[derive(Debug)]
pub struct Discovery {
    /// The arguments that print the names of the top-level benchmarks without running any.
    pub root_arguments: &'static [&'static str],
    /// Reads their names from that output.
    pub roots: fn(stdout: &str) -> Vec<String>,
    /// True if the output is from a process that ended by itself.
    pub is_complete: fn(stdout: &str) -> bool,
}

/// The lines that bound the cause in the output of a failed process: a runtime prints more after
/// it, such as its stack.
#[derive(Debug, Clone, Copy)]
pub struct Cause {
    /// Beginnings of the first line; if there are none, or none is found, the cause begins with the
    /// output.
    pub begins: &'static [&'static str],
    /// Beginnings of a line after the last one.
    pub ends: &'static [&'static str],
}

impl Cause {
    /// The part of an output that states the cause.
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
pub(super) const PANIC: Cause =
    Cause { begins: &["thread '"], ends: &["note: run with `RUST_BACKTRACE", "stack backtrace:"] };

/// The cause in the output of a program compiled by GHC.
pub(super) const EXCEPTION: Cause =
    Cause { begins: &[], ends: &["CallStack (from HasCallStack)", "HasCallStack backtrace:"] };

/// The benchmarks to run.
#[derive(Debug, Clone, Copy)]
pub enum Selection<'a> {
    /// All.
    Everything,
    /// Those with these names.
    Only(&'a [&'a str]),
}

/// The arguments and variables added to a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Arguments.
    pub arguments: Vec<String>,
    /// Variables of the environment.
    pub variables: Vec<(&'static str, String)>,
}

impl Request {
    /// Arguments alone.
    pub(super) fn arguments<const N: usize>(words: [impl Into<String>; N]) -> Self {
        Self { arguments: words.map(Into::into).to_vec(), variables: Vec::new() }
    }
}

/// True if one of the arguments is one of these options, with or without a value.
pub(super) fn has_option(arguments: &[&str], options: &[&str]) -> bool {
    let is_it = |argument: &&str| options.contains(&argument.split('=').next().unwrap_or_default());
    arguments.iter().any(is_it)
}

/// The way to set a harness's measuring time.
#[derive(Debug)]
pub struct Duration {
    /// The arguments and variables for this number of seconds per benchmark.
    pub request: fn(seconds: f64) -> Request,
    /// The options that set it; if the user gives one of them, nothing is added.
    pub options: &'static [&'static str],
}

impl Duration {
    /// True if this argument of the user sets it.
    pub fn is_said_by(&self, argument: &str) -> bool {
        /// The length of an option such as `-L`, which its value may follow without a separator.
        const SHORT_OPTION: usize = 2;
        self.options.iter().any(|option| {
            argument.strip_prefix(option).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('=') || option.len() == SHORT_OPTION
            })
        })
    }
}

/// The orders in which a harness can run several benchmarks in one process, besides its default.
#[derive(Debug, Clone, Copy)]
pub enum Arranges {
    /// In the order in which they are named.
    AsNamed,
    /// In the orders that its options offer.
    ByOptions {
        /// The options for the reverse of its default order; `None` if it has none.
        reversed: Option<&'static [&'static str]>,
        /// The options for an order drawn from a seed; `None` if it has none.
        shuffled: Option<fn(seed: u64) -> Vec<String>>,
    },
}

/// The form in which the report of an earlier run is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// A file; a run would give it this name.
    File(&'static str),
    /// The printed output.
    Printed,
    /// A folder with one folder for each benchmark, which has one for each kept run.
    Folders,
    /// No readable form.
    Nothing,
}

/// The output of a run.
#[derive(Debug, Clone, Copy)]
pub struct Reported<'a> {
    /// The names of the benchmarks that were requested, as the harness lists them.
    pub asked: &'a [&'a str],
    /// The standard output.
    pub stdout: &'a str,
    /// The files in the folder, by their paths in it.
    pub files: &'a BTreeMap<String, String>,
}

impl<'a> Reported<'a> {
    /// A required file.
    pub(super) fn file(&self, name: &'static str) -> Result<&'a str, HarnessError> {
        self.files.get(name).map(String::as_str).ok_or(HarnessError::NoReport { file: name })
    }
}

/// The path of a file in a folder, as an argument.
pub(super) fn path_in(folder: &Path, name: &str) -> String {
    folder.join(name).to_string_lossy().into_owned()
}

/// The lines that are not empty, without spaces around them.
pub(super) fn names_in_lines(stdout: &str) -> Vec<String> {
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
