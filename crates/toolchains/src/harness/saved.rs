//! The report of an earlier run that the user has kept: a baseline, and the machine that wrote it.
//!
//! The reports are those that runs leave, so the harness's own reader reads them; only the place
//! differs.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::description::{Harness, Kept, Reported};
use super::go;
use super::mapping::{self, Format};
use super::measurement::{HarnessError, Measured, join};

/// The kept report: a file's contents, or the files of a folder by their paths in it.
#[derive(Debug, Clone, Copy)]
pub enum Contents<'a> {
    /// A file.
    File(&'a str),
    /// A folder.
    Folder(&'a BTreeMap<String, String>),
}

/// The reason that a kept report is not a baseline.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum SavedError {
    #[error("{harness} saves no results that can be read again")]
    Nothing { harness: String },
    #[error("it is a folder, and {harness} writes a file")]
    NoFile { harness: String },
    #[error("it is a file, and {harness} saves a folder, `target/criterion`")]
    NoFolder { harness: String },
    #[error("there is no baseline `{name}` in it; there are {known}")]
    NoSuchName { name: String, known: String },
    #[error("it has no benchmark of {harness}")]
    Empty { harness: String },
    #[error("it has the benchmark `{name}` twice")]
    Twice { name: String },
    #[error("it is criterion's CSV, whose means are computed differently")]
    OfMeans,
    #[error(transparent)]
    Report(#[from] HarnessError),
}

impl SavedError {
    /// A hint for the user, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Nothing { .. } => Some("run the old program beside the new one: `OLD NEW`"),
            Self::OfMeans => Some("have criterion write `--json FILE`, which has the measurements"),
            Self::NoSuchName { .. } => Some("choose one with `--baseline-name`"),
            _ => None,
        }
    }
}

/// The first columns of criterion's CSV.
const CSV_OF_CRITERION: &str = "Name,Mean,MeanLB";

/// The files of a benchmark in criterion.rs.
const FILES: [&str; 2] = ["benchmark.json", "sample.json"];

/// The folder of the last run in criterion.rs.
const LAST: &str = "new";

/// Reads a kept report. `asked` are the names of the benchmarks as the harness lists them; `name`
/// selects the run, if several are kept. The output of Go's `testing` may contain several runs,
/// whose measurements are combined.
pub fn saved(
    harness: &Harness,
    contents: Contents<'_>,
    name: &str,
    asked: &[&str],
) -> Result<Vec<Measured>, SavedError> {
    let mut files = BTreeMap::new();
    let mut stdout = "";
    match (harness.kept(), contents) {
        (Kept::Nothing, _) => return Err(SavedError::Nothing { harness: harness.name.clone() }),
        (Kept::Folders, Contents::Folder(kept)) => files = of_run(kept, name)?,
        (Kept::Folders, Contents::File(_)) => {
            return Err(SavedError::NoFolder { harness: harness.name.clone() });
        }
        (_, Contents::Folder(_)) => {
            return Err(SavedError::NoFile { harness: harness.name.clone() });
        }
        (Kept::File(_), Contents::File(text)) if text.starts_with(CSV_OF_CRITERION) => {
            return Err(SavedError::OfMeans);
        }
        (Kept::File(file), Contents::File(text)) => {
            files.insert(file.to_owned(), text.to_owned());
        }
        (Kept::Printed, Contents::File(text)) => stdout = text,
    }
    let measured = harness.read(&Reported { asked, stdout, files: &files })?;
    if measured.is_empty() {
        return Err(SavedError::Empty { harness: harness.name.clone() });
    }
    let mut all: Vec<Measured> = Vec::new();
    for one in measured {
        match all.iter_mut().find(|known| known.name == one.name) {
            Some(known) if harness.kept() == Kept::Printed => {
                join(&mut known.measurements, one.measurements)
            }
            Some(_) => return Err(SavedError::Twice { name: one.name }),
            None => all.push(one),
        }
    }
    Ok(all)
}

/// A report that brisk did not ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundReport {
    /// The harness that writes such reports.
    pub harness: &'static Harness,
    /// Its measurements; of several benchmarks with one name, the second is called `NAME (2)`.
    pub measured: Vec<Measured>,
}

/// The reports that a file may be: those of every harness that finds a time in it.
pub fn reports(text: &str) -> Vec<FoundReport> {
    super::all().iter().filter_map(|harness| report_of(harness, text)).collect()
}

fn report_of(harness: &'static Harness, text: &str) -> Option<FoundReport> {
    let mut files = BTreeMap::new();
    let mut stdout = "";
    match harness.kept() {
        Kept::File(name) => drop(files.insert(name.to_owned(), text.to_owned())),
        Kept::Printed => stdout = text,
        Kept::Folders | Kept::Nothing => return None,
    }
    let mut measured = harness.read(&Reported { asked: &[], stdout, files: &files }).ok()?;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for one in &mut measured {
        let count = seen.entry(one.name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            one.name = format!("{} ({count})", one.name);
        }
    }
    let has_time = measured.iter().any(|one| one.measurements.is_ok());
    has_time.then_some(FoundReport { harness, measured })
}

/// The files of the run with this name, with the paths of the last run.
fn of_run(
    kept: &BTreeMap<String, String>,
    name: &str,
) -> Result<BTreeMap<String, String>, SavedError> {
    let mut files = BTreeMap::new();
    let mut known: Vec<&str> = Vec::new();
    for (path, contents) in kept {
        let mut parts: Vec<&str> = path.split('/').collect();
        let place = parts.len().checked_sub(2);
        let (Some(place), true) = (place, FILES.iter().any(|file| path.ends_with(file))) else {
            continue;
        };
        if parts[place] == name {
            parts[place] = LAST;
            files.insert(parts.join("/"), contents.clone());
        } else if !known.contains(&parts[place]) {
            known.push(parts[place]);
        }
    }
    if files.is_empty() {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(SavedError::NoSuchName { name: name.to_owned(), known });
    }
    Ok(files)
}

/// A fact of the machine that wrote a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The kind of the fact.
    pub kind: FactKind,
    /// Its value, in the harness's words.
    pub value: String,
}

/// The kind of a fact about a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactKind {
    /// Its name.
    Hostname,
    /// The name of its processor.
    Processor,
    /// The number of its processors.
    Processors,
    /// Its operating system, as Go calls it.
    System,
    /// Its instruction set, as Go calls it.
    Architecture,
}

/// The facts that a file states, each once; from all of its runs if it has several.
pub fn facts(harness: &Harness, text: &str) -> Vec<Fact> {
    let stated = match harness.read.format {
        Format::Go => go::facts(text),
        _ => mapping::facts(&harness.read, text),
    };
    let mut facts: Vec<Fact> = Vec::new();
    for fact in stated {
        if !fact.value.is_empty() && !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    facts
}
