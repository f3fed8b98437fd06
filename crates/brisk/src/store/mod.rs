//! Keeps experiments and their runs: in a SQLite file, on this machine.
//!
//! Every finished run is durable before the next one starts: the launcher appends it to a journal,
//! slices of runs go from there into the store, and after a kill [`Store::recover`] fetches what
//! was still in the journal. Several brisks may use a store at once. A store that is damaged, or
//! of another version, is an error and stays as it is.
//!
//! What a table or column means is in `docs/schema.md`. Nothing here judges or formats.

mod acceptances;
#[cfg(feature = "postgres")]
mod address;
mod curves;
mod database;
#[cfg(feature = "postgres")]
mod deliver;
mod error;
mod events;
mod histories;
mod inspections;
mod journal;
#[cfg(feature = "postgres")]
mod lease;
mod measurements;
mod open;
mod overview;
mod place;
mod read;
mod readings;
mod recover;
mod series;
#[cfg(feature = "postgres")]
mod server;
mod setups;
#[cfg(feature = "postgres")]
mod spool;
mod write;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

#[cfg(feature = "postgres")]
pub use address::{Address, redacted};
pub use error::{Cause, StoreError};
pub use histories::StoredHistory;
pub use inspections::FoundText;
pub use journal::Journal;
pub use overview::{Labelled, ListedProject};
pub use place::Place;
pub use read::Filter;

use crate::commission::{Commission, Kind};
use crate::judge::stopping::StopReason;
use crate::record::{Circumstances, Identity, Stop};

/// An open store.
#[derive(Debug)]
pub struct Store {
    database: database::Database,
    /// As the user named it.
    place: Place,
    /// The folder of the journals.
    inflight: PathBuf,
    /// How long other programs' locks are waited for.
    patience: Duration,
    access: open::Access,
    known: write::Known,
    /// The experiment that this process measures, where others may see it, too.
    #[cfg(feature = "postgres")]
    held: Option<lease::Held>,
}

/// The number of an experiment, from 1; never given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExperimentId(pub i64);

impl fmt::Display for ExperimentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// How an experiment ended.
#[derive(Debug, Clone)]
pub struct Finish<'a> {
    /// When, in nanoseconds since 1970-01-01 UTC.
    pub unix_ns: u64,
    /// Why.
    pub reason: StopReason,
    /// The time of measuring, in seconds.
    pub elapsed_seconds: f64,
    /// How many rounds were measured, warm-ups not counted.
    pub rounds: u32,
    /// The answer in a few words, for lists.
    pub answer: String,
    /// The document without its runs, as JSON.
    pub summary: &'a str,
}

/// How far an experiment has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExperimentState {
    /// It is being measured, or was when its brisk was killed.
    Running,
    /// It ended by its own rule.
    Complete,
    /// Somebody ended it.
    Interrupted,
    /// One of its commands failed.
    Failed,
}

impl ExperimentState {
    fn after(reason: StopReason) -> Self {
        match reason {
            StopReason::Settled | StopReason::Budget | StopReason::Rounds => Self::Complete,
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
    /// When it began, in nanoseconds since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// When it ended; unknown while it runs and where its brisk was killed.
    pub finished_unix_ns: Option<u64>,
    /// How far it has come.
    pub state: ExperimentState,
    /// What asked for it.
    pub kind: Kind,
    /// What lists call it.
    pub title: String,
    /// How many things were compared.
    pub variants: u32,
    /// How many rounds were measured, warm-ups not counted; while it runs, how many were begun.
    pub rounds: u32,
    /// How many runs are stored, warm-ups and instrumented ones among them.
    pub runs: u64,
    /// The answer in a few words, once there is one.
    pub answer: Option<String>,
}

impl Listed {
    /// What tells it from every other, in any store.
    pub fn identity(&self) -> Identity {
        let Self { started_unix_ns, kind, ref title, .. } = *self;
        Identity { started_unix_ns, kind, title: title.clone() }
    }
}

/// An experiment that cannot be listed, because what the store has of it is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// Its number.
    pub id: ExperimentId,
    /// What is wrong with it.
    pub why: String,
}

/// Everything stored about an experiment, except its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredExperiment {
    /// Its number.
    pub id: ExperimentId,
    /// What it is to find out, and how.
    pub commission: Commission,
    /// Where and when it was run.
    pub circumstances: Circumstances,
    /// How far it has come.
    pub state: ExperimentState,
    /// How it ended; none while it runs and where its brisk was killed.
    pub ended: Option<Stop>,
    /// As in [`Listed::rounds`].
    pub rounds: u32,
    /// How many runs are stored.
    pub runs: u64,
    /// The answer in a few words, once there is one.
    pub answer: Option<String>,
    /// The document without its runs, as JSON, once there is one.
    pub summary: Option<String>,
    /// The document of the history that this experiment is the newest of, as JSON; of a suite without
    /// its [parts](Store::history_parts).
    pub history: Option<String>,
}

impl Store {
    /// Where it is.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The error that says that the store has no such experiment.
    pub fn no_such(&self, id: ExperimentId) -> StoreError {
        StoreError::NoSuchExperiment { place: self.place.clone(), id }
    }

    /// Whether the connection to it is gone.
    pub fn is_gone(&self) -> bool {
        match self.database.driver() {
            database::Driver::Sqlite(_) => false,
            #[cfg(feature = "postgres")]
            database::Driver::Server(server) => server.is_closed(),
        }
    }

    fn explain(&self, error: database::Error) -> StoreError {
        StoreError::of(self.place.clone(), self.patience, error)
    }
}

/// The word for a unit variant, as serde writes it.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a unit variant is written as a text, not as {other:?}"),
    }
}
