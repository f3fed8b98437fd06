//! The part of a document that only a check has: the expectations and how they stood.

use serde::{Deserialize, Serialize};

use super::Document;
use crate::expectation::ExpectationId;
use crate::judge::acceptance::{Acceptance, Standing};
use crate::judge::expectation::Evaluation;

/// What was checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckPart {
    /// The project's folder.
    pub project: String,
    /// The commit that was checked out; none outside of a repository.
    pub commit: Option<String>,
    /// The expectations, in the order of the file.
    pub expectations: Vec<ExpectationPart>,
    /// The largest share of the time of a program that was spent waiting for a processor, where that
    /// is worth a note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_share: Option<f64>,
}

impl Document {
    /// What was expected; nothing in other documents than those of checks.
    pub fn expectations(&self) -> &[ExpectationPart] {
        self.check.as_ref().map_or(&[], |check| &check.expectations)
    }
}

/// An expectation, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExpectationPart {
    /// Its name.
    pub id: ExpectationId,
    /// What it says, as it was written.
    pub that: String,
    /// Why it is expected, where the project says so.
    pub why: Option<String>,
    /// How it stood.
    pub standing: Standing,
    /// The acceptance that makes it *accepted*.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<Acceptance>,
    /// What was found.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}
