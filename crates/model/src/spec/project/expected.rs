//! `[[expect]]`: the expectations, with their reasons.

use super::Placed;
use super::error::{ProjectFileError, ProjectProblem};
use super::table::Table;
use crate::expectation::ExpectationError;
use crate::expectation::{Expectation, Vocabulary};

/// An expectation of the project.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The expectation.
    pub that: Expectation,
    /// The reason, shown when it fails.
    pub why: Option<String>,
}

/// The keys of `[[expect]]`.
pub(super) const KEYS: &[&str] = &["that", "why"];

/// Reads one table, with the place of the expectation.
pub(super) fn read(
    table: &Table<'_>,
    vocabulary: &Vocabulary,
) -> Result<Placed<Expected>, ProjectFileError> {
    let text = table.required("that")?;
    let that =
        Expectation::parse(&text, vocabulary).map_err(|error| refused(table, &text, error))?;
    Ok((Expected { that, why: table.text("why")? }, table.span_of("that")))
}

/// The error with its place in the file; if TOML's escapes make the texts differ, the place in the
/// expectation's own text.
fn refused(table: &Table<'_>, text: &str, error: ExpectationError) -> ProjectFileError {
    let value = table.span_of("that");
    let problem = ProjectProblem::Expectation(*error.problem);
    match offset_within(&table.source.text[value.clone()], text) {
        Some(offset) => {
            let start = value.start + offset;
            table.source.refuse(problem, start + error.span.start..start + error.span.end)
        }
        None => ProjectFileError::Refused { problem: Box::new(problem), place: error.place },
    }
}

/// The offset in bytes of the text within a quoted value, if written without escapes.
fn offset_within(quoted: &str, text: &str) -> Option<usize> {
    let quote = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quote| quoted.starts_with(quote))?;
    let inner = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
    // A line break immediately after three quotes does not belong to the text.
    let begins = inner.len() - inner.strip_prefix('\n').unwrap_or(inner).len();
    let begins = if quote.len() == 3 { begins } else { 0 };
    (&inner[begins..] == text).then_some(quote.len() + begins)
}
