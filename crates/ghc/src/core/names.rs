//! Names: every name and literal of a dump, kept once, and the parts of a name as printed by GHC:
//! package, module, the name itself, and its unique.
//!
//! A name occurs in a dump a dozen times on average; a number in its place makes nodes small and
//! comparing names cheap.

use std::borrow::Cow;

/// A name, an operator, a literal or another piece of text of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

impl Name {
    /// Its number: names are numbered from 0 in order of their first occurrence.
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
        self.known(text).unwrap_or_else(|slot| self.add(text, slot))
    }

    /// The name with these bytes; invalid UTF-8 is replaced by U+FFFD.
    pub(super) fn name_of_bytes(&mut self, bytes: &[u8]) -> Name {
        match String::from_utf8_lossy(bytes) {
            Cow::Borrowed(text) => self.name(text),
            Cow::Owned(text) => self.name(&text),
        }
    }

    /// The name with this text, if the dump has it.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.known(text).ok()
    }

    /// The name with this text, or the slot of the table for it.
    fn known(&self, text: &str) -> Result<Name, usize> {
        let mask = self.table.len() - 1;
        let mut slot = hash(text.as_bytes()) as usize & mask;
        while let Some(number) = self.table[slot].checked_sub(1) {
            if self.text(Name(number)) == text {
                return Ok(Name(number));
            }
            slot = (slot + 1) & mask;
        }
        Err(slot)
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        let number = name.number();
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.texts[start as usize..self.ends[number] as usize]
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no names.
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

/// A name without its package and module: `+` of `base-4.15:GHC.Num.+`.
pub fn occurrence(name: &str) -> &str {
    &name[module_end(name.as_bytes())..]
}

/// The module before a name, with its package if printed: `GHC.Num` of `GHC.Num.+`.
pub fn module(name: &str) -> Option<&str> {
    let end = module_end(name.as_bytes());
    name[..end].strip_suffix('.')
}

/// The end of the module, after its last dot; 0 without one.
fn module_end(name: &[u8]) -> usize {
    // GHC's module `:Main` calls `main`.
    let is_own = name.first() == Some(&b':') && name.get(1).is_some_and(u8::is_ascii_uppercase);
    let mut end = if is_own { 1 } else { package_end(name) };
    let package = end;
    let mut found = 0;
    while name.get(end).is_some_and(u8::is_ascii_uppercase) {
        let word = name[end..].iter().take_while(|byte| is_within(**byte)).count();
        let dot = end + word;
        if name.get(dot) != Some(&b'.') || dot + 1 == name.len() {
            break;
        }
        end = dot + 1;
        found = end;
    }
    // Without a module after it, it is not a package.
    if found == 0 && package > 0 { 0 } else { found }
}

/// The end of the package, after its colon; 0 without one.
fn package_end(name: &[u8]) -> usize {
    if !name.first().is_some_and(u8::is_ascii_lowercase) {
        return 0;
    }
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'+');
    let length = name.iter().take_while(|byte| word(**byte)).count();
    let is_one =
        name.get(length) == Some(&b':') && name.get(length + 1).is_some_and(u8::is_ascii_uppercase);
    if is_one { length + 1 } else { 0 }
}

fn is_within(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\'' || byte >= 0x80
}

/// True if a name is an operator, written between its operands in types and in round brackets
/// elsewhere. Names that GHC makes, such as `$fShowTree`, are not.
pub fn is_operator(name: &str) -> bool {
    let name = occurrence(name);
    let mut letters = name.chars();
    match letters.next() {
        Some('$') => {
            !letters.next().is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
        }
        Some('(' | '[' | '_' | '\'' | '"' | ',' | ';' | '`' | '{') | None => false,
        Some(first) => !first.is_alphanumeric(),
    }
}

/// A name and its unique, if it ends like one: an underscore, a letter, and digits of base 62. A
/// name of the program may look the same: `to_a1` is `to` with a unique only if the dump has
/// uniques and the name is not one of another module.
pub fn split_unique(name: &str) -> Option<(&str, &str)> {
    /// A unique has 64 bits, of which a letter takes eight; 62^10 is more than 2^56.
    const LONGEST: usize = 11;
    let (stem, unique) = name.rsplit_once('_')?;
    let bytes = unique.as_bytes();
    let fits = (2..=LONGEST).contains(&bytes.len())
        && bytes[0].is_ascii_alphabetic()
        && bytes.iter().all(u8::is_ascii_alphanumeric);
    (fits && !stem.is_empty() && module(name).is_none()).then_some((stem, unique))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_packages_are_cut_off() {
        for (name, in_module, rest) in [
            ("GHC.Base.++", Some("GHC.Base"), "++"),
            ("GHC.Base..", Some("GHC.Base"), "."),
            ("Data.Map.Internal.$WBin", Some("Data.Map.Internal"), "$WBin"),
            (
                "base-4.15.1.0:Data.Semigroup.Internal.Any",
                Some("base-4.15.1.0:Data.Semigroup.Internal"),
                "Any",
            ),
            ("D:R:Key[]0[0]", None, "D:R:Key[]0[0]"),
            ("Feat.D:R:Key[]0[0]", Some("Feat"), "D:R:Key[]0[0]"),
            ("GHC.Types.:", Some("GHC.Types"), ":"),
            ("main:f", None, "main:f"),
            ("x_a1", None, "x_a1"),
            (".", None, "."),
            ("GHC.Tuple.(,)", Some("GHC.Tuple"), "(,)"),
            ("Feat.größe", Some("Feat"), "größe"),
            (":Main.main", Some(":Main"), "main"),
            (":+", None, ":+"),
            ("", None, ""),
        ] {
            assert_eq!((module(name), occurrence(name)), (in_module, rest), "{name}");
        }
    }

    #[test]
    fn operators_are_told_from_names() {
        for operator in
            ["+", "GHC.Base.++", "~#", "GHC.Generics.:+:", "$", "$!", "⊕", "GHC.Base..", ":"]
        {
            assert!(is_operator(operator), "{operator}");
        }
        for name in
            ["$fShow(,)4", "x", "GHC.Types.I#", "[]", "(,)", "_", "D:R:A", "größe", "$WNode", "λ"]
        {
            assert!(!is_operator(name), "{name}");
        }
    }

    #[test]
    fn uniques_are_split_off() {
        assert_eq!(split_unique("go16_s8Fa"), Some(("go16", "s8Fa")));
        assert_eq!(split_unique("x_y_X2"), Some(("x_y", "X2")));
        assert_eq!(split_unique("+++_r1"), Some(("+++", "r1")));
        assert_eq!(split_unique("Feat.c_sin"), None);
        assert_eq!(split_unique("_a1"), None);
        assert_eq!(split_unique("x_1"), None);
        assert_eq!(split_unique("x"), None);
    }
}
