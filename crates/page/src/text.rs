//! The layout of text in the columns of a terminal.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

use crate::plain::plain;
use crate::{Line, Role, Span, Tone};

/// The number of columns of a text.
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` cut to `width` columns, with an ellipsis at the end if anything is missing.
pub fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut taken = 0;
    for character in text.chars() {
        let mut buffer = [0; 4];
        taken += character.encode_utf8(&mut buffer).width();
        if taken + 1 > width {
            break;
        }
        kept.push(character);
    }
    kept + "…"
}

/// `text` cut to `width` columns, with an ellipsis in its middle if anything is missing. Two thirds
/// of the kept text are its beginning.
pub fn shorten_middle(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width / 3;
    let mut start = text.len();
    let fits = |(at, _): &(usize, char)| text[*at..].width() <= room;
    for (at, _) in text.char_indices().rev().take_while(fits) {
        start = at;
    }
    shorten(text, width - text[start..].width()) + &text[start..]
}

/// `text` in lines of at most `columns`, cut between words.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let lines = wrap_line(&Line::from(text.to_owned()), columns, Quotes::Nothing);
    lines.into_iter().map(|line| line.0.iter().map(|span| &*span.text).collect()).collect()
}

/// A piece of text without hidden characters, with its tone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

/// The marking of code among other words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
    /// By backquotes, in sentences.
    Code,
    /// None, in cells and titles, which stand apart.
    Nothing,
}

/// The spans without hidden characters, as a terminal shows them.
pub(crate) fn shown(line: &Line, quotes: Quotes) -> Vec<Shown> {
    let one = |span: &Span| {
        let text = match (quotes, &span.role) {
            (Quotes::Code, Role::Code) => format!("`{}`", visible(span)),
            _ => visible(span).into_owned(),
        };
        Shown { text, tone: span.tone }
    };
    line.0.iter().map(one).collect()
}

fn visible(span: &Span) -> Cow<'_, str> {
    match span.role {
        Role::Words | Role::Quantity(_) => Cow::Borrowed(&span.text),
        Role::Foreign | Role::Code | Role::Commit(_) | Role::Link(_) | Role::Beside(_) => {
            plain(&span.text)
        }
    }
}

/// The spans in lines of at most `columns`, cut between words, without hidden characters.
pub(crate) fn wrap_line(line: &Line, columns: usize, quotes: Quotes) -> Vec<Line> {
    let columns = columns.max(20);
    let mut lines = vec![Line::default()];
    let mut taken = None;
    for Word { breaks, pieces } in words(line, quotes) {
        let wide: usize = pieces.iter().map(|piece| piece.text.width()).sum();
        match taken {
            Some(before) if !breaks && before + 1 + wide <= columns => {
                let tone = pieces.first().map_or(Tone::Plain, |piece| piece.tone);
                lines.last_mut().expect("never empty").push(Span::from(" ").toned(tone));
                taken = Some(before + 1 + wide);
            }
            Some(_) => {
                lines.push(Line::default());
                taken = Some(wide);
            }
            None => taken = Some(wide),
        }
        let spans = pieces.into_iter().map(|Shown { text, tone }| Span::from(text).toned(tone));
        lines.last_mut().expect("never empty").0.extend(spans);
    }
    lines
}

/// The text between two spaces; it may consist of several spans.
#[derive(Default)]
struct Word {
    /// Set if it always begins a new line.
    breaks: bool,
    pieces: Vec<Shown>,
}

fn words(line: &Line, quotes: Quotes) -> Vec<Word> {
    let mut words = vec![Word::default()];
    for Shown { text, tone } in shown(line, quotes) {
        let mut rest = &*text;
        loop {
            let end = rest.find([' ', '\n']).unwrap_or(rest.len());
            let (part, after) = rest.split_at(end);
            if !part.is_empty() {
                let pieces = &mut words.last_mut().expect("never empty").pieces;
                pieces.push(Shown { text: part.to_owned(), tone });
            }
            let Some(separator) = after.chars().next() else { break };
            words.push(Word { breaks: separator == '\n', ..Word::default() });
            rest = &after[1..];
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    #[test]
    fn sentences_are_cut_between_words() {
        assert_eq!(wrap("aaaa bbbb cccc dddd eeee", 20), ["aaaa bbbb cccc dddd", "eeee"]);
        assert_eq!(wrap("", 20), [""]);
        let spans = line!["aaaa bbbb (", Span::code("c"), ") dddd eeee"];
        let lines = wrap_line(&spans, 20, Quotes::Code);
        let lines: Vec<String> = lines.iter().map(Line::text).collect();
        assert_eq!(lines, ["aaaa bbbb (`c`) dddd", "eeee"]);
    }

    #[test]
    fn long_text_ends_in_an_ellipsis() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abcdefg", 6), "abcde…");
        assert_eq!(shorten("日本語", 4), "日…");
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shorten_middle("abcdef", 6), "abcdef");
        assert_eq!(shorten_middle("abcdefghij", 6), "abc…ij");
        assert_eq!(shorten_middle("größte…Menge", 7), "größ…ge");
        assert_eq!(shorten_middle("日本語日本語", 7), "日本…語");
    }

    #[test]
    fn what_is_hidden_in_the_text_of_others_is_shown_by_its_number() {
        let lines = wrap_line(&line!["said ", "a\u{1b}[2Jb".to_owned()], 40, Quotes::Code);
        assert_eq!(lines[0].text(), "said a\\u{1b}[2Jb");
    }
}
