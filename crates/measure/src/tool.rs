//! Programs run for their output, not for their speed: compilers, `git`, `valgrind --version`.
//!
//! They are started by this process, not by the launcher, and are not measured.

mod logged;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::clock::Stopwatch;
use crate::executable::refusal;
use crate::interrupt;
use crate::sys::descriptors::{Watch, poll, set_nonblocking};
use crate::sys::process::{Pid, open_pidfd, signal_group, stopped_by_terminal};
use crate::task::Outcome;

pub use logged::{Log, LogEnd, logged, overheard};

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
pub enum ToolError {
    /// The program could not be started.
    #[error("cannot start `{}`", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The kernel's answer.
        #[source]
        source: io::Error,
    },
    /// Reading from or writing to the program failed.
    #[error("cannot read what `{}` prints", program.display())]
    Talk {
        /// The program.
        program: PathBuf,
        /// The kernel's answer.
        #[source]
        source: io::Error,
    },
    /// The program exceeded its time limit and was killed.
    #[error("`{}` did not finish within {} s", program.display(), timeout.as_secs_f64())]
    TimedOut {
        /// The program.
        program: PathBuf,
        /// The time limit.
        timeout: Duration,
    },
    /// The program printed too much and was killed.
    #[error("`{}` printed more than {} MiB, and did not end", program.display(), most_bytes >> 20)]
    TooMuch {
        /// The program.
        program: PathBuf,
        /// The limit of its output.
        most_bytes: u64,
    },
    /// A signal asked brisk to stop (see [`crate::interrupt`]), and the program was killed.
    #[error("interrupted while `{}` ran", program.display())]
    Interrupted {
        /// The program.
        program: PathBuf,
    },
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
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
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

/// Runs the tool to its end. Later output of processes that it leaves behind is not waited for.
pub fn output(tool: &Tool) -> Result<Output, ToolError> {
    let mut child = start(tool).map_err(|source| tool.start_error(source))?;
    let talked = Talk::new(tool, &mut child).and_then(|mut talk| {
        let end = talk.until_end(tool)?;
        Ok((talk, end))
    });
    if !matches!(talked, Ok((_, End::ByItself))) {
        let group = child.id().try_into().expect("the kernel's process ids are ints");
        signal_group(group, libc::SIGKILL);
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
        let pid = child.id().try_into().expect("the kernel's process ids are ints");
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
