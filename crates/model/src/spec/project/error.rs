//! Errors in `brisk.toml`, in terms of the file.

use std::io;
use std::path::PathBuf;

use super::super::duration::DurationError;
use super::super::nearest::{listed, nearest};
use super::super::own_metric::MeasureError;
use super::super::place::TextPosition;
use super::super::suite::RenameError;
use crate::expectation;

/// `brisk.toml` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProjectFileError {
    /// The file exists, but cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// The file is unreasonably long.
    #[error("`{}` is longer than {most} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The maximum size, in bytes.
        most: u64,
    },
    /// It is not UTF-8.
    #[error("`{}` is not text in UTF-8", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// The place of the first invalid byte.
        #[source]
        place: TextPosition,
    },
    /// The file has an invalid entry.
    #[error("{problem}")]
    Refused {
        /// The problem.
        problem: Box<ProjectProblem>,
        /// The place of the entry.
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
pub(super) const TEXT: &str = "text";
/// The type name of `[[benchmark]]` and `[[expect]]` in messages.
pub(super) const LIST_OF_TABLES: &str = "a list of tables";

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
