//! Pieces of text, with their roles and tones.

use std::borrow::Cow;
use std::fmt;

/// The tone of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Like the text around it.
    #[default]
    Plain,
    /// The result that a reader looks for.
    Strong,
    /// Secondary text.
    Quiet,
    /// Good news, such as an improvement.
    Good,
    /// Bad news, such as a regression.
    Bad,
    /// Undecided, or in need of care.
    Open,
}

/// The role of a piece of text.
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    /// Our own words, which need no escaping.
    Words,
    /// Text of users, programs and repositories, or text that contains it.
    Foreign,
    /// A command, or a name in a program, or a part of one.
    Code,
    /// A number with its unit; the value is in the base unit: seconds, bytes.
    Quantity(f64),
    /// A commit: its full hash.
    Commit(String),
    /// Foreign text that links to this address, in media with links.
    Link(String),
    /// Foreign text that links to one of our pages next to this one: an address without a scheme,
    /// such as `12.html`.
    Beside(String),
    /// The label of a check-box, in media with forms.
    Choice(Choice),
}

/// A check-box of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The id of the form.
    pub form: &'static str,
    /// The name of the field.
    pub name: &'static str,
    /// The value that is sent if it is ticked.
    pub value: String,
    /// True if it is ticked from the beginning.
    pub is_ticked: bool,
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The text, as given.
    pub text: Cow<'static, str>,
    /// The role.
    pub role: Role,
    /// The tone.
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

    /// A command, or a name in a program, or a part of one. Sentences quote it, tables and titles
    /// do not.
    pub fn code(text: impl Into<String>) -> Self {
        Self::new(text.into(), Role::Code)
    }

    /// A number with its unit as shown, and the value in the base unit.
    pub fn quantity(shown: impl Into<String>, value: f64) -> Self {
        Self::new(shown.into(), Role::Quantity(value))
    }

    /// A commit by the beginning of its hash.
    pub fn commit(shown: impl Into<String>, hash: impl Into<String>) -> Self {
        Self::new(shown.into(), Role::Commit(hash.into()))
    }

    /// Text that links to an address, in media with links.
    pub fn link(text: impl Into<String>, address: impl Into<String>) -> Self {
        Self::new(text.into(), Role::Link(address.into()))
    }

    /// Text that links to another of our pages, in media that have them.
    pub fn beside(text: impl Into<String>, address: impl Into<String>) -> Self {
        Self::new(text.into(), Role::Beside(address.into()))
    }

    /// A check-box with this label.
    pub fn choice(label: impl Into<String>, choice: Choice) -> Self {
        Self::new(label.into(), Role::Choice(choice))
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

/// Spans in sequence: a sentence, a heading, a cell. It may be wrapped to fit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line(pub Vec<Span>);

impl Line {
    /// A sentence with code between backquotes, such as a message, or a stored one. If a backquote
    /// has no partner, none of them has a meaning.
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

    /// True if there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|span| span.text.is_empty())
    }

    /// Appends more.
    pub fn push(&mut self, more: impl Into<Line>) {
        self.0.extend(more.into().0);
    }

    /// This line, followed by more.
    #[must_use]
    pub fn and(mut self, more: impl Into<Line>) -> Self {
        self.push(more);
        self
    }

    /// The line in a tone; spans that have their own tone keep it.
    #[must_use]
    pub fn toned(mut self, tone: Tone) -> Self {
        for span in self.0.iter_mut().filter(|span| span.tone == Tone::Plain) {
            span.tone = tone;
        }
        self
    }

    /// Lines in sequence, with our own words between them.
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

    /// The text alone, as given.
    pub fn text(&self) -> String {
        self.0.iter().map(|span| &*span.text).collect()
    }
}

/// The form for plain-text messages: code stands between backquotes.
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

/// A [`Line`] of parts: literals are our own words, formatted text is foreign, and spans keep their
/// roles.
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
