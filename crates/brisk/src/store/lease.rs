//! Who measures an experiment of a server's store.
//!
//! Whoever begins or resumes an experiment holds it: a row says who, and until when that is believed.
//! It is renewed while its journal is open. Each event has a number, and the row has the number of the
//! last one that the store has, so that what is sent again is stored once.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use measure::clock::{Stopwatch, unix_time_ns};

use super::address::Address;
use super::database::{self, Database, Driver, Server, Value, values};
use super::journal::Journal;
use super::spool::Spool;
use super::{ExperimentId, Place, Store, StoreError};
use crate::host;

/// How often it is said that an experiment is still being measured. The server believes it for three
/// times as long, [`UNTIL`].
const RENEWED_AFTER: Duration = Duration::from_secs(100);

/// Until when a lease is believed, by the server's clock.
const UNTIL: &str = "now() + interval '300 s'";

/// An experiment that this process holds.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) id: ExperimentId,
    /// Like no other.
    pub(super) owner: String,
    /// How many events there were.
    pub(super) events: i64,
    /// Those that the store does not have yet.
    pub(super) spool: Spool,
    /// Since when the server is away, and how long it is left alone before it is tried again.
    pub(super) waiting: Option<(Stopwatch, Duration)>,
}

impl Held {
    /// Takes the experiment; it is no longer held by anybody else.
    pub(super) fn take(
        database: &Database,
        id: ExperimentId,
        mut spool: Spool,
    ) -> database::Result<Self> {
        if spool.has_events() {
            spool.lay_aside();
        }
        let owner = format!("{} {} {}", host::name(), std::process::id(), unix_time_ns());
        let take = format!(
            "INSERT INTO lease (experiment, owner, until, seen) VALUES (?1, ?2, {UNTIL}, 0)
             ON CONFLICT (experiment) DO UPDATE
             SET owner = excluded.owner, until = excluded.until, seen = 0"
        );
        database.execute(&take, &values![id.0, &owner])?;
        Ok(Self { id, owner, events: 0, spool, waiting: None })
    }

    /// The query that lets the event with this number in, once, and says that the experiment is
    /// being measured; with its values, which are numbered from `first`.
    pub(super) fn let_in(&self, number: i64, first: usize) -> (String, [Value<'_>; 3]) {
        let (id, owner, event) = (first, first + 1, first + 2);
        let query = format!(
            "UPDATE lease SET seen = ?{event}, until = {UNTIL}
             WHERE experiment = ?{id} AND owner = ?{owner} AND seen + 1 = ?{event}"
        );
        (query, values![self.id.0, &self.owner, number])
    }

    /// What the store has: whether it is this process's still, and how many of its events.
    pub(super) fn seen(&self, database: &Database) -> database::Result<Option<i64>> {
        let select = "SELECT seen FROM lease WHERE experiment = ?1 AND owner = ?2";
        database.row(select, &values![self.id.0, &self.owner], |row| row.get(0))
    }
}

impl Store {
    /// Takes an experiment that begins, or is resumed, where there are others who may.
    pub(super) fn take(&self, id: ExperimentId) -> Result<Option<Held>, StoreError> {
        match self.database.driver() {
            Driver::Sqlite(_) => Ok(None),
            Driver::Server(_) => {
                let taken = Held::take(&self.database, id, Spool::of(&self.inflight, id));
                taken.map(Some).map_err(|error| self.explain(error))
            }
        }
    }

    /// Holds it as long as its journal is open.
    pub(super) fn hold(&mut self, held: Option<Held>, journal: Journal) -> Journal {
        let journal = match (&held, &self.place) {
            (Some(held), Place::Server(address)) => journal.with(Renewal::start(held, address)),
            _ => journal,
        };
        self.held = held;
        journal
    }
}

/// Says that an experiment is being measured, again and again, until it is dropped.
#[derive(Debug)]
pub(super) struct Renewal {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Renewal {
    /// Begins to. Between two words there is no connection, so that a server has as many connections
    /// as brisks that store something.
    pub(super) fn start(held: &Held, address: &Arc<Address>) -> Self {
        let (end, ended) = mpsc::channel();
        let (id, owner, address) = (held.id, held.owner.clone(), Arc::clone(address));
        let renewing = move || {
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(RENEWED_AFTER) {
                // A server that is away is asked again, and does not believe anything meanwhile.
                let _ = renew(id, &owner, &address);
            }
        };
        let thread = thread::Builder::new().name("lease".to_owned()).spawn(renewing).ok();
        Self { end: Some(end), thread }
    }
}

fn renew(id: ExperimentId, owner: &str, address: &Arc<Address>) -> database::Result<usize> {
    let database = Database::new(Driver::Server(Server::connect(Arc::clone(address))?.into()));
    let renew = format!("UPDATE lease SET until = {UNTIL} WHERE experiment = ?1 AND owner = ?2");
    database.execute(&renew, &values![id.0, owner])
}

impl Drop for Renewal {
    fn drop(&mut self) {
        drop(self.end.take());
        // It may be waiting for a server that does not answer, and nobody waits for it.
        drop(self.thread.take());
    }
}
