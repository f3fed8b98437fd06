//! Recovery after a kill: the runs in the journals of dead experiments.

use std::fs::File;

use super::database::{self, Database, Driver, values};
use super::journal::{self, Owner};
use super::open::Access;
use super::write::{Known, insert_runs};
use super::{ExperimentId, ExperimentState, Store, StoreError, read, word};
use model::design::stopping::StopReason;
use model::metric::Source;
use model::run::Run;

impl Store {
    /// Stores the finished runs of experiments whose brisk is dead, marks these experiments as
    /// interrupted, and returns them. A run in flight when its brisk died is lost. A read-only
    /// store is left as it is.
    ///
    /// # Errors
    ///
    /// When the store or a journal cannot be read or written; the journal is kept then.
    pub fn recover(&mut self) -> Result<Vec<ExperimentId>, StoreError> {
        let mut recovered = Vec::new();
        if self.access == Access::ReadOnly {
            return Ok(recovered);
        }
        let running = running(&self.database).map_err(|error| self.explain(error))?;
        for &(id, may_be_dead) in &running {
            match journal::owner(&self.inflight, id)? {
                Owner::Alive => {}
                Owner::NoJournal if may_be_dead => self.interrupt(id, &[], &mut recovered)?,
                Owner::NoJournal => {}
                // The lock is held until the end of this iteration, so that no other process
                // recovers it meanwhile.
                Owner::Dead(journal) => self.recover_locked(id, &journal, &mut recovered)?,
            }
        }
        #[cfg(feature = "postgres")]
        if let Driver::Server(_) = self.database.driver() {
            let running: Vec<ExperimentId> = running.iter().map(|(id, _)| *id).collect();
            self.take_in_late(&running, &mut recovered)?;
        }
        Ok(recovered)
    }

    /// True if, as far as can be seen from this machine, the brisk measuring this unfinished
    /// experiment is gone.
    pub(super) fn is_abandoned(&self, id: ExperimentId) -> bool {
        match journal::owner(&self.inflight, id) {
            Ok(Owner::Dead(_)) => true,
            Ok(Owner::NoJournal) => matches!(self.database.driver(), Driver::Sqlite(_)),
            Ok(Owner::Alive) | Err(_) => false,
        }
    }

    /// The given runs that an experiment does not have; `None` if it has a different run in the
    /// place of one of them.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn lacking(&self, id: ExperimentId, runs: &[Run]) -> Result<Option<Vec<Run>>, StoreError> {
        let mut lacking = Vec::new();
        for run in runs {
            match stored_at(&self.database, id, run).map_err(|error| self.explain(error))? {
                None => lacking.push(run.clone()),
                Some(started) if started == run.started_unix_ns => {}
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
        #[cfg(feature = "postgres")]
        self.deliver_spooled(id)?;
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
        let interrupted = interrupt(&self.database, id, runs);
        if interrupted.map_err(|error| self.explain(error))? {
            recovered.push(id);
        }
        Ok(())
    }
}

/// The experiments that have not ended according to the store, each with true if it is dead should
/// it have no journal on this machine: on a server, another machine may be measuring it.
fn running(database: &Database) -> database::Result<Vec<(ExperimentId, bool)>> {
    let select = match database.driver() {
        Driver::Sqlite(_) => "SELECT id, 1 FROM experiment WHERE state = 'running' ORDER BY id",
        #[cfg(feature = "postgres")]
        Driver::Server(_) => {
            "SELECT id, (coalesce(until, '-infinity') < now())::int FROM experiment
                 LEFT JOIN lease ON lease.experiment = id
             WHERE state = 'running' ORDER BY id"
        }
    };
    database.rows(select, &[], |row| Ok((ExperimentId(row.get(0)?), row.get(1)?)))
}

/// The runs that the store does not have: a kill between storing a slice and emptying the journal
/// leaves runs in both.
pub(super) fn lacking(
    database: &Database,
    id: ExperimentId,
    mut runs: Vec<Run>,
) -> database::Result<Vec<Run>> {
    let stored: database::Result<Vec<bool>> =
        runs.iter().map(|run| Ok(stored_at(database, id, run)?.is_some())).collect();
    let mut stored = stored?.into_iter();
    runs.retain(|_| stored.next() == Some(false));
    Ok(runs)
}

/// Marks a dead experiment as interrupted and adds its missing runs; false if it was not dead after
/// all.
pub(super) fn interrupt(
    database: &Database,
    id: ExperimentId,
    runs: &[Run],
) -> database::Result<bool> {
    let transaction = database.write()?;
    // It may have ended, or been recovered, since it was listed.
    if !read::is_running(&transaction, id)? {
        return Ok(false);
    }
    let lacking = lacking(&transaction, id, runs.to_vec())?;
    insert_runs(&transaction, &mut Known::default(), id, &lacking)?;
    transaction.execute(
        "UPDATE experiment SET state = ?2, stop_reason = ?3, runs = runs + ?4, rounds = ?5
         WHERE id = ?1",
        &values![
            id.0,
            word(&ExperimentState::Interrupted),
            word(&StopReason::Interrupted),
            lacking.len(),
            whole_rounds(&transaction, id)?,
        ],
    )?;
    transaction.commit()?;
    Ok(true)
}

/// The start time of the stored run in the same place, if there is one.
fn stored_at(database: &Database, id: ExperimentId, run: &Run) -> database::Result<Option<u64>> {
    let place = run.place;
    let select = "SELECT started_unix_ns FROM run WHERE experiment = ?1 AND source = ?2
                      AND warmup = ?3 AND round = ?4 AND position = ?5";
    let values = values![id.0, place.source.word(), place.warmup, place.round, place.position];
    database.row(select, &values, |row| row.get(0))
}

/// The number of measured rounds that visited every variant.
fn whole_rounds(database: &Database, id: ExperimentId) -> database::Result<u32> {
    let select = "SELECT round, count(*), (SELECT variants FROM experiment WHERE id = ?1) FROM run
                  WHERE experiment = ?1 AND source = ?2 AND warmup = 0
                  GROUP BY round ORDER BY round DESC LIMIT 1";
    let last = database.row(select, &values![id.0, Source::Run.word()], |row| {
        let (round, runs, variants): (u32, u32, u32) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(round + u32::from(runs == variants))
    })?;
    Ok(last.unwrap_or(0))
}
