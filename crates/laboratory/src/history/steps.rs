//! The commits that changed something.
//!
//! A step is a commit whose ratio to the one before it is certainly not 1, and differs by more than
//! the margin according to the estimate: the existence of a change and its relevance are two
//! questions, and a history asks both. Changes below the margin at every commit that still add up
//! are a drift.

use super::lineage::Lineage;
use super::merge::Index;
use findings::{ComparedPair, Confirmation, Document, Drift, Step};

/// The steps, in the order of the commits. `document` has every comparison of the lineage; `index`
/// maps artefacts to variants.
pub fn steps(lineage: &Lineage, index: &Index, document: &Document) -> Vec<Step> {
    let mut steps = Vec::new();
    for (number, &baseline) in lineage.baselines.iter().enumerate() {
        let Some(baseline) = baseline else { continue };
        let Some(pair) = index.pair(baseline, number) else { continue };
        let sides = [baseline, number].map(|side| lineage.artifact(side));
        let clean = sides.iter().flatten().all(|artifact| artifact.clean);
        steps.extend(matter(document, pair).map(|part| Step {
            commit: lineage.revisions[number].hash.clone(),
            from: lineage.revisions[baseline].hash.clone(),
            benchmark: None,
            metric: part.metric.clone(),
            source: part.source,
            ratio: part.ratio,
            difference: part.difference,
            low: part.low,
            high: part.high,
            verdict: part.verdict,
            machine: part.machine.clone(),
            confirmed: if clean { Confirmation::CleanBuilds } else { Confirmation::Unchecked },
            origin: None,
            instructions_ratio: None,
            layouts: None,
            core_difference: None,
            instructions: None,
        }));
    }
    steps
}

/// The spans that changed without a step in the same metric between their ends.
pub fn drifts(lineage: &Lineage, index: &Index, document: &Document, steps: &[Step]) -> Vec<Drift> {
    let mut drifts: Vec<Drift> = Vec::new();
    for (first, last) in lineage.spans() {
        let Some(pair) = index.pair(first, last) else { continue };
        for part in matter(document, pair) {
            let is_explained = steps.iter().any(|step| {
                let at = lineage.number(&step.commit);
                step.metric == part.metric && at.is_some_and(|at| first < at && at <= last)
            });
            // The whole line comes last, and adds nothing if a part of it has the drift.
            let is_told = drifts.iter().any(|drift| drift.metric == part.metric);
            let is_whole = lineage.variants().first() == Some(&first) && is_told;
            if !is_explained && !is_whole {
                drifts.push(Drift {
                    from: lineage.revisions[first].hash.clone(),
                    to: lineage.revisions[last].hash.clone(),
                    benchmark: None,
                    metric: part.metric.clone(),
                    source: part.source,
                    ratio: part.ratio,
                    difference: part.difference,
                    low: part.low,
                    high: part.high,
                    verdict: part.verdict,
                    machine: part.machine.clone(),
                });
            }
        }
    }
    drifts
}

/// The comparisons of a pair that found a change larger than the margin.
fn matter(document: &Document, pair: (u32, u32)) -> impl Iterator<Item = &ComparedPair> {
    let margin = document.experiment.margin.log();
    let parts = findings::of_candidate(&document.comparisons, pair.1);
    parts.iter().filter(move |part| {
        part.baseline == pair.0 && part.verdict.is_change() && part.ratio.ln().abs() > margin
    })
}
