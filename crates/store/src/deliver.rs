//! Delivery of events to a server: each arrives exactly once, even if the connection fails.
//!
//! The process that begins or resumes an experiment holds its lease: a row with the owner and the
//! expiry, renewed while the journal is open. Events are numbered, and the row has the number of
//! the last one stored, so that an event sent twice is stored once.
//!
//! Events that cannot be delivered go into a spool, in order, and are sent again once the server
//! answers; those that a killed brisk left there are sent by the next brisk on its machine. The
//! spool is a file of JSON lines beside the experiment's journal: the first names the holder of the
//! experiment, each other has an event and its number.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use measure::clock::{Stopwatch, unix_time_ns};
use measure::plain_file;
use model::run::Run;
use model::{host, json};
use serde::{Deserialize, Serialize};

use crate::database::{self, Database, Driver, Server, Value, values};
use crate::journal::{self, Journal, Owner, interrupt, lacking};
use crate::record::Event;
use crate::server::Address;
use crate::write::{Known, RUNS, rounds_begun, rows};
use crate::{ExperimentId, Place, Store, StoreError};

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

/// The interval at which a lease is renewed. It expires after three times as long, [`UNTIL`].
const RENEWED_AFTER: Duration = Duration::from_secs(100);

/// The expiry of a lease, by the server's clock.
const UNTIL: &str = "now() + interval '300 s'";

/// An experiment that this process holds.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) id: ExperimentId,
    /// A unique identifier.
    owner: String,
    /// The number of events up to now.
    events: i64,
    /// The events that the store does not have yet.
    spool: Spool,
    /// The time since the server was last tried, and the pause before the next try.
    waiting: Option<(Stopwatch, Duration)>,
}

impl Held {
    /// Takes over the lease; a previous holder loses it.
    fn take(database: &Database, id: ExperimentId, mut spool: Spool) -> database::Result<Self> {
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
    fn let_in(&self, number: i64, first: usize) -> (String, [Value<'_>; 3]) {
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

/// The spool of an experiment; it may be empty.
#[derive(Debug)]
struct Spool {
    path: PathBuf,
    /// Set if the file exists.
    has_events: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    owner: String,
}

/// The contents of a spool.
struct Spooled {
    pub(super) owner: String,
    pub(super) events: Vec<(i64, Event<'static>)>,
}

impl Spool {
    fn in_folder(folder: &Path, id: ExperimentId) -> Self {
        let path = folder.join(format!("{id}.spool"));
        let has_events = path.exists();
        Self { path, has_events }
    }

    fn has_events(&self) -> bool {
        self.has_events
    }

    /// Appends an event; when this returns, the event outlives this process.
    pub(super) fn push(
        &mut self,
        owner: &str,
        number: i64,
        event: &Event<'_>,
    ) -> Result<(), StoreError> {
        let push = || {
            let mut options = OpenOptions::new();
            let options = options.append(true).create(true).mode(0o600);
            let mut file = plain_file::open(options, &self.path)?;
            let mut text = Vec::new();
            if !self.has_events {
                json::write(&mut text, &Header { owner: owner.to_owned() })?;
                text.push(b'\n');
            }
            json::write(&mut text, &Told { number, event })?;
            text.push(b'\n');
            file.write_all(&text)
        };
        push().map_err(|error| StoreError::of_journal(&self.path, error))?;
        self.has_events = true;
        Ok(())
    }

    /// The contents; a kill or a full disk may have torn the last line. `None` if there are none.
    pub(super) fn read(&self) -> Result<Option<Spooled>, StoreError> {
        let read = || {
            let file = plain_file::open(OpenOptions::new().read(true), &self.path)?;
            let mut lines = BufReader::new(file).lines();
            let Some(Header { owner }) = lines.next().transpose()?.as_deref().and_then(whole)
            else {
                return Ok(None);
            };
            let mut events = Vec::new();
            for line in lines {
                match whole::<Line>(&line?) {
                    Some(Line { number, event }) => events.push((number, event)),
                    None => break,
                }
            }
            Ok(Some(Spooled { owner, events }))
        };
        match read() {
            Err(error) if io::Error::kind(&error) == io::ErrorKind::NotFound => Ok(None),
            read => read.map_err(|error| StoreError::of_journal(&self.path, error)),
        }
    }

    /// Sets the contents aside in another file and starts afresh.
    fn lay_aside(&mut self) {
        // A second one of the same experiment replaces the first: both belong to former holders.
        let _ = std::fs::rename(&self.path, self.path.with_extension("refused"));
        self.has_events = false;
    }

    /// Removes the file, once the store has its events.
    pub(super) fn remove(&mut self) {
        // Events in a file that remains are not stored twice.
        let _ = std::fs::remove_file(&self.path);
        self.has_events = false;
    }
}

#[derive(Serialize)]
struct Told<'a> {
    number: i64,
    event: &'a Event<'a>,
}

#[derive(Deserialize)]
struct Line {
    number: i64,
    event: Event<'static>,
}

fn whole<T: for<'de> Deserialize<'de>>(line: &str) -> Option<T> {
    json::read(line.as_bytes()).ok()
}
