//! A number that a process shares with the one it was forked from.
#![expect(unsafe_code, reason = "std cannot share memory between processes")]

use std::io;
use std::sync::atomic::AtomicI32;

/// A zero that this process and those it will fork see alike. It is never unmapped: there are a
/// few of them in the life of a process.
pub(crate) fn number() -> io::Result<&'static AtomicI32> {
    // SAFETY: mmap(2) without an address maps fresh zeroed pages, which nobody else uses.
    let page = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            size_of::<AtomicI32>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if page == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the page is mapped for ever, aligned to more than an int needs, and zero, which is a
    // valid int. Whoever shares it accesses it as an atomic too.
    Ok(unsafe { &*page.cast::<AtomicI32>() })
}
