//! Forking, waiting, ending, and memory shared by a fork: functions that std's `Child` lacks.
#![expect(unsafe_code, reason = "std has no fork, no wait4 and no process groups to signal")]

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::atomic::AtomicI32;

use crate::sys::check;
use crate::task::Outcome;

/// A process id, or the id of a process group.
pub(crate) type Pid = libc::pid_t;

/// The two processes after a fork.
pub(crate) enum Fork {
    /// The caller, with the id of the new one.
    Parent(Pid),
    /// The new one.
    Child,
}

/// Duplicates this process. In a process with several threads the child has only the calling one,
/// and locks held by others are never released there.
pub(crate) fn fork() -> io::Result<Fork> {
    // SAFETY: fork(2) touches no memory of ours. The child continues on a copy of this stack; it
    // uses no lock of std besides the allocator's, which glibc releases in it.
    match check(unsafe { libc::fork() })? {
        0 => Ok(Fork::Child),
        pid => Ok(Fork::Parent(pid)),
    }
}

/// Ends this process at once, running no destructors and flushing nothing.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: _exit(2) ends the process and is always allowed.
    unsafe { libc::_exit(code) }
}

/// A descriptor that becomes readable when the process ends.
pub(crate) fn open_pidfd(pid: Pid) -> io::Result<OwnedFd> {
    // SAFETY: pidfd_open(2) takes two numbers and returns a new descriptor.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let fd = check(fd.try_into().expect("descriptors are ints"))?;
    // SAFETY: pidfd_open(2) succeeded, so the descriptor is open and ours.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Waits for this child and returns its resource usage, including that of the descendants it waited
/// for.
pub(crate) fn wait4(pid: Pid) -> io::Result<(Outcome, libc::rusage)> {
    let mut status = 0;
    // SAFETY: an rusage of zeros is valid; wait4(2) writes one int and one rusage.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        while let Err(error) = check(libc::wait4(pid, &mut status, 0, &mut usage)) {
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        Ok((outcome_of(status), usage))
    }
}

/// The signal that has stopped this child since the last call.
pub(crate) fn stopped_by(pid: Pid) -> Option<i32> {
    let pid = libc::id_t::try_from(pid).ok()?;
    // SAFETY: a siginfo_t of zeros is valid, and waitid(2) writes one. Without WEXITED it does not
    // reap the child.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let asked = libc::waitid(libc::P_PID, pid, &mut info, libc::WSTOPPED | libc::WNOHANG);
        // If nothing has changed, the zeros remain.
        (asked == 0 && info.si_signo == libc::SIGCHLD).then(|| info.si_status())
    }
}

/// The signal with which the terminal has stopped this child since the last call: the child read
/// from it (SIGTTIN) or changed it (SIGTTOU), from the background.
pub(crate) fn stopped_by_terminal(pid: Pid) -> Option<i32> {
    stopped_by(pid).filter(|&signal| Outcome::Signalled(signal).is_by_terminal())
}

/// The result of an attempt to reap a child.
pub(crate) enum Reaped {
    /// One had ended and was reaped. This is its usage, with that of the descendants it waited for.
    One(libc::rusage),
    /// There are children, all of them alive.
    AllAlive,
    /// There are no children.
    NoChildren,
}

/// Reaps any one child that has ended.
pub(crate) fn reap() -> Reaped {
    // SAFETY: an rusage of zeros is valid; wait4(2) writes one.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        match libc::wait4(-1, std::ptr::null_mut(), libc::WNOHANG, &mut usage) {
            0 => Reaped::AllAlive,
            pid if pid > 0 => Reaped::One(usage),
            // With WNOHANG there is no EINTR: the only errors are ECHILD and EINVAL.
            _ => Reaped::NoChildren,
        }
    }
}

pub(super) fn outcome_of(status: libc::c_int) -> Outcome {
    if libc::WIFSIGNALED(status) {
        Outcome::Signalled(libc::WTERMSIG(status))
    } else {
        Outcome::Exited(libc::WEXITSTATUS(status))
    }
}

/// The peak memory of this process, in bytes.
pub(crate) fn own_peak_rss_bytes() -> u64 {
    // SAFETY: an rusage of zeros is valid; getrusage(2) writes one and cannot fail for
    // RUSAGE_SELF with a valid pointer.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    usage.ru_maxrss.cast_unsigned() * 1024
}

/// The id of this process.
pub(crate) fn own_id() -> Pid {
    std::process::id().try_into().expect("the kernel's process ids are ints")
}

/// Signals one process. It is not an error if the process is already gone.
pub(crate) fn signal_process(pid: Pid, signal: i32) {
    assert!(pid > 1, "0, 1 and negative numbers would address far more than one process");
    // SAFETY: kill(2) touches no memory.
    unsafe { libc::kill(pid, signal) };
}

/// Signals every process of a group.
pub(crate) fn signal_group(group: Pid, signal: i32) {
    assert!(group > 1, "0, 1 and negative numbers would address far more than one group");
    // SAFETY: kill(2) touches no memory.
    unsafe { libc::kill(-group, signal) };
}

/// True if a group has any process left.
pub(crate) fn is_inhabited(group: Pid) -> bool {
    assert!(group > 1, "0, 1 and negative numbers would address far more than one group");
    // SAFETY: kill(2) with signal 0 only looks.
    unsafe { libc::kill(-group, 0) == 0 }
}

/// Puts this process into a new group, so that a terminal's Ctrl-C does not reach it.
pub(crate) fn lead_own_group() -> io::Result<()> {
    // SAFETY: setpgid(2) touches no memory.
    check(unsafe { libc::setpgid(0, 0) }).map(drop)
}

/// Makes this process the parent of all orphans among its descendants.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    // SAFETY: prctl(2) with PR_SET_CHILD_SUBREAPER takes numbers only.
    check(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }).map(drop)
}

/// Names this process in the tables of `ps` and `top`.
pub(crate) fn set_name(name: &std::ffi::CStr) {
    // SAFETY: prctl(2) with PR_SET_NAME reads a NUL-terminated string.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr(), 0, 0, 0) };
}

/// The unit in which `/proc` counts memory: bytes of a page.
pub(crate) fn page_bytes() -> u64 {
    // SAFETY: sysconf(3) touches no memory.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).unwrap_or(4096)
}

/// The unit in which `/proc` counts CPU time: ticks per second.
pub(crate) fn clock_ticks_per_second() -> u64 {
    // SAFETY: sysconf(3) touches no memory.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    u64::try_from(ticks).unwrap_or(100)
}

/// Zeros shared by this process and those that it will fork. They are never unmapped: a process
/// makes only a few such lists.
pub(crate) fn shared_numbers<const N: usize>() -> io::Result<&'static [AtomicI32; N]> {
    // SAFETY: mmap(2) without an address maps fresh zeroed pages, which nobody else uses.
    let pages = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            size_of::<[AtomicI32; N]>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if pages == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the pages are never unmapped, aligned to more than an int needs, and zero, which is a
    // valid int. Processes that share them access them as atomics too.
    Ok(unsafe { &*pages.cast::<[AtomicI32; N]>() })
}
