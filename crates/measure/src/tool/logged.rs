//! A tool run for its effect, such as a build: only the end of its output is kept.
//!
//! Builds print without bounds, hang, and leave processes behind, and they must not continue when
//! this process is killed. So the tool joins the process group of a guard: a shell that waits on a
//! pipe whose other end only this process holds, and that kills the group when the pipe closes. Any
//! end of this process closes it, even `kill -9`. A process that leaves the group (a daemon)
//! escapes.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use super::{Tool, ToolError, outcome_of};
use crate::clock::Stopwatch;
use crate::interrupt;
use crate::sys::descriptors::{Watch, pipe, poll};
use crate::sys::process::{Pid, open_pidfd, signal_group, stopped_by_terminal};
use crate::task::Outcome;

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

/// The end of a logged tool.
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

/// Runs the tool to its end and keeps the last `kept_bytes` of its output. Its standard input is
/// empty; [`Tool::stdin`] is ignored. When it ends, so does everything in its process group.
///
/// An interruption counts if it comes after the first `requests` (see [`interrupt::requests`]), so
/// that several threads which run tools all notice the same one.
///
/// # Errors
///
/// When the tool cannot be started or its output cannot be read.
pub fn logged(tool: &Tool, kept_bytes: usize, requests: u32) -> Result<Log, ToolError> {
    overheard(tool, kept_bytes, requests, &mut |_| {})
}

/// The same, and calls `hear` with each piece of output as soon as it is available.
///
/// # Errors
///
/// As [`logged`].
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
    let started = start(tool, writer, guard.group());
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

fn start(tool: &Tool, output: OwnedFd, group: Pid) -> io::Result<Child> {
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
        if interrupt::requests() > requests && tool.on_signal == super::OnSignal::End {
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
    while outcome != Outcome::Exited(0) && tool.on_signal == super::OnSignal::End {
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

fn pid_of(child: &Child) -> Pid {
    child.id().try_into().expect("the kernel's process ids are ints")
}

/// The leader of the tool's process group. Until it is waited for, the group's id cannot be reused.
struct Guard {
    shell: Child,
}

impl Guard {
    #[expect(clippy::disallowed_methods, reason = "this crate is where programs are started")]
    fn new() -> io::Result<Self> {
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", GUARD]).env_clear().current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { shell: command.spawn()? })
    }

    fn group(&self) -> Pid {
        pid_of(&self.shell)
    }

    fn end_group(&mut self) {
        signal_group(self.group(), libc::SIGKILL);
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
struct Printed<'a> {
    reader: File,
    hear: &'a mut dyn FnMut(&[u8]),
    chunk: Box<[u8]>,
    kept: Vec<u8>,
    kept_bytes: usize,
    bytes: u64,
}

impl<'a> Printed<'a> {
    fn new(reader: OwnedFd, kept_bytes: usize, hear: &'a mut dyn FnMut(&[u8])) -> Self {
        let chunk = vec![0; CHUNK_BYTES].into();
        Self { reader: reader.into(), hear, chunk, kept: Vec::new(), kept_bytes, bytes: 0 }
    }

    /// Reads once, and returns the number of bytes: 0 if there are none, now or for good.
    fn read_some(&mut self) -> io::Result<usize> {
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

    fn read_rest(&mut self) -> io::Result<()> {
        let mut rest = 0;
        while rest < LARGEST_PIPE_BYTES {
            match self.read_some()? {
                0 => break,
                length => rest += length,
            }
        }
        Ok(())
    }

    fn tail(&self) -> Vec<u8> {
        self.kept[self.kept.len().saturating_sub(self.kept_bytes)..].to_vec()
    }
}
