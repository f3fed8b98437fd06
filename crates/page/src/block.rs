//! What a page consists of.

use std::fmt;
use std::rc::Rc;

use crate::sparkline::Heights;
use crate::{Line, Table, Tone};

/// A report.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// What is in it, in the order of reading.
    pub blocks: Vec<Block>,
}

/// A piece of a page.
#[derive(Debug, Clone)]
pub enum Block {
    /// What the blocks after it are about.
    Heading(Line),
    /// The sentence that answers.
    Answer(Line),
    /// A sentence.
    Sentence(Line),
    /// A sentence behind a word that says what sort it is.
    Note(Label, Line),
    /// Sentences of one kind.
    List(Vec<Line>),
    /// Rows and columns.
    Table(Table),
    /// Lines of a program.
    Code(Code),
    /// A command to be copied.
    Command(String),
    /// A picture, for where there are some.
    Picture(Picture),
    /// A picture in characters.
    Art(Art),
    /// A series in one line of bars.
    Spark(Spark),
    /// Blocks that belong together.
    Section(Section),
    /// How to see what is folded, for a medium in which folds are closed for good.
    Hint(Line),
}

/// What sort a note is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// The word, without a colon.
    pub word: &'static str,
    /// How it is meant.
    pub tone: Tone,
}

impl Label {
    /// What is worth knowing.
    pub const NOTE: Self = Self::quiet("note");
    /// What makes an answer doubtful.
    pub const WARNING: Self = Self { word: "warning", tone: Tone::Open };

    /// Another word.
    pub const fn quiet(word: &'static str) -> Self {
        Self { word, tone: Tone::Quiet }
    }
}

/// Lines of a program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Code {
    /// What it is, such as `before`; may be empty.
    pub label: &'static str,
    /// The language, as Markdown names it; may be empty.
    pub language: &'static str,
    /// Words of the language that are shown apart.
    pub keywords: &'static [&'static str],
    /// The lines.
    pub text: String,
    /// The bytes of `text` that matter: beginnings and ends.
    pub marks: Vec<[usize; 2]>,
}

/// A picture that is drawn already.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// What it shows.
    pub name: Line,
    /// The drawing: an element `svg`, in which all text is escaped.
    pub drawing: String,
    /// What is drawn, as JSON, for scripts that let a reader look closer; may be empty.
    pub data: String,
}

/// A picture in characters, for where there are no others.
#[derive(Clone)]
pub struct Art {
    /// What it shows.
    pub name: Line,
    /// Draws the lines for so many columns.
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
    /// What it is of.
    pub name: Line,
    /// The values; none where there is a gap.
    pub values: Vec<Option<f64>>,
    /// How values become bars.
    pub heights: Heights,
}

/// Blocks that belong together.
#[derive(Debug, Clone, Default)]
pub struct Section {
    /// What they are about.
    pub title: Line,
    /// What is said of it.
    pub blocks: Vec<Block>,
    /// Whether it is closed where it can be.
    pub is_folded: bool,
}

impl Section {
    /// Blocks that belong together.
    pub fn new(title: impl Into<Line>, blocks: Vec<Block>) -> Self {
        Self { title: title.into(), blocks, is_folded: false }
    }

    /// Blocks that are shown to those who ask for them.
    pub fn folded(title: impl Into<Line>, blocks: Vec<Block>) -> Self {
        Self { is_folded: true, ..Self::new(title, blocks) }
    }
}

impl Page {
    /// What comes next.
    pub fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }

    /// Sentences, one after the other.
    pub fn sentences<T: Into<Line>>(&mut self, sentences: impl IntoIterator<Item = T>) {
        self.blocks.extend(sentences.into_iter().map(|line| Block::Sentence(line.into())));
    }

    /// Notes of one sort, one after the other.
    pub fn notes<T: Into<Line>>(&mut self, label: Label, notes: impl IntoIterator<Item = T>) {
        self.blocks.extend(notes.into_iter().map(|line| Block::Note(label, line.into())));
    }

    /// All text of the page, as it was given, whatever a medium shows of it.
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
