//! Expressions, read with an explicit stack.
//!
//! A function of three thousand statements is nested three thousand deep. Each open construct is a
//! frame on a stack: it waits for an expression, and once that is read, the uppermost frame uses
//! it.

use super::arena::{Id, List};
use super::binders::Head;
use super::lexer::Kind;
use super::names::Name;
use super::parser::{Parsed, Parser};
use super::tree::{Alternative, Argument, Binder, Binding, Brackets, Expr, LetKind, Pattern};

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
            return self.bracketed(frames, argument, it);
        }
        frames.push(Frame::Brackets { brackets, begin: self.pending.exprs.len(), argument });
        Step::Want
    }

    /// The step after an expression whose brackets have just ended.
    fn bracketed(&mut self, _frames: &mut Frames, argument: bool, it: Id<Expr>) -> Step {
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
                return self.end_brackets(frames, (brackets, begin, argument), it);
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
                return self.end_binding(frames, (kind, begin, head), it);
            }
            Frame::Body { kind, bindings } => Expr::Let(kind, bindings, it),
            Frame::Tick { tick } => Expr::Tick(tick, it),
        };
        Ok(Step::Have(self.core.exprs.add(made)))
    }

    fn end_brackets(
        &mut self,
        frames: &mut Frames,
        (brackets, begin, argument): (Brackets, usize, bool),
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
        Ok(self.bracketed(frames, argument, whole))
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
        (kind, begin, head): (LetKind, usize, Head),
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
