//! Store errors, in the user's words.

use model::failure::{Failure, FailureKind};
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE};

use super::{ExperimentId, Place, database};

/// The error from SQLite or the system.
pub type Cause = Box<dyn Error + Send + Sync>;

/// The reason why a store could not be read or written. Everything stored before is still stored.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum StoreError {
    #[error("cannot open the store at `{place}`")]
    Open { place: Place, source: Cause },
    #[error(
        "another program has kept the store at `{place}` locked for {} s",
        waited.as_secs_f64()
    )]
    Locked { place: Place, waited: Duration },
    #[error("no space is left for the store at `{place}`")]
    Full { place: Place, source: Cause },
    #[error("the store at `{place}` may not become larger")]
    TooLarge { place: Place, source: Cause },
    #[error("the store at `{place}` is read-only")]
    ReadOnly { place: Place },
    #[error("the store at `{place}` is damaged")]
    Damaged { place: Place, source: Cause },
    #[error("the store at `{place}` has schema version {found}; this brisk reads version {known}")]
    OtherVersion { place: Place, found: i64, known: i64 },
    #[error("`{place}` is not a store: {what}")]
    Foreign { place: Place, what: &'static str },
    #[error("no experiment {id} in the store at `{place}`")]
    NoSuchExperiment { place: Place, id: ExperimentId },
    #[error("cannot reach the store at `{place}`")]
    Away { place: Place, source: Cause },
    #[error("the server does not let brisk in to the store at `{place}`")]
    NotLetIn { place: Place, source: Cause },
    #[error("the connection to the store at `{place}` cannot be made as secure as is wanted")]
    NotSecure { place: Place, source: Cause },
    #[error(
        "the server of the store at `{place}` is PostgreSQL {found}, and brisk needs {least} or newer"
    )]
    TooOld { place: Place, found: i64, least: i64 },
    #[error("another brisk goes on with experiment {id} in the store at `{place}`")]
    Taken { place: Place, id: ExperimentId },
    #[error("`{address}` is not the address of a store")]
    Address { address: String, source: Cause },
    #[error("cannot keep results at a `{scheme}` address: this brisk was built without PostgreSQL")]
    Unsupported { scheme: &'static str },
    #[error("cannot tell where to keep results: neither XDG_DATA_HOME nor HOME is set")]
    NoHome,
    #[error("cannot keep the journal of finished runs at `{}`", path.display())]
    Journal { path: PathBuf, source: io::Error },
    #[error("cannot use the store at `{place}`")]
    Failed { place: Place, source: Cause },
}

