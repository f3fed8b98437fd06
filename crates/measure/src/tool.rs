//! Programs run for their output or their effect, not for their speed: compilers, `git`, builds.
//! They are started by this process, not by the launcher, and are not measured.
//!
//! Builds print without bounds, hang, and leave processes behind, and they must not continue when
//! this process is killed. So a [`logged`] tool joins the process group of a guard: a shell that
//! waits on a pipe whose other end only this process holds, and that kills the group when the pipe
//! closes. Any end of this process closes it, even `kill -9`. A process that leaves the group (a
//! daemon) escapes.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::clock::Stopwatch;
use crate::executable::refusal;
use crate::interrupt;
use crate::sys::descriptors::{Watch, pipe, poll, set_nonblocking};
use crate::sys::process::{Pid, open_pidfd, signal_group, signal_process, stopped_by_terminal};
use crate::task::Outcome;

/// A program to be run for its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, Option<OsString>)>,
    cwd: Option<PathBuf>,
    stdin: Vec<u8>,
    timeout: Option<Duration>,
    most_bytes: u64,
    on_signal: OnSignal,
}

/// The default limit for a tool's output per stream: more than any useful output, and small enough
/// to hold in memory. Arbitrary.
const MOST_BYTES: u64 = 256 << 20;

/// The interval of checks for tools stopped by the terminal.
const STOP_LOOK: Duration = Duration::from_millis(500);

/// The effect on a running tool of a signal that asks brisk to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnSignal {
    End,
    LetFinish,
}

/// The output of a tool, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its outcome. Never [`Outcome::TimedOut`], which is an error here.
    pub outcome: Outcome,
    /// Its whole standard output.
    pub stdout: Vec<u8>,
    /// Its whole standard error.
    pub stderr: Vec<u8>,
}

/// The reason that the output is missing.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ToolError {
    #[error("cannot start `{}`", program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("cannot read what `{}` prints", program.display())]
    Talk { program: PathBuf, source: io::Error },
    /// It was killed.
    #[error("`{}` did not finish within {} s", program.display(), timeout.as_secs_f64())]
    TimedOut { program: PathBuf, timeout: Duration },
    /// It was killed.
    #[error("`{}` printed more than {} MiB, and did not end", program.display(), most_bytes >> 20)]
    TooMuch { program: PathBuf, most_bytes: u64 },
    /// A signal asked brisk to stop (see [`crate::interrupt`]), and it was killed.
    #[error("interrupted while `{}` ran", program.display())]
    Interrupted { program: PathBuf },
}

impl Tool {
    /// A program, looked up in `PATH`, without arguments, input or time limit, in the current
    /// directory.
    pub fn new(program: impl AsRef<Path>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: None,
            stdin: Vec::new(),
            timeout: None,
            most_bytes: MOST_BYTES,
            on_signal: OnSignal::End,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets a variable, or removes it from the inherited environment.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: Option<&OsStr>) -> Self {
        self.env.push((name.as_ref().to_owned(), value.map(OsStr::to_owned)));
        self
    }

    /// Runs it in this directory.
    #[must_use]
    pub fn cwd(mut self, directory: impl AsRef<Path>) -> Self {
        self.cwd = Some(directory.as_ref().to_owned());
        self
    }

    /// Sets its standard input.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Kills it after this time.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Kills it if it prints more than this number of bytes on a stream.
    #[must_use]
    pub fn printing_at_most(mut self, bytes: u64) -> Self {
        self.most_bytes = bytes;
        self
    }

    /// Lets it finish even if a signal asks brisk to stop: for work that must not be left half
    /// done, and for cleaning up.
    #[must_use]
    pub fn finishing_regardless(mut self) -> Self {
        self.on_signal = OnSignal::LetFinish;
        self
    }

