//! The events of an experiment: stored as they happen, and replayed.
//!
//! The result of a look depends on when the earlier looks were taken, and a pause is not visible in
//! the clocks of the runs. With both stored, an experiment resumed on another day is judged as if
//! it had never stopped, and judging it again gives the same result. The readings of setup commands
//! are stored as soon as each has run, memory over time in a row for each quantity of each sampled
//! run, and the measurements of harnesses in a row for each run of a variant.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::json;
use model::metric::{MetricId, Missing};
use model::note::Note;
use model::run::Printed;
use run::curve::{Curve, PlacedCurve, Quantity, Samples};
use run::finished::SetupRun;
use run::suite::listing::{Lists, PlacedLists};
use run::{LookTaken, Pause};

use crate::database::{self, Row, Value, values};
use crate::read::{of_json, of_word};
use crate::record::{Event, Identity, Stop};
use crate::{ExperimentId, Store, StoreError, word};

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
        let (insert, values): (&str, &[Value<'_>]) = match event {
            Event::Setup(run) => return self.append_setup(id, run),
            Event::Curves { variant, round, curves } => {
                return self.append_curves(id, *variant, *round, curves);
            }
            Event::Measurements { variant, round, measurements } => {
                return self.append_measurements(id, *variant, *round, measurements);
            }
            Event::Look(LookTaken { rounds, clock, elapsed_seconds }) => (
                "INSERT INTO look (experiment, number, rounds, clock, elapsed_seconds)
                 SELECT ?1, count(*), ?2, ?3, ?4 FROM look WHERE experiment = ?1",
                &values![id.0, *rounds, *clock, *elapsed_seconds],
            ),
            Event::Pause(Pause { round, elapsed_seconds }) => (
                "INSERT INTO pause (experiment, number, round, elapsed_seconds)
                 SELECT ?1, count(*), ?2, ?3 FROM pause WHERE experiment = ?1",
                &values![id.0, *round, *elapsed_seconds],
            ),
            Event::Printed(printed) => (
                "INSERT INTO printed (experiment, number, printed)
                 SELECT ?1, count(*), ?2 FROM printed WHERE experiment = ?1",
                &values![id.0, json::text(printed)],
            ),
            Event::Noted { note } => (
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
            | Event::Named(_) => return Ok(()),
        };
        self.execute(insert, values).map(drop)
    }

    /// Stores the end of an experiment that was run elsewhere.
    pub fn keep_end(&mut self, id: ExperimentId, stop: Stop) -> Result<(), StoreError> {
        let update = "UPDATE experiment SET stop_reason = ?2, finished_unix_ns = ?3 WHERE id = ?1";
        self.execute(update, &values![id.0, word(&stop.reason), stop.unix_ns])?;
        let update = "UPDATE experiment_detail SET elapsed_seconds = ?2 WHERE experiment = ?1";
        self.execute(update, &values![id.0, stop.elapsed_seconds]).map(drop)
    }

    /// The experiment or inspection with this identity, if the store has it.
    pub fn known(&self, identity: &Identity) -> Result<Option<ExperimentId>, StoreError> {
        let Identity { started_unix_ns, kind, title } = identity;
        let select = "SELECT id FROM experiment
                      WHERE started_unix_ns = ?1 AND kind = ?2 AND title = ?3";
        let values = values![*started_unix_ns, kind.word(), title];
        self.row(select, &values, |row| row.get(0).map(ExperimentId))
    }

    /// The looks, in order.
    pub fn looks(&self, id: ExperimentId) -> Result<Vec<LookTaken>, StoreError> {
        let select = "SELECT rounds, clock, elapsed_seconds FROM look WHERE experiment = ?1
                      ORDER BY number";
        self.rows(select, &values![id.0], |row| {
            Ok(LookTaken { rounds: row.get(0)?, clock: row.get(1)?, elapsed_seconds: row.get(2)? })
        })
    }

    /// The pauses after which measuring continued, in order.
    pub fn pauses(&self, id: ExperimentId) -> Result<Vec<Pause>, StoreError> {
        let select = "SELECT round, elapsed_seconds FROM pause WHERE experiment = ?1
                      ORDER BY number";
        self.rows(select, &values![id.0], |row| {
            Ok(Pause { round: row.get(0)?, elapsed_seconds: row.get(1)? })
        })
    }

    /// The output of the variants that were run for it, in the order of those runs.
    pub fn printed(&self, id: ExperimentId) -> Result<Vec<Printed>, StoreError> {
        let select = "SELECT printed FROM printed WHERE experiment = ?1 ORDER BY number";
        self.rows(select, &values![id.0], |row| of_json(row, 0))
    }

    /// The notes taken while it was run.
    pub fn noted(&self, id: ExperimentId) -> Result<Vec<Note>, StoreError> {
        let select = "SELECT note FROM noted WHERE experiment = ?1 ORDER BY number";
        self.rows(select, &values![id.0], |row| of_json(row, 0))
    }

    /// Passes all events of an experiment to `each`: those about the whole experiment first, then
    /// its runs, and its end last.
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

    /// Stores a run of a setup command.
    fn append_setup(&self, id: ExperimentId, run: &SetupRun) -> Result<(), StoreError> {
        let read = run.readings.iter().filter_map(|(id, value)| Some((id, value.as_ref().ok()?)));
        let readings: BTreeMap<&MetricId, &f64> = read.collect();
        let readings = json::text(&readings);
        let insert = "INSERT INTO setup_run (experiment, variant, number, command, readings)
                      SELECT ?1, ?2, count(*), ?3, ?4 FROM setup_run
                      WHERE experiment = ?1 AND variant = ?2";
        let values = values![id.0, run.variant, &run.command, readings];
        self.execute(insert, &values).map(drop)
    }

    /// The runs of setup commands, by variant and in order.
    pub fn setups(&self, id: ExperimentId) -> Result<Vec<SetupRun>, StoreError> {
        let select = "SELECT variant, command, readings FROM setup_run WHERE experiment = ?1
                      ORDER BY variant, number";
        self.rows(select, &values![id.0], setup_run)
    }

    /// Stores the curves sampled during one run, replacing any stored before. The run is given by
    /// its variant and round.
    ///
    /// # Errors
    ///
    /// When they cannot be stored; then none of them are.
    fn append_curves(
        &self,
        id: ExperimentId,
        variant: u32,
        round: u32,
        curves: &[Curve],
    ) -> Result<(), StoreError> {
        let insert = "INSERT INTO memory_curve
                          (experiment, variant, round, quantity, seconds, bytes, missing)
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                      ON CONFLICT (experiment, variant, round, quantity) DO UPDATE
                      SET seconds = excluded.seconds, bytes = excluded.bytes,
                          missing = excluded.missing";
        let keep = || {
            let transaction = self.database.write()?;
            for Curve { quantity, samples } in curves {
                let samples = samples.as_ref();
                let values = values![
                    id.0,
                    variant,
                    round,
                    quantity.word(),
                    samples.ok().map(|samples| json::text(&samples.seconds)),
                    samples.ok().map(|samples| json::text(&samples.bytes)),
                    samples.err().map(|missing| &*missing.0),
                ];
                transaction.execute(insert, &values)?;
            }
            transaction.commit()
        };
        keep().map_err(|error| self.explain(error))
    }

    /// The stored curves, by variant, round and quantity.
    pub fn curves(&self, id: ExperimentId) -> Result<Vec<PlacedCurve>, StoreError> {
        let select = "SELECT variant, round, quantity, seconds, bytes, missing FROM memory_curve
                      WHERE experiment = ?1 ORDER BY variant, round, quantity DESC";
        self.rows(select, &values![id.0], placed_curve)
    }

    /// Stores the measurements that a harness made in one run, replacing any stored before. The run
    /// is given by its variant and round.
    ///
    /// # Errors
    ///
    /// When they cannot be stored; then none of them are.
    fn append_measurements(
        &self,
        id: ExperimentId,
        variant: u32,
        round: u32,
        lists: &Lists,
    ) -> Result<(), StoreError> {
        let insert = "INSERT INTO harness_measurement (experiment, variant, round, measurements)
                      VALUES (?1, ?2, ?3, ?4)
                      ON CONFLICT (experiment, variant, round)
                      DO UPDATE SET measurements = excluded.measurements";
        let values = values![id.0, variant, round, json::text(lists)];
        self.execute(insert, &values).map(drop)
    }

    /// The measurements of harnesses, by variant and round.
    pub fn measurements(&self, id: ExperimentId) -> Result<Vec<PlacedLists>, StoreError> {
        let select = "SELECT variant, round, measurements FROM harness_measurement
                      WHERE experiment = ?1 ORDER BY variant, round";
        self.rows(select, &values![id.0], |row| {
            let lists = of_json(row, 2)?;
            Ok(PlacedLists { variant: row.get(0)?, round: row.get(1)?, lists })
        })
    }
}

fn setup_run(row: &Row<'_>) -> database::Result<SetupRun> {
    let readings: BTreeMap<MetricId, f64> = of_json(row, 2)?;
    Ok(SetupRun {
        variant: row.get(0)?,
        command: row.get(1)?,
        readings: readings.into_iter().map(|(id, value)| (id, Ok(value))).collect(),
    })
}

fn placed_curve(row: &Row<'_>) -> database::Result<PlacedCurve> {
    let quantity = of_word::<Quantity>(row, 2)?;
    let samples = match row.optional_text(5)? {
        Some(reason) => Err(Missing(reason.to_owned().into())),
        None => Ok(Samples { seconds: of_json(row, 3)?, bytes: of_json(row, 4)? }),
    };
    let curve = Curve { quantity, samples };
    Ok(PlacedCurve { variant: row.get(0)?, round: row.get(1)?, curve })
}
