//! The pairs of artefacts to compare.
//!
//! Each commit is compared with its first parent, or, if that did not build, with the nearest one
//! before it that did. Commits with byte-identical artefacts are one variant: there is nothing to
//! measure between them.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use findings::{Authorship, Step};
use model::spec::artifacts::KeptCheckout;
use model::spec::artifacts::Layout;
use model::spec::labels::ArtifactId;

/// A commit of the range with its build result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// Its hash.
    pub hash: String,
    /// Its first parent, even if that is outside the range.
    pub parent: Option<String>,
    /// The first line of its message.
    pub subject: String,
    /// Its author and date; `None` where they are not known.
    pub authorship: Option<Authorship>,
    /// The build result.
    pub built: Result<RevisionArtifact, Unbuilt>,
}

/// The artefact of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionArtifact {
    /// Its path.
    pub path: PathBuf,
    /// Its identity: a hash of its bytes.
    pub id: ArtifactId,
    /// Set if it was built from scratch, not on top of another build.
    pub clean: bool,
    /// True if a clean build confirmed that it equals an earlier commit's artefact, false if that
    /// is still unconfirmed; `None` if it differs, or no relevant file changed in between.
    pub equality_confirmed: Option<bool>,
    /// The same program in other orders, which run in turn; empty if it runs as built.
    pub layouts: Vec<Layout>,
    /// The checkout in which it runs, if it is only a part of the program.
    pub checkout: Option<KeptCheckout>,
}

/// The reason that an artefact is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unbuilt {
    /// Set if a build was tried.
    pub tried: bool,
    /// The last lines of the log, or the reason that no build was tried.
    pub reason: String,
}

/// The commits of a range, parents before their children, and their relations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lineage {
    /// The commits.
    pub revisions: Vec<Revision>,
    /// For each built commit, the nearest built ancestor along first parents.
    pub baselines: Vec<Option<usize>>,
    /// For each built commit, the first with the same bytes; usually itself.
    pub representatives: Vec<Option<usize>>,
}

/// Two commits that are compared, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sides {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The number of variants between the ends of a span: a drift of an eighth of the visible size per
/// commit becomes visible over it.
pub(super) const SPAN: usize = 8;

impl Lineage {
    /// Determines baselines and representatives.
    pub fn new(revisions: Vec<Revision>) -> Self {
        let numbers: HashMap<&str, usize> = (0..)
            .zip(&revisions)
            .map(|(number, revision)| (revision.hash.as_str(), number))
            .collect();
        let mut first_of: HashMap<&ArtifactId, usize> = HashMap::new();
        let mut nearest: Vec<Option<usize>> = Vec::with_capacity(revisions.len());
        let mut representatives = Vec::with_capacity(revisions.len());
        for (number, revision) in revisions.iter().enumerate() {
            let parent = revision.parent.as_deref().and_then(|parent| numbers.get(parent).copied());
            let parent = parent.filter(|&parent| parent < number);
            nearest.push(parent.and_then(|parent| match revisions[parent].built {
                Ok(_) => Some(parent),
                Err(_) => nearest[parent],
            }));
            let artifact = revision.built.as_ref().ok();
            representatives
                .push(artifact.map(|artifact| *first_of.entry(&artifact.id).or_insert(number)));
        }
        let built = nearest.into_iter().zip(&representatives);
        let baselines =
            built.map(|(near, first): (_, &Option<usize>)| near.filter(|_| first.is_some()));
        Self { baselines: baselines.collect(), representatives, revisions }
    }

