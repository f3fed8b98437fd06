//! What can go wrong with a store, in the user's words.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE};

use super::ExperimentId;

/// What SQLite or the system said.
pub type Cause = Box<dyn Error + Send + Sync>;

/// Why a store could not be read or written. What was stored before is still stored.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum StoreError {
    #[error("cannot open the store at `{}`", path.display())]
    Open { path: PathBuf, source: Cause },
    #[error(
        "another program has kept the store at `{}` locked for {} s",
        path.display(),
        waited.as_secs_f64()
    )]
    Locked { path: PathBuf, waited: Duration },
    #[error("no space is left for the store at `{}`", path.display())]
    Full { path: PathBuf, source: Cause },
    #[error("the store at `{}` may not become larger", path.display())]
    TooLarge { path: PathBuf, source: Cause },
    #[error("the store at `{}` is read-only", path.display())]
    ReadOnly { path: PathBuf },
    #[error("the store at `{}` is damaged", path.display())]
    Damaged { path: PathBuf, source: Cause },
    #[error(
        "the store at `{}` was written by a newer brisk: its schema has version {found}, this \
         brisk knows them up to version {known}",
        path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("`{}` is not a store: {what}", path.display())]
    Foreign { path: PathBuf, what: &'static str },
    #[error("no experiment {id} in the store at `{}`", path.display())]
    NoSuchExperiment { path: PathBuf, id: ExperimentId },
    #[error("cannot keep results at a `{scheme}` address: this brisk keeps them in SQLite files")]
    Unsupported { scheme: &'static str },
    #[error("cannot tell where to keep results: neither XDG_DATA_HOME nor HOME is set")]
    NoHome,
    #[error("cannot keep the journal of finished runs at `{}`", path.display())]
    Journal { path: PathBuf, source: io::Error },
    #[error("cannot use the store at `{}`", path.display())]
    Failed { path: PathBuf, source: Cause },
}

impl StoreError {
    /// A way out, where there is one.
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
            Self::Damaged { path, .. } => format!(
                "brisk leaves it as it is; move it away to begin a new one, and save what can be \
                 read of it: `sqlite3 '{}' .recover | sqlite3 saved.db`",
                path.display()
            ),
            Self::Newer { .. } => "update brisk, or keep results elsewhere with `--store PATH`; \
                                   brisk leaves the file as it is"
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

    /// What SQLite's refusal means for the store at `path`.
    pub(super) fn of(path: &Path, waited: Duration, error: rusqlite::Error) -> Self {
        use rusqlite::Error as Sqlite;
        let path = path.to_owned();
        let code = match &error {
            Sqlite::SqliteFailure(error, _) | Sqlite::SqlInputError { error, .. } => *error,
            // Nobody but brisk writes there, so what is not as brisk writes it is damage.
            Sqlite::FromSqlConversionFailure(..)
            | Sqlite::IntegralValueOutOfRange(..)
            | Sqlite::InvalidColumnType(..)
            | Sqlite::Utf8Error(..)
            | Sqlite::QueryReturnedNoRows => {
                return Self::Damaged { path, source: error.into() };
            }
            _ => return Self::Failed { path, source: error.into() },
        };
        // The index of the write-ahead log cannot grow: that, too, is a full disk.
        if code.extended_code == SQLITE_IOERR_SHMSIZE {
            return Self::Full { path, source: error.into() };
        }
        // SQLite does not say why it cannot write; a limit is no common thing to have.
        if code.extended_code == SQLITE_IOERR_WRITE && measure::machine::limits_file_size() {
            return Self::TooLarge { path, source: error.into() };
        }
        match code.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Locked { path, waited },
            ErrorCode::DiskFull => Self::Full { path, source: error.into() },
            ErrorCode::ReadOnly => Self::ReadOnly { path },
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                Self::Damaged { path, source: error.into() }
            }
            ErrorCode::CannotOpen => Self::Open { path, source: error.into() },
            // A statement that the schema does not understand: a table or column is gone.
            ErrorCode::Unknown if matches!(error, Sqlite::SqlInputError { .. }) => {
                Self::Damaged { path, source: error.into() }
            }
            _ => Self::Failed { path, source: error.into() },
        }
    }

    /// A failure of the system about a file beside the store.
    pub(super) fn of_journal(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Full { path, source: source.into() }
            }
            io::ErrorKind::FileTooLarge => Self::TooLarge { path, source: source.into() },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            _ => Self::Journal { path, source },
        }
    }
}
