//! The state of reading, and the steps shared by all parts of the grammar.
//!
//! The tree is built while reading, with one token of look-ahead. Expressions nest as deeply as
//! programs do, so they are read with an explicit stack (`expressions`); types and unfoldings,
//! which do not, by recursion with a limit.
//!
//! The unreadable parts of a dump.

use super::binders::Name;
use super::lexer::{Kind, Lexer, Token};
use super::tree::{Alternative, Argument, Attribute, Binder, Binding, Core, Expr, Id, Type};

/// The most characters of unexpected text that are shown.
const SHOWN: usize = 40;

pub(super) type Parsed<T> = Result<T, Reason>;

/// Lists whose elements are still being read; each list is the end of its stack.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) exprs: Vec<Id<Expr>>,
    pub(super) arguments: Vec<Argument>,
    pub(super) bindings: Vec<Binding>,
    pub(super) alternatives: Vec<Alternative>,
    pub(super) binders: Vec<Binder>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) types: Vec<Id<Type>>,
    pub(super) arrows: Vec<(Id<Type>, Option<Id<Type>>, Name)>,
}

/// Reads a dump.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    /// The current token.
    pub(super) token: Token,
    /// The kind of the token; `End` if a line begins so far to the left that it belongs to the
    /// construct around the one being read.
    pub(super) kind: Kind,
    /// A token that begins a line in this column, or to the left of it, ends the construct being
    /// read.
    limit: i64,
    /// The end of the previous token.
    pub(super) previous_end: usize,
    pub(super) core: Core,
    pub(super) pending: Pending,
    /// The number of open types.
    pub(super) type_depth: u32,
    /// The number of open unfoldings and rules: both contain expressions.
    pub(super) template_depth: u32,
    /// Set while the evidence of a coercion is read as a type.
    pub(super) evidence: bool,
    /// Set if a function's arguments may directly follow the type being read.
    pub(super) values_follow: bool,
    /// By the number of the name: set if it was bound as a type variable.
    type_variables: Vec<bool>,
}

