//! Memory over time on a terminal: for each variant a chart, the figures and a sentence.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::chart::{Frame, chart};
use super::{curve_of, words};
use crate::report::document::{CurvePart, Document, GrowthKind, VerdictPart, letter};
use crate::report::terminal::wrap;
use crate::run::curve::Quantity;

const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// Wider charts say no more.
const MOST_COLUMNS: usize = 80;

/// Above this many variants there are sentences and no charts.
const MOST_CHARTS: usize = 6;

/// The section, for a terminal so many columns wide; nothing where nobody asked for it.
pub fn render(document: &Document, columns: usize) -> String {
    let mut text = String::new();
    let Some(curves) = &document.memory_over_time else { return text };
    let verdicts = document.memory_verdicts.as_deref().unwrap_or_default();
    for (variant, part) in (0..).zip(&document.variants) {
        let name = part.name.replace('\n', " ");
        let heading = format!("{}  memory over time of {name}", letter(variant));
        let heading = crate::report::table::shorten(&heading, columns.max(20));
        let _ = writeln!(text, "{STRONG}{heading}{STRONG:#}");
        for source in Quantity::ALL {
            let is_it = |part: &&VerdictPart| part.variant == variant && part.source == source;
            match verdicts.iter().find(is_it) {
                Some(verdict) => {
                    let has_chart = document.variants.len() <= MOST_CHARTS;
                    section(&mut text, document, verdict, has_chart, columns);
                }
                None => missing(&mut text, curves, variant, source, columns),
            }
        }
        text.push('\n');
    }
    text
}

fn section(
    text: &mut String,
    document: &Document,
    part: &VerdictPart,
    has_chart: bool,
    columns: usize,
) {
    let (what, figures) = (part.source.label(), words::figures(&part.verdict));
    let _ = writeln!(text, "{QUIET}{what}: {figures}{QUIET:#}");
    if let Some(curve) = curve_of(document, part).filter(|_| has_chart) {
        let of_variant = document.memory_over_time.iter().flatten();
        let of_variant = of_variant.filter(|other| other.variant == part.variant);
        // Both quantities of a variant have the same scale of time.
        let seconds = of_variant.filter_map(|other| other.seconds.last()).copied();
        let frame = Frame {
            rows: if part.source == Quantity::Resident { 6 } else { 4 },
            columns: columns.min(MOST_COLUMNS),
            seconds: seconds.fold(0.0, f64::max),
            bytes: curve.bytes.iter().copied().fold(0.0, f64::max),
        };
        for line in chart(&curve.seconds, &curve.bytes, frame) {
            let _ = writeln!(text, "{line}");
        }
    }
    let is_leak = part.verdict.kind == GrowthKind::Proportional
        && part.verdict.slope.is_some_and(|slope| slope.low > 0.0);
    let style = if is_leak { AnsiColor::Red.on_default().bold() } else { Style::new() };
    for line in wrap(&words::sentence(part), columns) {
        let _ = writeln!(text, "{style}{line}{style:#}");
    }
}

/// Why there is no such curve, where one was to be.
fn missing(
    text: &mut String,
    curves: &[CurvePart],
    variant: u32,
    source: Quantity,
    columns: usize,
) {
    let is_it = |part: &&CurvePart| part.variant == variant && part.source == source;
    let Some(reason) = curves.iter().find(is_it).and_then(|part| part.missing.as_ref()) else {
        return;
    };
    for line in wrap(&format!("{}: missing ({reason})", source.label()), columns) {
        let _ = writeln!(text, "{QUIET}{line}{QUIET:#}");
    }
}
