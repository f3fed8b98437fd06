//! The launcher: a small process that starts programs and reads what they used.
//!
//! It is forked from us early, while we are small, because Linux starts the
//! peak memory of a program at that of the process it was started by. It runs a
//! *slice* of tasks in a row without talking to us: a round trip per run would
//! cost 7 % of the rate at which short programs can be run. It appends each
//! finished run to a journal itself, so that killing anyone loses at most the
//! run in flight.
//!
//! This file is our half: it sends slices and receives what came of them.
//! `serve` is the other half, and `run` is one run. When we die, the launcher
//! sees the end of the socket and kills what it is running.

mod capture;
mod environment;
mod leftovers;
mod message;
mod run;
mod serve;
mod start;
mod stop;
mod wait;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::clock::Stopwatch;
use crate::counters::{self, Available};
use crate::interrupt;
use crate::readings::FinishedRun;
use crate::record::{Tail, read_journal};
use crate::sys::descriptors::{self, Watch};
use crate::sys::process::{self, Fork, Pid};
use crate::task::{Outcome, Task};
use crate::wire::Reader;
use message::{FromLauncher, HEADER_BYTES, ToLauncher};
pub use stop::{Obstacle, StopReason};

/// The process that runs tasks for us. Dropping it ends that process.
#[derive(Debug)]
pub struct Launcher {
    socket: UnixStream,
    pid: Pid,
    /// How the launcher process ended, once it has.
    ended: Option<Outcome>,
}

/// What came of a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The runs that finished, in the order of their tasks, preparations among
    /// them. After [`StopReason::Failed`] the last one is the one that failed.
    pub finished: Vec<FinishedRun>,
    /// Why tasks remain that were not run; `None` if all were.
    pub stopped: Option<StopReason>,
}

/// What the caller wants while it waits for a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// Go on waiting.
    Continue,
    /// End the run in flight and return what has finished.
    Abort,
}

