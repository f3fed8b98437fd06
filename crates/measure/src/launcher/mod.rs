//! The launcher: a small process that starts programs and reads their usage.
//!
//! It is forked early, while this process is small, because Linux starts the peak memory of a
//! program at that of the process that started it. It runs a *slice* of tasks in a row without
//! communication: a round trip per run would cost 7 % of the rate at which short programs can be
//! run. It appends each finished run to a journal itself, so that killing any process loses at most
//! the run in flight.
//!
//! This file is the caller's half, which sends slices and receives their results, and the messages
//! between the two: a kind (1 byte), a length (4 bytes) and a body; a journal's descriptor travels
//! with the first byte of a slice. `serve` is the other half, and `run` is one run. When the caller
//! dies, the launcher sees the end of the socket and kills the running program.

mod leftovers;
mod run;
mod serve;
pub(crate) mod start;
mod wait;

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
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
use crate::task::{MOST_COPIES, Outcome, Task};
use crate::wire::{Malformed, Reader, Wire, append, wire_enum};

/// The process that runs tasks for the caller. Dropping it ends that process.
#[derive(Debug)]
pub struct Launcher {
    socket: UnixStream,
    pid: Pid,
    running: Running,
    /// The end of the launcher process, once it has ended.
    ended: Option<Outcome>,
}

/// The running process groups, noted by the launcher process for its other half: the first copy's,
/// then those of further copies, followed by 0.
type Running = &'static [AtomicI32; MOST_COPIES];

/// The result of a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The runs that finished, in the order of their tasks, including preparations. After
    /// [`StopReason::Failed`] the last one is the one that failed.
    pub finished: Vec<FinishedRun>,
    /// The reason that tasks were not run; `None` if all were.
    pub stopped: Option<StopReason>,
}

/// The caller's decision while it waits for a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// Keep waiting.
    Continue,
    /// End the run in flight and return the finished ones.
    Abort,
}

