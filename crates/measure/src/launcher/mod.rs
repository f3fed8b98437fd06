//! The launcher: a small process that starts programs and reads their usage.
//!
//! It is forked early, while this process is small, because Linux starts the peak memory of a
//! program at that of the process that started it. It runs a *slice* of tasks in a row without
//! communication: a round trip per run would cost 7 % of the rate at which short programs can be
//! run. It appends each finished run to a journal itself, so that killing any process loses at most
//! the run in flight.
//!
//! This file is the caller's half: it sends slices and receives their results. `serve` is the other
//! half, and `run` is one run. When the caller dies, the launcher sees the end of the socket and
//! kills the running program.

mod leftovers;
mod message;
mod run;
mod serve;
mod start;
mod stops;
mod wait;

use std::ffi::{CStr, CString, NulError, OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use message::{FromLauncher, HEADER_BYTES, ToLauncher};

use crate::clock::Stopwatch;
use crate::counters::{self, Available};
use crate::interrupt;
use crate::readings::FinishedRun;
use crate::record::{Tail, read_journal};
use crate::sys::descriptors::{self, Watch};
use crate::sys::process::{self, Fork, Pid};
use crate::sys::shared;
use crate::task::{MOST_COPIES, Outcome, PADDING_VARIABLE, Task};
use crate::units::Microseconds;
use crate::wire::{Malformed, Reader, Writer};

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
pub enum LauncherError {
    /// The launcher process could not be made.
    #[error("cannot start the launcher process")]
    Start(#[source] io::Error),
    /// The launcher process was ended from outside.
    #[error("the launcher process {pid} died: {}", how_it_died(*.outcome))]
    Died {
        /// Its process id.
        pid: i32,
        /// Its outcome.
        outcome: Outcome,
    },
    /// The launcher process did not react, and was killed.
    #[error("the launcher process {pid} did not answer, and was killed")]
    Silent {
        /// Its process id.
        pid: i32,
    },
    /// Talking to the launcher process failed.
    #[error("cannot talk to the launcher process")]
    Talk(#[source] io::Error),
    /// The launcher process sent a reply that is not understood.
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
        let running = shared::numbers().map_err(LauncherError::Start)?;
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
                0 => Err(io::ErrorKind::UnexpectedEof.into()),
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

    /// Continues the launcher process if it was stopped.
    fn go_on_if_stopped(&self) {
        if process::stopped_by(self.pid).is_some() {
            process::signal_process(self.pid, libc::SIGCONT);
        }
    }

    /// Kills a launcher that does not answer, and its programs.
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

    /// Records the end of the launcher process, and kills the programs that it leaves running.
    fn has_ended(&mut self, outcome: Outcome) {
        self.ended = Some(outcome);
        let groups = self.running.iter().map(|group| group.swap(0, Ordering::SeqCst));
        groups.take_while(|&group| group > 1).for_each(leftovers::end_with_descendants);
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
        let (kind, length) = message::parse_header(header);
        let mut body = vec![0; length];
        self.receive_exactly(&mut body)?;
        FromLauncher::decode(kind, body).map_err(|_| LauncherError::Malformed)
    }

    /// The error for a failed exchange: the end of the stream means that the launcher has died, so
    /// its outcome is added.
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
            // It sees the end of its input and exits, which makes waiting possible. A failure here
            // cannot be handled, and leaves nothing behind.
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

/// Decodes a message body that contains nothing but one value.
fn whole<T>(
    body: &[u8],
    decode: impl FnOnce(&mut Reader<'_>) -> Result<T, crate::wire::Malformed>,
) -> Result<T, crate::wire::Malformed> {
    let mut reader = Reader::new(body);
    let value = decode(&mut reader)?;
    if reader.is_empty() { Ok(value) } else { Err(crate::wire::Malformed) }
}

// Resource usage of processes, as reported by `wait4`, and its sums.

/// The usage of two processes together; for the peaks of memory the larger.
fn together(mut sum: libc::rusage, one: libc::rusage) -> libc::rusage {
    // musl has more fields, which are private.
    sum.ru_utime = added(sum.ru_utime, one.ru_utime);
    sum.ru_stime = added(sum.ru_stime, one.ru_stime);
    sum.ru_maxrss = sum.ru_maxrss.max(one.ru_maxrss);
    sum.ru_minflt += one.ru_minflt;
    sum.ru_majflt += one.ru_majflt;
    sum.ru_nvcsw += one.ru_nvcsw;
    sum.ru_nivcsw += one.ru_nivcsw;
    sum.ru_inblock += one.ru_inblock;
    sum.ru_oublock += one.ru_oublock;
    sum
}

/// User and system time.
fn cpu_time(usage: &libc::rusage) -> Microseconds {
    Microseconds(microseconds(usage.ru_utime).0 + microseconds(usage.ru_stime).0)
}

fn microseconds(time: libc::timeval) -> Microseconds {
    Microseconds(time.tv_sec.cast_unsigned() * 1_000_000 + time.tv_usec.cast_unsigned())
}

/// The sum of two times; its microseconds may exceed a second.
fn added(one: libc::timeval, other: libc::timeval) -> libc::timeval {
    libc::timeval { tv_sec: one.tv_sec + other.tv_sec, tv_usec: one.tv_usec + other.tv_usec }
}

// The reason that a slice ended before its last task.

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

impl StopReason {
    fn encode(&self, out: &mut Writer) {
        match self {
            Self::Aborted => out.u8(0),
            Self::Failed { index } => {
                out.u8(1);
                out.count(*index);
            }
            Self::CannotStart { index, obstacle, errno } => {
                out.u8(2);
                out.count(*index);
                out.u8(match obstacle {
                    Obstacle::Program => 0,
                    Obstacle::Directory => 1,
                    Obstacle::Stdin => 2,
                    Obstacle::Stdout => 3,
                });
                out.i32(*errno);
            }
            Self::JournalWrite { errno } => {
                out.u8(3);
                out.i32(*errno);
            }
            Self::Disturbed { index } => {
                out.u8(4);
                out.count(*index);
            }
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match from.u8()? {
            0 => Self::Aborted,
            1 => Self::Failed { index: from.u32()? as usize },
            2 => Self::CannotStart {
                index: from.u32()? as usize,
                obstacle: match from.u8()? {
                    0 => Obstacle::Program,
                    1 => Obstacle::Directory,
                    2 => Obstacle::Stdin,
                    3 => Obstacle::Stdout,
                    _ => return Err(Malformed),
                },
                errno: from.i32()?,
            },
            3 => Self::JournalWrite { errno: from.i32()? },
            4 => Self::Disturbed { index: from.u32()? as usize },
            _ => return Err(Malformed),
        })
    }
}

// A pipe that is emptied while the program runs, keeping only the end.
//
// A program that writes a gigabyte is not blocked and costs no memory. The pipe outlives the run,
// because making one per run would cost time; if a process may still hold it after a run, a new
// one is made.

/// The default number of bytes kept of the end.
const KEPT_BYTES: usize = crate::task::STDERR_KEPT_BYTES as usize;

/// The capacity of pipes on Linux (pipe(7)), so one read empties one.
const CHUNK_BYTES: usize = 64 * 1024;

/// A buffer for output that is about to be dropped.
type Chunk = Box<[u8; CHUNK_BYTES]>;

/// A chunk to share between all captures.
fn new_chunk() -> Chunk {
    Box::new([0; CHUNK_BYTES])
}

/// One captured stream.
#[derive(Debug)]
struct Capture {
    reader: File,
    writer: File,
    tail: Vec<u8>,
    kept_bytes: usize,
}

impl Capture {
    fn new() -> io::Result<Self> {
        let (reader, writer) = descriptors::pipe()?;
        Ok(Self {
            reader: reader.into(),
            writer: writer.into(),
            tail: Vec::with_capacity(2 * KEPT_BYTES),
            kept_bytes: KEPT_BYTES,
        })
    }

    /// Keeps this number of bytes of the end from now on.
    fn keep(&mut self, bytes: usize) {
        self.kept_bytes = bytes;
    }

    /// The end that becomes readable when the program has written.
    fn reading_end(&self) -> RawFd {
        self.reader.as_raw_fd()
    }

    /// The end that the program gets.
    fn writing_end(&self) -> RawFd {
        self.writer.as_raw_fd()
    }

    /// Reads once, and returns true if there was data; more may be left for the next read.
    fn read_some(&mut self, chunk: &mut Chunk) -> io::Result<bool> {
        match self.reader.read(&mut chunk[..]) {
            Ok(0) => Ok(false),
            Ok(length) => {
                keep_end(&mut self.tail, &chunk[..length], self.kept_bytes);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Reads everything available now. Only for use after all writers are gone: with an active one
    /// it may never return.
    fn read_all(&mut self, chunk: &mut Chunk) -> io::Result<()> {
        while self.read_some(chunk)? {}
        Ok(())
    }

    /// The end of what was written since the last call.
    fn take_tail(&mut self) -> Vec<u8> {
        let tail = self.tail.clone();
        self.tail.clear();
        // Memory needed for one long output is not kept.
        self.tail.shrink_to(2 * KEPT_BYTES);
        tail
    }
}

/// Appends `piece`, then drops bytes beyond `kept_bytes` from the front.
fn keep_end(tail: &mut Vec<u8>, piece: &[u8], kept_bytes: usize) {
    let piece = &piece[piece.len().saturating_sub(kept_bytes)..];
    let surplus = (tail.len() + piece.len()).saturating_sub(kept_bytes);
    tail.drain(..surplus);
    tail.extend_from_slice(piece);
}

// The environment of a program: this process's, with the task's changes and padding.

/// One variable in the form `NAME=value`.
#[derive(Debug)]
struct Variable {
    entry: CString,
    name_bytes: usize,
}

impl Variable {
    fn new(name: &OsStr, value: &[u8]) -> Result<Self, NulError> {
        let name_bytes = name.len();
        let mut entry = Vec::with_capacity(name_bytes + 1 + value.len() + 1);
        entry.extend_from_slice(name.as_bytes());
        entry.push(b'=');
        entry.extend_from_slice(value);
        Ok(Self { entry: CString::new(entry)?, name_bytes })
    }

    fn name(&self) -> &[u8] {
        &self.entry.as_bytes()[..self.name_bytes]
    }
}

/// The environment that every program inherits, taken once.
#[derive(Debug)]
struct Inherited(Vec<Variable>);

impl Inherited {
    /// This process's environment.
    fn take() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Variable::new(&name, value.as_bytes()).ok())
            .collect();
        Self(variables)
    }
}

/// The changes of one task.
#[derive(Debug)]
struct Changes {
    set: Vec<Variable>,
    removed: Vec<OsString>,
}

impl Changes {
    /// Fails if a name or value contains a NUL byte. The last of several changes to one variable
    /// applies.
    fn new(env: &[(OsString, Option<OsString>)], padding_bytes: u16) -> Result<Self, NulError> {
        // The padding of an outer brisk, if this one is itself its command, is not meant for the
        // program.
        let mut changes = Self { set: Vec::new(), removed: vec![PADDING_VARIABLE.into()] };
        for (name, value) in env {
            changes.set.retain(|variable| variable.name() != name.as_bytes());
            match value {
                Some(value) => changes.set.push(Variable::new(name, value.as_bytes())?),
                None => changes.removed.push(name.clone()),
            }
        }
        if padding_bytes > 0 {
            let padding = vec![b'x'; padding_bytes.into()];
            changes.set.push(Variable::new(OsStr::new(PADDING_VARIABLE), &padding)?);
        }
        Ok(changes)
    }

    fn touch(&self, name: &[u8]) -> bool {
        self.set.iter().any(|variable| variable.name() == name)
            || self.removed.iter().any(|removed| removed.as_bytes() == name)
    }

    /// The whole environment: inherited variables that are unchanged, then those that are set.
    fn applied_to<'a>(&'a self, inherited: &'a Inherited) -> impl Iterator<Item = &'a CStr> {
        let kept = inherited.0.iter().filter(|variable| !self.touch(variable.name()));
        kept.chain(&self.set).map(|variable| variable.entry.as_c_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_output_is_kept() {
        let text: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
        for piece in [1, 100, 5_000, 8_192, 8_193, 65_536, 100_000] {
            let mut tail = Vec::new();
            text.chunks(piece).for_each(|piece| keep_end(&mut tail, piece, KEPT_BYTES));
            assert_eq!(tail, text[text.len() - KEPT_BYTES..], "in pieces of {piece}");
        }
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        let mut tail = Vec::new();
        keep_end(&mut tail, b"fib: ", KEPT_BYTES);
        keep_end(&mut tail, b"index too large\n", KEPT_BYTES);
        assert_eq!(tail, b"fib: index too large\n");
    }
}

#[cfg(test)]
mod environment_tests {
    use super::*;

    fn applied(changes: &[(&str, Option<&str>)], padding_bytes: u16) -> Vec<String> {
        let inherited = Inherited(
            [("HOME", "/root"), ("LANG", "C"), (PADDING_VARIABLE, "xxxxx")]
                .map(|(name, value)| {
                    Variable::new(OsStr::new(name), value.as_bytes()).expect("no NUL")
                })
                .into(),
        );
        let changes: Vec<_> = changes
            .iter()
            .map(|(name, value)| (OsString::from(name), value.map(OsString::from)))
            .collect();
        let changes = Changes::new(&changes, padding_bytes).expect("no NUL");
        let applied = changes.applied_to(&inherited);
        applied.map(|entry| entry.to_str().expect("ASCII").to_owned()).collect()
    }

    #[test]
    fn changes_replace_add_and_remove() {
        assert_eq!(applied(&[], 0), ["HOME=/root", "LANG=C"]);
        assert_eq!(applied(&[("LANG", None)], 0), ["HOME=/root"]);
        assert_eq!(
            applied(&[("LANG", Some("de")), ("A", Some("1"))], 0),
            ["HOME=/root", "LANG=de", "A=1"]
        );
        assert_eq!(
            applied(&[("A", Some("1")), ("A", Some("2"))], 0),
            ["HOME=/root", "LANG=C", "A=2"]
        );
    }

    #[test]
    fn a_name_that_begins_like_another_is_another() {
        assert_eq!(applied(&[("LAN", Some("x"))], 0), ["HOME=/root", "LANG=C", "LAN=x"]);
    }

    #[test]
    fn padding_is_a_variable_of_that_many_bytes() {
        let padded = applied(&[], 3);
        assert_eq!(padded[2], "BRISK_RANDOMIZED_ENVIRONMENT_OFFSET=xxx");
    }
}
