//! Memory over time for people: the parts of the document, a sentence for each variant, a chart on
//! the terminal, and a graph.

pub mod chart;
pub mod graph;
mod growth;
pub mod page;
pub mod words;

use stats::growth::{Growth, agreement};

use findings::{Document, MemoryCurve, MemoryVerdict};
use run::curve::{PlacedCurve, Quantity};

/// Puts the samples into the document, with verdicts.
pub fn put_in(document: &mut Document, curves: Vec<PlacedCurve>) {
    if curves.is_empty() {
        return;
    }
    let judged: Vec<Judged> = curves.into_iter().map(judged).collect();
    document.memory_verdicts = Some(verdicts(&judged));
    document.memory_over_time = Some(judged.into_iter().map(|(part, _)| part).collect());
}

/// A curve with its growth.
type Judged = (MemoryCurve, Option<Growth>);

fn judged(PlacedCurve { variant, round, curve }: PlacedCurve) -> Judged {
    let missing = curve.samples.as_ref().err().map(|missing| missing.0.to_string());
    let samples = curve.samples.unwrap_or_default();
    let found = stats::growth::growth(&samples.seconds, &samples.bytes).ok();
    let part = MemoryCurve {
        variant,
        round,
        source: curve.quantity,
        unit: "bytes".to_owned(),
        verdict: found.as_ref().map(|found| growth::part(found, &samples)),
        seconds: samples.seconds,
        bytes: samples.bytes,
        missing,
    };
    (part, found)
}

fn verdicts(all: &[Judged]) -> Vec<MemoryVerdict> {
    let mut found = Vec::new();
    let variants = all.iter().map(|(part, _)| part.variant).max().unwrap_or(0);
    for variant in 0..=variants {
        for source in Quantity::ALL {
            let own =
                all.iter().filter(|(part, _)| (part.variant, part.source) == (variant, source));
            let own = own.filter_map(|(part, found)| Some((part, found.clone()?)));
            let (parts, rounds): (Vec<&MemoryCurve>, Vec<Growth>) = own.unzip();
            found.extend(agreement(&rounds).and_then(|agreement| {
                let chosen = parts[agreement.chosen];
                let verdict = growth::together(&agreement, chosen.verdict.as_ref()?);
                let (round, agree) = (chosen.round, agreement.agree);
                Some(MemoryVerdict { variant, source, round, agree, rounds: rounds.len(), verdict })
            }));
        }
    }
    found
}

/// The curve of the representative round.
fn curve_of<'a>(document: &'a Document, verdict: &MemoryVerdict) -> Option<&'a MemoryCurve> {
    let is_it = |part: &&MemoryCurve| {
        (part.variant, part.source, part.round) == (verdict.variant, verdict.source, verdict.round)
    };
    document.memory_over_time.iter().flatten().find(is_it)
}
