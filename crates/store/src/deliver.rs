//! Delivery of events to a server: each arrives exactly once, even if the connection fails.
//!
//! Events that cannot be delivered go into the [spool](super::spool), in order, and are sent again
//! once the server answers; those that a killed brisk left there are sent by the next brisk on its
//! machine.

use std::fs;
use std::time::Duration;

use measure::clock::Stopwatch;

use super::database::{self, Database, Driver, Server, Value, values};
use super::journal::{self, Owner};
use super::lease::Held;
use super::recover::{interrupt, lacking};
use super::spool::{Spool, Spooled};
use super::write::{Known, RUNS, rounds_begun, rows};
use super::{ExperimentId, Store, StoreError};
use crate::record::Event;
use model::run::Run;

/// The minimum pause before a server that is away is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// The pause as a multiple of the time that the try took, so that retries cost little measuring
/// time.
const PAUSE_OF_TRIES: u32 = 20;

impl Store {
    /// Stores an event of the experiment that this process holds: in the store, or else in its
    /// spool.
    pub(super) fn append_held(
        &mut self,
        mut held: Held,
        event: &Event<'_>,
    ) -> Result<(), StoreError> {
        let kept = self.keep(&mut held, event);
        self.held = Some(held);
        kept
    }

    fn keep(&mut self, held: &mut Held, event: &Event<'_>) -> Result<(), StoreError> {
        let number = held.events + 1;
        if !held.spool.has_events() {
            match self.deliver(held, number, event) {
                Err(error) if error.is_passing() => {}
                Err(error) => return Err(error),
                Ok(()) => {
                    held.events = number;
                    return Ok(());
                }
            }
        }
        held.spool.push(&held.owner, number, event)?;
        held.events = number;
        if held.waiting.as_ref().is_some_and(|(since, pause)| since.elapsed() < *pause) {
            return Ok(());
        }
        let trying = Stopwatch::start();
        match self.catch_up(held) {
            Err(error) if error.is_passing() => {
                let pause = PAUSE.max(trying.elapsed() * PAUSE_OF_TRIES);
                held.waiting = Some((Stopwatch::start(), pause));
                Ok(())
            }
            caught_up => caught_up,
        }
    }

    /// Delivers the events in the spool.
    fn catch_up(&mut self, held: &mut Held) -> Result<(), StoreError> {
        self.reconnect()?;
        if let Some(Spooled { events, .. }) = held.spool.read()? {
            self.deliver_all(held, &events)?;
        }
        held.spool.remove();
        held.waiting = None;
        Ok(())
    }

