//! What a database refuses, before it is told in the user's words.

use super::super::error::Cause;

/// Why a statement failed, or its rows cannot be read.
#[derive(Debug, thiserror::Error)]
pub(in crate::store) enum Error {
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
    #[error("whoever is given the rows wants no more of them")]
    Stopped,
}

impl Error {
    /// Nobody but brisk writes there, so what is not as brisk writes it is damage.
    pub(in crate::store) fn unreadable(column: usize, why: impl Into<Cause>) -> Self {
        Self::Unreadable { column, why: why.into() }
    }
}
