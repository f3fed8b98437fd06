//! Merges the experiments about a subject into the document of a history.
//!
//! Artefacts are recognised by their bytes, so an earlier experiment's result for two of them need
//! not be measured again, whichever commits they came from.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::lineage::Lineage;
use super::{machines, steps};
use findings::{
    Build, Contender, Document, Finding, HistoryCommit, HistoryFinding, HistorySubject,
    of_candidate, short,
};
use model::design::stopping::StopReason;
use model::host::MachineClass;
use model::metric::{self, MetricId};
use model::note::Note;
use model::spec::labels::ArtifactId;
use model::spec::labels::{ArtifactLabel, Labels};
use model::spec::parameters::Point;
use model::spec::suite::commits::of_benchmark;
/// The variant of each artefact in the history's document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// By revision; the variants are the different artefacts in the order of the commits.
    variants: Vec<Option<u32>>,
}

impl Index {
    /// The variants of a lineage.
    pub fn new(lineage: &Lineage) -> Self {
        let number: HashMap<usize, u32> = lineage.variants().into_iter().zip(0..).collect();
        let of = |first: &Option<usize>| first.and_then(|first| number.get(&first).copied());
        Self { variants: lineage.representatives.iter().map(of).collect() }
    }

    /// The variant of a commit, if it was built.
    pub(super) fn variant(&self, revision: usize) -> Option<u32> {
        self.variants.get(revision).copied().flatten()
    }

    /// The variants of two commits, if both were built and differ.
    pub fn pair(&self, baseline: usize, candidate: usize) -> Option<(u32, u32)> {
        let pair = (self.variants[baseline]?, self.variants[candidate]?);
        (pair.0 != pair.1).then_some(pair)
    }
}

/// The artefacts of an experiment's variants for this benchmark, or for the command if there is no
/// suite.
pub(super) fn digests<'a>(
    document: &'a Document,
    benchmark: Option<&str>,
) -> Vec<Option<&'a ArtifactId>> {
    let digest = |variant: &'a Contender| {
        let labels = &variant.labels;
        labels.artifact_id().filter(|_| labels.benchmark_name() == benchmark)
    };
    document.variants.iter().map(digest).collect()
}

/// The pairs of artefacts, as digests, that the documents have compared in this benchmark.
///
/// Pairs left open by an interrupted experiment are not included.
pub fn known(
    documents: &[&Document],
    benchmark: Option<&str>,
) -> HashSet<(ArtifactId, ArtifactId)> {
    let mut known = HashSet::new();
    for document in documents {
        let digests = digests(document, benchmark);
        let sides = |baseline: u32, candidate: u32| {
            let [baseline, candidate] = [baseline, candidate].map(|side| digests[side as usize]);
            Some((baseline?.clone(), candidate?.clone()))
        };
        let cut_short =
            matches!(document.experiment.stop, StopReason::Interrupted | StopReason::Failed);
        for answer in &document.answers {
            if cut_short && !answer.verdict.is_conclusive() {
                continue;
            }
            known.extend(sides(answer.baseline, answer.candidate));
        }
        // More rounds would not make them comparable.
        if !cut_short {
            known.extend(document.notes.iter().filter_map(|note| match note {
                Note::OtherWork { baseline, candidate, .. } => sides(*baseline, *candidate),
                _ => None,
            }));
        }
    }
    known
}

/// The digests of the artefacts that the documents have figures for in this benchmark.
pub fn measured(documents: &[&Document], benchmark: Option<&str>) -> HashSet<ArtifactId> {
    let mut measured = HashSet::new();
    for document in documents {
        let summarised: HashSet<u32> = document.summaries.iter().map(|part| part.variant).collect();
        let of = (0..).zip(digests(document, benchmark));
        let found = of.filter(|(variant, _)| summarised.contains(variant));
        measured.extend(found.filter_map(|(_, digest)| digest.cloned()));
    }
    measured
}

/// Removes all results for these pairs of digests from a document.
pub fn forget(document: &mut Document, pairs: &HashSet<(ArtifactId, ArtifactId)>) {
    let digest = |variant: &Contender| variant.labels.artifact_id().cloned();
    let digests: Vec<Option<ArtifactId>> = document.variants.iter().map(digest).collect();
    let is_kept = |baseline: u32, candidate: u32| {
        let [baseline, candidate] = [baseline, candidate].map(|side| &digests[side as usize]);
        !pairs.iter().any(|(a, b)| Some(a) == baseline.as_ref() && Some(b) == candidate.as_ref())
    };
    document.comparisons.retain(|part| is_kept(part.baseline, part.candidate));
    document.answers.retain(|answer| is_kept(answer.baseline, answer.candidate));
}

