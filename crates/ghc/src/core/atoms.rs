//! Atomic expressions: variables, literals made of words, foreign calls; and the notes before
//! expressions.

use super::arena::Id;
use super::lexer::Kind;
use super::names::Name;
use super::parser::{Parsed, Parser};
use super::tree::{Expr, Type};

impl Parser<'_> {
    /// The note before an expression, if one is here: `src<Main.hs:3:5-9>` and the like.
    pub(super) fn tick(&mut self) -> Parsed<Option<Name>> {
        let text = self.text();
        let known = [b"src<".as_slice(), b"scc<", b"tick<", b"scctick<", b"hpc<", b"break<"];
        if !known.iter().any(|begin| text.starts_with(begin)) {
            return Ok(None);
        }
        let start = self.token.start;
        let Some(length) = tick_length(&self.lexer.text[start..]) else {
            return Err(self.unexpected("a note of the source or of a cost centre"));
        };
        let name = self.raw(start, start + length);
        self.cut(start + length);
        self.advance();
        Ok(Some(name))
    }

    /// A variable, a constructor, or a literal made of words.
    pub(super) fn variable(&mut self) -> Parsed<Id<Expr>> {
        let start = self.token.start;
        let text = self.text();
        if text.starts_with(b"__") || text.starts_with(b"RUBBISH") {
            let is_label = text == b"__label";
            let is_rubbish = text.starts_with(b"RUBBISH");
            if is_label || is_rubbish || text == b"__NULL" {
                self.advance();
                if is_label {
                    self.expect(Kind::String, "the name of a label")?;
                }
                self.skip_brackets()?;
                let name = self.raw(start, self.previous_end);
                return Ok(self.core.exprs.add(Expr::Literal(name)));
            }
        }
        let name = self.name();
        self.advance();
        Ok(self.core.exprs.add(Expr::Variable(name)))
    }

    /// Skips brackets and their contents, if they belong to a literal.
    fn skip_brackets(&mut self) -> Parsed<()> {
        let is_word = |text: &[u8]| text.starts_with(b"(function)") || text.starts_with(b"(data)");
        let is_kind_of_label =
            self.kind == Kind::Open && is_word(&self.lexer.text[self.token.start..]);
        let opens = matches!(self.kind, Kind::Open | Kind::OpenSquare);
        if !(is_kind_of_label || opens && self.is_adjacent()) {
            return Ok(());
        }
        let mut depth = 0_u32;
        loop {
            match self.kind {
                Kind::Open | Kind::OpenSquare => depth += 1,
                Kind::Close | Kind::CloseSquare => depth -= 1,
                Kind::End | Kind::Broken => return Err(self.unexpected("`)`")),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// `{__ffi_static_ccall_unsafe main:sin :: Double# -> Double#}`.
    pub(super) fn foreign(&mut self) -> Parsed<Id<Expr>> {
        self.advance();
        let start = self.token.start;
        let is_old =
            self.text().starts_with(b"__pkg_ccall") || self.text().starts_with(b"__dyn_ccall");
        if is_old {
            return self.old_foreign();
        }
        while !self.is_signature() {
            if matches!(self.kind, Kind::End | Kind::Broken | Kind::CloseBrace) {
                return Err(self.unexpected("the type of a foreign call"));
            }
            self.advance();
        }
        let call = self.raw(start, self.previous_end);
        self.advance();
        let of = self.type_()?;
        self.end_foreign(call, of)
    }

    /// `{__pkg_ccall main Double# -> Double#}_d1`, the form of GHC 8: the package, which may be
    /// missing, and the type. The called function is not named.
    fn old_foreign(&mut self) -> Parsed<Id<Expr>> {
        let start = self.token.start;
        self.advance();
        let is_word = |text: &[u8]| text[0].is_ascii_lowercase() && text != b"forall";
        while self.kind == Kind::String || (self.kind == Kind::Name && is_word(self.text())) {
            self.advance();
        }
        let call = self.raw(start, self.previous_end);
        let of = self.type_()?;
        self.end_foreign(call, of)
    }

    /// The brace after the type, and the unique behind it, which is useless and left out.
    fn end_foreign(&mut self, call: Name, of: Id<Type>) -> Parsed<Id<Expr>> {
        self.expect(Kind::CloseBrace, "the end of a foreign call")?;
        if self.kind == Kind::Name && self.is_adjacent() {
            self.advance();
        }
        Ok(self.core.exprs.add(Expr::Foreign(call, of)))
    }
}

/// The length of the tick with which a text begins. A span of the source ends with a digit or a
/// bracket, and the names of files and cost centres may contain nearly anything.
fn tick_length(text: &[u8]) -> Option<usize> {
    let begin = memchr::memchr(b'<', text)? + 1;
    let (is_source, is_break) = (text.starts_with(b"src<"), text.starts_with(b"break<"));
    let ends = |place: usize| {
        let next = text.get(place + 1).copied().unwrap_or(b' ');
        let in_span = matches!(text[place - 1], b'0'..=b'9' | b')');
        text[place] == b'>' && (!is_source || in_span) && (is_break || next <= b' ')
    };
    let is_last = |place: &usize| {
        text[*place] == b'\n' || ends(*place) || (is_source && text[*place] == b'<')
    };
    // Searches forwards, not backwards from the end of the line: a line may have very many of them.
    let end = (begin..text.len()).find(is_last)?;
    if text[end] != b'>' {
        return None;
    }
    if is_break && text.get(end + 1) == Some(&b'(') {
        let close = end + memchr::memchr2(b')', b'\n', &text[end..])?;
        return (text[close] == b')').then_some(close + 1);
    }
    Some(end + 1)
}
