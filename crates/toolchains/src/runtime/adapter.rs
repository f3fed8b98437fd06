//! The adapter of a runtime: the marks of its programs, the change to a command that makes it
//! report, and the reader of the report.
//!
//! An adapter is a row of data with a few pure functions. The program runner drives all of them
//! alike: it makes the folders, changes the command according to the [`Request`], and passes the
//! output to [`Way::read`].

use std::ffi::OsString;
use std::path::Path;

use super::figures::{Figures, FiguresError, Quantity};

/// One runtime.
#[derive(Debug)]
pub struct Adapter {
    /// Its name for the command line.
    pub word: &'static str,
    /// Its name in sentences, for example `GHC's runtime`.
    pub name: &'static str,
    /// The programs it runs, for help texts.
    pub about: &'static str,
    /// The strings that identify an executable file with it: all those of any one alternative.
    pub marks: &'static [&'static [&'static [u8]]],
    /// Set if it runs scripts whose first line names a program with this runtime; not set if
    /// programs are only compiled with it.
    pub interprets: bool,
    /// The ways of querying it, the best first. If one fails, the next is tried.
    pub ways: &'static [Way],
    /// The ending of the files that it leaves in the folder, if any.
    pub leaves: Option<&'static str>,
    /// Its message on standard error when it refuses such a query; `None` if the text has no such
    /// message.
    pub refusal: fn(&str) -> Option<&str>,
    /// The reason that all figures may be missing, for people.
    pub silence: &'static str,
    /// The reason that a command cannot be queried in any of the ways.
    pub unreachable: &'static str,
    /// Reasons that single figures may be missing, and possible remedies.
    pub lacking: &'static [(Quantity, &'static str)],
    /// The query for the live heap over time, or the reason that there is none.
    pub live_heap: Result<&'static LiveHeapQuery, &'static str>,
    /// The settings that did not take effect as requested; `asked` is the value of the first of the
    /// [`Adapter::settings_variables`] that is set.
    pub differences: fn(&Said<'_>, asked: &str) -> Vec<Difference>,
    /// The variables that may hold the settings for [`Adapter::differences`].
    pub settings_variables: &'static [&'static str],
}

/// A runtime of compiled programs that refuses nothing and reports no settings.
pub(super) const COMPILED: Adapter = Adapter {
    word: "",
    name: "",
    about: "",
    marks: &[],
    interprets: false,
    ways: &[],
    leaves: None,
    refusal: |_| None,
    silence: "",
    unreachable: "",
    lacking: &[],
    live_heap: Err(""),
    differences: |_, _| Vec::new(),
    settings_variables: &[],
};

impl PartialEq for Adapter {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Adapter {}

impl Adapter {
    /// The reason that this figure is missing.
    pub fn reason(&self, quantity: Quantity) -> Option<&'static str> {
        let known = self.lacking.iter().find(|(lacking, _)| *lacking == quantity);
        known.map(|(_, reason)| *reason)
    }
}

/// One way of querying.
#[derive(Debug)]
pub struct Way {
    /// A rough equivalent that the user could type: `GHCRTS=-t`.
    pub shown: &'static str,
    /// The changes to a command; `None` if this way does not work for it.
    pub request: fn(&Asking<'_>) -> Option<Request>,
    /// The figures of every process that reported.
    pub read: fn(&Said<'_>) -> Result<Vec<Figures>, FiguresError>,
}

/// The command to be queried, and the places for reports.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The words of the command, if the first one is the program to be queried; `None` if a shell
    /// or a script comes between.
    pub argv: Option<&'a [OsString]>,
    /// A file that several processes may write to at once, in pieces of at most 4 KiB.
    pub mailbox: &'a Path,
    /// A folder of brisk's for files that the runtime reads or writes.
    pub folder: &'a Path,
}

/// The changes to a command that make its runtime report.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Variables of the environment.
    pub variables: Vec<Variable>,
    /// Arguments that are added.
    pub arguments: Vec<String>,
    /// The number of the command's words, including its name, before these.
    pub arguments_at: usize,
    /// Required files: the name in the folder, and the contents.
    pub files: Vec<(&'static str, &'static str)>,
}

