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

mod benchmark;
mod engine;
mod table;
pub mod written;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

pub use benchmark::Benchmark;
pub use engine::{
    BuildJobSettings, EngineKind, EngineTable, LOCAL, SlurmSettings, SshSettings, Templates,
    read_site,
};
use table::{Source, Table};

use super::duration::DurationError;
use super::own_metric::MeasureError;
use super::place::TextPosition;
use super::place::{listed, nearest};
use super::suite::RenameError;
use crate::expectation::{self, Expectation, ExpectationError, Vocabulary};

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
const TABLES: &[&str] = &["project", "benchmark", "expect", "engine"];
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
        let tables = root.tables("benchmark", "`[[benchmark]]`", benchmark::KEYS)?;
        let vocabulary =
            &(tables.iter()).try_fold(vocabulary.clone(), benchmark::with_own_metrics)?;
        let benchmarks = tables
            .iter()
            .map(|table| benchmark::read(table, vocabulary))
            .collect::<Result<Vec<_>, _>>()?;
        let expectations = root
            .tables("expect", "`[[expect]]`", KEYS)?
            .iter()
            .map(|table| read(table, vocabulary))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            project,
            engines: engine::read_all(&root)?,
            benchmarks: distinct(
                source,
                benchmarks,
                |benchmark| benchmark.name.clone(),
                |name| ProjectProblem::BenchmarkTwice { name },
            )?,
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
const KEYS: &[&str] = &["that", "why"];

/// Reads one table, with the place of the expectation.
fn read(table: &Table<'_>, vocabulary: &Vocabulary) -> Result<Placed<Expected>, ProjectFileError> {
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

fn suggestion<'a>(
    typed: &str,
    introduction: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> String {
    let all = format!("{introduction} {}", listed(known.clone()));
    match nearest(typed, known) {
        Some(meant) => format!("did you mean `{meant}`? {all}"),
        None => all,
    }
}
