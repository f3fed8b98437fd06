//! The events of an experiment: stored as they happen, and replayed.
//!
//! The result of a look depends on when the earlier looks were taken, and a pause is not visible in
//! the clocks of the runs. With both stored, an experiment resumed on another day is judged as if
//! it had never stopped, and judging it again gives the same result.

use std::borrow::Cow;

use super::database::{self, Row, Value, values};
use super::read::of_json;
use super::{ExperimentId, Store, StoreError, word};
use crate::record::{Event, Identity, Stop};
use model::json;
use model::note::Note;
use model::run::Printed;
use run::looks::{LookTaken, Pause};
use run::suite::listing::PlacedLists;

/// The number of runs in one event when replaying.
const RUNS_A_TIME: usize = 100;

impl Store {
    /// Stores an event of an experiment; when this returns, the event outlives this process.
    ///
    /// # Errors
    ///
    /// When it cannot be stored; then no part of it is.
    pub fn append(&mut self, id: ExperimentId, event: &Event<'_>) -> Result<(), StoreError> {
        #[cfg(feature = "postgres")]
        if let Some(held) = self.held.take_if(|held| held.id == id) {
            return self.append_held(held, event);
        }
        match event {
            Event::Runs { runs } => self.append_runs(id, runs),
            event => self.append_other(id, event),
        }
    }

    /// Stores an event other than runs.
    pub(super) fn append_other(
        &self,
        id: ExperimentId,
        event: &Event<'_>,
    ) -> Result<(), StoreError> {
        match event {
            Event::Setup(run) => self.append_setup(id, run),
            Event::Curves { variant, round, curves } => {
                self.append_curves(id, (*variant, *round), curves)
            }
            Event::Measurements { variant, round, measurements } => {
                self.append_measurements(id, (*variant, *round), measurements)
            }
            Event::Look(LookTaken { rounds, clock, elapsed_seconds }) => self.insert(
                "INSERT INTO look (experiment, number, rounds, clock, elapsed_seconds)
                 SELECT ?1, count(*), ?2, ?3, ?4 FROM look WHERE experiment = ?1",
                &values![id.0, *rounds, *clock, *elapsed_seconds],
            ),
            Event::Pause(Pause { round, elapsed_seconds }) => self.insert(
                "INSERT INTO pause (experiment, number, round, elapsed_seconds)
                 SELECT ?1, count(*), ?2, ?3 FROM pause WHERE experiment = ?1",
                &values![id.0, *round, *elapsed_seconds],
            ),
            Event::Printed(printed) => self.insert(
                "INSERT INTO printed (experiment, number, printed)
                 SELECT ?1, count(*), ?2 FROM printed WHERE experiment = ?1",
                &values![id.0, json::text(printed)],
            ),
            Event::Noted { note } => self.insert(
                "INSERT INTO noted (experiment, number, note)
                 SELECT ?1, count(*), ?2 FROM noted WHERE experiment = ?1",
                &values![id.0, json::text(note)],
            ),
            // These are stored elsewhere: in slices, when the experiment begins, with its report,
            // or on their own.
            Event::Runs { .. }
            | Event::Begun { .. }
            | Event::Ended(_)
            | Event::Added(_)
            | Event::History { .. }
            | Event::Inspected(_)
            | Event::Named(_) => Ok(()),
        }
    }