    /// The command, with its arguments, environment and directory, but no streams yet.
    #[expect(clippy::disallowed_methods, reason = "this crate is where programs are started")]
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        set_up(&mut command, &self.env, self.cwd.as_deref());
        command
    }

    /// The error for a failed start.
    fn start_error(&self, source: io::Error) -> ToolError {
        let source = match source.raw_os_error() {
            Some(errno) => refusal(&self.program, errno),
            None => source,
        };
        ToolError::Start { program: self.program.clone(), source }
    }

    /// The descriptor that becomes readable when a signal should end the tool.
    fn signal_watch(&self) -> Watch {
        match self.on_signal {
            OnSignal::End => interrupt::wake_fd().map_or(Watch::nothing(), Watch::readable),
            OnSignal::LetFinish => Watch::nothing(),
        }
    }
}

/// Gives a command its changes to the environment, and its directory.
pub(crate) fn set_up(
    command: &mut Command,
    env: &[(OsString, Option<OsString>)],
    directory: Option<&Path>,
) {
    for (name, value) in env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
}

/// Runs the tool to its end. Later output of processes that it leaves behind is not waited for.
pub fn output(tool: &Tool) -> Result<Output, ToolError> {
    let mut child = start(tool).map_err(|source| tool.start_error(source))?;
    let talked = Talk::new(tool, &mut child).and_then(|mut talk| {
        let end = talk.until_end(tool)?;
        Ok((talk, end))
    });
    if !matches!(talked, Ok((_, End::ByItself))) {
        signal_group(pid_of(&child), libc::SIGKILL);
    }
    let waited = child.wait();
    let program = || tool.program.clone();
    match (talked, waited) {
        (Err(source), _) | (_, Err(source)) => Err(ToolError::Talk { program: program(), source }),
        (Ok((_, End::TimedOut)), _) => Err(ToolError::TimedOut {
            program: program(),
            timeout: tool.timeout.unwrap_or_default(),
        }),
        (Ok((_, End::TooMuch)), _) => {
            Err(ToolError::TooMuch { program: program(), most_bytes: tool.most_bytes })
        }
        (Ok((_, End::Interrupted)), _) => Err(ToolError::Interrupted { program: program() }),
        (Ok((talk, end @ (End::ByItself | End::AskedTerminal(_)))), Ok(status)) => Ok(Output {
            outcome: match end {
                End::AskedTerminal(signal) => Outcome::Signalled(signal),
                _ => outcome_of(status),
            },
            stdout: talk.stdout.collected,
            stderr: talk.stderr.collected,
        }),
    }
}

fn start(tool: &Tool) -> io::Result<Child> {
    let mut command = tool.command();
    let stdin = if tool.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The group makes it possible to kill all of it.
    command.process_group(0).spawn()
}

fn outcome_of(status: ExitStatus) -> Outcome {
    match (status.code(), status.signal()) {
        (Some(code), _) => Outcome::Exited(code),
        (None, signal) => Outcome::Signalled(signal.unwrap_or_default()),
    }
}

enum End {
    ByItself,
    /// The terminal stopped it with this signal.
    AskedTerminal(i32),
    TimedOut,
    TooMuch,
    Interrupted,
}

/// One stream of the tool, as far as it has been read.
struct Stream {
    pipe: Option<File>,
    collected: Vec<u8>,
}

/// The three streams of a running tool.
struct Talk<'a> {
    pid: Pid,
    pidfd: OwnedFd,
    unsent: &'a [u8],
    stdin: Option<File>,
    stdout: Stream,
    stderr: Stream,
}

impl Stream {
    fn new(pipe: Option<impl Into<OwnedFd>>) -> io::Result<Self> {
        let pipe = pipe.map(|pipe| File::from(pipe.into()));
        pipe.as_ref().map(set_nonblocking).transpose()?;
        Ok(Self { pipe, collected: Vec::new() })
    }

    fn watch(&self) -> Watch {
        self.pipe.as_ref().map_or(Watch::nothing(), |pipe| Watch::readable(pipe.as_raw_fd()))
    }

