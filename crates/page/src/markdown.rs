//! A page as Markdown (CommonMark, with the tables of GitHub), for pasting into discussions of the
//! program. Parts for terminals only, bars and pictures in characters, are left out.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::plain::plain;
use crate::{Align, Block, Code, Line, Page, Role, Row, Span, Table, Tone};

/// The maximum number of characters of a comment, with some to spare: GitHub allows 65,536, GitLab
/// more.
pub const COMMENT: usize = 65_000;

/// The number of rows above which tables are folded.
const FOLDED_FROM: usize = 20;

/// The page as Markdown, short enough for a comment: if necessary, the largest tables lose their
/// last rows, with a note.
pub fn render(page: &Page) -> String {
    let mut page = Cow::Borrowed(page);
    loop {
        let mut text = String::new();
        blocks(&mut text, &page.blocks, 2);
        if text.chars().count() <= COMMENT {
            return text;
        }
        let blocks = &mut page.to_mut().blocks;
        if !shorten(blocks) {
            let is_said =
                matches!(blocks.last(), Some(Block::Sentence(line)) if line.text() == MORE);
            blocks.truncate(blocks.len().saturating_sub(1 + usize::from(is_said)));
            blocks.push(Block::Sentence(MORE.into()));
        }
    }
}

/// Removes half of the rows or lines of the largest block; false if there is nothing left to
/// remove.
fn shorten(blocks: &mut [Block]) -> bool {
    let Some(largest) = largest(blocks) else { return false };
    match largest {
        Block::Table(table) => {
            let kept = table.rows.len() / 2;
            table.rows.truncate(kept);
            table.foot.retain(|line| !line.text().starts_with(LEFT_OUT));
            table.foot.push(LEFT_OUT.into());
        }
        Block::Code(code) => {
            let lines: Vec<&str> = code.text.lines().collect();
            code.text = lines[..lines.len() / 2].join("\n") + "\n…";
        }
        _ => return false,
    }
    true
}

/// The note below a shortened table.
const LEFT_OUT: &str = "Further rows are left out here: a comment may not be longer.";

/// The note if even that was too long.
const MORE: &str = "More is left out here: a comment may not be longer.";

/// The largest table or code block, including those in sections.
fn largest(blocks: &mut [Block]) -> Option<&mut Block> {
    let parts = blocks.iter_mut().filter_map(|block| match block {
        Block::Section(section) => largest(&mut section.blocks),
        Block::Table(table) if table.rows.len() > 1 => Some(block),
        Block::Code(code) if code.text.lines().count() > 2 => Some(block),
        _ => None,
    });
    parts.max_by_key(|block| size(block))
}

/// The approximate amount of text in a block.
fn size(block: &Block) -> usize {
    match block {
        Block::Table(table) => table.texts().map(|text| text.len()).sum(),
        Block::Code(code) => code.text.len(),
        _ => 0,
    }
}

const DEEPEST: usize = 6;

fn blocks(text: &mut String, blocks: &[Block], depth: usize) {
    let mut before: Option<&Block> = None;
    for block in blocks {
        if matches!(block, Block::Picture(_) | Block::Art(_) | Block::Spark(_) | Block::Hint(_)) {
            continue;
        }
        let is_next_note = matches!((before, block), (Some(Block::Note(..)), Block::Note(..)));
        if !text.is_empty() && !is_next_note {
            text.push('\n');
        }
        before = Some(block);
        match block {
            Block::Heading(line) => heading(text, line, depth),
            Block::Answer(line) => {
                let _ = writeln!(text, "**{}**", inline(line));
            }
            Block::Sentence(line) => {
                let _ = writeln!(text, "{}", inline(line));
            }
            Block::Note(label, line) => {
                let _ = writeln!(text, "* **{}:** {}", label.word, inline(line));
            }
            Block::List(lines) => {
                for line in lines {
                    let _ = writeln!(text, "* {}", inline(line));
                }
            }
            Block::Table(part) if part.rows.len() > FOLDED_FROM => {
                let summary = match part.title.is_empty() {
                    true => format!("{} rows", part.rows.len()),
                    false => html(&part.title),
                };
                let _ = writeln!(text, "<details>\n<summary>{summary}</summary>\n");
                table(text, part);
                text.push_str("\n</details>\n");
            }
            Block::Table(part) => table(text, part),
            Block::Code(part) => code_block(text, part),
            Block::Command(command) => {
                let command = Code { language: "sh", text: command.clone(), ..Code::default() };
                code_block(text, &command);
            }
            Block::Section(section) if section.is_folded => {
                let title = html(&section.title);
                let _ = writeln!(text, "<details>\n<summary>{title}</summary>");
                self::blocks(text, &section.blocks, depth);
                text.push_str("\n</details>\n");
            }
            Block::Section(section) => {
                heading(text, &section.title, depth);
                self::blocks(text, &section.blocks, (depth + 1).min(DEEPEST));
            }
            Block::Picture(_) | Block::Art(_) | Block::Spark(_) | Block::Hint(_) => {}
        }
    }
}

