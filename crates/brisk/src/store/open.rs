//! Opening a store: what kind of file it is, its settings, its schema.
//!
//! A file that is not brisk's, or of another version, is left exactly as it was found.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::clock::Stopwatch;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::database::{Database, Driver};
use super::write::Known;
use super::{ExperimentId, Place, Store, StoreError, journal};

/// `bris`: marks the file as brisk's (<https://www.sqlite.org/pragma.html#pragma_application_id>).
const APPLICATION_ID: i64 = 0x6272_6973;

/// The tables of a store.
const SCHEMA: &str = concat!(include_str!("schema.sql"), include_str!("reading.sql"));

/// The version of the tables. A store of any other is refused: there are no migrations.
pub(super) const VERSION: i64 = 1;

/// The `user_version` of a file without tables.
const EMPTY: i64 = 0;

/// How long to wait for another program's lock. Every transaction of brisk's own is over within
/// milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long to wait before another try, where SQLite does not wait by itself.
const PAUSE: Duration = Duration::from_millis(2);

/// SQLite's page cache, in KiB: brisk stays small beside what it measures.
const CACHE_KIBIBYTES: i64 = 1024;

/// How many prepared statements are kept: more than this module has.
const STATEMENTS: usize = 48;

/// Whether the store can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// It can.
    Write,
    /// The file or its file system is read-only.
    ReadOnly,
}

/// The smallest page of SQLite, and so its smallest file that is not empty
/// (<https://www.sqlite.org/fileformat.html>).
const LEAST_BYTES: u64 = 512;

const NO_SQLITE: &str = "it is no SQLite file";

/// What is at the path of a store, before it is opened.
enum Found {
    /// Nothing, or an empty file.
    Nothing,
    /// Something that may be a store, and is no other program's file.
    Something,
}

impl Store {
    /// Opens the store for writing; makes it, and its folder, when there is none.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or written, or is not a store that this brisk knows.
    pub fn open(place: impl Into<Place>) -> Result<Self, StoreError> {
        match place.into() {
            Place::File(path) => Self::open_waiting(&path, PATIENCE),
            #[cfg(feature = "postgres")]
            Place::Server(address) => {
                let store = super::server::open(&address, true)?;
                Ok(store.expect("it is made where there is none"))
            }
        }
    }

    /// Opens the store again for an experiment that was measured, and has all that happened in it.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_again(place: &Place, id: ExperimentId) -> Result<Self, StoreError> {
        Self::open(place)?.with_all_of(id)
    }

    #[cfg(feature = "postgres")]
    fn with_all_of(mut self, id: ExperimentId) -> Result<Self, StoreError> {
        self.deliver_spooled(id)?;
        Ok(self)
    }

    /// A file has all as soon as it happened.
    #[cfg(not(feature = "postgres"))]
    fn with_all_of(self, _: ExperimentId) -> Result<Self, StoreError> {
        Ok(self)
    }

    /// Opens the store in a file for writing, and waits this long for the locks of other programs.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or written, or is not a store that this brisk knows.
    pub fn open_waiting(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        if let Found::Nothing = look_at(path, patience)? {
            make(path).map_err(|error| cannot_open(path, error))?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = connect(path, flags, patience)?;
        // SQLite falls back to reading where it may not write.
        match connection.is_readonly("main") {
            Ok(true) => return Err(StoreError::ReadOnly { place: path.into() }),
            Ok(false) => {}
            Err(error) => return Err(StoreError::of(path, patience, error)),
        }
        let mut opening = Opening::new(connection, path, patience)?;
        opening.prepare_for_writing()?;
        opening.store()
    }

    /// Opens a store to read what is in it, read-only if need be; `None` when there is none, and
    /// none is made.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, or is not a store that this brisk knows.
    pub fn open_existing(place: impl Into<Place>) -> Result<Option<Self>, StoreError> {
        match place.into() {
            Place::File(path) => Self::open_existing_file(&path),
            #[cfg(feature = "postgres")]
            Place::Server(address) => super::server::open(&address, false),
        }
    }

    fn open_existing_file(path: &Path) -> Result<Option<Self>, StoreError> {
        if let Found::Nothing = look_at(path, PATIENCE)? {
            return Ok(None);
        }
        let opened = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, PATIENCE)
            .and_then(|connection| Opening::new(connection, path, PATIENCE));
        let mut opening = match opened {
            // Where nothing can be written beside the file, SQLite cannot even read its log.
            Err(StoreError::Open { .. } | StoreError::ReadOnly { .. }) if nobody_writes(path) => {
                let connection = connect_immutable(path)
                    .map_err(|error| StoreError::of(path, PATIENCE, error))?;
                Opening::new(connection, path, PATIENCE)?
            }
            opened => opened?,
        };
        opening.version()?;
        if opening.access == Access::Write {
            opening.prepare_for_writing()?;
        }
        opening.store().map(Some)
    }
}

/// A file that is being opened.
struct Opening<'a> {
    connection: Connection,
    path: &'a Path,
    patience: Duration,
    access: Access,
}

impl<'a> Opening<'a> {
    fn new(connection: Connection, path: &'a Path, patience: Duration) -> Result<Self, StoreError> {
        let settle = || {
            connection.busy_timeout(patience)?;
            connection.set_prepared_statement_cache_capacity(STATEMENTS);
            connection.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
            connection.pragma_update(None, "foreign_keys", true)?;
            // Until we know that we understand the store, not even its log is folded into it.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            // Reads the file and its log for the first time.
            connection.pragma_query_value(None, "user_version", |_| Ok(()))?;
            connection.is_readonly("main")
        };
        let read_only = settle().map_err(|error| StoreError::of(path, patience, error))?;
        let access = if read_only { Access::ReadOnly } else { Access::Write };
        Ok(Self { connection, path, patience, access })
    }

