//! The pictures of a report, for `--export-svg` and for pages: the charts of each kind of report,
//! the ratios of a comparison, and the text that all pictures share.

mod costs;
mod limits;
pub(super) mod runs;

use std::collections::HashMap;
use std::io;

use draw::axis::{Grain, decimals};
use draw::forest::{ForestFigure, ForestRow};
use draw::{Axis, Chart, DrawError, Estimate, Figure, Scene};
use findings::inspection::Found;
use findings::{ComparedPair, Document, MetricSummary};
use model::json::ratio;
use model::metric::{self, Direction, MetricId, Unit};
use model::verdict::Verdict;
use runs::{Readings, chart_of};
use words::names;
use words::quantity::{quantity, scale_for};

use super::compare::order;
use super::export::Shown;
use super::json::Runs;
use super::{doctor, history, instructions, memory, suite, sweep, time_profile};

/// The charts of a document, the main subject of its kind first.
pub(super) fn charts(document: &Document, runs: &mut Runs<'_>) -> io::Result<Vec<Chart>> {
    Ok(match Shown::from(document.kind()) {
        Shown::History | Shown::Series => vec![history::graph::graph(document)],
        Shown::Sweep => sweep::figures::chart(document).into_iter().collect(),
        Shown::Comparison => {
            let memory = document.memory_over_time.as_ref().map(|_| memory::graph(document));
            let limits = limits::chart(document).into_iter();
            limits.chain(memory).chain(of_comparison(document, runs)?).collect()
        }
        Shown::Inspection => Vec::new(),
    })
}

fn of_comparison(document: &Document, runs: &mut Runs<'_>) -> io::Result<Vec<Chart>> {
    let ratios = ratios(document);
    if document.suite().is_some() {
        let levels = suite::levels::chart(document, runs)?.into_iter();
        return Ok(levels.chain(ratios).chain(suite::orders::map_of_orders(document)).collect());
    }
    let deciding = document.main_metric();
    let readings = Readings::from_runs(document, std::slice::from_ref(&deciding), runs)?;
    Ok(chart_of(document, &readings, &deciding, &order(document))
        .into_iter()
        .chain(ratios)
        .collect())
}

/// The picture of an inspection's result; `None` if there is too little to draw.
pub(super) fn of_found(found: &Found) -> Option<Result<Scene, DrawError>> {
    let chart = match found {
        Found::Instructions(part) => return instructions::flame(part).map(|flame| flame.scene()),
        Found::TimeProfile(part) => return time_profile::flame(part).map(|flame| flame.scene()),
        Found::Doctor(part) => doctor::chart(part),
        Found::Explanation(part) => costs::of_explanation(part),
        Found::CoreDifference(part) => costs::of_difference(part),
        Found::Lisp(part) => costs::of_lisp(part),
    };
    chart.map(|chart| chart.scene())
}

/// The largest number of ratios drawn; the report has all of them.
const MOST_ROWS: usize = 120;

/// The ratios; `None` if nothing was compared.
fn ratios(document: &Document) -> Option<Chart> {
    let deciding = document.main_metric();
    // A few commands show all their metrics; many benchmarks or variants only the one that answers.
    let is_small = document.suite().is_none() && document.answers.len() <= 6;
    let is_drawn = |part: &&ComparedPair| {
        if is_small { document.shows(&part.metric) } else { part.metric == deciding }
    };
    let mut parts: Vec<&ComparedPair> = document.comparisons.iter().filter(is_drawn).collect();
    let all = parts.len();
    if all > MOST_ROWS {
        parts.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
        parts.truncate(MOST_ROWS);
        parts.sort_by_key(|part| part.candidate);
    }
    if !is_small {
        // The order of the table.
        let place: HashMap<u32, usize> = order(document).into_iter().zip(0..).collect();
        parts.sort_by_key(|part| place.get(&part.candidate));
    }
    let shown: Vec<MetricId> = parts.iter().map(|part| part.metric.clone()).collect();
    let rows: Vec<ForestRow> =
        parts.into_iter().filter_map(|part| ratio_row(document, part, is_small)).collect();
    if rows.is_empty() {
        return None;
    }
    // Ratios from or to 0 lie at the edge of any axis.
    let on_axis = |ratio: &Estimate| 0.0 < ratio.value && ratio.value < ratio::INFINITE;
    let given: Vec<Estimate> =
        rows.iter().map(|row| row.ratio).filter(on_axis).chain(Estimate::exact(1.0)).collect();
    let across = match given.as_slice() {
        [equal] => Axis::from_zero(2.0 * equal.value, &along(Unit::Ratio)),
        given => Axis::from_points(given, &along(Unit::Ratio)),
    };
    let what = if is_small { "every metric".to_owned() } else { words::label(&deciding) };
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
        measured: format!("{} ({})", compared_with(document), direction(&shown)),
        equal: Some(1.0),
        rows,
    };
    Some(Chart {
        title: "What changed, with the interval of each ratio".to_owned(),
        subtitle: subtitle(document),
        description,
        figures: vec![Figure::Forest(figure)],
        keys: Vec::new(),
    })
}

/// The meaning of the ratios.
fn compared_with(document: &Document) -> String {
    let mut baselines: Vec<u32> = document.answers.iter().map(|one| one.baseline).collect();
    baselines.dedup();
    match baselines.as_slice() {
        [one] if document.suite().is_none() => {
            format!("ratio to {}", names::named(document, *one).text())
        }
        _ => "new over old".to_owned(),
    }
}

