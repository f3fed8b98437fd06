//! Inspections: what was found by looking, stored like an experiment that has no runs.

use rusqlite::{OptionalExtension, params};

use super::read::{of_json, unsigned};
use super::write::{immediate, json, signed};
use super::{ExperimentId, ExperimentState, Store, StoreError, word};
use crate::record::{Circumstances, Inspected};
use crate::report::inspection::Inspection;

impl Store {
    /// Keeps an inspection.
    ///
    /// # Errors
    ///
    /// When it cannot be stored; then nothing was.
    pub fn keep_inspection(&mut self, new: &Inspected) -> Result<ExperimentId, StoreError> {
        let Inspected { circumstances, inspection, .. } = new;
        let mut keep = || {
            let transaction = immediate(&mut self.connection)?;
            transaction.execute(
                "INSERT INTO experiment (started_unix_ns, finished_unix_ns, state, title, variants,
                     rounds, runs, answer, kind, project)
                 VALUES (?1, ?2, ?3, ?4, 0, 0, 0, ?5, ?6, ?7)",
                params![
                    signed(circumstances.started_unix_ns),
                    signed(new.finished_unix_ns),
                    word(&ExperimentState::Complete),
                    new.title,
                    inspection.found.answer(),
                    inspection.kind.word(),
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
                    circumstances.brisk_version,
                    json(&circumstances.machine),
                    json(&circumstances.conditions),
                    inspection.json(),
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

    /// All that is stored of an inspection, whose document was read already.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or there is no such inspection.
    pub fn inspected(
        &self,
        id: ExperimentId,
        inspection: Inspection,
    ) -> Result<Inspected, StoreError> {
        let select = "SELECT title, project, arguments, cwd, started_unix_ns, brisk_version,
                          machine, conditions, finished_unix_ns
                      FROM experiment JOIN experiment_detail ON experiment = id WHERE id = ?1";
        let read = self.connection.query_row(select, [id.0], |row| {
            Ok(Inspected {
                title: row.get(0)?,
                project: row.get(1)?,
                arguments: of_json(row, 2)?,
                cwd: row.get(3)?,
                circumstances: Circumstances {
                    started_unix_ns: unsigned(row, 4)?,
                    brisk_version: row.get(5)?,
                    machine: of_json(row, 6)?,
                    conditions: of_json(row, 7)?,
                },
                finished_unix_ns: unsigned(row, 8)?,
                inspection,
            })
        });
        read.map_err(|error| self.explain(error))
    }
}
