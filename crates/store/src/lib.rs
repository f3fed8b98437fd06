//! The store of experiments and their runs: a SQLite file on this machine, or a PostgreSQL
//! database.
//!
//! Every finished run is durable before the next one starts: the launcher appends it to a journal,
//! slices of runs go from there into the store, and after a kill [`Store::recover`] stores the runs
//! left in the journal. Several brisks may use a store at once. A store that is damaged, or of
//! another version, is an error and is left untouched.
//!
//! The tables and columns are documented in `docs/schema.md`. Nothing here judges or formats.

mod database;
#[cfg(feature = "postgres")]
mod deliver;
mod documents;
mod error;
mod events;
mod journal;
mod open;
mod overview;
mod read;
mod readings;
pub mod record;
#[cfg(feature = "postgres")]
mod server;
mod write;

use std::fmt;
use std::path::{Path, PathBuf};
#[cfg(feature = "postgres")]
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use documents::{FoundText, StoredHistory};
pub use error::{Cause, StoreError};
pub use journal::Journal;
pub use overview::{Labelled, LabelledVariant, ListedProject};
pub use read::Filter;
#[cfg(feature = "postgres")]
pub use server::{Address, redacted};

use crate::database::{Row, Value};
use crate::record::{Identity, Stop};
use measure::Outcome;
use model::commission::{Commission, Kind};
use model::design::stopping::StopReason;
use model::host::Circumstances;

/// The place of a store. It is displayed without a password.
#[derive(Debug, Clone)]
pub enum Place {
    /// A SQLite file.
    File(PathBuf),
    /// A database on a PostgreSQL server.
    #[cfg(feature = "postgres")]
    Server(Arc<Address>),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(out),
            #[cfg(feature = "postgres")]
            Self::Server(address) => address.fmt(out),
        }
    }
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&PathBuf> for Place {
    fn from(path: &PathBuf) -> Self {
        Self::File(path.clone())
    }
}

impl From<&Path> for Place {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<&Place> for Place {
    fn from(place: &Place) -> Self {
        place.clone()
    }
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    database: database::Database,
    /// The place as the user named it.
    place: Place,
    /// The journal folder.
    inflight: PathBuf,
    /// The timeout for locks held by other programs.
    patience: Duration,
    access: open::Access,
    known: write::Known,
    /// The experiment that this process measures, if other processes share the store.
    #[cfg(feature = "postgres")]
    held: Option<deliver::Held>,
}

/// The number of an experiment, from 1; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExperimentId(pub i64);

impl fmt::Display for ExperimentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The end of an experiment.
#[derive(Debug, Clone)]
pub struct Finish<'a> {
    /// The time, in nanoseconds since 1970-01-01 UTC.
    pub unix_ns: u64,
    /// The reason.
    pub reason: StopReason,
    /// The time spent measuring, in seconds.
    pub elapsed_seconds: f64,
    /// The number of measured rounds, without warm-ups.
    pub rounds: u32,
    /// The answer in a few words, for lists.
    pub answer: String,
    /// The document without its runs, as JSON.
    pub summary: &'a str,
}

/// The progress of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExperimentState {
    /// Being measured, or interrupted by a kill that has not been noticed yet.
    Running,
    /// Ended by its stopping rule.
    Complete,
    /// Ended by the user.
    Interrupted,
    /// Ended because one of its commands failed.
    Failed,
}

impl ExperimentState {
    fn after(reason: StopReason) -> Self {
        match reason {
            StopReason::Settled | StopReason::Budget | StopReason::Rounds => Self::Complete,
            StopReason::Running => Self::Running,
            StopReason::Interrupted => Self::Interrupted,
            StopReason::Failed => Self::Failed,
        }
    }
}

/// One experiment in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its number.
    pub id: ExperimentId,
    /// The time it began, in nanoseconds since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// The time it ended; `None` while it runs, and if its brisk was killed.
    pub finished_unix_ns: Option<u64>,
    /// Its progress.
    pub state: ExperimentState,
    /// The verb that was called.
    pub kind: Kind,
    /// Its title in lists.
    pub title: String,
    /// The number of variants compared.
    pub variants: u32,
    /// The number of measured rounds, without warm-ups; while it runs, the number of rounds begun.
    pub rounds: u32,
    /// The number of stored runs, including warm-up and instrumented ones.
    pub runs: u64,
    /// The answer in a few words; `None` until the end.
    pub answer: Option<String>,
    /// If it failed, the last timed run that did not end well.
    pub failed_run: Option<FailedRun>,
}

/// The end of a run that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRun {
    /// The way it ended.
    pub outcome: Outcome,
    /// The last lines of its standard error.
    pub stderr_tail: Option<String>,
}

impl Listed {
    /// The identity, unique across all stores.
    pub fn identity(&self) -> Identity {
        let Self { started_unix_ns, kind, ref title, .. } = *self;
        Identity { started_unix_ns, kind, title: title.clone() }
    }
}

/// An experiment that cannot be listed because its data in the store are damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// Its number.
    pub id: ExperimentId,
    /// The damage.
    pub why: String,
}

/// Everything stored about an experiment, except its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredExperiment {
    /// Its number.
    pub id: ExperimentId,
    /// The question, and the way to answer it.
    pub commission: Commission,
    /// The circumstances: place and time of the run.
    pub circumstances: Circumstances,
    /// Its progress.
    pub state: ExperimentState,
    /// The end; `None` while it runs, and if its brisk was killed.
    pub ended: Option<Stop>,
    /// As in [`Listed::rounds`].
    pub rounds: u32,
    /// The number of stored runs.
    pub runs: u64,
    /// The answer in a few words; `None` until the end.
    pub answer: Option<String>,
    /// The document without its runs, as JSON; `None` until the end.
    pub summary: Option<String>,
    /// The document of the history of which this experiment is the newest, as JSON; for a suite,
    /// without its [parts](Store::history_parts).
    pub history: Option<String>,
}

impl Store {
    /// The place of the store.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The error for an experiment that the store does not have.
    pub fn no_such(&self, id: ExperimentId) -> StoreError {
        StoreError::NoSuchExperiment { place: self.place.clone(), id }
    }

    /// True if the connection to the store is lost.
    pub fn is_gone(&self) -> bool {
        match self.database.driver() {
            database::Driver::Sqlite(_) => false,
            #[cfg(feature = "postgres")]
            database::Driver::Server(server) => server.is_closed(),
        }
    }

    /// Executes a statement; returns the number of rows affected.
    fn execute(&self, statement: &str, values: &[Value<'_>]) -> Result<usize, StoreError> {
        self.database.execute(statement, values).map_err(|error| self.explain(error))
    }

    /// All rows of a query, each converted by `read`.
    fn rows<T>(
        &self,
        select: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> database::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.database.rows(select, values, read).map_err(|error| self.explain(error))
    }

    /// The first row of a query, converted by `read`; `None` if there are no rows.
    fn row<T>(
        &self,
        select: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> database::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.database.row(select, values, read).map_err(|error| self.explain(error))
    }

    fn explain(&self, error: database::Error) -> StoreError {
        StoreError::at(self.place.clone(), self.patience, error)
    }
}

/// The name of a unit variant, as serde writes it.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a unit variant is written as a text, not as {other:?}"),
    }
}
