//! Requests to stop: SIGINT, SIGTERM, SIGHUP.
//!
//! A signal does not end anything by itself. It is counted, and wakes a thread that waits for a
//! run; the caller decides what to do about it. A file beyond `ulimit -f` (SIGXFSZ) does not end
//! the process either.
#![expect(unsafe_code, reason = "a signal handler is installed, and must be signal-safe")]

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use crate::sys::{descriptors, signals};

static REQUESTS: AtomicU32 = AtomicU32::new(0);
static NEWEST: AtomicI32 = AtomicI32::new(0);
static WAKE_FD: AtomicI32 = AtomicI32::new(-1);
static WAKE: OnceLock<File> = OnceLock::new();

/// From now on SIGINT, SIGTERM and SIGHUP are counted instead of ending the process. A signal that
/// is ignored at this point stays ignored.
pub fn install() -> io::Result<()> {
    if WAKE.get().is_none() {
        let fresh = File::from(descriptors::event_counter()?);
        let wake = WAKE.get_or_init(|| fresh);
        WAKE_FD.store(wake.as_raw_fd(), Ordering::SeqCst);
    }
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: `count` uses atomics and write(2), which signal-safety(7) lists.
        unsafe { signals::handle(signal, count)? };
    }
    Ok(())
}

/// From now on a write beyond the file size limit fails, instead of ending the process silently.
/// Programs started later do not inherit this.
pub fn let_large_writes_fail() -> io::Result<()> {
    // SAFETY: `pass` does nothing.
    unsafe { signals::handle(libc::SIGXFSZ, pass) }
}

/// True if one of the signals has arrived since [`install`].
pub fn requested() -> bool {
    requests() > 0
}

/// The number of signals since [`install`], a measure of impatience.
pub fn requests() -> u32 {
    REQUESTS.load(Ordering::SeqCst)
}

/// The latest signal since [`install`]; 0 if none.
pub(crate) fn newest() -> i32 {
    NEWEST.load(Ordering::SeqCst)
}

/// Waits until one of the signals has arrived since [`install`].
pub fn wait() -> io::Result<()> {
    let fd = wake_fd().ok_or_else(|| io::Error::other("signals are not counted"))?;
    while !requested() {
        descriptors::poll(&mut [descriptors::Watch::readable(fd)], None)?;
    }
    Ok(())
}

/// The descriptor that becomes readable when a signal arrives, once installed.
pub(crate) fn wake_fd() -> Option<RawFd> {
    WAKE.get().map(AsRawFd::as_raw_fd)
}

/// Acknowledges the signals so far, so that only the next one wakes again.
pub(crate) fn quiet() {
    if let Some(mut wake) = WAKE.get() {
        // The read does not block; if it finds nothing, nothing had to be acknowledged.
        let _ = wake.read(&mut [0; 8]);
    }
}

extern "C" fn pass(_signal: libc::c_int) {}

extern "C" fn count(signal: libc::c_int) {
    NEWEST.store(signal, Ordering::SeqCst);
    REQUESTS.fetch_add(1, Ordering::SeqCst);
    let one: u64 = 1;
    // SAFETY: __errno_location(3) points to this thread's errno, which a handler must leave
    // unchanged. write(2) reads the 8 bytes of `one`; a closed descriptor is only an error.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        libc::write(WAKE_FD.load(Ordering::SeqCst), (&raw const one).cast(), 8);
        *errno = before;
    }
}
