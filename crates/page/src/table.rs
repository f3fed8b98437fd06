//! Tables: rows of cells, and columns that know how to give way.

use crate::Line;

/// Rows and columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The title; may be empty.
    pub title: Line,
    /// The columns from left to right.
    pub columns: Vec<Column>,
    /// The rows, without the headings. A row may have fewer cells than there are columns.
    pub rows: Vec<Row>,
    /// The maximum number of rows on a terminal; the other media show all. If there are more, those
    /// that give way are left out, otherwise the last ones.
    pub most_rows: Option<usize>,
    /// Set if columns that give way move below, behind the first ones again, and are not left out.
    pub continues: bool,
    /// The lines below.
    pub foot: Vec<Line>,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// Its cells.
    pub cells: Vec<Line>,
    /// Set if it may be left out when there are too many rows.
    pub gives_way: bool,
    /// Set if it sums up the others, and stays below them in any sort order.
    pub sums_up: bool,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// The heading; may be empty.
    pub heading: Line,
    /// The alignment of its text.
    pub align: Align,
    /// The order of giving way if there is no room: columns with the least number go first, all at
    /// once. Columns without a number stay.
    pub gives_way: Option<u8>,
    /// The minimum width of its text when cut to fit, and the maximum width in any case.
    pub cut: Option<(usize, usize)>,
    /// The treatment of text that does not fit.
    pub narrow: Narrow,
}

/// The treatment of text that does not fit on a terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Narrow {
    /// Its end is cut off.
    #[default]
    End,
    /// Its middle is cut out: long names differ at both ends.
    Middle,
    /// It is not cut: it continues on further lines.
    Wrapped,
}

/// The alignment of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Align {
    /// To the left, for words.
    #[default]
    Left,
    /// To the right, for numbers.
    Right,
}

impl Column {
    /// A column of words.
    pub fn left(heading: impl Into<Line>) -> Self {
        Self { heading: heading.into(), ..Self::default() }
    }

    /// A column of numbers.
    pub fn right(heading: impl Into<Line>) -> Self {
        Self { align: Align::Right, ..Self::left(heading) }
    }

    /// The same, giving way if there is no room: those with the least number first.
    #[must_use]
    pub fn giving_way(self, order: u8) -> Self {
        Self { gives_way: Some(order), ..self }
    }

    /// The same, with text that may be cut to `least` columns of a terminal, and is always cut at
    /// `most`.
    #[must_use]
    pub fn cut(self, least: usize, most: usize) -> Self {
        Self { cut: Some((least, most)), ..self }
    }

    /// The same, with another treatment of text that does not fit.
    #[must_use]
    pub fn narrow(self, narrow: Narrow) -> Self {
        Self { narrow, ..self }
    }
}

impl<T: Into<Line>> FromIterator<T> for Row {
    fn from_iter<I: IntoIterator<Item = T>>(cells: I) -> Self {
        Self { cells: cells.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}

impl Table {
    /// A table with these columns, without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), ..Self::default() }
    }

    /// Appends a row.
    pub fn push<T: Into<Line>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The text of each row and of the lines around them, as given.
    pub(crate) fn texts(&self) -> impl Iterator<Item = String> {
        let joined = |cells: &mut dyn Iterator<Item = &Line>| {
            cells.map(Line::text).collect::<Vec<_>>().join("  ")
        };
        let headings = joined(&mut self.columns.iter().map(|column| &column.heading));
        let rows = self.rows.iter().map(move |row| joined(&mut row.cells.iter()));
        std::iter::once(self.title.text())
            .chain([headings])
            .chain(rows.collect::<Vec<_>>())
            .chain(self.foot.iter().map(Line::text))
    }
}
