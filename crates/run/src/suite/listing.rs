//! A program's benchmarks: its harness and their list, determined before anything is measured, the
//! commands that list or run some of them, and the lists in which their measurements are stored and
//! exported.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::tool::{self, Tool, ToolError};
use measure::{Outcome, StartError};
use model::failure::Failure;
use model::spec::Invocation;
use model::spec::suite::{Arrangement, HarnessOption, SuiteProgram};
use serde::{Deserialize, Serialize};
use toolchains::harness;
use toolchains::harness::description::{Arranges, Discovery, Harness, Request, Selection};
use toolchains::harness::measurement::{Figures, HarnessError, Measurement};

use crate::scratch::Scratch;
use crate::suite::last_words;

/// The maximum length of a list of benchmarks, in bytes. Arbitrary: a hundred thousand names, each
/// as long as a line of code.
const MOST_BYTES: u64 = 16 << 20;

/// The reason why a program's benchmarks cannot be listed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ListingError {
    #[error("cannot start `{program}`")]
    Start { program: String, source: StartError },
    #[error("unknown harness `{word}`, and there is no `brisk.toml` that describes it")]
    Undescribed { word: String },
    #[error("cannot make a folder for the list of benchmarks")]
    Folder(#[source] std::io::Error),
    #[error("cannot read `{path}`")]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("`{program}` has no benchmark harness that is known")]
    NoHarness { program: String },
    #[error("`{program}` may run its benchmarks with {harnesses}")]
    Several { program: String, harnesses: String },
    #[error("cannot list the benchmarks of `{program}`")]
    Tool { program: String, source: ToolError },
    #[error("`{program}`, asked for its benchmarks, {how}")]
    Failed { program: String, how: String, last_lines: String },
    #[error("cannot understand which benchmarks `{program}` lists")]
    Listed { program: String, source: HarnessError },
}

impl ListingError {
    /// Advice for the user, if there is any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoHarness { .. } | Self::Undescribed { .. } => {
                let words: Vec<&str> =
                    harness::all().iter().map(|harness| harness.word.as_str()).collect();
                let last = "where a script starts such a program, say which it is with `--harness`";
                Some(format!("known are {}; {last}", words.join(", ")))
            }
            Self::Several { .. } => Some("say which it is with `--harness`".to_owned()),
            Self::Tool { source: ToolError::TimedOut { .. }, .. } => {
                Some("give it longer with `--timeout`".to_owned())
            }
            Self::Failed { .. }
            | Self::Listed { .. }
            | Self::Tool { source: ToolError::TooMuch { .. }, .. } => {
                Some("`--harness` says what the program runs its benchmarks with".to_owned())
            }
            _ => None,
        }
    }

    /// The last lines of the program's output, if it failed.
    pub fn last_lines(&self) -> Option<&str> {
        match self {
            Self::Failed { last_lines, .. } if !last_lines.is_empty() => Some(last_lines),
            _ => None,
        }
    }
}

/// Finds the program, detects its harness, and lists its benchmarks.
///
/// # Errors
///
/// When the program or its harness is not known, or its answer cannot be used.
pub fn program(
    run: Invocation,
    harness: HarnessOption,
    timeout: Option<Duration>,
) -> Result<SuiteProgram, ListingError> {
    let name = run.argv[0].to_string_lossy().into_owned();
    let resolved =
        run.resolve().map_err(|source| ListingError::Start { program: name.clone(), source })?;
    let harness = match harness {
        HarnessOption::Named(harness) => harness,
        HarnessOption::Auto => recognise(&name, &run, &resolved.program)?,
        HarnessOption::OfProject(word) => {
            return Err(ListingError::Undescribed { word: word.to_owned() });
        }
    };
    let mut program = SuiteProgram { name, harness, run, listed: Vec::new() };
    let folder = Scratch::new().map_err(ListingError::Folder)?;
    write_files(harness, folder.path()).map_err(ListingError::Folder)?;
    let folder = folder.path();
    let listing = Listing { program: &program, path: &resolved.program, timeout, folder };
    program.listed = listing.benchmarks()?;
    Ok(program)
}

