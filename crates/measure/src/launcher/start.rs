//! Starting a task's program: the preparations before the clock starts, and its environment, which
//! is this process's with the task's changes and padding.

use std::ffi::{CStr, CString, NulError, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::clock::{monotonic_ns, realtime_ns};
use crate::launcher::Obstacle;
use crate::sys::process::Pid;
use crate::sys::spawn::{Gate, PointerList, Start, spawn};
use crate::task::{CommandLine, PADDING_VARIABLE, Stdin, Stdout};

/// The reason that a program did not start.
pub(crate) type Refusal = (Obstacle, io::Error);

/// The connections and the environment that programs inherit; opened once.
pub(crate) struct Surroundings {
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
pub(crate) struct Ready {
    program: CString,
    argv: Vec<CString>,
    changes: Changes,
    directory: Option<CString>,
    standard: [Option<RawFd>; 3],
    /// Files for this run only, closed after its start.
    _opened: [Option<File>; 2],
}

impl Surroundings {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            inherited: Inherited::take(),
            nothing: File::open("/dev/null")?,
            sink: File::options().write(true).open("/dev/null")?,
            epoch_ns: realtime_ns().saturating_sub(monotonic_ns()),
        })
    }

    /// Prepares a command with these descriptors for its standard error, and for its standard
    /// output if that is to be discarded.
    pub(crate) fn ready(
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
    pub(crate) fn hold(&self, ready: &Ready, gate: &Gate) -> io::Result<Pid> {
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
