//! `brisk.toml`: the project's settings, so that nobody has to type them.
//!
//! ```toml
//! [project]
//! name = "zipper"
//! build = "cabal build exe:zipper"
//! artifact = "bin/zipper"
//!
//! [[benchmark]]
//! name = "fib"
//! command = "./zipper fib 30"
//! warmup = 1
//!
//! [[expect]]
//! that = "wall_time(fib) < 2 s"
//! why = "the demonstration must not bore"
//! ```
//!
//! The file is read as a whole or rejected: an unknown key is a mistake of its author, and is
//! reported with its place and the known keys. The words are those of the command line, with `_`
//! for `-`. Facts that only the repository has (whether a revision exists) are not checked here.
//! `docs/brisk-toml.md` is the reference.

mod table;
mod trial;
pub mod written;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::AllowedExits;
use table::{Source, Table};
use toolchains::harness::description::Harness;
pub use trial::{TrialRules, errors_word};

use super::MOST_ROUNDS;
use super::duration::DurationError;
use super::own_metric::{self, MeasureError};
use super::place::{TextPosition, suggestion};
use super::reading::RuntimeOption;
use super::suite::{Arrangement, HarnessOption, RenameError, Renames, kept_for_good};
use crate::expectation::subject::BASELINE;
use crate::expectation::{self, Expectation, ExpectationError, Vocabulary};
use crate::metric::MetricId;
use crate::verdict::Margin;

/// The name of the file.
pub const FILE_NAME: &str = "brisk.toml";

/// The maximum size of the file, in bytes. Arbitrary; a thousand benchmarks need a tenth.
const MOST_BYTES: u64 = 1 << 20;

/// The contents of `brisk.toml`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProjectFile {
    /// The project and its build.
    pub project: Project,
    /// The benchmarks, in the order of the file; names are unique.
    pub benchmarks: Vec<Benchmark>,
    /// The expectations, in the order of the file, without duplicates.
    pub expectations: Vec<Expected>,
    /// The other places to measure it.
    pub engines: Vec<EngineTable>,
    /// The harnesses that it describes.
    pub harnesses: Vec<&'static Harness>,
    /// The rules of its trials, if it has some.
    pub trial: Option<TrialRules>,
}

/// The project and its build. Paths are as written: relative to the file's folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Project {
    /// Its name in reports.
    pub name: Option<String>,
    /// The command that builds it.
    pub build: Option<String>,
    /// The build product: a file or folder within the project.
    pub artifact: Option<PathBuf>,
    /// The folder in the project in which the build and the benchmarks run.
    pub cwd: Option<PathBuf>,
    /// Variables for the build and the benchmarks.
    pub env: Vec<(String, String)>,
    /// A patch applied to every commit before it is built.
    pub patch: Option<PathBuf>,
    /// A folder whose files are added to every commit before it is built.
    pub overlay: Option<PathBuf>,
}

/// The tables of the file.
const TABLES: &[&str] = &["project", "benchmark", "expect", "engine", "harness", "trial"];
/// The keys of `[project]`.
const PROJECT_KEYS: &[&str] = &["name", "build", "artifact", "cwd", "env", "patch", "overlay"];

impl ProjectFile {
    /// Reads the file in `folder`; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is invalid.
    pub fn read(folder: &Path, vocabulary: &Vocabulary) -> Result<Option<Self>, ProjectFileError> {
        let text = text_of(&folder.join(FILE_NAME), PROJECT)?;
        text.map(|text| Self::parse(&text, vocabulary)).transpose()
    }

