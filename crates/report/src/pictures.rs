//! The pictures of a report, for `--export-svg` and for pages.

mod costs;
mod doctor;
mod flame;
mod orders;
mod ratios;
mod runs;

use std::io;

use draw::{Chart, DrawError, Scene};

use super::export::Shown;
use super::json::Runs;
use super::{history, memory, sweep};
use findings::Document;
use findings::inspection::Found;
use model::metric::{MetricId, WALL_TIME};

pub use flame::flame;
pub use runs::{Readings, chart_of as runs_of};

/// The charts of a document, starting with the main subject of its kind; empty if nothing was
/// measured.
///
/// # Errors
///
/// When the runs cannot be read.
pub fn charts(document: &Document, runs: &mut Runs<'_>) -> io::Result<Vec<Chart>> {
    let comparison = |runs: &mut Runs<'_>| -> io::Result<Vec<Chart>> {
        let ratios = ratios::chart(document);
        if document.suite().is_some() {
            return Ok(ratios.into_iter().chain(orders::chart(document)).collect());
        }
        let wanted = [deciding(document)];
        let readings = Readings::from_runs(document, &wanted, runs)?;
        let all: Vec<u32> = (0_u32..).zip(&document.variants).map(|(number, _)| number).collect();
        let runs = runs::chart_of(document, &readings, &wanted[0], &all);
        Ok(runs.into_iter().chain(ratios).collect())
    };
    Ok(match Shown::of_document(document) {
        Shown::History | Shown::Series => vec![history::graph::graph(document)],
        Shown::Sweep => sweep::figures::chart(document).into_iter().collect(),
        Shown::MemoryOverTime => {
            let mut charts = vec![memory::graph(document)];
            charts.extend(comparison(runs)?);
            charts
        }
        Shown::Comparison => comparison(runs)?,
        Shown::Inspection => Vec::new(),
    })
}

/// The picture of an inspection's result; `None` if there is too little to draw.
pub fn of_found(found: &Found) -> Option<Result<Scene, DrawError>> {
    let chart = match found {
        Found::Instructions(part) => return flame(part).map(|flame| flame.scene()),
        Found::Doctor(part) => doctor::chart(part),
        Found::Explanation(part) => costs::of_explanation(part),
        Found::CoreDifference(part) => costs::of_difference(part),
        Found::Lisp(part) => costs::of_lisp(part),
    };
    chart.map(|chart| chart.scene())
}

/// The metric that answers.
fn deciding(document: &Document) -> MetricId {
    let read = || document.summaries.iter().map(|part| part.metric.clone());
    let answer = document.answers.first().map(|answer| answer.metric.clone());
    answer
        .or_else(|| read().find(|id| *id == WALL_TIME))
        .or_else(|| read().next())
        .unwrap_or(WALL_TIME)
}