/// Why the launcher could not do its work. What programs do wrong is a [`StopReason`].
#[derive(Debug, thiserror::Error)]
pub enum LauncherError {
    /// The launcher process could not be made.
    #[error("cannot start the launcher process")]
    Start(#[source] io::Error),
    /// Somebody or something ended the launcher process.
    #[error("the launcher process {pid} died: {}", how_it_died(*.outcome))]
    Died {
        /// Its process id.
        pid: i32,
        /// How it ended.
        outcome: Outcome,
    },
    /// Talking to the launcher process failed.
    #[error("cannot talk to the launcher process")]
    Talk(#[source] io::Error),
    /// The launcher process said something we do not understand.
    #[error("the launcher process sent a malformed reply")]
    Malformed,
    /// A system call failed that cannot fail on a healthy machine.
    #[error("the launcher process could not watch a run")]
    Watch(#[source] io::Error),
}

/// For the first second of waiting the caller is asked this often, then less.
const EAGER_PAUSE: Duration = Duration::from_millis(100);
/// Each time we ask, we wake a CPU that the program may be using.
const PATIENT_PAUSE: Duration = Duration::from_secs(1);

impl Launcher {
    /// Forks the launcher process.
    ///
    /// Call it early, while this process is small (its memory now is the least
    /// peak memory that will ever be reported) and has one thread (only the
    /// calling one exists in the launcher, and what the others had locked stays
    /// locked there). Programs inherit the environment, the working directory
    /// and the standard descriptors that we have now.
    pub fn start() -> Result<Self, LauncherError> {
        let (ours, theirs) = UnixStream::pair().map_err(LauncherError::Start)?;
        match process::fork().map_err(LauncherError::Start)? {
            Fork::Parent(pid) => Ok(Self { socket: ours, pid, ended: None }),
            Fork::Child => serve::serve(theirs),
        }
    }

    /// Runs the tasks in a row until one has an outcome that its task does not allow.
    ///
    /// Every timed run is appended to `journal` when it finishes. `on_wait` is
    /// called every 100 ms, after a second every second, and at once when a
    /// signal comes (see [`crate::interrupt`]).
    ///
    /// After an error the launcher is of no more use; the journal has the runs
    /// that had finished.
    pub fn execute(
        &mut self,
        slice: &[Task],
        journal: Option<&File>,
        on_wait: &mut dyn FnMut() -> Wake,
    ) -> Result<Slice, LauncherError> {
        if let Some(outcome) = self.ended {
            return Err(LauncherError::Died { pid: self.pid, outcome });
        }
        self.send_slice(slice, journal)?;
        let mut finished = Vec::with_capacity(slice.len());
        loop {
            self.wait_for_reply(on_wait)?;
            match self.receive()? {
                FromLauncher::Records(bytes) => match read_journal(&bytes) {
                    (runs, Tail::Clean) => finished.extend(runs),
                    (_, Tail::Torn { .. }) => return Err(LauncherError::Malformed),
                },
                FromLauncher::Done => return Ok(Slice { finished, stopped: None }),
                FromLauncher::Stopped(reason) => {
                    return Ok(Slice { finished, stopped: Some(reason) });
                }
                FromLauncher::Broken(errno) => {
                    return Err(LauncherError::Watch(io::Error::from_raw_os_error(errno)));
                }
            }
        }
    }

    /// Which hardware counters a run can read here. The launcher may read what we may.
    pub fn available_counters(&self) -> Available {
        counters::available()
    }

    /// The process id of the launcher, so that its CPU time can be told from that of others.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    fn send_slice(&mut self, slice: &[Task], journal: Option<&File>) -> Result<(), LauncherError> {
        let bytes = ToLauncher::slice(slice);
        let sent = match journal {
            None => Ok(0),
            Some(journal) => {
                descriptors::send_with_descriptor(&self.socket, &bytes, journal.as_fd())
            }
        };
        let sent = sent.and_then(|sent| self.socket.write_all(&bytes[sent..]));
        sent.map_err(|error| self.talk_error(error))
    }

    /// Returns when the launcher has something to say, asking the caller from time to time.
    fn wait_for_reply(&mut self, on_wait: &mut dyn FnMut() -> Wake) -> Result<(), LauncherError> {
        let waiting = Stopwatch::start();
        let mut asked = Duration::ZERO;
        let mut aborted = false;
        loop {
            let signals = interrupt::wake_fd().map_or(Watch::nothing(), Watch::readable);
            let mut watches = [Watch::readable(self.socket.as_raw_fd()), signals];
            let pause = if asked < Duration::from_secs(1) { EAGER_PAUSE } else { PATIENT_PAUSE };
            let left = (asked + pause).saturating_sub(waiting.elapsed());
            descriptors::poll(&mut watches, Some(left)).map_err(LauncherError::Talk)?;
            if watches[1].is_ready() {
                interrupt::quiet();
            }
            if watches[0].is_ready() {
                return Ok(());
            }
            asked = waiting.elapsed();
            if on_wait() == Wake::Abort && !aborted {
                aborted = true;
                let sent = self.socket.write_all(&ToLauncher::abort());
                sent.map_err(|error| self.talk_error(error))?;
            }
        }
    }

    fn receive(&mut self) -> Result<FromLauncher, LauncherError> {
        let mut header = [0; HEADER_BYTES];
        self.socket.read_exact(&mut header).map_err(|error| self.talk_error(error))?;
        let (kind, length) = message::parse_header(header);
        let mut body = vec![0; length];
        self.socket.read_exact(&mut body).map_err(|error| self.talk_error(error))?;
        FromLauncher::decode(kind, body).map_err(|_| LauncherError::Malformed)
    }

    /// The end of the stream means that the launcher has died; says how.
    fn talk_error(&mut self, error: io::Error) -> LauncherError {
        let hung_up = matches!(
            error.kind(),
            io::ErrorKind::UnexpectedEof
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::ConnectionReset
        );
        if !hung_up {
            return LauncherError::Talk(error);
        }
        match process::wait4(self.pid) {
            Ok((outcome, _)) => {
                self.ended = Some(outcome);
                LauncherError::Died { pid: self.pid, outcome }
            }
            Err(_) => LauncherError::Talk(error),
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        if self.ended.is_none() {
            // It sees the end of its input and exits; then there is something to wait for.
            // Nothing can be done about a failure here, nor does one leave anything behind.
            let _ = self.socket.shutdown(std::net::Shutdown::Both);
            let _ = process::wait4(self.pid);
        }
    }
}

fn how_it_died(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(code) => format!("it exited with status {code}"),
        Outcome::Signalled(signal) => format!("it was ended by signal {signal}"),
        Outcome::TimedOut => "it timed out".to_owned(),
    }
}

/// Reads a message body that holds nothing but `value`.
fn whole<T>(
    body: &[u8],
    decode: impl FnOnce(&mut Reader<'_>) -> Result<T, crate::wire::Malformed>,
) -> Result<T, crate::wire::Malformed> {
    let mut reader = Reader::new(body);
    let value = decode(&mut reader)?;
    if reader.is_empty() { Ok(value) } else { Err(crate::wire::Malformed) }
}