/// A failure of the launcher. Failures of programs are a [`StopReason`].
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum LauncherError {
    #[error("cannot start the launcher process")]
    Start(#[source] io::Error),
    #[error("the launcher process {pid} died: {}", how_it_died(*.outcome))]
    Died { pid: i32, outcome: Outcome },
    #[error("the launcher process {pid} did not answer, and was killed")]
    Silent { pid: i32 },
    #[error("cannot talk to the launcher process")]
    Talk(#[source] io::Error),
    #[error("the launcher process sent a malformed reply")]
    Malformed,
    /// A system call failed that cannot fail on a healthy machine.
    #[error("the launcher process could not watch a run")]
    Watch(#[source] io::Error),
}

/// The interval of calls to the caller during the first second of waiting.
const EAGER_PAUSE: Duration = Duration::from_millis(100);
/// The interval after that: each call wakes a CPU that the program may be using.
const PATIENT_PAUSE: Duration = Duration::from_secs(1);

/// The time for the launcher to answer a request to end a run, or to read its messages, before it
/// is killed. It needs a fifth of a second for a program that ignores such a request, and two
/// seconds for leftover processes.
const PATIENCE: Duration = Duration::from_secs(5);

impl Launcher {
    /// Forks the launcher process.
    ///
    /// Call it early, while this process is small (its memory now is a lower bound of all reported
    /// peak memory) and has one thread (only the calling one exists in the launcher, and locks held
    /// by others stay locked there). Programs inherit the current environment, working directory
    /// and standard descriptors.
    pub fn start() -> Result<Self, LauncherError> {
        Self::start_as(serve::serve)
    }

    /// The same with another task for the process, for tests of its end.
    #[doc(hidden)]
    pub fn start_as(
        serve: impl FnOnce(UnixStream, Running) -> io::Result<()>,
    ) -> Result<Self, LauncherError> {
        let (ours, theirs) = UnixStream::pair().map_err(LauncherError::Start)?;
        // A launcher that was stopped must not block this process.
        ours.set_read_timeout(Some(EAGER_PAUSE)).map_err(LauncherError::Start)?;
        ours.set_write_timeout(Some(EAGER_PAUSE)).map_err(LauncherError::Start)?;
        let running = process::shared_numbers().map_err(LauncherError::Start)?;
        match process::fork().map_err(LauncherError::Start)? {
            Fork::Parent(pid) => Ok(Self { socket: ours, pid, running, ended: None }),
            Fork::Child => serve::end_with(|| serve(theirs, running)),
        }
    }

    /// Forks another launcher process if this one's has ended, for tasks that must run anyway, such
    /// as cleaning up: peak memory that it reads starts at this process's current memory.
    pub fn revive(&mut self) -> Result<(), LauncherError> {
        if self.ended.is_some() {
            *self = Self::start()?;
        }
        Ok(())
    }

    /// Runs the tasks in a row until one has an outcome that its task does not allow.
    ///
    /// Every timed run is appended to `journal` when it finishes. `on_wait` is called every 100 ms,
    /// after a second every second, and at once when a signal arrives (see [`crate::interrupt`]).
    ///
    /// After an error the launcher cannot be used any more; the journal has the runs that had
    /// finished.
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

    /// The hardware counters that a run can read here. The launcher has the same permissions.
    pub fn available_counters(&self) -> Available {
        counters::available()
    }

    /// The process id of the launcher, to separate its CPU time from that of others.
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
                0 => Err(ErrorKind::UnexpectedEof.into()),
                received => Ok(received),
            })?;
            buffer = &mut buffer[received..];
        }
        Ok(())
    }

    /// Talks to the launcher, and retries for a limited time while it is not listening.
    fn patiently<T>(
        &mut self,
        mut talk: impl FnMut(&UnixStream) -> io::Result<T>,
    ) -> Result<T, LauncherError> {
        let trying = Stopwatch::start();
        loop {
            match talk(&self.socket) {
                Ok(done) => return Ok(done),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.go_on_if_stopped();
                    if trying.elapsed() > PATIENCE {
                        return Err(self.silenced());
                    }
                }
                Err(error) => return Err(self.talk_error(error)),
            }
        }
    }

    /// Continues the launcher process if it was stopped.
    fn go_on_if_stopped(&self) {
        if process::stopped_by(self.pid).is_some() {
            process::signal_process(self.pid, libc::SIGCONT);
        }
    }

    /// Kills a launcher that does not answer, and its programs.
    fn silenced(&mut self) -> LauncherError {
        process::signal_process(self.pid, libc::SIGKILL);
        match self.reap() {
            Ok(_) => LauncherError::Silent { pid: self.pid },
            Err(error) => LauncherError::Talk(error),
        }
    }

    /// Waits for the launcher's end for a limited time, and continues it if it was stopped.
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

    /// Waits for the end of the launcher process, and kills the programs that it leaves running.
    fn reap(&mut self) -> io::Result<Outcome> {
        let (outcome, _) = process::wait4(self.pid)?;
        self.ended = Some(outcome);
        let groups = self.running.iter().map(|group| group.swap(0, Ordering::SeqCst));
        groups.take_while(|&group| group > 1).for_each(leftovers::end_with_descendants);
        Ok(outcome)
    }

    /// Waits for a message from the launcher, and asks the caller from time to time.
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
        let (kind, length) = parse_header(header);
        let mut body = vec![0; length];
        self.receive_exactly(&mut body)?;
        FromLauncher::decode(kind, body).map_err(|_| LauncherError::Malformed)
    }

    /// The error for a failed exchange: the end of the stream means that the launcher has died, so
    /// its outcome is added.
    fn talk_error(&mut self, error: io::Error) -> LauncherError {
        let hung_up = matches!(
            error.kind(),
            ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset
        );
        if !hung_up {
            return LauncherError::Talk(error);
        }
        match self.reap() {
            Ok(outcome) => LauncherError::Died { pid: self.pid, outcome },
            Err(_) => LauncherError::Talk(error),
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        if self.ended.is_none() {
            // It sees the end of its input and exits, which makes waiting possible. A failure here
            // cannot be handled, and leaves nothing behind.
            let _ = self.socket.shutdown(std::net::Shutdown::Both);
            if !matches!(self.exits_by_itself(), Ok(true)) {
                process::signal_process(self.pid, libc::SIGKILL);
            }
            let _ = self.reap();
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

/// Decodes a message body that contains nothing but one value.
fn whole<T: Wire>(body: &[u8]) -> Result<T, Malformed> {
    let mut reader = Reader::new(body);
    let value = T::decode(&mut reader)?;
    if reader.is_empty() { Ok(value) } else { Err(Malformed) }
}

/// The reason that tasks of a slice were not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The caller requested it; the run in flight was ended and is not reported.
    Aborted,
    /// A run had an outcome that its task does not allow.
    Failed {
        /// Position of the task in the slice.
        index: usize,
    },
    /// A program could not be started.
    CannotStart {
        /// Position of the task in the slice.
        index: usize,
        /// The obstacle.
        obstacle: Obstacle,
        /// The error number from the kernel.
        errno: i32,
    },
    /// The launcher itself was stopped (SIGSTOP) during a run, so the run has no valid readings.
    Disturbed {
        /// Position of the task in the slice.
        index: usize,
    },
    /// A finished run could not be appended to the journal. It is still reported.
    JournalWrite {
        /// The error number from the kernel.
        errno: i32,
    },
}

/// The obstacle to starting a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The program's file.
    Program,
    /// Its working directory.
    Directory,
    /// Its input file.
    Stdin,
    /// Its output file.
    Stdout,
}

wire_enum!(StopReason {
    0 = Aborted,
    1 = Failed { index },
    2 = CannotStart { index, obstacle, errno },
    3 = JournalWrite { errno },
    4 = Disturbed { index },
});
wire_enum!(Obstacle { 0 = Program, 1 = Directory, 2 = Stdin, 3 = Stdout });

/// Bytes before the body.
pub(super) const HEADER_BYTES: usize = 5;

/// A message to the launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToLauncher {
    /// Run the tasks in the body.
    Slice,
    /// End the run in flight and the slice with it. Ignored between slices.
    Abort,
}

