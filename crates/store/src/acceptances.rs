//! The part of the store that `check` needs: accepted failures, and the baseline of each project.
//!
//! An acceptance covers commits, so it applies wherever the project's folder is; only those made
//! outside a repository belong to the folder.

use super::database::values;
use super::read::of_json;
use super::{Store, StoreError};
use judge::acceptance::Acceptance;
use model::json;

impl Store {
    /// Stores an acceptance of the project in the folder `project`.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
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
        self.database.execute(insert, &values).map(drop).map_err(|error| self.explain(error))
    }

    /// The acceptances made at a commit, or in the folder `project` outside a repository, oldest
    /// first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn acceptances(&self, project: &str) -> Result<Vec<Acceptance>, StoreError> {
        let select = "SELECT acceptance FROM acceptance
                      WHERE commit_hash IS NOT NULL OR project = ?1 ORDER BY number";
        let read = self.database.rows(select, &values![project], |row| of_json(row, 0));
        read.map_err(|error| self.explain(error))
    }

    /// Makes a commit the baseline of the project in the folder `project`, replacing an older one.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn keep_baseline(
        &mut self,
        project: &str,
        commit: &str,
        unix_ns: u64,
    ) -> Result<(), StoreError> {
        let insert = "INSERT INTO baseline (project, commit_hash, unix_ns) VALUES (?1, ?2, ?3)
                      ON CONFLICT (project) DO UPDATE
                      SET commit_hash = excluded.commit_hash, unix_ns = excluded.unix_ns";
        let kept = self.database.execute(insert, &values![project, commit, unix_ns]);
        kept.map(drop).map_err(|error| self.explain(error))
    }

    /// The baseline commit of the project in the folder `project`.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn baseline(&self, project: &str) -> Result<Option<String>, StoreError> {
        let select = "SELECT commit_hash FROM baseline WHERE project = ?1";
        let read = self.database.row(select, &values![project], |row| row.get(0));
        read.map_err(|error| self.explain(error))
    }
}
