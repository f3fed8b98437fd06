//! Writing and reading JSON.
//!
//! The code that serde derives for a type is compiled again for each kind of writer and reader, so
//! everything goes through one of each here. With nine kinds it was 37 % of this crate's code,
//! unoptimised.

use std::io::{self, Write};

use serde::de::{DeserializeOwned, Error as _};
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
