//! Named pipes: file names to which the programs of a run write.
//!
//! A [`Mailbox`] takes the reports of several processes. In a file they would overwrite each other;
//! in a pipe, each write of at most 4 KiB stays together and comes after earlier ones (pipe(7),
//! `PIPE_BUF`). Opening it never waits, because the mailbox itself keeps both ends open.
//!
//! An [`Outlet`] takes the output of a program. However much it prints, it is not blocked for long
//! and costs neither memory nor disk: a thread of ours reads the output and passes it on. Only for
//! untimed runs, because reading takes processor time.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::sys::descriptors;

/// A pipe with a name, removed with this value.
#[derive(Debug)]
struct NamedPipe(PathBuf);

impl NamedPipe {
    /// Makes one at `path`, which must not exist yet, and opens both of its ends, which does not
    /// block (fifo(7)).
    fn make(path: &Path) -> io::Result<(Self, File)> {
        descriptors::make_named_pipe(&CString::new(path.as_os_str().as_bytes())?)?;
        let pipe = Self(path.to_owned());
        let ends = OpenOptions::new().read(true).write(true).open(path)?;
        Ok((pipe, ends))
    }
}

impl Drop for NamedPipe {
    fn drop(&mut self) {
        // It may have been removed already.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The capacity of a mailbox: Linux's default limit for users other than root (pipe(7),
/// `pipe-max-size`).
const CAPACITY_BYTES: i32 = 1 << 20;

/// A named pipe for reports.
#[derive(Debug)]
pub struct Mailbox {
    pipe: NamedPipe,
    ends: File,
}

impl Mailbox {
    /// Creates one at `path`, which must not exist yet.
    pub fn new(path: &Path) -> io::Result<Self> {
        let (pipe, ends) = NamedPipe::make(path)?;
        descriptors::set_nonblocking(&ends)?;
        // If it cannot be widened, it has to be emptied sooner.
        let _ = descriptors::widen_pipe(&ends, CAPACITY_BYTES);
        Ok(Self { pipe, ends })
    }

    /// The file that programs write to.
    pub fn path(&self) -> &Path {
        &self.pipe.0
    }

    /// Appends everything written so far to `received`. Must be called regularly while programs
    /// run, because a writer blocks when the mailbox is full.
    pub fn empty_into(&mut self, received: &mut Vec<u8>) -> io::Result<()> {
        match self.ends.read_to_end(received) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// The capacity of pipes on Linux (pipe(7)), so one read empties one.
const CHUNK_BYTES: usize = 64 * 1024;

/// The longest wait for the end of the output after the program has ended. Only a process that
/// keeps the pipe open can make it that long.
const PATIENCE: Duration = Duration::from_secs(5);

/// A named pipe for output, which goes into a sink.
#[derive(Debug)]
pub struct Outlet<S> {
    pipe: NamedPipe,
    /// Keeps the reader waiting until the program has opened the pipe.
    keeper: File,
    read: Receiver<io::Result<S>>,
}

impl<S: Write + Send + 'static> Outlet<S> {
    /// Creates one at `path`, which must not exist yet, and passes everything written to it on to
    /// `sink`.
    pub fn open(path: &Path, sink: S) -> io::Result<Self> {
        let (pipe, keeper) = NamedPipe::make(path)?;
        // Another opening, which ends when all writers are gone.
        let reader = File::open(path)?;
        let (sender, read) = channel();
        thread::Builder::new().spawn(move || {
            // The receiver is gone if this took too long.
            let _ = sender.send(hand_on(reader, sink));
        })?;
        Ok(Self { pipe, keeper, read })
    }

    /// The file that programs write to.
    pub fn path(&self) -> &Path {
        &self.pipe.0
    }

    /// The sink with everything that was written; `None` if a process still has the pipe open.
    pub fn close(self) -> io::Result<Option<S>> {
        self.close_within(PATIENCE)
    }

    fn close_within(self, patience: Duration) -> io::Result<Option<S>> {
        drop(self.keeper);
        match self.read.recv_timeout(patience) {
            Ok(sink) => sink.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(ErrorKind::BrokenPipe.into()),
        }
    }
}

fn hand_on<S: Write>(mut pipe: File, mut sink: S) -> io::Result<S> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => return Ok(sink),
            Ok(length) => sink.write_all(&chunk[..length])?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_several_writers_leave_is_all_there_and_nobody_waits() {
        let path = path();
        let mut mailbox = Mailbox::new(&path).expect("nothing was there");
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
        assert!(!path.exists());
    }

    fn path() -> PathBuf {
        let (process, thread) = (std::process::id(), thread::current().id());
        std::env::temp_dir().join(format!("brisk-pipe-{process}-{thread:?}"))
    }

    /// Writes like a program whose output is redirected to the path.
    fn print(path: &Path, bytes: &[u8]) {
        File::create(path).and_then(|mut file| file.write_all(bytes)).expect("it is read");
    }

    #[test]
    fn everything_arrives_however_much_it_is() {
        let path = path();
        let text: Vec<u8> = (0..3_000_000_u32).map(|i| (i % 251) as u8).collect();
        for bytes in [&text[..], b"short", b""] {
            let outlet = Outlet::open(&path, Vec::new()).expect("nothing was there");
            print(outlet.path(), bytes);
            let read = outlet.close().expect("readable").expect("nobody has it open");
            assert!(read == bytes, "{} of {} bytes", read.len(), bytes.len());
        }
        assert!(!path.exists());
    }

    #[test]
    fn an_output_that_nobody_opened_is_empty() {
        let outlet = Outlet::open(&path(), Vec::new()).expect("nothing was there");
        assert_eq!(outlet.close().expect("readable"), Some(Vec::new()));
    }

    #[test]
    fn an_output_that_somebody_has_open_has_no_end() {
        let outlet = Outlet::open(&path(), Vec::new()).expect("nothing was there");
        let mut held = File::create(outlet.path()).expect("it is read");
        held.write_all(b"so far").expect("it is read");
        let closed = outlet.close_within(Duration::from_millis(20));
        assert_eq!(closed.expect("readable"), None);
    }

    #[test]
    fn nothing_that_is_there_is_taken_for_a_pipe() {
        let path = path();
        std::fs::write(&path, "mine").expect("writable");
        assert!(Mailbox::new(&path).is_err() && Outlet::open(&path, Vec::new()).is_err());
        assert_eq!(std::fs::read(&path).expect("still there"), b"mine");
        std::fs::remove_file(&path).expect("ours");
    }
}