    /// Reads the available output; returns false if it exceeds the limit.
    fn read(&mut self, most_bytes: u64) -> io::Result<bool> {
        let Some(pipe) = &mut self.pipe else { return Ok(true) };
        let left = (most_bytes + 1).saturating_sub(self.collected.len() as u64);
        match pipe.take(left).read_to_end(&mut self.collected) {
            Ok(_) if self.collected.len() as u64 > most_bytes => return Ok(false),
            Ok(_) => self.pipe = None,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        Ok(true)
    }
}

impl<'a> Talk<'a> {
    fn new(tool: &'a Tool, child: &mut Child) -> io::Result<Self> {
        let stdin = child.stdin.take().map(|pipe| File::from(OwnedFd::from(pipe)));
        stdin.as_ref().map(set_nonblocking).transpose()?;
        let pid = pid_of(child);
        Ok(Self {
            pid,
            pidfd: open_pidfd(pid)?,
            unsent: &tool.stdin,
            stdin,
            stdout: Stream::new(child.stdout.take())?,
            stderr: Stream::new(child.stderr.take())?,
        })
    }

    fn until_end(&mut self, tool: &Tool) -> io::Result<End> {
        let timeout = tool.timeout;
        let running = Stopwatch::start();
        loop {
            let stdin = self.stdin.as_ref().map(|pipe| Watch::writable(pipe.as_raw_fd()));
            let mut watches = [
                // First, so that by the time the others are checked everything has been written.
                Watch::readable(self.pidfd.as_raw_fd()),
                self.stdout.watch(),
                self.stderr.watch(),
                stdin.unwrap_or(Watch::nothing()),
                tool.signal_watch(),
            ];
            let left = timeout.map(|timeout| timeout.saturating_sub(running.elapsed()));
            poll(&mut watches, Some(left.unwrap_or(STOP_LOOK).min(STOP_LOOK)))?;
            let [end, stdout, stderr, stdin, signal] = watches.map(|watch| watch.is_ready());
            let fits = (!stdout || self.stdout.read(tool.most_bytes)?)
                && (!stderr || self.stderr.read(tool.most_bytes)?);
            if !fits {
                return Ok(End::TooMuch);
            }
            if end {
                return Ok(End::ByItself);
            }
            if stdin {
                self.send()?;
            }
            if signal {
                // Cleaning up after an interruption may need tools too.
                interrupt::quiet();
                return Ok(End::Interrupted);
            }
            if let Some(signal) = stopped_by_terminal(self.pid) {
                return Ok(End::AskedTerminal(signal));
            }
            if timeout.is_some_and(|timeout| running.elapsed() >= timeout) {
                return Ok(End::TimedOut);
            }
        }
    }

    /// Writes as much as fits, and closes the pipe when everything is written or the reader is
    /// gone.
    fn send(&mut self) -> io::Result<()> {
        let Some(pipe) = &mut self.stdin else { return Ok(()) };
        match pipe.write(self.unsent) {
            Ok(length) => self.unsent = &self.unsent[length..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.unsent = &[],
            Err(error) => return Err(error),
        }
        if self.unsent.is_empty() {
            self.stdin = None;
        }
        Ok(())
    }
}

/// The default capacity of pipes on Linux (pipe(7)), so one read mostly empties one.
const CHUNK_BYTES: usize = 64 * 1024;

/// The limit of the output read after the tool's end: the largest pipe that an ordinary user can
/// make (pipe(7)). Output of a process that escaped and still prints is ignored.
const LARGEST_PIPE_BYTES: usize = 1024 * 1024;

/// The longest delay until an interruption is seen whose wake-up another thread has consumed.
const GLANCE: Duration = Duration::from_millis(100);

/// The time after a tool's failure in which a signal to end it and brisk may still arrive. As in
/// the launcher's `wait`.
const COMPANY: Duration = Duration::from_millis(300);

/// Waits until the other end of its input is closed, then kills its whole group.
const GUARD: &str = "read -r _; kill -KILL 0";

/// The record of a tool's run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// The end of the run.
    pub end: LogEnd,
    /// The end of its output, standard output and standard error in the order of printing.
    pub tail: Vec<u8>,
    /// The number of bytes printed in all.
    pub printed_bytes: u64,
    /// The duration of the run.
    pub elapsed: Duration,
}

/// The end of a program that is watched until it ends, or must be ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogEnd {
    /// By itself, or killed because the terminal stopped it ([`Outcome::is_by_terminal`]). Never
    /// [`Outcome::TimedOut`].
    ByItself(Outcome),
    /// It exceeded its time limit, and was killed with its process group.
    TimedOut,
    /// A signal asked brisk to stop (see [`crate::interrupt`]), and it was killed with its group.
    Interrupted,
}

