//! A program sampled for the places where it spends its time: it is stopped at intervals and
//! inspected.
//!
//! The kernel gives the program's position (its registers) and lets its memory be read; the
//! interpretation is up to the caller. The program is a traced child process (ptrace(2)): apart
//! from the stops it runs as usual, and it is killed when brisk dies, in any way.

use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, io};

use crate::clock::Stopwatch;
use crate::sys::descriptors::{Watch, poll};
use crate::sys::process::{Pid, open_pidfd, signal_group};
use crate::sys::trace::{self, Event};
use crate::task::{CommandLine, Outcome, Stdin};
use crate::tool::{self, LogEnd};
use crate::{interrupt, proc};

pub use crate::sys::trace::Registers;

/// A summary of a sampled run, without the observations at its stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampled {
    /// Its end.
    pub end: LogEnd,
    /// The number of stops.
    pub stops: u64,
    /// Its duration, including all stops.
    pub elapsed: Duration,
}

/// The reason that a program cannot be sampled.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum SamplingError {
    #[error("it cannot be started")]
    Start(#[source] io::Error),
    #[error("the system does not let programs be traced (ptrace)")]
    Refused(#[source] io::Error),
    #[error("it could not be followed to its end")]
    Lost(#[source] io::Error),
}

/// A stopped program.
#[derive(Debug)]
pub struct Stopped {
    process: Pid,
    /// Its position.
    pub registers: Registers,
}

impl Stopped {
    /// Reads its memory from this address on, and returns the number of bytes that could be read.
    pub fn read(&self, address: u64, into: &mut [u8]) -> usize {
        trace::read_memory(self.process, address, into)
    }

    /// The address of a file's first byte in its memory; `None` if it has not mapped the file.
    #[must_use]
    pub fn place_of(&self, file: &Path) -> Option<u64> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.process)).ok()?;
        let file = file.to_str()?;
        // `55d0c0a00000-55d0c0a21000 r-xp 00000000 fe:00 1234   /path` (proc_pid_maps(5))
        let line = maps.lines().find(|line| line.ends_with(file))?;
        let mut words = line.split_ascii_whitespace();
        let start = u64::from_str_radix(words.next()?.split('-').next()?, 16).ok()?;
        let offset = u64::from_str_radix(words.nth(1)?, 16).ok()?;
        start.checked_sub(offset)
    }

    /// The writable parts of its memory that belong neither to a file nor to a C stack: its data.
    #[must_use]
    pub fn data(&self) -> Vec<Range<u64>> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.process)).unwrap_or_default();
        maps.lines().filter_map(data).collect()
    }
}

/// The addresses of a line of proc_pid_maps(5), if they hold nothing but data.
fn data(line: &str) -> Option<Range<u64>> {
    let mut words = line.split_ascii_whitespace();
    let (addresses, rights) = (words.next()?, words.next()?);
    // The offset, the device and the file's number come before its name.
    let is_nameless =
        words.nth(3).is_none_or(|name| name == "[heap]" || name.starts_with("[anon:"));
    let (start, end) = addresses.split_once('-')?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    (rights.starts_with("rw") && is_nameless).then_some(number(start)?..number(end)?)
}

/// Runs a program to its end, and stops it whenever its busiest thread has used another `every` of
/// processor time; `on_stop` inspects it. Its output is discarded.
pub fn sample(
    command: &CommandLine,
    every: Duration,
    limit: Duration,
    on_stop: &mut dyn FnMut(&Stopped),
) -> Result<Sampled, SamplingError> {
    let running = Stopwatch::start();
    let process = start(command).map_err(SamplingError::Start)?;
    let mut traced = Traced { process, threads: Vec::new(), has_ended: false };
    traced.seize(process)?;
    let mut stops = 0;
    let end = follow(&mut traced, every, limit, &running, &mut |stopped| {
        stops += 1;
        on_stop(stopped);
    })
    .map_err(SamplingError::Lost)?;
    drop(traced);
    Ok(Sampled { end, stops, elapsed: running.elapsed() })
}