/// The harness of a program: that which its command starts, or which its file has.
fn recognise(name: &str, run: &Invocation, path: &Path) -> Result<&'static Harness, ListingError> {
    let folder = run.cwd.as_deref().unwrap_or(Path::new("."));
    let named = |word: &OsStr| std::fs::read(folder.join(word)).ok();
    let mut found = harness::of_command(&run.argv, &named);
    if found.is_empty() {
        let contents = std::fs::read(path)
            .map_err(|source| ListingError::Unreadable { path: path.to_owned(), source })?;
        found = harness::recognised(&contents);
    }
    match found.as_slice() {
        [] => Err(ListingError::NoHarness { program: name.to_owned() }),
        [one] => Ok(one),
        several => {
            let names: Vec<&str> = several.iter().map(|harness| harness.name.as_str()).collect();
            let harnesses = names.join(" or ");
            Err(ListingError::Several { program: name.to_owned(), harnesses })
        }
    }
}

/// A query for a program's benchmarks.
struct Listing<'a> {
    program: &'a SuiteProgram,
    path: &'a Path,
    timeout: Option<Duration>,
    folder: &'a Path,
}

impl Listing<'_> {
    fn benchmarks(&self) -> Result<Vec<String>, ListingError> {
        let output =
            self.output(&list_command(self.program, Selection::Everything, self.folder))?;
        match &self.program.harness.list.roots {
            Some(discovery) if !is_complete(discovery, &output) => {
                self.discover(discovery, &output)
            }
            Some(_) => self.names(&output),
            None if output.outcome == Outcome::Exited(0) => self.names(&output),
            None => Err(self.failed(&output)),
        }
    }

    /// The benchmarks of a program whose listing process was ended by a benchmark. The top-level
    /// benchmarks about which it printed nothing, or not everything, are each listed in a separate
    /// process; one that ends that process as well is listed by itself, so that it is run and named
    /// as the one that fails.
    fn discover(
        &self,
        discovery: &Discovery,
        ended: &tool::Output,
    ) -> Result<Vec<String>, ListingError> {
        let output = self.output(&roots_command(self.program, discovery, self.folder))?;
        if output.outcome != Outcome::Exited(0) {
            return Err(self.failed(ended));
        }
        let names = self.names(ended)?;
        let of_root = |root: &str| -> Vec<String> {
            names.iter().filter(|name| is_below(name, root)).cloned().collect()
        };
        let roots = discovery.roots(&String::from_utf8_lossy(&output.stdout));
        let last = roots.iter().rposition(|root| !of_root(root).is_empty());
        let mut all = Vec::new();
        for (place, root) in roots.iter().enumerate() {
            let printed = of_root(root);
            if !printed.is_empty() && Some(place) != last {
                all.extend(printed);
                continue;
            }
            let command = list_command(self.program, Selection::Only(&[root]), self.folder);
            let output = self.output(&command)?;
            all.extend(self.names(&output)?);
            if !is_complete(discovery, &output) {
                all.push(root.clone());
            }
        }
        Ok(all)
    }

    fn names(&self, output: &tool::Output) -> Result<Vec<String>, ListingError> {
        let harness = self.program.harness;
        let list = match &harness.list.file {
            Some(file) => std::fs::read(self.folder.join(file)).unwrap_or_default(),
            None => output.stdout.clone(),
        };
        harness
            .names(&String::from_utf8_lossy(&list))
            .map_err(|source| ListingError::Listed { program: self.program.name.clone(), source })
    }

    fn output(&self, run: &Invocation) -> Result<tool::Output, ListingError> {
        let arguments = run.argv.iter().skip(1);
        let mut tool = Tool::new(self.path).args(arguments).printing_at_most(MOST_BYTES);
        for (name, value) in &run.env {
            tool = tool.env(name, value.as_deref());
        }
        if let Some(folder) = &run.cwd {
            tool = tool.cwd(folder);
        }
        if let Some(timeout) = self.timeout {
            tool = tool.timeout(timeout);
        }
        let program = || self.program.name.clone();
        tool::output(&tool).map_err(|source| ListingError::Tool { program: program(), source })
    }

    fn failed(&self, output: &tool::Output) -> ListingError {
        let stdout = String::from_utf8_lossy(&output.stdout);
        ListingError::Failed {
            program: self.program.name.clone(),
            how: output.outcome.to_string(),
            last_lines: last_words(self.program.harness, &output.stderr, &stdout),
        }
    }
}

