//! Signal dispositions, and the notice that this process was stopped for a while.
//!
//! Stopping the launcher (SIGSTOP), which a measured program can do with `kill -STOP $PPID`, makes
//! it see the end of a run late, so its readings of that run are wrong. The other half continues
//! it, which it notices.
#![expect(unsafe_code, reason = "std offers no signal handling")]

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::sys::check;

/// Gives every signal its default action and blocks none, as a freshly started program expects.
pub(crate) fn restore_defaults() {
    for signal in 1..=libc::SIGRTMAX() {
        // SAFETY: signal(2) with SIG_DFL installs no code of ours. It refuses SIGKILL, SIGSTOP and
        // the two that glibc reserves, as intended.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: sigemptyset(3) writes the set, sigprocmask(2) reads it.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
    }
}

/// Gives the two signals that glibc reserves their default action, because they may have been
/// inherited as ignored. Only for a process that is about to exec another program.
pub(crate) fn restore_reserved() {
    // Larger than the kernel's sigaction of any architecture; zeros are SIG_DFL, no flags, no mask.
    let default = [0_u64; 8];
    for signal in 32..libc::SIGRTMIN() {
        // SAFETY: rt_sigaction(2) reads a sigaction; a signal set has 8 bytes.
        unsafe {
            let nothing = std::ptr::null_mut::<u64>();
            libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), nothing, 8);
        }
    }
}

/// Ignores a signal in this process. Programs that [`super::spawn`] starts have it at its default.
pub(crate) fn ignore(signal: i32) {
    // SAFETY: signal(2) with SIG_IGN installs no code of ours.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

/// Calls `handler` on `signal`, unless the signal is ignored (as under `nohup`).
///
/// # Safety
/// `handler` may only call functions listed in signal-safety(7).
pub(crate) unsafe fn handle(signal: i32, handler: extern "C" fn(libc::c_int)) -> io::Result<()> {
    // SAFETY: an all-zero sigaction is valid; sigaction(2) reads one and writes the other.
    // That the handler is async-signal-safe is the caller's promise.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        check(libc::sigaction(signal, std::ptr::null(), &mut before))?;
        if before.sa_sigaction == libc::SIG_IGN {
            return Ok(());
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        // poll(2) is interrupted in any case; reads and writes elsewhere are restarted.
        action.sa_flags = libc::SA_RESTART;
        check(libc::sigaction(signal, &action, std::ptr::null_mut()))?;
    }
    Ok(())
}

static STOOD_STILL: AtomicBool = AtomicBool::new(false);

/// From now on records every continuation of this process.
pub(crate) fn notice_continuations() -> io::Result<()> {
    // SAFETY: `note` only uses an atomic.
    unsafe { handle(libc::SIGCONT, note) }
}

/// True if it was continued since the last call.
pub(crate) fn was_continued() -> bool {
    STOOD_STILL.swap(false, Ordering::SeqCst)
}

extern "C" fn note(_signal: libc::c_int) {
    STOOD_STILL.store(true, Ordering::SeqCst);
}
