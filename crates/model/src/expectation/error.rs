//! Errors in an expectation, in terms of its text.

use std::ops::Range;

use super::unit::{Dimension, UNITS};
use super::{MOST_BYTES, MOST_DEPTH};
use crate::spec::nearest::{listed, nearest};
use crate::spec::place::TextPosition;

/// An expectation cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct ExpectationError {
    /// The problem.
    pub problem: Box<Problem>,
    /// The place, in bytes of the text.
    pub span: Range<usize>,
    /// The place, for people.
    #[source]
    pub place: TextPosition,
}

/// A problem with an expectation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum Problem {
    #[error("the expectation is empty")]
    Empty,
    #[error("the expectation has {0} bytes; at most {MOST_BYTES} are read")]
    TooLong(usize),
    #[error("the expectation nests deeper than {MOST_DEPTH} levels")]
    TooDeep,
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
    #[error("unknown metric `{name}`")]
    UnknownMetric { name: String, known: Vec<String> },
    #[error("unknown unit `{0}`")]
    UnknownUnit(String),
    #[error("`{0}` is not a number")]
    NotANumber(String),
    #[error("`{0}` is too large to compute with")]
    OutOfRange(String),
    #[error("the quote is never closed")]
    OpenQuote,
    #[error("`{0}()` names nothing that can be measured")]
    NoSubject(String),
    #[error("`{0}` joins expectations, and each stands for itself")]
    Joined(String),
    #[error("`{0}` and `{1}` in one chain")]
    MixedChain(&'static str, &'static str),
    #[error("nothing is measured in this expectation")]
    NoFigure,
    #[error("{left} cannot be compared with {right}")]
    Compared { left: Dimension, right: Dimension },
    #[error("{right} cannot be {} {left}", if *.added { "added to" } else { "taken from" })]
    Added { added: bool, left: Dimension, right: Dimension },
    #[error("the divisor is 0")]
    DivisionByZero,
}

impl Problem {
    /// A suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Empty => Some(EXAMPLE.to_owned()),
            Self::UnknownMetric { name, known } => {
                Some(suggestion(name, "metrics", known.iter().map(String::as_str)))
            }
            Self::UnknownUnit(name) => {
                Some(suggestion(name, "units", UNITS.iter().map(|unit| unit.symbol)))
            }
            Self::NoSubject(metric) => Some(format!(
                "write a benchmark, a revision or `baseline` between the parentheses: \
                 `{metric}(HEAD)`"
            )),
            Self::Joined(_) => Some("write each as an `[[expect]]` of its own".to_owned()),
            Self::MixedChain(..) => {
                Some("a chain goes one way, such as `0.9 < x <= 1.1`; or write two".to_owned())
            }
            Self::NoFigure => Some(EXAMPLE.to_owned()),
            Self::Compared { left, right } => unit_hint(*left, *right),
            Self::Added { left, right, .. } if *right == Dimension::NONE => {
                let hint = unit_hint(*left, *right)?;
                Some(format!("{hint}; a share is a factor: `x * 1.01` is 1 % more than `x`"))
            }
            Self::Added { left, right, .. } => unit_hint(*left, *right),
            Self::Unexpected { found, .. } if found == "`=`" => {
                Some("equality is written `==`".to_owned())
            }
            Self::Unexpected { found, .. } if found == "`!`" => Some(
                "an expectation says what should hold: `<`, `<=`, `>`, `>=` or `==`".to_owned(),
            ),
            Self::OpenQuote => Some("within quotes, a quote is written `\\\"`".to_owned()),
            _ => None,
        }
    }
}

const EXAMPLE: &str = "write for example `wall_time(new) / wall_time(old) < 0.8`";

fn suggestion<'a>(typed: &str, what: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let all = format!("{what}: {}", listed(known.clone()));
    match nearest(typed, known) {
        Some(meant) => format!("did you mean `{meant}`? {all}"),
        None => all,
    }
}

/// A hint for the usual mistake: a number without its unit.
fn unit_hint(left: Dimension, right: Dimension) -> Option<String> {
    let other = match (left == Dimension::NONE, right == Dimension::NONE) {
        (true, false) => right,
        (false, true) => left,
        _ => return None,
    };
    let symbols: Vec<&str> =
        UNITS.iter().filter(|unit| unit.dimension == other).map(|unit| unit.symbol).collect();
    (!symbols.is_empty())
        .then(|| format!("give the number its unit: {}", listed(symbols.into_iter())))
}
