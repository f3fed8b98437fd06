//! Writing: an experiment begins or is resumed, receives its runs in slices, and ends.
//!
//! Each call is one transaction: when it returns, its data outlive this process.

use std::collections::HashMap;

use measure::Outcome;
use model::commission::Commission;
use model::design::contrasts::Contrasts;
use model::design::stopping::StoppingRule;
use model::host::Circumstances;
use model::json;
use model::metric::{MetricId, Missing, Source};
use model::run::Run;

use crate::database::Kind::{Integer, Text};
use crate::database::{self, Database, Error, Insert, Value, values};
use crate::journal::{self, Journal, Owner, interrupt, lacking};
use crate::{ExperimentId, ExperimentState, Finish, Store, StoreError, word};

/// The writer's cache of the store's contents, so that it need not query for every run.
#[derive(Debug, Default)]
pub(super) struct Known {
    reasons: HashMap<Missing, i64>,
    /// The metrics of one experiment's readings, in the order of their arrays.
    lists: HashMap<Source, Vec<MetricId>>,
    lists_of: Option<ExperimentId>,
    /// The length of the last run's array: the next ones are about as long.
    length: usize,
}

impl Store {
    /// Begins an experiment. Its journal stays locked while this process has it open.
    ///
    /// # Errors
    ///
    /// When it cannot be stored; then no part of it is.
    pub fn begin(
        &mut self,
        commission: &Commission,
        circumstances: &Circumstances,
    ) -> Result<(ExperimentId, Journal), StoreError> {
        let explain = |error| self.explain(error);
        let transaction = self.database.write().map_err(explain)?;
        let id = insert_experiment(&transaction, commission, circumstances).map_err(explain)?;
        // Before the commit, so that the experiment is visibly alive as soon as it is visible.
        let journal = Journal::create(&self.inflight, id)?;
        #[cfg(feature = "postgres")]
        let held = self.take(id)?;
        transaction.commit().map_err(|error| {
            journal::remove(&self.inflight, id);
            explain(error)
        })?;
        #[cfg(feature = "postgres")]
        let journal = self.hold(held, journal);
        Ok((id, journal))
    }

    /// Resumes an experiment that was interrupted or has ended by its rule: more runs may be
    /// appended, until `rule` ends it. `None` if it is in another state, or another brisk was
    /// faster.
    pub fn resume(
        &mut self,
        id: ExperimentId,
        rule: &StoppingRule,
    ) -> Result<Option<Journal>, StoreError> {
        // A locked journal means that its brisk is alive.
        if let Owner::Alive = journal::owner(&self.inflight, id)? {
            return Ok(None);
        }
        let explain = |error| self.explain(error);
        let transaction = self.database.write().map_err(explain)?;
        let take = "UPDATE experiment SET state = ?2, stop_reason = NULL, finished_unix_ns = NULL,
                        answer = NULL WHERE id = ?1 AND state IN (?3, ?4)";
        let states =
            [ExperimentState::Running, ExperimentState::Interrupted, ExperimentState::Complete];
        let [running, interrupted, complete] = states.map(|state| word(&state));
        let values = values![id.0, running, interrupted, complete];
        if transaction.execute(take, &values).map_err(explain)? == 0 {
            return Ok(None);
        }
        let update = "UPDATE experiment_detail
                      SET summary = NULL, elapsed_seconds = NULL, rule = ?2 WHERE experiment = ?1";
        transaction.execute(update, &values![id.0, json::text(rule)]).map_err(explain)?;
        let journal = Journal::create(&self.inflight, id)?;
        #[cfg(feature = "postgres")]
        let held = self.take(id)?;
        transaction.commit().map_err(explain)?;
        #[cfg(feature = "postgres")]
        let journal = self.hold(held, journal);
        Ok(Some(journal))
    }

    /// Stores finished runs of an experiment: all or none.
    ///
    /// # Errors
    ///
    /// When they cannot be stored, or there is no such experiment.
    pub(super) fn append_runs(&mut self, id: ExperimentId, runs: &[Run]) -> Result<(), StoreError> {
        if runs.is_empty() {
            return Ok(());
        }
        let appended = append(&self.database, &mut self.known, id, runs);
        if !matches!(appended, Ok(true)) {
            // The numbers given out for these runs were rolled back with them.
            self.known = Known::default();
        }
        self.existing(id, appended)
    }

    /// Ends an experiment and removes its journal. Runs that are in the journal but not in the
    /// store could not be stored when they finished: they are stored now, and the experiment ends
    /// as if its brisk had been killed.
    ///
    /// # Errors
    ///
    /// When it cannot be stored, or there is no such experiment; the journal is kept then.
    pub fn finish(&mut self, id: ExperimentId, finish: Finish<'_>) -> Result<(), StoreError> {
        #[cfg(feature = "postgres")]
        self.deliver_spooled(id)?;
        let unread = journal::runs(&self.inflight, id)?;
        let lacking = lacking(&self.database, id, unread);
        let finished = match lacking.map_err(|error| self.explain(error))? {
            none if none.is_empty() => end(&self.database, id, &finish),
            lacking => interrupt(&self.database, id, &lacking),
        };
        self.existing(id, finished)?;
        journal::remove(&self.inflight, id);
        Ok(())
    }

