//! Writing: an experiment begins, gets its runs in slices, and ends.
//!
//! Each call is one transaction: when it returns, what it was given outlives this process.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::journal::{self, Journal};
use super::recover::{interrupt, lacking};
use super::{ExperimentId, ExperimentState, Finish, Store, StoreError, word};
use crate::commission::Commission;
use crate::judge::contrasts::Contrasts;
use crate::metric::{MetricId, Missing, Source};
use crate::record::Circumstances;
use crate::run::Run;
use measure::Outcome;

/// What the writer remembers of the store, so that it need not ask for every run.
#[derive(Debug, Default)]
pub(super) struct Known {
    reasons: HashMap<Missing, i64>,
    /// The metrics of one experiment's readings, in the order of their arrays.
    lists: HashMap<Source, Vec<MetricId>>,
    lists_of: Option<ExperimentId>,
    /// Room for one run's array.
    text: String,
}

impl Store {
    /// Begins an experiment. Its journal stays locked as long as this process has it open.
    ///
    /// # Errors
    ///
    /// When it cannot be stored; then nothing was.
    pub fn begin(
        &mut self,
        commission: &Commission,
        circumstances: &Circumstances,
    ) -> Result<(ExperimentId, Journal), StoreError> {
        let (path, patience) = (&self.path, self.patience);
        let explain = |error| StoreError::of(path, patience, error);
        let transaction = immediate(&mut self.connection).map_err(explain)?;
        let id = insert_experiment(&transaction, commission, circumstances).map_err(explain)?;
        // Before the commit, so that whoever sees the experiment sees that it is alive.
        let journal = Journal::create(&self.inflight, id)?;
        transaction.commit().map_err(|error| {
            journal::remove(&self.inflight, id);
            explain(error)
        })?;
        Ok((id, journal))
    }

    /// Stores finished runs of an experiment, all or none.
    ///
    /// # Errors
    ///
    /// When they cannot be stored, or there is no such experiment.
    pub(super) fn append_runs(&mut self, id: ExperimentId, runs: &[Run]) -> Result<(), StoreError> {
        if runs.is_empty() {
            return Ok(());
        }
        let appended = append(&mut self.connection, &mut self.known, id, runs);
        if !matches!(appended, Ok(true)) {
            // What was numbered for these runs was rolled back with them.
            self.known = Known::default();
        }
        self.existing(id, appended)
    }

    /// Ends an experiment and removes its journal. Where that has runs which the store lacks, they
    /// could not be kept when they finished: they are stored now, and it ends as if its brisk had
    /// been killed.
    ///
    /// # Errors
    ///
    /// When it cannot be stored, or there is no such experiment; the journal is kept then.
    pub fn finish(&mut self, id: ExperimentId, finish: Finish<'_>) -> Result<(), StoreError> {
        let unread = journal::runs(&self.inflight, id)?;
        let lacking = lacking(&self.connection, id, unread);
        let finished = match lacking.map_err(|error| self.explain(error))? {
            none if none.is_empty() => end(&mut self.connection, id, &finish),
            lacking => interrupt(&mut self.connection, id, &lacking),
        };
        self.existing(id, finished)?;
        journal::remove(&self.inflight, id);
        Ok(())
    }

    /// Makes an error of a missing experiment, and explains SQLite's.
    fn existing(&self, id: ExperimentId, found: rusqlite::Result<bool>) -> Result<(), StoreError> {
        match found {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.no_such(id)),
            Err(error) => Err(self.explain(error)),
        }
    }
}

/// Takes the right to write at once: a transaction that begins by reading may be refused later.
pub(super) fn immediate(connection: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate)
}

/// Times and counts as SQLite keeps them. Nanoseconds fit until the year 2262.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers can be written as JSON")
}

fn insert_experiment(
    transaction: &Connection,
    new: &Commission,
    circumstances: &Circumstances,
) -> rusqlite::Result<ExperimentId> {
    transaction
        .prepare_cached(
            "INSERT INTO experiment (started_unix_ns, state, title, variants, rounds, runs, kind,
                 project)
             VALUES (?1, ?2, ?3, ?4, 0, 0, ?5, ?6)",
        )?
        .execute(params![
            signed(circumstances.started_unix_ns),
            word(&ExperimentState::Running),
            new.title,
            signed(new.variants.len() as u64),
            new.kind.word(),
            new.project,
        ])?;
    let id = transaction.last_insert_rowid();
    transaction
        .prepare_cached(
            "INSERT INTO experiment_detail (experiment, arguments, cwd, brisk_version, seed,
                 commands, rule, metrics, machine, conditions, contrasts, subject, execution)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            id,
            json(&new.arguments),
            new.cwd,
            circumstances.brisk_version,
            new.seed.to_string(),
            new.commands,
            json(&new.rule),
            new.metrics.as_ref().map(json),
            json(&circumstances.machine),
            json(&circumstances.conditions),
            (!follow_from_commands(new)).then(|| json(&new.contrasts)),
            new.subject,
            new.execution.as_ref().map(json),
        ])?;
    insert_variants(transaction, id, new)?;
    Ok(ExperimentId(id))
}

/// Whether the contrasts need not be written down, because the number of commands says them.
fn follow_from_commands(new: &Commission) -> bool {
    let variants = u32::try_from(new.variants.len()).expect("at most 2^20 variants");
    new.contrasts == Contrasts::of_commands(variants, new.commands)
}

