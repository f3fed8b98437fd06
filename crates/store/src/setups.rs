//! The readings of an experiment's setup commands, stored as soon as each has run.

use std::collections::BTreeMap;

use super::database::{self, Row, values};
use super::read::of_json;
use super::{ExperimentId, Store, StoreError};
use model::json;
use model::metric::MetricId;
use run::finished::SetupRun;

impl Store {
    /// Stores a run of a setup command.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub(super) fn append_setup(&self, id: ExperimentId, run: &SetupRun) -> Result<(), StoreError> {
        let read = run.readings.iter().filter_map(|(id, value)| Some((id, value.as_ref().ok()?)));
        let readings: BTreeMap<&MetricId, &f64> = read.collect();
        let readings = json::text(&readings);
        let insert = "INSERT INTO setup_run (experiment, variant, number, command, readings)
                      SELECT ?1, ?2, count(*), ?3, ?4 FROM setup_run
                      WHERE experiment = ?1 AND variant = ?2";
        let values = values![id.0, run.variant, &run.command, readings];
        self.database.execute(insert, &values).map(drop).map_err(|error| self.explain(error))
    }

    /// The runs of setup commands, by variant and in order.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn setups(&self, id: ExperimentId) -> Result<Vec<SetupRun>, StoreError> {
        let select = "SELECT variant, command, readings FROM setup_run WHERE experiment = ?1
                      ORDER BY variant, number";
        let read = self.database.rows(select, &values![id.0], setup_run);
        read.map_err(|error| self.explain(error))
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
