//! Confirms steps: sides that were built on top of other builds are built from scratch.
//!
//! An incremental build may contain leftovers of an earlier commit, so both sides of a step are
//! rebuilt before it is reported. Usually the bytes are the same; otherwise the new ones are
//! measured, and the step stays if they confirm it.

use std::collections::{BTreeSet, HashMap};

use super::measuring::Measuring;
use super::question::Question;
use crate::history::lineage::{Artifact, Lineage, Revision, Unbuilt};
use crate::report::document::{Confirmation, Document, StepPart};
use model::failure::Failure;
use model::note::Note;

/// Confirms every step of the document, or removes it.
pub(super) fn confirm(
    question: &Question<'_>,
    measuring: &mut Measuring<'_>,
    lineage: &Lineage,
    document: &mut Document,
) -> Result<(), Failure> {
    let steps = document.steps.take().unwrap_or_default();
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
    document.steps = Some(confirmed);
    Ok(())
}

/// The result of building a pair from scratch.
enum Outcome {
    All(Confirmation),
    AsIn(Box<Document>),
}

fn apply(step: StepPart, outcome: &Outcome, notes: &mut Vec<Note>) -> Option<StepPart> {
    let clean = match outcome {
        Outcome::All(confirmed) => return Some(StepPart { confirmed: *confirmed, ..step }),
        Outcome::AsIn(document) => document,
    };
    let again = clean.steps.iter().flatten();
    let is_there = again.clone().any(|other| {
        other.benchmark == step.benchmark
            && other.metric == step.metric
            && other.source == step.source
            && other.verdict == step.verdict
    });
    if is_there {
        return Some(StepPart { confirmed: Confirmation::Measured, ..step });
    }
    let commit = crate::history::merge::short(&step.commit).to_owned();
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
type Clean = HashMap<usize, Result<Artifact, Unbuilt>>;

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
        is_same &= measured.is_ok_and(|measured| measured.digest == artifact.digest);
        let parent = revisions.first().map(|first| first.hash.clone());
        revisions.push(Revision { parent, built, ..revision.clone() });
    }
    if is_same { FromScratch::Same } else { FromScratch::Other(Lineage::new(revisions)) }
}

fn sides(lineage: &Lineage, step: &StepPart) -> Option<(usize, usize)> {
    lineage.number(&step.from).zip(lineage.number(&step.commit))
}
