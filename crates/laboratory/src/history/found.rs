//! The result of a search for a commit, and the part of its document to show.

use crate::history::lineage::Lineage;
use findings::Document;
use model::failure::Failure;

/// The result of a search.
pub(super) struct Found {
    /// All commits. Those that were not needed are marked as not tried.
    pub(super) lineage: Lineage,
    /// The commit before the change, and the one with it. None if the search is inconclusive.
    pub(super) ends: Option<(usize, usize)>,
    /// The reason that it is inconclusive.
    pub(super) open: Option<Failure>,
}

impl Found {
    /// The document with nothing but the finding: distant commits may differ by changes that belong
    /// to neither of them.
    pub(super) fn step_alone(&self, mut document: Document) -> Document {
        let hash = |end: usize| self.lineage.revisions[end].hash.as_str();
        let ends = self.ends.map(|(near, far)| (hash(near), hash(far)));
        let pair =
            ends.and_then(|(near, far)| document.variant_at(near).zip(document.variant_at(far)));
        document.comparisons.retain(|part| Some((part.baseline, part.candidate)) == pair);
        document.answers.retain(|answer| Some((answer.baseline, answer.candidate)) == pair);
        let is_of_it = |variant: u32| pair.is_some_and(|(a, b)| a == variant || b == variant);
        document.notes.retain(|note| note.about().is_none_or(is_of_it));
        let far = ends.map(|(_, far)| far);
        if let Some(history) = document.history_mut() {
            history.steps.retain(|one| Some(&*one.commit) == far);
            history.drifts.clear();
        }
        document
    }
}
