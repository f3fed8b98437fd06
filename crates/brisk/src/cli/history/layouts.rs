//! Telling changes of the source from changes of the layout: where the linker put the code.
//!
//! Equal bytes have an equal layout, so that a build from scratch does not tell the two apart. The
//! sides of every step in time that counts of instructions do not explain are built once more, linked
//! in many orders, and measured together. What these do not show is no step of the source.

use std::collections::{BTreeMap, BTreeSet};

use super::effort::Effort;
use super::measuring::Measuring;
use super::question::Question;
use crate::failure::Failure;
use crate::history::lineage::{Artifact, Lineage, Revision, Unbuilt};
use crate::judge::layouts::{is_equal_count, is_moved_by_layout};
use crate::metric::{INSTRUCTIONS, MetricId};
use crate::note::{Note, OverLayouts};
use crate::report::document::{ComparisonPart, Document, StepPart};

/// Takes the steps out of the document that are due to layout.
pub(super) fn tell_apart(
    question: &Question<'_>,
    measuring: &mut Measuring<'_>,
    lineage: &Lineage,
    document: &mut Document,
) -> Result<(), Failure> {
    let steps = document.steps.take().unwrap_or_default();
    let is_open = |step: &StepPart| {
        let sides = sides(lineage, step).filter(|_| step.machine.is_none());
        sides.filter(|&(from, to)| {
            is_unexplained(document, step) && question.may_link_again(lineage, [from, to])
        })
    };
    let open: Vec<Option<(usize, usize)>> = steps.iter().map(is_open).collect();
    let pairs: BTreeSet<(usize, usize)> = open.iter().flatten().copied().collect();
    if pairs.is_empty() {
        document.steps = Some(steps);
        return Ok(());
    }
    let numbers: BTreeSet<usize> = pairs.iter().flat_map(|&(from, to)| [from, to]).collect();
    let layouts = question.layouts(pairs.len() * document.histories.len().max(1))?;
    let built = question.build_in_layouts(lineage, &numbers, layouts)?;
    let linked = in_layouts(lineage, &pairs, &built);
    measuring.aim(Effort::Layouts { layouts });
    let measured = match linked.variants().len() {
        0 | 1 => Ok(None),
        _ => measure(measuring, &linked),
    }?;
    measuring.aim(Effort::History);
    let mut kept = Vec::with_capacity(steps.len());
    for (step, pair) in steps.into_iter().zip(open) {
        let Some(pair) = pair else {
            kept.push(step);
            continue;
        };
        match told(&step, pair, &built, &measured) {
            Told::Source(over) => kept.push(StepPart { layouts: Some(over), ..step }),
            Told::Layout(over) => document.notes.push(Note::Layout {
                commit: step.commit,
                benchmark: step.benchmark,
                metric: step.metric,
                ratio: step.ratio,
                over,
            }),
            Told::Nothing(reason) => {
                let note = Note::NoLayouts { commit: step.commit.clone(), reason };
                if !document.notes.contains(&note) {
                    document.notes.push(note);
                }
                kept.push(step);
            }
        }
    }
    // What was likely is known now.
    document.notes.retain(|note| !matches!(note, Note::LikelyLayout { .. }));
    let moved: BTreeSet<MetricId> = document.notes.iter().filter_map(moved_metric).collect();
    document.notes.extend(moved.into_iter().map(|metric| Note::HiddenByLayout { metric }));
    document.steps = Some(kept);
    Ok(())
}

fn moved_metric(note: &Note) -> Option<MetricId> {
    match note {
        Note::Layout { metric, .. } => Some(metric.clone()),
        _ => None,
    }
}

/// What each side is, in layouts; or why it is not.
pub(super) type Built = BTreeMap<usize, Result<Artifact, String>>;

/// What was measured in layouts; or why nothing was.
type Measured = Option<Result<Box<Document>, String>>;

/// What layouts say of a step.
enum Told {
    Source(OverLayouts),
    Layout(OverLayouts),
    Nothing(String),
}