    /// Turns a missing experiment into an error, and explains the database's errors.
    pub(super) fn existing(
        &self,
        id: ExperimentId,
        found: database::Result<bool>,
    ) -> Result<(), StoreError> {
        match found {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.no_such(id)),
            Err(error) => Err(self.explain(error)),
        }
    }
}

fn insert_experiment(
    transaction: &Database,
    new: &Commission,
    circumstances: &Circumstances,
) -> database::Result<ExperimentId> {
    let id = number_of(
        transaction,
        "INSERT INTO experiment (started_unix_ns, state, title, variants, rounds, runs, kind,
             project)
         VALUES (?1, ?2, ?3, ?4, 0, 0, ?5, ?6) RETURNING id",
        &values![
            circumstances.started_unix_ns,
            word(&ExperimentState::Running),
            &new.title,
            new.variants.len(),
            new.kind.word(),
            &new.project,
        ],
    )?;
    transaction.execute(
        "INSERT INTO experiment_detail (experiment, arguments, cwd, brisk_version, seed,
             commands, rule, metrics, machine, conditions, contrasts, subject, execution)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        &values![
            id,
            json::text(&new.arguments),
            &new.cwd,
            &circumstances.brisk_version,
            new.seed.to_string(),
            new.commands,
            json::text(&new.rule),
            new.metrics.as_ref().map(json::text),
            json::text(&circumstances.machine),
            json::text(&circumstances.conditions),
            (!follow_from_commands(new)).then(|| json::text(&new.contrasts)),
            new.subject.as_ref(),
            new.execution.as_ref().map(json::text),
        ],
    )?;
    insert_variants(transaction, id, new)?;
    Ok(ExperimentId(id))
}

