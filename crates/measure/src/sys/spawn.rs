//! `posix_spawn`: starting a program without copying the process that starts it.
#![expect(unsafe_code, reason = "std's Command gives no control over what it does per start")]

use std::ffi::{CStr, c_char};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

use super::process::Pid;

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
