//! Types, kinds, and the evidence of coercions: from tokens to the tree, and from the tree to a line.
//!
//! GHC prints operators in types with the brackets that their fixities require, but the text does
//! not contain the fixities. Operators in a row are therefore nested to the left; arrows bind less
//! and nest to the right. Evidence is printed in the same way, with more operators: `co ; co`,
//! `<t>_N`, `(co)_R`, `->_R`.

use super::names::{Name, is_operator};
use super::parser::{Kind, Parsed, Parser, Reason};
use super::tree::{Brackets, Core, Id, Linear, List, Type, TypeBinder};

/// The maximum nesting depth of types. Each level takes some kilobytes of the stack in unoptimised
/// builds, and threads have two megabytes.
const DEEPEST: u32 = 200;

impl Parser<'_> {
    /// A type with everything that is allowed within brackets.
    pub(super) fn type_(&mut self) -> Parsed<Id<Type>> {
        self.deeper()?;
        let read = if self.is(b"forall") || self.is("∀".as_bytes()) {
            self.forall()
        } else {
            self.functions()
        };
        self.type_depth -= 1;
        read
    }

    fn deeper(&mut self) -> Parsed<()> {
        self.type_depth += 1;
        if self.type_depth > DEEPEST {
            return Err(Reason::TooDeep { what: "types", limit: DEEPEST });
        }
        Ok(())
    }

    /// A type, and after `::` its kind.
    fn signed_type(&mut self) -> Parsed<Id<Type>> {
        let it = self.type_()?;
        if !self.is_signature() {
            return Ok(it);
        }
        self.advance();
        let kind = self.type_()?;
        Ok(self.core.types.add(Type::Signature(it, kind)))
    }

    fn forall(&mut self) -> Parsed<Id<Type>> {
        self.advance();
        let mut binders: Vec<TypeBinder> = Vec::new();
        let visible = loop {
            if self.is_arrow() {
                break true;
            }
            if self.is(b".") {
                break false;
            }
            let before = self.token.start;
            if self.kind == Kind::Name && self.text().ends_with(b".") {
                self.cut(self.token.end - 1);
            }
            binders.push(self.type_binder()?);
            debug_assert!(self.token.start > before, "a binder has a length");
        };
        self.advance();
        let binders = self.core.type_binders.add_all(binders);
        let body = self.type_()?;
        let it =
            if visible { Type::VisibleForall(binders, body) } else { Type::Forall(binders, body) };
        Ok(self.core.types.add(it))
    }

    /// `a`, `(a :: k)`, `{a}`, `{a :: k}`, and each of them after `@`.
    fn type_binder(&mut self) -> Parsed<TypeBinder> {
        if self.kind == Kind::At {
            self.advance();
        }
        let inferred = self.kind == Kind::OpenBrace;
        let bracketed = inferred || self.kind == Kind::Open;
        if bracketed {
            self.advance();
        }
        if self.kind != Kind::Name {
            return Err(self.unexpected("a type variable"));
        }
        let name = self.name();
        self.bind_type(name);
        self.advance();
        let mut kind = None;
        if bracketed {
            if self.is_signature() {
                self.advance();
                kind = Some(self.type_()?);
            }
            let close = if inferred { Kind::CloseBrace } else { Kind::Close };
            self.expect(close, "the end of a type variable's brackets")?;
        }
        Ok(TypeBinder { name, kind, inferred })
    }

    /// Operands with arrows between them.
    fn functions(&mut self) -> Parsed<Id<Type>> {
        let begin = self.pending.arrows.len();
        let mut last = self.operators()?;
        while let Some((multiplicity, arrow)) = self.arrow()? {
            self.pending.arrows.push((last, multiplicity, arrow));
            if self.is(b"forall") || self.is("∀".as_bytes()) {
                last = self.type_()?;
                break;
            }
            last = self.operators()?;
        }
        while self.pending.arrows.len() > begin {
            let (from, multiplicity, arrow) = self.pending.arrows.pop().expect("there is one more");
            let it = match multiplicity {
                None => Type::Function(from, arrow, last),
                Some(multiplicity) => {
                    let linear = Linear { multiplicity, from, arrow, to: last };
                    Type::Linear(self.core.linears.add(linear))
                }
            };
            last = self.core.types.add(it);
        }
        Ok(last)
    }

    /// An arrow and the multiplicity before it, if any.
    fn arrow(&mut self) -> Parsed<Option<(Option<Id<Type>>, Name)>> {
        if self.kind != Kind::Name {
            return Ok(None);
        }
        let mut multiplicity = None;
        if self.is_multiplicity() {
            self.look_again(self.token.start + 1);
            multiplicity = Some(self.type_atom()?);
        }
        let Some(arrow) = arrow_of(if self.kind == Kind::Name { self.text() } else { b"" }) else {
            return if multiplicity.is_some() { Err(self.unexpected("`->`")) } else { Ok(None) };
        };
        let arrow = self.core.names.name(arrow);
        self.advance();
        Ok(Some((multiplicity, arrow)))
    }

    /// True if the token, a name, is or begins with the `%` of a multiplicity.
    fn is_multiplicity(&self) -> bool {
        let next = self.lexer.byte(self.token.start + 1);
        self.text()[0] == b'%'
            && (next.is_ascii_alphanumeric() || matches!(next, b'\'' | b'(' | b'<' | b'_' | b'['))
    }

    /// Applications with operators between them.
    fn operators(&mut self) -> Parsed<Id<Type>> {
        if self.kind == Kind::Name
            && self.text().starts_with(b"?")
            && let Some(implicit) = self.implicit()?
        {
            return Ok(implicit);
        }
        let mut left = self.type_application()?;
        loop {
            let operator = match self.kind {
                Kind::Semicolon if self.evidence && !self.line_follows() => {
                    self.core.names.name(";")
                }
                Kind::Backquote if !self.lexer.text[self.lexer.at..].starts_with(b"cast`") => {
                    self.advance();
                    let name = self.name();
                    self.advance();
                    if self.kind != Kind::Backquote {
                        return Err(self.unexpected("a backquote"));
                    }
                    name
                }
                Kind::Name if self.is_infix() => self.name(),
                Kind::Quote if self.is_promoted_operator() => {
                    let start = self.token.start;
                    self.advance();
                    self.raw(start, self.token.end)
                }
                _ => return Ok(left),
            };
            self.advance();
            let right = self.type_application()?;
            left = self.core.types.add(Type::Infix(left, operator, right));
        }
    }

    /// True if the token is the tick of an operator between two types, as in `x ': xs`.
    fn is_promoted_operator(&self) -> bool {
        let next = self.lexer.clone().next();
        let text = &self.lexer.text[next.start..next.end];
        next.kind == Kind::Name
            && next.start == self.token.end
            && !(self.evidence && opens_reflexivity(text))
            && str::from_utf8(text).is_ok_and(is_operator)
    }

    /// `?x::t`, which is printed without blanks.
    fn implicit(&mut self) -> Parsed<Option<Id<Type>>> {
        if !self.lexer.text[self.token.end..].starts_with(b"::") {
            return Ok(None);
        }
        let name = self.name();
        self.cut(self.token.end + 2);
        self.advance();
        self.deeper()?;
        let it = self.operators()?;
        self.type_depth -= 1;
        Ok(Some(self.core.types.add(Type::Implicit(name, it))))
    }

    /// True if the token, a name, is an operator between two types.
    fn is_infix(&self) -> bool {
        let text = self.text();
        if matches!(text, b"=" | b"::" | b"." | b"|" | b"..." | b"->" | b"\xe2\x88\xb7") {
            return false;
        }
        if arrow_of(text).is_some()
            || self.is_multiplicity()
            || (self.evidence && opens_reflexivity(text))
        {
            return false;
        }
        if self.lexer.reflexive > 0 && is_role(text) {
            return false;
        }
        str::from_utf8(text).is_ok_and(is_operator)
    }

    /// A constructor or variable with its arguments.
    fn type_application(&mut self) -> Parsed<Id<Type>> {
        let head = self.type_atom()?;
        if !self.begins_type_argument() {
            return Ok(head);
        }
        let begin = self.pending.types.len();
        while self.begins_type_argument() {
            let argument = if self.kind == Kind::At {
                self.advance();
                if self.kind == Kind::OpenBrace {
                    self.advance();
                    let kind = self.type_()?;
                    self.expect(Kind::CloseBrace, "the end of an inferred argument")?;
                    self.core.types.add(Type::Inferred(kind))
                } else {
                    let kind = self.type_atom()?;
                    self.core.types.add(Type::Invisible(kind))
                }
            } else {
                self.type_atom()?
            };
            self.pending.types.push(argument);
        }
        let arguments = self.core.type_lists.add_all(self.pending.types.drain(begin..));
        Ok(self.core.types.add(Type::Apply(head, arguments)))
    }

    fn begins_type_argument(&self) -> bool {
        let begins = match self.kind {
            Kind::Name => {
                let text = self.text();
                !(text == b"of" || text.starts_with(b"Unf=") || self.is_multiplicity())
                    && arrow_of(text).is_none()
                    && !(self.lexer.reflexive > 0 && is_role(text))
                    && (!is_mark(text) && !self.is_infix()
                        || text == HIDDEN
                        || text == b"*" && !self.operand_follows())
            }
            Kind::Number | Kind::String | Kind::Char => !self.text().ends_with(b"#"),
            Kind::At => !self.values_follow,
            Kind::Quote => !self.is_promoted_operator(),
            Kind::Open | Kind::OpenUnboxed | Kind::OpenConstraint | Kind::OpenSquare => true,
            _ => false,
        };
        begins && !(self.values_follow && self.looks_like_a_value())
    }

    /// True if the token is the last of its line. GHC never breaks a line after the `;` of
    /// evidence, and always after that of a binding.
    fn line_follows(&self) -> bool {
        let rest = &self.lexer.text[self.lexer.at..];
        rest.iter().find(|byte| **byte != b' ').is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
    }

    /// True if an operand of an operator follows the token.
    fn operand_follows(&self) -> bool {
        let next = self.lexer.clone().next();
        match next.kind {
            Kind::Name => {
                let text = &self.lexer.text[next.start..next.end];
                !is_mark(text) && arrow_of(text).is_none()
            }
            Kind::Number | Kind::Quote | Kind::Open | Kind::OpenSquare | Kind::OpenUnboxed => true,
            _ => false,
        }
    }

    /// True if the token is more likely to begin an argument of a function than of a type
    /// constructor. GHC 9.4 and later print the type of a suppressed coercion without brackets
    /// among the arguments; a variable that was never bound as a type variable is then a value.
    fn looks_like_a_value(&self) -> bool {
        let is_value = |text: &[u8]| {
            let first = text.first().copied().unwrap_or(0);
            (first.is_ascii_lowercase() || first == b'$' || first == b'_')
                && !self.is_type_variable(text)
        };
        match self.kind {
            Kind::Name => is_value(self.text()),
            Kind::Open => {
                let next = self.lexer.clone().next();
                let text = &self.lexer.text[next.start..next.end];
                match next.kind {
                    Kind::Name => is_value(text),
                    Kind::Lambda => true,
                    Kind::Number | Kind::String | Kind::Char => text.ends_with(b"#"),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// A type that needs no brackets.
    pub(super) fn type_atom(&mut self) -> Parsed<Id<Type>> {
        let it = match self.kind {
            Kind::Name if self.evidence && opens_reflexivity(self.text()) => {
                return self.reflexive();
            }
            Kind::Name
                if self.is(HIDDEN) || !is_mark(self.text()) && arrow_of(self.text()).is_none() =>
            {
                Type::Name(self.name())
            }
            Kind::Number | Kind::String | Kind::Char => Type::Literal(self.name()),
            Kind::Quote => {
                self.advance();
                self.deeper()?;
                let it = self.type_atom()?;
                self.type_depth -= 1;
                return Ok(self.core.types.add(Type::Promoted(it)));
            }
            Kind::Open | Kind::OpenUnboxed | Kind::OpenConstraint => return self.type_brackets(),
            Kind::OpenSquare => {
                let items = self.type_items(Kind::CloseSquare, false)?.0;
                return Ok(self.core.types.add(Type::List(items)));
            }
            _ => return Err(self.unexpected("a type")),
        };
        self.advance();
        Ok(self.core.types.add(it))
    }

    /// `<t>_N`.
    fn reflexive(&mut self) -> Parsed<Id<Type>> {
        self.lexer.reflexive += 1;
        self.look_again(self.token.start + 1);
        let it = self.type_()?;
        if self.kind != Kind::Name || !is_role(self.text()) {
            return Err(self.unexpected("`>` and a role"));
        }
        self.lexer.reflexive -= 1;
        self.cut(self.token.start + 3);
        let role = self.core.names.name_of_bytes(&self.text()[1..]);
        self.advance();
        Ok(self.core.types.add(Type::Reflexive(it, role)))
    }

    /// A type in brackets, a tuple, a sum, or an operator in round brackets.
    fn type_brackets(&mut self) -> Parsed<Id<Type>> {
        let (brackets, close) = match self.kind {
            Kind::Open => (Brackets::Round, Kind::Close),
            Kind::OpenUnboxed => (Brackets::Unboxed, Kind::CloseUnboxed),
            _ => (Brackets::Constraint, Kind::CloseConstraint),
        };
        // `>_N` within the brackets belongs to them, not to a `<` before them.
        let reflexive = std::mem::take(&mut self.lexer.reflexive);
        let (items, is_sum) = self.type_items_within(close, brackets == Brackets::Unboxed)?;
        self.lexer.reflexive = reflexive;
        self.advance();
        let it = if is_sum {
            Type::Sum(items)
        } else if brackets == Brackets::Round && items.len() == 1 {
            let it = self.core.type_lists[items][0];
            if self.kind == Kind::Name
                && self.is_adjacent()
                && matches!(self.text(), b"_N" | b"_R" | b"_P")
            {
                let role = self.name();
                self.advance();
                return Ok(self.core.types.add(Type::Role(it, role)));
            }
            return Ok(it);
        } else {
            Type::Tuple(brackets, items)
        };
        Ok(self.core.types.add(it))
    }

    fn type_items(&mut self, close: Kind, sums: bool) -> Parsed<(List<Id<Type>>, bool)> {
        let reflexive = std::mem::take(&mut self.lexer.reflexive);
        let items = self.type_items_within(close, sums)?;
        self.lexer.reflexive = reflexive;
        self.advance();
        Ok(items)
    }

    /// The items within brackets up to the closing one, which becomes the current token; the flag
    /// is set if bars separate them.
    fn type_items_within(&mut self, close: Kind, sums: bool) -> Parsed<(List<Id<Type>>, bool)> {
        let values_follow = std::mem::replace(&mut self.values_follow, false);
        let begin = self.pending.types.len();
        let mut is_sum = false;
        self.advance();
        while self.kind != close {
            let item = match self.bracketed_operator(close) {
                Some(operator) => operator,
                None => self.signed_type()?,
            };
            self.pending.types.push(item);
            if self.kind == Kind::Comma {
                self.advance();
            } else if sums && self.is(b"|") {
                is_sum = true;
                self.advance();
            } else if self.kind != close {
                return Err(self.unexpected("`,` or the end of the brackets of a type"));
            }
        }
        self.values_follow = values_follow;
        Ok((self.core.type_lists.add_all(self.pending.types.drain(begin..)), is_sum))
    }

    /// An operator alone in its brackets.
    fn bracketed_operator(&mut self, close: Kind) -> Option<Id<Type>> {
        if close != Kind::Close
            || self.kind != Kind::Name
            || self.lexer.byte(self.token.end) != b')'
        {
            return None;
        }
        let text = self.text();
        // `(<t>_N)` begins like an operator.
        let is_reflexive = self.evidence && opens_reflexivity(text);
        if is_reflexive || !str::from_utf8(text).is_ok_and(is_operator) {
            return None;
        }
        let name = self.name();
        self.advance();
        Some(self.core.types.add(Type::Name(name)))
    }
}

/// GHC's placeholder for a hidden type.
const HIDDEN: &[u8] = b"...";

/// True for marks that are not types.
fn is_mark(text: &[u8]) -> bool {
    matches!(text, b"=" | b"::" | b"." | b"|" | b"..." | b"\xe2\x88\xb7")
}

/// True if a token begins with the `<` of reflexivity rather than with an operator.
fn opens_reflexivity(text: &[u8]) -> bool {
    text.first() == Some(&b'<')
        && match text.get(1) {
            None => true,
            Some(b'*') => text.starts_with(b"<*>_") || text == b"<*",
            Some(next) => {
                next.is_ascii_alphanumeric()
                    || matches!(next, b'\'' | b'_' | b'?' | b'<' | b'@' | b'$' | b'[' | b'(')
                    || *next >= 0x80
            }
        }
}

/// `>_N` and the like, if a `<` is open.
fn is_role(text: &[u8]) -> bool {
    matches!(text, b">_N" | b">_R" | b">_P")
}

/// The arrow that a token is, in ASCII if there is such a form.
fn arrow_of(text: &[u8]) -> Option<&'static str> {
    Some(match text {
        b"->" | b"\xe2\x86\x92" => "->",
        b"=>" | b"\xe2\x87\x92" => "=>",
        b"-=>" => "-=>",
        b"==>" => "==>",
        b"\xe2\x8a\xb8" => "⊸",
        b"->_R" | b"\xe2\x86\x92_R" => "->_R",
        b"->_N" | b"\xe2\x86\x92_N" => "->_N",
        b"->_P" | b"\xe2\x86\x92_P" => "->_P",
        b"=>_R" | b"\xe2\x87\x92_R" => "=>_R",
        b"=>_N" | b"\xe2\x87\x92_N" => "=>_N",
        b"-=>_R" => "-=>_R",
        b"==>_R" => "==>_R",
        _ => return None,
    })
}

/// The position of a type: the need for brackets grows from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Any type is allowed.
    Any,
    /// Left of an arrow.
    From,
    /// Left of an operator.
    Left,
    /// Right of an operator.
    Right,
    /// Among arguments.
    Atom,
}

/// An item of a type still to be printed.
#[derive(Debug, Clone, Copy)]
enum Item {
    Text(&'static str),
    Name(Name),
    Type(Id<Type>, Level),
}

/// Prints a type. Pending work is a stack of items, so there is no recursion: operators in a row nest
/// as deeply as there are operators.
struct Printer<'a> {
    core: &'a Core,
    text: String,
    work: Vec<Item>,
}

impl Core {
    /// A type as text, on one line, with the brackets that reading it needs.
    pub fn print_type(&self, it: Id<Type>) -> String {
        let work = vec![Item::Type(it, Level::Any)];
        let mut printer = Printer { core: self, text: String::new(), work };
        while let Some(item) = printer.work.pop() {
            match item {
                Item::Text(text) => printer.text.push_str(text),
                Item::Name(name) => printer.text.push_str(self.text(name)),
                Item::Type(it, level) => printer.type_(it, level),
            }
        }
        printer.text
    }
}

impl Printer<'_> {
    /// Puts items before all pending ones.
    fn then(&mut self, items: impl IntoIterator<Item = Item, IntoIter: DoubleEndedIterator>) {
        self.work.extend(items.into_iter().rev());
    }

    /// Puts a type before all pending items.
    fn type_(&mut self, it: Id<Type>, level: Level) {
        let it = self.core.types[it];
        let needed = match it {
            Type::Forall(..) | Type::VisibleForall(..) => Level::Any,
            Type::Function(..) | Type::Linear(_) => Level::Any,
            Type::Implicit(..) => Level::From,
            Type::Infix(..) => Level::Left,
            Type::Apply(..) => Level::Right,
            Type::Name(_)
            | Type::Literal(_)
            | Type::Invisible(_)
            | Type::Inferred(_)
            | Type::Tuple(..)
            | Type::Sum(_)
            | Type::List(_)
            | Type::Promoted(_)
            | Type::Signature(..)
            | Type::Reflexive(..)
            | Type::Role(..) => Level::Atom,
        };
        if needed < level {
            self.then([Item::Text(")")]);
        }
        self.open_type(it);
        if needed < level {
            self.then([Item::Text("(")]);
        }
    }

    /// A type without brackets around it.
    fn open_type(&mut self, it: Type) {
        match it {
            Type::Name(name) if is_operator(self.core.text(name)) => {
                self.then([Item::Text("("), Item::Name(name), Item::Text(")")]);
            }
            Type::Name(name) | Type::Literal(name) => self.then([Item::Name(name)]),
            Type::Apply(head, arguments) => {
                for argument in self.core.type_lists[arguments].iter().rev() {
                    self.then([Item::Text(" "), Item::Type(*argument, Level::Atom)]);
                }
                self.then([Item::Type(head, Level::Atom)]);
            }
            Type::Invisible(it) => self.then([Item::Text("@"), Item::Type(it, Level::Atom)]),
            Type::Inferred(it) => {
                self.then([Item::Text("@{"), Item::Type(it, Level::Any), Item::Text("}")]);
            }
            Type::Infix(left, operator, right) => self.infix(left, operator, right),
            Type::Function(from, arrow, to) => self.then([
                Item::Type(from, Level::From),
                Item::Text(" "),
                Item::Name(arrow),
                Item::Text(" "),
                Item::Type(to, Level::Any),
            ]),
            Type::Linear(id) => self.linear(self.core.linears[id]),
            Type::Forall(binders, body) => self.forall(binders, ". ", body),
            Type::VisibleForall(binders, body) => self.forall(binders, " -> ", body),
            Type::Tuple(brackets, items) => {
                let (open, close) = brackets.texts();
                self.type_items(open, ", ", items, close);
            }
            Type::Sum(items) => self.type_items("(# ", " | ", items, " #)"),
            Type::List(items) => self.type_items("[", ", ", items, "]"),
            Type::Promoted(it) => {
                self.then([Item::Text(self.tick_before(it)), Item::Type(it, Level::Atom)]);
            }
            Type::Signature(it, kind) => self.then([
                Item::Text("("),
                Item::Type(it, Level::Any),
                Item::Text(" :: "),
                Item::Type(kind, Level::Any),
                Item::Text(")"),
            ]),
            Type::Implicit(name, it) => {
                self.then([Item::Name(name), Item::Text("::"), Item::Type(it, Level::Left)]);
            }
            Type::Reflexive(it, role) => self.then([
                Item::Text("<"),
                Item::Type(it, Level::Any),
                Item::Text(">"),
                Item::Name(role),
            ]),
            Type::Role(it, role) => self.then([
                Item::Text("("),
                Item::Type(it, Level::Any),
                Item::Text(")"),
                Item::Name(role),
            ]),
        }
    }

    fn linear(&mut self, Linear { multiplicity, from, arrow, to }: Linear) {
        self.then([
            Item::Type(from, Level::From),
            Item::Text(" %"),
            Item::Type(multiplicity, Level::Atom),
            Item::Text(" "),
            Item::Name(arrow),
            Item::Text(" "),
            Item::Type(to, Level::Any),
        ]);
    }

    fn infix(&mut self, left: Id<Type>, operator: Name, right: Id<Type>) {
        let text = self.core.text(operator);
        let is_name = !(text == ";" || text.starts_with('\'') || is_operator(text));
        let (before, after) = if is_name { (" `", "` ") } else { (" ", " ") };
        self.then([
            Item::Type(left, Level::Left),
            Item::Text(before),
            Item::Name(operator),
            Item::Text(after),
            Item::Type(right, Level::Right),
        ]);
    }

    fn forall(&mut self, binders: List<TypeBinder>, after: &'static str, body: Id<Type>) {
        self.then([Item::Text(after), Item::Type(body, Level::Any)]);
        for binder in self.core.type_binders[binders].iter().rev() {
            let TypeBinder { name, kind, inferred } = *binder;
            let (open, close) = match (inferred, kind) {
                (true, _) => (" {", "}"),
                (false, Some(_)) => (" (", ")"),
                (false, None) => (" ", ""),
            };
            self.then([Item::Text(close)]);
            if let Some(kind) = kind {
                self.then([Item::Text(" :: "), Item::Type(kind, Level::Any)]);
            }
            self.then([Item::Text(open), Item::Name(name)]);
        }
        self.then([Item::Text("forall")]);
    }

    fn type_items(
        &mut self,
        open: &'static str,
        between: &'static str,
        items: List<Id<Type>>,
        close: &'static str,
    ) {
        let items = &self.core.type_lists[items];
        self.then([Item::Text(if items.is_empty() { close.trim_start() } else { close })]);
        for (place, item) in items.iter().enumerate().rev() {
            let before = Item::Text(if place == 0 { "" } else { between });
            self.then([before, Item::Type(*item, Level::Any)]);
        }
        self.then([Item::Text(open)]);
    }

    /// The tick before a promoted constructor. Without a blank, that of `T'` would read as a
    /// character.
    fn tick_before(&self, it: Id<Type>) -> &'static str {
        match self.core.types[it] {
            Type::Name(name) if self.core.text(name).chars().nth(1) == Some('\'') => "' ",
            _ => "'",
        }
    }
}
