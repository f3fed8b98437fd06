//! Opens a file that must be a plain file, in a folder where others may have put things: not a
//! symbolic link, a pipe, or a second name of another file.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Opens the file, or creates it if `options` say so: for its owner alone unless they set another
/// mode.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // Opening a pipe without a writer would wait for one.
    let opened = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => io::Error::other("it is a symbolic link"),
        _ => error,
    })?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if found.nlink() > 1 {
        return Err(io::Error::other("it has another name, and may be another's"));
    }
    Ok(file)
}
