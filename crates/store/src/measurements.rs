//! The measurements of harnesses: a row for each run of a variant.

use super::database::values;
use super::{ExperimentId, Store, StoreError};
use model::json;
use run::suite::listing::{Lists, PlacedLists};

impl Store {
    /// Stores the measurements that a harness made in one run, replacing any stored before. The run
    /// is given by its variant and round.
    ///
    /// # Errors
    ///
    /// When they cannot be stored; then none of them are.
    pub(super) fn append_measurements(
        &self,
        id: ExperimentId,
        (variant, round): (u32, u32),
        lists: &Lists,
    ) -> Result<(), StoreError> {
        let insert = "INSERT INTO harness_measurement (experiment, variant, round, measurements)
                      VALUES (?1, ?2, ?3, ?4)
                      ON CONFLICT (experiment, variant, round)
                      DO UPDATE SET measurements = excluded.measurements";
        let kept = self.database.execute(insert, &values![id.0, variant, round, json::text(lists)]);
        kept.map(drop).map_err(|error| self.explain(error))
    }

    /// The measurements of harnesses, by variant and round.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn measurements(&self, id: ExperimentId) -> Result<Vec<PlacedLists>, StoreError> {
        let select = "SELECT variant, round, measurements FROM harness_measurement
                      WHERE experiment = ?1 ORDER BY variant, round";
        let read = self.database.rows(select, &values![id.0], |row| {
            let lists = super::read::of_json(row, 2)?;
            Ok(PlacedLists { variant: row.get(0)?, round: row.get(1)?, lists })
        });
        read.map_err(|error| self.explain(error))
    }
}
