//! The description of a harness: how its programs are recognised, asked and read.
//!
//! A description is a table of TOML. Those of `descriptions` belong to brisk, one file for each
//! harness; a user writes others as `[harness.NAME]` of `brisk.toml`, in the same words. The program
//! runner drives all of them alike: it has the program list its benchmarks, adds the arguments that
//! select some of them and say where the report goes, and passes the results to [`Harness::read`].
//!
//! Texts for the command have placeholders in braces, such as `{folder}`; the fields name theirs. A
//! placeholder that a field does not have stays as it is written.

use std::collections::BTreeMap;
use std::path::Path;

use regex_lite::Regex;
use serde::Deserialize;

use super::mapping::{Format, Reading};
use super::measurement::{HarnessError, Measured};
use super::{criterion, criterion_rs, divan, escape, go, jmh, lines, mapping};

/// One harness.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harness {
    /// Its name for the command line.
    #[serde(skip)]
    pub word: String,
    /// The text of the project's file that describes it; `None` for brisk's own.
    #[serde(skip)]
    pub project: Option<String>,
    /// Its name in sentences, for example `Go's testing`.
    pub name: String,
    /// Its description, for help texts.
    #[serde(default)]
    pub about: String,
    /// The strings that identify an executable file with it: all those of any one alternative.
    #[serde(default)]
    pub marks: Vec<Vec<String>>,
    /// Patterns of the commands that start it where no executable file has it: as the command is
    /// typed, without the folder of its first word.
    #[serde(default)]
    pub commands: Vec<Pattern>,
    /// Texts of which a file that such a command names has one; empty if the command is enough.
    #[serde(default)]
    pub script: Vec<String>,
    /// Files that are written to `{folder}` before it runs, by name.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Variables for all its processes. `{folder}`, and the variable's own name for its value.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The list of benchmarks.
    #[serde(default)]
    pub list: Listing,
    /// True for arguments with which it measures benchmarks for a time of its own choosing, or
    /// tries them out; absent if its processes' durations may be compared.
    pub timed: Option<Timed>,
    /// The position of the cause in the output of a failed process.
    #[serde(default)]
    pub cause: Cause,
    /// The selection of benchmarks.
    #[serde(default)]
    pub select: Selecting,
    /// The request for a report.
    #[serde(default)]
    pub report: Report,
    /// The request for a measuring time.
    #[serde(default)]
    pub time: Time,
    /// The arguments that run a benchmark `{iterations}` times, whatever that takes; empty if it has
    /// none.
    #[serde(default)]
    pub repeat: Vec<String>,
    /// The orders in which it can run several benchmarks in one process.
    #[serde(default)]
    pub order: Order,
    /// The contents of its report.
    pub read: Reading,
    /// Set if it always reports allocations.
    #[serde(default)]
    pub counts_allocations: bool,
    /// Set if names that are not ASCII need a matching locale, as in programs of GHC.
    #[serde(default)]
    pub needs_locale: bool,
}

/// A regular expression.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Regex::new(&text).map(Self).map_err(serde::de::Error::custom)
    }
}

impl std::ops::Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        &self.0
    }
}

/// The way to list benchmarks.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Listing {
    /// The arguments that make it list its benchmarks instead of running them. `{folder}`.
    pub arguments: Vec<String>,
    /// The environment variables for the same purpose. `{folder}`.
    pub variables: BTreeMap<String, String>,
    /// The file in `{folder}` with the list; `None` for the standard output.
    pub file: Option<String>,
    /// A line with a name, as its group `name`; by default each line that is not blank is one.
    pub line: Option<Pattern>,
    /// A list that is not made of lines.
    pub format: Option<ListFormat>,
    /// The way to find benchmarks that are hidden when a listing process dies; `None` if listing
    /// does not run benchmarks.
    pub roots: Option<Discovery>,
}

/// The form of a list that is not one name a line.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListFormat {
    /// Results of Go.
    Go,
    /// brisk's own protocol.
    Protocol,
    /// Benchmarks of JMH with the values of their parameters.
    Jmh,
}

