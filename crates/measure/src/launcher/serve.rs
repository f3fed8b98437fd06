//! The launcher process: serves slices until the other half is gone.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::panic;

use crate::launcher::run::{Bench, Done};
use crate::launcher::{FromLauncher, HEADER_BYTES, Running, StopReason, ToLauncher, parse_header};
use crate::readings::FinishedRun;
use crate::record::encode_record;
use crate::sys::{descriptors, errno, process, signals};
use crate::task::Task;
use crate::wire::{Reader, Wire};

/// Finished runs are handed over when they reach this size: the memory of this process is a lower
/// bound of the peak memory of its runs.
const HAND_OVER_BYTES: usize = 64 * 1024;

/// The exit code when something fails that cannot be reported (EX_OSERR of sysexits.h).
const BROKEN: i32 = 71;

/// Runs `work` and then ends the process, also after a panic: unwinding from here would run the
/// caller's code in a second process. A hook is called whether panics unwind or abort.
pub(super) fn end_with(work: impl FnOnce() -> io::Result<()>) -> ! {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        tell(panic);
        process::exit_now(BROKEN);
    }));
    process::exit_now(if work().is_ok() { 0 } else { BROKEN })
}

/// Serves the other half until it is gone. `running` shows it the running processes.
pub(super) fn serve(socket: UnixStream, running: Running) -> io::Result<()> {
    settle(&socket)?;
    Server::new(socket, running)?.serve()
}

/// Turns the copy of the caller made by fork(2) into a launcher.
fn settle(socket: &UnixStream) -> io::Result<()> {
    signals::restore_defaults();
    // The other half decides when to stop, and sends a message. The launcher must survive a signal
    // to the whole job, to end the running program and to hand over finished runs.
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        signals::ignore(signal);
    }
    // Writing a journal beyond the file size limit should fail instead.
    signals::ignore(libc::SIGXFSZ);
    signals::notice_continuations()?;
    process::set_name(c"brisk-launcher");
    process::lead_own_group()?;
    process::adopt_orphans()?;
    // Another launcher's socket may be among them, whose end would then never be noticed.
    descriptors::close_all_but(&[socket.as_raw_fd()]);
    Ok(())
}

struct Server {
    socket: UnixStream,
    bench: Bench,
    /// Records not yet handed over.
    pending: Vec<u8>,
    record: Vec<u8>,
}

/// A slice as received.
struct Received {
    body: Vec<u8>,
    journal: Option<File>,
}

impl Server {
    fn new(socket: UnixStream, running: Running) -> io::Result<Self> {
        Ok(Self {
            socket,
            bench: Bench::new(running)?,
            pending: Vec::with_capacity(HAND_OVER_BYTES),
            record: Vec::new(),
        })
    }

    fn serve(&mut self) -> io::Result<()> {
        while let Some(slice) = self.next_slice()? {
            let end = match self.run_slice(&slice) {
                Ok(Some(end)) => end,
                Ok(None) => return Ok(()),
                Err(error) => FromLauncher::Broken(errno(&error)),
            };
            self.hand_over()?;
            self.socket.write_all(&end.encode())?;
        }
        Ok(())
    }

    /// The next slice, or `None` if the other half is gone.
    fn next_slice(&mut self) -> io::Result<Option<Received>> {
        loop {
            let Some((header, journal)) = self.next_header()? else { return Ok(None) };
            let (kind, length) = parse_header(header);
            let mut body = vec![0; length];
            self.socket.read_exact(&mut body)?;
            match ToLauncher::from_kind(kind).map_err(io::Error::other)? {
                ToLauncher::Slice => {
                    return Ok(Some(Received { body, journal: journal.map(File::from) }));
                }
                // Meant for a slice that had already finished.
                ToLauncher::Abort => {}
            }
        }
    }

    fn next_header(&mut self) -> io::Result<Option<([u8; HEADER_BYTES], Option<OwnedFd>)>> {
        let mut header = [0; HEADER_BYTES];
        let (length, journal) = loop {
            match descriptors::receive_with_descriptor(&self.socket, &mut header) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                received => break received?,
            }
        };
        if length == 0 {
            return Ok(None);
        }
        self.socket.read_exact(&mut header[length..])?;
        Ok(Some((header, journal)))
    }

    /// The end of the slice; `None` if the other half is gone.
    fn run_slice(&mut self, slice: &Received) -> io::Result<Option<FromLauncher>> {
        let mut tasks = Reader::new(&slice.body);
        for index in 0..tasks.count().map_err(io::Error::other)? {
            let task = Task::decode(&mut tasks).map_err(io::Error::other)?;
            let stopped = match self.bench.run(&task, &self.socket)? {
                Done::Finished(run) => self.keep(&run, &task, index, slice.journal.as_ref())?,
                Done::Aborted => Some(StopReason::Aborted),
                Done::Abandoned => return Ok(None),
                Done::Disturbed => Some(StopReason::Disturbed { index }),
                Done::CannotStart(obstacle, errno) => {
                    Some(StopReason::CannotStart { index, obstacle, errno })
                }
            };
            if let Some(reason) = stopped {
                return Ok(Some(FromLauncher::Stopped(reason)));
            }
        }
        Ok(Some(FromLauncher::Done))
    }

    /// Stores a run, and returns the reason if the slice must end with it.
    fn keep(
        &mut self,
        run: &FinishedRun,
        task: &Task,
        index: usize,
        journal: Option<&File>,
    ) -> io::Result<Option<StopReason>> {
        encode_record(run, &mut self.record);
        if self.pending.len() + self.record.as_slice().len() > HAND_OVER_BYTES {
            self.hand_over()?;
        }
        self.pending.extend_from_slice(self.record.as_slice());
        if let Some(mut journal) = journal.filter(|_| task.timed) {
            // A single write(2), unless for example the disk is full.
            if let Err(error) = journal.write_all(self.record.as_slice()) {
                return Ok(Some(StopReason::JournalWrite { errno: errno(&error) }));
            }
        }
        Ok((!task.allowed.permits(run.outcome)).then_some(StopReason::Failed { index }))
    }

    fn hand_over(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let message = FromLauncher::Records(std::mem::take(&mut self.pending)).encode();
        self.pending.reserve(HAND_OVER_BYTES);
        self.socket.write_all(&message)
    }
}
