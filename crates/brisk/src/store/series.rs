//! What a history needs of the store: looks and pauses that are kept, experiments found by their
//! subject and taken up again, and its own document.
//!
//! What a look allows follows from when the looks before it were taken. They are kept, so that an
//! experiment that goes on another day is judged as if it had never stopped.

use rusqlite::{Connection, params};

use super::journal::{self, Journal, Owner};
use super::write::{immediate, json};
use super::{ExperimentId, State, Store, StoreError, word};
use crate::judge::stopping::StoppingRule;
use crate::run::looks::{LookTaken, Pause};

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
    /// Keeps a look of an experiment.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn append_look(&mut self, id: ExperimentId, look: LookTaken) -> Result<(), StoreError> {
        let insert = |connection: &Connection| {
            connection
                .prepare_cached(
                    "INSERT INTO look (experiment, number, rounds, clock, elapsed_seconds)
                     SELECT ?1, count(*), ?2, ?3, ?4 FROM look WHERE experiment = ?1",
                )?
                .execute(params![id.0, look.rounds, look.clock, look.elapsed_seconds])
        };
        insert(&self.connection).map(drop).map_err(|error| self.explain(error))
    }

    /// The looks that were taken, in their order; none where they were not kept.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn looks(&self, id: ExperimentId) -> Result<Vec<LookTaken>, StoreError> {
        let read = || -> rusqlite::Result<Vec<LookTaken>> {
            self.connection
                .prepare_cached(
                    "SELECT rounds, clock, elapsed_seconds FROM look WHERE experiment = ?1
                     ORDER BY number",
                )?
                .query_map([id.0], |row| {
                    Ok(LookTaken {
                        rounds: row.get(0)?,
                        clock: row.get(1)?,
                        elapsed_seconds: row.get(2)?,
                    })
                })?
                .collect()
        };
        read().map_err(|error| self.explain(error))
    }

    /// Keeps that measuring of an experiment goes on after a pause.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn append_pause(&mut self, id: ExperimentId, pause: Pause) -> Result<(), StoreError> {
        let insert = "INSERT INTO pause (experiment, number, round, elapsed_seconds)
             SELECT ?1, count(*), ?2, ?3 FROM pause WHERE experiment = ?1";
        let inserted =
            self.connection.execute(insert, params![id.0, pause.round, pause.elapsed_seconds]);
        inserted.map(drop).map_err(|error| self.explain(error))
    }

    /// The pauses after which measuring went on, in their order.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn pauses(&self, id: ExperimentId) -> Result<Vec<Pause>, StoreError> {
        let read = || -> rusqlite::Result<Vec<Pause>> {
            // A store that could not be brought up to date is from before pauses were kept.
            let has_table = "SELECT count(*) FROM sqlite_schema WHERE name = 'pause'";
            if self.connection.query_row(has_table, [], |row| row.get::<_, i64>(0))? == 0 {
                return Ok(Vec::new());
            }
            self.connection
                .prepare_cached(
                    "SELECT round, elapsed_seconds FROM pause WHERE experiment = ?1
                     ORDER BY number",
                )?
                .query_map([id.0], |row| {
                    Ok(Pause { round: row.get(0)?, elapsed_seconds: row.get(1)? })
                })?
                .collect()
        };
        read().map_err(|error| self.explain(error))
    }

    /// Keeps the document of a history with the newest of its experiments; an older one is replaced.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn keep_history(&mut self, id: ExperimentId, document: &str) -> Result<(), StoreError> {
        let update = "UPDATE experiment_detail SET history = ?2 WHERE experiment = ?1";
        match self.connection.execute(update, params![id.0, document]) {
            Ok(0) => Err(self.no_such(id)),
            Ok(_) => Ok(()),
            Err(error) => Err(self.explain(error)),
        }
    }

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
                    word(&State::Running),
                    word(&State::Interrupted),
                    word(&State::Complete)
                ],
            )
            .map_err(explain)?;
        if taken == 0 {
            return Ok(None);
        }
        transaction
            .execute(
                "UPDATE experiment_detail SET summary = NULL, rule = ?2 WHERE experiment = ?1",
                params![id.0, json(rule)],
            )
            .map_err(explain)?;
        let journal = Journal::create(&self.inflight, id)?;
        transaction.commit().map_err(explain)?;
        Ok(Some(journal))
    }
}
