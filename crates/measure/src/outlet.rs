//! A named pipe for the output of a program, read while it is written.
//!
//! A program whose standard output is a file of this name is not blocked for long and costs neither
//! memory nor disk, however much it prints: a thread of ours reads the output and passes it on.
//! Only for untimed runs, because reading takes processor time.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::sys::descriptors;

/// The capacity of pipes on Linux (pipe(7)), so one read empties one.
const CHUNK_BYTES: usize = 64 * 1024;

/// The longest wait for the end of the output after the program has ended. Only a process that
/// keeps the pipe open can make it that long.
const PATIENCE: Duration = Duration::from_secs(5);

/// A named pipe, removed with this value.
#[derive(Debug)]
pub struct Outlet<S> {
    path: PathBuf,
    /// Keeps the reader waiting until the program has opened the pipe.
    keeper: Option<File>,
    read: Receiver<io::Result<S>>,
}

impl<S: Write + Send + 'static> Outlet<S> {
    /// Creates one at `path`, which must not exist yet, and passes everything written to it on to
    /// `sink`.
    ///
    /// # Errors
    ///
    /// When the pipe or the thread cannot be made.
    pub fn open(path: &Path, sink: S) -> io::Result<Self> {
        descriptors::make_named_pipe(&CString::new(path.as_os_str().as_bytes())?)?;
        let opened = || {
            // Opening for both directions does not block (fifo(7)), and then neither does opening
            // the reader.
            let keeper = OpenOptions::new().read(true).write(true).open(path)?;
            let pipe = File::open(path)?;
            let (sender, read) = channel();
            thread::Builder::new().spawn(move || {
                // The receiver is gone if this took too long.
                let _ = sender.send(hand_on(pipe, sink));
            })?;
            Ok(Self { path: path.to_owned(), keeper: Some(keeper), read })
        };
        opened().inspect_err(|_| {
            // The path was not handed out yet.
            let _ = std::fs::remove_file(path);
        })
    }

    /// The file that programs write to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The sink with everything that was written; `None` if a process still has the pipe open.
    ///
    /// # Errors
    ///
    /// When the pipe could not be read, or the sink could not be written.
    pub fn close(self) -> io::Result<Option<S>> {
        self.close_within(PATIENCE)
    }

    fn close_within(mut self, patience: Duration) -> io::Result<Option<S>> {
        self.keeper = None;
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

impl<S> Drop for Outlet<S> {
    fn drop(&mut self) {
        // It may have been removed already.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> PathBuf {
        let id = (std::process::id(), std::thread::current().id());
        std::env::temp_dir().join(format!("brisk-outlet-{}-{:?}", id.0, id.1))
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
    fn nothing_that_is_there_is_taken_for_an_outlet() {
        let path = path();
        std::fs::write(&path, "mine").expect("writable");
        assert!(Outlet::open(&path, Vec::new()).is_err());
        assert_eq!(std::fs::read(&path).expect("still there"), b"mine");
        std::fs::remove_file(&path).expect("ours");
    }
}
