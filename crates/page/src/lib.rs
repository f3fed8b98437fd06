//! A report as a page of typed blocks, and its renderers.
//!
//! A verb writes one [`Page`]: headings, answers, sentences, notes, lists, tables, code, pictures.
//! It defines the meaning of each piece, never its look. A renderer makes text of it: [`terminal`]
//! for any width, [`markdown`] for discussions of a program, [`html`] for a browser.
//!
//! Each piece of text is marked as our own or foreign ([`Span`]): literals are our own, and text
//! that was assembled at run time counts as foreign. So only the renderers escape, once, and
//! callers need not care.
//!
//! The crate does not know experiments: `brisk` decides the contents of a page.
//!
//! * `block`, `span`: the pieces of a page, from whole sections to words.
//! * [`terminal`], [`markdown`], [`html`]: one renderer each.
//! * [`plain`]: foreign text without characters that act on a terminal.
//! * [`sparkline`]: a series in one line of block characters.

mod block;
mod span;

pub mod html;
pub mod markdown;
pub mod plain;
pub mod sparkline;
pub mod terminal;

pub use block::{
    Align, Art, Block, Code, Column, Label, Narrow, Page, Picture, Row, Section, Spark, Table,
    for_each_line,
};
pub use span::{Choice, Line, Role, Span, Tone};
