//! Memory over time for people: the parts of the document, a sentence for each variant, a chart on
//! the terminal, and a graph.

pub mod chart;
pub mod graph;
pub mod page;
pub mod words;

use findings::{Document, MemoryCurve, MemoryVerdict};

/// The curve of the representative round.
fn curve_of<'a>(document: &'a Document, verdict: &MemoryVerdict) -> Option<&'a MemoryCurve> {
    let is_it = |part: &&MemoryCurve| {
        (part.variant, part.source, part.round) == (verdict.variant, verdict.source, verdict.round)
    };
    document.memory_over_time.iter().flatten().find(is_it)
}
