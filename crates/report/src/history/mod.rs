//! A history for people, and as a table for other programs.

mod benchmarks;
mod changelog;
mod changes;
mod commits;
pub mod csv;
pub mod explained;
pub mod graph;
pub mod page;
mod steps;

use std::collections::HashMap;

pub use steps::in_short;

use ::page::Span;

use findings::short;
use findings::{Absence, ComparedPair, Document, Drift, HistoryCommit, MetricSummary, Step};
use model::metric::{
    self, ALLOCATED, CPU_TIME, MEMORY_IN_USE, MetricId, PEAK_RSS, Source, WALL_TIME,
};
use model::spec::labels::Work;
use words::quantity::quantity;

/// A metric of a history, with the name it has there.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The metric.
    pub id: MetricId,
    /// Its source.
    pub source: Source,
    /// Its name in a heading: `time`.
    pub name: String,
}

impl Shown {
    /// True if the step is in this metric, from this source.
    fn is(&self, step: &Step) -> bool {
        self.id == step.metric && self.source == step.source
    }

    /// True if the drift is in this metric, from this source.
    fn drifts(&self, drift: &Drift) -> bool {
        self.id == drift.metric && self.source == drift.source
    }
}

/// The rank of a metric by importance, from 0: of the usual metrics the last one is the most
/// important, of requested ones the first.
fn rank(document: &Document, place: usize, metrics: usize) -> usize {
    if document.experiment.metrics.is_some() { place } else { metrics - 1 - place }
}

/// A commit by the beginning of its hash.
fn commit_span(hash: &str) -> Span {
    Span::commit(short(hash), hash)
}

/// The metrics to show: the requested ones, otherwise allocations, memory and time, as far as they
/// were read.
pub fn shown(document: &Document) -> Vec<Shown> {
    let source_of = |id: &MetricId| {
        let mut parts = document.summaries.iter().filter(|part| part.metric == *id);
        parts.next().map(|part| part.source)
    };
    let entry = |id: &MetricId, name: &str| {
        source_of(id).map(|source| Shown { id: id.clone(), source, name: name.to_owned() })
    };
    match &document.experiment.metrics {
        Some(chosen) => {
            let label =
                |id: &MetricId| metric::find(id).map_or(id.to_string(), |m| m.label.to_owned());
            chosen.iter().filter_map(|id| entry(id, &label(id))).collect()
        }
        None => {
            let memory = entry(&MEMORY_IN_USE, "memory").or_else(|| entry(&PEAK_RSS, "memory"));
            let all = [entry(&ALLOCATED, "allocations"), memory, entry(&WALL_TIME, "time")];
            // Processor time is added if waiting for a processor blurs wall time.
            let is_contended = document.answers.iter().any(|answer| answer.metric == CPU_TIME);
            let instead = entry(&CPU_TIME, "cpu time").filter(|_| is_contended);
            all.into_iter().chain([instead]).flatten().collect()
        }
    }
}

/// The figure of a summary, marked if it is only an upper bound.
fn value(document: &Document, summary: &MetricSummary) -> Span {
    let unit = summary.metric.unit();
    let (at_most, figure) = (if summary.at_most { "<= " } else { "" }, document.figure(summary));
    Span::quantity(format!("{at_most}{}", quantity(figure, unit)), figure)
}

/// A variant's values of a metric.
pub fn summary<'a>(
    document: &'a Document,
    variant: u32,
    shown: &Shown,
) -> Option<&'a MetricSummary> {
    document.summary(variant, &shown.id, shown.source)
}

/// The work of a variant that did less than the whole, if the metric does not grow in proportion to
/// the work, so that its figures only apply to that part.
pub fn lesser_work(document: &Document, variant: u32, id: &MetricId) -> Option<Work> {
    let work = document.variants.get(variant as usize)?.labels.work()?;
    let grows = metric::find(id).is_some_and(|metric| metric.grows_with_work());
    (!grows && !work.is_whole()).then_some(work)
}