/// Runs a tool for its effect, such as a build, to its end, and keeps the last `kept_bytes` of its
/// output. Its standard input is empty. When it ends, so does everything in its process group.
///
/// An interruption counts if it comes after the first `requests` (see [`interrupt::requests`]), so
/// that several threads which run tools all notice the same one.
pub fn logged(tool: &Tool, kept_bytes: usize, requests: u32) -> Result<Log, ToolError> {
    overheard(tool, kept_bytes, requests, &mut |_| {})
}

/// The same, and calls `hear` with each piece of output as soon as it is available.
pub fn overheard(
    tool: &Tool,
    kept_bytes: usize,
    requests: u32,
    hear: &mut dyn FnMut(&[u8]),
) -> Result<Log, ToolError> {
    let start_error = |source| tool.start_error(source);
    let (reader, writer) = pipe().map_err(start_error)?;
    let mut guard = Guard::new().map_err(start_error)?;
    let running = Stopwatch::start();
    let started = start_in(guard.group, tool, writer);
    let mut child = started.map_err(start_error)?;
    let mut printed = Printed::new(reader, kept_bytes, hear);
    let end = until_end(tool, &child, &mut printed, requests);
    guard.end_group();
    let status = child.wait();
    let talk_error = |source| ToolError::Talk { program: tool.program.clone(), source };
    let end = match end.map_err(talk_error)? {
        None => of_its_own(tool, outcome_of(status.map_err(talk_error)?), requests)
            .map_err(talk_error)?,
        Some(end) => end,
    };
    printed.read_rest().map_err(talk_error)?;
    let (tail, printed_bytes) = (printed.tail(), printed.bytes);
    Ok(Log { end, tail, printed_bytes, elapsed: running.elapsed() })
}

fn start_in(group: Pid, tool: &Tool, output: OwnedFd) -> io::Result<Child> {
    let mut command = tool.command();
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    command.process_group(group).spawn()
}

/// Reads output until the tool has ended (`None`) or must be ended.
fn until_end(
    tool: &Tool,
    child: &Child,
    printed: &mut Printed<'_>,
    requests: u32,
) -> io::Result<Option<LogEnd>> {
    let running = Stopwatch::start();
    let pidfd = open_pidfd(pid_of(child))?;
    loop {
        let left = tool.timeout.map(|timeout| timeout.saturating_sub(running.elapsed()));
        let mut watches = [
            Watch::readable(pidfd.as_raw_fd()),
            Watch::readable(printed.reader.as_raw_fd()),
            tool.signal_watch(),
        ];
        poll(&mut watches, Some(left.unwrap_or(GLANCE).min(GLANCE)))?;
        let [end, readable, signal] = watches.map(|watch| watch.is_ready());
        if readable {
            printed.read_some()?;
        }
        if end {
            return Ok(None);
        }
        if signal {
            interrupt::quiet();
        }
        if interrupt::requests() > requests && tool.on_signal == OnSignal::End {
            return Ok(Some(LogEnd::Interrupted));
        }
        if let Some(signal) = stopped_by_terminal(pid_of(child)) {
            return Ok(Some(LogEnd::ByItself(Outcome::Signalled(signal))));
        }
        if tool.timeout.is_some_and(|timeout| running.elapsed() >= timeout) {
            return Ok(Some(LogEnd::TimedOut));
        }
    }
}

/// The end of a tool that brisk did not end. If it failed, all processes of a job may have been
/// asked to end, as by a CI runner that cancels it: then brisk gets the signal too.
fn of_its_own(tool: &Tool, outcome: Outcome, requests: u32) -> io::Result<LogEnd> {
    let waiting = Stopwatch::start();
    while outcome != Outcome::Exited(0) && tool.on_signal == OnSignal::End {
        if interrupt::requests() > requests {
            return Ok(LogEnd::Interrupted);
        }
        if waiting.elapsed() > COMPANY {
            break;
        }
        poll(&mut [tool.signal_watch()], Some(GLANCE))?;
    }
    Ok(LogEnd::ByItself(outcome))
}

