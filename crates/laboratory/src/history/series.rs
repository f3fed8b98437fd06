//! A series from another tool, one value for each point, as a history.
//!
//! There is nothing to pair: steps are change points, drifts are trends (`docs/method.md`). The
//! direction of such metrics is unknown; less is assumed to be better.

use std::collections::BTreeMap;

use stats::change_points::{ChangePoint, Options, SeriesError, Trend, change_points};
use toolchains::series::Series;

use findings::{
    Build, Confirmation, Contender, Course, Document, Drift, Finding, HistoryCommit,
    HistoryFinding, HistorySubject, MetricSummary, Order, SCHEMA, ShiftFromZero, Step,
};
use model::design::stopping::{EstimatorOption, StopReason};
use model::metric::{self, Direction, MetricId, Source};
use model::spec::labels::Labels;
use model::verdict::Margin;
use model::verdict::Verdict;

/// The series as the document of a history. All findings together hold with `confidence`.
pub fn document(series: &Series, title: &str, confidence: f64) -> Result<Document, SeriesError> {
    let metrics: Vec<MetricId> =
        series.metrics.iter().map(|(name, _)| MetricId::from(name.clone())).collect();
    let alpha = stats::family::allocate(1.0 - confidence, &vec![1.0; metrics.len().max(1)]);
    let mut document = empty(series, &metrics, confidence);
    let (mut steps, mut drifts) = (Vec::new(), Vec::new());
    for ((id, (_, values)), alpha) in metrics.iter().zip(&series.metrics).zip(alpha) {
        let there: Vec<(usize, f64)> =
            (0..).zip(values).filter_map(|(at, v)| Some((at, (*v)?))).collect();
        let numbers: Vec<f64> = there.iter().map(|(_, value)| *value).collect();
        let findings = change_points(&numbers, Options { alpha, interval_alpha: alpha })?;
        let label = |index: usize| series.labels[there[index].0].clone();
        steps.extend(findings.change_points.iter().map(|point| step(point, id, &label)));
        drifts.extend(findings.trends.iter().map(|trend| drift(trend, id, &label)));
        document.summaries.extend(there.iter().map(|&(at, value)| summary(at, id, value)));
    }
    document.summaries.sort_by_key(|part| part.variant);
    let place = |label: &String| series.labels.iter().position(|other| other == label);
    steps.sort_by_key(|step: &Step| place(&step.commit));
    let finding = HistoryFinding { steps, drifts, ..history(series, title) };
    document.finding = Finding::History(Box::new(finding));
    Ok(document)
}

fn history(series: &Series, title: &str) -> HistoryFinding {
    let described = series.subjects.as_ref().or(series.times.as_ref());
    let commits = series.labels.iter().zip(0..).map(|(label, number)| HistoryCommit {
        hash: label.clone(),
        parent: None,
        subject: described.map_or_else(String::new, |texts| texts[number as usize].clone()),
        authorship: None,
        variant: Some(number),
        build: Build::Ok,
        equality_confirmed: None,
        reason: None,
    });
    let subject = HistorySubject {
        repository: title.to_owned(),
        range: words::counted(series.labels.len() as u64, "point"),
        ..HistorySubject::default()
    };
    HistoryFinding { commits: commits.collect(), ..HistoryFinding::new(subject) }
}