#[expect(clippy::disallowed_methods, reason = "this crate is where programs are started")]
fn start(line: &CommandLine) -> io::Result<Pid> {
    let mut command = Command::new(&line.program);
    let mut argv = line.argv.iter();
    if let Some(name) = argv.next() {
        command.arg0(name);
    }
    command.args(argv);
    tool::set_up(&mut command, &line.env, line.cwd.as_deref());
    command.stdin(match &line.stdin {
        Stdin::Null => Stdio::null(),
        Stdin::File(path) => fs::File::open(path)?.into(),
        Stdin::Inherit => Stdio::inherit(),
    });
    command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    // The threads are waited for individually, not the `Child`.
    command.spawn().map(|child| tool::pid_of(&child))
}

/// A traced thread, with its processor time at the last look.
#[derive(Debug)]
struct Thread {
    id: Pid,
    seen_ns: u64,
    is_traced: bool,
}

/// A child process whose threads are traced. It is killed on drop.
#[derive(Debug)]
struct Traced {
    process: Pid,
    threads: Vec<Thread>,
    has_ended: bool,
}

impl Traced {
    fn seize(&mut self, thread: Pid) -> Result<(), SamplingError> {
        // A process that has already ended cannot be traced, only waited for.
        if let Err(error) = trace::seize(thread)
            && !self.is_over()
        {
            return Err(SamplingError::Refused(error));
        }
        self.threads.push(Thread { id: thread, seen_ns: 0, is_traced: true });
        Ok(())
    }

    /// True if the process has ended and has not been waited for yet.
    fn is_over(&self) -> bool {
        let text = fs::read_to_string(format!("/proc/{}/stat", self.process));
        text.is_ok_and(|text| proc::stat_fields(&text).and_then(|mut it| it.next()) == Some("Z"))
    }

