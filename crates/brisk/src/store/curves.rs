//! Memory over time: a row for each quantity of each sampled run.

use rusqlite::{Row, TransactionBehavior, params};

use super::{ExperimentId, Store, StoreError};
use crate::metric::Missing;
use crate::run::curve::{Curve, PlacedCurve, Quantity, Samples};

impl Store {
    /// Keeps what was sampled over the time of the run of this variant in this round; what was kept of it before is
    /// replaced.
    ///
    /// # Errors
    ///
    /// When it cannot be stored; then nothing was.
    pub(super) fn append_curves(
        &mut self,
        id: ExperimentId,
        (variant, round): (u32, u32),
        curves: &[Curve],
    ) -> Result<(), StoreError> {
        let (path, patience) = (&self.path, self.patience);
        let explain = |error| StoreError::of(path, patience, error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(explain)?;
        for Curve { quantity, samples } in curves {
            let list = |numbers: &[f64]| {
                serde_json::to_string(numbers).expect("numbers can be written as JSON")
            };
            let samples = samples.as_ref();
            transaction
                .execute(
                    "INSERT OR REPLACE INTO memory_curve
                         (experiment, variant, round, quantity, seconds, bytes, missing)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    params![
                        id.0,
                        variant,
                        round,
                        quantity.word(),
                        samples.ok().map(|samples| list(&samples.seconds)),
                        samples.ok().map(|samples| list(&samples.bytes)),
                        samples.err().map(|missing| &*missing.0),
                    ],
                )
                .map_err(explain)?;
        }
        transaction.commit().map_err(explain)
    }

    /// What was sampled, by variant, round and quantity.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn curves(&self, id: ExperimentId) -> Result<Vec<PlacedCurve>, StoreError> {
        let read = || -> rusqlite::Result<Vec<PlacedCurve>> {
            self.connection
                .prepare_cached(
                    "SELECT variant, round, quantity, seconds, bytes, missing FROM memory_curve
                     WHERE experiment = ?1 ORDER BY variant, round, quantity DESC",
                )?
                .query_map([id.0], placed_curve)?
                .collect()
        };
        read().map_err(|error| self.explain(error))
    }
}

fn placed_curve(row: &Row<'_>) -> rusqlite::Result<PlacedCurve> {
    let quantity = super::read::of_word::<Quantity>(row, 2)?;
    let samples = match row.get::<_, Option<String>>(5)? {
        Some(reason) => Err(Missing(reason.into())),
        None => Ok(Samples {
            seconds: super::read::of_json(row, 3)?,
            bytes: super::read::of_json(row, 4)?,
        }),
    };
    let curve = Curve { quantity, samples };
    Ok(PlacedCurve { variant: row.get(0)?, round: row.get(1)?, curve })
}
