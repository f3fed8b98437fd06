//! What could not be read of a dump.

/// A part of a dump that could not be read and was left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Problem {
    /// The line of the dump, from 1.
    pub line: u32,
    /// The line on which the part begins that was left out.
    pub begins: u32,
    /// Why.
    pub reason: Reason,
}

/// Why a part of a dump could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Something else was expected.
    #[error("expected {expected}, found {}", .found.as_deref().map_or_else(
        || "the end of the binding".to_owned(),
        |found| format!("`{found}`")
    ))]
    Unexpected {
        /// What was expected, in words.
        expected: &'static str,
        /// What is there; none at the end of the binding.
        found: Option<String>,
    },
    /// The definition does not follow the signature that stands before it.
    #[error("the signature of `{signed}` is followed by `{found}`")]
    OtherName {
        /// Whose signature it is.
        signed: String,
        /// What follows.
        found: String,
    },
    /// Types, unfoldings or rules are nested more deeply than any that GHC prints.
    #[error("{what} are nested more than {limit} deep")]
    TooDeep {
        /// What is nested.
        what: &'static str,
        /// How deep it may be.
        limit: u32,
    },
    /// Places in a dump are numbers of 32 bits.
    #[error("the dump has {bytes} bytes; more than 4 GiB are not read")]
    TooLarge {
        /// Its size in bytes.
        bytes: usize,
    },
    /// The dump ends in the middle of a group.
    #[error("the dump ends within `Rec {{`")]
    CutOff,
}
