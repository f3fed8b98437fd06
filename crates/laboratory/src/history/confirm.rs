//! Confirms steps: sides that were built on top of other builds are built from scratch.
//!
//! An incremental build may contain leftovers of an earlier commit, so both sides of a step are
//! rebuilt before it is reported. Usually the bytes are the same; otherwise the new ones are
//! measured, and the step stays if they confirm it.

use std::collections::{BTreeSet, HashMap};

use super::measuring::Measuring;
use super::question::Question;
use crate::history::lineage::{Lineage, Revision, RevisionArtifact, Unbuilt};
use findings::{Confirmation, Document, Step};
use model::failure::Failure;
use model::note::Note;

/// The document with every step confirmed, without those that builds from scratch do not confirm.
pub(super) fn confirmed(
    question: &Question<'_>,
    measuring: &mut Measuring<'_, '_>,
    lineage: &Lineage,
    mut document: Document,
) -> Result<Document, Failure> {
    let steps = document.take_steps();
    let unchecked = steps.iter().filter(|step| step.confirmed == Confirmation::Unchecked);
    let pairs: BTreeSet<(usize, usize)> =
        unchecked.filter_map(|step| sides(lineage, step)).collect();
    let clean = from_scratch(question, lineage, &pairs)?;
    let mut confirmed = steps;
    for pair in pairs {
        let outcome = match both_from_scratch(&clean, lineage, pair) {
            FromScratch::Same => Outcome::All(Confirmation::CleanBuilds),
            FromScratch::Fails => Outcome::All(Confirmation::Unchecked),
            FromScratch::Other(clean) => {
                measuring.measure(&clean)?;
                Outcome::AsIn(Box::new(measuring.document(&clean)?))
            }
        };
        confirmed = confirmed
            .into_iter()
            .filter_map(|step| {
                if sides(lineage, &step) == Some(pair) {
                    apply(step, &outcome, &mut document.notes)
                } else {
                    Some(step)
                }
            })
            .collect();
    }
    Ok(document.with_steps(confirmed))
}

/// The result of building a pair from scratch.
enum Outcome {
    All(Confirmation),
    AsIn(Box<Document>),
}

fn apply(step: Step, outcome: &Outcome, notes: &mut Vec<Note>) -> Option<Step> {
    let clean = match outcome {
        Outcome::All(confirmed) => return Some(Step { confirmed: *confirmed, ..step }),
        Outcome::AsIn(document) => document,
    };
    let again = clean.steps().iter();
    let is_there = again.clone().any(|other| {
        other.benchmark == step.benchmark
            && other.metric == step.metric
            && other.source == step.source
            && other.verdict == step.verdict
    });
    if is_there {
        return Some(Step { confirmed: Confirmation::Measured, ..step });
    }
    let commit = findings::short(&step.commit).to_owned();
    notes.push(Note::NotConfirmed { commit, benchmark: step.benchmark, metric: step.metric });
    None
}

/// The result of building both sides of a step from scratch.
enum FromScratch {
    /// The same bytes as measured.
    Same,
    /// Other bytes: the two commits with the new artefacts.
    Other(Lineage),
    /// One of them does not build from scratch.
    Fails,
}

/// The artefact of each side of the pairs, built from scratch.
type Clean = HashMap<usize, Result<RevisionArtifact, Unbuilt>>;

/// Builds in parallel all sides that were not built from scratch yet.
fn from_scratch(
    question: &Question<'_>,
    lineage: &Lineage,
    pairs: &BTreeSet<(usize, usize)>,
) -> Result<Clean, Failure> {
    let all: BTreeSet<usize> = pairs.iter().flat_map(|&(from, to)| [from, to]).collect();
    let mut clean = Clean::new();
    let mut numbers = Vec::new();
    for number in all {
        match &lineage.revisions[number].built {
            Ok(artifact) if artifact.clean => {
                clean.insert(number, Ok(artifact.clone()));
            }
            _ => numbers.push(number),
        }
    }
    if !numbers.is_empty() {
        let hashes: Vec<&str> =
            numbers.iter().map(|number| lineage.revisions[*number].hash.as_str()).collect();
        clean.extend(numbers.iter().copied().zip(question.build_from_scratch(&hashes)?));
    }
    Ok(clean)
}

fn both_from_scratch(clean: &Clean, lineage: &Lineage, (from, to): (usize, usize)) -> FromScratch {
    let mut revisions: Vec<Revision> = Vec::with_capacity(2);
    let mut is_same = true;
    for number in [from, to] {
        let revision = &lineage.revisions[number];
        let built = clean[&number].clone();
        let Ok(artifact) = &built else { return FromScratch::Fails };
        let measured = revision.built.as_ref();
        is_same &= measured.is_ok_and(|measured| measured.id == artifact.id);
        let parent = revisions.first().map(|first| first.hash.clone());
        revisions.push(Revision { parent, built, ..revision.clone() });
    }
    if is_same { FromScratch::Same } else { FromScratch::Other(Lineage::new(revisions)) }
}

fn sides(lineage: &Lineage, step: &Step) -> Option<(usize, usize)> {
    lineage.number(&step.from).zip(lineage.number(&step.commit))
}
