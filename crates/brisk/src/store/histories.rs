//! The documents of histories, each kept with the newest of its experiments.
//!
//! That of a suite is in parts, one for each benchmark: whoever wants a page of each reads and draws
//! one after the other, or several at once.

use rusqlite::{OptionalExtension as _, params};

use super::read::unsigned;
use super::write::immediate;
use super::{ExperimentId, Store, StoreError};

/// The document of a history, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredHistory {
    /// The document; of a suite without what its benchmarks measured.
    pub frame: String,
    /// What each benchmark of a suite measured.
    pub benchmarks: Vec<String>,
}

impl Store {
    /// Keeps the document of a history with the newest of its experiments; an older one is replaced.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn keep_history(
        &mut self,
        id: ExperimentId,
        history: &StoredHistory,
    ) -> Result<(), StoreError> {
        let (path, patience) = (&self.path, self.patience);
        let mut keep = || -> rusqlite::Result<usize> {
            let transaction = immediate(&mut self.connection)?;
            let count = transaction.execute(
                "UPDATE experiment_detail SET history = ?2 WHERE experiment = ?1",
                params![id.0, history.frame],
            )?;
            transaction.execute("DELETE FROM history_part WHERE experiment = ?1", [id.0])?;
            for (number, document) in (0_i64..).zip(&history.benchmarks) {
                transaction
                    .prepare_cached(
                        "INSERT INTO history_part (experiment, number, document)
                         VALUES (?1, ?2, ?3)",
                    )?
                    .execute(params![id.0, number, document])?;
            }
            transaction.commit()?;
            Ok(count)
        };
        match keep() {
            Ok(0) => Err(self.no_such(id)),
            Ok(_) => Ok(()),
            Err(error) => Err(StoreError::of(path, patience, error)),
        }
    }

    /// How many benchmarks of a suite's history are kept apart; 0 of other experiments.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn history_parts(&self, id: ExperimentId) -> Result<usize, StoreError> {
        let read = || {
            self.connection
                .prepare_cached("SELECT count(*) FROM history_part WHERE experiment = ?1")?
                .query_row([id.0], |row| unsigned(row, 0))
        };
        let count = read().map_err(|error| self.explain(error))?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// What the benchmark at this place of a suite's history measured, as JSON; none where it is not
    /// kept apart.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn history_part(
        &self,
        id: ExperimentId,
        place: usize,
    ) -> Result<Option<String>, StoreError> {
        let number = i64::try_from(place).unwrap_or(i64::MAX);
        let read = || {
            self.connection
                .prepare_cached(
                    "SELECT document FROM history_part WHERE experiment = ?1 AND number = ?2",
                )?
                .query_row([id.0, number], |row| row.get(0))
                .optional()
        };
        read().map_err(|error| self.explain(error))
    }

    /// Of each question about a project, or about one in its folders, the newest experiment that has
    /// a history; the newest first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn newest_histories(&self, project: &str) -> Result<Vec<ExperimentId>, StoreError> {
        let read = || -> rusqlite::Result<Vec<ExperimentId>> {
            self.connection
                .prepare_cached(
                    "SELECT max(id) FROM experiment JOIN experiment_detail ON experiment = id
                     WHERE history IS NOT NULL AND rounds > 0
                         AND substr(project || '/', 1, length(rtrim(?1, '/')) + 1)
                             = rtrim(?1, '/') || '/'
                     GROUP BY coalesce(subject, id) ORDER BY max(id) DESC",
                )?
                .query_map([project], |row| row.get(0).map(ExperimentId))?
                .collect()
        };
        read().map_err(|error| self.explain(error))
    }
}
