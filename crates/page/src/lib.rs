//! A report as a page of typed blocks, and its renderers.
//!
//! A verb writes one [`Page`]: headings, answers, sentences, notes, lists, tables, code, pictures. It
//! says what each piece *is*, never how it looks. A renderer makes text of it: [`terminal`] for any
//! width, [`markdown`] for where people talk about a program, [`html`] for a browser.
//!
//! Each piece of text knows whether it is ours or somebody else's ([`Span`]): literals are ours, and
//! what was put together while brisk ran counts as somebody else's. So the renderers escape, once, and
//! nobody else has to think of it.
//!
//! The crate knows nothing of experiments: what is in a page is decided in `brisk`.
//!
//! * `block`, `span`, `table`: the pieces of a page, from whole sections to words.
//! * [`terminal`], [`markdown`], [`html`]: one renderer each.
//! * [`plain`]: other people's text without what could act on a terminal.
//! * [`text`]: the width of text in columns, and cutting it to fit.
//! * [`sparkline`]: a series in one line of block characters.

mod block;
mod span;
mod table;

pub mod html;
pub mod markdown;
pub mod plain;
pub mod sparkline;
pub mod terminal;
pub mod text;

pub use block::{Art, Block, Code, Label, Page, Picture, Section, Spark};
pub use span::{Line, Role, Span, Tone};
pub use table::{Align, Column, Narrow, Row, Table};
