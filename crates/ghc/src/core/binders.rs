//! Binders of names: parameters, patterns, and the heads of bindings.

use super::arena::{Id, List};
use super::lexer::Kind;
use super::names::Name;
use super::parser::{Parsed, Parser};
use super::problem::Reason;
use super::tree::{Attribute, Binder, BinderKind, Type, Unfolding};

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
