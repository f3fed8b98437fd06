//! Names of objects, files and functions, each kept once, and the numbers that stand for them.

use std::collections::HashMap;

use super::number;

/// A name of a profile, by its place among those of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub(super) u32);

/// The names of one kind.
#[derive(Debug, Default)]
pub(super) struct Names {
    texts: Vec<String>,
    places: HashMap<Box<[u8]>, Name>,
    /// What a file's numbers stand for.
    numbered: HashMap<u64, Name>,
}

/// What stands for a name that is not known, as in callgrind's own files.
pub(super) const UNKNOWN: &str = "???";

impl Names {
    /// The name that `text`, what follows the `=`, gives: `(12) main`, `(12)` or `main`; none where
    /// its number was never given a name.
    pub(super) fn read(&mut self, text: &[u8]) -> Option<Name> {
        let text = number::skip_blanks(text);
        let Some((id, name)) = numbered(text) else { return Some(self.keep(text)) };
        if name.is_empty() {
            return self.numbered.get(&id).copied();
        }
        let name = self.keep(name);
        self.numbered.insert(id, name);
        Some(name)
    }

    /// Its place; names are the same when their bytes are.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> Name {
        if let Some(name) = self.places.get(bytes) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).expect("fewer names than bytes of memory"));
        self.texts.push(String::from_utf8_lossy(bytes).into_owned());
        self.places.insert(bytes.into(), name);
        name
    }

    pub(super) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

/// The number and the rest of `(12) rest`. A name may begin with a bracket, too: `(below main)`.
fn numbered(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut rest = text.strip_prefix(b"(")?;
    let id = number::take(&mut rest)?;
    Some((id, number::skip_blanks(rest.strip_prefix(b")")?)))
}
