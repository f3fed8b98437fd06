//! The language of expectations: what `[[expect]]` of `brisk.toml` says should hold.
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
//! A chain of comparisons (`0.9 < x < 1.1`) goes one way and holds when each of its links does.
//! There is no "and" and no "or": each claim is an expectation of its own, with its own verdict.
//!
//! What is compared or added must have the same dimension, so a forgotten unit is found before
//! anything is measured. Counts and quotients have none. What a name stands for (a benchmark, a
//! revision, the stored baseline) is settled in [`subject`], by who knows the repository; whether
//! an expectation holds, in [`crate::judge::expectation`].
//!
//! Two sizes are limited so that no text can exhaust the stack or the time: the length of the text
//! ([`MOST_BYTES`]) and how deep it nests ([`MOST_DEPTH`]).

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

/// The longest text of an expectation, in bytes. Arbitrary; a long one has 200.
pub const MOST_BYTES: usize = 4096;

/// How deep parentheses and signs may nest. Arbitrary; nobody reads ten.
pub const MOST_DEPTH: usize = 64;

/// An expectation as written, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The text as it was written.
    pub text: String,
    /// What it says.
    pub relation: Relation,
    /// Every figure in the order of the text, with its bytes in the text.
    pub figures: Vec<(Figure, Range<usize>)>,
}

impl Expectation {
    /// Reads `text`, which may name the metrics of `vocabulary`.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, and where.
    pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Self, ExpectationError> {
        let (relation, figures) = parser::parse(text, vocabulary)?;
        Ok(Self { text: text.to_owned(), relation, figures })
    }

    /// The name by which the expectation can be referred to.
    pub fn id(&self) -> ExpectationId {
        ExpectationId::of(&self.relation)
    }
}