/// The way to find the benchmarks of a harness that lists them by running them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Discovery {
    /// The arguments that print the names of the top-level benchmarks without running any.
    pub arguments: Vec<String>,
    /// A line of that output with a name, as its group `name`.
    pub line: Pattern,
    /// A line that only a process which ended by itself prints.
    pub complete: Pattern,
}

impl Discovery {
    /// The names of the top-level benchmarks.
    pub fn roots(&self, stdout: &str) -> Vec<String> {
        named(&self.line, stdout)
    }

    /// True if the output is from a process that ended by itself.
    pub fn is_complete(&self, stdout: &str) -> bool {
        stdout.lines().any(|line| self.complete.is_match(line))
    }
}

/// The arguments by which a program decides itself how long it measures.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timed {
    /// An argument that it needs; without one, it always does.
    pub needs: Option<Pattern>,
    /// An argument with which it does not.
    pub unless: Option<Pattern>,
}

/// The lines that bound the cause in the output of a failed process: a runtime prints more after
/// it, such as its stack.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cause {
    /// Beginnings of the first line; if there are none, or none is found, the cause begins with the
    /// output.
    pub begins: Vec<String>,
    /// Beginnings of a line after the last one.
    pub ends: Vec<String>,
}

impl Cause {
    /// The part of an output that states the cause.
    pub fn within<'a>(&self, output: &'a str) -> &'a str {
        let first = |text: &str, beginnings: &[String]| {
            let mut at = 0;
            text.split_inclusive('\n').find_map(|line| {
                let start = at;
                at += line.len();
                let line = line.trim_start();
                beginnings.iter().any(|words| line.starts_with(words.as_str())).then_some(start)
            })
        };
        let rest = &output[first(output, &self.begins).unwrap_or(0)..];
        rest[..first(rest, &self.ends).unwrap_or(rest.len())].trim()
    }
}

/// The arguments and variables that run certain benchmarks.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Selecting {
    /// The arguments: `{names}` is all names, and an argument with `{name}` is repeated for each.
    pub arguments: Vec<String>,
    /// The variables: `{json}` is the list of names as JSON.
    pub variables: BTreeMap<String, String>,
    /// The arguments that run all benchmarks.
    pub everything: Vec<String>,
    /// The form of a name within `{names}`, as `{name}`.
    pub each: Option<String>,
    /// The text between two names within `{names}`.
    pub join: String,
    /// The language in which a name stands for itself only.
    pub escape: Escape,
}

/// The language in which names are told.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Escape {
    /// Names are taken as they are.
    #[default]
    None,
    /// A regular expression of POSIX, ECMAScript, RE2 or Rust.
    Regex,
    /// One such expression for each part of a name between slashes.
    RegexParts,
    /// A pattern of Haskell's package Glob.
    Glob,
    /// A string literal of Haskell.
    Haskell,
    /// JMH's own: an expression for the method, and an option for each parameter.
    Jmh,
}

/// The request for a report.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Report {
    /// The arguments. `{folder}`, and `{file}` for the path of the file.
    pub arguments: Vec<String>,
    /// The variables. The same.
    pub variables: BTreeMap<String, String>,
    /// The name of the file in `{folder}`; `None` if it goes to the standard output or to several.
    pub file: Option<String>,
}

/// The request for a measuring time of one benchmark.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Time {
    /// The arguments. `{seconds}` and `{milliseconds}`.
    pub arguments: Vec<String>,
    /// The variables. The same.
    pub variables: BTreeMap<String, String>,
    /// The options that set it; if the user gives one of them, nothing is added.
    pub options: Vec<String>,
    /// The smallest time that it accepts, in seconds.
    pub least: f64,
    /// Set if it accepts whole seconds only.
    pub whole: bool,
}

impl Time {
    /// True if this argument of the user sets it.
    pub fn is_said_by(&self, argument: &str) -> bool {
        /// The length of an option such as `-L`, which its value may follow without a separator.
        const SHORT_OPTION: usize = 2;
        self.options.iter().any(|option| {
            argument.strip_prefix(option.as_str()).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('=') || option.len() == SHORT_OPTION
            })
        })
    }
}

/// The orders in which a harness runs benchmarks.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Order {
    /// Its own order, and others by options, if nothing else is said.
    #[serde(rename = "is")]
    pub arranges: Arranges,
    /// The options for the reverse of its own order.
    pub reversed: Vec<String>,
    /// The options for an order drawn from `{seed}`, a positive number of 63 bits.
    pub shuffled: Vec<String>,
}

