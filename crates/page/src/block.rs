//! The blocks of a page.

use std::fmt;
use std::rc::Rc;

use crate::sparkline::Heights;
use crate::{Line, Table, Tone};

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