    /// Delivers those events that the store does not have; false if it has them all.
    fn deliver_all(
        &mut self,
        held: &Held,
        events: &[(i64, Event<'_>)],
    ) -> Result<bool, StoreError> {
        let seen = held.seen(&self.database).map_err(|error| self.explain(error))?;
        let seen = seen.ok_or_else(|| self.taken(held.id))?;
        let new = events.iter().filter(|(number, _)| *number > seen);
        let mut any = false;
        for (number, event) in new {
            self.deliver(held, *number, event)?;
            any = true;
        }
        Ok(any)
    }

    fn deliver(&mut self, held: &Held, number: i64, event: &Event<'_>) -> Result<(), StoreError> {
        let is_let_in = match event {
            Event::Runs { runs } => {
                let new = Some((held, number));
                let appended = append_at_once(&self.database, &mut self.known, held.id, runs, new);
                if !matches!(appended, Ok(true)) {
                    self.known = Known::default();
                }
                appended.map_err(|error| self.explain(error))?
            }
            event => self.deliver_one(held, number, event)?,
        };
        if is_let_in {
            return Ok(());
        }
        // The event may have arrived even if the confirmation was lost.
        match held.seen(&self.database).map_err(|error| self.explain(error))? {
            Some(seen) if seen >= number => Ok(()),
            _ => Err(self.taken(held.id)),
        }
    }

    fn deliver_one(&self, held: &Held, number: i64, event: &Event<'_>) -> Result<bool, StoreError> {
        let explain = |error| self.explain(error);
        let transaction = self.database.write().map_err(explain)?;
        let (query, values) = held.let_in(number, 1);
        if transaction.execute(&query, &values).map_err(explain)? == 0 {
            return Ok(false);
        }
        self.append_other(held.id, event)?;
        transaction.commit().map_err(explain)?;
        Ok(true)
    }

    fn taken(&self, id: ExperimentId) -> StoreError {
        StoreError::Taken { place: self.place.clone(), id }
    }

    /// Delivers the events in an experiment's spool, left by any process; false if there was
    /// nothing new.
    pub(super) fn deliver_spooled(&mut self, id: ExperimentId) -> Result<bool, StoreError> {
        let spool = Spool::in_folder(&self.inflight, id);
        let Some(Spooled { owner, events }) = spool.read()? else { return Ok(false) };
        let mut held = Held { id, owner, events: 0, spool, waiting: None };
        self.reconnect()?;
        let any = match self.deliver_all(&held, &events) {
            // Another brisk has resumed the experiment since, and no longer wants these events.
            Err(StoreError::Taken { .. }) => {
                held.spool.lay_aside();
                return Ok(false);
            }
            any => any?,
        };
        held.spool.remove();
        Ok(any)
    }

    /// Delivers the events that this machine still has of experiments no longer marked as running:
    /// the process that measured them was away for longer than its lease.
    pub(super) fn take_in_late(
        &mut self,
        running: &[ExperimentId],
        recovered: &mut Vec<ExperimentId>,
    ) -> Result<(), StoreError> {
        for id in left_behind(&self.inflight).filter(|id| !running.contains(id)).collect::<Vec<_>>()
        {
            let (runs, _locked) = match journal::owner(&self.inflight, id)? {
                Owner::Alive => continue,
                Owner::NoJournal => (Vec::new(), None),
                Owner::Dead(file) => {
                    let runs = journal::runs_of(&file).map_err(|error| {
                        StoreError::of_journal(&journal::path(&self.inflight, id), error)
                    })?;
                    (runs, Some(file))
                }
            };
            let any = self.deliver_spooled(id)?;
            let add = || {
                let runs = lacking(&self.database, id, runs)?;
                if !any && runs.is_empty() {
                    return Ok(false);
                }
                let transaction = self.database.write()?;
                let open = "UPDATE experiment SET state = 'running', answer = NULL
                            WHERE id = ?1 AND state IN ('running', 'interrupted')";
                transaction.execute(open, &values![id.0])?;
                let forget = "UPDATE experiment_detail SET summary = NULL WHERE experiment = ?1";
                transaction.execute(forget, &values![id.0])?;
                let is_interrupted = interrupt(&transaction, id, &runs)?;
                transaction.commit()?;
                Ok(is_interrupted)
            };
            if add().map_err(|error| self.explain(error))? {
                recovered.push(id);
            }
            journal::remove(&self.inflight, id);
        }
        Ok(())
    }

    /// Reconnects to a server that was away.
    fn reconnect(&self) -> Result<(), StoreError> {
        match self.database.driver() {
            Driver::Sqlite(_) => Ok(()),
            Driver::Server(server) => server.reconnect().map_err(|error| self.explain(error)),
        }
    }
}

/// The experiments that have a journal or spool in the folder.
fn left_behind(folder: &std::path::Path) -> impl Iterator<Item = ExperimentId> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.file_name());
    names.filter_map(|name| {
        let name = name.to_str()?;
        let id = name.strip_suffix(".journal").or_else(|| name.strip_suffix(".spool"))?;
        id.parse().ok().map(ExperimentId)
    })
}

/// Stores the runs with one statement, hence one round trip. False if there is no such experiment,
/// or the event is refused.
pub(super) fn append_at_once(
    database: &Database,
    known: &mut Known,
    id: ExperimentId,
    runs: &[Run],
    event: Option<(&Held, i64)>,
) -> database::Result<bool> {
    let Driver::Server(server) = database.driver() else { return Ok(false) };
    let readings = known.encode(database, id, runs)?;
    let mut values: Vec<Value<'_>> = values![id.0, runs.len(), rounds_begun(runs)].into();
    let count = "runs = runs + ?14, rounds = CASE WHEN rounds < ?15 THEN ?15 ELSE rounds END";
    let begin = match event {
        None => {
            format!("WITH granted AS (UPDATE experiment SET {count} WHERE id = ?13 RETURNING id)")
        }
        Some((held, number)) => {
            let (let_in, own) = held.let_in(number, 16);
            values.extend(own);
            // If it was away so long that others took it for dead, it now counts as running again.
            format!(
                "WITH led AS ({let_in} RETURNING experiment), granted AS (
                     UPDATE experiment SET {count}, state = 'running', stop_reason = NULL
                     FROM led WHERE id = led.experiment AND id = ?13 RETURNING id)"
            )
        }
    };
    let inserted =
        Server::insert(server, &RUNS, rows(id, runs, readings), Some((&begin, &values)))?;
    Ok(inserted == runs.len())
}
