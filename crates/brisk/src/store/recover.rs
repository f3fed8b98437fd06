//! Recovering what a kill left: the runs in the journals of dead experiments.

use std::fs::File;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::journal::{self, Owner};
use super::open::Access;
use super::write::{Known, immediate, insert_runs, signed};
use super::{ExperimentId, ExperimentState, Store, StoreError, read, word};
use crate::judge::stopping::StopReason;
use crate::metric::Source;
use crate::run::Run;

impl Store {
    /// Stores the finished runs of experiments whose brisk is dead, marks those experiments as
    /// interrupted, and says which they were. Of a run in flight when its brisk died nothing is
    /// known. A store that can only be read is left as it is.
    ///
    /// # Errors
    ///
    /// When the store or a journal cannot be read or written; the journal is kept then.
    pub fn recover(&mut self) -> Result<Vec<ExperimentId>, StoreError> {
        let mut recovered = Vec::new();
        if self.access == Access::ReadOnly {
            return Ok(recovered);
        }
        for id in running(&self.connection).map_err(|error| self.explain(error))? {
            let runs = match journal::owner(&self.inflight, id)? {
                Owner::Alive => continue,
                Owner::NoJournal => Vec::new(),
                // The lock is held until the end of this turn: nobody else recovers it meanwhile.
                Owner::Dead(journal) => {
                    self.recover_locked(id, &journal, &mut recovered)?;
                    continue;
                }
            };
            self.interrupt(id, &runs, &mut recovered)?;
        }
        Ok(recovered)
    }

    /// Those of an experiment's runs that it does not have; none where it has another run in the
    /// place of one of them.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn lacking(&self, id: ExperimentId, runs: &[Run]) -> Result<Option<Vec<Run>>, StoreError> {
        let mut lacking = Vec::new();
        for run in runs {
            match stored_at(&self.connection, id, run).map_err(|error| self.explain(error))? {
                None => lacking.push(run.clone()),
                Some(started) if started == signed(run.started_unix_ns) => {}
                Some(_) => return Ok(None),
            }
        }
        Ok(Some(lacking))
    }

    fn recover_locked(
        &mut self,
        id: ExperimentId,
        journal: &File,
        recovered: &mut Vec<ExperimentId>,
    ) -> Result<(), StoreError> {
        let runs = journal::runs_of(journal)
            .map_err(|error| StoreError::of_journal(&journal::path(&self.inflight, id), error))?;
        self.interrupt(id, &runs, recovered)?;
        journal::remove(&self.inflight, id);
        Ok(())
    }

    fn interrupt(
        &mut self,
        id: ExperimentId,
        runs: &[Run],
        recovered: &mut Vec<ExperimentId>,
    ) -> Result<(), StoreError> {
        let interrupted = interrupt(&mut self.connection, id, runs);
        if interrupted.map_err(|error| self.explain(error))? {
            recovered.push(id);
        }
        Ok(())
    }
}

/// The experiments that have not ended, as far as the store knows.
fn running(connection: &Connection) -> rusqlite::Result<Vec<ExperimentId>> {
    connection
        .prepare_cached("SELECT id FROM experiment WHERE state = 'running' ORDER BY id")?
        .query_map([], |row| row.get(0).map(ExperimentId))?
        .collect()
}

/// The runs that the store does not have: a kill between storing a slice and emptying the journal
/// leaves its runs in both.
pub(super) fn lacking(
    connection: &Connection,
    id: ExperimentId,
    mut runs: Vec<Run>,
) -> rusqlite::Result<Vec<Run>> {
    let mut stored = Vec::with_capacity(runs.len());
    for run in &runs {
        stored.push(stored_at(connection, id, run)?.is_some());
    }
    let mut stored = stored.into_iter();
    runs.retain(|_| stored.next() == Some(false));
    Ok(runs)
}

/// Marks a dead experiment and adds the runs that it lacks; false when it was not dead after all.
pub(super) fn interrupt(
    connection: &mut Connection,
    id: ExperimentId,
    runs: &[Run],
) -> rusqlite::Result<bool> {
    let transaction = immediate(connection)?;
    // It may have ended, or been recovered, since we listed it.
    if !read::is_running(&transaction, id)? {
        return Ok(false);
    }
    let lacking = lacking(&transaction, id, runs.to_vec())?;
    insert_runs(&transaction, &mut Known::default(), id, &lacking)?;
    transaction.execute(
        "UPDATE experiment SET state = ?2, stop_reason = ?3, runs = runs + ?4, rounds = ?5
         WHERE id = ?1",
        params![
            id.0,
            word(&ExperimentState::Interrupted),
            word(&StopReason::Interrupted),
            i64::try_from(lacking.len()).expect("a journal has below 2^63 runs"),
            whole_rounds(&transaction, id)?,
        ],
    )?;
    transaction.commit()?;
    Ok(true)
}

/// When the run in this one's place began, where there is one.
fn stored_at(
    connection: &Connection,
    id: ExperimentId,
    run: &Run,
) -> rusqlite::Result<Option<i64>> {
    let place = run.place;
    connection
        .prepare_cached(
            "SELECT started_unix_ns FROM run WHERE experiment = ?1 AND source = ?2 AND warmup = ?3
                 AND round = ?4 AND position = ?5",
        )?
        .query_row(
            params![id.0, place.source.word(), place.warmup, place.round, place.position],
            |row| row.get(0),
        )
        .optional()
}

/// How many measured rounds visited every variant.
fn whole_rounds(connection: &Connection, id: ExperimentId) -> rusqlite::Result<u32> {
    let mut last = connection.prepare_cached(
        "SELECT round, count(*), (SELECT variants FROM experiment WHERE id = ?1) FROM run
         WHERE experiment = ?1 AND source = ?2 AND warmup = 0
         GROUP BY round ORDER BY round DESC LIMIT 1",
    )?;
    let mut rows = last.query(params![id.0, Source::Run.word()])?;
    match rows.next()? {
        None => Ok(0),
        Some(row) => {
            let (round, runs, variants): (u32, u32, u32) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(round + u32::from(runs == variants))
        }
    }
}
