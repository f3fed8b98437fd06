//! Expressions, with the coercions, literals, notes and rewrite rules in and around them.
//!
//! A function of three thousand statements is nested three thousand deep. So each open construct is a
//! frame on a stack: it waits for an expression, and once that is read, the uppermost frame uses it.
//!
//! Coercions are printed in full, or reduced to their size: `-dsuppress-coercions` leaves `<Co:7>`.
//! From GHC 9.4 on the types of the coercion follow it, without brackets; `-dsuppress-coercion-types`
//! makes them `...`. Rewrite rules are those of a function, in its `IdInfo`, and those for functions
//! of other modules, at the end of a pass.

use super::binders::Head;
use super::names::Name;
use super::parser::{Kind, Parsed, Parser};
use super::tree::{
    Alternative, Argument, Binder, Binding, Brackets, Coercion, Evidence, Expr, Id, LetKind, List,
    Pattern, Rewrite, Rule, RuleBody, Type,
};

/// An open construct that waits for an expression.
#[derive(Debug, Clone, Copy)]
enum Frame {
    /// Brackets: their kind, the start of their elements among the pending ones, and a flag that is
    /// set if they hold an argument.
    Brackets { brackets: Brackets, begin: usize, argument: bool },
    /// An application: its head, and the start of its arguments among the pending ones.
    Apply { head: Id<Expr>, begin: usize },
    /// A lambda's body.
    Lambda { binders: List<Binder> },
    /// The scrutinee of a case.
    Scrutinee,
    /// The scrutinee of `let! { pattern ~ binder <- ... } in`.
    Strict { pattern: Pattern, binders: List<Binder>, binder: Option<Id<Binder>> },
    /// The body of `let! { ... } in`.
    StrictBody {
        scrutinee: Id<Expr>,
        pattern: Pattern,
        binders: List<Binder>,
        binder: Option<Id<Binder>>,
    },
    /// The right-hand side of an alternative.
    Alternative { case: Open, pattern: Pattern, binders: List<Binder> },
    /// The right-hand side of a binding.
    Binding { kind: LetKind, begin: usize, head: Head },
    /// The expression after `in`.
    Body { kind: LetKind, bindings: List<Binding> },
    /// The expression of a tick.
    Tick { tick: Name },
}

/// A case whose alternatives are being read.
#[derive(Debug, Clone, Copy)]
struct Open {
    scrutinee: Id<Expr>,
    binder: Option<Id<Binder>>,
    begin: usize,
}

/// The next step.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// An expression begins here.
    Want,
    /// An argument may begin here; the application is the uppermost frame.
    WantArgument,
    /// An atom; arguments may follow.
    Atom(Id<Expr>),
    /// Complete except for a cast.
    Have(Id<Expr>),
}

/// The open frames of this expression.
type Frames = Vec<Frame>;

