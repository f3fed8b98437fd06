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
mod error;
mod expected;
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
pub use error::{ProjectFileError, ProjectProblem};
pub use expected::Expected;
use table::{Source, Table};

use super::place::TextPosition;
use crate::expectation::Vocabulary;

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
            .tables("expect", "`[[expect]]`", expected::KEYS)?
            .iter()
            .map(|table| expected::read(table, vocabulary))
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
