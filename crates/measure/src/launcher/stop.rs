//! The reason that a slice ended before its last task.

use crate::wire::{Malformed, Reader, Writer};

/// The reason that tasks of a slice were not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The caller requested it; the run in flight was ended and is not reported.
    Aborted,
    /// A run had an outcome that its task does not allow.
    Failed {
        /// Position of the task in the slice.
        index: usize,
    },
    /// A program could not be started.
    CannotStart {
        /// Position of the task in the slice.
        index: usize,
        /// The obstacle.
        obstacle: Obstacle,
        /// The error number from the kernel.
        errno: i32,
    },
    /// The launcher itself was stopped (SIGSTOP) during a run, so the run has no valid readings.
    Disturbed {
        /// Position of the task in the slice.
        index: usize,
    },
    /// A finished run could not be appended to the journal. It is still reported.
    JournalWrite {
        /// The error number from the kernel.
        errno: i32,
    },
}

/// The obstacle to starting a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The program's file.
    Program,
    /// Its working directory.
    Directory,
    /// Its input file.
    Stdin,
    /// Its output file.
    Stdout,
}

impl StopReason {
    pub(super) fn encode(&self, out: &mut Writer) {
        match self {
            Self::Aborted => out.u8(0),
            Self::Failed { index } => {
                out.u8(1);
                out.count(*index);
            }
            Self::CannotStart { index, obstacle, errno } => {
                out.u8(2);
                out.count(*index);
                out.u8(match obstacle {
                    Obstacle::Program => 0,
                    Obstacle::Directory => 1,
                    Obstacle::Stdin => 2,
                    Obstacle::Stdout => 3,
                });
                out.i32(*errno);
            }
            Self::JournalWrite { errno } => {
                out.u8(3);
                out.i32(*errno);
            }
            Self::Disturbed { index } => {
                out.u8(4);
                out.count(*index);
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match from.u8()? {
            0 => Self::Aborted,
            1 => Self::Failed { index: from.u32()? as usize },
            2 => Self::CannotStart {
                index: from.u32()? as usize,
                obstacle: match from.u8()? {
                    0 => Obstacle::Program,
                    1 => Obstacle::Directory,
                    2 => Obstacle::Stdin,
                    3 => Obstacle::Stdout,
                    _ => return Err(Malformed),
                },
                errno: from.i32()?,
            },
            3 => Self::JournalWrite { errno: from.i32()? },
            4 => Self::Disturbed { index: from.u32()? as usize },
            _ => return Err(Malformed),
        })
    }
}
