//! Memory over time: a row for each quantity of each sampled run.

use super::database::{self, Row, values};
use super::{ExperimentId, Store, StoreError};
use model::json;
use model::metric::Missing;
use run::curve::{Curve, PlacedCurve, Quantity, Samples};

impl Store {
    /// Stores the curves sampled during one run, replacing any stored before. The run is given by
    /// its variant and round.
    ///
    /// # Errors
    ///
    /// When they cannot be stored; then none of them are.
    pub(super) fn append_curves(
        &self,
        id: ExperimentId,
        (variant, round): (u32, u32),
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
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn curves(&self, id: ExperimentId) -> Result<Vec<PlacedCurve>, StoreError> {
        let select = "SELECT variant, round, quantity, seconds, bytes, missing FROM memory_curve
                      WHERE experiment = ?1 ORDER BY variant, round, quantity DESC";
        let read = self.database.rows(select, &values![id.0], placed_curve);
        read.map_err(|error| self.explain(error))
    }
}

fn placed_curve(row: &Row<'_>) -> database::Result<PlacedCurve> {
    let quantity = super::read::of_word::<Quantity>(row, 2)?;
    let samples = match row.optional_text(5)? {
        Some(reason) => Err(Missing(reason.to_owned().into())),
        None => Ok(Samples {
            seconds: super::read::of_json(row, 3)?,
            bytes: super::read::of_json(row, 4)?,
        }),
    };
    let curve = Curve { quantity, samples };
    Ok(PlacedCurve { variant: row.get(0)?, round: row.get(1)?, curve })
}
