//! Detects that the launcher was stopped while it should have watched a run.
//!
//! Stopping this process (SIGSTOP), which a measured program can do with `kill -STOP $PPID`, makes
//! it see the end of a run late, so its readings of that run are wrong. The other half continues
//! it, which it notices.
#![expect(unsafe_code, reason = "a signal handler is installed, and must be signal-safe")]

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::sys::signals;

static STOOD_STILL: AtomicBool = AtomicBool::new(false);

/// From now on records every continuation of this process.
pub(super) fn notice() -> io::Result<()> {
    // SAFETY: `note` only uses an atomic.
    unsafe { signals::handle(libc::SIGCONT, note) }
}

/// True if it was continued since the last call.
pub(super) fn happened() -> bool {
    STOOD_STILL.swap(false, Ordering::SeqCst)
}

extern "C" fn note(_signal: libc::c_int) {
    STOOD_STILL.store(true, Ordering::SeqCst);
}
