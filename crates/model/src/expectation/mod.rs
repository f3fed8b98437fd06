//! The language of expectations: the relations of `[[expect]]` in `brisk.toml`.
//!
//! An expectation compares measured figures with limits or with each other:
//!
//! ```text
//! wall_time(zipper) / wall_time(direct) < 0.8
//! allocated(HEAD) <= allocated(main) * 1.01
//! peak_rss("the new one") < 2 MB
//! 0.9 < wall_time(fib@v2.0) / wall_time(fib@baseline) < 1.1
//! ```
//!
//! The grammar, in which blank space may stand between any two tokens:
//!
//! ```text
//! expectation = sum comparison sum { comparison sum }
//! comparison  = "<" | "<=" | ">" | ">=" | "=="
//! sum         = product { ( "+" | "-" ) product }
//! product     = factor { ( "*" | "/" ) factor }
//! factor      = "-" factor | "(" sum ")" | number [ unit ] | figure
//! figure      = metric "(" subject ")"
//! subject     = name [ "@" name ]
//! name        = plain | '"' { character | '\"' | '\\' } '"'
//! plain       = characters other than blanks, quotes, parentheses and commas; an "@" only
//!               before "{", where git means an older state of a branch
//! number      = digits [ "." digits ] [ ( "e" | "E" ) [ "+" | "-" ] digits ]
//! digits      = a digit, then digits and "_"
//! unit        = "s" | "ms" | "us" | "min" | "B" | "MB" | "MiB" | "%" | ...   (see `unit`)
//! ```
//!
//! A chain of comparisons (`0.9 < x < 1.1`) goes one way and holds if each of its links does. "And"
//! and "or" do not exist: each claim is a separate expectation, with its own verdict.
//!
//! Compared or added values must have the same dimension, so a forgotten unit is found before
//! anything is measured. Counts and quotients have none. The meaning of a name (a benchmark, a
//! revision, the stored baseline) is resolved in [`subject`], with knowledge of the repository;
//! `judge::expectation` decides whether an expectation holds.
//!
//! Two sizes are limited so that no text can exhaust the stack or the time: the length of the text
//! ([`MOST_BYTES`]) and its depth of nesting ([`MOST_DEPTH`]).

mod error;
mod id;
mod parser;
mod relation;
pub mod subject;
mod unit;
mod vocabulary;

use std::ops::Range;

pub use error::{ExpectationError, Problem};
pub use id::{ExpectationId, IdError};
pub use relation::{Comparison, Expression, Figure, Operator, Quantity, Relation};
pub use subject::Subject;
pub use unit::{Dimension, UNITS, UnitSymbol};
pub use vocabulary::{KnownMetric, Vocabulary};

/// The maximum length of an expectation's text, in bytes. Arbitrary; a long one has 200.
pub const MOST_BYTES: usize = 4096;

/// The maximum nesting of parentheses and signs. Arbitrary; nobody reads ten.
pub const MOST_DEPTH: usize = 64;

/// An expectation as written, and its meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The text as written.
    pub text: String,
    /// The meaning.
    pub relation: Relation,
    /// Every figure in the order of the text, with its bytes in the text.
    pub figures: Vec<(Figure, Range<usize>)>,
}

impl Expectation {
    /// Parses `text`, which may name the metrics of `vocabulary`.
    ///
    /// # Errors
    ///
    /// The problem with the text, and its place.
    pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Self, ExpectationError> {
        let (relation, figures) = parser::parse(text, vocabulary)?;
        Ok(Self { text: text.to_owned(), relation, figures })
    }

    /// The name by which the expectation can be referred to.
    pub fn id(&self) -> ExpectationId {
        ExpectationId::from_relation(&self.relation)
    }
}
