//! What a search for a commit found, and what of its document is shown.

use crate::failure::Failure;
use crate::history::lineage::Lineage;
use crate::report::document::Document;

/// What the search found.
pub(super) struct Found {
    /// All commits; one that was not needed is there as one that was not tried.
    pub(super) lineage: Lineage,
    /// The commit before the change, and the one with it; none where the search stays open.
    pub(super) ends: Option<(usize, usize)>,
    /// Why it stays open.
    pub(super) open: Option<Failure>,
}

impl Found {
    /// Leaves of a document what the search was for: two commits far from each other may differ by
    /// much that neither of them did.
    pub(super) fn keep_the_step(&self, document: &mut Document) {
        let hash = |end: usize| self.lineage.revisions[end].hash.as_str();
        let ends = self.ends.map(|(near, far)| (hash(near), hash(far)));
        let pair =
            ends.and_then(|(near, far)| document.variant_at(near).zip(document.variant_at(far)));
        document.comparisons.retain(|part| Some((part.baseline, part.candidate)) == pair);
        document.answers.retain(|answer| Some((answer.baseline, answer.candidate)) == pair);
        let is_of_it = |variant: u32| pair.is_some_and(|(a, b)| a == variant || b == variant);
        document.notes.retain(|note| note.about().is_none_or(is_of_it));
        let far = ends.map(|(_, far)| far);
        document.steps.iter_mut().for_each(|all| all.retain(|one| Some(&*one.commit) == far));
        document.drifts = Some(Vec::new());
    }
}
