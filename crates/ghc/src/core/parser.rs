//! The state of reading: the tokens of a dump, one at a time, the steps shared by all parts of the
//! grammar, and the reasons why a part could not be read.
//!
//! The tree is built while reading, with one token of look-ahead. Expressions nest as deeply as
//! programs do, so they are read with an explicit stack (`expressions`); types and unfoldings, which
//! do not, by recursion with a limit.
//!
//! Names are the difficulty. GHC prints operators, brackets and commas inside them, as in
//! `$fShow(,)4`, `GHC.Base.++`, `D:R:Key[]0[0]` or `Main.$c>>=_s1`. So a name is a run of bytes up to
//! a blank or a delimiter, and a bracket opened within it belongs to it if the bracket's contents
//! could not be anything else. Line ends matter only for the first token on a line: its column ends a
//! type that is not delimited otherwise. A column is the number of blanks before it; GHC prints no
//! tabs.

use super::names::Name;
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
        self.pending = Pending::default();
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

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The end of the text, or of the binding's part of it.
    End,
    /// A name, an operator, or a mark such as `->`, `=` and `::`.
    Name,
    /// A number, with its suffix.
    Number,
    /// A string, with its `#` if it has one.
    String,
    /// A character, with its `#` if it has one.
    Char,
    /// `'` before a promoted constructor.
    Quote,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `(#`.
    OpenUnboxed,
    /// `#)`.
    CloseUnboxed,
    /// `(%`.
    OpenConstraint,
    /// `%)`.
    CloseConstraint,
    /// `[`.
    OpenSquare,
    /// `]`.
    CloseSquare,
    /// `{`.
    OpenBrace,
    /// `}`.
    CloseBrace,
    /// `,`.
    Comma,
    /// `;`.
    Semicolon,
    /// `` ` ``.
    Backquote,
    /// `@`.
    At,
    /// `@~`.
    AtCoercion,
    /// `\`.
    Lambda,
    /// `"` without an end.
    Broken,
}

/// A token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    /// Its kind.
    pub(super) kind: Kind,
    /// The byte offset of its beginning.
    pub(super) start: usize,
    /// The byte offset of its end.
    pub(super) end: usize,
    /// The number of blanks before it, if it is the first of its line.
    pub(super) column: Option<u32>,
}

/// A position in a text, and the state that matters there.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    /// The whole text.
    pub(super) text: &'a [u8],
    /// The position at which to look for the next token.
    pub(super) at: usize,
    /// The line of `at`, from 1.
    pub(super) line: u32,
    /// The blanks at the beginning of that line.
    pub(super) indent: u32,
    /// The number of open `<` of reflexivity: within them `>_N` ends a name.
    pub(super) reflexive: u32,
}

const NAME: u8 = 0;
const BLANK: u8 = 1;
const DELIMITER: u8 = 2;
const BRACKET: u8 = 3;
const ANGLE: u8 = 4;

/// The meaning of each byte within a name.
static WITHIN: [u8; 256] = {
    let mut within = [NAME; 256];
    let mut byte = 0;
    while byte <= b' ' as usize {
        within[byte] = BLANK;
        byte += 1;
    }
    let delimiters = b")]},;`\"{";
    let mut place = 0;
    while place < delimiters.len() {
        within[delimiters[place] as usize] = DELIMITER;
        place += 1;
    }
    within[b'(' as usize] = BRACKET;
    within[b'[' as usize] = BRACKET;
    within[b'>' as usize] = ANGLE;
    within
};