fn is_complete(discovery: &Discovery, output: &tool::Output) -> bool {
    discovery.is_complete(&String::from_utf8_lossy(&output.stdout))
}

/// True if a name is that of a root, or of something below it.
fn is_below(name: &str, root: &str) -> bool {
    name.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl From<ListingError> for Failure {
    fn from(error: ListingError) -> Self {
        let failure = Self::from_error(&error).hint(error.hint());
        match error.last_lines() {
            Some(lines) => failure.because(format!("its last lines:\n{lines}")),
            None => failure,
        }
    }
}

/// A list for each quantity; empty if all its values are unknown.
///
/// Each figure is for all iterations of its measurement together, or for one if their number is
/// unknown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Lists {
    /// The wall times, in seconds.
    pub seconds: Vec<f64>,
    /// The number of iterations in each measurement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub iterations: Vec<Option<u64>>,
    /// The bytes allocated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allocated: Vec<Option<f64>>,
    /// The number of allocations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allocations: Vec<Option<f64>>,
    /// The bytes copied by garbage collections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copied: Vec<Option<f64>>,
    /// The number of garbage collections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gc_count: Vec<Option<f64>>,
    /// The processor time of the garbage collections, in seconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gc_time: Vec<Option<f64>>,
    /// The number of page faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page_faults: Vec<Option<f64>>,
}

/// The measurements of one benchmark in one process, unreduced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "MeasurementsPart"))]
pub struct PlacedLists {
    /// The variant.
    pub variant: u32,
    /// The round, from 0.
    pub round: u32,
    /// The measurements.
    #[serde(flatten)]
    pub lists: Lists,
}

impl Lists {
    /// The measurements as lists.
    pub fn from_measurements(measurements: &[Measurement]) -> Self {
        let figure = |figure: fn(&Figures) -> Option<f64>| {
            known(measurements.iter().map(|measurement| figure(&measurement.figures)).collect())
        };
        Self {
            seconds: measurements.iter().map(|measurement| measurement.seconds).collect(),
            iterations: known(measurements.iter().map(|one| one.iterations).collect()),
            allocated: figure(|figures| figures.allocated_bytes),
            allocations: figure(|figures| figures.allocations),
            copied: figure(|figures| figures.copied_bytes),
            gc_count: figure(|figures| figures.collections),
            gc_time: figure(|figures| figures.gc_seconds),
            page_faults: figure(|figures| figures.page_faults),
        }
    }
}

/// The list, emptied if none of its values is known.
fn known<T>(list: Vec<Option<T>>) -> Vec<Option<T>> {
    if list.iter().all(Option::is_none) { Vec::new() } else { list }
}

/// The contents of one process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    /// The benchmarks in the order to run them in, as far as the harness supports it.
    pub names: &'a [&'a str],
    /// Set if these are all benchmarks of the program.
    pub is_whole: bool,
    /// The arrangement of the benchmarks in processes.
    pub arrangement: Arrangement,
    /// The seed for the order, if the harness draws it.
    pub seed: u64,
    /// The time to measure each benchmark for, in seconds.
    pub seconds: f64,
    /// The folder of the report.
    pub folder: &'a Path,
}

