//! The queue before a lock: first come, first served, even for a process that releases the lock and
//! wants it again.
//!
//! Each waiting process holds a shared lock on a range of bytes beyond the end of a file: it starts
//! at the time of arrival, and its length is the process id. So the kernel keeps both the order and
//! the identities, and frees the locks when their holder ends.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::sys::clock::monotonic_ns;
use crate::sys::descriptors::{lock_bytes, locked_before, unlock_bytes};
use crate::sys::process;

/// A place in the queue, given up on drop.
#[derive(Debug)]
pub(super) struct Ticket {
    file: File,
    came_ns: u64,
}

impl Ticket {
    /// Queues up after all who wait.
    pub(super) fn draw(path: &Path) -> io::Result<Self> {
        let file = super::open(path)?;
        let came_ns = monotonic_ns();
        lock_bytes(&file, came_ns, own_id())?;
        Ok(Self { file, came_ns })
    }

    /// The id of a process that waits and came earlier.
    pub(super) fn before(&self) -> io::Result<Option<i32>> {
        waiting(&self.file, self.came_ns)
    }
}

impl Drop for Ticket {
    /// Closing the file also leaves the queue, but not while a newly forked child has it open.
    fn drop(&mut self) {
        let _ = unlock_bytes(&self.file, self.came_ns, own_id());
    }
}

/// The id of this process, as a length in bytes.
fn own_id() -> u64 {
    process::own_id().unsigned_abs().into()
}

/// The id of a waiting process.
pub(super) fn anybody(path: &Path) -> io::Result<Option<i32>> {
    waiting(&super::open(path)?, i64::MAX.unsigned_abs())
}

fn waiting(file: &File, before_ns: u64) -> io::Result<Option<i32>> {
    let bytes = locked_before(file, before_ns)?;
    Ok(bytes.map(|bytes| i32::try_from(bytes).unwrap_or(0)))
}