/// The number that an insertion returns for its row.
pub(super) fn number_of(
    database: &Database,
    insert: &str,
    values: &[Value<'_>],
) -> database::Result<i64> {
    database.row(insert, values, |row| row.get(0))?.ok_or(Error::Gone)
}

/// True if the contrasts need not be stored, because they follow from the number of commands.
fn follow_from_commands(new: &Commission) -> bool {
    let variants = u32::try_from(new.variants.len()).expect("at most 2^20 variants");
    new.contrasts == Contrasts::of_commands(variants, new.commands)
}

const VARIANTS: Insert<4> = Insert {
    table: "variant",
    columns: [("experiment", Integer), ("number", Integer), ("name", Text), ("command", Text)],
};

const LABELS: Insert<5> = Insert {
    table: "variant_label",
    columns: [
        ("experiment", Integer),
        ("variant", Integer),
        ("number", Integer),
        ("name", Text),
        ("value", Text),
    ],
};

fn insert_variants(transaction: &Database, id: i64, new: &Commission) -> database::Result<()> {
    let variants = || (0_i64..).zip(&new.variants);
    let rows = variants().map(|(number, one)| values![id, number, &one.name, &one.command]);
    transaction.insert(&VARIANTS, rows)?;
    let rows = variants().flat_map(|(number, one)| {
        let labels = (0_i64..).zip(one.labels.pairs());
        labels.map(move |(place, (name, value))| values![id, number, place, name, value])
    });
    transaction.insert(&LABELS, rows)
}

/// Inserts the runs; false if there is no such experiment.
fn append(
    database: &Database,
    known: &mut Known,
    id: ExperimentId,
    runs: &[Run],
) -> database::Result<bool> {
    #[cfg(feature = "postgres")]
    if let database::Driver::Server(_) = database.driver() {
        let select = "SELECT 1 FROM experiment WHERE id = ?1";
        let is_there = database.row(select, &values![id.0], |_| Ok(()))?.is_some();
        return Ok(is_there && super::deliver::append_at_once(database, known, id, runs, None)?);
    }
    let transaction = database.write()?;
    let rounds = rounds_begun(runs);
    let count = "UPDATE experiment SET runs = runs + ?2,
                     rounds = CASE WHEN rounds < ?3 THEN ?3 ELSE rounds END WHERE id = ?1";
    if transaction.execute(count, &values![id.0, runs.len(), rounds])? == 0 {
        return Ok(false);
    }
    insert_runs(&transaction, known, id, runs)?;
    transaction.commit()?;
    Ok(true)
}

/// The number of rounds begun, according to these runs.
pub(super) fn rounds_begun(runs: &[Run]) -> u32 {
    let begun = runs.iter().filter(|run| run.place.source == Source::Run && !run.place.warmup);
    begun.map(|run| run.place.round + 1).max().unwrap_or(0)
}

pub(super) const RUNS: Insert<12> = Insert {
    table: "run",
    columns: [
        ("experiment", Integer),
        ("source", Text),
        ("warmup", Integer),
        ("round", Integer),
        ("position", Integer),
        ("variant", Integer),
        ("started_unix_ns", Integer),
        ("exit_status", Integer),
        ("signal", Integer),
        ("left_behind", Integer),
        ("stderr_tail", Text),
        ("readings", Text),
    ],
};

/// Inserts the runs and anything new that they refer to.
pub(super) fn insert_runs(
    transaction: &Database,
    known: &mut Known,
    id: ExperimentId,
    runs: &[Run],
) -> database::Result<()> {
    let readings = known.encode(transaction, id, runs)?;
    transaction.insert(&RUNS, rows(id, runs, readings))
}

/// The rows of the runs, with the arrays of their readings.
pub(super) fn rows(
    id: ExperimentId,
    runs: &[Run],
    readings: Vec<String>,
) -> impl Iterator<Item = [Value<'_>; 12]> {
    runs.iter().zip(readings).map(move |(run, readings)| {
        let (exit_status, signal) = match run.outcome {
            Outcome::Exited(status) => (Some(status), None),
            Outcome::Signalled(signal) => (None, Some(signal)),
            Outcome::TimedOut => (None, None),
        };
        values![
            id.0,
            run.place.source.word(),
            run.place.warmup,
            run.place.round,
            run.place.position,
            run.place.variant,
            run.started_unix_ns,
            exit_status,
            signal,
            run.left_behind,
            run.stderr_tail.as_ref(),
            readings,
        ]
    })
}

impl Known {
    /// The arrays of the runs' readings. Anything new that they refer to is stored.
    pub(super) fn encode(
        &mut self,
        database: &Database,
        id: ExperimentId,
        runs: &[Run],
    ) -> database::Result<Vec<String>> {
        runs.iter().map(|run| self.array(database, id, run)).collect()
    }

    fn array(
        &mut self,
        database: &Database,
        id: ExperimentId,
        run: &Run,
    ) -> database::Result<String> {
        if self.lists_of != Some(id) {
            self.lists.clear();
            self.lists_of = Some(id);
        }
        let source = run.place.source;
        let list = match self.lists.entry(source) {
            std::collections::hash_map::Entry::Occupied(list) => list.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(super::read::reading_list(database, id, source)?)
            }
        };
        let stored = list.len();
        let mut text = String::with_capacity(self.length);
        let reasons = &mut self.reasons;
        let number_of = |missing: &Missing| match reasons.get(missing) {
            Some(&number) => Ok(number),
            None => {
                let number = number_of_reason(database, missing)?;
                reasons.insert(missing.clone(), number);
                Ok::<_, Error>(number)
            }
        };
        super::readings::encode(&run.readings, list, number_of, &mut text)?;
        self.length = text.len();
        let new = (0_i64..).zip(&*list).skip(stored);
        let rows =
            new.map(|(number, metric)| values![id.0, source.word(), number, metric.as_str()]);
        database.insert(&LISTS, rows)?;
        Ok(text)
    }
}

const LISTS: Insert<4> = Insert {
    table: "reading_list",
    columns: [("experiment", Integer), ("source", Text), ("number", Integer), ("metric", Text)],
};

/// The number of the reason; a new reason gets a new number.
fn number_of_reason(database: &Database, missing: &Missing) -> database::Result<i64> {
    let reason = values![&*missing.0];
    let select = "SELECT number FROM missing_reason WHERE reason = ?1";
    let insert = "INSERT INTO missing_reason (reason) VALUES (?1) ON CONFLICT (reason) DO NOTHING
                  RETURNING number";
    // Another brisk may be faster, on databases that do not make writers wait.
    for statement in [select, insert, select] {
        if let Some(number) = database.row(statement, &reason, |row| row.get(0))? {
            return Ok(number);
        }
    }
    Err(Error::Gone)
}

/// Stores the end of the experiment; false if there is no such experiment.
fn end(database: &Database, id: ExperimentId, finish: &Finish<'_>) -> database::Result<bool> {
    let transaction = database.write()?;
    let ended = transaction.execute(
        "UPDATE experiment SET finished_unix_ns = ?2, state = ?3, stop_reason = ?4,
             rounds = ?5, answer = ?6 WHERE id = ?1",
        &values![
            id.0,
            finish.unix_ns,
            word(&ExperimentState::after(finish.reason)),
            word(&finish.reason),
            finish.rounds,
            &finish.answer,
        ],
    )?;
    transaction.execute(
        "UPDATE experiment_detail SET summary = ?2, elapsed_seconds = ?3 WHERE experiment = ?1",
        &values![id.0, finish.summary, finish.elapsed_seconds],
    )?;
    #[cfg(feature = "postgres")]
    if let database::Driver::Server(_) = database.driver() {
        transaction.execute("DELETE FROM lease WHERE experiment = ?1", &values![id.0])?;
    }
    transaction.commit()?;
    Ok(ended == 1)
}