pub(crate) fn pid_of(child: &Child) -> Pid {
    child.id().try_into().expect("the kernel's process ids are ints")
}

/// A member of the program's process group that ends it. Until it is waited for, the group's id
/// cannot be reused.
pub(crate) struct Guard {
    shell: Child,
    group: Pid,
}

impl Guard {
    /// The leader of a new group.
    fn new() -> io::Result<Self> {
        let shell = Self::start(0)?;
        Ok(Self { group: pid_of(&shell), shell })
    }

    /// A member of this group.
    pub(crate) fn joining(group: Pid) -> io::Result<Self> {
        Ok(Self { shell: Self::start(group)?, group })
    }

    #[expect(clippy::disallowed_methods, reason = "this crate is where programs are started")]
    fn start(group: Pid) -> io::Result<Child> {
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", GUARD]).env_clear().current_dir("/").process_group(group);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    }

    pub(crate) fn end_group(&mut self) {
        signal_group(self.group, libc::SIGKILL);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.end_group();
        // It is killed, so this takes no time; and it is a child, so this cannot fail.
        let _ = self.shell.wait();
    }
}

/// The output, as far as it is kept.
pub(crate) struct Printed<'a> {
    pub(crate) reader: File,
    hear: &'a mut dyn FnMut(&[u8]),
    chunk: Box<[u8]>,
    kept: Vec<u8>,
    kept_bytes: usize,
    bytes: u64,
}

impl<'a> Printed<'a> {
    pub(crate) fn new(reader: OwnedFd, kept_bytes: usize, hear: &'a mut dyn FnMut(&[u8])) -> Self {
        let chunk = vec![0; CHUNK_BYTES].into();
        Self { reader: reader.into(), hear, chunk, kept: Vec::new(), kept_bytes, bytes: 0 }
    }

    /// Reads once, and returns the number of bytes: 0 if there are none, now or for good.
    pub(crate) fn read_some(&mut self) -> io::Result<usize> {
        let length = match self.reader.read(&mut self.chunk) {
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(error) => return Err(error),
        };
        self.bytes += length as u64;
        if length > 0 {
            (self.hear)(&self.chunk[..length]);
        }
        self.kept.extend_from_slice(&self.chunk[..length]);
        // Only occasionally, so that each byte is moved about once.
        if self.kept.len() > 2 * self.kept_bytes + CHUNK_BYTES {
            self.kept.drain(..self.kept.len() - self.kept_bytes);
        }
        Ok(length)
    }

    pub(crate) fn read_rest(&mut self) -> io::Result<()> {
        let mut rest = 0;
        while rest < LARGEST_PIPE_BYTES {
            match self.read_some()? {
                0 => break,
                length => rest += length,
            }
        }
        Ok(())
    }

    pub(crate) fn tail(&self) -> Vec<u8> {
        self.kept[self.kept.len().saturating_sub(self.kept_bytes)..].to_vec()
    }
}

/// Runs a program to its end with brisk's streams, environment and process group, as if started
/// directly. After [`interrupt::install`], signals that ask brisk to stop are passed on instead of
/// ending it, so the outcome is always known.
pub fn attended(program: &Path, name: &OsStr, args: &[OsString]) -> io::Result<Outcome> {
    #[expect(clippy::disallowed_methods, reason = "this crate is where programs are started")]
    let mut command = Command::new(program);
    command.arg0(name).args(args);
    let mut child = command.spawn()?;
    let pid = pid_of(&child);
    let end = open_pidfd(pid)?;
    let signals = interrupt::wake_fd().map_or(Watch::nothing(), Watch::readable);
    let mut watches = [Watch::readable(end.as_raw_fd()), signals];
    loop {
        poll(&mut watches, None)?;
        if watches[0].is_ready() {
            break;
        }
        if watches[1].is_ready() {
            interrupt::quiet();
            let signal = interrupt::newest();
            // A terminal's Ctrl-C goes to the whole group, and so reaches the program anyway.
            if signal != libc::SIGINT || !has_terminal() {
                signal_process(pid, signal);
            }
        }
    }
    child.wait().map(outcome_of)
}

fn has_terminal() -> bool {
    io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal()
}