    /// Reads the text of the file, whose expectations may name the metrics of `vocabulary`.
    ///
    /// # Errors
    ///
    /// The first error, with its place.
    pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Self, ProjectFileError> {
        let source = Source { text, file: PROJECT };
        let root = source.root(TABLES)?;
        let project = match root.table("project", "`[project]`", PROJECT_KEYS)? {
            Some(table) => project(&table)?,
            None => Project::default(),
        };
        let harnesses = read_harnesses(source)?;
        let tables = root.tables("benchmark", "`[[benchmark]]`", BENCHMARK_KEYS)?;
        let vocabulary = &(tables.iter()).try_fold(vocabulary.clone(), with_own_metrics)?;
        let benchmarks = tables
            .iter()
            .map(|table| read_benchmark(table, vocabulary, &harnesses))
            .collect::<Result<Vec<_>, _>>()?;
        let expectations = root
            .tables("expect", "`[[expect]]`", EXPECT_KEYS)?
            .iter()
            .map(|table| read_expected(table, vocabulary))
            .collect::<Result<Vec<_>, _>>()?;
        let benchmarks = distinct(
            source,
            benchmarks,
            |benchmark| benchmark.name.clone(),
            |name| ProjectProblem::BenchmarkTwice { name },
        )?;
        let trial = root.table("trial", "`[trial]`", trial::TRIAL_KEYS)?;
        let trial = trial.map(|table| trial::read(&table, &benchmarks, vocabulary)).transpose()?;
        Ok(Self {
            project,
            engines: read_engines(&root)?,
            harnesses,
            trial,
            benchmarks,
            expectations: distinct(
                source,
                expectations,
                |expected| expected.that.relation.to_string(),
                |that| ProjectProblem::ExpectationTwice { that },
            )?,
        })
    }
}

/// The names of the files in messages.
const PROJECT: &str = "`brisk.toml`";
const SITE: &str = "`site.toml`";

/// The text of a file; `None` if it does not exist.
fn text_of(path: &Path, name: &'static str) -> Result<Option<String>, ProjectFileError> {
    let unreadable = |source| ProjectFileError::Unreadable { path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(ProjectFileError::TooLong { path: path.to_owned(), most: MOST_BYTES });
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        // The text before that place is the same in both.
        let at = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes());
        let span = at..at + char::REPLACEMENT_CHARACTER.len_utf8();
        let place = TextPosition::new(&text, span, name);
        ProjectFileError::NotText { path: path.to_owned(), place }
    });
    text.map(Some)
}

/// A value with its place in the file.
type Placed<T> = (T, std::ops::Range<usize>);

/// The values alone, if their keys are distinct.
fn distinct<T>(
    source: Source<'_>,
    placed: Vec<Placed<T>>,
    key: impl Fn(&T) -> String,
    problem: impl Fn(String) -> ProjectProblem,
) -> Result<Vec<T>, ProjectFileError> {
    let mut seen = std::collections::HashSet::new();
    for (value, span) in &placed {
        if !seen.insert(key(value)) {
            return Err(source.refuse(problem(key(value)), span.clone()));
        }
    }
    Ok(placed.into_iter().map(|(value, _)| value).collect())
}

fn project(table: &Table<'_>) -> Result<Project, ProjectFileError> {
    Ok(Project {
        name: table.text("name")?,
        build: table.text("build")?,
        artifact: table.path_within("artifact")?,
        cwd: table.path_within("cwd")?,
        env: table.env("env")?,
        patch: table.text("patch")?.map(PathBuf::from),
        overlay: table.text("overlay")?.map(PathBuf::from),
    })
}

// `[[benchmark]]`: the benchmarks, in the words of the command line.

/// A benchmark. `None` means the same as leaving out the flag on the command line.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each is the flag of its name, see `brisk compare --help`")]
pub struct Benchmark {
    pub name: String,
    pub command: String,
    pub metrics: Option<Vec<MetricId>>,
    pub runtime: Option<RuntimeOption>,
    pub warmup: Option<u32>,
    pub runs: Option<u32>,
    pub min_runs: Option<u32>,
    pub max_runs: Option<u32>,
    pub budget: Option<Duration>,
    pub margin: Option<Margin>,
    pub timeout: Option<Duration>,
    pub setup: Option<String>,
    pub prepare: Option<String>,
    pub conclude: Option<String>,
    pub cleanup: Option<String>,
    pub measure: Vec<String>,
    pub shell: Option<String>,
    pub cwd: Option<PathBuf>,
    pub env: Vec<(String, String)>,
    pub input: Option<String>,
    pub output: Option<String>,
    pub ignore_failure: Option<AllowedExits>,
    /// The harness of the benchmarks within the program; `None` for a command.
    pub harness: Option<HarnessOption>,
    pub filter: Vec<String>,
    pub order: Option<Arrangement>,
    pub time_per_run: Option<Duration>,
    /// The former names of the benchmarks within the program.
    pub renamed: Renames,
}

