//! What a history needs of the store: experiments found by their subject and taken up again.

use rusqlite::params;

use super::journal::{self, Journal, Owner};
use super::write::{immediate, json};
use super::{ExperimentId, ExperimentState, Store, StoreError, word};
use crate::commission::Kind;
use crate::judge::stopping::StoppingRule;

/// The same command elsewhere: labels are alike when neither side has one that the other lacks.
const OF_COMMAND: &str = "
    WITH labels AS (
        SELECT experiment, variant, group_concat(name || char(31) || value, char(30)) AS list
        FROM (SELECT * FROM variant_label ORDER BY experiment, variant, name)
        GROUP BY experiment, variant
    ), named AS (
        SELECT variant.experiment, variant.number, variant.command, experiment_detail.cwd,
            coalesce(labels.list, '') AS list
        FROM variant JOIN experiment_detail USING (experiment)
            LEFT JOIN labels ON labels.experiment = variant.experiment
                AND labels.variant = variant.number
    )
    SELECT other.experiment, min(other.number)
    FROM named AS own JOIN named AS other
        ON other.command = own.command AND other.cwd = own.cwd AND other.list = own.list
        JOIN experiment ON experiment.id = other.experiment
    WHERE own.experiment = ?1 AND own.number = ?2 AND other.experiment != ?1
        AND experiment.rounds > 0 AND experiment.state != 'running'
    GROUP BY other.experiment ORDER BY other.experiment DESC LIMIT ?3";

impl Store {
    /// The experiments about a subject, the newest first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn of_subject(&self, subject: &str) -> Result<Vec<ExperimentId>, StoreError> {
        let read = || -> rusqlite::Result<Vec<ExperimentId>> {
            self.connection
                .prepare_cached(
                    "SELECT experiment FROM experiment_detail WHERE subject = ?1
                     ORDER BY experiment DESC",
                )?
                .query_map([subject], |row| row.get(0).map(ExperimentId))?
                .collect()
        };
        read().map_err(|error| self.explain(error))
    }

    /// What the experiments of a kind are about, the newest first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn subjects(&self, kind: Kind) -> Result<Vec<(ExperimentId, String)>, StoreError> {
        let read = || -> rusqlite::Result<Vec<(ExperimentId, String)>> {
            self.connection
                .prepare_cached(
                    "SELECT id, subject FROM experiment
                     JOIN experiment_detail ON experiment_detail.experiment = experiment.id
                     WHERE kind = ?1 AND subject IS NOT NULL ORDER BY id DESC",
                )?
                .query_map([kind.word()], |row| Ok((ExperimentId(row.get(0)?), row.get(1)?)))?
                .collect()
        };
        read().map_err(|error| self.explain(error))
    }

    /// Where in other experiments this command was measured with the same labels and in the same
    /// folder: the newest first, each experiment once, at most so many of them.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn of_command(
        &self,
        id: ExperimentId,
        variant: u32,
        most: usize,
    ) -> Result<Vec<(ExperimentId, u32)>, StoreError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let read = || -> rusqlite::Result<Vec<(ExperimentId, u32)>> {
            self.connection
                .prepare_cached(OF_COMMAND)?
                .query_map(params![id.0, variant, most], |row| {
                    Ok((ExperimentId(row.get(0)?), row.get(1)?))
                })?
                .collect()
        };
        read().map_err(|error| self.explain(error))
    }

    /// Takes up an experiment again that was interrupted, or has ended by its rule: more runs may be
    /// appended to it, until this rule ends it. `None` when it is neither, or another brisk was
    /// quicker.
    ///
    /// # Errors
    ///
    /// When the store or the journal cannot be written.
    pub fn resume(
        &mut self,
        id: ExperimentId,
        rule: &StoppingRule,
    ) -> Result<Option<Journal>, StoreError> {
        // Whose journal is locked is alive.
        if let Owner::Alive = journal::owner(&self.inflight, id)? {
            return Ok(None);
        }
        let (path, patience) = (&self.path, self.patience);
        let explain = |error| StoreError::of(path, patience, error);
        let transaction = immediate(&mut self.connection).map_err(explain)?;
        let taken = transaction
            .execute(
                "UPDATE experiment SET state = ?2, stop_reason = NULL, finished_unix_ns = NULL,
                     answer = NULL WHERE id = ?1 AND state IN (?3, ?4)",
                params![
                    id.0,
                    word(&ExperimentState::Running),
                    word(&ExperimentState::Interrupted),
                    word(&ExperimentState::Complete)
                ],
            )
            .map_err(explain)?;
        if taken == 0 {
            return Ok(None);
        }
        transaction
            .execute(
                "UPDATE experiment_detail SET summary = NULL, elapsed_seconds = NULL, rule = ?2
                 WHERE experiment = ?1",
                params![id.0, json(rule)],
            )
            .map_err(explain)?;
        let journal = Journal::create(&self.inflight, id)?;
        transaction.commit().map_err(explain)?;
        Ok(Some(journal))
    }
}
