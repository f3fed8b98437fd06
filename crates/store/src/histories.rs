//! The documents of histories, each stored with the newest of its experiments.
//!
//! The history of a suite is stored in parts, one for each benchmark, so that their pages can be
//! read and drawn one by one, or several at once.

use super::database::Kind::{Integer, Text};
use super::database::{Insert, values};
use super::{ExperimentId, Store, StoreError};

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
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
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
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn history_parts(&self, id: ExperimentId) -> Result<usize, StoreError> {
        let select = "SELECT count(*) FROM history_part WHERE experiment = ?1";
        let count = self.database.row(select, &values![id.0], |row| row.get::<u64>(0));
        let count = count.map_err(|error| self.explain(error))?.unwrap_or_default();
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// The measurements of the benchmark at this index of a suite's history, as JSON; `None` if
    /// they are not stored separately.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn history_part(
        &self,
        id: ExperimentId,
        place: usize,
    ) -> Result<Option<String>, StoreError> {
        let select = "SELECT document FROM history_part WHERE experiment = ?1 AND number = ?2";
        let read = self.database.row(select, &values![id.0, place], |row| row.get(0));
        read.map_err(|error| self.explain(error))
    }

    /// The newest experiment with a history for each question about a project or a folder in it,
    /// newest first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn newest_histories(&self, project: &str) -> Result<Vec<ExperimentId>, StoreError> {
        let select = "SELECT max(id) FROM experiment JOIN experiment_detail ON experiment = id
             WHERE history IS NOT NULL AND rounds > 0
                 AND substr(project || '/', 1, length(rtrim(?1, '/')) + 1)
                     = rtrim(?1, '/') || '/'
             GROUP BY coalesce(subject, CAST(id AS TEXT)) ORDER BY max(id) DESC";
        let read =
            self.database.rows(select, &values![project], |row| row.get(0).map(ExperimentId));
        read.map_err(|error| self.explain(error))
    }
}

const PARTS: Insert<3> = Insert {
    table: "history_part",
    columns: [("experiment", Integer), ("number", Integer), ("document", Text)],
};
