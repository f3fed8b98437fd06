//! Every name and every literal of a dump, each kept once.
//!
//! A name occurs in a dump a dozen times on average; a number in its place makes nodes small and
//! comparing names cheap.

use std::borrow::Cow;

/// A name, an operator, a literal or another piece of text of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

impl Name {
    /// Its number: names are numbered from 0 in order of their first occurrence.
    #[must_use]
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// The texts of names.
#[derive(Debug, Clone)]
pub struct Names {
    texts: String,
    /// The end of each name in `texts`; it begins at the end of the one before.
    ends: Vec<u32>,
    /// An open-addressed table: the number of a name plus one, or 0. Its length is a power of two.
    table: Vec<u32>,
}

impl Default for Names {
    fn default() -> Self {
        Self { texts: String::new(), ends: Vec::new(), table: vec![0; 64] }
    }
}

impl Names {
    /// The name with this text.
    pub fn name(&mut self, text: &str) -> Name {
        let mask = self.table.len() - 1;
        let mut slot = hash(text.as_bytes()) as usize & mask;
        loop {
            let Some(number) = self.table[slot].checked_sub(1) else {
                return self.add(text, slot);
            };
            if self.text(Name(number)) == text {
                return Name(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The name with these bytes; invalid UTF-8 is replaced by U+FFFD.
    pub(super) fn name_of_bytes(&mut self, bytes: &[u8]) -> Name {
        match String::from_utf8_lossy(bytes) {
            Cow::Borrowed(text) => self.name(text),
            Cow::Owned(text) => self.name(&text),
        }
    }

    /// The name with this text, if the dump has it.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Name> {
        let mask = self.table.len() - 1;
        let mut slot = hash(text.as_bytes()) as usize & mask;
        loop {
            let number = self.table[slot].checked_sub(1)?;
            if self.text(Name(number)) == text {
                return Some(Name(number));
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The text of a name.
    #[must_use]
    pub fn text(&self, name: Name) -> &str {
        let number = name.number();
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.texts[start as usize..self.ends[number] as usize]
    }

    /// The number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All names in order of their first occurrence.
    pub fn iter(&self) -> impl Iterator<Item = (Name, &str)> {
        (0..self.ends.len()).map(|number| {
            let name = Name(number as u32);
            (name, self.text(name))
        })
    }

    /// The bytes allocated for them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.texts.capacity() + 4 * (self.ends.capacity() + self.table.capacity())
    }

    fn add(&mut self, text: &str, slot: usize) -> Name {
        self.texts.push_str(text);
        let end = u32::try_from(self.texts.len()).expect("a dump is shorter than 4 GiB");
        let number = self.ends.len() as u32;
        self.ends.push(end);
        self.table[slot] = number + 1;
        // Beyond half full, runs of occupied slots grow long.
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        }
        Name(number)
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        let mut table = vec![0; mask + 1];
        for number in 0..self.ends.len() as u32 {
            let mut slot = hash(self.text(Name(number)).as_bytes()) as usize & mask;
            while table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            table[slot] = number + 1;
        }
        self.table = table;
    }
}

/// A multiplicative hash over words of eight bytes. A dump written by hand so that all names
/// collide is slow to read; nothing else is at stake.
fn hash(bytes: &[u8]) -> u64 {
    /// Odd, with random-looking bits: 2^64 divided by the golden ratio (Knuth, *The Art of Computer
    /// Programming* 3, 6.4).
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
        hash = (hash ^ word).wrapping_mul(FACTOR);
        hash ^= hash >> 32;
    }
    let rest = words.remainder().iter().fold(0, |rest, byte| (rest << 8) | u64::from(*byte));
    hash = (hash ^ rest).wrapping_mul(FACTOR);
    hash ^ (hash >> 32)
}