/// A message from the launcher.
#[derive(Debug)]
pub(super) enum FromLauncher {
    /// These runs, as journal records, have finished; more messages follow.
    Records(Vec<u8>),
    /// All tasks of the slice have run.
    Done,
    /// The slice ended early.
    Stopped(StopReason),
    /// A run cannot be watched because of this error number from the kernel.
    Broken(i32),
}

impl ToLauncher {
    /// The message that asks for these tasks.
    pub(super) fn slice(tasks: &[Task]) -> Vec<u8> {
        let mut body = Vec::new();
        tasks.len().encode(&mut body);
        tasks.iter().for_each(|task| task.encode(&mut body));
        framed(0, body.as_slice())
    }

    /// The message that ends the run in flight.
    pub(super) fn abort() -> Vec<u8> {
        framed(1, &[])
    }

    pub(super) fn from_kind(kind: u8) -> Result<Self, Malformed> {
        match kind {
            0 => Ok(Self::Slice),
            1 => Ok(Self::Abort),
            _ => Err(Malformed),
        }
    }
}

impl FromLauncher {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        match self {
            Self::Records(bytes) => return framed(0, bytes),
            Self::Done => return framed(1, &[]),
            Self::Stopped(reason) => reason.encode(&mut body),
            Self::Broken(errno) => {
                errno.encode(&mut body);
                return framed(3, body.as_slice());
            }
        }
        framed(2, body.as_slice())
    }

    pub(super) fn decode(kind: u8, body: Vec<u8>) -> Result<Self, Malformed> {
        match kind {
            0 => Ok(Self::Records(body)),
            1 => Ok(Self::Done),
            2 => whole(&body).map(Self::Stopped),
            3 => whole(&body).map(Self::Broken),
            _ => Err(Malformed),
        }
    }
}

/// The kind and the length of the body that follows.
pub(super) fn parse_header(header: [u8; HEADER_BYTES]) -> (u8, usize) {
    let [kind, length @ ..] = header;
    (kind, u32::from_le_bytes(length) as usize)
}

fn framed(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut message = Vec::with_capacity(HEADER_BYTES + body.len());
    message.push(kind);
    append(&mut message, body);
    message
}