impl<'a> Lexer<'a> {
    /// The beginning of a text.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, line: 1, indent: 0, reflexive: 0 }
    }

    /// The byte at a position, or 0 after the end.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Token {
        let column = self.skip_blanks();
        let start = self.at;
        let kind = match self.text.get(start) {
            None => Kind::End,
            Some(byte) => self.token(*byte),
        };
        Token { kind, start, end: self.at, column }
    }

    /// Skips blanks; returns the column of the next token if a line begins before it.
    fn skip_blanks(&mut self) -> Option<u32> {
        let mut at = self.at;
        let mut line_start = None;
        if at == 0 {
            line_start = Some(0);
        }
        loop {
            match self.text.get(at) {
                Some(b' ') => at += 1,
                Some(b'\n') => {
                    at += 1;
                    self.line += 1;
                    line_start = Some(at);
                }
                Some(b'\t' | b'\r' | 0x0b | 0x0c) => at += 1,
                _ => break,
            }
        }
        self.at = at;
        let column = (at - line_start?) as u32;
        self.indent = column;
        Some(column)
    }

    /// The token that begins with this byte.
    fn token(&mut self, byte: u8) -> Kind {
        let single = match byte {
            b')' => Kind::Close,
            b'[' if self.byte(self.at + 1) != b']' => Kind::OpenSquare,
            b']' => Kind::CloseSquare,
            b'{' => Kind::OpenBrace,
            b'}' => Kind::CloseBrace,
            b',' => Kind::Comma,
            b';' => Kind::Semicolon,
            b'`' => Kind::Backquote,
            b'(' => return self.open(),
            b'"' => return self.string(),
            b'\'' => return self.quote(),
            b'@' => return self.at_sign(),
            // `(#)` and `(%)` are operators.
            b'#' if self.byte(self.at + 1) == b')' && !self.follows_open() => {
                self.at += 2;
                return Kind::CloseUnboxed;
            }
            b'%' if self.byte(self.at + 1) == b')' && !self.follows_open() => {
                self.at += 2;
                return Kind::CloseConstraint;
            }
            b'\\' if self.byte(self.at + 1) <= b' ' => Kind::Lambda,
            b'0'..=b'9' => {
                self.name();
                return Kind::Number;
            }
            b'-' if self.byte(self.at + 1).is_ascii_digit() => {
                self.name();
                return Kind::Number;
            }
            b'?' => {
                self.question();
                return Kind::Name;
            }
            _ => {
                self.name();
                return Kind::Name;
            }
        };
        self.at += 1;
        single
    }

    fn follows_open(&self) -> bool {
        self.at > 0 && self.text[self.at - 1] == b'('
    }

    /// `(`, or a token that begins with it.
    fn open(&mut self) -> Kind {
        let (kind, length) = match self.byte(self.at + 1) {
            b'#' if self.byte(self.at + 2) <= b' ' && self.sum(self.at).is_none() => {
                (Kind::OpenUnboxed, 2)
            }
            b'%' if self.byte(self.at + 2) <= b' ' => (Kind::OpenConstraint, 2),
            b'#' | b')' | b',' | b'-' => match self.bracketed(self.at) {
                Some(_) => {
                    self.name();
                    return Kind::Name;
                }
                None => (Kind::Open, 1),
            },
            _ => (Kind::Open, 1),
        };
        self.at += length;
        kind
    }

    /// Moves to the end of the name that begins here.
    fn name(&mut self) {
        let start = self.at;
        let mut at = start;
        loop {
            match WITHIN[self.byte(at) as usize] {
                NAME => at += 1,
                BRACKET => match self.bracketed(at) {
                    Some(end) => at = end,
                    None => break,
                },
                ANGLE if self.ends_reflexivity(at) => {
                    if at == start {
                        at += 3;
                        break;
                    }
                    // The arrow `->_R` and the like.
                    if at == start + 1 && self.byte(start) == b'-' {
                        at += 3;
                    }
                    break;
                }
                ANGLE => at += 1,
                _ => break,
            }
        }
        // A byte that begins no token becomes a name, so that every token has a length.
        self.at = at.max(start + 1);
    }

    /// Moves to the end of the `?x` of an implicit parameter, `?x::t`, or of an operator.
    fn question(&mut self) {
        let rest = &self.text[self.at + 1..];
        let is_letter =
            |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'' | 0x80..);
        let length = rest.iter().take_while(is_letter).count();
        if length > 0 && rest[length..].starts_with(b"::") {
            self.at += 1 + length;
        } else {
            self.name();
        }
    }

    /// True if `>` at this position is followed by a role, and a `<` is open.
    fn ends_reflexivity(&self, at: usize) -> bool {
        self.reflexive > 0
            && self.byte(at + 1) == b'_'
            && matches!(self.byte(at + 2), b'N' | b'R' | b'P')
            && !(self.byte(at + 3).is_ascii_alphanumeric())
    }

    /// The end of the bracket opened here, if it may be a part of a name: `()`, `(,)`, `(##)`,
    /// `(#,#)`, `(#_|#)`, `(->)`, `[]`, `[0]`, and the levels that GHC adds to type variables, such
    /// as `[sk:1]`.
    fn bracketed(&self, open: usize) -> Option<usize> {
        /// Longer than all of them except tuples, and the longest tuple has 64 elements.
        const LONGEST: usize = 72;
        if let Some(end) = self.sum(open) {
            return Some(end);
        }
        let end = self.text.len().min(open + LONGEST);
        let rest = &self.text[open + 1..end.max(open + 1)];
        let square = self.text[open] == b'[';
        let close = if square { b']' } else { b')' };
        let length = rest.iter().position(|byte| *byte == close || *byte <= b' ')?;
        if rest[length] != close {
            return None;
        }
        let inside = &rest[..length];
        let holds = |bytes: &[u8]| inside.iter().all(|byte| bytes.contains(byte));
        let allowed = if square {
            holds(b"0123456789") || is_level(inside)
        } else {
            holds(b",") || inside == b"->" || (is_unboxed(inside) && holds(b"#,_|"))
        };
        allowed.then_some(open + 1 + length + 1)
    }

    /// The end of the constructor of an unboxed sum that begins here in the form of GHC 9.4 and
    /// later, such as `(# _| | #)`.
    fn sum(&self, open: usize) -> Option<usize> {
        let rest = self.text[open..].strip_prefix(b"(# ")?;
        let length = rest.iter().position(|byte| !matches!(byte, b'_' | b'|' | b' '))?;
        let is_sum = rest[..length].contains(&b'|') && rest[length..].starts_with(b"#)");
        is_sum.then_some(open + 3 + length + 2)
    }

    /// A string and its `#`.
    fn string(&mut self) -> Kind {
        let mut at = self.at + 1;
        loop {
            match self.text.get(at) {
                None | Some(b'\n') => {
                    self.at = at.min(self.text.len());
                    return Kind::Broken;
                }
                Some(b'\\') => at += 2,
                Some(b'"') => break,
                Some(_) => at += 1,
            }
        }
        self.at = if self.byte(at + 1) == b'#' { at + 2 } else { at + 1 };
        Kind::String
    }

    /// A character, or the tick of a promoted constructor.
    fn quote(&mut self) -> Kind {
        let mut at = self.at + 1;
        match self.byte(at) {
            b'\\' => {
                let end = self.text.len().min(at + 12);
                let close =
                    self.text[(at + 2).min(end)..end].iter().position(|byte| *byte == b'\'');
                let Some(close) = close else {
                    self.at = at;
                    return Kind::Quote;
                };
                at += 2 + close;
            }
            first => {
                at += match first {
                    0..0x80 => 1,
                    0x80..0xe0 => 2,
                    0xe0..0xf0 => 3,
                    0xf0.. => 4,
                };
                // Within `'[...]` and `'(...)` a closing tick would belong to a name.
                if self.byte(at) != b'\''
                    || matches!(first, b'[' | b'(') && self.byte(at + 1) != b'#'
                {
                    self.at += 1;
                    return Kind::Quote;
                }
            }
        }
        self.at = if self.byte(at + 1) == b'#' { at + 2 } else { at + 1 };
        Kind::Char
    }

    /// `@`, `@~`, or an operator that begins with `@`.
    fn at_sign(&mut self) -> Kind {
        match self.byte(self.at + 1) {
            b'~' => {
                self.at += 2;
                Kind::AtCoercion
            }
            b'!' | b'#' | b'$' | b'%' | b'&' | b'+' | b'.' | b'/' | b'<' | b'=' | b'>' | b'?'
            | b'@' | b'\\' | b'^' | b'|' | b'-' | b':'
                if self.is_operator(self.at + 1) =>
            {
                self.name();
                Kind::Name
            }
            _ => {
                self.at += 1;
                Kind::At
            }
        }
    }

    /// True if the bytes from here look like the rest of an operator, not like a type. Names that
    /// GHC makes begin with `$`.
    fn is_operator(&self, at: usize) -> bool {
        let is_type = match self.byte(at) {
            b'$' => self.byte(at + 1).is_ascii_alphabetic(),
            b'<' => {
                let rest = &self.text[at..];
                let open = rest.iter().take_while(|byte| **byte == b'<').count();
                let (next, behind) = (self.byte(at + open), self.byte(at + open + 1));
                // GHC prints a blank between an operator and a name, so `<?x::t>_N` is a type.
                next.is_ascii_alphanumeric()
                    || matches!(next, b'\'' | b'_' | b'(' | b'[' | b'"')
                    || matches!(next, b'?' | b'$') && behind.is_ascii_alphabetic()
            }
            _ => false,
        };
        !is_type
    }
}

/// `sk:1`, `tau:2`, `sk`: GHC's annotations of type variables of its type checker.
fn is_level(inside: &[u8]) -> bool {
    let kind = inside.split(|byte| *byte == b':').next().unwrap_or_default();
    matches!(kind, b"sk" | b"ssk" | b"tau" | b"tyv" | b"conc" | b"cyc" | b"fsk" | b"fmv")
}

/// True if the contents of round brackets begin and end with `#`.
fn is_unboxed(inside: &[u8]) -> bool {
    inside.len() >= 2 && inside.first() == Some(&b'#') && inside.last() == Some(&b'#')
}
