//! The subject of a figure: a benchmark, a revision of the project, the stored baseline. A benchmark
//! within a program is named after the program and a colon.
//!
//! In `wall_time(fib)` the name is a benchmark's, in `wall_time(main)` a revision's; the two can
//! only be distinguished with the lists of benchmarks and revisions. A name that could be both is
//! rejected rather than guessed: a wrong guess would compare a program with itself and find no
//! fault.

use std::fmt;

use crate::spec::place::{listed, nearest};

/// A subject as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subject {
    /// A benchmark, a revision or `baseline`; a benchmark if followed by a revision.
    pub name: String,
    /// The part after the `@`: a revision or `baseline`.
    pub revision: Option<String>,
}

/// The name of the stored baseline.
pub const BASELINE: &str = "baseline";

/// The state of the project that a figure belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// The checked state.
    Checked,
    /// The state at a revision of git, as written.
    Revision(String),
    /// The stored baseline.
    Baseline,
}

/// A resolved subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The benchmark.
    pub benchmark: String,
    /// The benchmark within it, if given.
    pub inner: Option<String>,
    /// The state of the project.
    pub version: Version,
}

/// The reason that a subject cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum SubjectError {
    #[error("`{name}` is neither a benchmark nor a revision")]
    Unknown { name: String, known: Vec<String> },
    #[error("unknown benchmark `{name}`")]
    UnknownBenchmark { name: String, known: Vec<String> },
    #[error("unknown revision `{0}`")]
    UnknownRevision(String),
    #[error("`{name}` is a benchmark and a revision")]
    Ambiguous { name: String },
    #[error("`{name}` does not say which benchmark")]
    WhichBenchmark { name: String, known: Vec<String> },
    #[error("there is no benchmark to take `{0}` of")]
    NoBenchmarks(String),
}

impl SubjectError {
    /// A suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { name, known } | Self::UnknownBenchmark { name, known } => {
                let names = || known.iter().map(String::as_str);
                let meant = nearest(name, names()).map(|meant| format!("did you mean `{meant}`? "));
                let meant = meant.unwrap_or_default();
                if known.is_empty() {
                    return Some("there are no benchmarks; define one as `[[benchmark]]`".into());
                }
                Some(format!("{meant}benchmarks: {}", listed(names())))
            }
            Self::UnknownRevision(_) => {
                Some("a shallow clone lacks older commits: `git fetch --unshallow`".into())
            }
            Self::Ambiguous { name } => Some(format!(
                "write `{name}@HEAD` for the benchmark, `refs/heads/{name}` for the branch"
            )),
            Self::WhichBenchmark { name, known } => {
                let example = known.first()?;
                let written = Subject { name: example.clone(), revision: Some(name.clone()) };
                Some(format!(
                    "write `{written}`; benchmarks: {}",
                    listed(known.iter().map(String::as_str))
                ))
            }
            Self::NoBenchmarks(_) => Some("define one as `[[benchmark]]`".into()),
        }
    }
}

impl Subject {
    /// Resolves the subject among `benchmarks` and the revisions that `is_revision` accepts.
    ///
    /// # Errors
    ///
    /// When it has no meaning, or several.
    pub fn resolve(
        &self,
        benchmarks: &[String],
        is_revision: &dyn Fn(&str) -> bool,
    ) -> Result<Target, SubjectError> {
        let known = || benchmarks.to_vec();
        let name = &self.name;
        let (benchmark, inner) = parts(name, benchmarks);
        if let Some(revision) = &self.revision {
            let Some(benchmark) = benchmark else {
                let name = name.clone();
                return Err(SubjectError::UnknownBenchmark { name, known: known() });
            };
            let version = version(revision, is_revision)?;
            return Ok(Target { benchmark, inner, version });
        }
        let is_state = name == BASELINE || is_revision(name);
        match (benchmark, is_state) {
            (Some(_), true) => Err(SubjectError::Ambiguous { name: name.clone() }),
            (Some(benchmark), false) => Ok(Target { benchmark, inner, version: Version::Checked }),
            (None, false) => Err(SubjectError::Unknown { name: name.clone(), known: known() }),
            (None, true) => match benchmarks {
                [] => Err(SubjectError::NoBenchmarks(name.clone())),
                [only] => {
                    let version = version(name, is_revision)?;
                    Ok(Target { benchmark: only.clone(), inner: None, version })
                }
                _ => Err(SubjectError::WhichBenchmark { name: name.clone(), known: known() }),
            },
        }
    }
}

/// The benchmark that a name begins with, and the inner one after a colon. Of several matching
/// benchmarks, the longest counts.
fn parts(name: &str, benchmarks: &[String]) -> (Option<String>, Option<String>) {
    if benchmarks.iter().any(|known| known == name) {
        return (Some(name.to_owned()), None);
    }
    let behind = |known: &&String| name.strip_prefix(known.as_str())?.strip_prefix(':');
    let beginnings = benchmarks.iter().filter(|known| behind(known).is_some());
    let benchmark = beginnings.max_by_key(|known| known.len());
    (benchmark.cloned(), benchmark.as_ref().and_then(behind).map(str::to_owned))
}

fn version(name: &str, is_revision: &dyn Fn(&str) -> bool) -> Result<Version, SubjectError> {
    match name {
        BASELINE => Ok(Version::Baseline),
        _ if is_revision(name) => Ok(Version::Revision(name.to_owned())),
        _ => Err(SubjectError::UnknownRevision(name.to_owned())),
    }
}

/// True if `character` may be used in a name without quotes. An `@` may, before a `{`.
pub(super) fn is_plain(character: char) -> bool {
    !(character.is_whitespace()
        || character.is_control()
        || matches!(character, '"' | '(' | ')' | ',' | '@'))
}

fn needs_quotes(name: &str) -> bool {
    let mut rest = name.chars().peekable();
    while let Some(character) = rest.next() {
        let is_older_state = character == '@' && rest.peek() == Some(&'{');
        if !is_plain(character) && !is_older_state {
            return true;
        }
    }
    // After an `@`, a brace would begin an older state of a branch.
    name.is_empty() || name.starts_with('{')
}

fn write_name(formatter: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if needs_quotes(name) {
        write!(formatter, "\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        formatter.write_str(name)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_name(formatter, &self.name)?;
        if let Some(revision) = &self.revision {
            formatter.write_str("@")?;
            write_name(formatter, revision)?;
        }
        Ok(())
    }
}
