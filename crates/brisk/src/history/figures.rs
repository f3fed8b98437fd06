//! The measurements of one benchmark in a history: the parts of its document that grow with the
//! commits.

use serde::{Deserialize, Serialize};

use crate::report::document::{
    AnswerPart, ComparisonPart, Contender, Document, DriftPart, MissingPart, StepPart, SummaryPart,
};

/// The lists of a document that belong to the benchmark; variants are numbered from 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "they are those of the document")]
pub struct BenchmarkFigures {
    pub variants: Vec<Contender>,
    pub summaries: Vec<SummaryPart>,
    pub missing: Vec<MissingPart>,
    pub comparisons: Vec<ComparisonPart>,
    pub answers: Vec<AnswerPart>,
    pub steps: Vec<StepPart>,
    pub drifts: Vec<DriftPart>,
}

impl BenchmarkFigures {
    /// Takes the figures out of a document.
    pub fn take(document: &mut Document) -> Self {
        use std::mem::take;
        Self {
            variants: take(&mut document.variants),
            summaries: take(&mut document.summaries),
            missing: take(&mut document.missing),
            comparisons: take(&mut document.comparisons),
            answers: take(&mut document.answers),
            steps: document.steps.take().unwrap_or_default(),
            drifts: document.drifts.take().unwrap_or_default(),
        }
    }

    /// Puts the figures into a document without any.
    pub fn put_in(self, document: &mut Document) {
        document.variants = self.variants;
        document.summaries = self.summaries;
        document.missing = self.missing;
        document.comparisons = self.comparisons;
        document.answers = self.answers;
        document.steps = Some(self.steps);
        document.drifts = Some(self.drifts);
    }

    /// The number of variants.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.variants.len()).expect("at most 2^20 variants")
    }

    /// Sets the benchmark of the changes.
    pub(super) fn name(&mut self, benchmark: Option<&String>) {
        self.steps.iter_mut().for_each(|step| step.benchmark = benchmark.cloned());
        self.drifts.iter_mut().for_each(|drift| drift.benchmark = benchmark.cloned());
    }

    /// Appends another benchmark's figures.
    pub(super) fn append(&mut self, other: Self) {
        let first = self.count();
        self.variants.extend(other.variants);
        self.summaries.extend(
            other.summaries.into_iter().map(|p| SummaryPart { variant: p.variant + first, ..p }),
        );
        self.missing.extend(
            other.missing.into_iter().map(|p| MissingPart { variant: p.variant + first, ..p }),
        );
        self.comparisons.extend(other.comparisons.into_iter().map(|p| ComparisonPart {
            baseline: p.baseline + first,
            candidate: p.candidate + first,
            ..p
        }));
        self.answers.extend(other.answers.into_iter().map(|p| AnswerPart {
            baseline: p.baseline + first,
            candidate: p.candidate + first,
            ..p
        }));
        self.steps.extend(other.steps);
        self.drifts.extend(other.drifts);
    }
}
