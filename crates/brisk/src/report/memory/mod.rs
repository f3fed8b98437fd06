//! Memory over time as people see it: the parts of the document, a sentence for each variant, a
//! chart on the terminal, and a graph.

pub mod chart;
pub mod graph;
mod growth;
pub mod page;
pub mod words;

use super::document::{CurvePart, Document, GrowthPart, VerdictPart};
use crate::run::curve::{PlacedCurve, Quantity};
use growth::{of_run, together};

/// Puts what was sampled into the document, judged.
pub fn put_in(document: &mut Document, curves: Vec<PlacedCurve>) {
    if curves.is_empty() {
        return;
    }
    let parts: Vec<CurvePart> = curves.into_iter().map(part).collect();
    document.memory_verdicts = Some(verdicts(&parts));
    document.memory_over_time = Some(parts);
}

fn part(PlacedCurve { variant, round, curve }: PlacedCurve) -> CurvePart {
    let verdict = curve.samples.as_ref().ok().and_then(of_run);
    let missing = curve.samples.as_ref().err().map(|missing| missing.0.to_string());
    let samples = curve.samples.unwrap_or_default();
    CurvePart {
        variant,
        round,
        source: curve.quantity,
        unit: "bytes".to_owned(),
        seconds: samples.seconds,
        bytes: samples.bytes,
        missing,
        verdict,
    }
}

fn verdicts(parts: &[CurvePart]) -> Vec<VerdictPart> {
    let mut found = Vec::new();
    let variants = parts.iter().map(|part| part.variant).max().unwrap_or(0);
    for variant in 0..=variants {
        for source in Quantity::ALL {
            let is_of = |part: &&CurvePart| part.variant == variant && part.source == source;
            let judged: Vec<(u32, GrowthPart)> = parts
                .iter()
                .filter(is_of)
                .filter_map(|part| Some((part.round, part.verdict.clone()?)))
                .collect();
            let rounds: Vec<GrowthPart> = judged.iter().map(|(_, part)| part.clone()).collect();
            found.extend(together(&rounds).map(|agreement| VerdictPart {
                variant,
                source,
                round: judged[agreement.chosen].0,
                agree: agreement.agree,
                rounds: rounds.len(),
                verdict: agreement.verdict,
            }));
        }
    }
    found
}

/// The curve of the round that stands for the others.
fn curve_of<'a>(document: &'a Document, verdict: &VerdictPart) -> Option<&'a CurvePart> {
    let is_it = |part: &&CurvePart| {
        (part.variant, part.source, part.round) == (verdict.variant, verdict.source, verdict.round)
    };
    document.memory_over_time.iter().flatten().find(is_it)
}
