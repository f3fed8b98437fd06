//! A pipe that is emptied while the program runs, keeping only the end.
//!
//! A program that writes a gigabyte is not blocked and costs no memory. The pipe outlives the run,
//! because making one per run would cost time; if a process may still hold it after a run, a new
//! one is made.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsRawFd, RawFd};

use crate::sys::descriptors;

/// The default number of bytes kept of the end.
const KEPT_BYTES: usize = crate::task::STDERR_KEPT_BYTES as usize;

/// The capacity of pipes on Linux (pipe(7)), so one read empties one.
const CHUNK_BYTES: usize = 64 * 1024;

/// A buffer for output that is about to be dropped.
pub(super) type Chunk = Box<[u8; CHUNK_BYTES]>;

/// A chunk to share between all captures.
pub(super) fn new_chunk() -> Chunk {
    Box::new([0; CHUNK_BYTES])
}

/// One captured stream.
#[derive(Debug)]
pub(super) struct Capture {
    reader: File,
    writer: File,
    tail: Vec<u8>,
    kept_bytes: usize,
}

impl Capture {
    pub(super) fn new() -> io::Result<Self> {
        let (reader, writer) = descriptors::pipe()?;
        Ok(Self {
            reader: reader.into(),
            writer: writer.into(),
            tail: Vec::with_capacity(2 * KEPT_BYTES),
            kept_bytes: KEPT_BYTES,
        })
    }

    /// Keeps this number of bytes of the end from now on.
    pub(super) fn keep(&mut self, bytes: usize) {
        self.kept_bytes = bytes;
    }

    /// The end that becomes readable when the program has written.
    pub(super) fn reading_end(&self) -> RawFd {
        self.reader.as_raw_fd()
    }

    /// The end that the program gets.
    pub(super) fn writing_end(&self) -> RawFd {
        self.writer.as_raw_fd()
    }

    /// Reads once, and returns true if there was data; more may be left for the next read.
    pub(super) fn read_some(&mut self, chunk: &mut Chunk) -> io::Result<bool> {
        match self.reader.read(&mut chunk[..]) {
            Ok(0) => Ok(false),
            Ok(length) => {
                keep_end(&mut self.tail, &chunk[..length], self.kept_bytes);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Reads everything available now. Only for use after all writers are gone: with an active one
    /// it may never return.
    pub(super) fn read_all(&mut self, chunk: &mut Chunk) -> io::Result<()> {
        while self.read_some(chunk)? {}
        Ok(())
    }

    /// The end of what was written since the last call.
    pub(super) fn take_tail(&mut self) -> Vec<u8> {
        let tail = self.tail.clone();
        self.tail.clear();
        // Memory needed for one long output is not kept.
        self.tail.shrink_to(2 * KEPT_BYTES);
        tail
    }
}

/// Appends `piece`, then drops bytes beyond `kept_bytes` from the front.
fn keep_end(tail: &mut Vec<u8>, piece: &[u8], kept_bytes: usize) {
    let piece = &piece[piece.len().saturating_sub(kept_bytes)..];
    let surplus = (tail.len() + piece.len()).saturating_sub(kept_bytes);
    tail.drain(..surplus);
    tail.extend_from_slice(piece);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_output_is_kept() {
        let text: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
        for piece in [1, 100, 5_000, 8_192, 8_193, 65_536, 100_000] {
            let mut tail = Vec::new();
            text.chunks(piece).for_each(|piece| keep_end(&mut tail, piece, KEPT_BYTES));
            assert_eq!(tail, text[text.len() - KEPT_BYTES..], "in pieces of {piece}");
        }
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        let mut tail = Vec::new();
        keep_end(&mut tail, b"fib: ", KEPT_BYTES);
        keep_end(&mut tail, b"index too large\n", KEPT_BYTES);
        assert_eq!(tail, b"fib: index too large\n");
    }
}
