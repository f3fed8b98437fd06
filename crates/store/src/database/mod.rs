//! The thin layer between the store's statements and the databases' drivers.
//!
//! Each statement is written once for both databases: with placeholders `?1`, `?2`, ..., and in the
//! SQL that both understand. Where they differ, the code matches on [`Driver`], or the PostgreSQL
//! schema defines a function with SQLite's name. Rows are read in place, without a copy.

#[cfg(feature = "postgres")]
mod server;
mod value;

use std::cell::Cell;
use std::fmt;
use std::ops::Deref;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement, ToSql};

use crate::error::Cause;

#[cfg(feature = "postgres")]
pub(super) use server::{Server, explain};
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
            Driver::Sqlite(connection) => give(&mut *connection.prepare_cached(statement)?, values),
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
            Driver::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(statement)?;
                let mut rows = statement.query(rusqlite::params_from_iter(values))?;
                while let Some(row) = rows.next()? {
                    told(&Row::Sqlite(row))?;
                }
                Ok(())
            }
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
            Driver::Sqlite(connection) => insert(connection, into, rows),
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

/// An error of a statement, or of reading its rows.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    #[cfg(feature = "postgres")]
    #[error("the connection cannot be made secure")]
    NotSecure(#[source] std::io::Error),
    #[error("column {column} cannot be read: {why}")]
    Unreadable { column: usize, why: Cause },
    #[error("a row is gone that must be there")]
    Gone,
    #[error("the reader stopped before all rows were read")]
    Stopped,
}

impl Error {
    /// An error for an unexpected value. Only brisk writes to the store, so such a value means
    /// damage.
    pub(super) fn unreadable(column: usize, why: impl Into<Cause>) -> Self {
        Self::Unreadable { column, why: why.into() }
    }
}

/// A transaction, rolled back unless it is committed.
#[derive(Debug)]
pub(super) struct Transaction<'a> {
    database: &'a Database,
    is_open: bool,
}

impl Database {
    /// Begins a write transaction. SQLite takes the write lock at once: a transaction that begins
    /// by reading may be refused later.
    pub(super) fn write(&self) -> Result<Transaction<'_>> {
        self.begin(match self.driver() {
            Driver::Sqlite(_) => "BEGIN IMMEDIATE",
            #[cfg(feature = "postgres")]
            Driver::Server(_) => "BEGIN",
        })
    }

    /// Begins a read transaction, which sees the state of one moment.
    pub(super) fn moment(&self) -> Result<Transaction<'_>> {
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
    pub(super) fn commit(mut self) -> Result<()> {
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

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

fn give(statement: &mut Statement<'_>, values: &[Value<'_>]) -> Result<usize> {
    Ok(statement.execute(rusqlite::params_from_iter(values))?)
}

fn insert<'a, const N: usize>(
    connection: &Connection,
    into: &Insert<N>,
    rows: impl IntoIterator<Item = [Value<'a>; N]>,
) -> Result<()> {
    let Insert { table, columns } = into;
    let places: Vec<String> = (1..=N).map(|place| format!("?{place}")).collect();
    let (columns, places) = (columns.map(|(name, _)| name).join(", "), places.join(", "));
    let mut statement =
        connection.prepare_cached(&format!("INSERT INTO {table} ({columns}) VALUES ({places})"))?;
    rows.into_iter().try_for_each(|row| give(&mut statement, &row).map(drop))
}

fn sqlite_value<'a>(row: &'a rusqlite::Row<'_>, column: usize) -> Result<Value<'a>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => {
            let text = str::from_utf8(text).map_err(|error| Error::unreadable(column, error))?;
            Value::Text(text.into())
        }
        ValueRef::Blob(_) => return Err(Error::unreadable(column, "it is a blob")),
    })
}
