//! The history of a suite as one document of all benchmarks, and as one document of each.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::{
    Answer, BenchmarkHistory, ComparedPair, Contender, Document, Drift, MetricSummary,
    MissingValues, Step,
};

/// The lists of a document that belong to the benchmark; variants are numbered from 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "they are those of the document")]
pub struct BenchmarkFigures {
    pub variants: Vec<Contender>,
    pub summaries: Vec<MetricSummary>,
    pub missing: Vec<MissingValues>,
    pub comparisons: Vec<ComparedPair>,
    pub answers: Vec<Answer>,
    pub steps: Vec<Step>,
    pub drifts: Vec<Drift>,
}

impl BenchmarkFigures {
    /// Takes the figures out of a document.
    pub fn take(document: &mut Document) -> Self {
        use std::mem::take;
        let history = document.history_mut();
        let (steps, drifts) = history
            .map(|history| (take(&mut history.steps), take(&mut history.drifts)))
            .unwrap_or_default();
        Self {
            variants: take(&mut document.variants),
            summaries: take(&mut document.summaries),
            missing: take(&mut document.missing),
            comparisons: take(&mut document.comparisons),
            answers: take(&mut document.answers),
            steps,
            drifts,
        }
    }

    /// Puts the figures into a document without any.
    pub fn put_in(self, document: &mut Document) {
        document.variants = self.variants;
        document.summaries = self.summaries;
        document.missing = self.missing;
        document.comparisons = self.comparisons;
        document.answers = self.answers;
        if let Some(history) = document.history_mut() {
            (history.steps, history.drifts) = (self.steps, self.drifts);
        }
    }

    /// The number of variants.
    pub fn count(&self) -> u32 {
        u32::try_from(self.variants.len()).expect("at most 2^20 variants")
    }

    /// Sets the benchmark of the changes.
    pub fn name(&mut self, benchmark: Option<&String>) {
        self.steps.iter_mut().for_each(|step| step.benchmark = benchmark.cloned());
        self.drifts.iter_mut().for_each(|drift| drift.benchmark = benchmark.cloned());
    }

    /// Appends another benchmark's figures.
    pub fn append(&mut self, other: Self) {
        let first = self.count();
        self.variants.extend(other.variants);
        self.summaries.extend(
            other.summaries.into_iter().map(|p| MetricSummary { variant: p.variant + first, ..p }),
        );
        self.missing.extend(
            other.missing.into_iter().map(|p| MissingValues { variant: p.variant + first, ..p }),
        );
        self.comparisons.extend(other.comparisons.into_iter().map(|p| ComparedPair {
            baseline: p.baseline + first,
            candidate: p.candidate + first,
            ..p
        }));
        self.answers.extend(other.answers.into_iter().map(|p| Answer {
            baseline: p.baseline + first,
            candidate: p.candidate + first,
            ..p
        }));
        self.steps.extend(other.steps);
        self.drifts.extend(other.drifts);
    }
}

/// The history of each benchmark as a separate document.
pub fn each(whole: &Document) -> Cow<'_, [Document]> {
    let variants = whole.commits().iter().map(|commit| commit.variant);
    if let [only] = whole.histories()
        && variants.eq(only.variants.iter().copied())
    {
        return Cow::Borrowed(std::slice::from_ref(whole));
    }
    let (mut frame, all) = apart(whole.clone());
    let firsts = frame.first_variants();
    let histories = frame.take_histories();
    let places = histories.iter().zip(firsts).zip(all);
    let documents = places.map(|((history, first), figures)| own(&frame, history, first, figures));
    Cow::Owned(documents.collect())
}

/// A document without its benchmarks' figures, and those of each; empty for a command's history.
pub fn apart(mut whole: Document) -> (Document, Vec<BenchmarkFigures>) {
    let mut parts = vec![BenchmarkFigures::default(); whole.histories().len()];
    if parts.is_empty() {
        return (whole, parts);
    }
    let firsts = whole.first_variants();
    let seat = |variant: u32| {
        let place = firsts.partition_point(|first| *first <= variant) - 1;
        (place, variant - firsts[place])
    };
    let all = BenchmarkFigures::take(&mut whole);
    for (variant, part) in (0..).zip(all.variants) {
        parts[seat(variant).0].variants.push(part);
    }
    for part in all.summaries {
        let (place, variant) = seat(part.variant);
        parts[place].summaries.push(MetricSummary { variant, ..part });
    }
    for part in all.missing {
        let (place, variant) = seat(part.variant);
        parts[place].missing.push(MissingValues { variant, ..part });
    }
    for part in all.comparisons {
        let ((place, baseline), (_, candidate)) = (seat(part.baseline), seat(part.candidate));
        parts[place].comparisons.push(ComparedPair { baseline, candidate, ..part });
    }
    for part in all.answers {
        let ((place, baseline), (_, candidate)) = (seat(part.baseline), seat(part.candidate));
        parts[place].answers.push(Answer { baseline, candidate, ..part });
    }
    let places: HashMap<&str, usize> = (whole.histories().iter().enumerate())
        .map(|(place, history)| (history.benchmark.as_str(), place))
        .collect();
    let place = |benchmark: &Option<String>| places.get(benchmark.as_deref()?).copied();
    for step in all.steps {
        if let Some(place) = place(&step.benchmark) {
            parts[place].steps.push(step);
        }
    }
    for drift in all.drifts {
        if let Some(place) = place(&drift.benchmark) {
            parts[place].drifts.push(drift);
        }
    }
    (whole, parts)
}

/// Puts the parts from [`apart`] together again.
pub fn together(mut frame: Document, all: Vec<BenchmarkFigures>) -> Document {
    if all.is_empty() {
        return frame;
    }
    let mut whole = BenchmarkFigures::default();
    for figures in all {
        whole.append(figures);
    }
    let commits = frame.commits().iter().enumerate();
    let places: HashMap<&str, usize> =
        commits.map(|(place, commit)| (commit.hash.as_str(), place)).collect();
    whole.steps.sort_by_key(|step| places.get(step.commit.as_str()).copied());
    whole.put_in(&mut frame);
    frame
}

/// A benchmark's history as a separate document: `history` is its part of the whole, in which its
/// first variant has the number `first`. The frame needs no histories.
pub fn own(
    frame: &Document,
    history: &BenchmarkHistory,
    first: u32,
    figures: BenchmarkFigures,
) -> Document {
    let mut own = frame.clone();
    let variants: Vec<Option<u32>> =
        history.variants.iter().map(|variant| Some((*variant)? - first)).collect();
    if let Some(found) = own.history_mut() {
        let commits = found.commits.iter_mut().zip(&variants);
        commits.for_each(|(commit, variant)| commit.variant = *variant);
        found.histories = vec![BenchmarkHistory { variants, ..history.clone() }];
    }
    own.notes.clear();
    own.detectable.clear();
    figures.put_in(&mut own);
    own
}
