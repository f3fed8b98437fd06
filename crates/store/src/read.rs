//! Reads of the store, each of one moment's state, while another brisk may be writing.

use std::collections::HashMap;

use measure::Outcome;
use serde::de::DeserializeOwned;

use super::database::{self, Database, Driver, Error, Row, values};
use super::{
    Damaged, ExperimentId, ExperimentState, FailedRun, Listed, Store, StoreError, StoredExperiment,
    readings,
};
use crate::record::Stop;
use model::commission::{Commission, Contender, Kind};
use model::design::contrasts::Contrasts;
use model::host::Circumstances;
use model::metric::{self, MetricId, Missing, Source};
use model::run::{Run, RunPlace};
use model::spec::labels::Labels;

/// The selection of experiments in a list.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// The maximum number of experiments; the newest are kept.
    pub most: usize,
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only projects in this folder: its path from the root, or its name.
    pub project: Option<String>,
    /// Only those with this text in their title, answer, commands or the names of these; ASCII
    /// letters match in either case.
    pub text: Option<String>,
    /// Only those measured on machines with this name.
    pub machine: Option<String>,
    /// Only those older than this one.
    pub before: Option<ExperimentId>,
}

impl Filter {
    /// The newest experiments, at most `most` of them.
    pub fn newest(most: usize) -> Self {
        Self { most, ..Self::default() }
    }
}

impl Store {
    /// The experiments, newest first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or one of them.
    pub fn list(&self, filter: &Filter) -> Result<Vec<Listed>, StoreError> {
        let readable = |Damaged { id, why }| {
            let source = format!("experiment {id}: {why}").into();
            StoreError::Damaged { place: self.place.clone(), source }
        };
        self.list_each(filter)?.into_iter().map(|one| one.map_err(readable)).collect()
    }

