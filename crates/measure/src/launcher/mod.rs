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
mod stops;
mod usage;
mod wait;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use crate::clock::Stopwatch;
use crate::counters::{self, Available};
use crate::interrupt;
use crate::readings::FinishedRun;
use crate::record::{Tail, read_journal};
use crate::sys::descriptors::{self, Watch};
use crate::sys::process::{self, Fork, Pid};
use crate::sys::shared;
use crate::task::{MOST_COPIES, Outcome, Task};
use crate::wire::Reader;
use message::{FromLauncher, HEADER_BYTES, ToLauncher};
pub use stop::{Obstacle, StopReason};

/// The process that runs tasks for us. Dropping it ends that process.
#[derive(Debug)]
pub struct Launcher {
    socket: UnixStream,
    pid: Pid,
    running: Running,
    /// How the launcher process ended, once it has.
    ended: Option<Outcome>,
}

/// The groups that run, as the launcher process notes them for its other half: the first of them, and
/// those of further copies behind it. Behind the last is 0.
type Running = &'static [AtomicI32; MOST_COPIES];

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
    /// The launcher process did not do what it was told, and we ended it.
    #[error("the launcher process {pid} did not answer, and was killed")]
    Silent {
        /// Its process id.
        pid: i32,
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

/// How long the launcher may take to answer when it was told to end a run, or to read what it is
/// sent, before it is ended. It needs a fifth of a second for a program that does not end when it
/// is asked to, and two for what one left behind.
const PATIENCE: Duration = Duration::from_secs(5);

impl Launcher {
    /// Forks the launcher process.
    ///
    /// Call it early, while this process is small (its memory now is the least
    /// peak memory that will ever be reported) and has one thread (only the
    /// calling one exists in the launcher, and what the others had locked stays
    /// locked there). Programs inherit the environment, the working directory
    /// and the standard descriptors that we have now.
    pub fn start() -> Result<Self, LauncherError> {
        Self::start_as(serve::serve)
    }

    /// The same with something else to do for the process, for checks of how it ends.
    #[doc(hidden)]
    pub fn start_as(
        serve: impl FnOnce(UnixStream, Running) -> io::Result<()>,
    ) -> Result<Self, LauncherError> {
        let (ours, theirs) = UnixStream::pair().map_err(LauncherError::Start)?;
        // So that a launcher that somebody stopped does not stop us.
        ours.set_read_timeout(Some(EAGER_PAUSE)).map_err(LauncherError::Start)?;
        ours.set_write_timeout(Some(EAGER_PAUSE)).map_err(LauncherError::Start)?;
        let running = shared::numbers().map_err(LauncherError::Start)?;
        match process::fork().map_err(LauncherError::Start)? {
            Fork::Parent(pid) => Ok(Self { socket: ours, pid, running, ended: None }),
            Fork::Child => serve::end_with(|| serve(theirs, running)),
        }
    }

    /// Forks another launcher process where this one's has ended, for what must be run all the
    /// same, such as cleaning up: peak memory that it reads starts at what we hold now.
    pub fn revive(&mut self) -> Result<(), LauncherError> {
        if self.ended.is_some() {
            *self = Self::start()?;
        }
        Ok(())
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
        let mut sent = 0;
        if let Some(journal) = journal {
            sent = self.patiently(|socket| {
                descriptors::send_with_descriptor(socket, &bytes, journal.as_fd())
            })?;
        }
        self.send(&bytes[sent..])
    }

    fn send(&mut self, mut bytes: &[u8]) -> Result<(), LauncherError> {
        while !bytes.is_empty() {
            let sent = self.patiently(|mut socket| socket.write(bytes))?;
            bytes = &bytes[sent..];
        }
        Ok(())
    }

    fn receive_exactly(&mut self, mut buffer: &mut [u8]) -> Result<(), LauncherError> {
        while !buffer.is_empty() {
            let received = self.patiently(|mut socket| match socket.read(buffer)? {
                0 => Err(io::ErrorKind::UnexpectedEof.into()),
                received => Ok(received),
            })?;
            buffer = &mut buffer[received..];
        }
        Ok(())
    }

    /// Talks to the launcher, and tries again while it is not listening; not for ever.
    fn patiently<T>(
        &mut self,
        mut talk: impl FnMut(&UnixStream) -> io::Result<T>,
    ) -> Result<T, LauncherError> {
        let trying = Stopwatch::start();
        loop {
            match talk(&self.socket) {
                Ok(done) => return Ok(done),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.go_on_if_stopped();
                    if trying.elapsed() > PATIENCE {
                        return Err(self.silenced());
                    }
                }
                Err(error) => return Err(self.talk_error(error)),
            }
        }
    }

    /// Has the launcher process go on where somebody stopped it.
    fn go_on_if_stopped(&self) {
        if process::stopped_by(self.pid).is_some() {
            process::signal_process(self.pid, libc::SIGCONT);
        }
    }

    /// Ends a launcher that does not answer, and what it runs.
    fn silenced(&mut self) -> LauncherError {
        process::signal_process(self.pid, libc::SIGKILL);
        match process::wait4(self.pid) {
            Ok((outcome, _)) => {
                self.has_ended(outcome);
                LauncherError::Silent { pid: self.pid }
            }
            Err(error) => LauncherError::Talk(error),
        }
    }

    /// Waits for the launcher's end, also where somebody has stopped it; not for ever.
    fn exits_by_itself(&self) -> io::Result<bool> {
        let pidfd = process::open_pidfd(self.pid)?;
        let waiting = Stopwatch::start();
        let mut end = [Watch::readable(pidfd.as_raw_fd())];
        while !end[0].is_ready() {
            if waiting.elapsed() > PATIENCE {
                return Ok(false);
            }
            self.go_on_if_stopped();
            descriptors::poll(&mut end, Some(EAGER_PAUSE))?;
        }
        Ok(true)
    }

    /// The launcher process has ended, which leaves nobody to end what it ran.
    fn has_ended(&mut self, outcome: Outcome) {
        self.ended = Some(outcome);
        let groups = self.running.iter().map(|group| group.swap(0, Ordering::SeqCst));
        groups.take_while(|&group| group > 1).for_each(leftovers::end_with_descendants);
    }

    /// Returns when the launcher has something to say, asking the caller from time to time.
    fn wait_for_reply(&mut self, on_wait: &mut dyn FnMut() -> Wake) -> Result<(), LauncherError> {
        let waiting = Stopwatch::start();
        let mut asked = Duration::ZERO;
        let mut aborted: Option<Duration> = None;
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
            self.go_on_if_stopped();
            match aborted {
                None if on_wait() == Wake::Abort => {
                    aborted = Some(asked);
                    self.send(&ToLauncher::abort())?;
                }
                Some(since) if asked.saturating_sub(since) > PATIENCE => {
                    return Err(self.silenced());
                }
                None | Some(_) => {}
            }
        }
    }

    fn receive(&mut self) -> Result<FromLauncher, LauncherError> {
        let mut header = [0; HEADER_BYTES];
        self.receive_exactly(&mut header)?;
        let (kind, length) = message::parse_header(header);
        let mut body = vec![0; length];
        self.receive_exactly(&mut body)?;
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
                self.has_ended(outcome);
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
            if !matches!(self.exits_by_itself(), Ok(true)) {
                process::signal_process(self.pid, libc::SIGKILL);
            }
            if let Ok((outcome, _)) = process::wait4(self.pid) {
                self.has_ended(outcome);
            }
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
