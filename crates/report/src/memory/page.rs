//! Memory over time as part of a page: for each variant a chart, the figures and a sentence.

use std::rc::Rc;

use page::{Art, Block, Line, Page, Span, Tone, line};

use super::chart::{Frame, chart};
use super::{curve_of, words};
use findings::{Document, GrowthKind, MemoryCurve, MemoryVerdict, letter};
use run::curve::Quantity;

/// Wider charts show nothing more.
const MOST_COLUMNS: usize = 80;

/// Above this number of variants, sentences replace charts.
const MOST_CHARTS: usize = 6;

/// Adds the sampled memory, if any.
pub fn add(page: &mut Page, document: &Document) {
    let Some(curves) = &document.memory_over_time else { return };
    let verdicts = document.memory_verdicts.as_deref().unwrap_or_default();
    for (variant, part) in (0..).zip(&document.variants) {
        let name = Span::code(part.name.clone());
        page.push(Block::Heading(line![letter(variant), "  memory over time of ", name]));
        for source in Quantity::ALL {
            let is_it = |part: &&MemoryVerdict| part.variant == variant && part.source == source;
            match verdicts.iter().find(is_it) {
                Some(verdict) => add_verdict(page, document, verdict),
                None => page.sentences(missing(curves, variant, source)),
            }
        }
    }
}

fn add_verdict(page: &mut Page, document: &Document, part: &MemoryVerdict) {
    let name = line![part.source.label(), ": ", words::figures(&part.verdict)];
    let curve = curve_of(document, part).filter(|_| document.variants.len() <= MOST_CHARTS);
    match curve {
        Some(curve) => page.push(Block::Art(art(document, part, curve, name))),
        None => page.push(Block::Sentence(name.toned(Tone::Quiet))),
    }
    let is_leak = part.verdict.kind == GrowthKind::Proportional
        && part.verdict.slope.is_some_and(|slope| slope.low > 0.0);
    let tone = if is_leak { Tone::Bad } else { Tone::Plain };
    page.push(Block::Sentence(Line::from(words::sentence(part)).toned(tone)));
}

fn art(document: &Document, part: &MemoryVerdict, curve: &MemoryCurve, name: Line) -> Art {
    let of_variant = document.memory_over_time.iter().flatten();
    let of_variant = of_variant.filter(|other| other.variant == part.variant);
    // Both quantities of a variant share a scale of time.
    let seconds = of_variant.filter_map(|other| other.seconds.last()).copied().fold(0.0, f64::max);
    let rows = if part.source == Quantity::Resident { 6 } else { 4 };
    let bytes = curve.bytes.iter().copied().fold(0.0, f64::max);
    let (times, amounts) = (curve.seconds.clone(), curve.bytes.clone());
    let draw = move |columns: usize| {
        let frame = Frame { rows, columns: columns.min(MOST_COLUMNS), seconds, bytes };
        chart(&times, &amounts, frame)
    };
    Art { name, draw: Rc::new(draw) }
}

/// The reason for a missing curve, if it was requested.
fn missing(curves: &[MemoryCurve], variant: u32, source: Quantity) -> Option<Line> {
    let is_it = |part: &&MemoryCurve| part.variant == variant && part.source == source;
    let reason = curves.iter().find(is_it)?.missing.clone()?;
    Some(line![source.label(), ": missing (", reason, ")"].toned(Tone::Quiet))
}
