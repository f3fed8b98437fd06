//! The place of a store.

use std::fmt;
use std::path::{Path, PathBuf};
#[cfg(feature = "postgres")]
use std::sync::Arc;

#[cfg(feature = "postgres")]
use super::address::Address;

/// The place of a store. It is displayed without a password.
#[derive(Debug, Clone)]
pub enum Place {
    /// A SQLite file.
    File(PathBuf),
    /// A database on a PostgreSQL server.
    #[cfg(feature = "postgres")]
    Server(Arc<Address>),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(out),
            #[cfg(feature = "postgres")]
            Self::Server(address) => address.fmt(out),
        }
    }
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&PathBuf> for Place {
    fn from(path: &PathBuf) -> Self {
        Self::File(path.clone())
    }
}

impl From<&Path> for Place {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<&Place> for Place {
    fn from(place: &Place) -> Self {
        place.clone()
    }
}
