//! Finding out, before anything is measured, whether a file can be written.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// Opens the file for writing and leaves everything as it was: what is in it stays, and where
/// there was none, there is none.
///
/// # Errors
///
/// When it cannot be opened.
pub fn check(path: &Path) -> io::Result<()> {
    let existed = path.exists();
    OpenOptions::new().append(true).create(true).open(path)?;
    if existed { Ok(()) } else { std::fs::remove_file(path) }
}
