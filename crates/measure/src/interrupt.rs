//! Noticing that somebody wants us to stop: SIGINT, SIGTERM, SIGHUP.
//!
//! A signal ends nothing by itself. It is counted, and it wakes whoever waits
//! for a run; what to do about it is the caller's decision. And a file that is
//! too large for `ulimit -f` (SIGXFSZ) ends nothing either.
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

/// From now on SIGINT, SIGTERM and SIGHUP are counted instead of ending the
/// process. A signal that is ignored when this is called stays ignored.
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

/// From now on a write beyond the limit on the size of files fails, instead of ending the process
/// without a word. Programs that are started are not protected with it.
pub fn let_large_writes_fail() -> io::Result<()> {
    // SAFETY: `pass` does nothing.
    unsafe { signals::handle(libc::SIGXFSZ, pass) }
}

/// Whether one of the signals has come since [`install`].
pub fn requested() -> bool {
    requests() > 0
}

/// How many of the signals have come since [`install`]: impatience, in other words.
pub fn requests() -> u32 {
    REQUESTS.load(Ordering::SeqCst)
}

/// The signal that came last since [`install`]; 0 where none has.
pub(crate) fn newest() -> i32 {
    NEWEST.load(Ordering::SeqCst)
}

/// Waits until one of the signals has come since [`install`].
pub fn wait() -> io::Result<()> {
    let fd = wake_fd().ok_or_else(|| io::Error::other("signals are not counted"))?;
    while !requested() {
        descriptors::poll(&mut [descriptors::Watch::readable(fd)], None)?;
    }
    Ok(())
}

/// The descriptor that becomes readable when a signal comes, once installed.
pub(crate) fn wake_fd() -> Option<RawFd> {
    WAKE.get().map(AsRawFd::as_raw_fd)
}

/// Takes note of the signals so far, so that only the next one wakes again.
pub(crate) fn quiet() {
    if let Some(mut wake) = WAKE.get() {
        // It does not block; with nothing to read there is nothing to quieten.
        let _ = wake.read(&mut [0; 8]);
    }
}

extern "C" fn pass(_signal: libc::c_int) {}

extern "C" fn count(signal: libc::c_int) {
    NEWEST.store(signal, Ordering::SeqCst);
    REQUESTS.fetch_add(1, Ordering::SeqCst);
    let one: u64 = 1;
    // SAFETY: __errno_location(3) points to this thread's errno, which a handler must leave
    // as it was. write(2) reads the 8 bytes of `one`; a closed descriptor is only an error.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        libc::write(WAKE_FD.load(Ordering::SeqCst), (&raw const one).cast(), 8);
        *errno = before;
    }
}
