//! Trust in builds on top of other builds: confirmation of equal artefacts, and the decision
//! whether such builds save enough time.
//!
//! A build that does not know all dependencies of a product leaves an old one in place, which then
//! looks like the product of a later commit. So an equal artefact is trusted only if no relevant
//! file changed, or if a clean build confirms it. Of several such commits in a row, the last is
//! built cleanly: if its artefact is up to date, so were all the others, unless one of them
//! reverted another. If a clean build makes a different artefact, incremental builds are given up,
//! and all commits are built again.
//!
//! Of N commits with s steps, incremental builds of b seconds each cost N·b, and at most 2·s·C more
//! for building both sides of each step again from scratch, in C seconds each. From scratch, all of
//! them cost N·C, and no confirmation is necessary. So the costs are equal at b / C = 1 − 2·s / N.
//! The times are those of whole builds: those from scratch begin with writing every file anew.

use std::num::NonZeroUsize;

use stats::describe::summarise;

use crate::artifact::{Artifact, BuiltCommit, Digest};
use crate::builder::{BuildError, BuildEvent, Builder};
use crate::inputs::could_matter;
use crate::range::Commit;
use crate::recipe::Trees;

impl Builder {
    /// Builds all of the commits as in [`Builder::build_range`], and confirms equal artefacts.
    pub fn build_and_confirm(
        &mut self,
        commits: &[Commit],
        jobs: NonZeroUsize,
        on: &mut dyn FnMut(BuildEvent),
    ) -> Result<Vec<BuiltCommit>, BuildError> {
        let mut built = self.build_range(commits, jobs, on)?;
        if self.workshop.ingredients.recipe.build.is_none() {
            return Ok(built);
        }
        let claims = self.claims(commits, &built)?;
        let points = checkpoints(&claims);
        if points.is_empty() {
            mark(&mut built, &claims);
            return Ok(built);
        }
        let chosen: Vec<Commit> = points.iter().map(|&point| commits[point].clone()).collect();
        let from_scratch =
            self.confirm_all(&chosen, jobs, &mut |event| on(event.renumbered(&points)))?;
        let refuting = (points.iter().zip(&from_scratch))
            .find(|(_, confirmation)| confirmation.agrees() != Some(true));
        let Some((&point, _)) = refuting else {
            for (&point, confirmation) in points.iter().zip(from_scratch) {
                built[point] = confirmation.clean;
            }
            let claims = self.claims(commits, &built)?;
            mark(&mut built, &claims);
            return Ok(built);
        };
        let name: String = commits[point].hash.chars().take(7).collect();
        let text = format!(
            "{name} is another program when it is built from scratch than on top of an earlier \
             build: all commits are built from scratch"
        );
        on(BuildEvent::Note { text });
        self.workshop.ingredients.recipe.trees = Trees::Clean;
        let mut built = self.build_range(commits, jobs, on)?;
        let claims = self.claims(commits, &built)?;
        mark(&mut built, &claims);
        Ok(built)
    }

    /// The claim that each commit's artefact makes.
    fn claims(&self, commits: &[Commit], built: &[BuiltCommit]) -> Result<Vec<Claim>, BuildError> {
        let mut claims: Vec<Claim> = Vec::with_capacity(built.len());
        let artifacts: Vec<Option<&Artifact>> =
            built.iter().map(|one| one.outcome.as_ref().ok()).collect();
        for (place, artifact) in artifacts.iter().enumerate() {
            let Some(artifact) = *artifact else {
                claims.push(Claim { digest: None, equality: Equality::None });
                continue;
            };
            let is_equal = |other: &Option<&Artifact>| {
                other.is_some_and(|other| other.digest == artifact.digest)
            };
            let first = artifacts[..place].iter().position(is_equal);
            let equality = match first {
                None => Equality::None,
                Some(first) if !self.could_differ(&commits[first], &commits[place])? => {
                    Equality::OfSources
                }
                Some(_) if artifact.trees == Trees::Clean => Equality::Confirmed,
                Some(_) => Equality::Open,
            };
            claims.push(Claim { digest: Some(artifact.digest.clone()), equality });
        }
        Ok(claims)
    }

    /// True if a file differs that could affect the result.
    fn could_differ(&self, one: &Commit, other: &Commit) -> Result<bool, BuildError> {
        if one.tree == other.tree {
            return Ok(false);
        }
        let question =
            ["diff-tree", "-r", "-z", "--no-renames", "--name-only", &one.tree, &other.tree];
        let names = self.workshop.repository.ask(question)?;
        let mut names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.any(|name| could_matter(&String::from_utf8_lossy(name))))
    }
}

/// The claim of a commit that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Claim {
    /// The digest of its artefact; `None` without an artefact.
    digest: Option<Digest>,
    equality: Equality,
}

/// Reasons that an artefact should equal an earlier commit's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Equality {
    /// It differs.
    None,
    /// No relevant file differs between the commits.
    OfSources,
    /// A clean build made it.
    Confirmed,
    /// The only evidence is an incremental build.
    Open,
}