/// Whether layout could be behind a step: it is one in time, and no count of instructions says that
/// the programs do different work.
fn is_unexplained(document: &Document, step: &StepPart) -> bool {
    let counted = comparison(document, step, |part| part.metric == INSTRUCTIONS);
    is_moved_by_layout(&step.metric) && counted.is_none_or(|part| is_equal_count(part.ratio))
}

/// The comparison of a step's two sides in a document.
fn comparison<'a>(
    document: &'a Document,
    step: &StepPart,
    is_it: impl Fn(&ComparisonPart) -> bool,
) -> Option<&'a ComparisonPart> {
    let variant = |hash: &str| document.variant_of(hash, step.benchmark.as_deref());
    let pair = (variant(&step.from)?, variant(&step.commit)?);
    let mut parts = document.comparisons.iter();
    parts.find(|part| (part.baseline, part.candidate) == pair && is_it(part))
}

/// The sides of the pairs, each pair for itself unless they share a side.
fn in_layouts(lineage: &Lineage, pairs: &BTreeSet<(usize, usize)>, built: &Built) -> Lineage {
    let before: BTreeMap<usize, usize> = pairs.iter().map(|&(from, to)| (to, from)).collect();
    let revision = |(number, built): (&usize, &Result<Artifact, String>)| {
        let revision = &lineage.revisions[*number];
        let parent = before.get(number).map(|from| lineage.revisions[*from].hash.clone());
        let unbuilt = |reason: String| Unbuilt { tried: true, reason };
        Revision { parent, built: built.clone().map_err(unbuilt), ..revision.clone() }
    };
    Lineage::new(built.iter().map(revision).collect())
}

/// Measures them. A program that does not run in some layout takes nothing away from what was found.
fn measure(measuring: &mut Measuring<'_>, linked: &Lineage) -> Result<Measured, Failure> {
    let measured = measuring.measure(linked).and_then(|()| measuring.document(linked));
    match measured {
        Ok(document) => Ok(Some(Ok(Box::new(document)))),
        Err(failure) if measure::interrupt::requested() => Err(failure),
        Err(failure) => Ok(Some(Err(failure.error().to_owned()))),
    }
}

fn told(step: &StepPart, (from, to): (usize, usize), built: &Built, measured: &Measured) -> Told {
    if let Some(Err(reason)) =
        [from, to].map(|side| &built[&side]).into_iter().find(|one| one.is_err())
    {
        return Told::Nothing(reason.clone());
    }
    let document = match measured {
        Some(Ok(document)) => document,
        Some(Err(reason)) => return Told::Nothing(reason.clone()),
        None => return Told::Nothing("both sides are the same program in all layouts".to_owned()),
    };
    let is_it = |part: &ComparisonPart| part.metric == step.metric && part.source == step.source;
    let Some(part) = comparison(document, step, is_it) else {
        return Told::Nothing("they could not be compared in other layouts".to_owned());
    };
    let spread = |variant: u32| {
        let mut parts = document.summaries.iter();
        let its = parts.find(|one| {
            one.variant == variant && one.metric == step.metric && one.source == step.source
        });
        its?.layouts.map(|spread| spread.sd)
    };
    let labels = &document.variants[part.candidate as usize].labels;
    let sides = [part.baseline, part.candidate].into_iter();
    let over = OverLayouts {
        layouts: labels.layouts,
        over_layouts: part.ratio,
        low: part.low,
        high: part.high,
        sd: sides.filter_map(spread).reduce(f64::max),
    };
    let is_there = document.steps.iter().flatten().any(|other| {
        other.commit == step.commit
            && other.benchmark == step.benchmark
            && other.metric == step.metric
            && other.source == step.source
            && other.verdict == step.verdict
    });
    if is_there { Told::Source(over) } else { Told::Layout(over) }
}

fn sides(lineage: &Lineage, step: &StepPart) -> Option<(usize, usize)> {
    let number = |hash: &str| lineage.revisions.iter().position(|one| one.hash == hash);
    Some((number(&step.from)?, number(&step.commit)?))
}
