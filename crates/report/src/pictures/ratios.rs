//! Each candidate's ratio with its interval; for a suite, each benchmark's, largest change first.

use draw::forest::{ForestFigure, ForestRow};
use draw::{Axis, Chart, Estimate, Figure};

use super::deciding;
use crate::picture;
use findings::{ComparedPair, Document, letter};
use model::json::ratio;
use model::metric::Unit;
use model::verdict::Verdict;

/// The largest number of ratios drawn; the report has all of them.
const MOST_ROWS: usize = 120;

/// The ratios; `None` if nothing was compared.
pub(super) fn chart(document: &Document) -> Option<Chart> {
    let deciding = deciding(document);
    // A few commands show all their metrics; many benchmarks or variants only the one that answers.
    let is_small = document.suite().is_none() && document.answers.len() <= 6;
    let is_drawn = |part: &&ComparedPair| {
        if is_small { document.shows(&part.metric) } else { part.metric == deciding }
    };
    let mut parts: Vec<&ComparedPair> = document.comparisons.iter().filter(is_drawn).collect();
    if !is_small {
        parts.sort_by(|a, b| b.ratio.ln().abs().total_cmp(&a.ratio.ln().abs()));
    }
    let all = parts.len();
    parts.truncate(MOST_ROWS);
    let rows: Vec<ForestRow> =
        parts.into_iter().filter_map(|part| row(document, part, is_small)).collect();
    if rows.is_empty() {
        return None;
    }
    // Ratios from or to 0 lie at the edge of any axis.
    let on_axis = |ratio: &Estimate| 0.0 < ratio.value && ratio.value < ratio::INFINITE;
    let given: Vec<Estimate> =
        rows.iter().map(|row| row.ratio).filter(on_axis).chain(Estimate::exact(1.0)).collect();
    let across = match given.as_slice() {
        [equal] => Axis::from_zero(2.0 * equal.value, &picture::along(Unit::Ratio)),
        given => Axis::from_points(given, &picture::along(Unit::Ratio)),
    };
    let what =
        if is_small { "every metric".to_owned() } else { words::label(&deciding).to_owned() };
    let note = if rows.len() < all {
        format!("the largest {} of {all}", rows.len())
    } else {
        String::new()
    };
    let description = rows.iter().map(|row| row.tooltip.clone()).collect::<Vec<_>>().join("\n");
    let figure = ForestFigure {
        name: words::capitalised(&what),
        note,
        across,
        measured: "new over old; less than 1 is better where less is better".to_owned(),
        equal: Some(1.0),
        rows,
    };
    Some(Chart {
        title: "What changed, with the interval of each ratio".to_owned(),
        subtitle: picture::subtitle(document),
        description,
        figures: vec![Figure::Forest(figure)],
        keys: Vec::new(),
    })
}

fn row(document: &Document, part: &ComparedPair, is_small: bool) -> Option<ForestRow> {
    let ratio = part.ratio.min(ratio::INFINITE);
    let ratio = Estimate::new(ratio, part.low, part.high.unwrap_or(f64::INFINITY))?;
    let is_better = match part.verdict {
        Verdict::Improved => Some(true),
        Verdict::Regressed => Some(false),
        Verdict::Unchanged | Verdict::Inconclusive => None,
    };
    let metric = words::label(&part.metric);
    let name = match is_small {
        true if document.answers.len() <= 1 => metric.to_owned(),
        true => format!("{} to {}: {metric}", letter(part.candidate), letter(part.baseline)),
        false => candidate(document, part.candidate),
    };
    let words = format!("{} {}", words::ratio_in_row(document, part), part.verdict.word());
    let tooltip = format!("{name}: {words}");
    Some(ForestRow { name, ratio, is_better, words, tooltip })
}

/// The name of a benchmark, or of a command.
fn candidate(document: &Document, variant: u32) -> String {
    let part = document.variants.get(variant as usize);
    let benchmark = part.and_then(|part| part.labels.benchmark_name());
    benchmark.map_or_else(|| part.map_or_else(String::new, |part| part.name.clone()), str::to_owned)
}
