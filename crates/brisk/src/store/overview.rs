//! What the store has as a whole: projects, machines, benchmarks and commits, with the newest
//! experiments about them; and whether anything has changed.

use rusqlite::params;

use super::read::unsigned;
use super::{ExperimentId, Store, StoreError};

/// A folder that experiments are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedProject {
    /// The folder.
    pub project: String,
    /// How many experiments there are.
    pub experiments: u64,
    /// The newest of them.
    pub newest: ExperimentId,
    /// When that one began, in nanoseconds since 1970-01-01 UTC; none where that is damaged.
    pub started_unix_ns: Option<u64>,
}

/// What brisk itself tells variants by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labelled {
    /// The names of benchmarks in suites.
    Benchmarks,
    /// The hashes of commits.
    Commits,
}

impl Labelled {
    /// The label, and one that a variant has with it: alone it may be a parameter of the user's.
    fn labels(self) -> (&'static str, &'static str) {
        match self {
            Self::Benchmarks => ("benchmark", "harness"),
            Self::Commits => ("commit", "artifact"),
        }
    }
}

impl Store {
    /// The projects, those with the newest experiments first, at most so many.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn projects(&self, most: usize) -> Result<Vec<ListedProject>, StoreError> {
        let read = || -> rusqlite::Result<Vec<ListedProject>> {
            // Of a group with `max`, SQLite gives the other columns of that row.
            self.connection
                .prepare_cached(
                    "SELECT project, count(*), max(id), started_unix_ns FROM experiment
                     GROUP BY project ORDER BY max(id) DESC LIMIT ?1",
                )?
                .query_map([i64::try_from(most).unwrap_or(i64::MAX)], |row| {
                    Ok(ListedProject {
                        project: row.get(0)?,
                        experiments: unsigned(row, 1)?,
                        newest: ExperimentId(row.get(2)?),
                        started_unix_ns: unsigned(row, 3).ok(),
                    })
                })?
                .collect()
        };
        read().map_err(|error| self.explain(error))
    }

    /// Gives the machine of every experiment to `each`, as JSON, the newest experiment first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn for_each_machine(
        &self,
        each: &mut dyn FnMut(ExperimentId, &str),
    ) -> Result<(), StoreError> {
        let mut read = || -> rusqlite::Result<()> {
            let mut select = self.connection.prepare_cached(
                "SELECT experiment, machine FROM experiment_detail ORDER BY experiment DESC",
            )?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                each(ExperimentId(row.get(0)?), row.get_ref(1)?.as_str()?);
            }
            Ok(())
        };
        read().map_err(|error| self.explain(error))
    }

    /// What the variants of the newest experiments that have such labels are labelled with: each text
    /// once for each experiment, the newest experiment first. At most so many experiments are read.
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
        let experiments = i64::try_from(experiments).unwrap_or(i64::MAX);
        let read = || -> rusqlite::Result<Vec<(String, ExperimentId)>> {
            self.connection
                .prepare_cached(
                    "WITH newest AS (
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
                     ORDER BY own.experiment DESC, min(own.variant)",
                )?
                .query_map(params![name, companion, experiments], |row| {
                    Ok((row.get(0)?, ExperimentId(row.get(1)?)))
                })?
                .collect()
        };
        read().map_err(|error| self.explain(error))
    }

    /// A number that is another one once anybody else has changed the store.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn version_of_data(&self) -> Result<i64, StoreError> {
        let read = self.connection.pragma_query_value(None, "data_version", |row| row.get(0));
        read.map_err(|error| self.explain(error))
    }

    /// The newest experiment, 0 where there is none, and how many are being measured.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn newest_and_running(&self) -> Result<(i64, u64), StoreError> {
        let read = || {
            self.connection
                .prepare_cached(
                    "SELECT coalesce((SELECT max(id) FROM experiment), 0),
                         (SELECT count(*) FROM experiment WHERE state = 'running')",
                )?
                .query_row([], |row| Ok((row.get(0)?, unsigned(row, 1)?)))
        };
        read().map_err(|error| self.explain(error))
    }
}
