//! A folder of brisk's own to build in, so that the user's files stay untouched.

use std::io;
use std::path::{Path, PathBuf};

use prepare::{Cache, CacheError, Slot, remove_folder};

/// A folder reserved until this is dropped, when it is removed.
#[derive(Debug)]
pub struct Workplace {
    slot: Slot,
}

/// The reason why no folder could be made.
#[derive(Debug, thiserror::Error)]
pub enum WorkplaceError {
    /// The location of brisk's cache is unknown.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// It cannot be made.
    #[error("cannot make a folder to build in, in `{}`", parent.display())]
    Folder {
        /// The parent folder.
        parent: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

impl Workplace {
    /// Makes a folder in the user's cache folder. Folders left behind by killed processes are
    /// removed.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn new() -> Result<Self, WorkplaceError> {
        let parent = Cache::of_the_user()?.root().join("explain");
        let made = || -> io::Result<Slot> {
            for slot in Slot::left_behind(&parent)? {
                remove_folder(&slot.folder)?;
            }
            let slot = Slot::first_free(&parent)?;
            remove_folder(&slot.folder)?;
            std::fs::create_dir_all(&slot.folder)?;
            // Tools that run elsewhere are given paths in it.
            Ok(slot)
        };
        let mut slot =
            made().map_err(|source| WorkplaceError::Folder { parent: parent.clone(), source })?;
        slot.folder = slot
            .folder
            .canonicalize()
            .map_err(|source| WorkplaceError::Folder { parent: parent.clone(), source })?;
        Ok(Self { slot })
    }

    /// Its path, without symbolic links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.slot.folder
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // A folder that cannot be removed now is removed by the next process.
        let _ = remove_folder(&self.slot.folder);
    }
}
