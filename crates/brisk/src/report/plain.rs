//! Text of others as it may stand in a report: see [`page::plain`].

use std::borrow::Cow;
use std::io;

use page::plain::is_hidden;
pub use page::plain::{plain, plain_but_styles};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A part of a report whose texts may all stand in one.
pub fn printable<T: Clone + Serialize + DeserializeOwned>(part: &T) -> Cow<'_, T> {
    let mut search = Search { found: false };
    if serde_json::to_writer(&mut search, part).is_ok() && !search.found {
        return Cow::Borrowed(part);
    }
    let Ok(mut value) = serde_json::to_value(part) else { return Cow::Borrowed(part) };
    match escape_texts(&mut value) {
        false => Cow::Borrowed(part),
        true => serde_json::from_value(value).map_or(Cow::Borrowed(part), Cow::Owned),
    }
}

/// Looks for what is hidden in JSON as it is written, which takes no memory: a report may have
/// thousands of variants, and hardly any has such a character.
struct Search {
    found: bool,
}

impl io::Write for Search {
    /// `serde_json` writes each escape by itself, and a fragment of text never begins with one.
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.found |= match piece {
            [b'\\', b'"' | b'\\' | b'n', ..] => false,
            [b'\\', ..] => true,
            text => std::str::from_utf8(text).map_or(true, |text| text.contains(is_hidden)),
        };
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether there was anything to escape.
fn escape_texts(value: &mut Value) -> bool {
    match value {
        Value::String(text) => match plain(text) {
            Cow::Borrowed(_) => false,
            Cow::Owned(escaped) => {
                *text = escaped;
                true
            }
        },
        Value::Array(list) => list.iter_mut().fold(false, |any, one| escape_texts(one) | any),
        Value::Object(fields) => {
            let any = fields.values_mut().fold(false, |any, one| escape_texts(one) | any);
            if !fields.keys().any(|key| key.contains(is_hidden)) {
                return any;
            }
            let all = std::mem::take(fields).into_iter();
            *fields = all.map(|(key, value)| (plain(&key).into_owned(), value)).collect();
            true
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
