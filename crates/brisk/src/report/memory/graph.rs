//! Memory over time as the graph draws it.

use super::{curve_of, words};
use crate::report::document::{Document, VerdictPart, letter};
use crate::report::graph::curves::{CurveGraph, CurvePanel, DrawnCurve};
use crate::run::curve::Quantity;

/// The graph of all variants.
pub fn graph(document: &Document) -> CurveGraph {
    let cpu = document.machine["cpu_model"].as_str().unwrap_or("an unknown processor");
    let date = crate::report::words::date(document);
    let panels = (0..).zip(&document.variants).map(|(variant, part)| CurvePanel {
        name: format!("{}  {}", letter(variant), part.name),
        sentences: of(document, variant).map(words::sentence).collect(),
        curves: of(document, variant).filter_map(|verdict| drawn(document, verdict)).collect(),
    });
    CurveGraph {
        title: "Memory over time".to_owned(),
        subtitle: format!("separate runs, {cpu}, {date}"),
        panels: panels.collect(),
    }
}

fn of(document: &Document, variant: u32) -> impl Iterator<Item = &VerdictPart> {
    let verdicts = document.memory_verdicts.iter().flatten();
    verdicts.filter(move |verdict| verdict.variant == variant)
}

fn drawn(document: &Document, verdict: &VerdictPart) -> Option<DrawnCurve> {
    let curve = curve_of(document, verdict)?;
    Some(DrawnCurve {
        name: verdict.source.label().to_owned(),
        is_second: verdict.source == Quantity::LiveHeap,
        seconds: curve.seconds.clone(),
        bytes: curve.bytes.clone(),
    })
}
