//! Database errors, before they are explained to the user.

use super::super::error::Cause;

/// An error of a statement, or of reading its rows.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
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
    pub(crate) fn unreadable(column: usize, why: impl Into<Cause>) -> Self {
        Self::Unreadable { column, why: why.into() }
    }
}
