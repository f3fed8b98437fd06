//! What tasks need besides their text: artefacts, each stored once however many tasks need it.
//!
//! A blob is removed an hour after the last task that needed it: who asks the same again soon need not
//! send it again, and who is about to hand a task over has said so.

use super::StoreError;
use super::database::{self, Database, Value, values};
use super::queue::{Lease, Queue, Queued};

/// An artefact that a task needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Needed {
    /// The path where the task expects it.
    pub path: String,
    /// By which it is known.
    pub digest: String,
}

/// How many bytes are sent at a time.
const PART_BYTES: usize = 4 << 20;

/// So long a blob stays that no task needs.
const KEPT: &str = "now() - interval '1 hour'";

impl Queue {
    /// The blobs of these that are not stored. The others stay for an hour from now.
    ///
    /// # Errors
    ///
    /// When the server does not say.
    pub fn lacking<'a>(&self, needs: &'a [Needed]) -> Result<Vec<&'a Needed>, StoreError> {
        let mut lacking: Vec<&Needed> = Vec::new();
        for need in needs {
            let is_known = lacking.iter().any(|known| known.digest == need.digest);
            if !is_known && !self.explain(touch(self.database(), &need.digest))? {
                lacking.push(need);
            }
        }
        Ok(lacking)
    }

    /// Stores a blob, unless somebody else has meanwhile.
    ///
    /// # Errors
    ///
    /// When it cannot be stored; then nothing of it is.
    pub fn store_blob(&self, digest: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let store = || {
            let transaction = self.database().write()?;
            let insert = "INSERT INTO blob (digest) VALUES (?1) ON CONFLICT DO NOTHING";
            if transaction.execute(insert, &values![digest])? > 0 {
                let insert = "INSERT INTO blob_part (digest, part, bytes) VALUES (?1, ?2, ?3)";
                for (part, bytes) in bytes.chunks(PART_BYTES).enumerate() {
                    let [digest, part] = values![digest, part];
                    transaction.execute(insert, &[digest, part, Value::Bytes(bytes.into())])?;
                }
            }
            transaction.commit()
        };
        self.explain(store())
    }

    /// What a task needs that was taken.
    ///
    /// # Errors
    ///
    /// When the server does not say.
    pub fn needs(&self, lease: &Lease) -> Result<Vec<Needed>, StoreError> {
        let select = "SELECT path, digest FROM task_blob JOIN task ON task.key = task_blob.key
                      WHERE task.key = ?1 AND task.stamp = ?2 ORDER BY path";
        let name = &lease.name;
        self.explain(self.database().rows(select, &values![&name.key, name.stamp], |row| {
            Ok(Needed { path: row.get(0)?, digest: row.get(1)? })
        }))
    }

    /// A blob as it was stored; none where it is not there any more.
    ///
    /// # Errors
    ///
    /// When the server does not say.
    pub fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let read = || {
            let is_there = touch(self.database(), digest)?;
            let mut whole = Vec::new();
            let select = "SELECT bytes FROM blob_part WHERE digest = ?1 ORDER BY part";
            self.database().each(select, &values![digest], &mut |row| {
                whole.extend(row.get::<Vec<u8>>(0)?);
                Ok(())
            })?;
            Ok(is_there.then_some(whole))
        };
        self.explain(read())
    }

    /// Removes a blob that is not what it should be, so that it is sent again.
    ///
    /// # Errors
    ///
    /// When the server does not answer.
    pub fn discard(&self, digest: &str) -> Result<(), StoreError> {
        let delete = "DELETE FROM blob WHERE digest = ?1";
        self.explain(self.database().execute(delete, &values![digest])).map(drop)
    }
}

/// Says that a blob is needed; whether it is there.
fn touch(database: &Database, digest: &str) -> database::Result<bool> {
    let touch = "UPDATE blob SET needed = now() WHERE digest = ?1";
    Ok(database.execute(touch, &values![digest])? > 0)
}

/// Notes what a task needs that is being handed over; false where something is not there any more.
pub(super) fn note_needs(database: &Database, task: &Queued<'_>) -> database::Result<bool> {
    let key = &task.name.key;
    database.execute("DELETE FROM task_blob WHERE key = ?1", &values![key])?;
    let insert = "INSERT INTO task_blob (key, path, digest) VALUES (?1, ?2, ?3)";
    for Needed { path, digest } in task.needs {
        if !touch(database, digest)? {
            return Ok(false);
        }
        database.execute(insert, &values![key, path, digest])?;
    }
    Ok(true)
}

/// Removes the blobs that no task needs any more.
pub(super) fn tidy(database: &Database) -> database::Result<()> {
    let delete = format!(
        "DELETE FROM blob WHERE needed < {KEPT} AND NOT EXISTS (
             SELECT 1 FROM task_blob JOIN task ON task.key = task_blob.key
             WHERE task_blob.digest = blob.digest AND task.is_done = 0)"
    );
    database.execute(&delete, &[]).map(drop)
}
