//! What a check needs of the store: accepted failures, and the baseline of each project.
//!
//! An acceptance covers commits, so it is found again wherever the project lies; only what was
//! accepted outside of a repository belongs to the folder.

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};
use crate::judge::acceptance::Acceptance;

impl Store {
    /// Keeps an acceptance of the project in the folder `project`.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn accept(&mut self, project: &str, acceptance: &Acceptance) -> Result<(), StoreError> {
        let insert =
            "INSERT INTO acceptance (project, expectation, commit_hash, unix_ns, acceptance)
                      VALUES (?1, ?2, ?3, ?4, ?5)";
        let values = params![
            project,
            acceptance.expectation.to_string(),
            acceptance.commit,
            i64::try_from(acceptance.unix_ns).unwrap_or(i64::MAX),
            serde_json::to_string(acceptance).expect("an acceptance has only string keys"),
        ];
        self.connection.execute(insert, values).map(drop).map_err(|error| self.explain(error))
    }

    /// The acceptances that were made at some commit, or in the folder `project` outside of a
    /// repository, the oldest first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn acceptances(&self, project: &str) -> Result<Vec<Acceptance>, StoreError> {
        let read = || -> rusqlite::Result<Vec<Acceptance>> {
            self.connection
                .prepare_cached(
                    "SELECT acceptance FROM acceptance
                     WHERE commit_hash IS NOT NULL OR project = ?1 ORDER BY number",
                )?
                .query_map([project], |row| {
                    let text: String = row.get(0)?;
                    serde_json::from_str(&text).map_err(|error| {
                        let text = rusqlite::types::Type::Text;
                        rusqlite::Error::FromSqlConversionFailure(0, text, Box::new(error))
                    })
                })?
                .collect()
        };
        read().map_err(|error| self.explain(error))
    }

    /// Makes a commit the baseline of the project in the folder `project`, in place of an older one.
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
        let unix_ns = i64::try_from(unix_ns).unwrap_or(i64::MAX);
        let kept = self.connection.execute(insert, params![project, commit, unix_ns]);
        kept.map(drop).map_err(|error| self.explain(error))
    }

    /// The commit that is the baseline of the project in the folder `project`.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn baseline(&self, project: &str) -> Result<Option<String>, StoreError> {
        let select = "SELECT commit_hash FROM baseline WHERE project = ?1";
        let read = self.connection.query_row(select, [project], |row| row.get(0)).optional();
        read.map_err(|error| self.explain(error))
    }
}
