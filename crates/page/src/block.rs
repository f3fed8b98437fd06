//! The blocks of a page, and tables, whose columns know how to give way.

use std::fmt;
use std::rc::Rc;

use crate::sparkline::Heights;
use crate::{Line, Tone};

/// A report.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The blocks, in reading order.
    pub blocks: Vec<Block>,
}

/// A piece of a page.
#[derive(Debug, Clone)]
pub enum Block {
    /// The heading of the blocks after it.
    Heading(Line),
    /// The sentence that answers the question.
    Answer(Line),
    /// A sentence.
    Sentence(Line),
    /// A sentence behind a word for its sort.
    Note(Label, Line),
    /// Sentences of one kind.
    List(Vec<Line>),
    /// Rows and columns.
    Table(Table),
    /// Lines of a program.
    Code(Code),
    /// A command to copy.
    Command(String),
    /// A picture, for media that show pictures.
    Picture(Picture),
    /// A picture in characters.
    Art(Art),
    /// A series in one line of bars.
    Spark(Spark),
    /// Blocks that belong together.
    Section(Section),
    /// A hint on how to see folded sections, for media in which they stay closed.
    Hint(Line),
}

/// The sort of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// The word, without a colon.
    pub word: &'static str,
    /// Its tone.
    pub tone: Tone,
}

impl Label {
    /// Worth knowing.
    pub const NOTE: Self = Self::quiet("note");
    /// Casts doubt on an answer.
    pub const WARNING: Self = Self { word: "warning", tone: Tone::Open };

    /// A label with another word.
    pub const fn quiet(word: &'static str) -> Self {
        Self { word, tone: Tone::Quiet }
    }
}

/// Lines of a program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Code {
    /// The label of the code, such as `before`; may be empty.
    pub label: &'static str,
    /// The language, as named in Markdown; may be empty.
    pub language: &'static str,
    /// Highlighted words of the language.
    pub keywords: &'static [&'static str],
    /// The lines.
    pub text: String,
    /// The highlighted byte ranges of `text`: beginnings and ends.
    pub marks: Vec<[usize; 2]>,
}

/// A finished picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// The name of the picture.
    pub name: Line,
    /// The drawing: an element `svg`, in which all text is escaped.
    pub drawing: String,
    /// The drawn data, as JSON, for scripts that let readers zoom in; may be empty.
    pub data: String,
}

/// A picture in characters, for media without other pictures.
#[derive(Clone)]
pub struct Art {
    /// The name of the picture.
    pub name: Line,
    /// Draws the lines for this number of columns.
    pub draw: Rc<dyn Fn(usize) -> Vec<String>>,
}

impl fmt::Debug for Art {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Art").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A series in one line of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Spark {
    /// The name of the series.
    pub name: Line,
    /// The values; None for gaps.
    pub values: Vec<Option<f64>>,
    /// The mapping from values to bars.
    pub heights: Heights,
}

/// Blocks that belong together.
#[derive(Debug, Clone, Default)]
pub struct Section {
    /// The title.
    pub title: Line,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Set if it is closed in media that can close it.
    pub is_folded: bool,
}

impl Section {
    /// A section that is not folded.
    pub fn new(title: impl Into<Line>, blocks: Vec<Block>) -> Self {
        Self { title: title.into(), blocks, is_folded: false }
    }

    /// A folded section.
    pub fn folded(title: impl Into<Line>, blocks: Vec<Block>) -> Self {
        Self { is_folded: true, ..Self::new(title, blocks) }
    }
}

impl Page {
    /// Appends a block.
    pub fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }

    /// Appends sentences.
    pub fn sentences<T: Into<Line>>(&mut self, sentences: impl IntoIterator<Item = T>) {
        self.blocks.extend(sentences.into_iter().map(|line| Block::Sentence(line.into())));
    }

    /// Appends notes of one sort.
    pub fn notes<T: Into<Line>>(&mut self, label: Label, notes: impl IntoIterator<Item = T>) {
        self.blocks.extend(notes.into_iter().map(|line| Block::Note(label, line.into())));
    }

    /// All text of the page, as given, including parts that a medium omits.
    pub fn text(&self) -> String {
        let mut text = String::new();
        collect(&self.blocks, &mut text);
        text
    }
}

/// Calls `change` with each line of sentences, lists and tables, also in sections.
pub fn for_each_line(blocks: &mut [Block], change: &mut dyn FnMut(&mut Line)) {
    for block in blocks {
        match block {
            Block::Heading(line)
            | Block::Answer(line)
            | Block::Sentence(line)
            | Block::Hint(line)
            | Block::Note(_, line) => change(line),
            Block::List(lines) => lines.iter_mut().for_each(&mut *change),
            Block::Table(table) => {
                let cells = table.rows.iter_mut().flat_map(|row| &mut row.cells);
                cells.chain(&mut table.foot).for_each(&mut *change);
            }
            Block::Section(section) => {
                change(&mut section.title);
                for_each_line(&mut section.blocks, change);
            }
            Block::Code(_)
            | Block::Command(_)
            | Block::Picture(_)
            | Block::Art(_)
            | Block::Spark(_) => {}
        }
    }
}

fn collect(blocks: &[Block], text: &mut String) {
    for block in blocks {
        let lines: Vec<String> = match block {
            Block::Heading(line)
            | Block::Answer(line)
            | Block::Sentence(line)
            | Block::Hint(line)
            | Block::Note(_, line) => vec![line.text()],
            Block::List(lines) => lines.iter().map(Line::text).collect(),
            Block::Table(table) => table.texts().collect(),
            Block::Code(code) => vec![code.text.clone()],
            Block::Command(command) => vec![command.clone()],
            Block::Picture(picture) => vec![picture.name.text()],
            Block::Art(art) => vec![art.name.text()],
            Block::Spark(spark) => vec![spark.name.text()],
            Block::Section(section) => vec![section.title.text()],
        };
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        if let Block::Section(section) = block {
            collect(&section.blocks, text);
        }
    }
}

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

/// The maximum width of a name, in columns of a terminal.
const LONGEST_NAME: usize = 200;

impl Column {
    /// A column of words.
    pub fn left(heading: impl Into<Line>) -> Self {
        Self { heading: heading.into(), ..Self::default() }
    }

    /// A column of names, whose middle is cut out down to `least` columns of a terminal: long names
    /// differ at both ends.
    pub fn names(heading: impl Into<Line>, least: usize) -> Self {
        Self::left(heading).cut(least, LONGEST_NAME).narrow(Narrow::Middle)
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
