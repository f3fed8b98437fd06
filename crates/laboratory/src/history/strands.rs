//! The history of a suite, split by benchmark: each one's history is a strand.
//!
//! A commit whose suite lacks a benchmark, or cannot measure it, is not part of that benchmark's
//! strand: the next one that has it is compared with the last one that had it. The history of a
//! command is a single strand without a name.

use std::collections::{HashMap, HashSet};

use super::lineage::{Lineage, Revision, RevisionArtifact, Unbuilt};
use findings::{Absence, Document};
use model::metric::TIME_PER_ITERATION;
use model::spec::labels::ArtifactId;

/// The benchmarks in the suite of an artefact, each with the suite's own name for it, or with the
/// reason that it cannot be measured; or the reason that the list is missing.
pub type Listing = Result<Vec<(String, Result<String, String>)>, String>;

/// The listings of artefacts, by their digests.
pub type Listings = HashMap<ArtifactId, Listing>;

/// The reasons that benchmarks could not be measured, by digest and benchmark name.
pub type Unmeasured = HashMap<(ArtifactId, String), String>;

/// The history of a command, or of one benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strand {
    /// The benchmark; `None` for a command.
    pub benchmark: Option<String>,
    /// All commits; those outside the strand as if they had not been built.
    pub lineage: Lineage,
    /// The reasons that built commits are outside the strand, by their index.
    pub absences: Vec<(usize, Absence)>,
    /// The commits at which the benchmark's name changes, by their index.
    pub names: Vec<(usize, Named)>,
}

/// A commit's name for a benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name there.
    pub name: String,
    /// Its name in the commit that it is compared with; `None` if there is no such commit.
    pub before: Option<String>,
}

impl Strand {
    /// The single strand of a command.
    pub fn of_command(lineage: &Lineage) -> Self {
        let (lineage, absences, names) = (lineage.clone(), Vec::new(), Vec::new());
        Self { benchmark: None, lineage, absences, names }
    }
}

/// A strand for each benchmark of any commit, in the order of first appearance.
pub fn strands(lineage: &Lineage, listings: &Listings, unmeasured: &Unmeasured) -> Vec<Strand> {
    let mut seen = HashSet::new();
    let built = lineage.revisions.iter().filter_map(|revision| revision.built.as_ref().ok());
    let listed = built.filter_map(|artifact| listings.get(&artifact.id)?.as_ref().ok());
    let names: Vec<&String> =
        listed.flatten().map(|(name, _)| name).filter(|name| seen.insert(*name)).collect();
    let strand = |name: &String| {
        let mut absences = Vec::new();
        let mut called: Vec<Option<&str>> = vec![None; lineage.revisions.len()];
        let mut revisions = lineage.revisions.clone();
        for (place, revision) in revisions.iter_mut().enumerate() {
            let Ok(artifact) = &revision.built else { continue };
            match own_name(artifact, name, listings, unmeasured) {
                Ok(own) => called[place] = Some(own),
                Err(why) => {
                    let reason = format!("`{name}` has no figures here");
                    let built = Err(Unbuilt { tried: false, reason });
                    *revision = Revision { built, ..revision.clone() };
                    absences.push((place, why));
                }
            }
        }
        let lineage = Lineage::new(revisions);
        let names = names_of(name, &lineage, &called);
        Strand { benchmark: Some(name.clone()), lineage, absences, names }
    };
    names.into_iter().map(strand).collect()
}

/// The suite's own name for a benchmark of an artefact, or the reason that it is outside the
/// strand.
fn own_name<'a>(
    artifact: &RevisionArtifact,
    benchmark: &str,
    listings: &'a Listings,
    unmeasured: &Unmeasured,
) -> Result<&'a str, Absence> {
    let because = |reason: &String| Absence::Unmeasured { reason: reason.clone() };
    let Some(Ok(listed)) = listings.get(&artifact.id) else { return Err(Absence::Unlisted) };
    let found = listed.iter().find(|(name, _)| name == benchmark);
    let (_, may_run) = found.ok_or(Absence::Lacking)?;
    let own = may_run.as_ref().map_err(because)?;
    match unmeasured.get(&(artifact.id.clone(), benchmark.to_owned())) {
        Some(reason) => Err(because(reason)),
        None => Ok(own),
    }
}

