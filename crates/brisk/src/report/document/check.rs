//! The part of a document that only a check has: the expectations and how they stood.

use serde::{Deserialize, Serialize};

use crate::judge::acceptance::Standing;
use crate::judge::expectation::Evaluation;
use crate::spec::expectation::ExpectationId;

/// What was checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckPart {
    /// The project's folder.
    pub project: String,
    /// The commit that was checked out; none outside of a repository.
    pub commit: Option<String>,
    /// The expectations, in the order of the file.
    pub expectations: Vec<ExpectationPart>,
}

/// An expectation, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectationPart {
    /// Its name.
    pub id: ExpectationId,
    /// What it says, as it was written.
    pub that: String,
    /// Why it is expected, where the project says so.
    pub why: Option<String>,
    /// How it stood.
    pub standing: Standing,
    /// What was found.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}
