//! Folders for the files of runs, in the system's folder for such.
//!
//! Each goes away with its value. Where brisk is killed it stays, and the next brisk that needs one
//! collects it: whoever lives holds a lock on a file in it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Once;

use measure::plain_file;
use tempfile::TempDir;

/// What the names of all of them begin with.
const PREFIX: &str = "brisk-";
/// The file that is locked as long as its folder is in use.
const LOCK: &str = "lock";
/// Its name until it is locked, so that nobody takes it for one that was left.
const BEFORE_LOCK: &str = "lock.new";
/// Where the files go.
const FILES: &str = "files";

/// A folder that nobody else may read; it goes away with this.
#[derive(Debug)]
pub struct Scratch {
    files: PathBuf,
    // In this order: what is removed is still locked.
    _folder: TempDir,
    _lock: File,
}

impl Scratch {
    /// Makes an empty one, and removes those of the dead where this process has not done so.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn new() -> io::Result<Self> {
        static COLLECTED: Once = Once::new();
        let root = std::env::temp_dir();
        let scratch = Self::within(&root)?;
        COLLECTED.call_once(|| collect(&root, &scratch));
        Ok(scratch)
    }

    fn within(root: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(root)?;
        let (before, after) = (folder.path().join(BEFORE_LOCK), folder.path().join(LOCK));
        let mut options = OpenOptions::new();
        let lock = plain_file::open(options.write(true).create_new(true).mode(0o600), &before)?;
        lock.try_lock()?;
        fs::rename(&before, &after)?;
        let files = folder.path().join(FILES);
        fs::create_dir(&files)?;
        Ok(Self { files, _folder: folder, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.files
    }
}

/// Removes the folders of briskes that were killed, as far as they are of this user. What cannot be
/// removed stays: it is in nobody's way.
fn collect(root: &Path, own: &Scratch) {
    let (Ok(entries), Ok(files)) = (fs::read_dir(root), fs::metadata(own.path())) else { return };
    let left = entries.flatten().filter(|entry| {
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_ours = |found: fs::Metadata| found.is_dir() && found.uid() == files.uid();
        named && entry.metadata().is_ok_and(is_ours)
    });
    for folder in left.map(|entry| entry.path()) {
        let lock = plain_file::open(OpenOptions::new().write(true), &folder.join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_dead_are_collected_and_no_others() {
        let root = tempfile::tempdir().expect("writable");
        let dead = Scratch::within(root.path()).expect("writable");
        fs::write(dead.path().join("left"), "x").expect("writable");
        let Scratch { files: left, _folder: folder, _lock: lock } = dead;
        let dead = folder.keep();
        let elsewhere = root.path().join("elsewhere");
        fs::create_dir(&elsewhere).expect("writable");
        fs::write(elsewhere.join(LOCK), "").expect("writable");
        std::os::unix::fs::symlink(&elsewhere, root.path().join("brisk-link")).expect("writable");
        fs::create_dir(root.path().join("brisk-of-mine")).expect("writable");
        let living = Scratch::within(root.path()).expect("writable");

        collect(root.path(), &living);
        assert!(left.exists(), "it is locked");
        drop(lock);
        collect(root.path(), &living);
        assert!(!dead.exists());
        assert!(living.path().exists() && elsewhere.join(LOCK).exists());
        assert!(root.path().join("brisk-of-mine").exists(), "nobody says that it was brisk's");
        drop(living);
        assert_eq!(fs::read_dir(root.path()).expect("readable").count(), 3);
    }
}
