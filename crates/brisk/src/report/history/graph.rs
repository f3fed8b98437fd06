//! A history as the graph draws it.

use std::collections::HashMap;

use super::{Shown, shown, summary};
use crate::history::merge::short;
use crate::history::whole;
use crate::judge::verdict::Verdict;
use crate::metric::{self, MetricId, Source, Unit};
use crate::report::document::{Build, CommitPart, Document, StepPart};
use crate::report::graph::{Change, Commit, Drift, Graph, Panel, Point, State, Step};
use crate::report::words;

/// The graph of all metrics that are shown and of all that have a step; of a suite, in each of its
/// benchmarks.
pub fn graph(document: &Document) -> Graph {
    let commits = document.commits.as_deref().unwrap_or_default();
    let number: HashMap<&str, usize> =
        commits.iter().enumerate().map(|(number, part)| (part.hash.as_str(), number)).collect();
    let panels_of = |document: &Document| -> Vec<Panel> {
        let commits = document.commits.as_deref().unwrap_or_default();
        let metrics = metrics(document);
        metrics.iter().map(|one| panel(document, commits, &number, one)).collect()
    };
    if document.histories.is_empty() {
        return Graph {
            title: title(document),
            subtitle: subtitle(document),
            commits: commits.iter().map(|part| commit(part, part.variant.is_some())).collect(),
            panels: panels_of(document),
        };
    }
    let mut panels = Vec::new();
    for own in whole::each(document) {
        let name = &own.histories[0].benchmark;
        let named = panels_of(&own).into_iter().map(|panel| {
            let name = format!("{name}: {}", panel.name);
            Panel { name, ..panel }
        });
        panels.extend(named);
    }
    let is_measured =
        |place: usize| document.histories.iter().any(|one| one.variants[place].is_some());
    let states = (0..).zip(commits).map(|(place, part)| commit(part, is_measured(place)));
    Graph {
        title: title(document),
        subtitle: subtitle(document),
        commits: states.collect(),
        panels,
    }
}

/// What is shown in tables, and what has a step without being there.
fn metrics(document: &Document) -> Vec<Shown> {
    let mut metrics = shown(document);
    for step in document.steps.iter().flatten() {
        if !metrics.iter().any(|one| one.id == step.metric && one.source == step.source) {
            let name = words::label(&step.metric).to_owned();
            metrics.push(Shown { id: step.metric.clone(), source: step.source, name });
        }
    }
    metrics
}

fn title(document: &Document) -> String {
    let Some(history) = &document.history else { return String::new() };
    let folder = history.repository.rsplit('/').find(|part| !part.is_empty());
    format!("{}: {}", folder.unwrap_or_default(), history.range)
}

fn subtitle(document: &Document) -> String {
    let Some(history) = &document.history else { return String::new() };
    let machine = &document.machine;
    let cpu = machine["cpu_model"].as_str().unwrap_or("an unknown processor");
    let kind = match document.experiment.estimator {
        crate::judge::stopping::EstimatorOption::Mean => "means",
        crate::judge::stopping::EstimatorOption::Min => "minima",
        _ => "medians",
    };
    format!("`{}`, {kind}, {cpu}, {}", history.command, words::date(document))
}

fn commit(part: &CommitPart, is_measured: bool) -> Commit {
    let state = match (&part.build, is_measured) {
        (Build::Failed, _) => State::DidNotBuild,
        (_, false) => State::NotMeasured,
        (Build::SameAs(hash), true) => State::SameAs { hash: short(hash).to_owned() },
        (Build::Ok | Build::Skipped, true) => State::Measured,
    };
    Commit { hash: short(&part.hash).to_owned(), subject: part.subject.clone(), state }
}

fn panel(
    document: &Document,
    commits: &[CommitPart],
    number: &HashMap<&str, usize>,
    one: &Shown,
) -> Panel {
    let is_of = |id: &MetricId, source: Source| *id == one.id && source == one.source;
    let steps = document.steps.iter().flatten().filter(|step| is_of(&step.metric, step.source));
    let drifts =
        document.drifts.iter().flatten().filter(|drift| is_of(&drift.metric, drift.source));
    let unit = metric::find(&one.id).map_or(Unit::Count, |metric| metric.unit);
    Panel {
        name: one.name.clone(),
        unit,
        points: commits.iter().map(|part| point(document, part.variant?, one)).collect(),
        steps: steps.filter_map(|step| self::step(step, number)).collect(),
        drifts: drifts
            .filter_map(|drift| {
                Some(Drift {
                    first: *number.get(drift.from.as_str())?,
                    last: *number.get(drift.to.as_str())?,
                    ratio: drift.ratio,
                    change: change(drift.verdict),
                })
            })
            .collect(),
    }
}

fn point(document: &Document, variant: u32, one: &Shown) -> Option<Point> {
    let part = summary(document, variant, one)?;
    let value = document.figure(part);
    let (low, high) = (part.low.unwrap_or(value), part.high.unwrap_or(value));
    // The interval is the median's; another estimate may lie outside of it.
    Some(Point { value, low: low.min(value), high: high.max(value) })
}

fn step(step: &StepPart, number: &HashMap<&str, usize>) -> Option<Step> {
    Some(Step {
        commit: *number.get(step.commit.as_str())?,
        ratio: step.ratio,
        low: step.low,
        high: step.high.unwrap_or(f64::INFINITY),
        change: change(step.verdict),
    })
}

fn change(verdict: Verdict) -> Change {
    if verdict == Verdict::Improved { Change::Improved } else { Change::Regressed }
}
