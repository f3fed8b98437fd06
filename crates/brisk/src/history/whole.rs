//! The strands of a suite as one document, and each of them taken out of it again.

use super::lineage::Lineage;
use super::merge::{self, Index};
use super::strands::{Listings, Strand};
use crate::metric::{MetricId, REGISTRY};
use crate::report::document::{
    AbsencePart, BenchmarkHistoryPart, CommitPart, Document, HistoryPart, StepPart,
};

/// One document of all strands of a lineage. `documents` are those of the experiments, the newest
/// first. None where there is none.
pub fn document(
    lineage: &Lineage,
    strands: &[Strand],
    listings: &Listings,
    documents: &[&Document],
    history: &HistoryPart,
) -> Option<Document> {
    let of = |strand: &Strand| {
        let benchmark = strand.benchmark.as_deref();
        merge::document(&strand.lineage, benchmark, documents, history.clone())
    };
    if let [only] = strands
        && only.benchmark.is_none()
    {
        return of(only);
    }
    let mut whole = Document { history: Some(history.clone()), ..(*documents.first()?).clone() };
    clear(&mut whole);
    whole.commits = Some(commits(lineage, listings, &whole));
    let (mut steps, mut drifts) = (Vec::new(), Vec::new());
    for strand in strands {
        let mut own = of(strand)?;
        steps.extend(own.steps.take().unwrap_or_default().into_iter().map(|step| {
            let benchmark = strand.benchmark.clone();
            StepPart { benchmark, ..step }
        }));
        for mut drift in own.drifts.take().unwrap_or_default() {
            drift.benchmark.clone_from(&strand.benchmark);
            drifts.push(drift);
        }
        let first = u32::try_from(whole.variants.len()).expect("at most 2^20 variants");
        whole.histories.push(history_of(strand, &own, first));
        append(&mut whole, own, first);
    }
    let place = |hash: &str| lineage.revisions.iter().position(|one| one.hash == hash);
    steps.sort_by_key(|step: &StepPart| place(&step.commit));
    (whole.steps, whole.drifts) = (Some(steps), Some(drifts));
    Some(whole)
}

fn clear(whole: &mut Document) {
    whole.variants.clear();
    whole.summaries.clear();
    whole.missing.clear();
    whole.comparisons.clear();
    whole.answers.clear();
    whole.notes.clear();
    whole.detectable.clear();
}

/// What became of each commit: of a suite that does not say what it has, why.
fn commits(lineage: &Lineage, listings: &Listings, nothing: &Document) -> Vec<CommitPart> {
    let mut commits = merge::commits(lineage, &Index::new(lineage), nothing);
    for (place, commit) in commits.iter_mut().enumerate() {
        let listing = lineage.artifact(place).and_then(|one| listings.get(&one.digest));
        if let Some(Err(reason)) = listing {
            commit.reason = Some(reason.clone());
        }
    }
    commits
}

fn history_of(strand: &Strand, own: &Document, first: u32) -> BenchmarkHistoryPart {
    let commits = own.commits.as_deref().unwrap_or_default();
    let absence = |(place, why): &(usize, _)| AbsencePart {
        commit: commits[*place].hash.clone(),
        why: Clone::clone(why),
    };
    BenchmarkHistoryPart {
        benchmark: strand.benchmark.clone().unwrap_or_default(),
        variants: commits.iter().map(|one| Some(first + one.variant?)).collect(),
        absences: strand.absences.iter().map(absence).collect(),
    }
}

/// Adds a strand's document to the whole, where its first variant has this number.
fn append(whole: &mut Document, own: Document, first: u32) {
    whole.variants.extend(own.variants);
    for mut part in own.summaries {
        part.variant += first;
        whole.summaries.push(part);
    }
    for mut part in own.missing {
        part.variant += first;
        whole.missing.push(part);
    }
    for mut part in own.comparisons {
        (part.baseline, part.candidate) = (part.baseline + first, part.candidate + first);
        whole.comparisons.push(part);
    }
    for mut answer in own.answers {
        (answer.baseline, answer.candidate) = (answer.baseline + first, answer.candidate + first);
        whole.answers.push(answer);
    }
    for note in own.notes {
        let note = note.of_variants(&|variant| Some(variant + first));
        let is_told = |note: &_| whole.notes.iter().any(|other| other.is_like(note));
        let note = note.filter(|note| !is_told(note));
        whole.notes.extend(note);
    }
    for (metric, change) in own.detectable {
        let worst = whole.detectable.entry(metric).or_insert(change);
        *worst = change.max(*worst);
    }
}

/// The history of one benchmark, as if nothing else had been measured: by its place among the
/// histories of the document.
pub fn one(document: &Document, place: usize) -> Document {
    let history = &document.histories[place];
    let mut own = Document { histories: Vec::new(), ..document.clone() };
    let mut kept: Vec<u32> = history.variants.iter().flatten().copied().collect();
    kept.sort_unstable();
    kept.dedup();
    let number = |variant: u32| kept.binary_search(&variant).ok().map(|at| at as u32);
    own.variants =
        kept.iter().map(|&variant| document.variants[variant as usize].clone()).collect();
    own.summaries.retain_mut(|part| moved(&mut part.variant, &number));
    own.missing.retain_mut(|part| moved(&mut part.variant, &number));
    own.comparisons.retain_mut(|part| {
        moved(&mut part.baseline, &number) && moved(&mut part.candidate, &number)
    });
    own.answers.retain_mut(|part| {
        moved(&mut part.baseline, &number) && moved(&mut part.candidate, &number)
    });
    own.notes = document.notes.iter().filter_map(|n| n.clone().of_variants(&number)).collect();
    let order = |id: &MetricId| REGISTRY.iter().position(|metric| metric.id == *id);
    own.summaries.sort_by_key(|part| (part.variant, order(&part.metric)));
    let name = Some(&history.benchmark);
    own.steps.iter_mut().for_each(|steps| steps.retain(|step| step.benchmark.as_ref() == name));
    own.drifts.iter_mut().for_each(|all| all.retain(|drift| drift.benchmark.as_ref() == name));
    let commits = own.commits.iter_mut().flatten().zip(&history.variants);
    commits.for_each(|(commit, variant)| commit.variant = variant.and_then(number));
    own
}

/// Gives a variant its number, if it has one.
fn moved(variant: &mut u32, number: &impl Fn(u32) -> Option<u32>) -> bool {
    number(*variant).map(|number| *variant = number).is_some()
}
