//! The two ways of starting a program: at once, by `posix_spawn`, which does not copy this process;
//! or forked, and held behind a gate at which several processes wait, so that all of them exec
//! their programs at the same moment.
#![expect(unsafe_code, reason = "std's Command gives no control over what it does per start")]

use std::ffi::{CStr, c_char};
use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use crate::sys::process::{self, Fork, Pid};
use crate::sys::{check, descriptors, errno, signals};

/// The program to be started, in the system's form.
pub(crate) struct Start<'a> {
    /// The file; `PATH` is not consulted.
    pub(crate) program: &'a CStr,
    /// The arguments.
    pub(crate) argv: &'a PointerList<'a>,
    /// The environment.
    pub(crate) environment: &'a PointerList<'a>,
    /// Its working directory, if it differs from the current one.
    pub(crate) directory: Option<&'a CStr>,
    /// Its descriptors 0, 1 and 2; `None` inherits the current ones.
    pub(crate) standard: [Option<RawFd>; 3],
}

/// A list of strings in C's form: pointers, then a null.
pub(crate) struct PointerList<'a> {
    pub(super) pointers: Vec<*const c_char>,
    borrowed: std::marker::PhantomData<&'a CStr>,
}

impl<'a> PointerList<'a> {
    pub(crate) fn new(strings: impl Iterator<Item = &'a CStr>) -> Self {
        let pointers = strings.map(CStr::as_ptr).chain([std::ptr::null()]).collect();
        Self { pointers, borrowed: std::marker::PhantomData }
    }
}

/// Starts a program in a new process group; returns its id, which is also the group's.
pub(crate) fn spawn(start: &Start<'_>) -> io::Result<Pid> {
    let actions = FileActions::new(start)?;
    let attributes = Attributes::new()?;
    let mut pid: Pid = 0;
    // SAFETY: posix_spawn(3) reads the initialised actions and attributes, the program's
    // name, and two null-terminated lists of strings that live as long as `start`; it never
    // writes through them. It writes one pid.
    let error = unsafe {
        libc::posix_spawn(
            &mut pid,
            start.program.as_ptr(),
            actions.0.as_ptr(),
            attributes.0.as_ptr(),
            start.argv.pointers.as_ptr().cast(),
            start.environment.pointers.as_ptr().cast(),
        )
    };
    answer(error)?;
    Ok(pid)
}

/// The posix_spawn family returns the error number instead of setting `errno`.
fn answer(error: libc::c_int) -> io::Result<()> {
    if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
}

/// The changes to descriptors in the new process before it execs the program.
struct FileActions(MaybeUninit<libc::posix_spawn_file_actions_t>);

impl FileActions {
    fn new(start: &Start<'_>) -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: posix_spawn_file_actions_init(3) initialises what it points to.
        answer(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        let mut actions = Self(actions);
        for (target, fd) in (0..).zip(start.standard) {
            if let Some(fd) = fd {
                // SAFETY: the actions are initialised; adddup2 stores two numbers.
                answer(unsafe {
                    libc::posix_spawn_file_actions_adddup2(actions.0.as_mut_ptr(), fd, target)
                })?;
            }
        }
        if let Some(directory) = start.directory {
            // SAFETY: the actions are initialised; addchdir_np copies the string.
            answer(unsafe {
                libc::posix_spawn_file_actions_addchdir_np(
                    actions.0.as_mut_ptr(),
                    directory.as_ptr(),
                )
            })?;
        }
        Ok(actions)
    }
}

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: `new` initialised them, and nothing uses them after this.
        unsafe { libc::posix_spawn_file_actions_destroy(self.0.as_mut_ptr()) };
    }
}

/// The differences of the new process from this one.
struct Attributes(MaybeUninit<libc::posix_spawnattr_t>);

impl Attributes {
    /// A new process group, and every signal at its default. The launcher's signals already are;
    /// but for signals that are not listed glibc queries each before setting it, which makes 60
    /// more system calls.
    fn new() -> io::Result<Self> {
        let mut attributes = MaybeUninit::uninit();
        let flags = libc::POSIX_SPAWN_SETPGROUP | libc::POSIX_SPAWN_SETSIGDEF;
        let flags = flags as libc::c_short;
        // SAFETY: posix_spawnattr_init(3) initialises what it points to; the setters store
        // numbers and a copy of the set in it. A sigset_t is an array of bits, of which
        // every pattern is valid. Not sigfillset(3): it leaves out glibc's own two signals,
        // which posix_spawn then sets to be ignored.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            std::ptr::from_mut(&mut all).write_bytes(0xff, 1);
            answer(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            answer(libc::posix_spawnattr_setflags(attributes.as_mut_ptr(), flags))?;
            answer(libc::posix_spawnattr_setpgroup(attributes.as_mut_ptr(), 0))?;
            answer(libc::posix_spawnattr_setsigdefault(attributes.as_mut_ptr(), &all))?;
        }
        Ok(Self(attributes))
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: `new` initialised them, and nothing uses them after this.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}

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
                && errno(&io::Error::last_os_error()) == libc::EINTR
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
        let [a, b, c, d] = errno(error).to_le_bytes();
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
