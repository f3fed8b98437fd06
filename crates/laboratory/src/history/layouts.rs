//! The sides of steps, linked in many orders and measured together: evidence about changes that are
//! due to the placement of code by the linker.

use std::collections::{BTreeMap, BTreeSet};

use super::effort::Effort;
use super::measuring::Measuring;
use super::question::Question;
use crate::history::lineage::{Artifact, Lineage, Revision, Unbuilt};
use findings::{ComparedPair, Document, LayoutSpread, Step, of_candidate};
use model::failure::Failure;
use model::metric::{MetricId, Source};
use model::note::OverLayouts;

/// The artefact of each side, linked in layouts, or the reason that it is missing.
pub(super) type Built = BTreeMap<usize, Result<Artifact, String>>;

/// The measurements of commits that were linked in many orders.
pub(super) struct InLayouts {
    built: Built,
    /// None if all layouts of all of them are one program.
    measured: Option<Result<Box<Document>, String>>,
}

impl InLayouts {
    /// Links the sides of these pairs again, and measures them together.
    pub(super) fn new(
        question: &Question<'_>,
        measuring: &mut Measuring<'_, '_>,
        lineage: &Lineage,
        pairs: &BTreeSet<(usize, usize)>,
    ) -> Result<Self, Failure> {
        let numbers: BTreeSet<usize> = pairs.iter().flat_map(|&(from, to)| [from, to]).collect();
        let benchmarks = measuring.document(lineage)?.histories().len().max(1);
        let layouts = question.layouts(pairs.len() * benchmarks)?;
        let built = question.build_in_layouts(lineage, &numbers, layouts)?;
        let linked = in_layouts(lineage, pairs, &built);
        measuring.aim(Effort::Layouts { layouts });
        let measured = match linked.variants().len() {
            0 | 1 => Ok(None),
            _ => measure(measuring, &linked),
        };
        measuring.aim(Effort::History);
        Ok(Self { built, measured: measured? })
    }

    /// The change of a step over the layouts of its sides.
    ///
    /// # Errors
    ///
    /// The reason that it is unknown, for people.
    pub(super) fn of_step(
        &self,
        step: &Step,
        (from, to): (usize, usize),
    ) -> Result<OverLayouts, String> {
        let unbuilt = [from, to].map(|side| self.built[&side].as_ref().err());
        if let Some(reason) = unbuilt.into_iter().flatten().next() {
            return Err(reason.clone());
        }
        let document = match &self.measured {
            Some(Ok(document)) => document,
            Some(Err(reason)) => return Err(reason.clone()),
            None => return Err("both sides are the same program in all layouts".to_owned()),
        };
        let part = comparison(document, step, &step.metric, Some(step.source))
            .ok_or("they could not be compared in other layouts")?;
        let spread = |variant: u32| {
            let part = document.summary(variant, &step.metric, step.source);
            part.and_then(|part| part.layouts)
        };
        let spreads = [part.baseline, part.candidate].into_iter().filter_map(spread);
        let most = |figure: fn(&LayoutSpread) -> f64| {
            spreads.clone().map(|one| figure(&one)).reduce(f64::max)
        };
        let noises: Vec<f64> = spreads.clone().map(|spread| spread.noise).collect();
        Ok(OverLayouts {
            layouts: document.variants[part.candidate as usize].labels.layouts,
            over_layouts: part.ratio,
            low: part.low,
            high: part.high,
            sd: most(|spread| spread.sd),
            noise_sd: stats::layouts::noise_per_side(&noises),
        })
    }
}

/// The comparison of a step's two sides in a metric, from this source or from any.
pub(super) fn comparison<'a>(
    document: &'a Document,
    step: &Step,
    metric: &MetricId,
    source: Option<Source>,
) -> Option<&'a ComparedPair> {
    let variant = |hash: &str| document.variant_of(hash, step.benchmark.as_deref());
    let (baseline, candidate) = (variant(&step.from)?, variant(&step.commit)?);
    of_candidate(&document.comparisons, candidate).iter().find(|part| {
        part.baseline == baseline
            && part.metric == *metric
            && source.is_none_or(|source| part.source == source)
    })
}

/// The sides of the pairs. Pairs are independent unless they share a side.
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

/// Measures them. A program that does not run in some layout does not affect the other findings.
fn measure(
    measuring: &mut Measuring<'_, '_>,
    linked: &Lineage,
) -> Result<Option<Result<Box<Document>, String>>, Failure> {
    let measured = measuring.measure(linked).and_then(|()| measuring.document(linked));
    match measured {
        Ok(document) => Ok(Some(Ok(Box::new(document)))),
        Err(failure) if measure::interrupt::requested() => Err(failure),
        Err(failure) => Ok(Some(Err(failure.error().to_owned()))),
    }
}
