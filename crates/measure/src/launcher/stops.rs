//! Whether the launcher stood still while it should have watched a run.
//!
//! Whoever stops this process (SIGSTOP), such as a measured program with `kill -STOP $PPID`, makes
//! it see the end of a run late: what it read of that run is not true. The other half lets it go
//! on, and that it notices.
#![expect(unsafe_code, reason = "a signal handler is installed, and must be signal-safe")]

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::sys::signals;

static STOOD_STILL: AtomicBool = AtomicBool::new(false);

/// From now on takes note of every time this process goes on.
pub(super) fn notice() -> io::Result<()> {
    // SAFETY: `note` only uses an atomic.
    unsafe { signals::handle(libc::SIGCONT, note) }
}

/// Whether it went on since this was asked last.
pub(super) fn happened() -> bool {
    STOOD_STILL.swap(false, Ordering::SeqCst)
}

extern "C" fn note(_signal: libc::c_int) {
    STOOD_STILL.store(true, Ordering::SeqCst);
}
