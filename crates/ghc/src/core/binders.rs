//! Binders of names: parameters, patterns, and the heads of bindings; and the square brackets after
//! them, GHC's `IdInfo`.
//!
//! Items in brackets are words, or a key and a value. Values are kept as text, except for unfoldings
//! and rules, whose expressions are read. Unknown keys are kept as they are: each version has some
//! that others lack.

use super::names::Name;
use super::parser::{Kind, Parsed, Parser, Reason};
use super::tree::{Attribute, Binder, BinderKind, Field, Id, Key, List, Type, Unfolding};

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

/// The maximum nesting depth of unfoldings and rules: the bindings in them have unfoldings and
/// rules in turn.
const DEEPEST: u32 = 30;

/// The kind of a value, which determines its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    /// Commas within angle brackets do not end it: signatures of strictness.
    Demands,
    /// Angle brackets are parts of names.
    Plain,
    /// The end of a line ends it: fields of unfoldings.
    Line,
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

impl Parser<'_> {
    /// Items from the current token `[` to `]`.
    pub(super) fn attributes(&mut self) -> Parsed<List<Attribute>> {
        let begin = self.pending.attributes.len();
        self.lexer.at = self.token.end;
        loop {
            self.skip_to_item();
            if self.lexer.byte(self.lexer.at) == b']' {
                break;
            }
            self.attribute()?;
            self.skip_to_item();
            match self.lexer.byte(self.lexer.at) {
                b',' => self.lexer.at += 1,
                b']' => break,
                _ => return Err(self.unexpected_here("`,` or `]`")),
            }
        }
        self.lexer.at += 1;
        self.token.end = self.lexer.at;
        self.advance();
        Ok(self.core.attributes.add_all(self.pending.attributes.drain(begin..)))
    }

    /// Skips blanks, but not the end of the binding's last line.
    fn skip_to_item(&mut self) {
        loop {
            match self.lexer.byte(self.lexer.at) {
                b' ' | b'\r' => self.lexer.at += 1,
                b'\n' if self.lexer.byte(self.lexer.at + 1) == b' ' => {
                    self.lexer.at += 1;
                    self.lexer.line += 1;
                }
                _ => return,
            }
        }
    }

    fn unexpected_here(&mut self, expected: &'static str) -> Reason {
        self.advance();
        self.unexpected(expected)
    }

    /// The length of the word here.
    fn word(&self) -> usize {
        let rest = &self.lexer.text[self.lexer.at.min(self.lexer.text.len())..];
        rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()
    }

    fn attribute(&mut self) -> Parsed<()> {
        let start = self.lexer.at;
        let end = start + self.word();
        let word = &self.lexer.text[start..end];
        let attribute = match (word, self.lexer.byte(end)) {
            (b"Unf", b'=') => {
                self.lexer.at = end + 1;
                Attribute::Unfolding(self.unfolding()?)
            }
            (b"RULES", b':') => {
                self.lexer.at = end + 1;
                Attribute::Rules(self.rules()?)
            }
            (b"GblId" | b"LclIdX" | b"LclId", after) => {
                let scope = self.raw(start, end);
                self.lexer.at = end;
                self.pending.attributes.push(Attribute::Text(Key::Scope, scope));
                if after != b'[' {
                    return Ok(());
                }
                let details = self.value(Value::Plain)?;
                let text = self.core.text(details);
                let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
                let inside = inside.unwrap_or(text).to_owned();
                Attribute::Text(Key::Details, self.core.names.name(&inside))
            }
            (word, b'=') if !word.is_empty() => {
                self.lexer.at = end + 1;
                let key = self.key(start, end);
                let demands = matches!(key, Key::Strictness | Key::Demand | Key::Cpr);
                let value = self.value(if demands { Value::Demands } else { Value::Plain })?;
                Attribute::Text(key, value)
            }
            (word, _) if !word.is_empty() => Attribute::Text(Key::Flag, self.value(Value::Plain)?),
            _ => return Err(self.unexpected_here("an item in square brackets")),
        };
        self.pending.attributes.push(attribute);
        Ok(())
    }

    fn key(&mut self, start: usize, end: usize) -> Key {
        match &self.lexer.text[start..end] {
            b"Arity" => Key::Arity,
            b"CallArity" => Key::CallArity,
            b"Caf" => Key::Caf,
            b"Str" => Key::Strictness,
            b"Cpr" => Key::Cpr,
            b"InlPrag" => Key::Inline,
            b"Occ" => Key::Occurrence,
            b"Dmd" => Key::Demand,
            b"OS" => Key::OneShot,
            _ => Key::Other(self.raw(start, end)),
        }
    }

    /// Text up to a comma or a closing bracket outside the brackets of the text.
    fn value(&mut self, of: Value) -> Parsed<Name> {
        let start = self.lexer.at;
        let text = self.lexer.text;
        let mut at = start;
        let mut depth = 0_u32;
        let mut angles = 0_u32;
        loop {
            let byte = self.lexer.byte(at);
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' | b',' if depth == 0 && (byte != b',' || angles == 0) => break,
                b')' | b']' | b'}' => depth -= 1,
                b'<' if of == Value::Demands => angles += 1,
                b'>' if of == Value::Demands && text[at - 1] != b'-' => {
                    angles = angles.saturating_sub(1);
                }
                b'\n' if of == Value::Line && depth == 0 => break,
                b'\n' if self.lexer.byte(at + 1) == b' ' => self.lexer.line += 1,
                b'\n' | 0 => {
                    self.lexer.at = at;
                    return Err(self.unexpected_here("the end of an item in square brackets"));
                }
                _ => {}
            }
            at += 1;
        }
        self.lexer.at = at;
        Ok(self.raw(start, at))
    }

    /// The text after `Unf=`.
    pub(super) fn unfolding(&mut self) -> Parsed<Id<Unfolding>> {
        let rest = &self.lexer.text[self.lexer.at..];
        let unfolding = if rest.starts_with(b"Unf{") {
            self.lexer.at += b"Unf{".len();
            self.core_unfolding()?
        } else if rest.starts_with(b"DFun:") {
            Unfolding::Text(self.dictionary()?)
        } else {
            Unfolding::Text(self.value(Value::Plain)?)
        };
        Ok(self.core.unfoldings.add(unfolding))
    }

    fn core_unfolding(&mut self) -> Parsed<Unfolding> {
        let mut fields: Vec<Field> = Vec::with_capacity(8);
        let mut template = None;
        loop {
            self.skip_to_item();
            let start = self.lexer.at;
            let end = start + self.word();
            match self.lexer.byte(start) {
                b'}' => break,
                b',' => {
                    self.lexer.at += 1;
                    continue;
                }
                _ if self.lexer.byte(end) != b'=' => {
                    return Err(self.unexpected_here("a field of an unfolding"));
                }
                _ => self.lexer.at = end + 1,
            }
            if &self.lexer.text[start..end] == b"Tmpl" {
                self.open_template()?;
                self.advance();
                template = Some(self.expression()?);
                self.template_depth -= 1;
                if self.kind != Kind::CloseBrace {
                    return Err(self.unexpected("the end of an unfolding"));
                }
                self.lexer.at = self.token.start;
                break;
            }
            let key = self.raw(start, end);
            let value = self.value(Value::Line)?;
            fields.push(Field { key, value });
        }
        self.lexer.at += 1;
        Ok(Unfolding::Core(self.core.fields.add_all(fields), template))
    }

    /// Counts an opened unfolding or list of rules, because these are read by recursion.
    pub(super) fn open_template(&mut self) -> Parsed<()> {
        self.template_depth += 1;
        if self.template_depth > DEEPEST {
            return Err(Reason::TooDeep { what: "unfoldings and rules", limit: DEEPEST });
        }
        Ok(())
    }

    /// `DFun: ...`, whose arguments cannot be separated.
    fn dictionary(&mut self) -> Parsed<Name> {
        let start = self.lexer.at;
        let mut depth = 0_u32;
        self.advance();
        loop {
            // A note of coverage has a comma in it.
            if self.kind == Kind::Name && self.tick()?.is_some() {
                continue;
            }
            match self.kind {
                Kind::End | Kind::Broken => {
                    return Err(self.unexpected("the end of a dictionary's unfolding"));
                }
                Kind::Comma | Kind::Close | Kind::CloseSquare if depth == 0 => break,
                Kind::Open
                | Kind::OpenSquare
                | Kind::OpenBrace
                | Kind::OpenUnboxed
                | Kind::OpenConstraint => depth += 1,
                Kind::Close
                | Kind::CloseSquare
                | Kind::CloseBrace
                | Kind::CloseUnboxed
                | Kind::CloseConstraint => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
        self.lexer.at = self.token.start;
        Ok(self.raw(start, self.token.start))
    }
}
