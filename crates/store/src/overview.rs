//! Overviews of the store: projects, machines, benchmarks and commits, each with its newest
//! experiments; the experiments about a subject or with a command; and a number that changes with
//! the data.

use model::commission::Kind;

use crate::database::{Driver, values};
use crate::{ExperimentId, Store, StoreError};

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

/// A value of a label in an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledVariant {
    /// The value.
    pub value: String,
    /// The experiment.
    pub experiment: ExperimentId,
    /// The name of a variant that has it.
    pub name: String,
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
    pub fn projects(&self, most: usize) -> Result<Vec<ListedProject>, StoreError> {
        let select = "SELECT own.project, of_it.experiments, own.id, own.started_unix_ns
                      FROM (
                          SELECT count(*) AS experiments, max(id) AS newest FROM experiment
                          GROUP BY project
                      ) AS of_it JOIN experiment AS own ON own.id = of_it.newest
                      ORDER BY own.id DESC LIMIT ?1";
        self.rows(select, &values![most], |row| {
            Ok(ListedProject {
                project: row.get(0)?,
                experiments: row.get(1)?,
                newest: ExperimentId(row.get(2)?),
                started_unix_ns: row.get(3).ok(),
            })
        })
    }

    /// Passes the machine of every experiment to `each`, as JSON, newest experiment first.
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
    pub fn labelled(
        &self,
        what: Labelled,
        experiments: usize,
    ) -> Result<Vec<LabelledVariant>, StoreError> {
        let (name, companion) = what.labels();
        let select = "WITH newest AS (
                 SELECT id FROM experiment WHERE EXISTS (
                     SELECT 1 FROM variant_label WHERE experiment = id AND name = ?2)
                 ORDER BY id DESC LIMIT ?3
             )
             SELECT own.value, own.experiment, min(named.name)
             FROM newest JOIN variant_label AS own ON own.experiment = newest.id
                 JOIN variant AS named
                     ON named.experiment = own.experiment AND named.number = own.variant
             WHERE own.name = ?1 AND EXISTS (
                 SELECT 1 FROM variant_label AS other
                 WHERE other.experiment = own.experiment AND other.variant = own.variant
                     AND other.name = ?2)
             GROUP BY own.experiment, own.value
             ORDER BY own.experiment DESC, min(own.variant)";
        self.rows(select, &values![name, companion, experiments], |row| {
            Ok(LabelledVariant {
                value: row.get(0)?,
                experiment: ExperimentId(row.get(1)?),
                name: row.get(2)?,
            })
        })
    }

    /// A number that changes whenever another connection has changed the store.
    pub fn version_of_data(&self) -> Result<i64, StoreError> {
        let select = match self.database.driver() {
            Driver::Sqlite(_) => "PRAGMA data_version",
            // The set of ended transactions: it changes with every write, and only then.
            #[cfg(feature = "postgres")]
            Driver::Server(_) => "SELECT hashtext(pg_current_snapshot()::text)",
        };
        self.row(select, &[], |row| row.get(0)).map(Option::unwrap_or_default)
    }

    /// The number of the newest experiment, 0 if there is none, and the number being measured.
    pub fn newest_and_running(&self) -> Result<(i64, u64), StoreError> {
        let select = "SELECT coalesce((SELECT max(id) FROM experiment), 0),
                          (SELECT count(*) FROM experiment WHERE state = 'running')";
        let read = self.row(select, &[], |row| Ok((row.get(0)?, row.get(1)?)));
        read.map(Option::unwrap_or_default)
    }
}

/// The same command in other experiments: labels match if neither side has one that the other
/// lacks.
const OF_COMMAND: &str = "
    WITH labels AS (
        SELECT experiment, variant,
            string_agg(name || '\u{1f}' || value, '\u{1e}' ORDER BY name) AS list
        FROM variant_label GROUP BY experiment, variant
    ), named AS (
        SELECT variant.experiment, variant.number, variant.command, experiment_detail.cwd,
            coalesce(labels.list, '') AS list
        FROM variant JOIN experiment_detail USING (experiment)
            LEFT JOIN labels ON labels.experiment = variant.experiment
                AND labels.variant = variant.number
    )
    SELECT other.experiment, min(other.number)
    FROM named AS own JOIN named AS other
        ON other.command = own.command AND other.cwd = own.cwd AND other.list = own.list
        JOIN experiment ON experiment.id = other.experiment
    WHERE own.experiment = ?1 AND own.number = ?2 AND other.experiment != ?1
        AND experiment.rounds > 0 AND experiment.state != 'running'
    GROUP BY other.experiment ORDER BY other.experiment DESC LIMIT ?3";

impl Store {
    /// The experiments about a subject, newest first.
    pub fn of_subject(&self, subject: &str) -> Result<Vec<ExperimentId>, StoreError> {
        let select = "SELECT experiment FROM experiment_detail WHERE subject = ?1
                      ORDER BY experiment DESC";
        self.rows(select, &values![subject], |row| row.get(0).map(ExperimentId))
    }

    /// The subjects of the experiments of a kind, newest first.
    pub fn subjects(&self, kind: Kind) -> Result<Vec<(ExperimentId, String)>, StoreError> {
        let select = "SELECT id, subject FROM experiment
                      JOIN experiment_detail ON experiment_detail.experiment = experiment.id
                      WHERE kind = ?1 AND subject IS NOT NULL ORDER BY id DESC";
        self.rows(select, &values![kind.word()], |row| Ok((ExperimentId(row.get(0)?), row.get(1)?)))
    }

    /// The other measurements of this command with the same labels and in the same folder, as
    /// experiment and variant: newest first, each experiment once, at most `most` of them.
    pub fn of_command(
        &self,
        id: ExperimentId,
        variant: u32,
        most: usize,
    ) -> Result<Vec<(ExperimentId, u32)>, StoreError> {
        self.rows(OF_COMMAND, &values![id.0, variant, most], |row| {
            Ok((ExperimentId(row.get(0)?), row.get(1)?))
        })
    }
}