/// The document without findings and values.
fn empty(series: &Series, metrics: &[MetricId], confidence: f64) -> Document {
    let variant = |label: &String| Contender {
        name: label.clone(),
        command: String::new(),
        labels: Labels::default(),
    };
    Document {
        schema: SCHEMA.to_owned(),
        machine: serde_json::Value::Null,
        conditions: serde_json::Value::Null,
        experiment: Course {
            id: None,
            started_unix_ns: 0,
            brisk_version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: None,
            rounds: 1,
            elapsed_seconds: 0.0,
            stop: StopReason::Rounds,
            confidence,
            margin: Margin::ONE_PERCENT,
            resolution: None,
            estimator: EstimatorOption::Median,
            order: Order::Sequential,
            commands: 1,
            metrics: Some(metrics.to_vec()),
        },
        variants: series.labels.iter().map(variant).collect(),
        summaries: Vec::new(),
        missing: Vec::new(),
        comparisons: Vec::new(),
        answers: Vec::new(),
        ranking: Vec::new(),
        detectable: BTreeMap::new(),
        notes: Vec::new(),
        finding: Finding::Compare,
        causes: Vec::new(),
        setups: Vec::new(),
        paybacks: Vec::new(),
        equal_work: None,
        memory_over_time: None,
        memory_verdicts: None,
    }
}

fn summary(at: usize, id: &MetricId, value: f64) -> MetricSummary {
    let variant = u32::try_from(at).expect("a file has fewer lines");
    MetricSummary::of_one(variant, id.clone(), Source::Run, value)
}

fn verdict(id: &MetricId, rises: bool) -> Verdict {
    let more_is_better =
        metric::find(id).is_some_and(|metric| metric.direction == Direction::Higher);
    if rises == more_is_better { Verdict::Improved } else { Verdict::Regressed }
}

/// The difference of two levels, unless both are positive: then the ratio is meaningful.
fn difference(before: f64, after: f64) -> Option<ShiftFromZero> {
    (before <= 0.0 || after <= 0.0).then(|| ShiftFromZero::between(before, after))
}

fn step(point: &ChangePoint, id: &MetricId, label: &impl Fn(usize) -> String) -> Step {
    let difference = difference(point.before, point.after);
    let interval = point.ratio.and_then(|ratio| ratio.interval);
    Step {
        commit: label(point.index),
        from: label(point.index - 1),
        benchmark: None,
        metric: id.clone(),
        source: Source::Run,
        ratio: difference.map_or(point.after / point.before, ShiftFromZero::ratio),
        difference,
        bound: None,
        low: interval.map_or(0.0, |(low, _)| low),
        high: interval.map(|(_, high)| high),
        verdict: verdict(id, point.after > point.before),
        machine: None,
        confirmed: Confirmation::NothingToBuild,
        origin: None,
        instructions_ratio: None,
        layouts: None,
        core_difference: None,
        instructions: None,
    }
}

fn drift(trend: &Trend, id: &MetricId, label: &impl Fn(usize) -> String) -> Drift {
    Drift {
        from: label(trend.start),
        to: label(trend.end - 1),
        benchmark: None,
        metric: id.clone(),
        source: Source::Run,
        ratio: difference(trend.from, trend.to).map_or(trend.to / trend.from, ShiftFromZero::ratio),
        difference: difference(trend.from, trend.to),
        bound: None,
        low: 0.0,
        high: None,
        verdict: verdict(id, trend.to > trend.from),
        machine: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty values around 10 and forty around 12, with a spread of 1 %; and the same backwards
    /// for a metric that does not change.
    #[test]
    fn a_step_of_a_series_is_found_where_it_is() {
        let wobble = |n: u32| 1.0 + 0.01 * f64::from((n * 7919) % 13) / 13.0;
        let value = |n: u32| if n < 40 { 10.0 * wobble(n) } else { 12.0 * wobble(n) };
        let lines = (0..80).map(|n| format!("c{n};{};{}", value(n), 5.0 * wobble(n + 3)));
        let text = format!("commit;time;memory\n{}\n", lines.collect::<Vec<_>>().join("\n"));
        let series = toolchains::series::series(&text).expect("a series");
        let document = document(&series, "x", 0.95).expect("numbers");
        let steps = document.steps();
        let found: Vec<_> = steps.iter().map(|s| (s.commit.as_str(), s.metric.as_str())).collect();
        assert_eq!(found, [("c40", "time")]);
        assert!((steps[0].ratio - 1.2).abs() < 0.01);
        assert_eq!(steps[0].verdict, Verdict::Regressed);
    }
}
