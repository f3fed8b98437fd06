//! What is to be known of a runtime in order to ask it: how its programs are recognised, how it is
//! told from outside to report, where the report comes out, and how it is read.
//!
//! An adapter is a row of data with a few pure functions. Whoever runs programs
//! drives all of them alike: makes the places, changes the command as the [`Request`] says, hands
//! what came out to [`Way::read`].

use std::ffi::OsString;
use std::path::Path;

use super::figures::{Figures, FiguresError, Quantity};
use super::live_heap::Asked;
use super::ocaml_events::Pieces;

/// One runtime.
#[derive(Debug)]
pub struct Adapter {
    /// Its name for the command line.
    pub word: &'static str,
    /// Its name in sentences, for example `GHC's runtime`.
    pub name: &'static str,
    /// Whose programs it runs, for help texts.
    pub about: &'static str,
    /// The strings by which an executable file with it is known: any of these, each complete.
    pub marks: &'static [&'static [&'static [u8]]],
    /// Whether a script whose first line names a program with this runtime is run by it; not so
    /// for programs that merely were compiled with it.
    pub interprets: bool,
    /// How it can be asked, the best way first. When one fails, the next is tried.
    pub ways: &'static [Way],
    /// The ending of the files that it leaves in the folder, if any.
    pub leaves: Option<&'static str>,
    /// What it says on standard error when it may not be asked like this; none where it says no
    /// such thing.
    pub refusal: fn(&str) -> Option<&str>,
    /// Why there may be no figures at all, for people.
    pub silence: &'static str,
    /// Why a command cannot be asked at all in any of the ways.
    pub unreachable: &'static str,
    /// Why single figures may be absent, and what could be done about it.
    pub lacking: &'static [(Quantity, &'static str)],
    /// How it is asked for the live heap over time, or why it is not.
    pub live_heap: Result<&'static Asked, &'static str>,
    /// The settings that are not in effect as they were asked for; `asked` is the value of the
    /// first of the [`Adapter::settings_variables`] that is set.
    pub differences: fn(&Said<'_>, asked: &str) -> Vec<Difference>,
    /// The variables that may hold the settings which [`Adapter::differences`] looks at.
    pub settings_variables: &'static [&'static str],
}

impl PartialEq for Adapter {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Adapter {}

impl Adapter {
    /// Why this figure is absent.
    pub fn reason(&self, quantity: Quantity) -> Option<&'static str> {
        let known = self.lacking.iter().find(|(lacking, _)| *lacking == quantity);
        known.map(|(_, reason)| *reason)
    }
}

/// One way of asking.
#[derive(Debug)]
pub struct Way {
    /// What the user could type to do the same, roughly: `GHCRTS=-t`.
    pub shown: &'static str,
    /// What is changed in a command; none where this way cannot be gone like this.
    pub request: fn(&Asking<'_>) -> Option<Request>,
    /// The figures of every process that reported.
    pub read: fn(&Said<'_>) -> Result<Vec<Figures>, FiguresError>,
}

/// What is asked, and where reports may be written to.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The words of the command, where the first one is the program that is asked; none where a
    /// shell or a script comes between.
    pub argv: Option<&'a [OsString]>,
    /// What several processes may write to at once, in pieces of at most 4 KiB.
    pub mailbox: &'a Path,
    /// A folder of ours for files that the runtime reads or writes.
    pub folder: &'a Path,
}

/// What is changed in a command so that its runtime reports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Variables of the environment.
    pub variables: Vec<Variable>,
    /// Arguments that are added.
    pub arguments: Vec<String>,
    /// How many of the command's own words, its name among them, come before these.
    pub arguments_at: usize,
    /// Files that must be there: name in the folder, and contents.
    pub files: Vec<(&'static str, &'static str)>,
}

/// A variable that is set, or put behind what the user set it to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Another one that the runtime reads where this one is not set.
    pub stands_in: Option<&'static str>,
    /// Our part of its value.
    pub value: String,
    /// How the user's part is kept.
    pub kept: Kept,
}

/// What becomes of the value that the user gave a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It stays in front, with this between.
    Before(&'static str),
    /// It stays behind, with this between.
    After(&'static str),
    /// It is replaced.
    No,
}

/// What came out of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Said<'a> {
    /// What was written into the mailbox.
    pub mailbox: &'a str,
    /// The end of standard error.
    pub stderr: &'a str,
    /// Whether that is all of it.
    pub is_stderr_whole: bool,
    /// The files that the runtime left in the folder, with the ending that [`Adapter::leaves`] says.
    pub files: &'a [Box<dyn Pieces>],
}

/// A setting that is not in effect as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// As it was asked for: `s=300M`.
    pub asked: String,
    /// What is in effect, as a clause: `OCaml runs with 262144k words`.
    pub effective: String,
}

/// The text of a path, where it has one and none of these signs stands in it.
pub(crate) fn plain(path: &Path, forbidden: &[char]) -> Option<String> {
    path.to_str().filter(|text| !text.contains(forbidden)).map(str::to_owned)
}

/// For runtimes that never refuse.
pub(crate) fn never_refuses(_stderr: &str) -> Option<&str> {
    None
}

/// For runtimes that do not tell their settings, or refuse those they do not understand.
pub(crate) fn no_differences(_said: &Said<'_>, _asked: &str) -> Vec<Difference> {
    Vec::new()
}
