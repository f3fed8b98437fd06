//! The location of the store.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use tempfile::TempDir;

#[cfg(feature = "postgres")]
use store::Address;
use store::{Place, Store, StoreError};

/// The option that says where results are kept.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Where results are kept")]
pub struct StoreOptions {
    /// The file or PostgreSQL server for results
    ///
    /// A server is `postgres://USER@HOST/DATABASE`; `brisk/runs.db` in the user's data folder by
    /// default.
    #[arg(long, value_name = "PATH", value_parser = clap::builder::OsStringValueParser::new())]
    pub store: Option<OsString>,
}

/// The prefixes of addresses that are not files.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

impl StoreOptions {
    /// The place for results.
    ///
    /// # Errors
    ///
    /// When a given address is invalid, or no address is given and there is no data folder.
    pub fn place(&self) -> Result<Place, StoreError> {
        let file = || default_path(std::env::var_os("XDG_DATA_HOME"), std::env::var_os("HOME"));
        let Some(store) = &self.store else { return file().map(Place::from) };
        let text = store.to_string_lossy();
        match SCHEMES.into_iter().find(|scheme| text.starts_with(scheme)) {
            None => Ok(PathBuf::from(store).into()),
            Some(_scheme) => {
                #[cfg(feature = "postgres")]
                {
                    let journals = file()?.with_file_name("servers");
                    Ok(Place::Server(Address::read(&text, journals, variable)?.into()))
                }
                // The rest of the address may hold a password and is not repeated.
                #[cfg(not(feature = "postgres"))]
                Err(StoreError::Unsupported { scheme: _scheme })
            }
        }
    }
}

impl StoreOptions {
    /// A temporary folder for results, and the reason that they are not kept. Some if no place was
    /// given and the default one cannot be created or written.
    pub fn scratch(&self) -> Option<(TempDir, StoreError)> {
        if self.store.is_some() {
            return None;
        }
        let unusable = match self.place().and_then(Store::open) {
            Err(
                error @ (StoreError::NoHome
                | StoreError::Open { .. }
                | StoreError::ReadOnly { .. }
                | StoreError::Journal { .. }),
            ) => error,
            _ => return None,
        };
        tempfile::Builder::new()
            .prefix("brisk-store-")
            .tempdir()
            .ok()
            .map(|folder| (folder, unusable))
    }

    /// The options for a store in this folder.
    #[must_use]
    pub fn within(folder: &TempDir) -> Self {
        Self { store: Some(folder.path().join("runs.db").into()) }
    }
}

/// Reads a non-empty environment variable.
#[cfg(feature = "postgres")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// `brisk/runs.db` in the data folder of the XDG Base Directory Specification 0.8, which ignores a
/// relative `XDG_DATA_HOME`.
fn default_path(data: Option<OsString>, home: Option<OsString>) -> Result<PathBuf, StoreError> {
    data.map(PathBuf::from)
        .filter(|data| data.is_absolute())
        .or_else(|| {
            let home = PathBuf::from(home.filter(|home| !home.is_empty())?);
            Some(home.join(".local/share"))
        })
        .map(|data| data.join("brisk/runs.db"))
        .ok_or(StoreError::NoHome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_kept_in_the_users_data_folder() {
        let path = |data: Option<&str>, home: Option<&str>| {
            default_path(data.map(Into::into), home.map(Into::into)).ok()
        };
        assert_eq!(path(Some("/data"), Some("/home/u")), Some("/data/brisk/runs.db".into()));
        let at_home = Some("/home/u/.local/share/brisk/runs.db".into());
        assert_eq!(path(None, Some("/home/u")), at_home);
        assert_eq!(path(Some(""), Some("/home/u")), at_home);
        assert_eq!(path(Some("relative"), Some("/home/u")), at_home);
        assert_eq!(path(None, None), None);
        assert_eq!(path(None, Some("")), None);
    }
}
