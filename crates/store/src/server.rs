//! Opening a store on a PostgreSQL server.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::address::Address;
use super::database::{self, Database, Driver, Server, values};
use super::open::{Access, VERSION};
use super::place::Place;
use super::write::Known;
use super::{Store, StoreError, journal};

/// The tables, as for SQLite.
const TABLES: &str = include_str!("schema.sql");

/// The PostgreSQL-specific parts of the schema.
const REST: &str = include_str!("postgres.sql");

/// PostgreSQL's equivalents of SQLite's words in the schema.
const WORDS: [(&str, &str); 6] = [
    ("id INTEGER PRIMARY KEY AUTOINCREMENT", "id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    ("number INTEGER PRIMARY KEY", "number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    (" INTEGER", " BIGINT"),
    (" REAL", " DOUBLE PRECISION"),
    (" WITHOUT ROWID", ""),
    // A primary key cannot be descending: an index takes its place.
    ("    PRIMARY KEY (experiment, source, warmup DESC, round, position),\n", ""),
];

/// The oldest supported major version of the server, from `server_version_num`.
const OLDEST: i64 = 14;

/// `bris`: other brisks wait while one creates the tables.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1651665267)";

/// The timeout for locks held by others.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the store; creates its tables if they are missing and `makes` is true.
pub(super) fn open(address: &Arc<Address>, makes: bool) -> Result<Option<Store>, StoreError> {
    let place = Place::Server(Arc::clone(address));
    let explain = |error| StoreError::at(&place, PATIENCE, error);
    let server = Server::connect(Arc::clone(address)).map_err(explain)?;
    let database = Database::new(Driver::Server(server.into()));
    let found = look_at(&database, &place)?;
    if found.is_new {
        match (makes, found.is_read_only) {
            (false, _) => return Ok(None),
            (true, true) => return Err(StoreError::ReadOnly { place }),
            (true, false) => make(&database).map_err(explain)?,
        }
    }
    let (identity, access) = known(&database, &place, found.is_read_only)?;
    if makes && access == Access::ReadOnly {
        return Err(StoreError::ReadOnly { place });
    }
    let inflight = match access {
        Access::ReadOnly => PathBuf::new(),
        Access::Write => folder(&address.journals, &identity, &place)?,
    };
    let known = Known::default();
    Ok(Some(Store { database, place, inflight, patience: PATIENCE, access, known, held: None }))
}

/// The state of the server.
struct Found {
    /// True if there are no tables yet.
    is_new: bool,
    /// True if nothing can be written at all.
    is_read_only: bool,
}

fn look_at(database: &Database, place: &Place) -> Result<Found, StoreError> {
    let select = "SELECT current_setting('server_version_num')::bigint / 10000,
                      (current_setting('transaction_read_only') = 'on')::int,
                      count(*), count(*) FILTER (WHERE relname = 'store')
                  FROM pg_class WHERE relnamespace = to_regnamespace('brisk')";
    let found = database.row(select, &[], |row| {
        Ok((row.get::<i64>(0)?, row.get(1)?, row.get::<i64>(2)?, row.get::<i64>(3)?))
    });
    let found = found.map_err(|error| StoreError::at(place, PATIENCE, error))?;
    let (version, is_read_only, all, marks) = found.unwrap_or_default();
    refuse_too_old(version, place)?;
    match (all, marks) {
        (0, _) => Ok(Found { is_new: true, is_read_only }),
        (_, 0) => Err(StoreError::Foreign {
            place: place.clone(),
            what: "its schema `brisk` is another program's",
        }),
        _ => Ok(Found { is_new: false, is_read_only }),
    }
}

fn refuse_too_old(found: i64, place: &Place) -> Result<(), StoreError> {
    if found < OLDEST {
        return Err(StoreError::TooOld { place: place.clone(), found, least: OLDEST });
    }
    Ok(())
}

/// Creates all tables, unless another brisk was faster.
fn make(database: &Database) -> database::Result<()> {
    let transaction = database.write()?;
    transaction.row(LOCK, &[], |_| Ok(()))?;
    let there = "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('brisk')";
    if transaction.row(there, &[], |row| row.get::<i64>(0))? == Some(0) {
        let tables =
            WORDS.iter().fold(TABLES.to_owned(), |text, (word, other)| text.replace(word, other));
        transaction.batch("CREATE SCHEMA IF NOT EXISTS brisk")?;
        transaction.batch(&tables)?;
        transaction.batch(REST)?;
        let mark = "INSERT INTO store (version, identity) VALUES (?1, gen_random_uuid()::text)";
        transaction.execute(mark, &values![VERSION])?;
    }
    transaction.commit()
}

/// The identity of the store, and the access to it; an error if it is of another version.
fn known(
    database: &Database,
    place: &Place,
    is_read_only: bool,
) -> Result<(String, Access), StoreError> {
    let select = "SELECT version, identity, has_table_privilege('run', 'INSERT')::int FROM store";
    let found = database.row(select, &[], |row| {
        Ok((row.get::<i64>(0)?, row.get::<String>(1)?, row.get::<bool>(2)?))
    });
    let found = found.map_err(|error| StoreError::at(place, PATIENCE, error))?;
    let Some((found, identity, may_write)) = found else {
        return Err(StoreError::at(place, PATIENCE, database::Error::Gone));
    };
    if found != VERSION {
        let place = place.clone();
        return Err(StoreError::OtherVersion { place, found, known: VERSION });
    }
    let access = if may_write && !is_read_only { Access::Write } else { Access::ReadOnly };
    Ok((identity, access))
}

/// The folder on this machine for events that the server does not have yet; a file beside it names
/// the server.
fn folder(journals: &Path, identity: &str, place: &Place) -> Result<PathBuf, StoreError> {
    let file = journals.join(format!("{identity}.server"));
    let make = || {
        DirBuilder::new().recursive(true).mode(0o700).create(journals)?;
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file) {
            Ok(mut file) => writeln!(file, "{place}"),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    };
    make().map_err(|error| StoreError::of_journal(&file, error))?;
    Ok(journal::folder(&file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_too_old_is_refused() {
        let place = Place::from(Path::new("somewhere"));
        assert!(refuse_too_old(OLDEST, &place).is_ok());
        let error = refuse_too_old(OLDEST - 1, &place).expect_err("too old");
        assert!(error.to_string().ends_with("is PostgreSQL 13, and brisk needs 14 or newer"));
    }
}
