//! The graph of memory over time.

use draw::points::{Across, Curve, PointFigure, PointPanel};
use draw::{Axis, Chart, Figure, Key};

use super::{curve_of, words};
use crate::picture;
use findings::{Document, MemoryVerdict, letter};
use model::metric::Unit;
use run::curve::Quantity;

/// The graph of all variants, one panel each, all with the same axes.
pub fn graph(document: &Document) -> Chart {
    let cpu = document.machine["cpu_model"].as_str().unwrap_or("an unknown processor");
    let date = ::words::date(document);
    let curves: Vec<Vec<Curve>> = (0..)
        .zip(&document.variants)
        .map(|(variant, _)| {
            verdicts_of(document, variant).filter_map(|one| curve(document, one)).collect()
        })
        .collect();
    let most = |of: fn(&(f64, f64)) -> f64| {
        curves.iter().flatten().flat_map(|curve| &curve.places).map(of).fold(0.0, f64::max)
    };
    let time = Axis::from_zero(most(|place| place.0), &picture::along(Unit::Seconds));
    let vertical = Axis::from_zero(most(|place| place.1), &picture::along(Unit::Bytes));
    let is_empty = curves.iter().flatten().all(|curve| curve.places.is_empty());
    let variants = (0..).zip(&document.variants).zip(curves).filter(|_| !is_empty);
    let panels = variants.map(|((variant, part), curves)| PointPanel {
        name: format!("{}  {}", letter(variant), part.name),
        note: String::new(),
        sentences: verdicts_of(document, variant).map(words::sentence).collect(),
        height: 170.0,
        vertical: vertical.clone(),
        spots: Vec::new(),
        names: Vec::new(),
        front: Vec::new(),
        references: Vec::new(),
        curves,
    });
    let figure =
        PointFigure { across: Across::Axis(time, "time".to_owned()), panels: panels.collect() };
    Chart {
        title: "Memory over time".to_owned(),
        subtitle: format!("separate runs, {cpu}, {date}"),
        description: description(document),
        figures: vec![Figure::Points(figure)],
        keys: vec![
            (Key::Line, Quantity::Resident.label()),
            (Key::Second, Quantity::LiveHeap.label()),
        ],
    }
}

fn description(document: &Document) -> String {
    let of_variant = |(variant, part): (u32, &findings::Contender)| {
        let sentences: Vec<String> = verdicts_of(document, variant).map(words::sentence).collect();
        format!("{}: {}.", part.name, sentences.join("; "))
    };
    (0..).zip(&document.variants).map(of_variant).collect::<Vec<_>>().join("\n")
}

fn verdicts_of(document: &Document, variant: u32) -> impl Iterator<Item = &MemoryVerdict> {
    let verdicts = document.memory_verdicts.iter().flatten();
    verdicts.filter(move |verdict| verdict.variant == variant)
}

fn curve(document: &Document, verdict: &MemoryVerdict) -> Option<Curve> {
    let part = curve_of(document, verdict)?;
    // A number without its counterpart becomes NaN, which is refused with the panel's name.
    let at = |numbers: &[f64], index: usize| numbers.get(index).copied().unwrap_or(f64::NAN);
    let count = part.seconds.len().max(part.bytes.len());
    let places = (0..count).map(|index| (at(&part.seconds, index), at(&part.bytes, index)));
    Some(Curve { is_second: verdict.source == Quantity::LiveHeap, places: places.collect() })
}