/// The commits to build cleanly: the last open one of each row of equal artefacts.
fn checkpoints(claims: &[Claim]) -> Vec<usize> {
    let mut points: Vec<usize> = Vec::new();
    let mut row: Option<&Digest> = None;
    for (place, claim) in claims.iter().enumerate() {
        let Some(digest) = &claim.digest else { continue };
        let is_same_row = row == Some(digest);
        row = Some(digest);
        if claim.equality != Equality::Open {
            continue;
        }
        match points.last_mut() {
            Some(last) if is_same_row && claims[*last].digest.as_ref() == Some(digest) => {
                *last = place;
            }
            _ => points.push(place),
        }
    }
    points
}

fn mark(built: &mut [BuiltCommit], claims: &[Claim]) {
    for (one, claim) in built.iter_mut().zip(claims) {
        if let Ok(artifact) = &mut one.outcome {
            artifact.equality_confirmed = match claim.equality {
                Equality::None | Equality::OfSources => None,
                Equality::Confirmed => Some(true),
                Equality::Open => Some(false),
            };
        }
    }
}

/// The largest worthwhile share of a clean build's time for an incremental one. The costs are equal
/// at 0.7 if three in twenty commits are steps, which is many.
const WORTHWHILE: f64 = 0.7;

/// The minimum number of incremental builds for a decision, so that a single outlier does not
/// decide; a search has only a few.
const LEAST: usize = 2;

/// The durations of builds.
#[derive(Debug, Default)]
pub(super) struct Savings {
    clean_seconds: Vec<f64>,
    incremental_seconds: Vec<f64>,
}

impl Savings {
    /// Records a build: its initial state, and its whole duration, including a second attempt.
    pub(super) fn record(&mut self, began: Trees, seconds: f64) {
        match began {
            Trees::Clean => self.clean_seconds.push(seconds),
            Trees::Incremental => self.incremental_seconds.push(seconds),
        }
    }

    /// True if incremental builds certainly save little.
    pub(super) fn are_small(&self) -> bool {
        are_small(&self.clean_seconds, &self.incremental_seconds)
    }
}

/// Both the mean and the median of incremental builds must be large: commits that change nothing
/// save a whole build each, and a build that waited for a network says nothing about the next. Of
/// the clean builds, the fastest counts: the first ones find all caches cold.
fn are_small(clean_seconds: &[f64], incremental_seconds: &[f64]) -> bool {
    let clean = clean_seconds.iter().copied().reduce(f64::min);
    let (Some(clean), Some(incremental)) = (clean, summarise(incremental_seconds)) else {
        return false;
    };
    let worthwhile = WORTHWHILE * clean;
    incremental_seconds.len() >= LEAST
        && incremental.mean > worthwhile
        && incremental.median > worthwhile
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each letter is an artefact; a capital one is open, `-` a failed build.
    fn claims(text: &str) -> Vec<Claim> {
        let claim = |letter: char| Claim {
            digest: (letter != '-').then(|| Digest::of_a_test(&letter.to_lowercase().to_string())),
            equality: if letter.is_uppercase() { Equality::Open } else { Equality::None },
        };
        text.chars().map(claim).collect()
    }

    #[test]
    fn the_last_of_each_row_is_built_from_scratch() {
        for (text, expected) in [
            ("", &[][..]),
            ("abc", &[]),
            ("aaa", &[]),
            ("aAAA", &[3]),
            ("aAaA", &[3]),
            ("aAAa", &[2]),
            ("aA-A", &[3]),
            ("aAbB", &[1, 3]),
            // A recurring artefact begins a new row.
            ("aAbA", &[1, 3]),
        ] {
            assert_eq!(checkpoints(&claims(text)), expected, "{text}");
        }
    }

    #[test]
    fn savings_are_small_when_builds_mostly_and_on_average_take_more_than_seven_tenths() {
        for (clean, incremental, expected, why) in [
            (&[10.0][..], &[9.0, 9.0, 9.0][..], true, "hardly anything is saved"),
            (&[10.0], &[7.1, 7.1, 7.1], true, "just above"),
            (&[10.0], &[6.9, 6.9, 6.9], false, "just below"),
            (&[10.0], &[9.0], false, "too few to know"),
            (&[], &[9.0, 9.0, 9.0], false, "nothing to compare with"),
            (&[10.0], &[1.0, 9.0, 9.0], false, "every third saves much: 6.3 on average"),
            (&[10.0], &[1.0, 2.0, 99.0], false, "one outlier does not decide"),
            (&[10.0], &[11.0, 12.0, 13.0], true, "building twice is worse than once"),
            (&[30.0, 10.0, 11.0], &[8.0, 8.0, 8.0], true, "a slow first clean build"),
            (&[0.0], &[0.0, 0.0, 0.0], false, "nothing takes any time"),
        ] {
            assert_eq!(are_small(clean, incremental), expected, "{why}");
        }
    }

    #[test]
    fn builds_are_told_apart_by_what_they_began_with() {
        let mut savings = Savings::default();
        savings.record(Trees::Clean, 10.0);
        for _ in 0..LEAST {
            assert!(!savings.are_small());
            savings.record(Trees::Incremental, 8.0);
        }
        assert!(savings.are_small());
    }
}
