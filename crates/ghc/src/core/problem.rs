//! The unreadable parts of a dump.

/// A part of a dump that could not be read and was left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Problem {
    /// The line of the dump, from 1.
    pub line: u32,
    /// The line on which the omitted part begins.
    pub begins: u32,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a part of a dump could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Something else was expected.
    #[error("expected {expected}, found {}", .found.as_deref().map_or_else(
        || "the end of the binding".to_owned(),
        |found| format!("`{found}`")
    ))]
    Unexpected {
        /// The expectation, in words.
        expected: &'static str,
        /// The text found; `None` at the end of the binding.
        found: Option<String>,
    },
    /// The definition does not match the signature before it.
    #[error("the signature of `{signed}` is followed by `{found}`")]
    OtherName {
        /// The name in the signature.
        signed: String,
        /// The name that follows.
        found: String,
    },
    /// Types, unfoldings or rules are nested more deeply than in any dump of GHC.
    #[error("{what} are nested more than {limit} deep")]
    TooDeep {
        /// The nested construct.
        what: &'static str,
        /// The maximum depth.
        limit: u32,
    },
    /// Positions in a dump are numbers of 32 bits.
    #[error("the dump has {bytes} bytes; more than 4 GiB are not read")]
    TooLarge {
        /// Its size in bytes.
        bytes: usize,
    },
    /// The dump ends in the middle of a group.
    #[error("the dump ends within `Rec {{`")]
    CutOff,
}