/// True if the metric has a step or a drift.
fn is_changed(document: &Document, shown: &Shown) -> bool {
    document.steps().iter().any(|step| shown.is(step))
        || document.drifts().iter().any(|drift| shown.drifts(drift))
}

/// A metric over the commits, for a line that shows where it changed: level between its steps,
/// because otherwise noise would be drawn as high as they are. As measured if it drifts, or if the
/// history has several branches. Interrupted where only a part of the work was done and the metric
/// does not grow with it.
pub(super) fn course(document: &Document, shown: &Shown) -> Vec<Option<f64>> {
    let commits = document.commits();
    let value = |variant: u32| {
        let is_whole = lesser_work(document, variant, &shown.id).is_none();
        Some(document.figure(summary(document, variant, shown).filter(|_| is_whole)?))
    };
    let values: Vec<Option<f64>> = commits.iter().map(|commit| value(commit.variant?)).collect();
    let steps: Vec<&Step> = document.steps().iter().filter(|step| shown.is(step)).collect();
    let drifts = document.drifts().iter().any(|drift| shown.drifts(drift));
    let is_line =
        commits.windows(2).all(|pair| pair[1].parent.as_deref() == Some(pair[0].hash.as_str()));
    if drifts || (!is_line && !steps.is_empty()) {
        return values;
    }
    let begins = |commit: &HistoryCommit| steps.iter().any(|step| step.commit == commit.hash);
    levels(&values, &commits.iter().map(begins).collect::<Vec<_>>())
}

/// Each value replaced by the median of its stretch; the marked places begin new stretches.
fn levels(values: &[Option<f64>], begins: &[bool]) -> Vec<Option<f64>> {
    let mut levels = Vec::with_capacity(values.len());
    let mut from = 0;
    while from < values.len() {
        let length = begins[from + 1..].iter().position(|&begins| begins);
        let until = length.map_or(values.len(), |length| from + 1 + length);
        let stretch: Vec<f64> = values[from..until].iter().copied().flatten().collect();
        let level = stats::describe::quantiles(&stretch, &[0.5]).first().copied();
        levels.extend(values[from..until].iter().map(|value| value.and(level)));
        from = until;
    }
    levels
}

/// The steps, by commit hash.
pub fn steps_by_commit(document: &Document) -> HashMap<&str, Vec<&Step>> {
    let mut steps: HashMap<&str, Vec<&Step>> = HashMap::new();
    for step in document.steps().iter() {
        steps.entry(&step.commit).or_default().push(step);
    }
    steps
}

/// The reason a benchmark's own document has no figures at a commit that was built; `None` if it
/// has some, and for commands.
pub fn absence<'a>(document: &'a Document, commit: &str) -> Option<&'a Absence> {
    let absences = document.histories().iter().flat_map(|history| &history.absences);
    absences.filter(|one| one.commit == commit).map(|one| &one.why).next()
}

/// The comparison between a commit and its predecessor in one metric.
pub fn comparison<'a>(
    document: &'a Document,
    from: &str,
    commit: &str,
    shown: &Shown,
) -> Option<&'a ComparedPair> {
    let commits = document.commits();
    let variant = |hash: &str| commits.iter().find(|part| part.hash == hash)?.variant;
    document.comparison_of((variant(from)?, variant(commit)?), &shown.id, shown.source)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    #[test]
    fn between_steps_the_course_is_level() {
        let values = [Some(1.0), Some(1.2), None, Some(0.8), Some(2.0), Some(2.2)];
        let steps = [false, false, false, false, true, false];
        let [one, two] = [Some(1.0), Some(2.1)];
        assert_eq!(levels(&values, &steps), [one, one, None, one, two, two]);
        assert_eq!(levels(&[None, None], &[false, true]), [None, None]);
        assert_eq!(levels(&[], &[]), []);
    }
}