/// The orders in which a harness can run several benchmarks in one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arranges {
    /// In its own order, and in those that its options offer.
    #[default]
    Own,
    /// In the order in which they are named.
    AsNamed,
    /// In none: it gives each benchmark a process of its own.
    Apart,
}

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
    pub variables: Vec<(String, String)>,
}

impl Request {
    /// The request of these texts, with their placeholders filled in.
    fn filled(
        arguments: &[String],
        variables: &BTreeMap<String, String>,
        values: &[(&str, &str)],
    ) -> Self {
        Self {
            arguments: arguments.iter().map(|text| fill(text, values)).collect(),
            variables: variables
                .iter()
                .map(|(name, text)| (name.clone(), fill(text, values)))
                .collect(),
        }
    }
}

/// The form in which the report of an earlier run is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept<'a> {
    /// A file; a run would give it this name.
    File(&'a str),
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

impl Harness {
    /// The harness that this text describes under this name.
    ///
    /// # Errors
    ///
    /// The first unknown key or wrong value, with its place.
    pub fn parse(word: &str, text: &str) -> Result<Self, toml::de::Error> {
        let described: Self = toml::from_str(text)?;
        Ok(Self { word: word.to_owned(), ..described })
    }

    /// The harnesses that the text of a project's file describes, as tables of `harness`.
    ///
    /// # Errors
    ///
    /// The first unknown key or wrong value, with its place.
    pub fn of_project(text: &str) -> Result<Vec<Self>, toml::de::Error> {
        /// The part of the file that describes harnesses.
        #[derive(Deserialize)]
        struct Project {
            #[serde(default)]
            harness: BTreeMap<String, Harness>,
        }
        let described = toml::from_str::<Project>(text)?.harness.into_iter();
        let project = Some(text.to_owned());
        Ok(described.map(|(word, one)| Self { word, project: project.clone(), ..one }).collect())
    }

    /// The names in the list of benchmarks, in the order printed.
    ///
    /// # Errors
    ///
    /// When it is not such a list.
    pub fn names(&self, list: &str) -> Result<Vec<String>, HarnessError> {
        Ok(match (self.list.format, &self.list.line) {
            (Some(ListFormat::Go), _) => go::names(list),
            (Some(ListFormat::Protocol), _) => lines::names(list)?,
            (Some(ListFormat::Jmh), _) => jmh::names(list),
            (None, Some(line)) => named(line, list),
            (None, None) => names_in_lines(list),
        })
    }

    /// The request for the list.
    pub fn listing(&self, folder: &Path) -> Request {
        let folder = folder.to_string_lossy();
        Request::filled(&self.list.arguments, &self.list.variables, &[("folder", &folder)])
    }

    /// True for arguments with which a process decides itself how long it measures.
    pub fn is_timed(&self, arguments: &[&str]) -> bool {
        let has = |pattern: &Pattern| arguments.iter().any(|one| pattern.is_match(one));
        self.timed.as_ref().is_some_and(|timed| {
            timed.needs.as_ref().is_none_or(has) && !timed.unless.as_ref().is_some_and(has)
        })
    }

    /// The request for these benchmarks.
    pub fn selecting(&self, selection: Selection<'_>) -> Request {
        let select = &self.select;
        let names = match selection {
            Selection::Everything => {
                return Request { arguments: select.everything.clone(), ..Request::default() };
            }
            Selection::Only(names) => names,
        };
        if matches!(select.escape, Escape::Jmh) {
            return Request { arguments: jmh::selection(names), ..Request::default() };
        }
        let escaped: Vec<String> = names.iter().map(|name| select.escape.apply(name)).collect();
        let each = select.each.as_deref().unwrap_or("{name}");
        let all: Vec<String> = escaped.iter().map(|name| fill(each, &[("name", name)])).collect();
        let json = serde_json::to_string(names).expect("texts");
        let values = [("names", all.join(&select.join)), ("json", json)];
        let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
        let of_argument = |argument: &String| match argument.contains("{name}") {
            true => escaped.iter().map(|name| fill(argument, &[("name", name)])).collect(),
            false => vec![fill(argument, &values)],
        };
        Request {
            arguments: select.arguments.iter().flat_map(of_argument).collect(),
            ..Request::filled(&[], &select.variables, &values)
        }
    }

    /// The request for a report in a folder.
    pub fn reporting(&self, folder: &Path) -> Request {
        let file = path_in(folder, self.report.file.as_deref().unwrap_or_default());
        let values = [("folder", &*folder.to_string_lossy()), ("file", &*file)];
        Request::filled(&self.report.arguments, &self.report.variables, &values)
    }

    /// The request for a measuring time, unless the user's arguments set it.
    pub fn lasting(&self, seconds: f64, users: &[&str]) -> Request {
        if users.iter().any(|argument| self.time.is_said_by(argument)) {
            return Request::default();
        }
        let seconds = seconds.max(self.time.least);
        let seconds = if self.time.whole { seconds.ceil() } else { seconds };
        let milliseconds = (seconds * 1e3).ceil().to_string();
        let values = [("seconds", &*seconds.to_string()), ("milliseconds", &milliseconds)];
        Request::filled(&self.time.arguments, &self.time.variables, &values)
    }

    /// The arguments that run one benchmark, and nothing else, this number of times.
    /// `None` if the harness has none, or selects by variables.
    pub fn repeating(&self, name: &str, iterations: u64) -> Option<Vec<String>> {
        let Request { arguments, variables } = self.selecting(Selection::Only(&[name]));
        let iterations = iterations.to_string();
        let repeat = self.repeat.iter().map(|text| fill(text, &[("iterations", &iterations)]));
        let is_offered = !self.repeat.is_empty() && variables.is_empty();
        is_offered.then(|| repeat.chain(arguments).collect())
    }

    /// The options for an order drawn from this seed.
    pub fn shuffled(&self, seed: u64) -> Vec<String> {
        let seed = (seed >> 1).to_string();
        self.order.shuffled.iter().map(|text| fill(text, &[("seed", &seed)])).collect()
    }

    /// Its measurements, in the order of its report.
    ///
    /// # Errors
    ///
    /// When the report is absent, incomplete or of another form.
    pub fn read(&self, reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
        let file = || -> Result<(&str, &str), HarnessError> {
            let Some(name) = &self.report.file else { return Ok(("output", reported.stdout)) };
            let text = reported.files.get(name);
            let absent = || HarnessError::NoReport { file: name.clone() };
            Ok((name, text.ok_or_else(absent)?))
        };
        match self.read.format {
            Format::Go => go::read(reported),
            Format::Divan => divan::read(reported),
            Format::Criterion => criterion::read(file()?.0, file()?.1),
            Format::CriterionRs => criterion_rs::read(reported),
            Format::Protocol => lines::read(reported),
            Format::Json | Format::Csv | Format::Lines => {
                let (name, text) = file()?;
                mapping::read(&self.read, name, text)
            }
        }
    }

    /// The form in which users may have kept its results.
    pub fn kept(&self) -> Kept<'_> {
        match (&self.report.file, self.read.format) {
            (Some(file), _) => Kept::File(file),
            (None, Format::CriterionRs) => Kept::Folders,
            (None, Format::Divan) => Kept::Nothing,
            (None, _) => Kept::Printed,
        }
    }

    /// The value of a variable for its processes, which had the value `before`.
    pub fn variable(template: &str, name: &str, before: &str, folder: &Path) -> String {
        let values = [("folder", &*folder.to_string_lossy()), (name, before)];
        fill(template, &values).trim_matches([' ', ':']).to_owned()
    }
}