/// The keys of `[[benchmark]]`.
const BENCHMARK_KEYS: &[&str] = &[
    "name",
    "command",
    "metrics",
    "runtime",
    "warmup",
    "runs",
    "min_runs",
    "max_runs",
    "budget",
    "margin",
    "timeout",
    "setup",
    "prepare",
    "conclude",
    "cleanup",
    "measure",
    "shell",
    "cwd",
    "env",
    "input",
    "output",
    "ignore_failure",
    "harness",
    "filter",
    "order",
    "time_per_run",
    "renamed",
];

/// The keys that only a benchmark with a harness may have.
const OF_SUITES: [&str; 4] = ["filter", "order", "time_per_run", "renamed"];

/// The keys that a benchmark with a harness may not have.
const OF_COMMANDS: [&str; 10] = [
    "runtime",
    "setup",
    "prepare",
    "conclude",
    "cleanup",
    "measure",
    "shell",
    "input",
    "output",
    "ignore_failure",
];

/// Reads one table, with the place of its name.
fn read_benchmark(
    table: &Table<'_>,
    vocabulary: &Vocabulary,
    harnesses: &[&'static Harness],
) -> Result<Placed<Benchmark>, ProjectFileError> {
    let runs = |key| table.whole(key, 1, MOST_ROUNDS);
    let benchmark = Benchmark {
        name: table.required("name")?,
        command: table.required("command")?,
        metrics: metrics(table, vocabulary)?,
        runtime: word(table, "runtime", RuntimeOption::all(), RuntimeOption::word)?,
        warmup: table.whole("warmup", 0, MOST_ROUNDS)?,
        runs: runs("runs")?,
        min_runs: runs("min_runs")?,
        max_runs: runs("max_runs")?,
        budget: table.duration("budget")?,
        margin: table.margin("margin")?,
        timeout: table.duration("timeout")?,
        setup: table.text("setup")?,
        prepare: table.text("prepare")?,
        conclude: table.text("conclude")?,
        cleanup: table.text("cleanup")?,
        measure: table.list("measure")?,
        shell: table.text("shell")?,
        cwd: table.path_within("cwd")?,
        env: table.env("env")?,
        input: table.text("input")?,
        output: table.text("output")?,
        ignore_failure: table.exit_codes("ignore_failure")?,
        harness: word(table, "harness", harness_options(harnesses), HarnessOption::word)?,
        filter: table.list("filter")?,
        order: word(table, "order", Arrangement::ALL, Arrangement::word)?,
        time_per_run: table.duration("time_per_run")?,
        renamed: renamed(table)?,
    };
    check_benchmark(&benchmark, table)?;
    Ok((benchmark, table.span_of("name")))
}

fn check_benchmark(benchmark: &Benchmark, table: &Table<'_>) -> Result<(), ProjectFileError> {
    if benchmark.name == BASELINE {
        return Err(table.refuse("name", ProjectProblem::Reserved(benchmark.name.clone())));
    }
    let ranges = [
        ("min_runs", benchmark.min_runs.is_some()),
        ("max_runs", benchmark.max_runs.is_some()),
        ("budget", benchmark.budget.is_some()),
    ];
    if benchmark.runs.is_some()
        && let Some((second, _)) = ranges.into_iter().find(|(_, given)| *given)
    {
        return Err(table.refuse(second, ProjectProblem::Both { first: "runs", second }));
    }
    check_suite(benchmark, table)?;
    match (benchmark.min_runs, benchmark.max_runs) {
        (Some(min), Some(max)) if min > max => {
            Err(table.refuse("max_runs", ProjectProblem::Crossed { min, max }))
        }
        _ => Ok(()),
    }
}

/// A benchmark is a command, or a suite with a harness.
fn check_suite(benchmark: &Benchmark, table: &Table<'_>) -> Result<(), ProjectFileError> {
    let first_of = |keys: &[&'static str]| keys.iter().copied().find(|key| table.has(key));
    match benchmark.harness {
        None => match first_of(&OF_SUITES) {
            Some(key) => Err(table.refuse(key, ProjectProblem::NoHarness { key })),
            None => Ok(()),
        },
        Some(_) => match first_of(&OF_COMMANDS) {
            Some(second) => {
                Err(table.refuse(second, ProjectProblem::Both { first: "harness", second }))
            }
            None => Ok(()),
        },
    }
}

/// The value with the word of a key on the command line.
fn word<T: Copy>(
    table: &Table<'_>,
    key: &'static str,
    values: impl IntoIterator<Item = T>,
    word_of: fn(T) -> &'static str,
) -> Result<Option<T>, ProjectFileError> {
    let Some(word) = table.text(key)? else { return Ok(None) };
    let values: Vec<T> = values.into_iter().collect();
    let found = values.iter().copied().find(|value| word_of(*value) == word);
    if found.is_none() {
        let known = values.into_iter().map(|value| word_of(value).to_owned()).collect();
        return Err(table.refuse(key, ProjectProblem::UnknownWord { what: key, word, known }));
    }
    Ok(found)
}

/// The harnesses that a benchmark may name.
fn harness_options(of_project: &[&'static Harness]) -> Vec<HarnessOption> {
    HarnessOption::all().chain(of_project.iter().map(|one| HarnessOption::Named(one))).collect()
}

/// `[harness.NAME]`: the harnesses that the file describes.
fn read_harnesses(source: Source<'_>) -> Result<Vec<&'static Harness>, ProjectFileError> {
    let refuse = |problem, span| Err(source.refuse(problem, span));
    let described = match Harness::of_project(source.text) {
        Ok(described) => described,
        Err(error) => {
            let problem = ProjectProblem::Harness { message: error.message().to_owned() };
            return refuse(problem, error.span().unwrap_or(0..0));
        }
    };
    let is_known = |one: &&Harness| HarnessOption::all().any(|known| known.word() == one.word);
    if let Some(taken) = described.iter().find(is_known) {
        let at = source.text.find(&taken.word).unwrap_or_default();
        let name = taken.word.clone();
        return refuse(ProjectProblem::HarnessTaken { name }, at..at + taken.word.len());
    }
    Ok(described.into_iter().map(kept_for_good).collect())
}

fn renamed(table: &Table<'_>) -> Result<Renames, ProjectFileError> {
    Renames::new(table.names("renamed")?)
        .map_err(|problem| table.refuse("renamed", ProjectProblem::Renamed(problem)))
}

/// The metrics that expectations may use, including those that this table measures.
fn with_own_metrics(
    vocabulary: Vocabulary,
    table: &Table<'_>,
) -> Result<Vocabulary, ProjectFileError> {
    let refuse = |problem| table.refuse("measure", ProjectProblem::Measure(problem));
    let mut vocabulary = vocabulary;
    for one in own_metric::parse_all(&table.list("measure")?).map_err(refuse)? {
        let unit = one.metric.unit();
        match vocabulary.find(one.metric.name()).map(|known| known.id == one.metric) {
            Some(true) => {}
            Some(false) => return Err(refuse(MeasureError::Twice(one.metric.name().to_owned()))),
            None => vocabulary = vocabulary.with(one.metric, unit),
        }
    }
    Ok(vocabulary)
}

fn metrics(
    table: &Table<'_>,
    vocabulary: &Vocabulary,
) -> Result<Option<Vec<MetricId>>, ProjectFileError> {
    let Some(names) = table.texts("metrics")? else { return Ok(None) };
    let mut chosen: Vec<MetricId> = Vec::new();
    for (name, span) in names {
        let Some(metric) = vocabulary.find(&name) else {
            let known = vocabulary.names().map(str::to_owned).collect();
            let problem = ProjectProblem::UnknownWord { what: "metric", word: name, known };
            return Err(table.source.refuse(problem, span));
        };
        if !chosen.contains(&metric.id) {
            chosen.push(metric.id.clone());
        }
    }
    Ok(Some(chosen))
}

// `[engine.NAME]`: other places to run experiments.

/// One or many machines that brisk can submit experiments to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineTable {
    /// The name used by `--on`.
    pub name: String,
    /// The kind, with its settings.
    pub kind: EngineKind,
    /// The folder of its tasks, as written.
    pub folder: Option<PathBuf>,
    /// Set if this brisk is copied into the folder for its jobs.
    pub copy: bool,
    /// The maximum number of machines that measure parts of one history at once.
    pub nodes: usize,
    /// The place of the table, in words.
    pub place: String,
}

/// The kind of an engine, with its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineKind {
    /// Slurm.
    Slurm(SlurmSettings),
    /// One machine, by ssh.
    Ssh(SshSettings),
    /// Commands given by the user.
    Command(Templates),
}

/// The options of Slurm jobs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SlurmSettings {
    /// The partition.
    pub partition: Option<String>,
    /// The features that the node must have.
    pub features: Option<String>,
    /// The reservation.
    pub reservation: Option<String>,
    /// More options of `sbatch`.
    pub options: Vec<String>,
    /// The options of build jobs; `None` if commits are built locally.
    pub builds: Option<BuildJobSettings>,
}

/// The options of Slurm jobs that build.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BuildJobSettings {
    /// The partition.
    pub partition: Option<String>,
    /// More options of `sbatch`.
    pub options: Vec<String>,
}

