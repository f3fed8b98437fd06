//! A suite of benchmarks for people: a table for each metric, with a row for each benchmark.

mod missing;
mod orders;
pub mod page;
mod processes;
mod sentences;

use findings::{ComparedPair, Document, MetricSummary, SuiteBenchmark, SuiteFinding};
use model::metric::{MetricId, Source, TIME_PER_ITERATION, Unit};
use model::verdict::Verdict;
pub use orders::{after, ratio_after};
use words::quantity::scale_for;

/// One benchmark in the text of its row.
#[derive(Debug, Clone, PartialEq)]
struct Row<'a> {
    /// Its name.
    name: &'a str,
    /// The value in each program with the spread of its processes; empty if it is missing.
    values: Vec<String>,
    /// The range in which the estimate of another experiment of this length would lie, in the unit
    /// of the value; empty if unknown.
    again: String,
    /// The ratio of the new program to the old one, with its interval.
    ratio: String,
    /// The verdict on the ratio.
    verdict: Option<(Verdict, String)>,
    /// The number of processes it was measured in; the smaller one if the programs differ.
    runs: usize,
}

/// The rows of a metric; `None` if no benchmark has a value.
fn rows<'a>(document: &Document, suite: &'a SuiteFinding, id: &MetricId) -> Option<Vec<Row<'a>>> {
    let rows = suite.benchmarks.iter().map(|benchmark| row(document, suite, benchmark, id));
    let has_any = document.summaries.iter().any(|part| part.metric == *id);
    has_any.then(|| rows.collect())
}

fn row<'a>(
    document: &Document,
    suite: &SuiteFinding,
    benchmark: &'a SuiteBenchmark,
    id: &MetricId,
) -> Row<'a> {
    let of = |variant: u32| document.any_summary(variant, id);
    let present = benchmark.variants.iter().flatten();
    let value = |variant: &Option<u32>| match variant.map(of) {
        Some(Some(part)) => value(document, part),
        Some(None) => "missing".to_owned(),
        None => String::new(),
    };
    let comparison = comparison(document, benchmark, id);
    let judged = benchmark.variants.first().copied().flatten().and_then(of);
    Row {
        again: judged.and_then(|part| again(document, suite, benchmark, part)).unwrap_or_default(),
        name: &benchmark.name,
        values: benchmark.variants.iter().map(value).collect(),
        ratio: comparison.map(|part| words::ratio_in_row(document, part)).unwrap_or_default(),
        verdict: comparison.map(|part| (part.verdict, verdict(part))),
        runs: present.map(|&variant| of(variant).map_or(0, |part| part.n)).min().unwrap_or(0),
    }
}

/// `[153.0, 155.6]`: that range for the first program's time; `None` in other metrics.
fn again(
    document: &Document,
    suite: &SuiteFinding,
    benchmark: &SuiteBenchmark,
    part: &MetricSummary,
) -> Option<String> {
    if part.metric != TIME_PER_ITERATION {
        return None;
    }
    let place = suite.benchmarks.iter().position(|one| std::ptr::eq(one, benchmark))?;
    let level = suite.levels.iter().find(|level| (level.program, level.benchmark) == (0, place))?;
    let centre = document.figure(part);
    let scale = scale_for(centre, Unit::Seconds);
    let decimals = scale.decimals(centre);
    let [low, high] = [level.again_low, level.again_high].map(|end| scale.number(end, decimals));
    Some(format!("[{low}, {high}]"))
}

fn comparison<'a>(
    document: &'a Document,
    benchmark: &SuiteBenchmark,
    id: &MetricId,
) -> Option<&'a ComparedPair> {
    match benchmark.variants.as_slice() {
        &[Some(old), Some(new)] => document.comparison_of((old, new), id, Source::Run),
        _ => None,
    }
}

fn verdict(part: &ComparedPair) -> String {
    let small = if part.verdict.is_change() && part.within_margin { " (small)" } else { "" };
    format!("{}{small}", part.verdict.word())
}

/// `154.1 ± 2.3 µs`.
fn value(document: &Document, part: &MetricSummary) -> String {
    let centre = document.figure(part);
    let scale = scale_for(centre, part.metric.unit());
    let decimals = scale.decimals(centre);
    let number = scale.number(centre, decimals);
    match part.sd {
        Some(sd) => scale.with_symbol(&format!("{number} ± {}", scale.spread(sd, decimals))),
        None => scale.with_symbol(&number),
    }
}

/// The geometric mean of the ratios of all benchmarks compared in a metric, if there are at least
/// two, and the number of benchmarks without a ratio because one side is 0.
fn geometric_mean(
    document: &Document,
    suite: &SuiteFinding,
    id: &MetricId,
) -> Option<(f64, usize)> {
    let parts = suite.benchmarks.iter().filter_map(|one| comparison(document, one, id));
    let (without, with): (Vec<_>, Vec<_>) = parts.partition(|part| part.difference.is_some());
    let mean = stats::estimate::geometric_mean(with.into_iter().map(|part| part.ratio))?;
    Some((mean, without.len()))
}