    fn explain(&self, error: rusqlite::Error) -> StoreError {
        StoreError::of(self.path, self.patience, error)
    }

    fn store(self) -> Result<Store, StoreError> {
        let Self { connection, path, patience, access } = self;
        // By whatever name the store was opened, its journals have one place only.
        let real = fs::canonicalize(path).map_err(|error| cannot_open(path, error))?;
        Ok(Store {
            database: Database::new(Driver::Sqlite(connection)),
            place: path.into(),
            inflight: journal::folder(&real),
            patience,
            access,
            known: Known::default(),
            #[cfg(feature = "postgres")]
            held: None,
        })
    }

    /// The version of the tables; an error when this brisk does not know it.
    fn version(&self) -> Result<i64, StoreError> {
        let found = self
            .connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(|error| self.explain(error))?;
        match found {
            EMPTY | VERSION => Ok(found),
            _ => Err(StoreError::OtherVersion { place: self.path.into(), found, known: VERSION }),
        }
    }

    /// Makes the tables where there are none, and switches the log on.
    fn prepare_for_writing(&mut self) -> Result<(), StoreError> {
        if self.version()? == EMPTY {
            make_tables(&mut self.connection)
                .map_err(|error| StoreError::of(self.path, self.patience, error))?;
            // Another brisk, of another version, may have been quicker.
            self.version()?;
        }
        let settle = || {
            switch_the_log_on(&self.connection, self.patience)?;
            self.connection.pragma_update(None, "synchronous", "NORMAL")?;
            self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
        };
        settle().map(drop).map_err(|error| self.explain(error))
    }
}

/// Makes an empty file, and its folder, for this user alone: arguments may hold secrets. The files
/// that SQLite puts beside it are as private as it.
fn make(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        // An empty file that somebody made stays as it is.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn connect(path: &Path, flags: OpenFlags, patience: Duration) -> Result<Connection, StoreError> {
    // An absolute path is none of the names that mean something to SQLite, as `:memory:` does.
    let file = std::path::absolute(path).map_err(|error| cannot_open(path, error))?;
    Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| StoreError::of(path, patience, error))
}

/// Reads the file alone, without locks and without the files beside it.
fn connect_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(immutable_address(path), flags)
}

/// Makes all tables, unless another brisk was quicker.
///
/// That is done before the write-ahead log is switched on, so the mark in the file is there from the
/// first byte.
fn make_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found == EMPTY {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

/// Switches the write-ahead log on, where it is not on already.
///
/// Another brisk may be doing the same to a new store. Here SQLite does not wait for its turn, so
/// we do.
fn switch_the_log_on(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    let waiting = Stopwatch::start();
    loop {
        // A file system without shared memory keeps the older journal, and says so in the answer.
        let set = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        match set {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && waiting.elapsed() < patience =>
            {
                std::thread::sleep(PAUSE);
            }
            set => return set,
        }
    }
}

/// Looks at the file without changing it or anything beside it.
fn look_at(path: &Path, patience: Duration) -> Result<Found, StoreError> {
    match fs::metadata(path) {
        Ok(file) if file.is_dir() => {
            return Err(cannot_open(path, io::ErrorKind::IsADirectory.into()));
        }
        Ok(file) if !file.is_file() => {
            return Err(StoreError::Foreign { place: path.into(), what: "no ordinary file" });
        }
        Ok(file) if file.len() == 0 => return Ok(Found::Nothing),
        Ok(file) if file.len() < LEAST_BYTES => {
            return Err(StoreError::Foreign { place: path.into(), what: NO_SQLITE });
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(cannot_open(path, error)),
    }
    // Through SQLite, because closing a file that we opened ourselves would release the locks of
    // every other connection of this process to it (fcntl(2)).
    let marked = mark_of(path);
    let foreign = |what| Err(StoreError::Foreign { place: path.into(), what });
    match marked {
        Ok(APPLICATION_ID) => Ok(Found::Something),
        Ok(_) => foreign("it is a database of another program"),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => foreign(NO_SQLITE),
            // The file alone may look damaged while its log is being folded into it.
            Some(ErrorCode::DatabaseCorrupt) => Ok(Found::Something),
            _ => Err(StoreError::of(path, patience, error)),
        },
    }
}

/// The application id in the file's header.
fn mark_of(path: &Path) -> rusqlite::Result<i64> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(immutable_address(path), flags)?.pragma_query_value(
        None,
        "application_id",
        |row| row.get(0),
    )
}

/// The file as an address that tells SQLite not to lock it and to ignore the files beside it
/// (<https://www.sqlite.org/uri.html>).
fn immutable_address(path: &Path) -> String {
    use std::fmt::Write;
    use std::os::unix::ffi::OsStrExt;
    // What follows two slashes is the name of a host, here the empty one.
    let mut address = if path.is_absolute() { "file://" } else { "file:" }.to_owned();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                address.push(char::from(byte));
            }
            _ => write!(address, "%{byte:02X}").expect("writing to a string cannot fail"),
        }
    }
    address + "?immutable=1"
}

/// Whether the file has no write-ahead log: every program that has the store open keeps one, and
/// one that was killed leaves it behind.
///
/// A program that begins to write while we read without locks could still confuse us; that takes
/// another user, on a file that we may only read.
fn nobody_writes(path: &Path) -> bool {
    let mut log: PathBuf = path.as_os_str().to_owned().into();
    log.as_mut_os_string().push("-wal");
    fs::metadata(log).map_or(true, |log| log.len() == 0)
}

fn cannot_open(path: &Path, error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            StoreError::Full { place: path.into(), source: error.into() }
        }
        io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { place: path.into() },
        _ => StoreError::Open { place: path.into(), source: error.into() },
    }
}
