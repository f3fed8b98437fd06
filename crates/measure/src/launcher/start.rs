//! Starting a task's program: the preparations before the clock starts.

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::Obstacle;
use super::{Changes, Inherited};
use crate::sys::clock::{monotonic_ns, realtime_ns};
use crate::sys::gate::Gate;
use crate::sys::process::Pid;
use crate::sys::spawn::{PointerList, Start, spawn};
use crate::task::{CommandLine, Stdin, Stdout};

/// The reason that a program did not start.
pub(super) type Refusal = (Obstacle, io::Error);

/// The connections and the environment that programs inherit; opened once.
pub(super) struct Surroundings {
    inherited: Inherited,
    nothing: File,
    sink: File,
    /// The offset from the monotonic clock to the time of day. Taken once, so that differences
    /// between the times of runs stay true if the system's clock is set.
    epoch_ns: u64,
}

/// A program that has been started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Started {
    pub(super) pid: Pid,
    pub(super) unix_ns: u64,
    /// On the monotonic clock, just before the start.
    pub(super) at_ns: u64,
}

/// A command with all strings in the system's form and all files open.
pub(super) struct Ready {
    program: CString,
    argv: Vec<CString>,
    changes: Changes,
    directory: Option<CString>,
    standard: [Option<RawFd>; 3],
    /// Files for this run only, closed after its start.
    _opened: [Option<File>; 2],
}

impl Surroundings {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            inherited: Inherited::take(),
            nothing: File::open("/dev/null")?,
            sink: File::options().write(true).open("/dev/null")?,
            epoch_ns: realtime_ns().saturating_sub(monotonic_ns()),
        })
    }

    /// Prepares a command with these descriptors for its standard error, and for its standard
    /// output if that is to be discarded.
    pub(super) fn ready(
        &self,
        command: &CommandLine,
        padding_bytes: u16,
        stderr: RawFd,
        discard: RawFd,
    ) -> Result<Ready, Refusal> {
        let blame_program = |error: std::ffi::NulError| (Obstacle::Program, error.into());
        let argv = command.argv.iter().map(|argument| c_string(argument));
        let (stdin, stdin_file) = match &command.stdin {
            Stdin::Null => (Some(self.nothing.as_raw_fd()), None),
            Stdin::Inherit => (None, None),
            Stdin::File(path) => opened(File::open(path), Obstacle::Stdin)?,
        };
        let (stdout, stdout_file) = match &command.stdout {
            Stdout::Null => (Some(self.sink.as_raw_fd()), None),
            Stdout::Discard => (Some(discard), None),
            Stdout::Inherit => (None, None),
            Stdout::File(path) => opened(File::create(path), Obstacle::Stdout)?,
        };
        Ok(Ready {
            program: c_string(command.program.as_os_str()).map_err(blame_program)?,
            argv: argv.collect::<Result<_, _>>().map_err(blame_program)?,
            changes: Changes::new(&command.env, padding_bytes).map_err(blame_program)?,
            directory: match &command.cwd {
                None => None,
                Some(cwd) => Some(
                    c_string(cwd.as_os_str())
                        .map_err(|error| (Obstacle::Directory, error.into()))?,
                ),
            },
            standard: [stdin, stdout, Some(stderr)],
            _opened: [stdin_file, stdout_file],
        })
    }

    /// Starts it, reading the clock as late as possible before.
    pub(super) fn start(&self, ready: &Ready) -> Result<Started, Refusal> {
        let (argv, environment) = self.lists(ready);
        let start = ready.start(&argv, &environment);
        let at_ns = monotonic_ns();
        let unix_ns = self.unix_ns(at_ns);
        match spawn(&start) {
            Ok(pid) => Ok(Started { pid, unix_ns, at_ns }),
            Err(error) => Err((culprit(ready.directory.as_deref()), error)),
        }
    }

    /// Forks a process for it that starts the program when the gate opens.
    pub(super) fn hold(&self, ready: &Ready, gate: &Gate) -> io::Result<Pid> {
        let (argv, environment) = self.lists(ready);
        gate.hold(&ready.start(&argv, &environment))
    }

    /// The time of day at a moment of the monotonic clock.
    pub(super) fn unix_ns(&self, at_ns: u64) -> u64 {
        self.epoch_ns + at_ns
    }

    fn lists<'a>(&'a self, ready: &'a Ready) -> (PointerList<'a>, PointerList<'a>) {
        let argv = PointerList::new(ready.argv.iter().map(CString::as_c_str));
        (argv, PointerList::new(ready.changes.applied_to(&self.inherited)))
    }
}

impl Ready {
    fn start<'a>(
        &'a self,
        argv: &'a PointerList<'a>,
        environment: &'a PointerList<'a>,
    ) -> Start<'a> {
        let directory = self.directory.as_deref();
        Start { program: &self.program, argv, environment, directory, standard: self.standard }
    }
}

fn opened(
    file: io::Result<File>,
    obstacle: Obstacle,
) -> Result<(Option<RawFd>, Option<File>), Refusal> {
    let file = file.map_err(|error| (obstacle, error))?;
    Ok((Some(file.as_raw_fd()), Some(file)))
}

/// The obstacle: posix_spawn does not distinguish a bad directory from a bad program.
fn culprit(directory: Option<&CStr>) -> Obstacle {
    let enterable = |directory: &CStr| {
        let path = Path::new(OsStr::from_bytes(directory.to_bytes()));
        path.join(".").is_dir()
    };
    match directory {
        Some(directory) if !enterable(directory) => Obstacle::Directory,
        _ => Obstacle::Program,
    }
}

fn c_string(text: &OsStr) -> Result<CString, std::ffi::NulError> {
    CString::new(text.as_bytes())
}
