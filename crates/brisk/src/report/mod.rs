//! What is shown: one [`document::Document`], and the formats it is written in.

pub mod assemble;
pub mod core_difference;
pub mod display;
pub mod document;
pub mod earlier;
pub mod equal_work;
pub mod explanation;
pub mod setups;

pub mod chart;
pub mod csv;
pub mod exchange;
pub mod expectations;
pub mod export;
pub mod graph;
pub mod history;
pub mod hyperfine;
pub mod instructions;
pub mod json;
pub mod junit;
pub mod lisp;
pub mod markdown;
pub mod memory;
pub mod plain;
pub mod progress;
pub mod quantity;
pub mod sparkline;
pub mod suite;
pub mod sweep;
pub mod table;
pub mod terminal;
pub mod too_few;
pub mod words;

use document::Document;
use plain::printable;

/// A report as text with terminal styles, for a terminal so many columns wide.
pub fn on_terminal(document: &Document, columns: usize) -> String {
    let document = &*printable(document);
    match document {
        Document { history: Some(_), .. } => history::terminal::render(document, columns),
        Document { sweep: Some(_), .. } => sweep::terminal::render(document, columns),
        Document { suite: Some(_), .. } => suite::terminal::render(document, columns),
        _ => terminal::render(document, columns),
    }
}

/// A report as Markdown.
pub fn as_markdown(document: &Document) -> String {
    let document = &*printable(document);
    match document {
        Document { history: Some(_), .. } => history::markdown::render(document),
        Document { sweep: Some(_), .. } => sweep::markdown::render(document),
        Document { suite: Some(_), .. } => suite::markdown::render(document),
        _ => markdown::render(document),
    }
}