    /// Stores the end of an experiment that was run elsewhere.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn keep_end(&mut self, id: ExperimentId, stop: Stop) -> Result<(), StoreError> {
        let keep = || {
            let update =
                "UPDATE experiment SET stop_reason = ?2, finished_unix_ns = ?3 WHERE id = ?1";
            let values = values![id.0, word(&stop.reason), stop.unix_ns];
            self.database.execute(update, &values)?;
            let update = "UPDATE experiment_detail SET elapsed_seconds = ?2 WHERE experiment = ?1";
            self.database.execute(update, &values![id.0, stop.elapsed_seconds])
        };
        keep().map(drop).map_err(|error| self.explain(error))
    }

    /// The experiment or inspection with this identity, if the store has it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn known(&self, identity: &Identity) -> Result<Option<ExperimentId>, StoreError> {
        let Identity { started_unix_ns, kind, title } = identity;
        let select = "SELECT id FROM experiment
                      WHERE started_unix_ns = ?1 AND kind = ?2 AND title = ?3";
        let values = values![*started_unix_ns, kind.word(), title];
        let found = self.database.row(select, &values, |row| row.get(0).map(ExperimentId));
        found.map_err(|error| self.explain(error))
    }

    fn insert(&self, statement: &str, values: &[Value<'_>]) -> Result<(), StoreError> {
        self.database.execute(statement, values).map(drop).map_err(|error| self.explain(error))
    }

    /// The looks, in order.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn looks(&self, id: ExperimentId) -> Result<Vec<LookTaken>, StoreError> {
        let select = "SELECT rounds, clock, elapsed_seconds FROM look WHERE experiment = ?1
                      ORDER BY number";
        self.rows(id, select, |row| {
            Ok(LookTaken { rounds: row.get(0)?, clock: row.get(1)?, elapsed_seconds: row.get(2)? })
        })
    }

    /// The pauses after which measuring continued, in order.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn pauses(&self, id: ExperimentId) -> Result<Vec<Pause>, StoreError> {
        let select = "SELECT round, elapsed_seconds FROM pause WHERE experiment = ?1
                      ORDER BY number";
        self.rows(id, select, |row| Ok(Pause { round: row.get(0)?, elapsed_seconds: row.get(1)? }))
    }

    /// The output of the variants that were run for it, in the order of those runs.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn printed(&self, id: ExperimentId) -> Result<Vec<Printed>, StoreError> {
        let select = "SELECT printed FROM printed WHERE experiment = ?1 ORDER BY number";
        self.rows(id, select, |row| of_json(row, 0))
    }

    /// The notes taken while it was run.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn noted(&self, id: ExperimentId) -> Result<Vec<Note>, StoreError> {
        let select = "SELECT note FROM noted WHERE experiment = ?1 ORDER BY number";
        self.rows(id, select, |row| of_json(row, 0))
    }

    fn rows<T>(
        &self,
        id: ExperimentId,
        select: &str,
        read: impl Fn(&Row<'_>) -> database::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.database.rows(select, &values![id.0], read).map_err(|error| self.explain(error))
    }

    /// Passes all events of an experiment to `each`: those about the whole experiment first, then
    /// its runs, and its end last.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or `each` fails.
    pub fn for_each_event<E: From<StoreError>>(
        &self,
        id: ExperimentId,
        each: &mut dyn FnMut(Event<'static>) -> Result<(), E>,
    ) -> Result<(), E> {
        for run in self.setups(id)? {
            each(Event::Setup(Cow::Owned(run)))?;
        }
        for look in self.looks(id)? {
            each(Event::Look(look))?;
        }
        for pause in self.pauses(id)? {
            each(Event::Pause(pause))?;
        }
        for printed in self.printed(id)? {
            each(Event::Printed(Cow::Owned(printed)))?;
        }
        for note in self.noted(id)? {
            each(Event::Noted { note: Cow::Owned(note) })?;
        }
        let curves = self.curves(id)?;
        for of_run in curves.chunk_by(|a, b| (a.variant, a.round) == (b.variant, b.round)) {
            let (variant, round) = (of_run[0].variant, of_run[0].round);
            let curves = of_run.iter().map(|stored| stored.curve.clone()).collect();
            each(Event::Curves { variant, round, curves })?;
        }
        for PlacedLists { variant, round, lists } in self.measurements(id)? {
            each(Event::Measurements { variant, round, measurements: lists })?;
        }
        let mut runs = Vec::new();
        self.for_each_run(id, &mut |run| {
            runs.push(run);
            match runs.len() {
                RUNS_A_TIME => each(Event::Runs { runs: std::mem::take(&mut runs).into() }),
                _ => Ok(()),
            }
        })?;
        if !runs.is_empty() {
            each(Event::Runs { runs: runs.into() })?;
        }
        let ended = self.experiment(id)?.and_then(|stored| stored.ended);
        ended.map_or(Ok(()), |stop: Stop| each(Event::Ended(stop)))
    }
}
