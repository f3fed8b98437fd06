//! Opening a store: the kind of file, its settings, its schema.
//!
//! A file that is not brisk's, or is of another version, is left exactly as it was.

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

/// The version of the tables. A store of any other version is refused: there are no migrations.
pub(super) const VERSION: i64 = 1;

/// The `user_version` of a file without tables.
const EMPTY: i64 = 0;

/// The timeout for another program's lock. brisk's own transactions finish within milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pause before a retry, for locks that SQLite does not wait for.
const PAUSE: Duration = Duration::from_millis(2);

/// SQLite's page cache, in KiB: brisk stays small beside the programs it measures.
const CACHE_KIBIBYTES: i64 = 1024;

/// The size of the cache of prepared statements: more than this module has.
const STATEMENTS: usize = 48;

/// The access to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// It can be written.
    Write,
    /// The file or its file system is read-only.
    ReadOnly,
}

/// The smallest page of SQLite, and so its smallest file that is not empty
/// (<https://www.sqlite.org/fileformat.html>).
const LEAST_BYTES: u64 = 512;

const NO_SQLITE: &str = "it is not a SQLite file";

/// The file at the path of a store, before it is opened.
enum Found {
    /// No file, or an empty one.
    Nothing,
    /// A file that may be a store, and does not belong to another program.
    Something,
}

impl Store {
    /// Opens the store for writing; creates it and its folder if necessary.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or written, or is not a store that this brisk can read.
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

    /// Reopens the store for an experiment that was measured, once it has all of its events.
    pub fn open_again(place: &Place, id: ExperimentId) -> Result<Self, StoreError> {
        Self::open(place)?.with_all_of(id)
    }

    #[cfg(feature = "postgres")]
    fn with_all_of(mut self, id: ExperimentId) -> Result<Self, StoreError> {
        self.deliver_spooled(id)?;
        Ok(self)
    }

    /// A file has each event as soon as it happened.
    #[cfg(not(feature = "postgres"))]
    fn with_all_of(self, _: ExperimentId) -> Result<Self, StoreError> {
        Ok(self)
    }

    /// Opens the store in a file for writing, with this timeout for locks of other programs.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or written, or is not a store that this brisk can read.
    pub fn open_waiting(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        if let Found::Nothing = look_at(path, patience)? {
            make(path).map_err(|error| cannot_open(path, error))?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = connect(path, flags, patience)?;
        // SQLite falls back to read-only access if it may not write.
        match connection.is_readonly("main") {
            Ok(true) => return Err(StoreError::ReadOnly { place: path.into() }),
            Ok(false) => {}
            Err(error) => return Err(StoreError::at(path, patience, error)),
        }
        let mut opening = Opening::new(connection, path, patience)?;
        opening.prepare_for_writing()?;
        opening.store()
    }

    /// Opens an existing store for reading, read-only if need be; `None` if there is no store.
    /// Never creates one.
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
            // If no file can be written beside it, SQLite cannot even read its log.
            Err(StoreError::Open { .. } | StoreError::ReadOnly { .. }) if nobody_writes(path) => {
                let connection = connect_immutable(path)
                    .map_err(|error| StoreError::at(path, PATIENCE, error))?;
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

/// A store file that is being opened.
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
            // Until the store is known to be readable, not even its log is folded into it.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            // The first read of the file and its log.
            connection.pragma_query_value(None, "user_version", |_| Ok(()))?;
            connection.is_readonly("main")
        };
        let read_only = settle().map_err(|error| StoreError::at(path, patience, error))?;
        let access = if read_only { Access::ReadOnly } else { Access::Write };
        Ok(Self { connection, path, patience, access })
    }

    fn explain(&self, error: rusqlite::Error) -> StoreError {
        StoreError::at(self.path, self.patience, error)
    }

    fn store(self) -> Result<Store, StoreError> {
        let Self { connection, path, patience, access } = self;
        // The journals are in one place, whichever path the store was opened by.
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

    /// The version of the tables; an error if this brisk cannot read it.
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

    /// Creates the tables if necessary, and switches the write-ahead log on.
    fn prepare_for_writing(&mut self) -> Result<(), StoreError> {
        if self.version()? == EMPTY {
            make_tables(&mut self.connection)
                .map_err(|error| StoreError::at(self.path, self.patience, error))?;
            // A brisk of another version may have been faster.
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

/// Creates an empty file and its folder for this user alone: arguments may contain secrets. The
/// files that SQLite puts beside it inherit its mode.
fn make(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        // An empty file made by somebody else stays as it is.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn connect(path: &Path, flags: OpenFlags, patience: Duration) -> Result<Connection, StoreError> {
    // An absolute path cannot be one of SQLite's special names, such as `:memory:`.
    let file = std::path::absolute(path).map_err(|error| cannot_open(path, error))?;
    Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| StoreError::at(path, patience, error))
}

/// Opens the file alone, without locks and without the files beside it.
fn connect_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(immutable_address(path), flags)
}

/// Creates all tables, unless another brisk was faster.
///
/// This happens before the write-ahead log is switched on, so that the application ID is in the
/// file from the first byte.
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

/// Switches the write-ahead log on, unless it is on already.
///
/// Another brisk may be doing the same to a new store. SQLite does not wait for its turn here, so
/// this function does.
fn switch_the_log_on(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    let waiting = Stopwatch::start();
    loop {
        // A file system without shared memory keeps the rollback journal, which is fine.
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

/// Inspects the file without changing it or anything beside it.
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
    // Through SQLite, because closing a file opened by other means would release the locks of all
    // other connections of this process to it (fcntl(2)).
    let marked = mark_of(path);
    let foreign = |what| Err(StoreError::Foreign { place: path.into(), what });
    match marked {
        Ok(APPLICATION_ID) => Ok(Found::Something),
        Ok(_) => foreign("it is a database of another program"),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => foreign(NO_SQLITE),
            // Read alone, the file may look damaged while its log is being folded into it.
            Some(ErrorCode::DatabaseCorrupt) => Ok(Found::Something),
            _ => Err(StoreError::at(path, patience, error)),
        },
    }
}

/// The application ID in the file's header.
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

/// The file as a URI that tells SQLite not to lock it and to ignore the files beside it
/// (<https://www.sqlite.org/uri.html>).
fn immutable_address(path: &Path) -> String {
    use std::fmt::Write;
    use std::os::unix::ffi::OsStrExt;
    // Two slashes are followed by a host name, which is empty here.
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

/// True if the file has no write-ahead log: every program that has the store open keeps one, and a
/// killed program leaves it behind.
///
/// A program that begins to write during a read without locks could still cause trouble; that takes
/// another user, and a file that we may only read.
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
