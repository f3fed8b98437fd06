//! Inspections: what was found by looking, stored like an experiment that has no runs.

use rusqlite::{OptionalExtension, params};

use super::write::{immediate, json, signed};
use super::{ExperimentId, State, Store, StoreError, word};
use crate::commission::Kind;

/// What was found by looking at something, once.
#[derive(Debug, Clone, PartialEq)]
pub struct NewInspection<'a> {
    /// When it began, in nanoseconds since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// When it ended.
    pub finished_unix_ns: u64,
    /// What asked for it.
    pub kind: Kind,
    /// What lists call it.
    pub title: String,
    /// The folder of the project that it is about.
    pub project: String,
    /// The command line after `brisk`.
    pub arguments: Vec<String>,
    /// The folder it was started in.
    pub cwd: String,
    /// The version of the brisk that looked.
    pub brisk_version: String,
    /// What the machine is.
    pub machine: &'a serde_json::Value,
    /// How it was.
    pub conditions: &'a serde_json::Value,
    /// What was found in a few words, for lists.
    pub answer: String,
    /// The document, as JSON.
    pub document: &'a str,
}

impl Store {
    /// Keeps an inspection.
    ///
    /// # Errors
    ///
    /// When it cannot be stored; then nothing was.
    pub fn keep_inspection(&mut self, new: &NewInspection<'_>) -> Result<ExperimentId, StoreError> {
        let mut keep = || {
            let transaction = immediate(&mut self.connection)?;
            transaction.execute(
                "INSERT INTO experiment (started_unix_ns, finished_unix_ns, state, title, variants,
                     rounds, runs, answer, kind, project)
                 VALUES (?1, ?2, ?3, ?4, 0, 0, 0, ?5, ?6, ?7)",
                params![
                    signed(new.started_unix_ns),
                    signed(new.finished_unix_ns),
                    word(&State::Complete),
                    new.title,
                    new.answer,
                    new.kind.word(),
                    new.project,
                ],
            )?;
            let id = transaction.last_insert_rowid();
            transaction.execute(
                "INSERT INTO experiment_detail (experiment, arguments, cwd, brisk_version, machine,
                     conditions, summary)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    id,
                    json(&new.arguments),
                    new.cwd,
                    new.brisk_version,
                    json(new.machine),
                    json(new.conditions),
                    new.document,
                ],
            )?;
            transaction.commit()?;
            Ok(ExperimentId(id))
        };
        let kept = keep();
        kept.map_err(|error| self.explain(error))
    }

    /// The document of an inspection, as JSON; `None` when there is none.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn inspection(&self, id: ExperimentId) -> Result<Option<String>, StoreError> {
        let read = || {
            self.connection
                .prepare_cached("SELECT summary FROM experiment_detail WHERE experiment = ?1")?
                .query_row([id.0], |row| row.get(0))
                .optional()
        };
        read().map(Option::flatten).map_err(|error| self.explain(error))
    }
}
