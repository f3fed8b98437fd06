//! The part of a document that only a check has: the expectations and their outcomes.

use serde::{Deserialize, Serialize};

use crate::Document;
use judge::acceptance::{Acceptance, Standing};
use judge::expectation::Evaluation;
use model::expectation::ExpectationId;

/// The content of a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CheckFinding {
    /// The project's folder.
    pub project: String,
    /// The commit that was checked out; null outside a repository.
    pub commit: Option<String>,
    /// The expectations, in the order of the file.
    pub expectations: Vec<CheckedExpectation>,
    /// The largest share of a program's time spent waiting for a processor, if worth a note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_share: Option<f64>,
}

impl Document {
    /// The expectations; empty in documents other than those of checks.
    pub fn expectations(&self) -> &[CheckedExpectation] {
        self.check().map_or(&[], |check| &check.expectations)
    }
}

/// An expectation with its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CheckedExpectation {
    /// Its name.
    pub id: ExpectationId,
    /// The text of the expectation, as written.
    pub that: String,
    /// The reason it is expected, if the project gives one.
    pub why: Option<String>,
    /// Its outcome.
    pub standing: Standing,
    /// The acceptance that makes it *accepted*.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<Acceptance>,
    /// The evaluated result.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}
