//! Pieces of text, and what they are.

use std::borrow::Cow;
use std::fmt;

/// How a piece of text is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Like the text around it.
    #[default]
    Plain,
    /// What a reader looks for.
    Strong,
    /// What stands beside it.
    Quiet,
    /// Good news, such as an improvement.
    Good,
    /// Bad news, such as a regression.
    Bad,
    /// What is not decided, or asks for care.
    Open,
}

/// What a piece of text is.
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    /// Words of ours, which no renderer has to escape.
    Words,
    /// Text of users, programs and repositories, or with such text in it.
    Foreign,
    /// A command, a name in a program, a part of one.
    Code,
    /// A number with its unit; the value is in the unit itself: seconds, bytes.
    Quantity(f64),
    /// A commit: its whole hash.
    Commit(String),
    /// Somebody else's text that leads to this address where it can.
    Link(String),
    /// The same to a page of ours beside this one: an address without a scheme, such as `12.html`.
    Beside(String),
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The text, as it was given.
    pub text: Cow<'static, str>,
    /// What it is.
    pub role: Role,
    /// How it is meant.
    pub tone: Tone,
}

impl Span {
    fn new(text: impl Into<Cow<'static, str>>, role: Role) -> Self {
        Self { text: text.into(), role, tone: Tone::Plain }
    }

    /// Text of users, programs and repositories.
    pub fn foreign(text: impl Into<String>) -> Self {
        Self::new(text.into(), Role::Foreign)
    }

    /// A command, a name in a program, a part of one. Sentences quote it, tables and titles do not.
    pub fn code(text: impl Into<String>) -> Self {
        Self::new(text.into(), Role::Code)
    }

    /// A number with its unit as it is shown, and the value in the unit itself.
    pub fn quantity(shown: impl Into<String>, value: f64) -> Self {
        Self::new(shown.into(), Role::Quantity(value))
    }

    /// A commit by the beginning of its hash.
    pub fn commit(shown: impl Into<String>, hash: impl Into<String>) -> Self {
        Self::new(shown.into(), Role::Commit(hash.into()))
    }

    /// Text that leads to an address where it can.
    pub fn link(text: impl Into<String>, address: impl Into<String>) -> Self {
        Self::new(text.into(), Role::Link(address.into()))
    }

    /// Text that leads to another page of ours where there are some.
    pub fn beside(text: impl Into<String>, address: impl Into<String>) -> Self {
        Self::new(text.into(), Role::Beside(address.into()))
    }

    /// The same in another tone.
    #[must_use]
    pub fn toned(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }
}

impl From<&'static str> for Span {
    fn from(words: &'static str) -> Self {
        Self::new(words, Role::Words)
    }
}

impl From<String> for Span {
    fn from(text: String) -> Self {
        Self::foreign(text)
    }
}

/// Spans one after the other: a sentence, a heading, a cell. It may be broken where there is no room.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line(pub Vec<Span>);

impl Line {
    /// A sentence that has its code between backquotes, such as a message, or one that was stored. Where
    /// one of them has no partner, none of them means anything.
    pub fn of_message(text: &str) -> Self {
        if text.matches('`').count() % 2 == 1 {
            return Self::from(text.to_owned());
        }
        let parts = text.split('`').enumerate();
        let spans = parts.map(|(place, part)| match place % 2 {
            0 => Span::foreign(part),
            _ => Span::code(part),
        });
        spans.filter(|span| span.role == Role::Code || !span.text.is_empty()).collect()
    }

    /// Whether there is nothing to be seen.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|span| span.text.is_empty())
    }

    /// What follows.
    pub fn push(&mut self, more: impl Into<Line>) {
        self.0.extend(more.into().0);
    }

    /// This, and then more.
    #[must_use]
    pub fn and(mut self, more: impl Into<Line>) -> Self {
        self.push(more);
        self
    }

    /// All of it in a tone; spans that have one of their own keep it.
    #[must_use]
    pub fn toned(mut self, tone: Tone) -> Self {
        for span in self.0.iter_mut().filter(|span| span.tone == Tone::Plain) {
            span.tone = tone;
        }
        self
    }

    /// Lines one after the other, with words of ours between them.
    pub fn join(lines: impl IntoIterator<Item = Line>, between: &'static str) -> Self {
        let mut joined = Self::default();
        for (number, line) in lines.into_iter().enumerate() {
            if number > 0 {
                joined.push(between);
            }
            joined.push(line);
        }
        joined
    }

    /// The text alone, as it was given.
    pub fn text(&self) -> String {
        self.0.iter().map(|span| &*span.text).collect()
    }
}

/// As a message says it, where nothing but text can be: code stands between backquotes.
impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|Span { text, role, .. }| match role {
            Role::Code => write!(formatter, "`{text}`"),
            _ => formatter.write_str(text),
        })
    }
}

impl<T: Into<Span>> From<T> for Line {
    fn from(span: T) -> Self {
        Self(vec![span.into()])
    }
}

impl<T: Into<Line>> FromIterator<T> for Line {
    fn from_iter<I: IntoIterator<Item = T>>(parts: I) -> Self {
        Self(parts.into_iter().flat_map(|part| part.into().0).collect())
    }
}

/// A [`Line`] of parts: literals are ours, text that was put together is somebody else's, and spans
/// are what they say.
///
/// ```
/// use brisk_page::{Span, line};
///
/// let name = "a|b".to_owned();
/// let sentence = line![Span::code(name), " is best"];
/// assert_eq!(sentence.text(), "a|b is best");
/// ```
#[macro_export]
macro_rules! line {
    ($($part:expr),* $(,)?) => {{
        let mut line = $crate::Line::default();
        $(line.push($part);)*
        line
    }};
}
