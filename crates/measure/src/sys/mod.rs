//! System calls that std does not offer, each made safe to call.
//!
//! Together with [`crate::clock`] and the signal handler of [`crate::interrupt`] these files hold
//! all of the program's `unsafe`. They make no decisions: a call goes in, its answer or its `errno`
//! comes out.

pub(crate) mod descriptors;
pub(crate) mod events;
pub(crate) mod process;
pub(crate) mod signals;
pub(crate) mod spawn;
pub(crate) mod trace;

use std::io;

/// The answer of a system call, or its `errno` as an error.
fn check(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// The error number of a failed system call.
pub(crate) fn errno(error: &io::Error) -> i32 {
    // std makes errors without a number only for its own refusals, such as a
    // NUL inside a path; the kernel would have called those EINVAL.
    error.raw_os_error().unwrap_or(libc::EINVAL)
}
