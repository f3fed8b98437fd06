//! The page of a history: the changes by commits, their figures, and the circumstances; and what
//! its other parts share.

mod changes;
pub mod graph;
mod steps;
mod tables;

use std::collections::{HashMap, HashSet};

use findings::{
    Answer, Build, Coverage, Document, Drift, HistoryCommit, MetricSummary, Order, Outcome, Step,
    letter, short,
};
use model::metric::{
    self, ALLOCATED, CPU_TIME, MEMORY_IN_USE, MetricId, PEAK_RSS, Source, WALL_TIME,
};
use model::spec::labels::Labels;
use model::spec::labels::Work;
use model::spec::suite::commits::of_benchmark;
use page::{Block, Line, Page, Role, Span, Tone, line};
pub use steps::in_short;
pub(crate) use steps::{CommitSteps, by_commit, counted_changes};
use words::counted;
use words::quantity::{grouped, quantity};
use words::reasons::together;

use crate::{cause, core_difference, coverage, instructions, notes};

/// Builds the page; the explanations of its steps, each commit once, follow at the end.
pub(crate) fn page(document: &Document) -> Page {
    let each = findings::benchmarks::each(document);
    let outcome = Outcome::from_document(document);
    let mut page = Page::default();
    let covered = Coverage::from_document(document);
    let answers = steps::answers(document, outcome);
    let comings = coverage::comings_of(document, &covered);
    // Removed benchmarks could have become slower; new ones could not.
    let (gone, added) = if covered.gone.is_empty() { (None, comings) } else { (comings, None) };
    let first = coverage::gaps(document, &covered).into_iter().chain(gone);
    page.blocks.extend(first.chain(answers).chain(added).map(Block::Answer));
    page.blocks.extend(cause::blocks(&document.causes));
    let undecided = undecided_sentence(outcome.undecided);
    match page.blocks.is_empty() {
        true => page.blocks.extend(undecided.map(|line| Block::Answer(line.toned(Tone::Open)))),
        false => page.sentences(undecided),
    }
    match each.is_empty() {
        true => page.blocks.extend(tables::commits(document)),
        false => page.blocks.extend(tables::benchmarks(&each)),
    }
    page.sentences(changes::sentences(document));
    page.sentences(explained(document));
    page.sentences([counts(document)]);
    page.sentences(behind_merges(document));
    if document.experiment.order != Order::Sequential {
        page.sentences([words::circumstances(document)]);
        page.sentences(words::detectable(document));
        page.sentences(machines(document));
    }
    page.sentences([words::confidence(document)]);
    notes::add(&mut page, document, &|variant| name_of(document, variant).into());
    page.blocks.extend(steps::changelog(document, &each));
    let core = once_each(document, |step| step.core_difference.as_deref());
    let counts = once_each(document, |step| step.instructions.as_deref());
    let explanations = core.map(core_difference::page);
    let explanations = explanations.chain(counts.map(|part| instructions::page(part, false)));
    page.blocks.extend(explanations.flat_map(|page| page.blocks));
    page
}

/// The name of a variant in notes: its commit, and the benchmark of a suite.
fn name_of(document: &Document, variant: u32) -> String {
    let labels = document.variants.get(variant as usize).map(|part| &part.labels);
    let hash = labels.and_then(Labels::commit);
    let hash = hash.map_or_else(|| letter(variant), |hash| short(hash).to_owned());
    match labels.and_then(Labels::benchmark_name) {
        Some(benchmark) => of_benchmark(benchmark, &hash),
        None => hash,
    }
}

fn undecided_sentence(count: usize) -> Option<Line> {
    let pairs = match count {
        0 => return None,
        1 => "1 pair of neighbouring commits is inconclusive".to_owned(),
        _ => {
            let count = grouped(count as u64);
            format!("{count} pairs of neighbouring commits are inconclusive")
        }
    };
    Some(line![pairs, ": a longer ", Span::code("--budget"), " may decide"])
}

/// The machines on which neighbours were compared, if there are several.
fn machines(document: &Document) -> Option<String> {
    let mut answers: Vec<&Answer> = document.answers.iter().collect();
    answers.sort_by_key(|answer| answer.candidate);
    let machines =
        answers.iter().filter_map(|answer| document.deciding(answer)?.machine.as_deref());
    let all: Vec<String> = together(machines.map(|name| (name, ())))
        .into_iter()
        .map(|(name, pairs)| format!("{} on {name}", counted(pairs.len(), "pair")))
        .collect();
    (!all.is_empty()).then(|| format!("each pair was compared on one machine: {}", all.join("; ")))
}

/// The first sentence of each step's difference in Core.
fn explained(document: &Document) -> Vec<Line> {
    let mut sentences: Vec<Line> = Vec::new();
    for step in document.steps().iter() {
        let answer = step.core_difference.as_deref().and_then(core_difference::answer);
        let commit = commit_span(&step.commit);
        let sentence = answer.map(|answer| line![commit, ": ", answer]);
        sentences.extend(sentence.filter(|it| !sentences.contains(it)));
    }
    sentences
}

/// The commits left out by following first parents.
fn behind_merges(document: &Document) -> Option<Line> {
    let count = document.history()?.subject.behind_merges;
    (count > 0).then(|| {
        line![
            counted(count, "more commit"),
            " came by merges, each of which counts as one change: a history with ",
            Span::code("--all-parents"),
            " measures them, too"
        ]
    })
}

