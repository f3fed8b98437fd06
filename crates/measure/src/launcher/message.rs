//! The messages between the two halves of the launcher.
//!
//! A message is a kind (1 byte), a length (4 bytes) and a body. A journal's descriptor travels with
//! the first byte of a slice.

use super::StopReason;
use super::whole;
use crate::task::Task;
use crate::wire::{Malformed, Writer};

/// Bytes before the body.
pub(super) const HEADER_BYTES: usize = 5;

/// A message to the launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToLauncher {
    /// Run the tasks in the body.
    Slice,
    /// End the run in flight and the slice with it. Ignored between slices.
    Abort,
}

/// A message from the launcher.
#[derive(Debug)]
pub(super) enum FromLauncher {
    /// These runs, as journal records, have finished; more messages follow.
    Records(Vec<u8>),
    /// All tasks of the slice have run.
    Done,
    /// The slice ended early.
    Stopped(StopReason),
    /// A run cannot be watched because of this error number from the kernel.
    Broken(i32),
}

impl ToLauncher {
    /// The message that asks for these tasks.
    pub(super) fn slice(tasks: &[Task]) -> Vec<u8> {
        let mut body = Writer::default();
        body.count(tasks.len());
        tasks.iter().for_each(|task| task.encode(&mut body));
        framed(0, body.as_slice())
    }

    /// The message that ends the run in flight.
    pub(super) fn abort() -> Vec<u8> {
        framed(1, &[])
    }

    pub(super) fn from_kind(kind: u8) -> Result<Self, Malformed> {
        match kind {
            0 => Ok(Self::Slice),
            1 => Ok(Self::Abort),
            _ => Err(Malformed),
        }
    }
}

impl FromLauncher {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = Writer::default();
        match self {
            Self::Records(bytes) => return framed(0, bytes),
            Self::Done => return framed(1, &[]),
            Self::Stopped(reason) => reason.encode(&mut body),
            Self::Broken(errno) => {
                body.i32(*errno);
                return framed(3, body.as_slice());
            }
        }
        framed(2, body.as_slice())
    }

    pub(super) fn decode(kind: u8, body: Vec<u8>) -> Result<Self, Malformed> {
        match kind {
            0 => Ok(Self::Records(body)),
            1 => Ok(Self::Done),
            2 => whole(&body, StopReason::decode).map(Self::Stopped),
            3 => whole(&body, |from| from.i32()).map(Self::Broken),
            _ => Err(Malformed),
        }
    }
}

/// The kind and the length of the body that follows.
pub(super) fn parse_header(header: [u8; HEADER_BYTES]) -> (u8, usize) {
    let [kind, length @ ..] = header;
    (kind, u32::from_le_bytes(length) as usize)
}

fn framed(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut message = Writer::with_capacity(HEADER_BYTES + body.len());
    message.u8(kind);
    message.bytes(body);
    message.as_slice().to_vec()
}
