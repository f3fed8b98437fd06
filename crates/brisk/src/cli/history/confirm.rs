//! Confirming steps: what was built on top of other builds is built from scratch.
//!
//! An incremental build may leave something of an earlier commit in a later one. So both sides of
//! a step are built anew before it is called one. Mostly that gives the same bytes; where not,
//! those are measured, and the step stays if they say the same.

use std::collections::BTreeSet;

use super::measuring::Measuring;
use super::question::Question;
use crate::cli::failure::Failure;
use crate::history::lineage::{Lineage, Revision};
use crate::judge::diagnosis::Note;
use crate::report::document::{Confirmation, Document, StepPart};

/// Confirms every step of the document, or takes it out.
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
    let mut confirmed = steps;
    for pair in pairs {
        let from_scratch = both_from_scratch(question, lineage, pair)?;
        let outcome = match from_scratch {
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

/// What builds from scratch say of a pair.
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
        other.metric == step.metric && other.source == step.source && other.verdict == step.verdict
    });
    if is_there {
        return Some(StepPart { confirmed: Confirmation::Measured, ..step });
    }
    let commit = crate::history::merge::short(&step.commit).to_owned();
    notes.push(Note::NotConfirmed { commit, metric: step.metric });
    None
}

/// What building both sides of a step from scratch gave.
enum FromScratch {
    /// The bytes that were measured.
    Same,
    /// Other bytes: the two commits with these.
    Other(Lineage),
    /// One of them does not build from scratch.
    Fails,
}

fn both_from_scratch(
    question: &Question<'_>,
    lineage: &Lineage,
    (from, to): (usize, usize),
) -> Result<FromScratch, Failure> {
    let mut revisions: Vec<Revision> = Vec::with_capacity(2);
    let mut is_same = true;
    for number in [from, to] {
        let revision = &lineage.revisions[number];
        let measured = revision.built.as_ref().ok();
        let built = match measured {
            Some(artifact) if artifact.clean => Ok(artifact.clone()),
            _ => question.build_from_scratch(&revision.hash)?,
        };
        let Ok(artifact) = &built else { return Ok(FromScratch::Fails) };
        is_same &= measured.is_some_and(|measured| measured.digest == artifact.digest);
        let parent = revisions.first().map(|first| first.hash.clone());
        revisions.push(Revision { parent, built, ..revision.clone() });
    }
    Ok(if is_same { FromScratch::Same } else { FromScratch::Other(Lineage::new(revisions)) })
}

fn sides(lineage: &Lineage, step: &StepPart) -> Option<(usize, usize)> {
    let number = |hash: &str| lineage.revisions.iter().position(|r| r.hash == hash);
    Some((number(&step.from)?, number(&step.commit)?))
}