/// The machine that ssh connects to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshSettings {
    /// The host, as an argument of `ssh`.
    pub host: String,
}

/// The commands to submit, list and cancel jobs of any other engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Templates {
    /// Submits `{script}` as a job named `{name}`, and prints its number.
    pub submit: String,
    /// Prints a line for each job: name, state, number, reason.
    pub poll: String,
    /// Cancels the job `{job}`, or the one named `{name}`.
    pub cancel: String,
}

/// The maximum number of nodes. More do not help: a history is a line, and each node measures a
/// part of it.
const MOST_NODES: u32 = 1000;

/// The reserved name that no engine can have.
pub const LOCAL: &str = "local";

const ENGINE: &str = "`[engine.NAME]`";
const ENGINE_KINDS: [&str; 3] = ["slurm", "ssh", "command"];
/// The keys of every kind.
const COMMON: [&str; 4] = ["kind", "folder", "copy", "nodes"];
const OF_SLURM: [&str; 6] =
    ["partition", "features", "reservation", "options", "build_partition", "build_options"];
const OF_SSH: [&str; 1] = ["host"];
const OF_COMMAND: [&str; 3] = ["submit", "poll", "cancel"];
const ENGINE_KEYS: &[&str] = &[
    "kind",
    "folder",
    "copy",
    "nodes",
    "partition",
    "features",
    "reservation",
    "options",
    "build_partition",
    "build_options",
    "host",
    "submit",
    "poll",
    "cancel",
];