/// The time to measure a benchmark for if only the code that it runs matters, in seconds.
const BRIEF_SECONDS: f64 = 0.01;

/// The command that runs one benchmark as briefly as its harness can, with a report in `folder`.
pub fn brief_command(program: &SuiteProgram, name: &str, folder: &Path) -> Invocation {
    let names = &[name];
    let (arrangement, seconds) = (Arrangement::Alone, BRIEF_SECONDS);
    run_command(program, Call { names, is_whole: false, arrangement, seed: 0, seconds, folder })
}

/// The command that runs these benchmarks and reports.
pub(super) fn run_command(program: &SuiteProgram, call: Call<'_>) -> Invocation {
    let harness = program.harness;
    let names_them = harness.order.arranges == Arranges::AsNamed;
    let selection = match call.is_whole && !names_them {
        true => Selection::Everything,
        false => Selection::Only(call.names),
    };
    let users: Vec<&str> =
        program.run.argv.iter().skip(1).filter_map(|argument| argument.to_str()).collect();
    let order = Request { arguments: order(harness, call), ..Request::default() };
    let requests = [
        harness.lasting(call.seconds, &users),
        harness.reporting(call.folder),
        order,
        harness.selecting(selection),
    ];
    with(program, requests, call.folder)
}

/// The arguments that set the order of the benchmarks.
fn order(harness: &Harness, call: Call<'_>) -> Vec<String> {
    match (call.arrangement, harness.order.arranges) {
        (Arrangement::Reversed, Arranges::Own) => harness.order.reversed.clone(),
        (Arrangement::Shuffled, Arranges::Own) => harness.shuffled(call.seed),
        _ => Vec::new(),
    }
}

/// The command that lists the selected benchmarks.
pub(super) fn list_command(
    program: &SuiteProgram,
    selection: Selection<'_>,
    folder: &Path,
) -> Invocation {
    let harness = program.harness;
    let selected = match selection {
        Selection::Everything => Request::default(),
        Selection::Only(_) => harness.selecting(selection),
    };
    with(program, [harness.listing(folder), selected], folder)
}

/// The command that lists the top-level benchmarks.
fn roots_command(program: &SuiteProgram, discovery: &Discovery, folder: &Path) -> Invocation {
    let request = Request { arguments: discovery.arguments.clone(), ..Request::default() };
    with(program, [request], folder)
}

/// Writes the files that a harness needs in the folder of a process.
pub(super) fn write_files(harness: &Harness, folder: &Path) -> std::io::Result<()> {
    harness.files.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
}

fn with<const N: usize>(
    program: &SuiteProgram,
    requests: [Request; N],
    folder: &Path,
) -> Invocation {
    let mut run = program.run.clone();
    if are_for_ghc(&run.argv) {
        run.argv.push("-RTS".into());
    }
    for (name, template) in &program.harness.environment {
        let before = value_of(&run, name).unwrap_or_default();
        let value = Harness::variable(template, name, &before.to_string_lossy(), folder);
        run.env.push((name.into(), Some(value.into())));
    }
    for Request { arguments, variables } in requests {
        run.argv.extend(arguments.into_iter().map(OsString::from));
        run.env
            .extend(variables.into_iter().map(|(name, value)| (name.into(), Some(value.into()))));
    }
    if program.harness.needs_locale && !has_locale(&run) {
        run.env.push(("LC_ALL".into(), Some("C.UTF-8".into())));
    }
    run
}

/// The value of a variable for the program.
fn value_of(run: &Invocation, name: &str) -> Option<OsString> {
    let set = run.env.iter().rfind(|(known, _)| known == OsStr::new(name));
    set.map_or_else(|| std::env::var_os(name), |(_, value)| value.clone())
}

/// True if further arguments would be taken for options of GHC's runtime.
fn are_for_ghc(arguments: &[OsString]) -> bool {
    let of_runtime = |word: &&OsString| *word == "+RTS" || *word == "-RTS";
    arguments.iter().rfind(of_runtime).is_some_and(|word| word == "+RTS")
}

