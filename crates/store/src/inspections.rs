//! Inspections: findings without measuring, stored like an experiment that has no runs.

use super::database::{Error, values};
use super::read::of_json;
use super::write::number_of;
use super::{ExperimentId, ExperimentState, Store, StoreError, word};
use crate::record::Inspected;
use model::commission::Kind;
use model::host::Circumstances;
use model::json;

/// The findings of an inspection as the store holds them, as opaque text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundText {
    /// The verb that was called.
    pub kind: Kind,
    /// The findings in a few words, for lists.
    pub answer: String,
    /// All findings, as JSON.
    pub json: String,
}

impl Store {
    /// Stores an inspection.
    ///
    /// # Errors
    ///
    /// When it cannot be stored; then no part of it is.
    pub fn keep_inspection<I>(
        &mut self,
        new: &Inspected<I>,
        found: &FoundText,
    ) -> Result<ExperimentId, StoreError> {
        let circumstances = &new.circumstances;
        let keep = || {
            let transaction = self.database.write()?;
            let id = number_of(
                &transaction,
                "INSERT INTO experiment (started_unix_ns, finished_unix_ns, state, title, variants,
                     rounds, runs, answer, kind, project)
                 VALUES (?1, ?2, ?3, ?4, 0, 0, 0, ?5, ?6, ?7) RETURNING id",
                &values![
                    circumstances.started_unix_ns,
                    new.finished_unix_ns,
                    word(&ExperimentState::Complete),
                    &new.title,
                    &found.answer,
                    found.kind.word(),
                    &new.project,
                ],
            )?;
            transaction.execute(
                "INSERT INTO experiment_detail (experiment, arguments, cwd, brisk_version, machine,
                     conditions, summary)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                &values![
                    id,
                    json::text(&new.arguments),
                    &new.cwd,
                    &circumstances.brisk_version,
                    json::text(&circumstances.machine),
                    json::text(&circumstances.conditions),
                    &found.json,
                ],
            )?;
            transaction.commit()?;
            Ok(ExperimentId(id))
        };
        keep().map_err(|error| self.explain(error))
    }

    /// The document of an inspection, as JSON; `None` if it has none.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn inspection(&self, id: ExperimentId) -> Result<Option<String>, StoreError> {
        let select = "SELECT summary FROM experiment_detail WHERE experiment = ?1";
        let read = self.database.row(select, &values![id.0], |row| row.get(0));
        read.map(Option::flatten).map_err(|error| self.explain(error))
    }

    /// An inspection as stored, around its document, which has been read already.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or there is no such inspection.
    pub fn inspected<I>(
        &self,
        id: ExperimentId,
        inspection: I,
    ) -> Result<Inspected<I>, StoreError> {
        let select = "SELECT title, project, arguments, cwd, started_unix_ns, brisk_version,
                          machine, conditions, finished_unix_ns
                      FROM experiment JOIN experiment_detail ON experiment = id WHERE id = ?1";
        let read = self.database.row(select, &values![id.0], |row| {
            Ok(Inspected {
                title: row.get(0)?,
                project: row.get(1)?,
                arguments: of_json(row, 2)?,
                cwd: row.get(3)?,
                circumstances: Circumstances {
                    started_unix_ns: row.get(4)?,
                    brisk_version: row.get(5)?,
                    machine: of_json(row, 6)?,
                    conditions: of_json(row, 7)?,
                },
                finished_unix_ns: row.get(8)?,
                inspection,
            })
        });
        read.and_then(|found| found.ok_or(Error::Gone)).map_err(|error| self.explain(error))
    }
}
