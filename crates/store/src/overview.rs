//! Overviews of the store: projects, machines, benchmarks and commits, each with its newest
//! experiments; and a number that changes with the data.

use super::database::{Driver, values};
use super::{ExperimentId, Store, StoreError};

/// A project folder that has experiments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedProject {
    /// The folder.
    pub project: String,
    /// The number of its experiments.
    pub experiments: u64,
    /// The newest of its experiments.
    pub newest: ExperimentId,
    /// The time the newest one began, in nanoseconds since 1970-01-01 UTC; `None` if the value is
    /// damaged.
    pub started_unix_ns: Option<u64>,
}

/// The labels that brisk itself gives to variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labelled {
    /// The names of benchmarks in suites.
    Benchmarks,
    /// The hashes of commits.
    Commits,
}

impl Labelled {
    /// The label and a companion: without the companion, the label may be a parameter of the
    /// user's.
    fn labels(self) -> (&'static str, &'static str) {
        match self {
            Self::Benchmarks => ("benchmark", "harness"),
            Self::Commits => ("commit", "artifact"),
        }
    }
}

impl Store {
    /// The projects, at most `most` of them, those with the newest experiments first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn projects(&self, most: usize) -> Result<Vec<ListedProject>, StoreError> {
        let select = "SELECT own.project, of_it.experiments, own.id, own.started_unix_ns
                      FROM (
                          SELECT count(*) AS experiments, max(id) AS newest FROM experiment
                          GROUP BY project
                      ) AS of_it JOIN experiment AS own ON own.id = of_it.newest
                      ORDER BY own.id DESC LIMIT ?1";
        let read = self.database.rows(select, &values![most], |row| {
            Ok(ListedProject {
                project: row.get(0)?,
                experiments: row.get(1)?,
                newest: ExperimentId(row.get(2)?),
                started_unix_ns: row.get(3).ok(),
            })
        });
        read.map_err(|error| self.explain(error))
    }

    /// Passes the machine of every experiment to `each`, as JSON, newest experiment first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn for_each_machine(
        &self,
        each: &mut dyn FnMut(ExperimentId, &str),
    ) -> Result<(), StoreError> {
        let select = "SELECT experiment, machine FROM experiment_detail ORDER BY experiment DESC";
        let read = self.database.each(select, &[], &mut |row| {
            each(ExperimentId(row.get(0)?), row.text(1)?);
            Ok(())
        });
        read.map_err(|error| self.explain(error))
    }

    /// The distinct values of such labels for each of the newest experiments that have them, newest
    /// first. Reads at most `experiments` experiments.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn labelled(
        &self,
        what: Labelled,
        experiments: usize,
    ) -> Result<Vec<(String, ExperimentId)>, StoreError> {
        let (name, companion) = what.labels();
        let select = "WITH newest AS (
                 SELECT id FROM experiment WHERE EXISTS (
                     SELECT 1 FROM variant_label WHERE experiment = id AND name = ?2)
                 ORDER BY id DESC LIMIT ?3
             )
             SELECT own.value, own.experiment
             FROM newest JOIN variant_label AS own ON own.experiment = newest.id
             WHERE own.name = ?1 AND EXISTS (
                 SELECT 1 FROM variant_label AS other
                 WHERE other.experiment = own.experiment AND other.variant = own.variant
                     AND other.name = ?2)
             GROUP BY own.experiment, own.value
             ORDER BY own.experiment DESC, min(own.variant)";
        let read = self.database.rows(select, &values![name, companion, experiments], |row| {
            Ok((row.get(0)?, ExperimentId(row.get(1)?)))
        });
        read.map_err(|error| self.explain(error))
    }

    /// A number that changes whenever another connection has changed the store.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn version_of_data(&self) -> Result<i64, StoreError> {
        let select = match self.database.driver() {
            Driver::Sqlite(_) => "PRAGMA data_version",
            // The set of ended transactions: it changes with every write, and only then.
            #[cfg(feature = "postgres")]
            Driver::Server(_) => "SELECT hashtext(pg_current_snapshot()::text)",
        };
        let read = self.database.row(select, &[], |row| row.get(0));
        read.map(Option::unwrap_or_default).map_err(|error| self.explain(error))
    }

    /// The number of the newest experiment, 0 if there is none, and the number being measured.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn newest_and_running(&self) -> Result<(i64, u64), StoreError> {
        let select = "SELECT coalesce((SELECT max(id) FROM experiment), 0),
                          (SELECT count(*) FROM experiment WHERE state = 'running')";
        let read = self.database.row(select, &[], |row| Ok((row.get(0)?, row.get(1)?)));
        read.map(Option::unwrap_or_default).map_err(|error| self.explain(error))
    }
}