impl EngineTable {
    /// The engine of a name without a table, if it has a default.
    pub fn usual(name: &str) -> Option<Self> {
        let host = name.strip_prefix("ssh:").filter(|host| !host.is_empty());
        let kind = match host {
            Some(host) => EngineKind::Ssh(SshSettings { host: host.to_owned() }),
            None if name == "slurm" => EngineKind::Slurm(SlurmSettings::default()),
            None => return None,
        };
        let place = format!("no table: `[engine.{name}]` would be one");
        Some(Self { name: name.to_owned(), kind, folder: None, copy: false, nodes: 1, place })
    }
}

/// The engines of the site file; empty if the file does not exist.
///
/// # Errors
///
/// When the file cannot be read, or is invalid.
pub fn read_site(path: &Path) -> Result<Vec<EngineTable>, ProjectFileError> {
    let Some(text) = text_of(path, SITE)? else { return Ok(Vec::new()) };
    read_engines(&Source { text: &text, file: SITE }.root(&["engine"])?)
}

/// All engines of a file.
fn read_engines(root: &Table<'_>) -> Result<Vec<EngineTable>, ProjectFileError> {
    let tables = root.named("engine", ENGINE, ENGINE_KEYS)?;
    tables.iter().map(|(name, table)| read_engine(name, table)).collect()
}