fn insert_variants(transaction: &Connection, id: i64, new: &Commission) -> rusqlite::Result<()> {
    let mut variants = transaction.prepare_cached(
        "INSERT INTO variant (experiment, number, name, command) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let mut labels = transaction.prepare_cached(
        "INSERT INTO variant_label (experiment, variant, number, name, value)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (number, variant) in (0_i64..).zip(&new.variants) {
        variants.execute(params![id, number, variant.name, variant.command])?;
        for (place, (name, value)) in (0_i64..).zip(variant.labels.pairs()) {
            labels.execute(params![id, number, place, name, value])?;
        }
    }
    Ok(())
}

/// Inserts the runs; false when there is no such experiment.
fn append(
    connection: &mut Connection,
    known: &mut Known,
    id: ExperimentId,
    runs: &[Run],
) -> rusqlite::Result<bool> {
    let transaction = immediate(connection)?;
    let begun = runs.iter().filter(|run| run.place.source == Source::Run && !run.place.warmup);
    let rounds = begun.map(|run| run.place.round + 1).max().unwrap_or(0);
    let counted = transaction
        .prepare_cached(
            "UPDATE experiment SET runs = runs + ?2, rounds = max(rounds, ?3) WHERE id = ?1",
        )?
        .execute(params![id.0, signed(runs.len() as u64), rounds])?;
    if counted == 0 {
        return Ok(false);
    }
    insert_runs(&transaction, known, id, runs)?;
    transaction.commit()?;
    Ok(true)
}

/// Inserts the runs and what they newly refer to.
pub(super) fn insert_runs(
    transaction: &Connection,
    known: &mut Known,
    id: ExperimentId,
    runs: &[Run],
) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO run (experiment, source, warmup, round, position, variant, started_unix_ns,
             exit_status, signal, left_behind, stderr_tail, readings)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?;
    for run in runs {
        known.write_readings(transaction, id, run)?;
        let (exit_status, signal) = match run.outcome {
            Outcome::Exited(status) => (Some(status), None),
            Outcome::Signalled(signal) => (None, Some(signal)),
            Outcome::TimedOut => (None, None),
        };
        insert.execute(params![
            id.0,
            run.place.source.word(),
            run.place.warmup,
            run.place.round,
            run.place.position,
            run.place.variant,
            signed(run.started_unix_ns),
            exit_status,
            signal,
            run.left_behind,
            run.stderr_tail,
            known.text,
        ])?;
    }
    Ok(())
}

impl Known {
    /// Leaves the array of the run's readings in `self.text`.
    fn write_readings(
        &mut self,
        transaction: &Connection,
        id: ExperimentId,
        run: &Run,
    ) -> rusqlite::Result<()> {
        if self.lists_of != Some(id) {
            self.lists.clear();
            self.lists_of = Some(id);
        }
        let source = run.place.source;
        let list = match self.lists.entry(source) {
            std::collections::hash_map::Entry::Occupied(list) => list.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(super::read::reading_list(transaction, id, source)?)
            }
        };
        let stored = list.len();
        self.text.clear();
        let reasons = &mut self.reasons;
        let number_of = |missing: &Missing| match reasons.get(missing) {
            Some(&number) => Ok(number),
            None => {
                let number = number_of_reason(transaction, missing)?;
                reasons.insert(missing.clone(), number);
                Ok::<_, rusqlite::Error>(number)
            }
        };
        super::readings::encode(&run.readings, list, number_of, &mut self.text)?;
        for (number, metric) in (0_i64..).zip(&*list).skip(stored) {
            transaction
                .prepare_cached(
                    "INSERT INTO reading_list (experiment, source, number, metric)
                     VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![id.0, source.word(), number, metric.as_str()])?;
        }
        Ok(())
    }
}

/// The reason's number; a new one for a new reason.
fn number_of_reason(transaction: &Connection, missing: &Missing) -> rusqlite::Result<i64> {
    let known = transaction
        .prepare_cached("SELECT number FROM missing_reason WHERE reason = ?1")?
        .query_row([&*missing.0], |row| row.get(0))
        .optional()?;
    if let Some(number) = known {
        return Ok(number);
    }
    transaction
        .prepare_cached("INSERT INTO missing_reason (reason) VALUES (?1)")?
        .execute([&*missing.0])?;
    Ok(transaction.last_insert_rowid())
}

/// Stores how the experiment ended; false when there is no such experiment.
fn end(
    connection: &mut Connection,
    id: ExperimentId,
    finish: &Finish<'_>,
) -> rusqlite::Result<bool> {
    let transaction = immediate(connection)?;
    let ended = transaction
        .prepare_cached(
            "UPDATE experiment SET finished_unix_ns = ?2, state = ?3, stop_reason = ?4,
                 rounds = ?5, answer = ?6 WHERE id = ?1",
        )?
        .execute(params![
            id.0,
            signed(finish.unix_ns),
            word(&ExperimentState::after(finish.reason)),
            word(&finish.reason),
            finish.rounds,
            finish.answer,
        ])?;
    transaction
        .prepare_cached(
            "UPDATE experiment_detail SET summary = ?2, elapsed_seconds = ?3 WHERE experiment = ?1",
        )?
        .execute(params![id.0, finish.summary, finish.elapsed_seconds])?;
    transaction.commit()?;
    Ok(ended == 1)
}
