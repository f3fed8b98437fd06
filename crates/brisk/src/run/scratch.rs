//! Folders for the files of runs, in the system's folder for such.
//!
//! Each goes away with its value. Where brisk is killed it stays, and the next brisk that needs one
//! collects it: whoever lives holds a lock on it (flock(2), which folders take as well).

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Once;

use tempfile::TempDir;

/// What the names of all of them begin with, and of nothing else.
const PREFIX: &str = "brisk-scratch-";

/// A folder that nobody else may read; it goes away with this.
#[derive(Debug)]
pub struct Scratch {
    // In this order: what is removed is still locked.
    folder: TempDir,
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

    /// A folder that is not locked yet counts as left behind, so another brisk may have removed it.
    fn within(root: &Path) -> io::Result<Self> {
        loop {
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(root)?;
            let lock = match File::open(folder.path()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened?,
            };
            match lock.try_lock() {
                Err(TryLockError::WouldBlock) => continue,
                // Where nothing can be locked, nobody removes anything.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            if folder.path().exists() {
                return Ok(Self { folder, _lock: lock });
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
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
        let Ok(lock) = File::open(&folder) else { continue };
        // The lock is held until the folder is gone: a process that has just made it could otherwise take
        // it for its own in between.
        if lock.try_lock().is_ok() {
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
        let at = |name: &str| root.path().join(name);
        let dead = Scratch::within(root.path()).expect("writable");
        fs::write(dead.path().join("left"), "x").expect("writable");
        let Scratch { folder, _lock: lock } = dead;
        let dead = folder.keep();
        fs::create_dir(at("elsewhere")).expect("writable");
        let link = at(&format!("{PREFIX}link"));
        std::os::unix::fs::symlink(at("elsewhere"), &link).expect("writable");
        fs::create_dir(at("brisk-of-mine")).expect("writable");
        // Its brisk was killed before it could lock it.
        let newborn = at(&format!("{PREFIX}newborn"));
        fs::create_dir(&newborn).expect("writable");
        let living = Scratch::within(root.path()).expect("writable");

        collect(root.path(), &living);
        assert!(dead.join("left").exists(), "it is locked");
        assert!(!newborn.exists());
        drop(lock);
        collect(root.path(), &living);
        assert!(!dead.exists());
        assert!(living.path().exists() && at("elsewhere").exists() && link.is_symlink());
        assert!(at("brisk-of-mine").exists(), "nobody says that it was brisk's");
    }

    /// Folders are made and collected at the same time: nobody's is taken away.
    #[test]
    fn a_folder_that_is_in_use_is_never_collected() {
        let root = tempfile::tempdir().expect("writable");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let own = Scratch::within(root.path()).expect("writable");
                        fs::write(own.path().join("file"), "x").expect("it is there");
                        collect(root.path(), &own);
                        assert!(own.path().join("file").exists());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(root.path()).expect("readable").count(), 0);
    }
}