/// The commits at which a benchmark's name differs from the one before, or at the beginning from
/// its present one.
fn names_of(benchmark: &str, lineage: &Lineage, called: &[Option<&str>]) -> Vec<(usize, Named)> {
    let mut names = Vec::new();
    for (place, (own, baseline)) in called.iter().zip(&lineage.baselines).enumerate() {
        let Some(own) = *own else { continue };
        let before = baseline.and_then(|baseline| called[baseline]);
        if own != before.unwrap_or(benchmark) {
            let (name, before) = (own.to_owned(), before.map(str::to_owned));
            names.push((place, Named { name, before }));
        }
    }
    names
}

/// The benchmarks that could not be measured; `documents` are sorted newest first, and the newest
/// counts.
pub fn unmeasured(documents: &[&Document]) -> Unmeasured {
    let mut told: HashMap<(ArtifactId, String), Option<String>> = HashMap::new();
    for document in documents {
        let timed: HashSet<u32> = document
            .summaries
            .iter()
            .filter(|part| part.metric == TIME_PER_ITERATION)
            .map(|part| part.variant)
            .collect();
        for (number, variant) in (0_u32..).zip(&document.variants) {
            let labels = &variant.labels;
            let Some(key) = labels.artifact_id().zip(labels.benchmark_name()) else { continue };
            let key = (key.0.clone(), key.1.to_owned());
            let is_why = |part: &&findings::MissingValues| {
                part.variant == number && part.metric == TIME_PER_ITERATION
            };
            let why = document.missing.iter().find(is_why).map(|part| part.reason.clone());
            let is_timed = timed.contains(&number);
            // Benchmarks that were not requested have neither.
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
        // The commit's name for `x:y` is `y`.
        let one = |word: &str| {
            let (name, own) = word.split_once(':').unwrap_or((word, word));
            (name.to_owned(), Ok(own.to_owned()))
        };
        Ok(names.split_whitespace().map(one).collect())
    }

    fn listings(all: &[(&str, Listing)]) -> Listings {
        all.iter().map(|(digest, listing)| (ArtifactId::read(digest), listing.clone())).collect()
    }

    fn strand<'a>(strands: &'a [Strand], name: &str) -> &'a Strand {
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
        assert_eq!(strand(&strands, "x").lineage.pairs(), [(0, 1), (1, 4)]);
        assert_eq!(strand(&strands, "x").absences, [(3, Absence::Lacking)]);
        assert_eq!(strand(&strands, "y").lineage.pairs(), [(1, 3), (3, 4)]);
        assert_eq!(strand(&strands, "y").absences, [(0, Absence::Lacking)]);
    }

    #[test]
    fn a_renamed_benchmark_is_one_strand_that_knows_where_its_name_changes() {
        let all = listings(&[
            ("a", listing("x:old y")),
            ("b", listing("y")),
            ("c", listing("y x:older")),
            ("d", listing("x y")),
        ]);
        let strands = strands(&line("abcd"), &all, &Unmeasured::new());
        assert_eq!(strands.len(), 2);
        let x = strand(&strands, "x");
        assert_eq!(x.lineage.pairs(), [(0, 2), (2, 3)]);
        let named = |name: &str, before: Option<&str>| Named {
            name: name.to_owned(),
            before: before.map(str::to_owned),
        };
        let names = [
            (0, named("old", None)),
            (2, named("older", Some("old"))),
            (3, named("x", Some("older"))),
        ];
        assert_eq!(x.names, names);
        assert_eq!(strand(&strands, "y").names, []);
    }

    #[test]
    fn what_cannot_be_listed_or_measured_is_stepped_over_with_its_reason() {
        let twice = || Err("there twice".to_owned());
        let all = listings(&[
            ("a", listing("x y")),
            ("b", Err("no such option".to_owned())),
            ("c", Ok(vec![("x".to_owned(), twice()), ("y".to_owned(), Ok("y".to_owned()))])),
            ("d", listing("x y")),
        ]);
        let failed = [((ArtifactId::read("d"), "y".to_owned()), "exited".to_owned())].into();
        let strands = strands(&line("abcda"), &all, &failed);
        let why = |reason: &str| Absence::Unmeasured { reason: reason.to_owned() };
        let x = [(1, Absence::Unlisted), (2, why("there twice"))];
        assert_eq!(strand(&strands, "x").absences, x);
        assert_eq!(strand(&strands, "x").lineage.pairs(), [(0, 3), (3, 0)]);
        assert_eq!(strand(&strands, "y").absences, [(1, Absence::Unlisted), (3, why("exited"))]);
        assert_eq!(strand(&strands, "y").lineage.pairs(), [(0, 2), (2, 0)]);
    }
}
