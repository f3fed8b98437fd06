//! Tasks for workers: a queue in a store on a server.
//!
//! A worker leases a task until a time of the server's clock, and says again and again that it is
//! still at it. Each lease has the number of the attempt, and only the result of the newest attempt is
//! accepted: who was away for longer than its lease comes too late. So each task has one result,
//! whatever dies. Rows are leased with `FOR UPDATE SKIP LOCKED`, so workers do not wait for each other.

use super::blobs::{Needed, note_needs, tidy};
use super::database::{self, Database, Value, values};
use super::{Place, Store, StoreError};

/// How long a lease lasts, in seconds. A worker renews it three times meanwhile.
pub const LEASE_SECONDS: u64 = 60;

/// So often a task is leased before nobody tries any more: each time, a worker has vanished with it.
pub const MOST_ATTEMPTS: u32 = 3;

/// A queue of tasks.
#[derive(Debug)]
pub struct Queue {
    store: Store,
}

/// A task that is handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued<'a> {
    /// What it is called, and when it was handed over: together they are like no other.
    pub name: TaskName,
    /// Which workers may take it; empty for all.
    pub class: &'a str,
    /// The brisk that it is for.
    pub brisk: &'a str,
    /// All of it, as JSON.
    pub task: &'a str,
    /// What else it needs.
    pub needs: &'a [Needed],
}

/// What tells a task from every other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskName {
    /// What is asked.
    pub key: String,
    /// When it was handed over, in nanoseconds since 1970-01-01 UTC.
    pub stamp: u64,
}

/// Who takes tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// Its name, which no other worker has.
    pub name: String,
    /// What class of machine it is on.
    pub class: String,
    /// Its brisk.
    pub brisk: String,
}

/// A task that a worker has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Which.
    pub name: TaskName,
    /// How often it was taken since it was handed over, with this time.
    pub attempt: u32,
    /// What tells this attempt from every other.
    id: i64,
    /// All of it, as JSON.
    pub task: String,
}

/// How a task is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It waits for a worker; with so many workers that might take it and were seen lately.
    Waits {
        /// How many.
        workers: u64,
    },
    /// A worker has it.
    Runs {
        /// Which.
        worker: String,
        /// How far it is, in JSON; empty where it did not say.
        progress: String,
    },
    /// It has a result.
    Done {
        /// The worker whose result it is.
        worker: String,
        /// The result.
        result: String,
    },
    /// So many workers vanished with it that nobody takes it any more.
    GivenUp {
        /// What the last of them said; empty where none said anything.
        trouble: String,
    },
}

/// So long after its last word a worker counts as one that may take a task.
const SEEN: &str = "now() - interval '60 s'";

impl Queue {
    /// The queue of the store at `place`.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, or is no store on a server.
    pub fn open(place: &Place) -> Result<Self, StoreError> {
        let store = Store::open(place)?;
        match store.database.driver() {
            database::Driver::Server(_) => Ok(Self { store }),
            database::Driver::Sqlite(_) => Err(StoreError::NoServer { place: place.clone() }),
        }
    }

    pub(super) fn database(&self) -> &Database {
        &self.store.database
    }

    pub(super) fn explain<T>(&self, found: database::Result<T>) -> Result<T, StoreError> {
        found.map_err(|error| self.store.explain(error))
    }

