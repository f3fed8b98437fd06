//! An excerpt of a longer text, around the marks in it.

use std::ops::Range;

/// Lines of Core shown for one piece of evidence. Arbitrary; nobody reads more.
const MOST_LINES: usize = 10;

/// The lines around the marks, with the marks moved accordingly. The first line, which names the
/// subject, is always kept. A line of dots replaces lines left out after it or at the end.
pub(crate) fn excerpt(text: &str, marks: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let lines: Vec<Range<usize>> = lines(text);
    if lines.len() <= MOST_LINES {
        return (text.to_owned(), marks.to_vec());
    }
    let (cut, marks) = cut(text, &lines, marks);
    outdent(&cut, &marks)
}

/// The first line, and the lines around the first mark.
fn cut(text: &str, lines: &[Range<usize>], marks: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let first = marks
        .first()
        .map_or(0, |mark| lines.iter().rposition(|line| line.start <= mark.start).unwrap_or(0));
    // Some lines before the mark show the way to it.
    let begin = first.saturating_sub(MOST_LINES / 3).min(lines.len() - MOST_LINES + 1).max(1);
    let end = (begin + MOST_LINES - 1).min(lines.len());
    let mut cut = String::new();
    let mut moved = Vec::new();
    let mut keep = |range: Range<usize>, cut: &mut String| {
        for mark in marks {
            let (start, end) = (mark.start.max(range.start), mark.end.min(range.end));
            if start < end {
                moved.push(cut.len() + start - range.start..cut.len() + end - range.start);
            }
        }
        cut.push_str(&text[range]);
    };
    keep(lines[0].clone(), &mut cut);
    let indent = |line: &Range<usize>| indent(&text[line.clone()]);
    if begin > 1 {
        cut.push_str(&format!("\n{:1$}...", "", indent(&lines[begin])));
    }
    cut.push('\n');
    keep(lines[begin].start..lines[end - 1].end, &mut cut);
    if end < lines.len() {
        cut.push_str(&format!("\n{:1$}...", "", indent(&lines[end])));
    }
    (cut, moved)
}

/// The number of blanks at the beginning of a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The text with all lines but the first moved left, until the leftmost is indented by two blanks.
fn outdent(text: &str, marks: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let lines = lines(text);
    let least = lines.iter().skip(1).map(|line| indent(&text[line.clone()])).min().unwrap_or(0);
    let removed = least.saturating_sub(2);
    // Each line but the first begins after a line break and lost `removed` blanks.
    let moved = |at: usize| {
        let line = lines.iter().rposition(|line| line.start <= at).unwrap_or(0);
        if line == 0 {
            return at;
        }
        let within = (at - lines[line].start).saturating_sub(removed);
        lines[line].start - removed * (line - 1) + within
    };
    let mut out = String::new();
    for (number, line) in lines.iter().enumerate() {
        let line = &text[line.clone()];
        if number > 0 {
            out.push('\n');
        }
        out.push_str(if number == 0 { line } else { &line[removed.min(line.len())..] });
    }
    (out, marks.iter().map(|mark| moved(mark.start)..moved(mark.end)).collect())
}

/// The ranges of a text's lines, without line breaks.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut all = Vec::new();
    for line in text.split('\n') {
        all.push(start..start + line.len());
        start += line.len() + 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> String {
        (0..count).map(|number| format!("  line {number:02}")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_short_text_is_left_as_it_is() {
        let text = numbered(10);
        let mark = 5..8;
        assert_eq!(excerpt(&text, std::slice::from_ref(&mark)), (text.clone(), vec![mark]));
    }

    #[test]
    fn of_a_long_text_the_head_and_the_lines_around_the_mark_are_kept() {
        let text = numbered(40);
        let begin = text.find("line 20").expect("it is there");
        let mark = begin..begin + 7;
        let (cut, marks) = excerpt(&text, std::slice::from_ref(&mark));
        assert_eq!(cut.lines().next(), Some("  line 00"));
        assert_eq!(cut.lines().nth(1), Some("  ..."));
        assert_eq!(cut.lines().last(), Some("  ..."));
        assert_eq!(marks.len(), 1);
        assert_eq!(&cut[marks[0].clone()], "line 20");
        let (cut, _) = excerpt(&text, &[]);
        assert_eq!(cut.lines().nth(1), Some("  line 01"));
    }

    #[test]
    fn deep_lines_move_to_the_left_with_their_marks() {
        let text = "f =\n      case x of\n        A -> y\n";
        let mark = text.find("y").expect("it is there");
        let (text, marks) = outdent(text.trim_end(), std::slice::from_ref(&(mark..mark + 1)));
        assert_eq!(text, "f =\n  case x of\n    A -> y");
        assert_eq!(&text[marks[0].clone()], "y");
    }

    #[test]
    fn a_mark_that_ends_outside_is_cut() {
        let text = numbered(40);
        let begin = text.find("line 38").expect("it is there");
        let (cut, marks) = excerpt(&text, std::slice::from_ref(&(begin..text.len())));
        assert!(cut.ends_with("line 39"));
        assert_eq!(&cut[marks[0].clone()], "line 38\n  line 39");
    }
}
