//! A gate for waiting processes, so that all of them exec their programs at the same moment.
#![expect(
    unsafe_code,
    reason = "std's Command has nothing between the fork and the exec to wait at"
)]

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};

use super::process::{self, Fork, Pid};
use super::spawn::Start;
use super::{check, descriptors, signals};

/// A closed gate. It opens when it is dropped or [opened](Gate::open), and when this process dies.
pub(crate) struct Gate {
    /// The end at which waiting processes wait for the end of the stream.
    waiting: OwnedFd,
    closed: OwnedFd,
    troubles: File,
    reports: OwnedFd,
}

/// The reason that a process behind the gate did not exec its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It could not enter its directory.
    Directory(i32),
    /// It could not execute its program.
    Program(i32),
}

/// The exit code of a process that could not exec its program, as in shells.
const NO_PROGRAM: i32 = 127;

impl Gate {
    pub(crate) fn new() -> io::Result<Self> {
        let (waiting, closed) = descriptors::blocking_pipe()?;
        let (troubles, reports) = descriptors::pipe()?;
        Ok(Self { waiting, closed, troubles: troubles.into(), reports })
    }

    /// Forks a process that waits here, in a new process group; returns its id, which is also the
    /// group's.
    pub(crate) fn hold(&self, start: &Start<'_>) -> io::Result<Pid> {
        let parent = process::own_id();
        match process::fork()? {
            Fork::Child => self.become_program(start, parent),
            Fork::Parent(pid) => {
                // The new process does the same; whichever is first, the group exists from now on.
                // SAFETY: setpgid(2) touches no memory.
                unsafe { libc::setpgid(pid, pid) };
                Ok(pid)
            }
        }
    }

    /// Releases all processes.
    pub(crate) fn open(self) -> Opened {
        Opened { troubles: self.troubles }
    }

    /// The work of the forked process: all preparations before the clock, then the wait.
    fn become_program(&self, start: &Start<'_>, parent: Pid) -> ! {
        signals::restore_defaults();
        signals::restore_reserved();
        let _ = process::lead_own_group();
        for (target, fd) in (0..).zip(start.standard) {
            // SAFETY: dup2(2) takes two numbers; a descriptor onto itself only has to survive the
            // exec.
            unsafe {
                match fd {
                    Some(fd) if fd == target => libc::fcntl(fd, libc::F_SETFD, 0),
                    Some(fd) => libc::dup2(fd, target),
                    None => 0,
                }
            };
        }
        if let Some(directory) = start.directory {
            // SAFETY: chdir(2) reads the string up to its zero byte.
            if let Err(error) = check(unsafe { libc::chdir(directory.as_ptr()) }) {
                self.give_up(0, &error);
            }
        }
        let mut byte = 0_u8;
        // SAFETY: this process has its own copy of the descriptor, which is not used after this and
        // not closed by a destructor, because this function never returns; read(2) writes at most
        // the one byte, and waits until no process holds the gate closed. getppid(2) touches no
        // memory.
        unsafe {
            libc::close(self.closed.as_raw_fd());
            while libc::read(self.waiting.as_raw_fd(), (&raw mut byte).cast(), 1) < 0
                && super::errno(&io::Error::last_os_error()) == libc::EINTR
            {}
            // A gate is also open if its owner has died, and then the program is not wanted any
            // more.
            if libc::getppid() != parent {
                process::exit_now(NO_PROGRAM);
            }
        }
        // SAFETY: execve(2) reads a string and two null-terminated lists of strings that live as
        // long as `start`. It returns only on failure.
        unsafe {
            libc::execve(
                start.program.as_ptr(),
                start.argv.pointers.as_ptr(),
                start.environment.pointers.as_ptr(),
            )
        };
        self.give_up(1, &io::Error::last_os_error())
    }

    /// Reports the reason to the other side of the fork, and exits.
    fn give_up(&self, what: u8, error: &io::Error) -> ! {
        let [a, b, c, d] = super::errno(error).to_le_bytes();
        let report = [what, a, b, c, d];
        // SAFETY: write(2) reads the five bytes, which a pipe takes completely or not at all.
        unsafe { libc::write(self.reports.as_raw_fd(), report.as_ptr().cast(), report.len()) };
        process::exit_now(NO_PROGRAM)
    }
}

/// A gate that was opened.
pub(crate) struct Opened {
    troubles: File,
}

impl Opened {
    /// The first trouble of a process that did not exec its program; to be called after all have
    /// ended.
    pub(crate) fn trouble(&mut self) -> Option<Trouble> {
        let mut report = [0; 5];
        self.troubles.read_exact(&mut report).ok()?;
        let [what, errno @ ..] = report;
        let errno = i32::from_le_bytes(errno);
        Some(if what == 0 { Trouble::Directory(errno) } else { Trouble::Program(errno) })
    }
}