fn heading(text: &mut String, line: &Line, depth: usize) {
    let _ = writeln!(text, "{} {}", "#".repeat(depth), inline(line));
}

fn table(text: &mut String, table: &Table) {
    if !table.title.is_empty() {
        let _ = writeln!(text, "**{}**\n", inline(&table.title));
    }
    let row = |cells: &mut dyn Iterator<Item = String>| {
        // A bar would end the cell, in text and in code.
        let cells: Vec<String> = cells.map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    text.push_str(&row(&mut table.columns.iter().map(|column| inline(&column.heading))));
    let rules = table.columns.iter().map(|column| match column.align {
        Align::Left => "---",
        Align::Right => "---:",
    });
    let _ = writeln!(text, "|{}|", rules.collect::<Vec<_>>().join("|"));
    let empty = Line::default();
    for Row { cells, .. } in &table.rows {
        let cell = |place: usize| inline(cells.get(place).unwrap_or(&empty));
        text.push_str(&row(&mut (0..table.columns.len()).map(cell)));
    }
    for line in &table.foot {
        let _ = writeln!(text, "\n{}", inline(line));
    }
}

fn code_block(text: &mut String, code: &Code) {
    if !code.label.is_empty() {
        let _ = writeln!(text, "{}:\n", code.label);
    }
    let fence = "`".repeat(longest_run(&code.text).max(2) + 1);
    let lines: Vec<Cow<'_, str>> = code.text.split('\n').map(plain).collect();
    let _ = writeln!(text, "{fence}{}\n{}\n{fence}", code.language, lines.join("\n"));
}

/// Spans within a line.
fn inline(line: &Line) -> String {
    let mut text = String::new();
    for span in &line.0 {
        let shown = one(span);
        // In a strong context, such as an answer, nothing is marked as strong.
        let is_strong = span.tone == Tone::Strong && !shown.is_empty();
        match is_strong {
            true => {
                let _ = write!(text, "**{shown}**");
            }
            false => text.push_str(&shown),
        }
    }
    text
}

fn one(span: &Span) -> String {
    match span.role {
        Role::Words | Role::Quantity(_) => span.text.clone().into_owned(),
        Role::Foreign | Role::Beside(_) | Role::Choice(_) => escape(&plain(&span.text)),
        Role::Commit(_) | Role::Code => code(&plain(&span.text)),
        Role::Link(ref address) => format!("[{}]({})", label(&plain(&span.text)), target(address)),
    }
}

/// The text of a link, with escaped brackets.
fn label(text: &str) -> String {
    let one = |letter: char| match letter {
        '[' | ']' => format!("\\{letter}"),
        other => escape(other.encode_utf8(&mut [0; 4])),
    };
    text.chars().map(one).collect()
}

/// An address as the target of a link: characters that would end it are percent-encoded.
fn target(address: &str) -> String {
    let mut text = String::new();
    for byte in address.bytes() {
        let _ = match byte {
            b'(' | b')' | b'<' | b'>' | b'\\' | b'|' | b'`' | 0..=b' ' | 0x7f.. => {
                write!(text, "%{byte:02X}")
            }
            other => write!(text, "{}", char::from(other)),
        };
    }
    text
}

/// Spans within a piece of HTML, where Markdown has no meaning.
fn html(line: &Line) -> String {
    let one = |span: &Span| {
        let text = plain(&span.text).replace('\n', " ").replace('&', "&amp;").replace('<', "&lt;");
        match span.role {
            Role::Commit(_) | Role::Code => format!("<code>{text}</code>"),
            Role::Words
            | Role::Quantity(_)
            | Role::Foreign
            | Role::Link(_)
            | Role::Beside(_)
            | Role::Choice(_) => text,
        }
    };
    line.0.iter().map(one).collect()
}

/// Text as code, with any characters in it.
fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = text.replace(['\n', '\r'], " ");
    match longest_run(&text) {
        0 => format!("`{text}`"),
        run => {
            let ticks = "`".repeat(run + 1);
            format!("{ticks} {text} {ticks}")
        }
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

/// Text on one line without Markdown markup. A bracket alone is not markup.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let mut is_link = || matches!(characters.peek(), Some('(' | '[' | ':'));
        let is_markup = match character {
            '*' | '_' | '<' | '`' | '\\' => true,
            ']' => is_link(),
            _ => false,
        };
        if is_markup {
            escaped.push('\\');
        }
        escaped.push(if character == '\n' { ' ' } else { character });
    }
    escaped
}
