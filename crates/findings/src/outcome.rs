//! The answer of a history, which determines its sentences and its exit status.

use crate::{Answer, Document};
use model::note::Note;
use model::verdict::Verdict;

/// The answer of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Set if a commit, or many of them together, made something worse.
    pub is_regressed: bool,
    /// Pairs of neighbours whose question is still undecided.
    pub undecided: usize,
    /// Pairs of neighbours without an answer, because they did different amounts of work.
    pub unanswered: usize,
}

impl Outcome {
    /// The outcome in a document.
    pub fn from_document(document: &Document) -> Self {
        let steps = document.steps().iter().map(|step| step.verdict);
        let drifts = document.drifts().iter().map(|drift| drift.verdict);
        let is_undecided = |answer: &&Answer| is_undecided(document, answer);
        Self {
            is_regressed: steps.chain(drifts).any(|verdict| verdict == Verdict::Regressed),
            undecided: document.answers.iter().filter(is_undecided).count(),
            unanswered: document.notes.iter().filter(|note| is_unanswered(document, note)).count(),
        }
    }

    /// True if every pair of neighbours has its answer.
    pub fn is_decided(self) -> bool {
        self.undecided == 0 && self.unanswered == 0
    }
}

/// True if measuring ended before a change of the size that a history looks for would have been
/// seen.
fn is_undecided(document: &Document, answer: &Answer) -> bool {
    let seen = document
        .deciding(answer)
        .and_then(|part| part.detectable)
        .zip(document.experiment.resolution);
    let is_resolved = seen.is_some_and(|(change, resolution)| change <= resolution);
    !answer.verdict.is_conclusive() && !is_resolved
}

/// True if neighbours have no answer, because they did different amounts of work.
fn is_unanswered(document: &Document, note: &Note) -> bool {
    let Note::OtherWork { baseline, candidate, .. } = note else { return false };
    let is_its = |answer: &Answer| (answer.baseline, answer.candidate) == (*baseline, *candidate);
    !document.answers.iter().any(is_its)
}
