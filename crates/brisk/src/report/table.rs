//! Tables of text: columns as wide as their widest cell, numbers to the right.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::plain::plain;

/// One cell: text, and how it looks on a terminal that has colours.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    text: String,
    style: Style,
    align: Align,
}

/// To which side a cell's text goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Align {
    /// Words.
    #[default]
    Left,
    /// Numbers.
    Right,
}

impl Cell {
    /// Words.
    pub fn left(text: impl Into<String>) -> Self {
        Self { text: plain(&text.into()).into_owned(), ..Self::default() }
    }

    /// Numbers.
    pub fn right(text: impl Into<String>) -> Self {
        Self { align: Align::Right, ..Self::left(text) }
    }

    /// The same cell in another style.
    #[must_use]
    pub fn styled(self, style: Style) -> Self {
        Self { style, ..self }
    }
}

/// The gap between columns.
const GAP: &str = "  ";

/// Lines of aligned cells, with terminal styles; no spaces at the ends of lines.
pub fn lines(rows: &[Vec<Cell>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width_of = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.text.width()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width_of(column).unwrap_or(0)).collect();
    rows.iter().map(|row| line(row, &widths)).collect()
}

fn line(row: &[Cell], widths: &[usize]) -> String {
    let last = row.iter().rposition(|cell| !cell.text.is_empty());
    let mut line = String::new();
    for (column, cell) in row.iter().enumerate().take(last.map_or(0, |last| last + 1)) {
        let padding = " ".repeat(widths[column] - cell.text.width());
        let style = cell.style;
        if column > 0 {
            line.push_str(GAP);
        }
        match cell.align {
            Align::Left if Some(column) == last => {
                line.push_str(&format!("{style}{}{style:#}", cell.text));
            }
            Align::Left => line.push_str(&format!("{style}{}{style:#}{padding}", cell.text)),
            Align::Right => line.push_str(&format!("{padding}{style}{}{style:#}", cell.text)),
        }
    }
    line
}

/// How wide the widest line would be.
pub fn width(rows: &[Vec<Cell>]) -> usize {
    let plain: Vec<Vec<Cell>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| Cell { style: Style::new(), ..cell.clone() }).collect())
        .collect();
    lines(&plain).iter().map(|line| line.width()).max().unwrap_or(0)
}

/// `text` cut to `width` columns, an ellipsis at the end where something is missing.
pub fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for character in text.chars() {
        let longer = format!("{kept}{character}");
        if longer.width() + 1 > width {
            break;
        }
        kept = longer;
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_by_width_not_by_bytes() {
        let rows = vec![
            vec![Cell::left("µs"), Cell::right("1")],
            vec![Cell::left("metric"), Cell::right("100")],
            vec![Cell::left("x")],
        ];
        assert_eq!(lines(&rows), ["µs        1", "metric  100", "x"]);
        assert_eq!(width(&rows), 11);
    }

    #[test]
    fn long_text_ends_in_an_ellipsis() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abcdefg", 6), "abcde…");
        assert_eq!(shorten("日本語", 4), "日…");
    }
}
