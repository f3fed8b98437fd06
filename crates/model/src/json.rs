//! Writing and reading JSON without a loss, also of bytes and of infinite ratios.
//!
//! The code that serde derives for a type is compiled again for each kind of writer and reader, so
//! everything goes through one of each here. With nine kinds it was 37 % of this crate's code,
//! unoptimised.

use std::fmt;
use std::io::{self, Write};

use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Writes a value on one line, without a newline.
///
/// # Errors
///
/// When it cannot be written, or a key of the value is not a text.
pub fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    Ok(serde_json::to_writer(out, value)?)
}

/// A value on one line.
///
/// # Panics
///
/// When a key of the value is not a text.
pub fn text(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes, value).expect("its keys are texts");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// Reads a value.
///
/// # Errors
///
/// When it is not UTF-8, not JSON, or JSON of another type.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_str(std::str::from_utf8(bytes).map_err(serde_json::Error::custom)?)
}

/// Reads a large part of a tagged enum, or of a flattened field.
///
/// Serde buffers such a part until it knows its type, and then reads the buffer by other code,
/// which is compiled for every type within. So the part is written as JSON again, and read like all
/// JSON.
///
/// # Errors
///
/// When it is of another type.
pub fn read_kept<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<T, D::Error> {
    let kept = serde_json::Value::deserialize(from)?;
    read(text(&kept).as_bytes()).map_err(D::Error::custom)
}

/// Reads a map as its pairs, in order.
///
/// # Errors
///
/// When it is not a map of such pairs; `expected` names it.
pub(crate) fn read_pairs<'de, D: Deserializer<'de>, K: Deserialize<'de>, V: Deserialize<'de>>(
    from: D,
    expected: &'static str,
) -> Result<Vec<(K, V)>, D::Error> {
    struct InOrder<K, V> {
        expected: &'static str,
        pairs: Vec<(K, V)>,
    }

    impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for InOrder<K, V> {
        type Value = Vec<(K, V)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str(self.expected)
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
            while let Some(pair) = map.next_entry()? {
                self.pairs.push(pair);
            }
            Ok(self.pairs)
        }
    }

    from.deserialize_map(InOrder { expected, pairs: Vec::new() })
}

/// Lossless bytes: a text if they are UTF-8, otherwise the list of bytes.
pub mod exact {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

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
            String::from_utf8(bytes)
                .map_or_else(|error| Self::Bytes(error.into_bytes()), Self::Text)
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
}

/// Ratios: a very large number stands for an infinite one, which JSON does not have.
pub mod ratio {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    /// The stand-in for an infinite ratio: a number, so that programs that read ratios still can.
    pub const INFINITE: f64 = 1e300;

    /// True if a ratio, or a moderate multiple of it, stands for an infinite one.
    pub fn is_infinite(ratio: f64) -> bool {
        ratio >= INFINITE / 1e9
    }

    /// Writes a ratio.
    ///
    /// # Errors
    ///
    /// When the serializer fails.
    pub fn serialize<S: Serializer>(ratio: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        ratio.min(INFINITE).serialize(serializer)
    }

    /// Reads a ratio.
    ///
    /// # Errors
    ///
    /// When it is not a number.
    pub fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<f64, D::Error> {
        let ratio = f64::deserialize(deserializer)?;
        Ok(if is_infinite(ratio) { f64::INFINITY } else { ratio })
    }

    #[cfg(test)]
    mod tests {
        use serde::{Deserialize, Serialize};

        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Held(#[serde(with = "super")] f64);

        #[test]
        fn a_ratio_is_read_as_it_is_written_also_over_zero() {
            for ratio in [0.0, 0.5, 1e200, f64::INFINITY] {
                let written = serde_json::to_string(&Held(ratio)).expect("writable");
                let value: serde_json::Value = serde_json::from_str(&written).expect("JSON");
                assert!(value.is_f64(), "{written}");
                assert_eq!(serde_json::from_str::<Held>(&written).ok(), Some(Held(ratio)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let value = vec![(1.5, "a\n\"ü".to_owned())];
        assert_eq!(text(&value), "[[1.5,\"a\\n\\\"ü\"]]");
        assert_eq!(read::<Vec<(f64, String)>>(text(&value).as_bytes()).expect("readable"), value);
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        One {
            #[serde(deserialize_with = "read_kept")]
            part: Vec<(f64, Option<u64>)>,
        },
    }

    #[test]
    fn what_serde_kept_is_read_to_the_last_digit() {
        let value = Tagged::One { part: vec![(0.1 + 0.2, Some(u64::MAX)), (5e-324, None)] };
        assert_eq!(read::<Tagged>(text(&value).as_bytes()).expect("readable"), value);
        let error = read::<Tagged>(br#"{"kind": "One", "part": 3}"#).expect_err("no list");
        assert!(error.to_string().contains("expected a sequence"), "{error}");
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error() {
        let error = read::<String>(b"\"\xff\"").expect_err("no UTF-8");
        assert!(error.to_string().contains("utf-8"), "{error}");
        assert!(read::<String>(b"\"a").is_err());
    }
}
