//! Tables: rows of cells, and columns that know how to give way.

use crate::Line;

/// Rows and columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What the rows are about; may be empty.
    pub title: Line,
    /// The columns from left to right.
    pub columns: Vec<Column>,
    /// The rows, without the headings. One that is shorter than the others ends there.
    pub rows: Vec<Row>,
    /// How many rows a terminal shows; the other media have all of them. Where there are more, those
    /// that give way are left out, or else the last ones.
    pub most_rows: Option<usize>,
    /// Whether columns that give way stand below, behind the first ones again, and are not left out.
    pub continues: bool,
    /// What is said below.
    pub foot: Vec<Line>,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// Its cells.
    pub cells: Vec<Line>,
    /// Whether it is left out where there are too many.
    pub gives_way: bool,
    /// Whether it sums the others up, and stays below them in whatever order they are put.
    pub sums_up: bool,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// What stands above it; may be empty.
    pub heading: Line,
    /// To which side its text goes.
    pub align: Align,
    /// Where there is no room, the columns with the least number give way first, all of them at once.
    /// Those without one stay.
    pub gives_way: Option<u8>,
    /// How narrow its text may be cut where there is no room, and how wide it is at most.
    pub cut: Option<(usize, usize)>,
    /// What becomes of text that has no room.
    pub narrow: Narrow,
}

/// What becomes of text that has no room on a terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Narrow {
    /// Its end is cut off.
    #[default]
    End,
    /// Its middle is: what tells long names apart stands at both ends.
    Middle,
    /// Nothing: it goes on in further lines.
    Wrapped,
}

/// To which side text goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Align {
    /// Words.
    #[default]
    Left,
    /// Numbers.
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

    /// The same, which gives way where there is no room: those with the least number first.
    #[must_use]
    pub fn giving_way(self, order: u8) -> Self {
        Self { gives_way: Some(order), ..self }
    }

    /// The same, whose text may be cut to so many columns of a terminal, and always is at so many.
    #[must_use]
    pub fn cut(self, least: usize, most: usize) -> Self {
        Self { cut: Some((least, most)), ..self }
    }

    /// The same, where something else than the end is what has no room.
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
    /// A table of such columns, without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), ..Self::default() }
    }

    /// The next row.
    pub fn push<T: Into<Line>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The text of each row and of the lines around them, as it was given.
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