impl PartialEq for Harness {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Harness {}

impl Escape {
    fn apply(self, name: &str) -> String {
        match self {
            Self::None | Self::Jmh => name.to_owned(),
            Self::Regex => escape::exact_regex(name),
            Self::RegexParts => {
                name.split('/').map(escape::exact_regex).collect::<Vec<_>>().join("/")
            }
            Self::Glob => escape::glob(name),
            Self::Haskell => escape::haskell(name),
        }
    }
}

/// The text with its placeholders replaced, in one pass: a value that looks like a placeholder
/// stays as it is.
fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let found = rest[start + 1..].find('}').and_then(|length| {
            let word = &rest[start + 1..start + 1 + length];
            let (_, value) = values.iter().find(|(name, _)| *name == word)?;
            Some((*value, start + 2 + length))
        });
        let (value, end) = found.unwrap_or(("{", start + 1));
        filled.push_str(&rest[..start]);
        filled.push_str(value);
        rest = &rest[end..];
    }
    filled + rest
}

/// The path of a file in a folder, as an argument.
fn path_in(folder: &Path, name: &str) -> String {
    folder.join(name).to_string_lossy().into_owned()
}

/// The group `name` of each line that matches.
fn named(line: &Regex, text: &str) -> Vec<String> {
    let name = |one: &str| Some(line.captures(one)?.name("name")?.as_str().to_owned());
    text.lines().filter_map(name).collect()
}