impl<'a> Parser<'a> {
    /// Starts at the beginning, without a current token.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            lexer: Lexer::new(text),
            token: Token { kind: Kind::End, start: 0, end: 0, column: None },
            kind: Kind::End,
            limit: 0,
            previous_end: 0,
            core: Core::default(),
            pending: Pending::default(),
            type_depth: 0,
            template_depth: 0,
            evidence: false,
            values_follow: false,
            type_variables: Vec::new(),
        }
    }

    /// Moves to the next token.
    pub(super) fn advance(&mut self) {
        self.previous_end = self.token.end;
        self.token = self.lexer.next();
        self.look();
    }

    fn look(&mut self) {
        self.kind = match self.token.column {
            Some(column) if i64::from(column) <= self.limit => Kind::End,
            _ => self.token.kind,
        };
    }

    /// Sets the column that ends the construct being read, and returns the previous one.
    pub(super) fn set_limit(&mut self, limit: i64) -> i64 {
        let before = self.limit;
        self.limit = limit;
        self.look();
        before
    }

    /// Goes back to `at`, which is on the line of the current token, and reads the token there.
    pub(super) fn look_again(&mut self, at: usize) {
        self.lexer.at = at;
        let column = self.token.column.filter(|_| at == self.token.start);
        self.token = self.lexer.next();
        self.token.column = self.token.column.or(column);
        self.look();
    }

    /// Makes the token end at `end`; the next one begins there.
    pub(super) fn cut(&mut self, end: usize) {
        self.token.end = end;
        self.lexer.at = end;
    }

    /// The token's text.
    pub(super) fn text(&self) -> &'a [u8] {
        &self.lexer.text[self.token.start..self.token.end]
    }

    /// True if the token is this word or mark.
    pub(super) fn is(&self, word: &[u8]) -> bool {
        self.kind == Kind::Name && self.text() == word
    }

    /// True if the token is `::`.
    pub(super) fn is_signature(&self) -> bool {
        self.is(b"::") || self.is("∷".as_bytes())
    }

    /// True if the token is the arrow after parameters and patterns.
    pub(super) fn is_arrow(&self) -> bool {
        self.is(b"->") || self.is("→".as_bytes())
    }

    /// True if the token begins at the end of the previous one.
    pub(super) fn is_adjacent(&self) -> bool {
        self.token.start == self.previous_end && self.token.column.is_none()
    }

    /// Consumes a token of this kind.
    pub(super) fn expect(&mut self, kind: Kind, expected: &'static str) -> Parsed<()> {
        if self.kind != kind {
            return Err(self.unexpected(expected));
        }
        self.advance();
        Ok(())
    }

    /// Consumes this word or mark.
    pub(super) fn expect_word(&mut self, word: &[u8], expected: &'static str) -> Parsed<()> {
        if !self.is(word) {
            return Err(self.unexpected(expected));
        }
        self.advance();
        Ok(())
    }

    /// Consumes the arrow after parameters and patterns.
    pub(super) fn expect_arrow(&mut self) -> Parsed<()> {
        if !self.is_arrow() {
            return Err(self.unexpected("`->`"));
        }
        self.advance();
        Ok(())
    }

    /// The token's text as a name.
    pub(super) fn name(&mut self) -> Name {
        self.core.names.name_of_bytes(&self.lexer.text[self.token.start..self.token.end])
    }

    /// A piece of the dump as a name; line breaks and the blanks around them become one blank.
    pub(super) fn raw(&mut self, start: usize, end: usize) -> Name {
        let bytes = self.lexer.text[start..end.max(start)].trim_ascii();
        if !bytes.contains(&b'\n') {
            return self.core.names.name_of_bytes(bytes);
        }
        let lines: Vec<&[u8]> =
            bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
        self.core.names.name_of_bytes(&lines.join(&b' '))
    }

    /// Records that a name stands for a type.
    pub(super) fn bind_type(&mut self, name: Name) {
        if self.type_variables.len() <= name.number() {
            self.type_variables.resize(self.core.names.len(), false);
        }
        self.type_variables[name.number()] = true;
    }

    /// True if a name was bound as a type variable somewhere before.
    pub(super) fn is_type_variable(&self, text: &[u8]) -> bool {
        let name = str::from_utf8(text).ok().and_then(|text| self.core.names.find(text));
        name.is_some_and(|name| self.type_variables.get(name.number()) == Some(&true))
    }

    /// The reason for a token that was not expected.
    pub(super) fn unexpected(&self, expected: &'static str) -> Reason {
        let found = (self.kind != Kind::End).then(|| {
            let text = String::from_utf8_lossy(self.text());
            let mut shown: String = text.chars().take(SHOWN).collect();
            if shown.len() < text.len() {
                shown.push_str("...");
            }
            shown
        });
        Reason::Unexpected { expected, found }
    }

    /// Drops everything that is unfinished.
    pub(super) fn abandon(&mut self) {
        let Pending {
            exprs,
            arguments,
            bindings,
            alternatives,
            binders,
            attributes,
            types,
            arrows,
        } = &mut self.pending;
        exprs.clear();
        arguments.clear();
        bindings.clear();
        alternatives.clear();
        binders.clear();
        attributes.clear();
        types.clear();
        arrows.clear();
        self.lexer.reflexive = 0;
        self.type_depth = 0;
        self.template_depth = 0;
        self.evidence = false;
        self.values_follow = false;
        self.limit = 0;
    }
}

/// A part of a dump that could not be read and was left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Problem {
    /// The line of the dump, from 1.
    pub line: u32,
    /// The line on which the omitted part begins.
    pub begins: u32,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a part of a dump could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Something else was expected.
    #[error("expected {expected}, found {}", .found.as_deref().map_or_else(
        || "the end of the binding".to_owned(),
        |found| format!("`{found}`")
    ))]
    Unexpected {
        /// The expectation, in words.
        expected: &'static str,
        /// The text found; `None` at the end of the binding.
        found: Option<String>,
    },
    /// The definition does not match the signature before it.
    #[error("the signature of `{signed}` is followed by `{found}`")]
    OtherName {
        /// The name in the signature.
        signed: String,
        /// The name that follows.
        found: String,
    },
    /// Types, unfoldings or rules are nested more deeply than in any dump of GHC.
    #[error("{what} are nested more than {limit} deep")]
    TooDeep {
        /// The nested construct.
        what: &'static str,
        /// The maximum depth.
        limit: u32,
    },
    /// Positions in a dump are numbers of 32 bits.
    #[error("the dump has {bytes} bytes; more than 4 GiB are not read")]
    TooLarge {
        /// Its size in bytes.
        bytes: usize,
    },
    /// The dump ends in the middle of a group.
    #[error("the dump ends within `Rec {{`")]
    CutOff,
}