impl StoreError {
    /// Advice for the user, if there is any.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Locked { .. } => "nothing stored was lost; try again when the other program is \
                                    done, or keep results elsewhere with `--store PATH`"
                .to_owned(),
            Self::Full { .. } => "what was stored is intact; make room, or keep results elsewhere \
                                  with `--store PATH`"
                .to_owned(),
            Self::TooLarge { .. } => "what was stored is intact; raise the limit on the size of \
                                      files, `ulimit -f`"
                .to_owned(),
            Self::ReadOnly { .. } => "make the file and its folder writable, or keep results \
                                      elsewhere with `--store PATH`"
                .to_owned(),
            Self::Damaged { place, .. } => match place {
                Place::File(path) => format!(
                    "brisk leaves it as it is; move it away to begin a new one, and save what can \
                     be read of it: `sqlite3 '{}' .recover | sqlite3 saved.db`",
                    path.display()
                ),
                #[cfg(feature = "postgres")]
                Place::Server(_) => {
                    "brisk leaves it as it is; something else has changed it".to_owned()
                }
            },
            Self::Away { .. } => "see whether the server runs, and whether host and port are right; \
                                  what was measured is kept on this machine, and the next brisk that \
                                  reaches the store puts it there"
                .to_owned(),
            Self::NotLetIn { .. } => "give the password in the variable PGPASSWORD or the file \
                                      ~/.pgpass; `createdb` makes a database"
                .to_owned(),
            Self::NotSecure { .. } => "`?sslmode=disable|prefer|require|verify-full` after the name of \
                                       the database says how secure, and `&sslrootcert=FILE` who is \
                                       trusted"
                .to_owned(),
            Self::TooOld { .. } => {
                "use a newer server, or keep results elsewhere with `--store PATH`".to_owned()
            }
            Self::Taken { .. } => "what this brisk measured is kept on this machine".to_owned(),
            Self::Address { .. } => "it is `postgres://USER@HOST:PORT/DATABASE`".to_owned(),
            Self::OtherVersion { .. } => "use the brisk that wrote it, or keep results elsewhere \
                                          with `--store PATH`; this store stays as it is"
                .to_owned(),
            Self::Foreign { .. } => "brisk leaves the file as it is; name another with \
                                     `--store PATH`"
                .to_owned(),
            Self::NoSuchExperiment { .. } => "`brisk list` shows the stored ones".to_owned(),
            Self::Unsupported { .. } | Self::NoHome => "name a file with `--store PATH`".to_owned(),
            Self::Open { .. } | Self::Journal { .. } => {
                "keep results elsewhere with `--store PATH`".to_owned()
            }
            Self::Failed { .. } => return None,
        })
    }

    /// True if the server may answer differently when it is asked again.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Away { .. } => true,
            #[cfg(feature = "postgres")]
            Self::Full { place, .. } | Self::Locked { place, .. } => {
                matches!(place, Place::Server(_))
            }
            _ => false,
        }
    }

    /// Explains a database error for the store at this place.
    pub(super) fn at(
        place: impl Into<Place>,
        waited: Duration,
        error: impl Into<database::Error>,
    ) -> Self {
        let place = place.into();
        match error.into() {
            database::Error::Sqlite(error) => Self::of_sqlite(place, waited, error),
            #[cfg(feature = "postgres")]
            database::Error::Postgres(error) => database::explain(place, waited, error),
            #[cfg(feature = "postgres")]
            database::Error::NotSecure(error) => Self::NotSecure { place, source: error.into() },
            error @ (database::Error::Unreadable { .. } | database::Error::Gone) => {
                Self::Damaged { place, source: error.into() }
            }
            error @ database::Error::Stopped => Self::Failed { place, source: error.into() },
        }
    }

    fn of_sqlite(place: Place, waited: Duration, error: rusqlite::Error) -> Self {
        use rusqlite::Error as Sqlite;
        let code = match &error {
            Sqlite::SqliteFailure(error, _) | Sqlite::SqlInputError { error, .. } => *error,
            _ => return Self::Failed { place, source: error.into() },
        };
        // The index of the write-ahead log cannot grow: also a full disk.
        if code.extended_code == SQLITE_IOERR_SHMSIZE {
            return Self::Full { place, source: error.into() };
        }
        // SQLite does not report why a write failed; limits on file sizes are rare, so one is
        // probably why.
        if code.extended_code == SQLITE_IOERR_WRITE && measure::machine::limits_file_size() {
            return Self::TooLarge { place, source: error.into() };
        }
        match code.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Locked { place, waited },
            ErrorCode::DiskFull => Self::Full { place, source: error.into() },
            ErrorCode::ReadOnly => Self::ReadOnly { place },
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                Self::Damaged { place, source: error.into() }
            }
            ErrorCode::CannotOpen => Self::Open { place, source: error.into() },
            // The schema does not fit the statement: a table or column is missing.
            ErrorCode::Unknown if matches!(error, Sqlite::SqlInputError { .. }) => {
                Self::Damaged { place, source: error.into() }
            }
            _ => Self::Failed { place, source: error.into() },
        }
    }

    /// Explains a system error for a file beside the store.
    pub(super) fn of_journal(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Full { place: path.into(), source: source.into() }
            }
            io::ErrorKind::FileTooLarge => {
                Self::TooLarge { place: path.into(), source: source.into() }
            }
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { place: path.into() },
            _ => Self::Journal { path, source },
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let failure = Self::from_error(&error).hint(error.hint());
        if error.is_passing() { failure.of_kind(FailureKind::Passing) } else { failure }
    }
}
