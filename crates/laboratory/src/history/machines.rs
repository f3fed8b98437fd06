//! Changes of the machine between the experiments of a history, and the bridges across them.
//!
//! A ratio comes from rounds on one machine, so it holds there independently of others; figures of
//! different machines are never compared. If a history continues on another machine, the first
//! commit measured there has been measured before: the bridge.

use std::collections::{HashMap, HashSet};

use super::lineage::Lineage;
use super::merge::{Index, digests};
use findings::{Document, MetricSummary};
use model::host::MachineClass;
use model::metric::{self, MetricId};
use model::note::Note;
use model::spec::labels::ArtifactId;

/// Notes for neighbouring artefacts with figures from machines that differ: one for each fact, and
/// one for the bridge. `provided` maps each variant to the document with its figures.
pub(super) fn changes(
    lineage: &Lineage,
    index: &Index,
    benchmark: Option<&str>,
    documents: &[&Document],
    provided: &HashMap<u32, usize>,
) -> Vec<Note> {
    let mut order: Vec<(u32, usize, usize)> = Vec::new();
    for revision in 0..lineage.revisions.len() {
        let Some(variant) = index.variant(revision) else { continue };
        let is_new = !order.iter().any(|(known, ..)| *known == variant);
        let place = provided.get(&variant).filter(|_| is_new);
        order.extend(place.map(|place| (variant, *place, revision)));
    }
    let classes: Vec<MachineClass> = documents.iter().map(|one| (*one).into()).collect();
    let between = |pair: &[(u32, usize, usize)]| -> Vec<Note> {
        let [(_, before, _), (variant, after, revision)] = [pair[0], pair[1]];
        let mut notes: Vec<Note> = classes[after]
            .differences(&classes[before])
            .into_iter()
            .filter_map(|one| {
                let (from, to) = (one.there?, one.here?);
                Some(Note::MachineChanged { variant, fact: format!("the {}", one.name), from, to })
            })
            .collect();
        if notes.is_empty() {
            return notes;
        }
        let digest = lineage.artifact(revision).map(|one| &one.id);
        let figures = |place: usize| of_artefact(documents[place], benchmark, digest);
        let there = (0..documents.len())
            .find(|&place| classes[place].is_same(&classes[before]) && !figures(place).is_empty());
        let judged = documents[after].answers.first().map(|answer| &answer.metric);
        let ratio = there.and_then(|there| bridge(&figures(there), &figures(after), judged));
        notes.extend(ratio.map(|(metric, ratio)| Note::Bridge { variant, metric, ratio }));
        notes
    };
    order.windows(2).flat_map(between).collect()
}

/// A document's figures of an artefact.
fn of_artefact<'a>(
    document: &'a Document,
    benchmark: Option<&str>,
    digest: Option<&ArtifactId>,
) -> Vec<&'a MetricSummary> {
    let all = digests(document, benchmark);
    let place = all.iter().position(|one| one.is_some() && *one == digest);
    let variant = place.and_then(|place| u32::try_from(place).ok());
    variant.map(|variant| document.summaries_of(variant).collect()).unwrap_or_default()
}

/// The ratio between two machines' figures of the same artefact, in the judged metric, or else in
/// the first that both have.
fn bridge(
    there: &[&MetricSummary],
    here: &[&MetricSummary],
    judged: Option<&MetricId>,
) -> Option<(MetricId, f64)> {
    let pair = |here: &&MetricSummary| {
        let is_it =
            |there: &&&MetricSummary| (&there.metric, there.source) == (&here.metric, here.source);
        let there = there.iter().find(is_it)?;
        let ratio = here.median / there.median;
        ratio.is_finite().then(|| (here.metric.clone(), ratio))
    };
    let mut here = here.to_vec();
    here.sort_by_key(|part| (Some(&part.metric) != judged, metric::order(&part.metric)));
    here.iter().find_map(pair)
}

/// Keeps the machine class of each verdict only if there are several.
pub(super) fn name(merged: &mut Document) {
    let names: HashSet<&Option<String>> =
        merged.comparisons.iter().map(|part| &part.machine).collect();
    if names.len() < 2 {
        merged.comparisons.iter_mut().for_each(|part| part.machine = None);
    }
}
