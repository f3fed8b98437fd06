//! The queue before a lock: who came first has it first, also where somebody gives it back and wants
//! it again.
//!
//! Each who waits shares the lock on a few bytes of a file that has none of them: the first byte is
//! the moment at which it came, and there are as many as the number of its process. So the order, and
//! who it is, are what the kernel knows of locks that it frees when their holder ends.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::sys::clock::monotonic_ns;
use crate::sys::descriptors::{lock_bytes, locked_before, unlock_bytes};
use crate::sys::process;

/// A place in the queue, which is left when this is dropped.
#[derive(Debug)]
pub(super) struct Ticket {
    file: File,
    came_ns: u64,
}

impl Ticket {
    /// Queues up behind all who wait.
    pub(super) fn draw(path: &Path) -> io::Result<Self> {
        let file = super::open(path)?;
        let came_ns = monotonic_ns();
        lock_bytes(&file, came_ns, own_id())?;
        Ok(Self { file, came_ns })
    }

    /// The process of one who waits, and came before.
    pub(super) fn before(&self) -> io::Result<Option<i32>> {
        waiting(&self.file, self.came_ns)
    }
}

impl Drop for Ticket {
    /// Closing the file leaves the queue as well, but not while a child that was just forked has it.
    fn drop(&mut self) {
        let _ = unlock_bytes(&self.file, self.came_ns, own_id());
    }
}

/// The number of this process, as a number of bytes.
fn own_id() -> u64 {
    process::own_id().unsigned_abs().into()
}

/// The process of one who waits.
pub(super) fn anybody(path: &Path) -> io::Result<Option<i32>> {
    waiting(&super::open(path)?, i64::MAX.unsigned_abs())
}

fn waiting(file: &File, before_ns: u64) -> io::Result<Option<i32>> {
    let bytes = locked_before(file, before_ns)?;
    Ok(bytes.map(|bytes| i32::try_from(bytes).unwrap_or(0)))
}
