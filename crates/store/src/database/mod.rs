//! The thin layer between the store's statements and the databases' drivers.
//!
//! Each statement is written once for both databases: with placeholders `?1`, `?2`, ..., and in the
//! SQL that both understand. Where they differ, the code matches on [`Driver`], or the PostgreSQL
//! schema defines a function with SQLite's name. Rows are read in place, without a copy.

mod error;
#[cfg(feature = "postgres")]
mod refusal;
#[cfg(feature = "postgres")]
mod secure;
#[cfg(feature = "postgres")]
mod server;
mod sqlite;
mod transaction;
mod value;

use std::cell::Cell;
use std::fmt;

use rusqlite::Connection;

pub(super) use error::Error;
#[cfg(feature = "postgres")]
pub(super) use refusal::explain;
#[cfg(feature = "postgres")]
pub(super) use server::Server;
pub(super) use value::{Row, Value, values};

/// The result of a database operation.
pub(super) type Result<T> = std::result::Result<T, Error>;

/// An open connection to a database.
#[derive(Debug)]
pub(super) struct Database {
    driver: Driver,
    /// Set while a transaction is open.
    is_within: Cell<bool>,
}

/// The connection to one of the supported databases.
#[derive(Debug)]
pub(super) enum Driver {
    /// A file on this machine.
    Sqlite(Connection),
    /// A server.
    #[cfg(feature = "postgres")]
    Server(Box<Server>),
}

/// A callback that receives rows one by one.
type Told<'a> = dyn FnMut(&Row<'_>) -> Result<()> + 'a;

impl Database {
    /// Wraps a connection.
    pub(super) fn new(driver: Driver) -> Self {
        Self { driver, is_within: Cell::new(false) }
    }

    /// The driver, for code that depends on the database.
    pub(super) fn driver(&self) -> &Driver {
        &self.driver
    }

    /// Executes a statement that returns no rows; returns the number of rows affected.
    pub(super) fn execute(&self, statement: &str, values: &[Value<'_>]) -> Result<usize> {
        match &self.driver {
            Driver::Sqlite(connection) => sqlite::execute(connection, statement, values),
            #[cfg(feature = "postgres")]
            Driver::Server(server) => server.execute(statement, values),
        }
    }

    /// Passes each row to `told`, one at a time.
    pub(super) fn each(
        &self,
        statement: &str,
        values: &[Value<'_>],
        told: &mut Told<'_>,
    ) -> Result<()> {
        match &self.driver {
            Driver::Sqlite(connection) => sqlite::each(connection, statement, values, told),
            #[cfg(feature = "postgres")]
            Driver::Server(server) => server.each(statement, values, told),
        }
    }

    /// All rows, each converted by `read`.
    pub(super) fn rows<T>(
        &self,
        statement: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.each(statement, values, &mut |row| {
            rows.push(read(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The first row, converted by `read`; `None` if there are no rows.
    pub(super) fn row<T>(
        &self,
        statement: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let (mut read, mut first) = (Some(read), None);
        self.each(statement, values, &mut |row| {
            if let Some(read) = read.take() {
                first = Some(read(row)?);
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// Executes statements without values, separated by semicolons.
    pub(super) fn batch(&self, statements: &str) -> Result<()> {
        match &self.driver {
            Driver::Sqlite(connection) => Ok(connection.execute_batch(statements)?),
            #[cfg(feature = "postgres")]
            Driver::Server(server) => server.batch(statements),
        }
    }

    /// Inserts any number of rows, each of `N` values.
    pub(super) fn insert<'a, const N: usize>(
        &self,
        into: &Insert<N>,
        rows: impl IntoIterator<Item = [Value<'a>; N]>,
    ) -> Result<()> {
        match &self.driver {
            Driver::Sqlite(connection) => sqlite::insert(connection, into, rows),
            #[cfg(feature = "postgres")]
            Driver::Server(server) => server.insert(into, rows, None).map(drop),
        }
    }
}

/// The target of an insertion: a table and its columns with their types.
#[derive(Debug)]
pub(super) struct Insert<const N: usize> {
    pub(super) table: &'static str,
    pub(super) columns: [(&'static str, Kind); N],
}

/// The type of a column.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Integer,
    Text,
}

/// The type's name in PostgreSQL.
impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Integer => "bigint",
            Self::Text => "text",
        })
    }
}
