//! The history of a suite taken apart: each benchmark has a history of its own, a strand.
//!
//! A commit whose suite does not have a benchmark, or cannot measure it, is no part of that
//! benchmark's strand: the next one that has it is compared with the last one that had. The history
//! of a command is a single strand without a name.

use std::collections::{HashMap, HashSet};

use super::lineage::{Artifact, Lineage, Revision, Unbuilt};
use crate::metric::TIME_PER_ITERATION;
use crate::report::document::{Absence, Document};

/// The benchmarks that the suite of an artefact has, each with the reason why it cannot be measured
/// where it cannot; or why it does not say them.
pub type Listing = Result<Vec<(String, Result<(), String>)>, String>;

/// The listings of artefacts, by their digests.
pub type Listings = HashMap<String, Listing>;

/// By digest and benchmark, why it could not be measured.
pub type Unmeasured = HashMap<(String, String), String>;

/// The history of a command, or of one benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strand {
    /// Which benchmark; none of a command.
    pub benchmark: Option<String>,
    /// All commits; those that are no part of it as if they had not been built.
    pub lineage: Lineage,
    /// Why commits that were built are no part of it, by their places.
    pub absences: Vec<(usize, Absence)>,
}

impl Strand {
    /// The single one of a command.
    pub fn of_command(lineage: &Lineage) -> Self {
        Self { benchmark: None, lineage: lineage.clone(), absences: Vec::new() }
    }
}

/// A strand for each benchmark that any commit has, in the order in which they first appear.
pub fn strands(lineage: &Lineage, listings: &Listings, unmeasured: &Unmeasured) -> Vec<Strand> {
    let mut seen = HashSet::new();
    let built = lineage.revisions.iter().filter_map(|revision| revision.built.as_ref().ok());
    let listed = built.filter_map(|artifact| listings.get(&artifact.digest)?.as_ref().ok());
    let names: Vec<&String> =
        listed.flatten().map(|(name, _)| name).filter(|name| seen.insert(*name)).collect();
    let strand = |name: &String| {
        let mut absences = Vec::new();
        let mut revisions = lineage.revisions.clone();
        for (place, revision) in revisions.iter_mut().enumerate() {
            let Ok(artifact) = &revision.built else { continue };
            if let Some(why) = absence(artifact, name, listings, unmeasured) {
                let reason = format!("`{name}` has no figures here");
                *revision =
                    Revision { built: Err(Unbuilt { tried: false, reason }), ..revision.clone() };
                absences.push((place, why));
            }
        }
        Strand { benchmark: Some(name.clone()), lineage: Lineage::new(revisions), absences }
    };
    names.into_iter().map(strand).collect()
}

/// Why an artefact is no part of a benchmark's strand; none where it is.
fn absence(
    artifact: &Artifact,
    benchmark: &str,
    listings: &Listings,
    unmeasured: &Unmeasured,
) -> Option<Absence> {
    let Some(Ok(listed)) = listings.get(&artifact.digest) else { return Some(Absence::Unlisted) };
    let Some((_, may_run)) = listed.iter().find(|(name, _)| name == benchmark) else {
        return Some(Absence::Lacking);
    };
    if let Err(reason) = may_run {
        return Some(Absence::Unmeasured { reason: reason.clone() });
    }
    let reason = unmeasured.get(&(artifact.digest.clone(), benchmark.to_owned()))?;
    Some(Absence::Unmeasured { reason: reason.clone() })
}

/// What the experiments could not measure, the newest of them first: what it says counts.
pub fn unmeasured(documents: &[&Document]) -> Unmeasured {
    let mut told: HashMap<(String, String), Option<String>> = HashMap::new();
    for document in documents {
        let timed: HashSet<u32> = document
            .summaries
            .iter()
            .filter(|part| part.metric == TIME_PER_ITERATION)
            .map(|part| part.variant)
            .collect();
        for (number, variant) in (0_u32..).zip(&document.variants) {
            let labels = &variant.labels;
            let Some(key) = labels.digest().zip(labels.benchmark_name()) else { continue };
            let key = (key.0.to_owned(), key.1.to_owned());
            let is_why = |part: &&crate::report::document::MissingPart| {
                part.variant == number && part.metric == TIME_PER_ITERATION
            };
            let why = document.missing.iter().find(is_why).map(|part| part.reason.clone());
            let is_timed = timed.contains(&number);
            // What nobody asked for has neither.
            if is_timed || why.is_some() {
                told.entry(key).or_insert(why.filter(|_| !is_timed));
            }
        }
    }
    told.into_iter().filter_map(|(key, why)| Some((key, why?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::lineage::tests::line;

    fn listing(names: &str) -> Listing {
        Ok(names.split_whitespace().map(|name| (name.to_owned(), Ok(()))).collect())
    }

    fn listings(all: &[(&str, Listing)]) -> Listings {
        all.iter().map(|(digest, listing)| ((*digest).to_owned(), listing.clone())).collect()
    }

    fn of<'a>(strands: &'a [Strand], name: &str) -> &'a Strand {
        strands.iter().find(|one| one.benchmark.as_deref() == Some(name)).expect("it is there")
    }

    #[test]
    fn a_benchmark_that_is_away_for_a_while_is_compared_over_the_gap() {
        let all = listings(&[
            ("a", listing("x")),
            ("b", listing("y x")),
            ("c", listing("y")),
            ("d", listing("x y")),
        ]);
        let strands = strands(&line("ab-cd"), &all, &Unmeasured::new());
        let names: Vec<_> = strands.iter().filter_map(|one| one.benchmark.as_deref()).collect();
        assert_eq!(names, ["x", "y"]);
        assert_eq!(of(&strands, "x").lineage.pairs(), [(0, 1), (1, 4)]);
        assert_eq!(of(&strands, "x").absences, [(3, Absence::Lacking)]);
        assert_eq!(of(&strands, "y").lineage.pairs(), [(1, 3), (3, 4)]);
        assert_eq!(of(&strands, "y").absences, [(0, Absence::Lacking)]);
    }

    #[test]
    fn what_cannot_be_listed_or_measured_is_stepped_over_with_its_reason() {
        let twice = || Err("there twice".to_owned());
        let all = listings(&[
            ("a", listing("x y")),
            ("b", Err("no such option".to_owned())),
            ("c", Ok(vec![("x".to_owned(), twice()), ("y".to_owned(), Ok(()))])),
            ("d", listing("x y")),
        ]);
        let failed = [(("d".to_owned(), "y".to_owned()), "exited".to_owned())].into();
        let strands = strands(&line("abcda"), &all, &failed);
        let why = |reason: &str| Absence::Unmeasured { reason: reason.to_owned() };
        let x = [(1, Absence::Unlisted), (2, why("there twice"))];
        assert_eq!(of(&strands, "x").absences, x);
        assert_eq!(of(&strands, "x").lineage.pairs(), [(0, 3), (3, 0)]);
        assert_eq!(of(&strands, "y").absences, [(1, Absence::Unlisted), (3, why("exited"))]);
        assert_eq!(of(&strands, "y").lineage.pairs(), [(0, 2), (2, 0)]);
    }
}