/// One document of the whole history of a command, or of this benchmark of a suite. `documents` are
/// those of the experiments, this machine's first and each machine's newest first; if several have
/// a result, the first counts. `None` if there are no documents.
pub fn document(
    lineage: &Lineage,
    benchmark: Option<&str>,
    documents: &[&Document],
    history: HistorySubject,
) -> Option<Document> {
    let index = Index::new(lineage);
    let mut merged = (*documents.first()?).clone();
    let mut variants = variants(lineage, benchmark, documents);
    merged.summaries.clear();
    merged.missing.clear();
    merged.comparisons.clear();
    merged.answers.clear();
    merged.notes.clear();
    // The same for all artefacts, or made with one of them.
    merged.setups.clear();
    merged.paybacks.clear();
    let number: HashMap<&ArtifactId, u32> = (0..)
        .zip(lineage.variants())
        .filter_map(|(number, revision)| Some((&lineage.artifact(revision)?.id, number)))
        .collect();
    let wanted: HashSet<(u32, u32)> = lineage
        .pairs()
        .into_iter()
        .chain(lineage.spans())
        .filter_map(|(baseline, candidate)| index.pair(baseline, candidate))
        .collect();
    let mut taken = Taken::default();
    for (place, document) in documents.iter().enumerate() {
        let map: Vec<Option<u32>> =
            digests(document, benchmark).iter().map(|one| number.get((*one)?).copied()).collect();
        taken.take(place, document, &map, &wanted, &mut merged);
    }
    for (variant, place) in &taken.variants {
        give_work(&mut variants[*variant as usize], documents[*place]);
    }
    merged.variants = variants;
    let changes = machines::changes(lineage, &index, benchmark, documents, &taken.variants);
    merged.notes.extend(changes);
    machines::name(&mut merged);
    merged.summaries.sort_by_key(|part| (part.variant, metric::order(&part.metric)));
    merged.comparisons.sort_by_key(|part| (part.candidate, metric::order(&part.metric)));
    merged.detectable = detectable(&merged);
    let steps = steps::steps(lineage, &index, &merged);
    merged.finding = Finding::History(Box::new(HistoryFinding {
        commits: commits(lineage, &index, &merged),
        drifts: steps::drifts(lineage, &index, &merged, &steps),
        steps,
        ..HistoryFinding::new(history)
    }));
    Some(merged)
}

/// The parts already taken from newer documents.
#[derive(Default)]
struct Taken {
    /// The document that each variant's figures come from.
    variants: HashMap<u32, usize>,
    pairs: HashSet<(u32, u32)>,
}

impl Taken {
    fn take(
        &mut self,
        place: usize,
        document: &Document,
        map: &[Option<u32>],
        wanted: &HashSet<(u32, u32)>,
        merged: &mut Document,
    ) {
        let of = |variant: u32| map.get(variant as usize).copied().flatten();
        let new: HashSet<u32> = map
            .iter()
            .flatten()
            .copied()
            .filter(|variant| !self.variants.contains_key(variant))
            .collect();
        for part in &document.summaries {
            if let Some(variant) = of(part.variant).filter(|variant| new.contains(variant)) {
                merged.summaries.push(part.clone());
                merged.summaries.last_mut().expect("just pushed").variant = variant;
                self.variants.insert(variant, place);
            }
        }
        for part in &document.missing {
            if let Some(variant) = of(part.variant).filter(|variant| new.contains(variant)) {
                merged.missing.push(part.clone());
                merged.missing.last_mut().expect("just pushed").variant = variant;
            }
        }
        let pair = |baseline, candidate| Some((of(baseline)?, of(candidate)?));
        let mut pairs = HashSet::new();
        let class = MachineClass::from(document);
        for part in &document.comparisons {
            let Some(pair) = pair(part.baseline, part.candidate) else { continue };
            if wanted.contains(&pair) && !self.pairs.contains(&pair) {
                let mut part = part.clone();
                (part.baseline, part.candidate) = pair;
                part.machine = Some(class.name().to_owned());
                merged.comparisons.push(part);
                pairs.insert(pair);
            }
        }
        for answer in &document.answers {
            let Some(pair) = pair(answer.baseline, answer.candidate) else { continue };
            if pairs.contains(&pair) {
                let mut answer = answer.clone();
                (answer.baseline, answer.candidate) = pair;
                merged.answers.push(answer);
            }
        }
        self.pairs.extend(pairs);
        for note in &document.notes {
            let note = note.clone().of_variants(&of);
            // A newer document has the same note, or it is about artefacts that are not neighbours
            // here.
            let is_told = |note: &Note| merged.notes.iter().any(|other| other.is_like(note));
            let is_wanted = |note: &Note| match note {
                Note::OtherWork { baseline, candidate, .. } => {
                    wanted.contains(&(*baseline, *candidate))
                }
                _ => true,
            };
            let note = note.filter(|note| !is_told(note) && is_wanted(note));
            merged.notes.extend(note);
        }
    }
}