impl Parser<'_> {
    /// The expression that begins at the token. It ends at the first token that cannot continue it.
    pub(super) fn expression(&mut self) -> Parsed<Id<Expr>> {
        let mut frames = Frames::new();
        let mut step = Step::Want;
        loop {
            step = match step {
                Step::Want => self.begin(&mut frames)?,
                Step::WantArgument => self.argument(&mut frames)?,
                Step::Atom(atom) => self.after_atom(&mut frames, atom),
                Step::Have(it) if self.kind == Kind::Backquote => self.cast(it)?,
                Step::Have(it) => match frames.pop() {
                    None => return Ok(it),
                    Some(frame) => self.end(&mut frames, frame, it)?,
                },
            };
        }
    }

    /// The first token of an expression.
    fn begin(&mut self, frames: &mut Frames) -> Parsed<Step> {
        match self.kind {
            Kind::Name => self.begin_with_name(frames),
            Kind::Lambda => {
                self.advance();
                let binders = self.binders()?;
                self.expect_arrow()?;
                frames.push(Frame::Lambda { binders });
                Ok(Step::Want)
            }
            Kind::Open | Kind::OpenUnboxed | Kind::OpenConstraint => {
                Ok(self.open_brackets(frames, false))
            }
            Kind::OpenBrace => self.foreign().map(Step::Atom),
            Kind::Number | Kind::Char | Kind::String => {
                let name = self.name();
                self.advance();
                Ok(Step::Atom(self.core.exprs.add(Expr::Literal(name))))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn begin_with_name(&mut self, frames: &mut Frames) -> Parsed<Step> {
        let text = self.text();
        match text {
            b"case" => {
                self.advance();
                frames.push(Frame::Scrutinee);
                return Ok(Step::Want);
            }
            b"let" | b"letrec" | b"join" | b"joinrec" if self.brace_follows() => {
                let kind = match text {
                    b"let" => LetKind::Let,
                    b"letrec" => LetKind::LetRec,
                    b"join" => LetKind::Join,
                    _ => LetKind::JoinRec,
                };
                self.advance();
                self.advance();
                return self.binding(frames, kind, self.pending.bindings.len());
            }
            b"let!" if self.brace_follows() => return self.strict(frames),
            b"jump" if self.name_follows() => {
                self.advance();
                let name = self.name();
                self.advance();
                return Ok(Step::Atom(self.core.exprs.add(Expr::Jump(name))));
            }
            b"TYPE:" => {
                self.advance();
                let it = self.type_()?;
                return Ok(Step::Have(self.core.exprs.add(Expr::Type(it))));
            }
            b"CO:" => {
                self.advance();
                let it = self.bare_coercion()?;
                return Ok(Step::Have(self.core.exprs.add(Expr::Coercion(it))));
            }
            b"->" | b"=" | b"::" | b"of" => return Err(self.unexpected("an expression")),
            _ => {}
        }
        if let Some(tick) = self.tick()? {
            frames.push(Frame::Tick { tick });
            return Ok(Step::Want);
        }
        self.variable().map(Step::Atom)
    }

    /// True if the next token is the `{` of bindings, not that of a foreign call.
    fn brace_follows(&self) -> bool {
        let rest = &self.lexer.text[self.lexer.at..];
        let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
        rest.get(blanks) == Some(&b'{') && rest.get(blanks + 1).is_none_or(|next| *next <= b' ')
    }

    /// The byte with which the next token begins. For the constructs that need it, it is on the
    /// same line.
    fn next_byte(&self) -> u8 {
        let rest = &self.lexer.text[self.lexer.at..];
        rest.iter().copied().find(|byte| *byte != b' ').unwrap_or(0)
    }

    fn name_follows(&self) -> bool {
        let next = self.next_byte();
        next.is_ascii_alphabetic() || matches!(next, b'$' | b'_') || next >= 0x80
    }

    fn open_brackets(&mut self, frames: &mut Frames, argument: bool) -> Step {
        let brackets = match self.kind {
            Kind::Open => Brackets::Round,
            Kind::OpenUnboxed => Brackets::Unboxed,
            _ => Brackets::Constraint,
        };
        self.advance();
        if closing(self.kind) == Some(brackets) {
            self.advance();
            let it = self.core.exprs.add(Expr::Tuple(brackets, List::EMPTY));
            return self.bracketed(argument, it);
        }
        frames.push(Frame::Brackets { brackets, begin: self.pending.exprs.len(), argument });
        Step::Want
    }

    /// The step after an expression whose brackets have just ended.
    fn bracketed(&mut self, argument: bool, it: Id<Expr>) -> Step {
        if argument {
            self.pending.arguments.push(Argument::Value(it));
            return Step::WantArgument;
        }
        Step::Atom(it)
    }

    /// True if an argument begins at the token.
    fn begins_argument(&self) -> bool {
        match self.kind {
            Kind::Name => match self.text() {
                b"of" | b"->" | b"=" | b"::" | b"~" | b"<-" | b"in" | b"\xe2\x86\x92" => false,
                // The next rule.
                b"Built" => !self.begins_rule(),
                _ => true,
            },
            Kind::String => self.text().ends_with(b"#"),
            Kind::OpenBrace => {
                let inside = &self.lexer.text[self.token.end..];
                inside.starts_with(b"__") && !inside.starts_with(b"__DEFAULT")
            }
            Kind::Number
            | Kind::Char
            | Kind::Open
            | Kind::OpenUnboxed
            | Kind::OpenConstraint
            | Kind::At
            | Kind::AtCoercion => true,
            _ => false,
        }
    }

    fn after_atom(&mut self, frames: &mut Frames, atom: Id<Expr>) -> Step {
        if !self.begins_argument() {
            return Step::Have(atom);
        }
        frames.push(Frame::Apply { head: atom, begin: self.pending.arguments.len() });
        Step::WantArgument
    }

    /// One argument, or the end of the application.
    fn argument(&mut self, frames: &mut Frames) -> Parsed<Step> {
        if !self.begins_argument() {
            let Some(Frame::Apply { head, begin }) = frames.pop() else {
                unreachable!("arguments are wanted only by applications");
            };
            let arguments = self.core.arguments.add_all(self.pending.arguments.drain(begin..));
            return Ok(Step::Have(self.core.exprs.add(Expr::Apply(head, arguments))));
        }
        let argument = match self.kind {
            Kind::At => {
                self.advance();
                Argument::Type(self.type_atom()?)
            }
            Kind::AtCoercion => self.coercion_argument()?,
            Kind::Open | Kind::OpenUnboxed | Kind::OpenConstraint => {
                return Ok(self.open_brackets(frames, true));
            }
            Kind::Name => Argument::Value(self.variable()?),
            Kind::OpenBrace => Argument::Value(self.foreign()?),
            _ => {
                let name = self.name();
                self.advance();
                Argument::Value(self.core.exprs.add(Expr::Literal(name)))
            }
        };
        self.pending.arguments.push(argument);
        Ok(Step::WantArgument)
    }

    /// `@~co`. If its type is printed behind it without brackets, it is ended by the next argument,
    /// if each argument is on a separate line, and otherwise by the end of the line.
    fn coercion_argument(&mut self) -> Parsed<Argument> {
        let column = self.token.column.map_or(i64::MAX, i64::from);
        self.advance();
        if self.kind == Kind::Open {
            return Ok(Argument::Coercion(self.coercion(true)?));
        }
        let on_one_line = column == i64::MAX;
        let before = self.set_limit(column);
        let it = self.coercion(on_one_line)?;
        self.set_limit(before);
        Ok(Argument::Coercion(it))
    }

    /// `` `cast` co ``.
    fn cast(&mut self, it: Id<Expr>) -> Parsed<Step> {
        self.advance();
        self.expect_word(b"cast", "`cast`")?;
        self.expect(Kind::Backquote, "a backquote")?;
        let coercion = self.coercion(false)?;
        Ok(Step::Have(self.core.exprs.add(Expr::Cast(it, coercion))))
    }

    /// Passes an expression to the frame that waits for it.
    fn end(&mut self, frames: &mut Frames, frame: Frame, it: Id<Expr>) -> Parsed<Step> {
        let made = match frame {
            Frame::Brackets { brackets, begin, argument } => {
                return self.end_brackets(frames, brackets, begin, argument, it);
            }
            Frame::Apply { .. } => unreachable!("an application takes arguments, not expressions"),
            Frame::Lambda { binders } => Expr::Lambda(binders, it),
            Frame::Scrutinee => return self.alternatives(frames, it),
            Frame::Strict { pattern, binders, binder } => {
                self.expect(Kind::CloseBrace, "`}`")?;
                self.expect_word(b"in", "`in`")?;
                frames.push(Frame::StrictBody { scrutinee: it, pattern, binders, binder });
                return Ok(Step::Want);
            }
            Frame::StrictBody { scrutinee, pattern, binders, binder } => {
                let alternative = Alternative { pattern, binders, right: it };
                let alternatives = self.core.alternatives.add_all([alternative]);
                Expr::Case(scrutinee, binder, alternatives)
            }
            Frame::Alternative { case, pattern, binders } => {
                self.pending.alternatives.push(Alternative { pattern, binders, right: it });
                if self.kind == Kind::Semicolon {
                    self.advance();
                }
                return self.alternative(frames, case);
            }
            Frame::Binding { kind, begin, head } => {
                return self.end_binding(frames, kind, begin, head, it);
            }
            Frame::Body { kind, bindings } => Expr::Let(kind, bindings, it),
            Frame::Tick { tick } => Expr::Tick(tick, it),
        };
        Ok(Step::Have(self.core.exprs.add(made)))
    }

    fn end_brackets(
        &mut self,
        frames: &mut Frames,
        brackets: Brackets,
        begin: usize,
        argument: bool,
        it: Id<Expr>,
    ) -> Parsed<Step> {
        if self.kind == Kind::Comma {
            self.pending.exprs.push(it);
            self.advance();
            frames.push(Frame::Brackets { brackets, begin, argument });
            return Ok(Step::Want);
        }
        if closing(self.kind) != Some(brackets) {
            return Err(self.unexpected("`,` or the end of brackets"));
        }
        self.advance();
        let whole = if brackets == Brackets::Round && self.pending.exprs.len() == begin {
            it
        } else {
            self.pending.exprs.push(it);
            let elements = self.core.elements.add_all(self.pending.exprs.drain(begin..));
            self.core.exprs.add(Expr::Tuple(brackets, elements))
        };
        Ok(self.bracketed(argument, whole))
    }

    /// `of binder {` and the first alternative.
    fn alternatives(&mut self, frames: &mut Frames, scrutinee: Id<Expr>) -> Parsed<Step> {
        self.expect_word(b"of", "`of`")?;
        let mut binder = None;
        if self.kind != Kind::OpenBrace {
            let it = self.binder()?;
            binder = Some(self.core.binders.add(it));
        }
        self.expect(Kind::OpenBrace, "`{`")?;
        let case = Open { scrutinee, binder, begin: self.pending.alternatives.len() };
        self.alternative(frames, case)
    }

    /// The next alternative up to its arrow, or the end of the case.
    fn alternative(&mut self, frames: &mut Frames, case: Open) -> Parsed<Step> {
        if self.kind == Kind::CloseBrace {
            self.advance();
            let alternatives =
                self.core.alternatives.add_all(self.pending.alternatives.drain(case.begin..));
            let it = Expr::Case(case.scrutinee, case.binder, alternatives);
            return Ok(Step::Have(self.core.exprs.add(it)));
        }
        let (pattern, binders) = self.pattern()?;
        self.expect_arrow()?;
        frames.push(Frame::Alternative { case, pattern, binders });
        Ok(Step::Want)
    }

    /// A pattern and its binders.
    fn pattern(&mut self) -> Parsed<(Pattern, List<Binder>)> {
        let brackets = match self.kind {
            Kind::Open => Some((Brackets::Round, Kind::Close)),
            Kind::OpenUnboxed => Some((Brackets::Unboxed, Kind::CloseUnboxed)),
            Kind::OpenConstraint => Some((Brackets::Constraint, Kind::CloseConstraint)),
            _ => None,
        };
        if let Some((brackets, close)) = brackets {
            self.advance();
            return Ok((Pattern::Tuple(brackets), self.tuple_binders(close)?));
        }
        let pattern = match self.kind {
            Kind::Name if self.text() == b"__DEFAULT" => Pattern::Default,
            Kind::Name if self.text().starts_with(b"__") => {
                let it = self.variable()?;
                let pattern = match self.core.exprs[it] {
                    Expr::Literal(name) => Pattern::Literal(name),
                    Expr::Variable(name) => Pattern::Constructor(name),
                    _ => return Err(self.unexpected("a pattern")),
                };
                return Ok((pattern, self.binders()?));
            }
            Kind::Name if !self.is_arrow() => Pattern::Constructor(self.name()),
            Kind::Number | Kind::Char | Kind::String => Pattern::Literal(self.name()),
            _ => return Err(self.unexpected("a pattern")),
        };
        self.advance();
        Ok((pattern, self.binders()?))
    }

    /// `let! { pattern ~ binder <- `, as printed with `-dppr-case-as-let`.
    fn strict(&mut self, frames: &mut Frames) -> Parsed<Step> {
        self.advance();
        self.advance();
        let (pattern, binders) = self.pattern()?;
        self.expect_word(b"~", "`~`")?;
        let mut binder = None;
        if !self.is(b"<-") {
            let it = self.binder()?;
            binder = Some(self.core.binders.add(it));
        }
        self.expect_word(b"<-", "`<-`")?;
        frames.push(Frame::Strict { pattern, binders, binder });
        Ok(Step::Want)
    }

    /// The next binding up to its `=`.
    fn binding(&mut self, frames: &mut Frames, kind: LetKind, begin: usize) -> Parsed<Step> {
        let head = self.head()?;
        frames.push(Frame::Binding { kind, begin, head });
        Ok(Step::Want)
    }

    fn end_binding(
        &mut self,
        frames: &mut Frames,
        kind: LetKind,
        begin: usize,
        head: Head,
        right: Id<Expr>,
    ) -> Parsed<Step> {
        self.pending.bindings.push(head.with(right));
        if self.kind == Kind::Semicolon {
            self.advance();
            if self.kind != Kind::CloseBrace {
                return self.binding(frames, kind, begin);
            }
        }
        self.expect(Kind::CloseBrace, "`;` or `}` after a binding")?;
        self.expect_word(b"in", "`in`")?;
        let bindings = self.core.bindings.add_all(self.pending.bindings.drain(begin..));
        frames.push(Frame::Body { kind, bindings });
        Ok(Step::Want)
    }
}

impl Head {
    /// Completes the binding with its right-hand side.
    pub(super) fn with(self, right: Id<Expr>) -> Binding {
        let Self { name, signature, notes, info, parameters, line } = self;
        Binding { name, signature, notes, info, parameters, right, line }
    }
}

/// The brackets that a token closes.
fn closing(kind: Kind) -> Option<Brackets> {
    match kind {
        Kind::Close => Some(Brackets::Round),
        Kind::CloseUnboxed => Some(Brackets::Unboxed),
        Kind::CloseConstraint => Some(Brackets::Constraint),
        _ => None,
    }
}

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

impl Parser<'_> {
    /// A coercion: its size or its evidence in brackets, and its types.
    pub(super) fn coercion(&mut self, among_arguments: bool) -> Parsed<Id<Coercion>> {
        if self.begins_size() {
            let follow = std::mem::replace(&mut self.values_follow, among_arguments);
            let coercion = self.sized_coercion()?;
            self.values_follow = follow;
            return Ok(self.core.coercions.add(coercion));
        }
        self.expect(Kind::Open, "a coercion")?;
        let follow = std::mem::replace(&mut self.values_follow, false);
        // GHC puts no brackets around a size; this crate's printer does if types follow.
        let coercion = if self.begins_size() {
            self.sized_coercion()?
        } else {
            let before = std::mem::replace(&mut self.evidence, true);
            let evidence = Evidence::Term(self.type_()?);
            let kind = self.kind_of_coercion()?;
            self.evidence = before;
            Coercion { evidence, kind }
        };
        self.values_follow = follow;
        self.expect(Kind::Close, "the end of a coercion")?;
        Ok(self.core.coercions.add(coercion))
    }

    fn begins_size(&self) -> bool {
        self.kind == Kind::Name && self.text().starts_with(b"<Co:")
    }

    /// `<Co:7>`, and its types.
    fn sized_coercion(&mut self) -> Parsed<Coercion> {
        let digits = self.text().strip_prefix(b"<Co:").and_then(|rest| rest.strip_suffix(b">"));
        let size = digits.and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
        let Some(size) = size else {
            return Err(self.unexpected("the size of a coercion"));
        };
        self.advance();
        Ok(Coercion { evidence: Evidence::Size(size), kind: self.kind_of_coercion()? })
    }

    /// `:: a ~R# b`, or `:: ...` with `-dsuppress-coercion-types`.
    fn kind_of_coercion(&mut self) -> Parsed<Option<Id<Type>>> {
        if !self.is_signature() {
            return Ok(None);
        }
        self.advance();
        if self.is(b"...") {
            self.advance();
            return Ok(None);
        }
        self.type_().map(Some)
    }

    /// The evidence after `CO:`, without brackets and types.
    pub(super) fn bare_coercion(&mut self) -> Parsed<Id<Coercion>> {
        if self.begins_size() {
            return self.coercion(false);
        }
        let before = std::mem::replace(&mut self.evidence, true);
        let evidence = Evidence::Term(self.type_()?);
        self.evidence = before;
        Ok(self.core.coercions.add(Coercion { evidence, kind: None }))
    }
}

/// The beginning of a rule without text.
const BUILT_IN: &[u8] = b"Built in rule for ";

impl Parser<'_> {
    /// Rules from the lexer's position up to the first other item.
    pub(super) fn rules(&mut self) -> Parsed<List<Rule>> {
        let mut rules = Vec::new();
        self.open_template()?;
        self.advance();
        while self.begins_rule() {
            let rule = self.rule()?;
            rules.push(rule);
        }
        self.template_depth -= 1;
        // Items in square brackets are read from the text, not from tokens.
        self.lexer.at = self.token.start;
        Ok(self.core.rules.add_all(rules))
    }

    /// True if a rule begins at the token.
    pub(super) fn begins_rule(&self) -> bool {
        match self.kind {
            Kind::String | Kind::Broken => !self.text().ends_with(b"#"),
            Kind::Name => self.lexer.text[self.token.start..].starts_with(BUILT_IN),
            _ => false,
        }
    }

    /// The rule that begins at the token.
    pub(super) fn rule(&mut self) -> Parsed<Rule> {
        let line = self.lexer.line;
        if self.kind == Kind::Name {
            self.lexer.at = self.token.start + BUILT_IN.len();
            self.advance();
            // `f:` and then the name of the rule.
            let text = self.text();
            let end = self.token.start + text.strip_suffix(b":").unwrap_or(text).len();
            let function = self.raw(self.token.start, end);
            if text.ends_with(b":") {
                self.advance();
            } else {
                self.expect(Kind::Name, "`:` and the name of a rule")?;
            }
            let name = self.rule_name()?;
            return Ok(Rule { name, body: RuleBody::BuiltIn(function), line });
        }
        let name = self.rule_name()?;
        let mut activation = None;
        if self.kind == Kind::OpenSquare {
            let start = self.token.start;
            while self.kind != Kind::CloseSquare {
                if matches!(self.kind, Kind::End | Kind::Broken) {
                    return Err(self.unexpected("the end of a rule's activation"));
                }
                self.advance();
            }
            activation = Some(self.raw(start, self.token.end));
            self.advance();
        }
        if !(self.is(b"forall") || self.is("∀".as_bytes())) {
            return Err(self.unexpected("`forall`"));
        }
        self.advance();
        let binders = self.rule_binders()?;
        let left = self.expression()?;
        self.expect_word(b"=", "`=`")?;
        let right = self.expression()?;
        let rewrite = Rewrite { activation, binders, left, right };
        Ok(Rule { name, body: RuleBody::Rewrite(self.core.rewrites.add(rewrite)), line })
    }

    /// The name of a rule. GHC escapes nothing in it, so the last quote is recognised by the text
    /// after it: the end of the line, the activation, the word `forall`, or the end of the item.
    fn rule_name(&mut self) -> Parsed<Name> {
        if !matches!(self.kind, Kind::String | Kind::Broken) {
            return Err(self.unexpected("the name of a rule"));
        }
        let start = self.token.start + 1;
        let rest = &self.lexer.text[start..];
        let mut last = None;
        let mut end = None;
        // Not beyond the closing quote: a line may have very many rules.
        for place in memchr::memchr2_iter(b'"', b'\n', rest) {
            if rest[place] == b'\n' {
                break;
            }
            last = Some(place);
            if ends_name(&rest[place + 1..]) {
                end = last;
                break;
            }
        }
        let Some(length) = end.or(last) else {
            return Err(self.unexpected("the end of a rule's name"));
        };
        let name = self.core.names.name_of_bytes(&rest[..length]);
        self.lexer.at = start + length + 1;
        self.token.end = self.lexer.at;
        self.advance();
        Ok(name)
    }

    /// Binders up to the full stop, which GHC prints after the last one without a blank.
    fn rule_binders(&mut self) -> Parsed<List<Binder>> {
        let begin = self.pending.binders.len();
        loop {
            if self.is(b".") {
                break;
            }
            if self.kind == Kind::Name && self.text().ends_with(b".") {
                self.cut(self.token.end - 1);
            }
            let binder = self.binder()?;
            self.pending.binders.push(binder);
        }
        self.advance();
        Ok(self.core.binders.add_all(self.pending.binders.drain(begin..)))
    }
}

/// True if this may follow the quote after a rule's name.
fn ends_name(rest: &[u8]) -> bool {
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    let rest = &rest[blanks..];
    rest.is_empty()
        || rest[0] == b'\n'
        || rest.starts_with(b"forall")
        || rest.starts_with(b"[")
        || rest.starts_with("∀".as_bytes())
        || matches!(rest[0], b']' | b',')
}
