//! Names of objects, files and functions, each stored once, and their numbers in the file.

use std::collections::HashMap;

use super::number;

/// A name of a profile: its index among the names of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub(super) u32);

/// The names of one kind.
#[derive(Debug, Default)]
pub(super) struct Names {
    texts: Vec<String>,
    places: HashMap<Box<[u8]>, Name>,
    /// The names behind the file's numbers.
    numbered: Numbered,
}

/// Names by number. Callgrind counts from 0, so nearly all numbers are small.
#[derive(Debug, Default)]
struct Numbered {
    near: Vec<Option<Name>>,
    far: HashMap<u64, Name>,
}

/// Numbers below this, or below twice the length of the vector, go into the vector.
const NEAR: usize = 1 << 16;

impl Numbered {
    fn get(&self, number: u64) -> Option<Name> {
        let near = usize::try_from(number).ok().and_then(|number| self.near.get(number));
        near.copied().flatten().or_else(|| self.far.get(&number).copied())
    }

    fn set(&mut self, number: u64, name: Name) {
        let limit = NEAR.max(2 * self.near.len());
        match usize::try_from(number) {
            Ok(near) if near < limit => {
                if self.near.len() <= near {
                    self.near.resize(near + 1, None);
                }
                self.near[near] = Some(name);
            }
            _ => _ = self.far.insert(number, name),
        }
    }
}

/// The placeholder for an unknown name, as in callgrind's own files.
pub(super) const UNKNOWN: &str = "???";

impl Names {
    /// The name that `text`, the part after the `=`, refers to: `(12) main`, `(12)` or `main`;
    /// `None` if its number was never given a name.
    pub(super) fn read(&mut self, text: &[u8]) -> Option<Name> {
        let text = number::skip_blanks(text);
        let Some((id, name)) = numbered(text) else { return Some(self.keep(text)) };
        if name.is_empty() {
            return self.numbered.get(id);
        }
        let name = self.keep(name);
        self.numbered.set(id, name);
        Some(name)
    }

    /// Stores a name and returns its index; names are equal if their bytes are.
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
