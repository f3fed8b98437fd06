//! The part of the store that a history needs: finding experiments by their subject and resuming
//! them.

use super::database::values;
use super::journal::{self, Journal, Owner};
use super::{ExperimentId, ExperimentState, Store, StoreError, word};
use model::commission::Kind;
use model::design::stopping::StoppingRule;
use model::json;

/// The same command in other experiments: labels match if neither side has one that the other
/// lacks.
const OF_COMMAND: &str = "
    WITH labels AS (
        SELECT experiment, variant,
            string_agg(name || '\u{1f}' || value, '\u{1e}' ORDER BY name) AS list
        FROM variant_label GROUP BY experiment, variant
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
    /// The experiments about a subject, newest first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn of_subject(&self, subject: &str) -> Result<Vec<ExperimentId>, StoreError> {
        let select = "SELECT experiment FROM experiment_detail WHERE subject = ?1
                      ORDER BY experiment DESC";
        let read =
            self.database.rows(select, &values![subject], |row| row.get(0).map(ExperimentId));
        read.map_err(|error| self.explain(error))
    }

    /// The subjects of the experiments of a kind, newest first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn subjects(&self, kind: Kind) -> Result<Vec<(ExperimentId, String)>, StoreError> {
        let select = "SELECT id, subject FROM experiment
                      JOIN experiment_detail ON experiment_detail.experiment = experiment.id
                      WHERE kind = ?1 AND subject IS NOT NULL ORDER BY id DESC";
        let read = self.database.rows(select, &values![kind.word()], |row| {
            Ok((ExperimentId(row.get(0)?), row.get(1)?))
        });
        read.map_err(|error| self.explain(error))
    }

    /// The other measurements of this command with the same labels and in the same folder, as
    /// experiment and variant: newest first, each experiment once, at most `most` of them.
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
        let read = self.database.rows(OF_COMMAND, &values![id.0, variant, most], |row| {
            Ok((ExperimentId(row.get(0)?), row.get(1)?))
        });
        read.map_err(|error| self.explain(error))
    }

    /// Resumes an experiment that was interrupted or has ended by its rule: more runs may be
    /// appended, until `rule` ends it. `None` if it is in another state, or another brisk was
    /// faster.
    ///
    /// # Errors
    ///
    /// When the store or the journal cannot be written.
    pub fn resume(
        &mut self,
        id: ExperimentId,
        rule: &StoppingRule,
    ) -> Result<Option<Journal>, StoreError> {
        // A locked journal means that its brisk is alive.
        if let Owner::Alive = journal::owner(&self.inflight, id)? {
            return Ok(None);
        }
        let explain = |error| self.explain(error);
        let transaction = self.database.write().map_err(explain)?;
        let take = "UPDATE experiment SET state = ?2, stop_reason = NULL, finished_unix_ns = NULL,
                        answer = NULL WHERE id = ?1 AND state IN (?3, ?4)";
        let states =
            [ExperimentState::Running, ExperimentState::Interrupted, ExperimentState::Complete];
        let [running, interrupted, complete] = states.map(|state| word(&state));
        let values = values![id.0, running, interrupted, complete];
        if transaction.execute(take, &values).map_err(explain)? == 0 {
            return Ok(None);
        }
        let update = "UPDATE experiment_detail
                      SET summary = NULL, elapsed_seconds = NULL, rule = ?2 WHERE experiment = ?1";
        transaction.execute(update, &values![id.0, json::text(rule)]).map_err(explain)?;
        let journal = Journal::create(&self.inflight, id)?;
        #[cfg(feature = "postgres")]
        let held = self.take(id)?;
        transaction.commit().map_err(explain)?;
        #[cfg(feature = "postgres")]
        let journal = self.hold(held, journal);
        Ok(Some(journal))
    }
}