/// True if the locale of the program supports characters beyond ASCII (locale(7): the first of
/// these variables that is set and not empty counts).
fn has_locale(run: &Invocation) -> bool {
    let values = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let mut set = values.filter_map(|name| value_of(run, name));
    let first = set.find(|value| !value.is_empty()).unwrap_or_default();
    let first = first.to_string_lossy().to_ascii_uppercase();
    first.contains("UTF-8") || first.contains("UTF8")
}

#[cfg(test)]
mod tests {
    use measure::{Stdin, Stdout};
    use toolchains::harness;
    use toolchains::harness::description::Harness;

    use super::*;

    #[test]
    fn a_list_of_which_nothing_is_known_is_left_out() {
        let mut second = Measurement::of_time(Some(3), 2.5);
        second.figures.allocated_bytes = Some(48.0);
        let lists = Lists::from_measurements(&[Measurement::of_time(Some(1), 0.5), second]);
        let written = serde_json::to_value(&lists).expect("numbers");
        let expected = serde_json::json!({
            "seconds": [0.5, 2.5], "iterations": [1, 3], "allocated": [null, 48.0],
        });
        assert_eq!(written, expected);
        assert_eq!(serde_json::from_value::<Lists>(written).expect("the same"), lists);
    }

    fn program(harness: &'static Harness, words: &[&str]) -> SuiteProgram {
        SuiteProgram {
            name: words[0].to_owned(),
            harness,
            run: Invocation {
                argv: words.iter().map(OsString::from).collect(),
                env: vec![("LC_ALL".into(), Some("C".into()))],
                cwd: None,
                stdin: Stdin::Null,
                stdout: Stdout::Null,
            },
            listed: Vec::new(),
        }
    }

    fn known(word: &str) -> &'static Harness {
        harness::find(word).expect("known")
    }

    fn call<'a>(names: &'a [&'a str], arrangement: Arrangement) -> Call<'a> {
        let folder = Path::new("/folder");
        Call { names, is_whole: true, arrangement, seed: 6, seconds: 0.5, folder }
    }

    fn words(run: &Invocation) -> Vec<&str> {
        run.argv.iter().map(|word| word.to_str().expect("text")).collect()
    }

    #[test]
    fn options_of_the_runtime_end_before_ours() {
        let program = program(known("criterion"), &["x", "+RTS", "-T"]);
        let run = run_command(&program, call(&["a"], Arrangement::Together));
        let expected =
            ["x", "+RTS", "-T", "-RTS", "--time-limit", "0.5", "--json", "/folder/report.json"];
        assert_eq!(words(&run), expected);
        assert_eq!(run.env.last(), Some(&("LC_ALL".into(), Some("C.UTF-8".into()))));
    }

    #[test]
    fn a_time_that_the_user_says_is_left_alone() {
        let program = program(known("criterion"), &["x", "-L", "3"]);
        let run = run_command(&program, call(&["a"], Arrangement::Together));
        assert_eq!(words(&run), ["x", "-L", "3", "--json", "/folder/report.json"]);
    }

    #[test]
    fn who_takes_names_in_order_is_always_told_them() {
        let program = program(known("lines"), &["x"]);
        let run = run_command(&program, call(&["b", "a"], Arrangement::Shuffled));
        assert_eq!(words(&run), ["x", "--run", "b", "a"]);
        assert_eq!(
            words(&list_command(&program, Selection::Everything, Path::new("/"))),
            ["x", "--list"]
        );
    }

    #[test]
    fn who_draws_the_order_itself_is_given_the_seed() {
        let program = program(known("go"), &["x"]);
        let run = run_command(&program, call(&["BenchmarkA"], Arrangement::Shuffled));
        assert!(words(&run).contains(&"-test.shuffle=3"), "{run:?}");
        assert!(words(&run).contains(&"-test.bench=."), "{run:?}");
    }
}
