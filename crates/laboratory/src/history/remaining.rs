//! The open measurements of a lineage.

use std::collections::{BTreeSet, HashSet};

use super::lineage::Lineage;
use model::design::contrasts::Contrasts;
use model::spec::labels::ArtifactId;

/// Artefacts to be measured together, with their comparisons.
#[derive(Debug, Clone, PartialEq)]
pub struct Remaining {
    /// The commits that stand for the artefacts, in the order of the variants.
    pub revisions: Vec<usize>,
    /// The pairs to compare, as variants.
    pub contrasts: Contrasts,
}

/// The open measurements, if the comparisons of the pairs of digests in `known` are done, and the
/// digests in `measured` have figures. `None` if nothing is open.
///
/// All comparisons of the lineage, including known ones, share the permitted error.
pub fn remaining(
    lineage: &Lineage,
    known: &HashSet<(ArtifactId, ArtifactId)>,
    measured: &HashSet<ArtifactId>,
) -> Option<Remaining> {
    let digest = |revision: usize| {
        lineage.artifact(revision).map(|artifact| artifact.id.clone()).unwrap_or_default()
    };
    let is_open = |&(a, b): &(usize, usize)| !known.contains(&(digest(a), digest(b)));
    let open: Vec<(usize, usize)> = lineage.pairs().into_iter().filter(is_open).collect();
    let mut revisions: BTreeSet<usize> = open.iter().flat_map(|&(a, b)| [a, b]).collect();
    if open.is_empty() {
        // Without a pair, a single artefact still has figures to show.
        let unmeasured = |revision: &usize| !measured.contains(&digest(*revision));
        revisions.extend(lineage.variants().into_iter().filter(unmeasured));
    }
    if revisions.is_empty() {
        return None;
    }
    Some(of_pairs(lineage, revisions.into_iter().collect(), &open))
}

/// These artefacts with these comparisons, and the possible spans among them.
fn of_pairs(lineage: &Lineage, revisions: Vec<usize>, open: &[(usize, usize)]) -> Remaining {
    let variant = |revision: usize| {
        let number = revisions.iter().position(|&one| one == revision)?;
        u32::try_from(number).ok()
    };
    let pair = |&(a, b): &(usize, usize)| Some((variant(a)?, variant(b)?));
    let spans = lineage.spans();
    let contrasts = Contrasts {
        pairs: open.iter().filter_map(pair).collect(),
        spans: spans.iter().filter_map(pair).collect(),
        family: Some(lineage.pairs().len() + spans.len()),
        ..Contrasts::default()
    };
    Remaining { revisions, contrasts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::lineage::tests::line;

    fn pairs(text: &str) -> HashSet<(ArtifactId, ArtifactId)> {
        let pair = |pair: &str| (ArtifactId::read(&pair[..1]), ArtifactId::read(&pair[1..]));
        text.split_whitespace().map(pair).collect()
    }

    #[test]
    fn at_first_everything_remains() {
        let all = remaining(&line("abbc"), &HashSet::new(), &HashSet::new()).expect("two pairs");
        assert_eq!(all.revisions, [0, 1, 3]);
        assert_eq!(all.contrasts.pairs, [(0, 1), (1, 2)]);
        assert_eq!(all.contrasts.spans, [(0, 2)]);
        assert_eq!(all.contrasts.family, Some(3));
    }

    #[test]
    fn a_new_commit_is_measured_with_its_neighbour_alone() {
        let measured = ["a", "b", "c"].map(ArtifactId::read).into();
        let new = remaining(&line("abcd"), &pairs("ab bc"), &measured).expect("one pair");
        assert_eq!(new.revisions, [2, 3]);
        assert_eq!(new.contrasts.pairs, [(0, 1)]);
        assert_eq!(new.contrasts.spans, []);
        // Three neighbours and the whole line share the error, although one is already measured.
        assert_eq!(new.contrasts.family, Some(4));
    }

    #[test]
    fn nothing_remains_of_what_is_known() {
        let measured = ["a", "b"].map(ArtifactId::read).into();
        assert_eq!(remaining(&line("ab-b"), &pairs("ab"), &measured), None);
    }

    #[test]
    fn a_single_artefact_is_measured_once() {
        let alone = remaining(&line("aaa"), &HashSet::new(), &HashSet::new()).expect("its values");
        assert_eq!(alone.revisions, [0]);
        assert_eq!(alone.contrasts.pairs, []);
        assert_eq!(remaining(&line("aaa"), &HashSet::new(), &[ArtifactId::read("a")].into()), None);
    }
}