    /// A lineage in which the others are children of the first.
    pub fn star<'a>(centre: &Revision, others: impl IntoIterator<Item = &'a Revision>) -> Self {
        let child = |revision: &Revision| Revision {
            parent: Some(centre.hash.clone()),
            ..revision.clone()
        };
        let others = others.into_iter().map(child);
        Self::new(std::iter::once(centre.clone()).chain(others).collect())
    }

    /// The number of a commit.
    pub fn number(&self, hash: &str) -> Option<usize> {
        self.revisions.iter().position(|revision| revision.hash == hash)
    }

    /// The two commits of a step. None if one is not in the lineage.
    pub(super) fn sides(&self, step: &Step) -> Option<Sides> {
        let (from, to) = (self.number(&step.from)?, self.number(&step.commit)?);
        Some(Sides { from, to })
    }

    /// The artefact of a built commit.
    pub fn artifact(&self, revision: usize) -> Option<&RevisionArtifact> {
        self.revisions[revision].built.as_ref().ok()
    }

    /// The commits that stand for the different artefacts, in the order of the commits.
    pub fn variants(&self) -> Vec<usize> {
        let own = |&(number, first): &(usize, &Option<usize>)| *first == Some(number);
        self.representatives.iter().enumerate().filter(own).map(|(number, _)| number).collect()
    }

    /// Each distinct pair of artefacts of a commit and its baseline.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let mut seen = HashSet::new();
        let pairs = self.baselines.iter().enumerate().filter_map(|(number, &baseline)| {
            let pair = (self.representatives[baseline?]?, self.representatives[number]?);
            (pair.0 != pair.1 && seen.insert(pair)).then_some(pair)
        });
        pairs.collect()
    }

    /// Pairs farther apart, over which many small changes add up: stretches of the commits that
    /// differ from the one before them, and all of them together. Empty if the range branches.
    pub fn spans(&self) -> Vec<(usize, usize)> {
        let built: Vec<usize> = (0..self.revisions.len())
            .filter(|&number| self.representatives[number].is_some())
            .collect();
        let is_a_line = built.windows(2).all(|two| self.baselines[two[1]] == Some(two[0]));
        if !is_a_line {
            return Vec::new();
        }
        let mut chain: Vec<usize> =
            built.iter().filter_map(|&number| self.representatives[number]).collect();
        chain.dedup();
        let ends = chain.iter().step_by(SPAN).chain(chain.last());
        let ends: Vec<usize> = ends.copied().collect();
        let whole = chain.first().copied().zip(chain.last().copied());
        let taken: HashSet<(usize, usize)> = self.pairs().into_iter().collect();
        let mut seen = HashSet::new();
        let stretches = ends.windows(2).map(|two| (two[0], two[1])).chain(whole);
        stretches
            .filter(|span| span.0 != span.1 && !taken.contains(span) && seen.insert(*span))
            .collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Commits in a line: each letter is an artefact, `-` a build that failed.
    pub(crate) fn line(artifacts: &str) -> Lineage {
        let revision = |(number, letter): (usize, char)| Revision {
            hash: format!("h{number}"),
            parent: Some(number.checked_sub(1).map_or("before".to_owned(), |n| format!("h{n}"))),
            subject: format!("commit {number}"),
            authorship: None,
            built: match letter {
                '-' => Err(Unbuilt { tried: true, reason: "no rule".to_owned() }),
                letter => Ok(RevisionArtifact {
                    path: PathBuf::from(format!("/cache/{letter}")),
                    id: ArtifactId::read(&letter.to_string()),
                    clean: false,
                    equality_confirmed: None,
                    layouts: Vec::new(),
                    checkout: None,
                }),
            },
        };
        Lineage::new(artifacts.chars().enumerate().map(revision).collect())
    }

    #[test]
    fn each_is_compared_with_the_one_before_it() {
        let line = line("abcd");
        assert_eq!(line.variants(), [0, 1, 2, 3]);
        assert_eq!(line.pairs(), [(0, 1), (1, 2), (2, 3)]);
    }

    #[test]
    fn what_does_not_build_is_stepped_over() {
        let line = line("-a--bc");
        assert_eq!(line.baselines, [None, None, None, None, Some(1), Some(4)]);
        assert_eq!(line.pairs(), [(1, 4), (4, 5)]);
    }

    #[test]
    fn the_same_bytes_are_measured_once() {
        // A change, and its revert.
        let line = line("aaba");
        assert_eq!(line.variants(), [0, 2]);
        assert_eq!(line.pairs(), [(0, 2), (2, 0)]);
        assert_eq!(line.representatives, [Some(0), Some(0), Some(2), Some(0)]);
    }

    #[test]
    fn spans_cover_the_whole_line() {
        let line = line("abcdefghijklmnopqrstuvwxyz");
        assert_eq!(line.spans(), [(0, 8), (8, 16), (16, 24), (0, 25)]);
        assert_eq!(super::tests::line("ab").spans(), []);
        assert_eq!(super::tests::line("abc").spans(), [(0, 2)]);
    }

    #[test]
    fn a_side_branch_is_compared_with_its_own_parents() {
        let mut revisions = line("abcd").revisions;
        // 2 branches off from 0, and 3 merges it: its first parent is 1.
        revisions[2].parent = Some("h0".to_owned());
        revisions[3].parent = Some("h1".to_owned());
        let lineage = Lineage::new(revisions);
        assert_eq!(lineage.pairs(), [(0, 1), (0, 2), (1, 3)]);
        assert_eq!(lineage.spans(), []);
    }
}
