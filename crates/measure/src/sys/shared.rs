//! Numbers that a process shares with the one it was forked from.
#![expect(unsafe_code, reason = "std cannot share memory between processes")]

use std::io;
use std::sync::atomic::AtomicI32;

/// Zeros shared by this process and those that it will fork. They are never unmapped: a process
/// makes only a few such lists.
pub(crate) fn numbers<const N: usize>() -> io::Result<&'static [AtomicI32; N]> {
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