/// The number of commits, and the results of building them.
fn counts(document: &Document) -> String {
    let commits = document.commits();
    let of =
        |is: &dyn Fn(&HistoryCommit) -> bool| commits.iter().filter(|commit| is(commit)).count();
    let same = of(&|commit| matches!(commit.build, Build::SameAs(_)));
    let failed = of(&|commit| commit.build == Build::Failed);
    if document.experiment.order == Order::Sequential {
        let points = counted(commits.len(), "point");
        return format!("{points}, imported: steps are change points, drifts are trends");
    }
    let different = of(&|commit| commit.build == Build::Ok);
    let artefacts = match different {
        1 => "1 artefact".to_owned(),
        _ => format!("{different} different artefacts"),
    };
    let mut counts = vec![counted(commits.len(), "commit"), artefacts];
    let benchmarks = document.histories().len();
    counts.extend((benchmarks > 0).then(|| counted(benchmarks, "benchmark")));
    let confirmed = of(&|commit| commit.equality_confirmed == Some(true));
    counts.extend((same > 0).then(|| format!("{same} identical to an earlier one")));
    counts.extend((confirmed > 0).then(|| match same {
        1 => "which a build from scratch confirms".to_owned(),
        _ => format!("{confirmed} of them confirmed by a build from scratch"),
    }));
    counts.extend((failed > 0).then(|| format!("{failed} did not build")));
    counts.join(", ")
}

/// A metric of a history, with the name it has there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shown {
    pub(super) id: MetricId,
    pub(super) source: Source,
    /// Its name in a heading: `time`.
    pub(super) name: String,
}

impl Shown {
    /// True if the step is in this metric, from this source.
    pub(super) fn is(&self, step: &Step) -> bool {
        self.id == step.metric && self.source == step.source
    }

    /// True if the drift is in this metric, from this source.
    pub(super) fn drifts(&self, drift: &Drift) -> bool {
        self.id == drift.metric && self.source == drift.source
    }
}

/// The rank by importance, from 0: of usual metrics the last is first, of requested ones the first.
fn rank(document: &Document, place: usize, metrics: usize) -> usize {
    if document.experiment.metrics.is_some() { place } else { metrics - 1 - place }
}

/// The most important metric.
pub(super) fn first_shown(document: &Document) -> Option<Shown> {
    let metrics = shown(document);
    let count = metrics.len();
    let ranked = metrics.into_iter().enumerate();
    ranked.min_by_key(|(place, _)| rank(document, *place, count)).map(|(_, first)| first)
}

/// Links the commits in blocks to the pages of their host, if the address of comparisons there tells
/// where these are.
pub(crate) fn link_commits(blocks: &mut [Block], document: &Document) {
    page::for_each_line(blocks, &mut |line| {
        for span in &mut line.0 {
            if let Role::Commit(hash) = &span.role
                && let Some(address) = commit_address(document, hash)
            {
                span.role = Role::Link(address);
            }
        }
    });
}

/// The address of a commit's page; `None` if the repository's host is not known.
pub(crate) fn commit_address(document: &Document, hash: &str) -> Option<String> {
    let url = document.history()?.subject.compare_url.as_ref()?;
    let (host, _) = url.split_once("/compare/")?;
    Some(format!("{host}/commit/{hash}"))
}

/// A commit by the beginning of its hash.
pub(crate) fn commit_span(hash: &str) -> Span {
    Span::commit(short(hash), hash)
}

/// The requested metrics, otherwise allocations, memory and time, as far as they were read.
pub(super) fn shown(document: &Document) -> Vec<Shown> {
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
pub(super) fn summary<'a>(
    document: &'a Document,
    variant: u32,
    shown: &Shown,
) -> Option<&'a MetricSummary> {
    document.summary(variant, &shown.id, shown.source)
}

/// The part of the work that a variant did, if the metric does not grow in proportion to it.
pub(super) fn lesser_work(document: &Document, variant: u32, id: &MetricId) -> Option<Work> {
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
fn course(document: &Document, shown: &Shown) -> Vec<Option<f64>> {
    let commits = document.commits();
    let value = |variant: u32| {
        let is_whole = lesser_work(document, variant, &shown.id).is_none();
        Some(document.figure(summary(document, variant, shown).filter(|_| is_whole)?))
    };
    let values: Vec<Option<f64>> = commits.iter().map(|commit| value(commit.variant?)).collect();
    let steps: Vec<&Step> = document.steps().iter().filter(|step| shown.is(step)).collect();
    let drifts = document.drifts().iter().any(|drift| shown.drifts(drift));
    if drifts || (!is_line(commits) && !steps.is_empty()) {
        return values;
    }
    let begins = |commit: &HistoryCommit| steps.iter().any(|step| step.commit == commit.hash);
    levels(&values, &commits.iter().map(begins).collect::<Vec<_>>())
}

/// True if each commit is the parent of the next.
pub(super) fn is_line(commits: &[HistoryCommit]) -> bool {
    commits.windows(2).all(|pair| pair[1].parent.as_deref() == Some(pair[0].hash.as_str()))
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
fn steps_by_commit(document: &Document) -> HashMap<&str, Vec<&Step>> {
    let mut steps: HashMap<&str, Vec<&Step>> = HashMap::new();
    for step in document.steps().iter() {
        steps.entry(&step.commit).or_default().push(step);
    }
    steps
}

/// A part of each step, once for each commit.
fn once_each<'a, T: 'a>(
    document: &'a Document,
    part: impl Fn(&'a Step) -> Option<&'a T>,
) -> impl Iterator<Item = &'a T> {
    let mut told = HashSet::new();
    let steps = document.steps().iter();
    let parts = steps.filter_map(move |step| Some((&step.commit, part(step)?)));
    parts.filter(move |(commit, _)| told.insert(*commit)).map(|(_, part)| part)
}

#[cfg(test)]
mod tests {
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