/// The side of 1 on which ratios of these metrics are better.
fn direction(metrics: &[MetricId]) -> String {
    let is_higher = |id: &&MetricId| {
        metric::find(id).is_some_and(|metric| metric.direction == Direction::Higher)
    };
    let mut higher: Vec<String> = metrics.iter().filter(is_higher).map(words::label).collect();
    higher.dedup();
    match higher.len() {
        0 => "left of 1 is better".to_owned(),
        _ if metrics.iter().all(|id| is_higher(&id)) => "right of 1 is better".to_owned(),
        _ => format!("left of 1 is better; of {}, right", higher.join(" and ")),
    }
}

fn ratio_row(document: &Document, part: &ComparedPair, is_small: bool) -> Option<ForestRow> {
    let ratio = part.ratio.min(ratio::INFINITE);
    let ratio = Estimate::new(ratio, part.low, part.high.unwrap_or(f64::INFINITY))?;
    let is_better = match part.verdict {
        Verdict::Improved => Some(true),
        Verdict::Regressed => Some(false),
        Verdict::Unchanged | Verdict::Inconclusive => None,
    };
    let metric = words::label(&part.metric);
    let name = match is_small {
        true if document.answers.len() <= 1 => metric,
        true => format!("{}: {metric}", names::named(document, part.candidate).text()),
        false => candidate(document, part.candidate),
    };
    let words = format!("{} {}", words::ratio_in_row(document, part), part.verdict.word());
    let tooltip = format!("{name}: {words}");
    Some(ForestRow { name, ratio, is_better, values: Vec::new(), words, tooltip })
}

/// The name of a benchmark, or of a command.
fn candidate(document: &Document, variant: u32) -> String {
    let part = document.variants.get(variant as usize);
    let benchmark = part.and_then(|part| part.labels.benchmark_name());
    benchmark.map_or_else(|| names::named(document, variant).text(), str::to_owned)
}

/// Formats values of a unit along an axis.
pub(super) fn along(unit: Unit) -> impl Fn(f64, Grain) -> String {
    move |value, grain| {
        let scale = scale_for(grain.largest, unit);
        scale.with_symbol(&scale.number(value, decimals(scale.convert(grain.step))))
    }
}

/// The origin and date of the figures.
pub(super) fn subtitle(document: &Document) -> String {
    format!("{}, {}", words::circumstances(document), origin(document))
}

/// The processor and the day of the figures.
pub(super) fn origin(document: &Document) -> String {
    let cpu = document.machine["cpu_model"].as_str().unwrap_or("an unknown processor");
    format!("{cpu}, {}", words::date(document))
}

/// The estimate of a summary; the median's interval is widened to hold another estimate.
pub(super) fn of_summary(document: &Document, part: &MetricSummary) -> Option<Estimate> {
    let value = document.figure(part);
    if part.at_most {
        return Estimate::at_most(value);
    }
    let (low, high) = part.interval().unwrap_or((value, value));
    Estimate::new(value, low, high)
}

/// `1.234 s [1.201 s, 1.260 s]`, or `<= 1.9 MB`.
pub(super) fn estimate(estimate: &Estimate, unit: Unit) -> String {
    let end = |value: f64| if value.is_finite() { quantity(value, unit) } else { "?".to_owned() };
    let Estimate { value, low, high, is_bound } = *estimate;
    match (is_bound, low < high) {
        (true, _) => format!("<= {}", quantity(value, unit)),
        (false, false) => quantity(value, unit),
        (false, true) => format!("{} [{}, {}]", quantity(value, unit), end(low), end(high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_values_with_the_prefix_that_suits_them() {
        let expect = |values: &[f64], unit, ticks: &[&str]| {
            let given: Vec<Estimate> = values.iter().filter_map(|v| Estimate::exact(*v)).collect();
            let axis = Axis::from_points(&given, &along(unit));
            let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
            assert_eq!(labels, ticks);
        };
        expect(&[60e9, 250e6], Unit::Bytes, &["1 GB", "10 GB", "100 GB"]);
        expect(&[6.7e9, 2e6], Unit::Bytes, &["1 MB", "10 MB", "100 MB", "1 GB", "10 GB"]);
        expect(&[2640.0, 3.6], Unit::Seconds, &["10 s", "100 s", "1000 s"]);
        expect(&[1e-9, 1e4], Unit::Seconds, &["1 ns", "1 µs", "1 ms", "1 s", "1000 s"]);
        expect(&[3.6, 2.1], Unit::Seconds, &["0", "1 s", "2 s", "3 s", "4 s"]);
        expect(&[0.9, 1.0], Unit::Ratio, &["0.85", "0.90", "0.95", "1.00"]);
        expect(&[500.0], Unit::Bytes, &["0", "100 B", "200 B", "300 B", "400 B", "500 B"]);
    }

    #[test]
    fn values_have_their_intervals() {
        let words = |one: Option<Estimate>, unit| estimate(&one.expect("numbers"), unit);
        assert_eq!(words(Estimate::exact(2e6), Unit::Bytes), "2.000 MB");
        assert_eq!(words(Estimate::at_most(1.9e6), Unit::Bytes), "<= 1.900 MB");
        assert_eq!(
            words(Estimate::new(3.6, 3.557, f64::INFINITY), Unit::Seconds),
            "3.600 s [3.557 s, ?]"
        );
    }
}
