//! Lossless bytes in JSON: a text if they are UTF-8, otherwise the list of bytes.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that are mostly text: words of commands, paths, output of programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Exact {
    /// Bytes that are UTF-8.
    Text(String),
    /// Bytes that are not UTF-8.
    Bytes(Vec<u8>),
}

impl From<Vec<u8>> for Exact {
    fn from(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Self::Bytes(error.into_bytes()), Self::Text)
    }
}

impl From<Exact> for Vec<u8> {
    fn from(exact: Exact) -> Self {
        match exact {
            Exact::Text(text) => text.into_bytes(),
            Exact::Bytes(bytes) => bytes,
        }
    }
}

impl From<&OsStr> for Exact {
    fn from(text: &OsStr) -> Self {
        text.as_bytes().to_vec().into()
    }
}

impl From<Exact> for OsString {
    fn from(exact: Exact) -> Self {
        Self::from_vec(exact.into())
    }
}

/// Writes bytes; for `#[serde(with)]`.
///
/// # Errors
///
/// When the serializer fails.
pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Exact::from(bytes.to_vec()).serialize(serializer)
}

/// Reads bytes; for `#[serde(with)]`.
///
/// # Errors
///
/// When the value is neither a text nor a list of bytes.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    Exact::deserialize(deserializer).map(Vec::from)
}