    /// The experiments, newest first, including those that cannot be read.
    pub fn list_each(&self, filter: &Filter) -> Result<Vec<Result<Listed, Damaged>>, StoreError> {
        let kind = filter.kind.map(Kind::word);
        let before = filter.before.map(|id| id.0);
        let one = |row: &Row<'_>| {
            let id = ExperimentId(row.get(0)?);
            let why = |error| match error {
                Error::Unreadable { why, .. } => why.to_string(),
                error => error.to_string(),
            };
            Ok(listed(row).map_err(|error| Damaged { id, why: why(error) }))
        };
        let select = format!(
            "SELECT {LISTED} FROM experiment
             WHERE (CAST(?2 AS TEXT) IS NULL OR kind = ?2)
                 AND (CAST(?3 AS TEXT) IS NULL
                     OR substr(project || '/', 1, length(rtrim(?3, '/')) + 1)
                         = rtrim(?3, '/') || '/'
                     OR (?3 NOT LIKE '/%' AND instr(lower(project || '/'),
                         '/' || lower(rtrim(?3, '/')) || '/') > 0))
                 AND (CAST(?4 AS TEXT) IS NULL
                     OR instr(lower(title || ' ' || coalesce(answer, '')), lower(?4)) > 0
                     OR EXISTS (
                         SELECT 1 FROM variant WHERE variant.experiment = experiment.id
                             AND instr(lower(name || ' ' || command), lower(?4)) > 0))
                 AND (CAST(?5 AS TEXT) IS NULL OR EXISTS (
                     SELECT 1 FROM experiment_detail WHERE experiment = id AND ?5 =
                         CASE WHEN json_valid(machine)
                             THEN json_extract(machine, '$.hostname') END))
                 AND (CAST(?6 AS BIGINT) IS NULL OR id < ?6)
             ORDER BY id DESC LIMIT ?1"
        );
        let (project, text) = (filter.project.as_ref(), filter.text.as_ref());
        let values = values![filter.most, kind, project, text, filter.machine.as_ref(), before];
        let rows = self.database.rows(&select, &values, one);
        let mut all = rows.map_err(|error| self.explain(error))?;
        for listed in all.iter_mut().flatten() {
            // In a store that cannot be written, such as one on a full disk, it remains marked as
            // running.
            if listed.state == ExperimentState::Running && self.is_abandoned(listed.id) {
                listed.state = ExperimentState::Interrupted;
            }
            listed.failed_run = self.failed_run(listed)?;
        }
        Ok(all)
    }

    /// An experiment as lists show it; `None` if there is no such experiment.
    pub fn listed(&self, id: ExperimentId) -> Result<Option<Listed>, StoreError> {
        let select = format!("SELECT {LISTED} FROM experiment WHERE id = ?1");
        self.row(&select, &values![id.0], listed)
    }

    /// The last timed run that did not end well, of an experiment that failed.
    fn failed_run(&self, listed: &Listed) -> Result<Option<FailedRun>, StoreError> {
        if listed.state != ExperimentState::Failed {
            return Ok(None);
        }
        let select = "SELECT exit_status, signal, stderr_tail FROM run
                      WHERE experiment = ?1 AND source = 'run'
                          AND (exit_status IS NULL OR exit_status != 0)
                      ORDER BY warmup, round DESC, position DESC LIMIT 1";
        self.row(select, &values![listed.id.0], |row| {
            Ok(FailedRun { outcome: outcome(row, 0)?, stderr_tail: row.get(2)? })
        })
    }

    /// Everything about an experiment but its runs; `None` if there is no such experiment, or it is
    /// an inspection.
    pub fn experiment(&self, id: ExperimentId) -> Result<Option<StoredExperiment>, StoreError> {
        let read = || {
            let moment = self.database.moment()?;
            let experiment = experiment(&moment, id)?;
            moment.commit()?;
            Ok(experiment)
        };
        read().map_err(|error| self.explain(error))
    }

    /// Passes every run of an experiment to `each`, in the order of running: the timed ones,
    /// warm-ups first, by round and position; then the instrumented ones. Only one run is in memory
    /// at a time.
    pub fn for_each_run<E: From<StoreError>>(
        &self,
        id: ExperimentId,
        each: &mut dyn FnMut(Run) -> Result<(), E>,
    ) -> Result<(), E> {
        let explain = |error| E::from(self.explain(error));
        let moment = self.database.moment().map_err(explain)?;
        let reasons = reasons(&moment).map_err(explain)?;
        let (stored, variants) = counts(&moment, id).map_err(explain)?;
        let mut given = 0_u64;
        for source in Source::ALL {
            let list = reading_list(&moment, id, source).map_err(explain)?;
            let mut refused = None;
            let read = moment.each(RUNS, &values![id.0, source.word()], &mut |row| {
                let run = run(row, source, &list, &reasons)?;
                within("a run", run.place.variant, variants, 3)?;
                given += 1;
                each(run).map_err(|refusal| {
                    refused = Some(refusal);
                    Error::Stopped
                })
            });
            read.map_err(|error| refused.unwrap_or_else(|| explain(error)))?;
        }
        moment.commit().map_err(explain)?;
        if given == stored { Ok(()) } else { Err(E::from(self.lost(given, stored))) }
    }

    /// The error for missing runs. Damage can end a table early without SQLite noticing, hence the
    /// count.
    fn lost(&self, given: u64, stored: u64) -> StoreError {
        let source = format!("{given} of {stored} runs can be read").into();
        StoreError::Damaged { place: self.place.clone(), source }
    }
}