/// The lines that are not empty, without spaces around them.
fn names_in_lines(stdout: &str) -> Vec<String> {
    stdout.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    #[test]
    fn the_cause_stands_before_the_stack() {
        let cause = |word: &str| find(word).expect("known").cause.clone();
        let panic = "a log\npanic: no map\n\ngoroutine 7 [running]:\nx.go:4\n";
        assert_eq!(cause("go").within(panic), "panic: no map");
        assert_eq!(cause("go").within("no such option\n"), "no such option");
        let rust = "thread 'main' panicked at b.rs:1:2:\nboom\nnote: run with `RUST_BACKTRACE=1`\n";
        assert_eq!(cause("divan").within(rust), "thread 'main' panicked at b.rs:1:2:\nboom");
        let ghc = "b: boom\nCallStack (from HasCallStack):\n  error, called at B.hs:3:5\n";
        assert_eq!(cause("criterion").within(ghc), "b: boom");
        assert_eq!(cause("criterion").within(""), "");
    }

    #[test]
    fn an_option_is_known_with_and_without_its_value() {
        let options = ["-L", "--time-limit"].map(str::to_owned).to_vec();
        let time = Time { options, ..Time::default() };
        for argument in ["-L", "-L5", "--time-limit", "--time-limit=5"] {
            assert!(time.is_said_by(argument), "{argument}");
        }
        for argument in ["-l", "--time-limits", "--list", "L"] {
            assert!(!time.is_said_by(argument), "{argument}");
        }
    }

    #[test]
    fn a_value_that_looks_like_a_placeholder_stays() {
        let values = [("name", "{folder}"), ("folder", "/f")];
        assert_eq!(fill("{name} in {folder}, {other} {", &values), "{folder} in /f, {other} {");
    }

    #[test]
    fn an_unknown_key_is_refused_with_those_that_exist() {
        let error = Harness::parse("x", "name = \"x\"\nlst = 1\n").expect_err("a mistake");
        let message = error.message();
        assert!(message.contains("`lst`") && message.contains("`list`"), "{message}");
        let error = Harness::parse("x", "name = \"x\"\nread.format = \"json\"\nread.line = \"(\"");
        assert!(error.is_err(), "an expression that is none");
    }

    #[test]
    fn one_benchmark_runs_a_number_of_times_and_nothing_else() {
        let words = |word: &str| find(word).expect("known").repeating("BenchmarkA/x", 30);
        let go = ["-test.run=^$", "-test.benchtime=30x", "-test.bench=^BenchmarkA$/^x$"];
        assert_eq!(words("go").expect("offered"), go);
        let divan = words("divan").expect("offered");
        assert_eq!(divan[..5], ["--bench", "--sample-count", "1", "--sample-size", "30"]);
        assert_eq!(divan[divan.len() - 2..], ["--", "BenchmarkA/x"]);
        for none in ["pytest-benchmark", "criterion-rs", "lines"] {
            assert_eq!(words(none), None, "{none}");
        }
    }

    #[test]
    fn the_time_keeps_to_what_the_harness_accepts() {
        let words =
            |word: &str, seconds| find(word).expect("known").lasting(seconds, &[]).arguments;
        assert_eq!(words("criterion", 0.025), ["--time-limit", "0.1"]);
        assert_eq!(
            words("criterion-rs-0.3", 1.5),
            ["--warm-up-time", "2", "--measurement-time", "2"]
        );
    }
}