    /// Hands a task over, unless one of that key waits or runs already; says when the one that is
    /// there now was handed over. One that is done makes room. None where something that it needs is
    /// not stored.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn hand_over(&self, queued: &Queued<'_>) -> Result<Option<u64>, StoreError> {
        let Queued { name: TaskName { key, stamp }, class, brisk, task, .. } = queued;
        let insert = "INSERT INTO task (key, stamp, class, brisk, task) VALUES (?1, ?2, ?3, ?4, ?5)
                      ON CONFLICT (key) DO UPDATE
                      SET stamp = excluded.stamp, class = excluded.class, brisk = excluded.brisk,
                          task = excluded.task, attempt = 0, worker = NULL, until = NULL,
                          progress = '', is_done = 0
                      WHERE task.is_done = 1 AND task.stamp <> excluded.stamp";
        let hand_over = || {
            let transaction = self.database().write()?;
            let inserted =
                transaction.execute(insert, &values![key, *stamp, *class, *brisk, *task])?;
            if inserted > 0 && !note_needs(&transaction, queued)? {
                return Ok(None);
            }
            let select = "SELECT stamp FROM task WHERE key = ?1";
            let there = transaction.row(select, &values![key], |row| row.get(0))?;
            transaction.commit()?;
            Ok(Some(there.unwrap_or(*stamp)))
        };
        self.explain(hand_over())
    }

    /// How tasks are doing; those that are not there are left out.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn states(&self, keys: &[String]) -> Result<Vec<(TaskName, State)>, StoreError> {
        let mut states = Vec::new();
        for key in keys {
            let state = self.explain(self.state(key))?;
            states
                .extend(state.map(|(stamp, state)| (TaskName { key: key.clone(), stamp }, state)));
        }
        Ok(states)
    }

    fn state(&self, key: &str) -> database::Result<Option<(u64, State)>> {
        let select = format!(
            "SELECT task.is_done, task.attempt, coalesce((task.until > now())::int, 0), coalesce(task.worker, ''),
                 task.progress, coalesce(attempt.worker, ''), coalesce(attempt.result, ''),
                 (SELECT count(*) FROM worker
                  WHERE task.class IN ('', worker.class) AND worker.brisk = task.brisk
                      AND worker.seen > {SEEN}),
                 coalesce((SELECT trouble FROM attempt AS last
                  WHERE last.key = task.key AND last.stamp = task.stamp AND trouble IS NOT NULL
                  ORDER BY id DESC LIMIT 1), ''),
                 task.stamp
             FROM task
             LEFT JOIN attempt ON attempt.key = task.key AND attempt.stamp = task.stamp
                 AND attempt.is_accepted = 1
             WHERE task.key = ?1"
        );
        self.database().row(&select, &values![key], |row| {
            let is_leased: bool = row.get(2)?;
            let state = match (row.get::<bool>(0)?, is_leased) {
                (true, _) => State::Done { worker: row.get(5)?, result: row.get(6)? },
                (false, true) => State::Runs { worker: row.get(3)?, progress: row.get(4)? },
                (false, false) if row.get::<u32>(1)? >= MOST_ATTEMPTS => {
                    State::GivenUp { trouble: row.get(8)? }
                }
                (false, false) => State::Waits { workers: row.get(7)? },
            };
            Ok((row.get(9)?, state))
        })
    }

    /// Ends a task that is not done.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn cancel(&self, key: &str) -> Result<(), StoreError> {
        let delete = "DELETE FROM task WHERE key = ?1 AND is_done = 0";
        self.explain(self.database().execute(delete, &values![key])).map(drop)
    }

    /// Says that a worker is there, and takes the task that has waited longest; none where none waits.
    ///
    /// # Errors
    ///
    /// When it cannot be stored; then nothing was taken.
    pub fn lease(&self, worker: &Worker) -> Result<Option<Lease>, StoreError> {
        self.explain(self.try_lease(worker))
    }

    fn try_lease(&self, Worker { name, class, brisk }: &Worker) -> database::Result<Option<Lease>> {
        let transaction = self.database().write()?;
        let seen = "INSERT INTO worker (name, class, brisk, seen) VALUES (?1, ?2, ?3, now())
                    ON CONFLICT (name) DO UPDATE
                    SET class = excluded.class, brisk = excluded.brisk, seen = excluded.seen";
        transaction.execute(seen, &values![name, class, brisk])?;
        let take = format!(
            "UPDATE task SET attempt = attempt + 1, worker = ?1, progress = '',
                 until = now() + interval '{LEASE_SECONDS} s'
             WHERE key = (
                 SELECT key FROM task
                 WHERE is_done = 0 AND attempt < ?4 AND class IN ('', ?2) AND brisk = ?3
                     AND (until IS NULL OR until < now())
                 ORDER BY place LIMIT 1 FOR UPDATE SKIP LOCKED)
             RETURNING key, stamp, attempt, task"
        );
        let lease = transaction.row(&take, &values![name, class, brisk, MOST_ATTEMPTS], |row| {
            let name = TaskName { key: row.get(0)?, stamp: row.get(1)? };
            Ok(Lease { name, attempt: row.get(2)?, id: 0, task: row.get(3)? })
        })?;
        let lease = match lease {
            // Who has nothing to do tidies up.
            None => tidy(&transaction).map(|()| None)?,
            Some(Lease { name: TaskName { key, stamp }, attempt, task, .. }) => {
                let begun = "INSERT INTO attempt (key, stamp, number, worker)
                             VALUES (?1, ?2, ?3, ?4) RETURNING id";
                let values = values![&key, stamp, attempt, name];
                let id = transaction.row(begun, &values, |row| row.get(0))?.unwrap_or_default();
                Some(Lease { name: TaskName { key, stamp }, attempt, id, task })
            }
        };
        transaction.commit()?;
        Ok(lease)
    }

    /// Says that a worker is still at it, and how far; whether its result is still wanted.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn renew(
        &self,
        worker: &Worker,
        lease: &Lease,
        progress: &str,
    ) -> Result<bool, StoreError> {
        let renew = || {
            let seen = "UPDATE worker SET seen = now() WHERE name = ?1";
            self.database().execute(seen, &values![&worker.name])?;
            let TaskName { key, stamp } = &lease.name;
            let renew = format!(
                "UPDATE task SET progress = ?3, until = now() + interval '{LEASE_SECONDS} s'
                 WHERE key = ?1 AND stamp = ?2 AND is_done = 0"
            );
            Ok(self.database().execute(&renew, &values![key, *stamp, progress])? > 0)
        };
        self.explain(renew())
    }

    /// Gives the result of a task, which is accepted where it is the first; whether it is.
    ///
    /// # Errors
    ///
    /// When it cannot be stored; nothing was then.
    pub fn finish(&self, lease: &Lease, result: &str) -> Result<bool, StoreError> {
        let finish = || {
            let transaction = self.database().write()?;
            let TaskName { key, stamp } = &lease.name;
            let done = "UPDATE task SET is_done = 1, until = NULL
                        WHERE key = ?1 AND stamp = ?2 AND is_done = 0";
            let is_first = transaction.execute(done, &values![key, *stamp])? > 0;
            let ended = "UPDATE attempt SET ended = now(), is_accepted = ?2, result = ?3
                         WHERE id = ?1";
            let result = if is_first { Value::from(result) } else { Value::Null };
            let [id, accepted] = values![lease.id, i64::from(is_first)];
            transaction.execute(ended, &[id, accepted, result])?;
            transaction.commit()?;
            Ok(is_first)
        };
        self.explain(finish())
    }

    /// Notes what happened in an attempt, for people.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn note_log(&self, lease: &Lease, log: &str) -> Result<(), StoreError> {
        let note = "UPDATE attempt SET log = ?2 WHERE id = ?1";
        self.explain(self.database().execute(note, &values![lease.id, log])).map(drop)
    }

    /// What happened in the attempts at a task, in their order.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn log(&self, TaskName { key, stamp }: &TaskName) -> Result<String, StoreError> {
        let select = "SELECT coalesce(string_agg(log, '' ORDER BY id), '') FROM attempt
                      WHERE key = ?1 AND stamp = ?2";
        let log = self.database().row(select, &values![key, *stamp], |row| row.get(0));
        self.explain(log).map(Option::unwrap_or_default)
    }

    /// Gives a task back without a result, for others to try, and says why.
    ///
    /// # Errors
    ///
    /// When it cannot be stored; then its lease ends by itself.
    pub fn give_back(&self, lease: &Lease, trouble: &str) -> Result<(), StoreError> {
        let give_back = || {
            let transaction = self.database().write()?;
            let TaskName { key, stamp } = &lease.name;
            let free = "UPDATE task SET until = NULL
                        WHERE key = ?1 AND stamp = ?2 AND attempt = ?3 AND is_done = 0";
            transaction.execute(free, &values![key, *stamp, lease.attempt])?;
            let ended = "UPDATE attempt SET ended = now(), trouble = ?2 WHERE id = ?1";
            transaction.execute(ended, &values![lease.id, trouble])?;
            transaction.commit()
        };
        self.explain(give_back())
    }
}