/// The number of stored runs and of variants of an experiment; zeros if there is no such
/// experiment.
fn counts(database: &Database, id: ExperimentId) -> database::Result<(u64, u32)> {
    let select = "SELECT runs, variants FROM experiment WHERE id = ?1";
    let counts = database.row(select, &values![id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(counts.unwrap_or_default())
}

/// Checks that the variant exists, since later code indexes by it.
fn within(what: &str, variant: u32, variants: u32, column: usize) -> database::Result<()> {
    if variant < variants {
        return Ok(());
    }
    let told = format!("{what} is of the variant {variant}, and the experiment has {variants}");
    Err(Error::unreadable(column, told))
}

/// The columns of [`listed`].
const LISTED: &str = "id, started_unix_ns, finished_unix_ns, state, title, variants, rounds, runs, \
                      answer, kind";

fn listed(row: &Row<'_>) -> database::Result<Listed> {
    Ok(Listed {
        id: ExperimentId(row.get(0)?),
        started_unix_ns: row.get(1)?,
        finished_unix_ns: row.get(2)?,
        state: of_word(row, 3)?,
        title: row.get(4)?,
        variants: row.get(5)?,
        rounds: row.get(6)?,
        runs: row.get(7)?,
        answer: row.get(8)?,
        failed_run: None,
        kind: of_word(row, 9)?,
    })
}

fn experiment(database: &Database, id: ExperimentId) -> database::Result<Option<StoredExperiment>> {
    let select = format!(
        "SELECT {LISTED}, arguments, cwd, brisk_version, seed, commands, rule, metrics, machine,
             conditions, summary, stop_reason, contrasts, subject, history, project, execution,
             elapsed_seconds
         FROM experiment JOIN experiment_detail ON experiment = id
         WHERE id = ?1 AND kind NOT IN ('explain', 'doctor')"
    );
    let variants = variants(database, id)?;
    database.row(&select, &values![id.0], |row| {
        let listed = listed(row)?;
        let stop_reason = row.optional_text(20)?.map(|_| of_word(row, 20));
        let stop_reason = stop_reason.transpose()?;
        let elapsed_seconds = row.get(26)?;
        let commands = row.get::<u32>(14)?;
        if variants.len() != listed.variants as usize {
            let told = format!("{} of its {} variants are there", variants.len(), listed.variants);
            return Err(Error::unreadable(5, told));
        }
        Ok(StoredExperiment {
            id,
            commission: Commission {
                kind: listed.kind,
                title: listed.title,
                project: row.get(24)?,
                arguments: of_json(row, 10)?,
                cwd: row.get(11)?,
                seed: of_json(row, 13)?,
                commands,
                contrasts: contrasts(row, listed.variants, commands)?,
                subject: row.get(22)?,
                rule: of_json(row, 15)?,
                metrics: optional_json(row, 16)?,
                variants,
                execution: optional_json(row, 25)?,
            },
            circumstances: Circumstances {
                started_unix_ns: listed.started_unix_ns,
                brisk_version: row.get(12)?,
                machine: of_json(row, 17)?,
                conditions: of_json(row, 18)?,
            },
            state: listed.state,
            ended: match (stop_reason, listed.finished_unix_ns, elapsed_seconds) {
                (Some(reason), Some(unix_ns), Some(elapsed_seconds)) => {
                    Some(Stop { reason, unix_ns, elapsed_seconds })
                }
                _ => None,
            },
            rounds: listed.rounds,
            runs: listed.runs,
            answer: listed.answer,
            summary: row.get(19)?,
            history: row.get(23)?,
        })
    })
}

/// The contrasts, checked to refer to existing variants.
fn contrasts(row: &Row<'_>, variants: u32, commands: u32) -> database::Result<Contrasts> {
    let contrasts: Contrasts = optional_json(row, 21)?
        .unwrap_or_else(|| Contrasts::of_commands(variants, commands.max(1)));
    for &(baseline, candidate) in contrasts.pairs.iter().chain(&contrasts.spans) {
        within("a contrast", baseline.max(candidate), variants, 21)?;
    }
    Ok(contrasts)
}

fn variants(database: &Database, id: ExperimentId) -> database::Result<Vec<Contender>> {
    let select = "SELECT name, command FROM variant WHERE experiment = ?1 ORDER BY number";
    let variants: Vec<(String, String)> =
        database.rows(select, &values![id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut pairs: Vec<Vec<(String, String)>> = vec![Vec::new(); variants.len()];
    let select = "SELECT variant, name, value FROM variant_label WHERE experiment = ?1
                  ORDER BY variant, number";
    database.each(select, &values![id.0], &mut |row| {
        let number: u32 = row.get(0)?;
        // A foreign key rules out a label without a variant.
        if let Some(pairs) = pairs.get_mut(number as usize) {
            pairs.push((row.get(1)?, row.get(2)?));
        }
        Ok(())
    })?;
    let variant = |((name, command), pairs)| {
        let labels = Labels::read(pairs).map_err(|error| Error::unreadable(2, error))?;
        Ok(Contender { name, command, labels })
    };
    variants.into_iter().zip(pairs).map(variant).collect()
}

/// The runs of one experiment and source, in the order of running; the columns that [`run()`]
/// reads.
const RUNS: &str = "SELECT warmup, round, position, variant, started_unix_ns, exit_status, signal,
         left_behind, stderr_tail, readings
     FROM run WHERE experiment = ?1 AND source = ?2 ORDER BY warmup DESC, round, position";

fn run(
    row: &Row<'_>,
    source: Source,
    list: &[MetricId],
    reasons: &HashMap<i64, Missing>,
) -> database::Result<Run> {
    let readings = readings::decode(row.text(9)?, list, |number| reasons.get(&number).cloned());
    Ok(Run {
        place: RunPlace {
            source,
            warmup: row.get(0)?,
            round: row.get(1)?,
            position: row.get(2)?,
            variant: row.get(3)?,
        },
        started_unix_ns: row.get(4)?,
        outcome: outcome(row, 5)?,
        readings: readings.map_err(|error| Error::unreadable(9, error))?,
        left_behind: row.get(7)?,
        stderr_tail: row.get(8)?,
    })
}

/// The end of a run, from the columns of its exit status and its signal.
fn outcome(row: &Row<'_>, column: usize) -> database::Result<Outcome> {
    Ok(match (row.get(column)?, row.get(column + 1)?) {
        (Some(status), _) => Outcome::Exited(status),
        (None, Some(signal)) => Outcome::Signalled(signal),
        (None, None) => Outcome::TimedOut,
    })
}

/// The metrics of the arrays in `run.readings`, in order.
pub(super) fn reading_list(
    database: &Database,
    id: ExperimentId,
    source: Source,
) -> database::Result<Vec<MetricId>> {
    let select =
        "SELECT metric FROM reading_list WHERE experiment = ?1 AND source = ?2 ORDER BY number";
    database.rows(select, &values![id.0, source.word()], |row| {
        let id = MetricId::from(row.get::<String>(0)?);
        // The registry's own names are free to copy for each run.
        Ok(metric::built_in(&id).map_or(id, |metric| metric.id.clone()))
    })
}

fn reasons(database: &Database) -> database::Result<HashMap<i64, Missing>> {
    let select = "SELECT number, reason FROM missing_reason";
    let reason = |row: &Row<'_>| Ok((row.get(0)?, Missing(row.get::<String>(1)?.into())));
    Ok(database.rows(select, &[], reason)?.into_iter().collect())
}

pub(super) fn of_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> database::Result<T> {
    serde_json::from_str(row.text(column)?).map_err(|error| Error::unreadable(column, error))
}

fn optional_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> database::Result<Option<T>> {
    row.optional_text(column)?.map(|_| of_json(row, column)).transpose()
}

pub(super) fn of_word<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> database::Result<T> {
    let word = serde_json::Value::from(row.text(column)?);
    serde_json::from_value(word).map_err(|error| Error::unreadable(column, error))
}

/// True if the experiment's state is running, for recovery after a kill.
pub(super) fn is_running(database: &Database, id: ExperimentId) -> database::Result<bool> {
    let select = match database.driver() {
        Driver::Sqlite(_) => "SELECT state FROM experiment WHERE id = ?1",
        // The caller will change the state, so others must wait.
        #[cfg(feature = "postgres")]
        Driver::Server(_) => "SELECT state FROM experiment WHERE id = ?1 FOR UPDATE",
    };
    let state = database.row(select, &values![id.0], |row| of_word::<ExperimentState>(row, 0))?;
    Ok(state == Some(ExperimentState::Running))
}
