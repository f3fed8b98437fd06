//! The file of the running program.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The file of this program; a copy in `folder` if it has been replaced since the program started.
///
/// # Errors
///
/// When the system does not name the file, or the copy cannot be written.
pub fn own_program(folder: &Path) -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    if own.is_file() {
        return Ok(own);
    }
    fs::create_dir_all(folder)?;
    let beside = folder.join(format!("brisk.{}", std::process::id()));
    fs::copy("/proc/self/exe", &beside)?;
    let copy = folder.join("brisk");
    fs::rename(beside, &copy)?;
    Ok(copy)
}
