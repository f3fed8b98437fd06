//! The records stored beside experiments and their runs: the documents of histories, inspections,
//! and the part that `check` needs, which is accepted failures and the baseline of each project.
//!
//! A history is stored with the newest of its experiments; that of a suite in parts, one for each
//! benchmark, so that their pages can be read and drawn one by one, or several at once. An
//! inspection is stored like an experiment that has no runs. An acceptance covers commits, so it
//! applies wherever the project's folder is; only those made outside a repository belong to the
//! folder.

use judge::acceptance::Acceptance;
use model::commission::Kind;
use model::host::Circumstances;
use model::json;

use crate::database::Kind::{Integer, Text};
use crate::database::{Error, Insert, values};
use crate::read::of_json;
use crate::record::Inspected;
use crate::write::number_of;
use crate::{ExperimentId, ExperimentState, Store, StoreError, word};

/// The document of a history, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredHistory {
    /// The result in a few words, for lists.
    pub answer: String,
    /// The document; for a suite, without the measurements of its benchmarks.
    pub frame: String,
    /// The measurements of each benchmark of a suite.
    pub benchmarks: Vec<String>,
}

impl Store {
    /// Stores the document of a history with the newest of its experiments, replacing an older one.
    pub fn keep_history(
        &mut self,
        id: ExperimentId,
        history: &StoredHistory,
    ) -> Result<(), StoreError> {
        let keep = || {
            let transaction = self.database.write()?;
            let count = transaction.execute(
                "UPDATE experiment_detail SET history = ?2 WHERE experiment = ?1",
                &values![id.0, &history.frame],
            )?;
            let answer = "UPDATE experiment SET answer = ?2 WHERE id = ?1";
            transaction.execute(answer, &values![id.0, &history.answer])?;
            let forget = "DELETE FROM history_part WHERE experiment = ?1";
            transaction.execute(forget, &values![id.0])?;
            let parts = (0_i64..).zip(&history.benchmarks);
            let parts = parts.map(|(number, document)| values![id.0, number, document]);
            transaction.insert(&PARTS, parts)?;
            transaction.commit()?;
            Ok(count > 0)
        };
        self.existing(id, keep())
    }

    /// The number of separately stored benchmarks of a suite's history; 0 for other experiments.
    pub fn history_parts(&self, id: ExperimentId) -> Result<usize, StoreError> {
        let select = "SELECT count(*) FROM history_part WHERE experiment = ?1";
        let count = self.row(select, &values![id.0], |row| row.get::<u64>(0))?.unwrap_or_default();
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// The measurements of the benchmark at this index of a suite's history, as JSON; `None` if
    /// they are not stored separately.
    pub fn history_part(
        &self,
        id: ExperimentId,
        place: usize,
    ) -> Result<Option<String>, StoreError> {
        let select = "SELECT document FROM history_part WHERE experiment = ?1 AND number = ?2";
        self.row(select, &values![id.0, place], |row| row.get(0))
    }

    /// The newest experiment with a history for each question about a project or a folder in it,
    /// newest first.
    pub fn newest_histories(&self, project: &str) -> Result<Vec<ExperimentId>, StoreError> {
        let select = "SELECT max(id) FROM experiment JOIN experiment_detail ON experiment = id
             WHERE history IS NOT NULL AND rounds > 0
                 AND substr(project || '/', 1, length(rtrim(?1, '/')) + 1)
                     = rtrim(?1, '/') || '/'
             GROUP BY coalesce(subject, CAST(id AS TEXT)) ORDER BY max(id) DESC";
        self.rows(select, &values![project], |row| row.get(0).map(ExperimentId))
    }
}

const PARTS: Insert<3> = Insert {
    table: "history_part",
    columns: [("experiment", Integer), ("number", Integer), ("document", Text)],
};

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
    pub fn inspection(&self, id: ExperimentId) -> Result<Option<String>, StoreError> {
        let select = "SELECT summary FROM experiment_detail WHERE experiment = ?1";
        self.row(select, &values![id.0], |row| row.get(0)).map(Option::flatten)
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

impl Store {
    /// Stores an acceptance of the project in the folder `project`.
    pub fn accept(&mut self, project: &str, acceptance: &Acceptance) -> Result<(), StoreError> {
        let insert =
            "INSERT INTO acceptance (project, expectation, commit_hash, unix_ns, acceptance)
                      VALUES (?1, ?2, ?3, ?4, ?5)";
        let values = values![
            project,
            acceptance.expectation.to_string(),
            acceptance.commit.as_ref(),
            acceptance.unix_ns,
            json::text(acceptance),
        ];
        self.execute(insert, &values).map(drop)
    }

    /// The acceptances made at a commit, or in the folder `project` outside a repository, oldest
    /// first.
    pub fn acceptances(&self, project: &str) -> Result<Vec<Acceptance>, StoreError> {
        let select = "SELECT acceptance FROM acceptance
                      WHERE commit_hash IS NOT NULL OR project = ?1 ORDER BY number";
        self.rows(select, &values![project], |row| of_json(row, 0))
    }

    /// Makes a commit the baseline of the project in the folder `project`, replacing an older one.
    pub fn keep_baseline(
        &mut self,
        project: &str,
        commit: &str,
        unix_ns: u64,
    ) -> Result<(), StoreError> {
        let insert = "INSERT INTO baseline (project, commit_hash, unix_ns) VALUES (?1, ?2, ?3)
                      ON CONFLICT (project) DO UPDATE
                      SET commit_hash = excluded.commit_hash, unix_ns = excluded.unix_ns";
        self.execute(insert, &values![project, commit, unix_ns]).map(drop)
    }

    /// The baseline commit of the project in the folder `project`.
    pub fn baseline(&self, project: &str) -> Result<Option<String>, StoreError> {
        let select = "SELECT commit_hash FROM baseline WHERE project = ?1";
        self.row(select, &values![project], |row| row.get(0))
    }
}
