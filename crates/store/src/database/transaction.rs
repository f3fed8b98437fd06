//! Transactions: all or nothing.

use std::ops::Deref;

use super::{Database, Driver, Result};

/// A transaction, rolled back unless it is committed.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    database: &'a Database,
    is_open: bool,
}

impl Database {
    /// Begins a write transaction. SQLite takes the write lock at once: a transaction that begins
    /// by reading may be refused later.
    pub(crate) fn write(&self) -> Result<Transaction<'_>> {
        self.begin(match self.driver() {
            Driver::Sqlite(_) => "BEGIN IMMEDIATE",
            #[cfg(feature = "postgres")]
            Driver::Server(_) => "BEGIN",
        })
    }

    /// Begins a read transaction, which sees the state of one moment.
    pub(crate) fn moment(&self) -> Result<Transaction<'_>> {
        self.begin(match self.driver() {
            Driver::Sqlite(_) => "BEGIN",
            #[cfg(feature = "postgres")]
            Driver::Server(_) => "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
        })
    }

    fn begin(&self, statement: &str) -> Result<Transaction<'_>> {
        // A nested transaction is part of the outer one.
        let is_outermost = !self.is_within.get();
        if is_outermost {
            self.batch(statement)?;
            self.is_within.set(true);
        }
        Ok(Transaction { database: self, is_open: is_outermost })
    }
}

impl Transaction<'_> {
    pub(crate) fn commit(mut self) -> Result<()> {
        if self.is_open {
            self.database.batch("COMMIT")?;
            self.is_open = false;
            self.database.is_within.set(false);
        }
        Ok(())
    }
}

impl Deref for Transaction<'_> {
    type Target = Database;

    fn deref(&self) -> &Database {
        self.database
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // SQLite may have rolled back already, and a lost connection rolls back by itself.
        if self.is_open {
            self.database.is_within.set(false);
            let _ = self.database.batch("ROLLBACK");
        }
    }
}