fn read_engine(name: &str, table: &Table<'_>) -> Result<EngineTable, ProjectFileError> {
    let is_plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    if name == LOCAL || name.is_empty() || !name.chars().all(is_plain) {
        return Err(table.refuse_all(ProjectProblem::EngineName(name.to_owned())));
    }
    let word = table.required("kind")?;
    let own: &[&str] = match word.as_str() {
        "slurm" => &OF_SLURM,
        "ssh" => &OF_SSH,
        "command" => &OF_COMMAND,
        _ => {
            let known = ENGINE_KINDS.map(str::to_owned).to_vec();
            let problem = ProjectProblem::UnknownWord { what: "kind of engine", word, known };
            return Err(table.refuse("kind", problem));
        }
    };
    let foreign = |key: &&&str| table.has(key) && !COMMON.contains(*key) && !own.contains(*key);
    if let Some(key) = ENGINE_KEYS.iter().find(foreign) {
        return Err(table.refuse(key, ProjectProblem::OfOtherKind { key, kind: word }));
    }
    let kind = match word.as_str() {
        "slurm" => EngineKind::Slurm(SlurmSettings {
            partition: table.text("partition")?,
            features: table.text("features")?,
            reservation: table.text("reservation")?,
            options: table.list("options")?,
            builds: build_jobs(table)?,
        }),
        "ssh" => EngineKind::Ssh(SshSettings { host: table.required("host")? }),
        _ => EngineKind::Command(Templates {
            submit: table.required("submit")?,
            poll: table.required("poll")?,
            cancel: table.required("cancel")?,
        }),
    };
    Ok(EngineTable {
        name: name.to_owned(),
        kind,
        folder: table.text("folder")?.map(PathBuf::from),
        copy: table.flag("copy")?,
        nodes: table.whole("nodes", 1, MOST_NODES)?.map_or(1, |nodes| nodes as usize),
        place: table.place(),
    })
}

/// The settings of build jobs, if one of the keys requests them.
fn build_jobs(table: &Table<'_>) -> Result<Option<BuildJobSettings>, ProjectFileError> {
    let settings = BuildJobSettings {
        partition: table.text("build_partition")?,
        options: table.list("build_options")?,
    };
    Ok((table.has("build_partition") || table.has("build_options")).then_some(settings))
}

// `[[expect]]`: the expectations, with their reasons.

/// An expectation of the project.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The expectation.
    pub that: Expectation,
    /// The reason, shown when it fails.
    pub why: Option<String>,
}

/// The keys of `[[expect]]`.
const EXPECT_KEYS: &[&str] = &["that", "why"];

/// Reads one table, with the place of the expectation.
fn read_expected(
    table: &Table<'_>,
    vocabulary: &Vocabulary,
) -> Result<Placed<Expected>, ProjectFileError> {
    let text = table.required("that")?;
    let that =
        Expectation::parse(&text, vocabulary).map_err(|error| refused(table, &text, error))?;
    Ok((Expected { that, why: table.text("why")? }, table.span_of("that")))
}

/// The error with its place in the file; if TOML's escapes make the texts differ, the place in the
/// expectation's own text.
fn refused(table: &Table<'_>, text: &str, error: ExpectationError) -> ProjectFileError {
    let value = table.span_of("that");
    let problem = ProjectProblem::Expectation(*error.problem);
    match offset_within(&table.source.text[value.clone()], text) {
        Some(offset) => {
            let start = value.start + offset;
            table.source.refuse(problem, start + error.span.start..start + error.span.end)
        }
        None => ProjectFileError::Refused { problem: Box::new(problem), place: error.place },
    }
}

/// The offset in bytes of the text within a quoted value, if written without escapes.
fn offset_within(quoted: &str, text: &str) -> Option<usize> {
    let quote = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quote| quoted.starts_with(quote))?;
    let inner = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
    // A line break immediately after three quotes does not belong to the text.
    let begins = inner.len() - inner.strip_prefix('\n').unwrap_or(inner).len();
    let begins = if quote.len() == 3 { begins } else { 0 };
    (&inner[begins..] == text).then_some(quote.len() + begins)
}

// Errors in `brisk.toml`, in terms of the file.

