//! The lease on an experiment in a server's store.
//!
//! The process that begins or resumes an experiment holds its lease: a row with the owner and the
//! expiry. The lease is renewed while the journal is open. Events are numbered, and the row has the
//! number of the last one stored, so that an event sent twice is stored once.

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
use model::host;

/// The interval at which a lease is renewed. It expires after three times as long, [`UNTIL`].
const RENEWED_AFTER: Duration = Duration::from_secs(100);

/// The expiry of a lease, by the server's clock.
const UNTIL: &str = "now() + interval '300 s'";

/// An experiment that this process holds.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) id: ExperimentId,
    /// A unique identifier.
    pub(super) owner: String,
    /// The number of events up to now.
    pub(super) events: i64,
    /// The events that the store does not have yet.
    pub(super) spool: Spool,
    /// The time since the server was last tried, and the pause before the next try.
    pub(super) waiting: Option<(Stopwatch, Duration)>,
}

impl Held {
    /// Takes over the lease; a previous holder loses it.
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

    /// The query that accepts the event with this number, once, and renews the lease; with its
    /// values, which are numbered from `first`.
    pub(super) fn let_in(&self, number: i64, first: usize) -> (String, [Value<'_>; 3]) {
        let (id, owner, event) = (first, first + 1, first + 2);
        let query = format!(
            "UPDATE lease SET seen = ?{event}, until = {UNTIL}
             WHERE experiment = ?{id} AND owner = ?{owner} AND seen + 1 = ?{event}"
        );
        (query, values![self.id.0, &self.owner, number])
    }

    /// The number of events that the store has; `None` if this process no longer holds the lease.
    pub(super) fn seen(&self, database: &Database) -> database::Result<Option<i64>> {
        let select = "SELECT seen FROM lease WHERE experiment = ?1 AND owner = ?2";
        database.row(select, &values![self.id.0, &self.owner], |row| row.get(0))
    }
}

impl Store {
    /// Takes the lease on an experiment that begins or is resumed; `None` for a file, which needs
    /// no lease.
    pub(super) fn take(&self, id: ExperimentId) -> Result<Option<Held>, StoreError> {
        match self.database.driver() {
            Driver::Sqlite(_) => Ok(None),
            Driver::Server(_) => {
                let taken = Held::take(&self.database, id, Spool::in_folder(&self.inflight, id));
                taken.map(Some).map_err(|error| self.explain(error))
            }
        }
    }

    /// Holds the lease while the journal is open.
    pub(super) fn hold(&mut self, held: Option<Held>, journal: Journal) -> Journal {
        let journal = match (&held, &self.place) {
            (Some(held), Place::Server(address)) => journal.with(Renewal::start(held, address)),
            _ => journal,
        };
        self.held = held;
        journal
    }
}

/// A thread that renews a lease until this is dropped.
#[derive(Debug)]
pub(super) struct Renewal {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Renewal {
    /// Starts the thread. It disconnects between renewals, so that a server needs only one
    /// connection for each brisk that stores something.
    pub(super) fn start(held: &Held, address: &Arc<Address>) -> Self {
        let (end, ended) = mpsc::channel();
        let (id, owner, address) = (held.id, held.owner.clone(), Arc::clone(address));
        let renewing = move || {
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(RENEWED_AFTER) {
                // If the server is away, the lease expires there, and the next renewal tries again.
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
        // The thread may be blocked by a server that does not answer, so it is not joined.
        drop(self.thread.take());
    }
}