    /// The thread that has used the most processor time since the last look, if that is at least
    /// `least_ns`.
    fn busiest(&mut self, least_ns: u64) -> Option<usize> {
        let entries = fs::read_dir(format!("/proc/{}/task", self.process)).ok()?;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(id) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
            if !self.threads.iter().any(|it| it.id == id) {
                self.threads.push(Thread { id, seen_ns: 0, is_traced: false });
            }
        }
        let used = |thread: &Thread| {
            let path = format!("/proc/{}/task/{}/schedstat", self.process, thread.id);
            let text = fs::read_to_string(path).ok()?;
            Some(proc::on_cpu_ns(&text)?.saturating_sub(thread.seen_ns))
        };
        let used = self.threads.iter().map(|it| used(it).unwrap_or(0)).enumerate();
        let (busiest, used) = used.max_by_key(|(_, used)| *used)?;
        if used < least_ns {
            return None;
        }
        self.threads[busiest].seen_ns += used;
        Some(busiest)
    }

    /// Handles events of the traced threads; returns the outcome of the process if it has ended.
    fn attend(&mut self) -> io::Result<Option<Outcome>> {
        for number in (0..self.threads.len()).rev() {
            if !self.threads[number].is_traced {
                continue;
            }
            while let Some(event) = next(self.threads[number].id, false)? {
                if let Some(outcome) = self.handle(number, event)? {
                    return Ok(Some(outcome));
                }
                if matches!(event, Event::Ended(_)) {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Stops a thread, which must be traced, inspects it, and resumes it.
    fn stop(
        &mut self,
        number: usize,
        look: &mut dyn FnMut(&Stopped),
    ) -> io::Result<Option<Outcome>> {
        let thread = self.threads[number].id;
        if gone(trace::interrupt(thread))?.is_none() {
            return Ok(None);
        }
        loop {
            let Some(event) = next(thread, true)? else { return Ok(None) };
            if event == Event::Stopped {
                // A killed process may lose its registers at any moment.
                if let Ok(registers) = trace::registers(thread) {
                    look(&Stopped { process: self.process, registers });
                }
                gone(trace::resume(thread, 0))?;
                return Ok(None);
            }
            let ended = self.handle(number, event)?;
            if ended.is_some() || matches!(event, Event::Ended(_) | Event::GroupStop) {
                return Ok(ended);
            }
        }
    }

    fn handle(&mut self, number: usize, event: Event) -> io::Result<Option<Outcome>> {
        let thread = self.threads[number].id;
        match event {
            Event::Stopped => gone(trace::resume(thread, 0))?,
            Event::Signal(signal) => gone(trace::resume(thread, signal))?,
            Event::GroupStop => gone(trace::leave_stopped(thread))?,
            Event::Ended(outcome) => {
                self.threads.remove(number);
                if thread == self.process {
                    self.has_ended = true;
                    return Ok(Some(outcome));
                }
                None
            }
        };
        Ok(None)
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        // Processes started by the program end with it.
        signal_group(self.process, libc::SIGKILL);
        if self.has_ended {
            return;
        }
        // The first thread is only reported after all other traced ones.
        let others = self.threads.iter().filter(|it| it.is_traced && it.id != self.process);
        for thread in others.map(|it| it.id).chain([self.process]) {
            while matches!(next(thread, true), Ok(Some(event)) if !matches!(event, Event::Ended(_)))
            {
            }
        }
    }
}

/// The next event of a thread; `None` if there is none, or the thread has already been reaped.
fn next(thread: Pid, waits: bool) -> io::Result<Option<Event>> {
    loop {
        match trace::event(thread, waits) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.raw_os_error() == Some(libc::ECHILD) => return Ok(None),
            other => return other,
        }
    }
}

/// The answer of a request to a thread; `None` if it has been killed in the meantime.
fn gone(answer: io::Result<()>) -> io::Result<Option<()>> {
    match answer {
        Ok(()) => Ok(Some(())),
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The longest time until a signal is passed on, which stops a traced thread: a program with a
/// timer of 10 ms, like those of GHC, loses no more than a tenth of its time to this.
const ATTENTION: Duration = Duration::from_millis(1);

fn follow(
    traced: &mut Traced,
    every: Duration,
    limit: Duration,
    running: &Stopwatch,
    look: &mut dyn FnMut(&Stopped),
) -> io::Result<LogEnd> {
    let end = open_pidfd(traced.process)?;
    let least_ns = u64::try_from(every.as_nanos()).unwrap_or(u64::MAX);
    loop {
        if let Some(outcome) = traced.attend()? {
            return Ok(LogEnd::ByItself(outcome));
        }
        if interrupt::requested() {
            return Ok(LogEnd::Interrupted);
        }
        if running.elapsed() >= limit {
            return Ok(LogEnd::TimedOut);
        }
        poll(&mut [Watch::readable(end.as_raw_fd())], Some(every.min(ATTENTION)))?;
        let Some(busiest) = traced.busiest(least_ns) else { continue };
        if !traced.threads[busiest].is_traced {
            let thread = traced.threads[busiest].id;
            traced.threads[busiest].is_traced = gone(trace::seize(thread))?.is_some();
        }
        if traced.threads[busiest].is_traced
            && let Some(outcome) = traced.stop(busiest, look)?
        {
            return Ok(LogEnd::ByItself(outcome));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_what_may_be_written_and_is_of_no_file() {
        assert_eq!(
            data("4200000000-4200500000 rw-p 00000000 00:00 0 "),
            Some(0x42_0000_0000..0x42_0050_0000)
        );
        assert_eq!(data("01a0-02b0 rw-p 00000000 00:00 0   [heap]"), Some(0x1a0..0x2b0));
        assert_eq!(data("01a0-02b0 rw-p 00000000 00:00 0   [stack]"), None);
        assert_eq!(data("01a0-02b0 rw-p 00010000 fe:00 12  /usr/bin/true"), None);
        assert_eq!(data("4200500000-14200000000 ---p 00000000 00:00 0 "), None);
        assert_eq!(data(""), None);
    }
}