/// `brisk.toml` cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ProjectFileError {
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{}` is longer than {most} bytes", path.display())]
    TooLong { path: PathBuf, most: u64 },
    #[error("`{}` is not text in UTF-8", path.display())]
    NotText {
        path: PathBuf,
        #[source]
        place: TextPosition,
    },
    #[error("{problem}")]
    Refused {
        problem: Box<ProjectProblem>,
        #[source]
        place: TextPosition,
    },
}

/// An invalid entry of `brisk.toml`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ProjectProblem {
    #[error("{file} is not TOML: {message}")]
    Syntax { file: &'static str, message: String },
    #[error("an engine cannot be called `{}`", .0.escape_debug())]
    EngineName(String),
    #[error("`{key}` applies to another kind of engine than `{kind}`")]
    OfOtherKind { key: &'static str, kind: String },
    #[error("unknown key `{key}` in {table}")]
    UnknownKey { key: String, table: &'static str, known: &'static [&'static str] },
    #[error("{table} lacks `{key}`")]
    Lacks { table: &'static str, key: &'static str },
    #[error("`{key}` must be {expected}, not {found}")]
    WrongType { key: String, expected: &'static str, found: &'static str },
    #[error("`{key}` is empty")]
    Empty { key: String },
    #[error("`{key}` holds a NUL character, which no command and no path can")]
    Nul { key: String },
    #[error("`{key}` is {value}; it must be from {least} to {most}")]
    OutOfRange { key: String, value: String, least: u32, most: u32 },
    #[error("bad `{key}`: {problem}")]
    Duration { key: String, problem: DurationError },
    #[error("`{key}` is {value}, not a positive number of percent")]
    Percent { key: String, value: String },
    #[error("`{key}` is `{path}`, which is not within the project")]
    Outside { key: String, path: String },
    #[error("`{0}` is not the name of a variable")]
    VariableName(String),
    #[error(transparent)]
    Measure(MeasureError),
    #[error("bad `renamed`: {0}")]
    Renamed(RenameError),
    #[error("`{first}` and `{second}` cannot both be given")]
    Both { first: &'static str, second: &'static str },
    #[error("at least {min} runs and at most {max} cannot both be")]
    Crossed { min: u32, max: u32 },
    #[error("`{key}` applies to the benchmarks inside a program, and there is no `harness`")]
    NoHarness { key: &'static str },
    #[error("unknown {what} `{word}`")]
    UnknownWord { what: &'static str, word: String, known: Vec<String> },
    #[error("bad `[harness.NAME]`: {message}")]
    Harness { message: String },
    #[error("`{name}` is a harness that brisk has; choose another name")]
    HarnessTaken { name: String },
    #[error("`{0}` has benchmarks inside, and a trial compares whole commands")]
    TrialOfSuite(String),
    #[error("`{key}` has no `{{{placeholder}}}`")]
    NoPlaceholder { key: &'static str, placeholder: &'static str },
    #[error("a benchmark cannot be called `{0}`: expectations mean the stored baseline by it")]
    Reserved(String),
    #[error("two benchmarks are called `{name}`")]
    BenchmarkTwice { name: String },
    #[error("`{that}` is expected twice")]
    ExpectationTwice { that: String },
    #[error("{0}")]
    Expectation(expectation::Problem),
}

impl ProjectFileError {
    /// A suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Refused { problem, .. } => problem.hint(),
            _ => None,
        }
    }
}

impl ProjectProblem {
    /// A suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownKey { key, table, known } => {
                Some(suggestion(key, &format!("{table} knows"), known.iter().copied()))
            }
            Self::UnknownWord { word, known, .. } => {
                Some(suggestion(word, "known:", known.iter().map(String::as_str)))
            }
            Self::Lacks { key: "edit", .. } => Some(
                "it lists what a proposal may change, for example `edit = [\"src/**\"]`".to_owned(),
            ),
            Self::Lacks { key: "input", .. } => Some(
                "it is the file that the benchmark reads, which the generator's output replaces"
                    .to_owned(),
            ),
            Self::Lacks { key: "command", .. } => Some(
                "it is what is run, for example `command = \"build/program input.txt\"`; with \
                 `harness`, the program that holds the benchmarks"
                    .to_owned(),
            ),
            Self::WrongType { key, expected, .. } if *expected == LIST_OF_TABLES => {
                Some(format!("write `[[{key}]]` for each one"))
            }
            Self::WrongType { expected, found, .. } if *expected == TEXT && *found != "a list" => {
                Some("write it in quotes".to_owned())
            }
            Self::EngineName(_) => {
                Some("names have letters, digits, `-` and `_`; `local` is this machine".to_owned())
            }
            Self::NoHarness { .. } => Some("`harness = \"auto\"` says that it has some".to_owned()),
            Self::BenchmarkTwice { .. } => {
                Some("reports and expectations tell benchmarks apart by name".to_owned())
            }
            Self::Expectation(problem) => problem.hint(),
            _ => None,
        }
    }
}

/// The type name of texts in messages.
const TEXT: &str = "text";
/// The type name of `[[benchmark]]` and `[[expect]]` in messages.
const LIST_OF_TABLES: &str = "a list of tables";
