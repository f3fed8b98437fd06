//! Binders of names: parameters, patterns, and the heads of bindings.
//!
//! Every name and every literal of a dump, each kept once.
//!
//! A name occurs in a dump a dozen times on average; a number in its place makes nodes small and
//! comparing names cheap.

use super::lexer::Kind;
use super::parser::{Parsed, Parser, Reason};
use super::tree::{Attribute, Binder, BinderKind, Id, List, Type, Unfolding};
use std::borrow::Cow;

/// A binding up to its `=`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) name: Name,
    pub(super) signature: Option<Id<Type>>,
    pub(super) notes: List<Attribute>,
    pub(super) info: List<Attribute>,
    pub(super) parameters: List<Binder>,
    pub(super) line: u32,
}

impl Parser<'_> {
    /// A name, or an operator in round brackets.
    fn bound_name(&mut self) -> Parsed<Name> {
        let bracketed = self.kind == Kind::Open;
        if bracketed {
            self.advance();
        }
        if self.kind != Kind::Name {
            return Err(self.unexpected("a name"));
        }
        let name = self.name();
        self.advance();
        if bracketed {
            self.expect(Kind::Close, "the end of an operator's brackets")?;
        }
        Ok(name)
    }

    /// The attributes in square brackets here, if any.
    fn notes(&mut self) -> Parsed<List<Attribute>> {
        if self.kind == Kind::OpenSquare { self.attributes() } else { Ok(List::EMPTY) }
    }

    /// Binders up to a token that does not begin one.
    pub(super) fn binders(&mut self) -> Parsed<List<Binder>> {
        let begin = self.pending.binders.len();
        while self.begins_binder() {
            let binder = self.binder()?;
            self.pending.binders.push(binder);
        }
        Ok(self.core.binders.add_all(self.pending.binders.drain(begin..)))
    }

    /// Binders separated by commas, and the bracket after them.
    pub(super) fn tuple_binders(&mut self, close: Kind) -> Parsed<List<Binder>> {
        let begin = self.pending.binders.len();
        while self.kind != close {
            let binder = self.binder()?;
            self.pending.binders.push(binder);
            if self.kind == Kind::Comma {
                self.advance();
            } else if self.kind != close {
                return Err(self.unexpected("`,` or the end of a tuple"));
            }
        }
        self.advance();
        Ok(self.core.binders.add_all(self.pending.binders.drain(begin..)))
    }

    fn begins_binder(&self) -> bool {
        match self.kind {
            Kind::Name => !(self.is_arrow() || matches!(self.text(), b"=" | b"." | b"~")),
            Kind::At | Kind::Open => true,
            _ => false,
        }
    }

    /// One binder: `x`, `x [Occ=Once1]`, `(x [Occ=Once1] :: t)`, `@a`, `(@a)`, `(@(a :: k))`.
    pub(super) fn binder(&mut self) -> Parsed<Binder> {
        match self.kind {
            Kind::At => self.type_parameter(),
            Kind::Open => {
                self.advance();
                if self.kind == Kind::At {
                    let binder = self.type_parameter()?;
                    self.expect(Kind::Close, "the end of a parameter's brackets")?;
                    return Ok(binder);
                }
                let name = self.bound_name()?;
                if self.kind == Kind::Close {
                    self.advance();
                    return self.value_parameter(name);
                }
                self.typed_parameter(name)
            }
            Kind::Name => {
                let name = self.name();
                self.advance();
                self.value_parameter(name)
            }
            _ => Err(self.unexpected("a parameter")),
        }
    }

    fn value_parameter(&mut self, name: Name) -> Parsed<Binder> {
        let notes = self.notes()?;
        Ok(Binder { name, kind: BinderKind::Value, signature: None, notes, unfolding: None })
    }

    /// The rest after the name in `(x [notes] :: t Unf=...)`.
    fn typed_parameter(&mut self, name: Name) -> Parsed<Binder> {
        let notes = self.notes()?;
        let mut signature = None;
        if self.is_signature() {
            self.advance();
            signature = Some(self.type_()?);
        }
        let mut unfolding: Option<Id<Unfolding>> = None;
        if self.kind == Kind::Name && self.text().starts_with(b"Unf=") {
            self.lexer.at = self.token.start + b"Unf=".len();
            unfolding = Some(self.unfolding()?);
            self.advance();
        }
        self.expect(Kind::Close, "the end of a parameter's brackets")?;
        Ok(Binder { name, kind: BinderKind::Value, signature, notes, unfolding })
    }

    /// `@a` or `@(a :: k)`.
    fn type_parameter(&mut self) -> Parsed<Binder> {
        self.advance();
        let bracketed = self.kind == Kind::Open;
        if bracketed {
            self.advance();
        }
        if self.kind != Kind::Name {
            return Err(self.unexpected("a type variable"));
        }
        if self.text().len() > 1 && self.text().ends_with(b".") {
            self.cut(self.token.end - 1);
        }
        let name = self.name();
        self.bind_type(name);
        self.advance();
        let mut signature = None;
        if self.is_signature() {
            self.advance();
            signature = Some(self.type_()?);
        }
        if bracketed {
            self.expect(Kind::Close, "the end of a type variable's brackets")?;
        }
        let kind = BinderKind::Type;
        Ok(Binder { name, kind, signature, notes: List::EMPTY, unfolding: None })
    }

    /// A binding up to its `=`: the signature and the attributes of the name, if printed, and then
    /// the name, which is below its first occurrence.
    pub(super) fn head(&mut self) -> Parsed<Head> {
        let line = self.lexer.line;
        let column = self.token.column.unwrap_or(self.lexer.indent);
        if self.kind == Kind::At {
            return self.type_head(line);
        }
        let name = self.bound_name()?;
        let notes = self.notes()?;
        let mut signature = None;
        let mut info = List::EMPTY;
        if self.is_signature() {
            let before = self.set_limit(i64::from(column));
            self.advance();
            signature = Some(self.type_()?);
            self.set_limit(before);
            self.again_at_column(column);
            info = self.notes()?;
        }
        if signature.is_some() || (!notes.is_empty() && self.token.column == Some(column)) {
            self.again_at_column(column);
            if self.kind == Kind::OpenSquare {
                info = self.attributes()?;
                self.again_at_column(column);
            }
            let found = self.bound_name()?;
            if found != name {
                return Err(self.other_name(name, found));
            }
        }
        let parameters = self.binders()?;
        self.expect_word(b"=", "`=`")?;
        Ok(Head { name, signature, notes, info, parameters, line })
    }

    /// The head of a binding of a type variable, `@a` and below it `a =`.
    fn type_head(&mut self, line: u32) -> Parsed<Head> {
        let Binder { name, signature, .. } = self.type_parameter()?;
        let found = self.bound_name()?;
        if found != name {
            return Err(self.other_name(name, found));
        }
        self.expect_word(b"=", "`=`")?;
        let none = List::EMPTY;
        Ok(Head { name, signature, notes: none, info: none, parameters: List::EMPTY, line })
    }

    fn other_name(&self, signed: Name, found: Name) -> Reason {
        let text = |name| self.core.text(name).to_owned();
        Reason::OtherName { signed: text(signed), found: text(found) }
    }

    /// Looks at the token again, even if it is in the column of the binding itself.
    fn again_at_column(&mut self, column: u32) {
        if self.token.column == Some(column) {
            self.kind = self.token.kind;
        }
    }
}

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
