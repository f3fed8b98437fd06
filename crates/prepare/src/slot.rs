//! Numbered folders, each used by one process at a time.
//!
//! The file `N.lock` beside the folder `N` is locked while the folder is in use; the kernel unlocks
//! it however the process ends. So a folder whose lock is free was left behind. Lock files are
//! never removed: another process may be about to lock the same one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A numbered folder owned by this process. The folder itself may exist, with any contents, or not.
#[derive(Debug)]
pub struct Slot {
    /// Its number, from 0.
    pub number: u32,
    /// Its folder.
    pub folder: PathBuf,
    lock: File,
}

/// More builders than any machine runs at once; if this many slots are taken, something is wrong.
const MOST: u32 = 10_000;

impl Slot {
    /// The slot with this number, unless another process uses it.
    pub fn take(parent: &Path, number: u32) -> io::Result<Option<Self>> {
        fs::create_dir_all(parent)?;
        let path = parent.join(format!("{number}.lock"));
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        match lock.try_lock() {
            Ok(()) => {
                let folder = parent.join(number.to_string());
                Ok(Some(Self { number, folder, lock }))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The first free slot.
    pub fn first_free(parent: &Path) -> io::Result<Self> {
        for number in 0..MOST {
            if let Some(slot) = Self::take(parent, number)? {
                return Ok(slot);
            }
        }
        Err(io::Error::other("all of them are in use"))
    }

    /// The slots whose folders were left behind.
    pub fn left_behind(parent: &Path) -> io::Result<Vec<Self>> {
        let entries = match fs::read_dir(parent) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut slots = Vec::new();
        for entry in entries {
            let number = entry?.file_name().to_str().and_then(|name| name.parse().ok());
            if let Some(number) = number {
                slots.extend(Self::take(parent, number)?);
            }
        }
        Ok(slots)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Closing does not unlock while another thread is starting a program, which still has a
        // copy of the descriptor. On failure, the slot only stays taken for longer.
        let _ = self.lock.unlock();
    }
}

/// Removes a folder with all contents, even if builds made them read-only; succeeds if it does not
/// exist. Symbolic links are not followed.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    let gone = |result: io::Result<()>| match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    match gone(fs::remove_dir_all(folder)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            allow_removal(folder)?;
            gone(fs::remove_dir_all(folder))
        }
        other => other,
    }
}

fn allow_removal(folder: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(folder)?.permissions();
    permissions.set_mode(permissions.mode() | 0o700);
    fs::set_permissions(folder, permissions)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            allow_removal(&entry.path())?;
        }
    }
    Ok(())
}
