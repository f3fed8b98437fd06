//! The name of an expectation, the same on every machine and in every version.
//!
//! `brisk check --accept ID` refers to an expectation by it. It is derived from the meaning of the
//! expectation, so blank space and redundant parentheses do not change it, but a changed limit
//! does: a value accepted under one limit was not accepted under another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::relation::Relation;

/// Twelve hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(into = "String", try_from = "String")]
#[cfg_attr(feature = "testing", schemars(extend("pattern" = "^[0-9a-f]{12}$")))]
pub struct ExpectationId(u64);

/// The error of a text that is not the name of an expectation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of an expectation; it has twelve hexadecimal digits")]
pub struct IdError(pub String);

const DIGITS: usize = 12;

impl ExpectationId {
    /// The name of `relation`.
    pub fn from_relation(relation: &Relation) -> Self {
        Self(fnv1a(relation.to_string().as_bytes()) >> (64 - 4 * DIGITS))
    }
}

/// The 64-bit FNV-1a hash (Fowler, Noll and Vo, 1991). Names need to be stable and short, not
/// resistant to forgery: nobody gains by making two of their own expectations collide.
fn fnv1a(bytes: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(OFFSET, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

impl fmt::Display for ExpectationId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:0DIGITS$x}", self.0)
    }
}

impl FromStr for ExpectationId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let digits = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let value = digits.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        value.map(Self).ok_or_else(|| IdError(text.to_owned()))
    }
}

impl TryFrom<String> for ExpectationId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<ExpectationId> for String {
    fn from(id: ExpectationId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        // From the test vectors that the authors publish with the algorithm.
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325_u64),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(fnv1a(text.as_bytes()), hash, "{text}");
        }
    }

    #[test]
    fn a_name_is_read_as_it_is_written() {
        let id = ExpectationId(0x0012_3456_789a);
        assert_eq!(id.to_string(), "00123456789a");
        assert_eq!("00123456789a".parse(), Ok(id));
        for text in ["", "123", "00123456789g", "+0123456789a", "00123456789ab", "é00000000000"] {
            assert_eq!(text.parse::<ExpectationId>(), Err(IdError(text.to_owned())));
        }
    }
}
