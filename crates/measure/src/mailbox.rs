//! A file name to which the programs of a run write their reports.
//!
//! It is a named pipe. Several processes that write to one file overwrite each other; in a pipe,
//! each write of at most 4 KiB stays together and comes after earlier ones (pipe(7), `PIPE_BUF`).
//! Opening it never waits, because the mailbox itself keeps both ends open.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::sys::descriptors;

/// Its capacity: Linux's default limit for users other than root (pipe(7), `pipe-max-size`).
const CAPACITY_BYTES: i32 = 1 << 20;

/// A named pipe, removed with this value.
#[derive(Debug)]
pub struct Mailbox {
    path: PathBuf,
    pipe: File,
}

impl Mailbox {
    /// Creates one at `path`, which must not exist yet.
    pub fn new(path: &Path) -> io::Result<Self> {
        let name = CString::new(path.as_os_str().as_bytes())?;
        descriptors::make_named_pipe(&name)?;
        let opened = OpenOptions::new().read(true).write(true).open(path).and_then(|pipe| {
            descriptors::set_nonblocking(&pipe)?;
            // If it cannot be widened, it has to be emptied sooner.
            let _ = descriptors::widen_pipe(&pipe, CAPACITY_BYTES);
            Ok(pipe)
        });
        match opened {
            Ok(pipe) => Ok(Self { path: path.to_owned(), pipe }),
            Err(error) => {
                // The path was not handed out yet.
                let _ = std::fs::remove_file(path);
                Err(error)
            }
        }
    }

    /// The file that programs write to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends everything written so far to `received`. Must be called regularly while programs
    /// run, because a writer blocks when the mailbox is full.
    pub fn empty_into(&mut self, received: &mut Vec<u8>) -> io::Result<()> {
        match self.pipe.read_to_end(received) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        // It may have been removed already.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn folder() -> PathBuf {
        let name =
            format!("brisk-mailbox-{}-{:?}", std::process::id(), std::thread::current().id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
        folder
    }

    #[test]
    fn what_several_writers_leave_is_all_there_and_nobody_waits() {
        let folder = folder();
        let mut mailbox = Mailbox::new(&folder.join("box")).expect("nothing was there");
        let mut received = Vec::new();
        mailbox.empty_into(&mut received).expect("readable");
        assert_eq!(received, b"");
        // Like a C program that opens a file with "w+".
        let open = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(true).open(mailbox.path())
        };
        let (mut one, mut other) = (open().expect("opens"), open().expect("opens"));
        other.write_all(b"second ").expect("writable");
        drop(other);
        one.write_all(b"first").expect("writable");
        drop(one);
        mailbox.empty_into(&mut received).expect("readable");
        assert_eq!(received, b"second first");
        mailbox.empty_into(&mut received).expect("readable");
        assert_eq!(received, b"second first");
        drop(mailbox);
        std::fs::remove_dir(&folder).expect("nothing is left in it");
    }

    #[test]
    fn nothing_that_is_there_is_taken_for_a_mailbox() {
        let folder = folder();
        let path = folder.join("file");
        std::fs::write(&path, "mine").expect("writable");
        assert!(Mailbox::new(&path).is_err());
        assert_eq!(std::fs::read(&path).expect("still there"), b"mine");
        std::fs::remove_dir_all(&folder).expect("ours");
    }
}