impl Request {
    /// A single variable.
    pub(super) fn variable(name: &'static str, value: impl Into<String>, kept: Kept) -> Self {
        Self { variables: vec![Variable::new(name, value, kept)], ..Self::default() }
    }
}

/// A variable that is set, or joined with the user's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Another one that the runtime reads if this one is not set.
    pub stands_in: Option<&'static str>,
    /// brisk's part of its value.
    pub value: String,
    /// The place of the user's part.
    pub kept: Kept,
}

impl Variable {
    /// A variable without a stand-in.
    pub fn new(name: &'static str, value: impl Into<String>, kept: Kept) -> Self {
        Self { name, stands_in: None, value: value.into(), kept }
    }
}

/// The fate of the value that the user gave a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It stays in front, with this separator.
    Before(&'static str),
    /// It stays behind, with this separator.
    After(&'static str),
    /// It is replaced.
    No,
}

/// The output of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Said<'a> {
    /// The text written to the mailbox.
    pub mailbox: &'a str,
    /// The end of standard error.
    pub stderr: &'a str,
    /// Set if that is all of standard error.
    pub is_stderr_whole: bool,
    /// The files that the runtime left in the folder, with the ending in [`Adapter::leaves`].
    pub files: &'a [Box<dyn Pieces>],
}

/// A setting that did not take effect as requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The requested setting: `s=300M`.
    pub asked: String,
    /// The effective setting, as a clause: `OCaml runs with 262144k words`.
    pub effective: String,
}

/// The text of a path, if it is Unicode and contains none of these characters.
pub(super) fn plain_path(path: &Path, forbidden: &[char]) -> Option<String> {
    path.to_str().filter(|text| !text.contains(forbidden)).map(str::to_owned)
}

/// A file with random access.
pub trait Pieces: std::fmt::Debug {
    /// The bytes at this offset; `None` if some are missing.
    fn at(&self, offset: u64, length: usize) -> Option<Vec<u8>>;
}

impl Pieces for [u8] {
    fn at(&self, offset: u64, length: usize) -> Option<Vec<u8>> {
        let begin = usize::try_from(offset).ok()?;
        self.get(begin..begin.checked_add(length)?).map(<[u8]>::to_vec)
    }
}

impl Pieces for Vec<u8> {
    fn at(&self, offset: u64, length: usize) -> Option<Vec<u8>> {
        self.as_slice().at(offset, length)
    }
}

/// The live heap after a collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LiveSample {
    /// Seconds since the runtime was started, a little less than since the process was.
    pub seconds: f64,
    /// The live heap, in bytes.
    pub bytes: f64,
}

/// The query for a runtime's live heap over time: the live bytes after each collection. The samples
/// are those of one process: several that report at once cannot be distinguished, and are refused.
#[derive(Debug)]
pub struct LiveHeapQuery {
    /// An equivalent that the user could type.
    pub shown: &'static str,
    /// The changes to a command.
    pub request: fn(&Asking<'_>) -> Request,
    /// Reads the live heap after each collection, in the order of time.
    pub read: fn(&Said<'_>) -> Result<Vec<LiveSample>, LiveHeapError>,
}

/// The reason that the live heap over time is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum LiveHeapError {
    #[error("its trace of collections is too long, and its beginning was lost")]
    CutOff,
    #[error("its trace of collections is not understood")]
    Malformed,
    /// Time goes back from one line to the next.
    #[error("several programs of the run traced their collections at once")]
    Several,
    #[error("no program of the run traced its collections")]
    Silent,
}

/// The samples of all lines, if each could be read and none is earlier than the one before.
pub(super) fn ordered_samples(
    said: &Said<'_>,
    lines: impl Iterator<Item = Option<LiveSample>>,
) -> Result<Vec<LiveSample>, LiveHeapError> {
    if !said.is_stderr_whole {
        return Err(LiveHeapError::CutOff);
    }
    let samples: Option<Vec<LiveSample>> = lines.collect();
    let samples = samples.ok_or(LiveHeapError::Malformed)?;
    if samples.is_empty() {
        return Err(LiveHeapError::Silent);
    }
    if samples.windows(2).any(|pair| pair[1].seconds < pair[0].seconds) {
        return Err(LiveHeapError::Several);
    }
    Ok(samples)
}