/// The different artefacts, with the command and other labels from the experiments.
fn variants(lineage: &Lineage, benchmark: Option<&str>, documents: &[&Document]) -> Vec<Contender> {
    let mut told: HashMap<&ArtifactId, &Contender> = HashMap::new();
    for document in documents {
        for (digest, variant) in digests(document, benchmark).into_iter().zip(&document.variants) {
            if let Some(digest) = digest {
                told.entry(digest).or_insert(variant);
            }
        }
    }
    let first = documents.iter().find_map(|document| document.variants.first());
    let variant = |revision: usize| {
        let digest = &lineage.artifact(revision)?.id;
        let told = told.get(digest).copied();
        let revision = &lineage.revisions[revision];
        // The amount of work is that of the experiment that provided the figures.
        let (commit, id) = (revision.hash.clone(), digest.clone());
        let labels = Labels {
            parameters: Point::new(),
            artifact: Some(ArtifactLabel { commit, id, work: None }),
            benchmark: told.and_then(|variant| variant.labels.benchmark.clone()),
            layouts: told.map_or(0, |variant| variant.labels.layouts),
            copies: told.and_then(|variant| variant.labels.copies),
        };
        let name = name(&revision.hash, &revision.subject);
        Some(Contender {
            name: benchmark.map_or(name.clone(), |benchmark| of_benchmark(benchmark, &name)),
            command: told.or(first).map(|variant| variant.command.clone()).unwrap_or_default(),
            labels,
        })
    };
    lineage.variants().into_iter().filter_map(variant).collect()
}

/// Sets the amount of work that an artefact did in the experiment that provided its figures.
fn give_work(variant: &mut Contender, document: &Document) {
    let Some(own) = variant.labels.artifact.as_mut() else { return };
    let mut labels = document.variants.iter().map(|one| &one.labels);
    own.work = labels.find(|one| one.artifact_id() == Some(&own.id)).and_then(Labels::work);
}

/// The name of a commit in tables: its short hash and its subject.
pub fn name(hash: &str, subject: &str) -> String {
    format!("{} {subject}", short(hash))
}

pub(super) fn commits(lineage: &Lineage, index: &Index, merged: &Document) -> Vec<HistoryCommit> {
    let measured: HashSet<u32> = merged.summaries.iter().map(|part| part.variant).collect();
    let part = |number: usize| {
        let revision = &lineage.revisions[number];
        let first = lineage.representatives[number];
        let (build, reason) = match &revision.built {
            Ok(_) if first == Some(number) => (Build::Ok, None),
            Ok(_) => {
                let first = first.expect("what was built has a first one");
                (Build::SameAs(lineage.revisions[first].hash.clone()), None)
            }
            Err(unbuilt) if unbuilt.tried => (Build::Failed, Some(unbuilt.reason.clone())),
            Err(unbuilt) => (Build::Skipped, Some(unbuilt.reason.clone())),
        };
        HistoryCommit {
            hash: revision.hash.clone(),
            parent: revision.parent.clone(),
            subject: revision.subject.clone(),
            variant: index.variants[number].filter(|variant| measured.contains(variant)),
            equality_confirmed: lineage.artifact(number).and_then(|one| one.equality_confirmed),
            build,
            reason,
        }
    };
    (0..lineage.revisions.len()).map(part).collect()
}

/// The largest detectable change over the comparisons of neighbours, by metric.
fn detectable(merged: &Document) -> BTreeMap<MetricId, f64> {
    let mut detectable = BTreeMap::new();
    for answer in &merged.answers {
        let parts = of_candidate(&merged.comparisons, answer.candidate).iter();
        for part in parts.filter(|part| part.baseline == answer.baseline) {
            if let Some(change) = part.detectable {
                let worst: &mut f64 = detectable.entry(part.metric.clone()).or_insert(change);
                *worst = change.max(*worst);
            }
        }
    }
    detectable
}
