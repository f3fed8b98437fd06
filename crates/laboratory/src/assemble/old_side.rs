//! The old side of a comparison, if it cannot run again: a baseline that a harness saved, or a variant
//! of a stored experiment.
//!
//! The saved baseline is a single process ([`stats::unpaired`]), and the stored variant was not
//! interleaved with the others ([`stats::unpaired`]). In the document each is a variant that never
//! ran here, after all those that did.

use findings::{ComparedPair, Contender, Document, MetricSummary, ShiftFromZero, SuiteProgram};
use judge::comparison::{Basis, POWER};
use judge::diagnosis::CONTENTION_SHARE;
use model::design::{self, Member};
use model::metric::{
    self, ALLOCATED_PER_ITERATION, CPU_WAIT, Direction, MetricId, Nature, Source,
    TIME_PER_ITERATION, WALL_TIME,
};
use model::note::Note;
use model::spec::labels::{BenchmarkLabel, Labels, SavedBaseline, SavedTime};
use model::spec::suite::Arrangement;
use model::verdict::{self, Verdict};
use stats::difference::Effect;
use stats::unpaired::{self, ExperimentLevel};
use stats::{RatioEstimate, detect};

/// The measurements of a variant's processes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Processes {
    /// The time of one iteration in each process, in seconds.
    pub times: Vec<f64>,
    /// The total time that they were ready to run but had to wait, in seconds.
    pub waited_seconds: f64,
    /// The total run time of those for which it is known, in seconds.
    pub passed_seconds: f64,
}

impl Processes {
    /// The share of the time spent waiting for a processor; `None` if unknown.
    fn wait_share(&self) -> Option<f64> {
        (self.passed_seconds > 0.0).then(|| self.waited_seconds / self.passed_seconds)
    }
}

/// A benchmark's values in the baseline.
struct Entry {
    candidate: u32,
    seconds: f64,
    relative_error: f64,
    allocated: Option<f64>,
}

/// The baseline a harness saved for a variant's benchmark.
fn baseline_of(part: &Contender) -> Option<&SavedBaseline> {
    part.labels.benchmark.as_ref()?.baseline.as_ref()
}

/// True if the document's variants have baselines.
pub fn is_wanted(document: &Document) -> bool {
    document.suite().is_some() && document.variants.iter().any(|part| baseline_of(part).is_some())
}

/// The document with the variants' baselines and the comparisons with them; `processes` are those of
/// each variant.
///
/// A process that has to wait for a processor is slower, and the file does not tell whether the
/// saved one had to. If the others had to, being slower proves nothing; being faster still does.
#[must_use]
pub fn with_baseline(mut document: Document, processes: &[Processes]) -> Document {
    let saved = || document.variants.iter().filter_map(baseline_of);
    let Some(SavedBaseline { file, .. }) = saved().next() else { return document };
    let (file, gone) = (file.clone(), saved().flat_map(|saved| saved.gone.clone()).collect());
    let (entries, mut left_out) = entries(&document);
    let id = TIME_PER_ITERATION;
    let members = design::members(
        Some(std::slice::from_ref(&id)),
        entries.len(),
        document.experiment.confidence,
    );
    let alpha = members.first().map_or(0.0, |member| member.alpha);
    let mut busiest: Option<f64> = None;
    for entry in &entries {
        let baseline = add_variant(&mut document, entry, &file);
        let several = processes.get(entry.candidate as usize);
        let share = several.and_then(Processes::wait_share);
        let is_busy = share.is_some_and(|share| share > CONTENTION_SHARE);
        busiest = share.filter(|_| is_busy).into_iter().chain(busiest).reduce(f64::max);
        let several = several.map_or(&[][..], |several| &several.times);
        let compared =
            stats::unpaired::ratio_to_one(several, entry.seconds, entry.relative_error, alpha);
        match compared {
            Ok(estimate) => {
                let candidate = entry.candidate;
                add_comparison(&mut document, baseline, candidate, &estimate, alpha, is_busy);
            }
            Err(error) => {
                let name = document.variants[entry.candidate as usize].name.clone();
                left_out.push((name, error.to_string()));
            }
        }
    }
    put_in_suite(&mut document, &file, &entries);
    if let Some(suite) = document.suite_mut() {
        suite.only_in_baseline = gone;
    }
    let alone = document.suite().is_some_and(|suite| suite.order == Arrangement::Alone);
    document.notes.push(Note::SavedBaseline { file, alone, wait_share: busiest });
    if !left_out.is_empty() {
        document.notes.push(Note::NotInBaseline { benchmarks: left_out });
    }
    document
}

/// The benchmarks with a time in the baseline, and those without one, with the reason.
fn entries(document: &Document) -> (Vec<Entry>, Vec<(String, String)>) {
    let (mut entries, mut left_out) = (Vec::new(), Vec::new());
    let order = document.suite().map(|suite| suite.order);
    let is_judged = |part: &Contender| part.labels.benchmark.as_ref().map(|one| one.order) == order;
    for (candidate, part) in (0..).zip(&document.variants).filter(|(_, part)| is_judged(part)) {
        match baseline_of(part).map(|saved| &saved.time) {
            Some(Ok(SavedTime { seconds, error, allocated })) => entries.push(Entry {
                candidate,
                seconds: *seconds,
                relative_error: error.unwrap_or(0.0),
                allocated: *allocated,
            }),
            Some(Err(reason)) => left_out.push((part.name.clone(), reason.clone())),
            None => left_out.push((part.name.clone(), "it is not in the file".to_owned())),
        }
    }
    (entries, left_out)
}

/// Adds the baseline as a separate variant, and returns its number.
fn add_variant(document: &mut Document, entry: &Entry, file: &str) -> u32 {
    let number = u32::try_from(document.variants.len()).expect("at most 2^20");
    let candidate = &document.variants[entry.candidate as usize];
    let benchmark = candidate.labels.benchmark.clone().map(|benchmark| BenchmarkLabel {
        executable: Some(file.to_owned()),
        made_of: Vec::new(),
        baseline: None,
        ..benchmark
    });
    let labels = Labels { benchmark, ..Labels::default() };
    let name = format!("{} ({file})", candidate.name);
    document.variants.push(Contender { name, command: file.to_owned(), labels });
    let time = std::iter::once((TIME_PER_ITERATION, entry.seconds));
    let readings = time.chain(entry.allocated.map(|bytes| (ALLOCATED_PER_ITERATION, bytes)));
    document
        .summaries
        .extend(readings.map(|(id, value)| MetricSummary::of_one(number, id, Source::Run, value)));
    number
}

/// Adds the comparison of an entry's variant with the baseline at this level.
fn add_comparison(
    document: &mut Document,
    baseline: u32,
    candidate: u32,
    estimate: &RatioEstimate,
    alpha: f64,
    is_busy: bool,
) {
    let critical = stats::unpaired::critical(estimate.rounds, alpha);
    let margin = document.experiment.margin;
    let verdict = match verdict::verdict(estimate, Direction::Lower, margin) {
        Verdict::Regressed if is_busy => Verdict::Inconclusive,
        verdict => verdict,
    };
    let part = ComparedPair {
        within_margin: margin.holds(estimate),
        basis: Basis::OneProcess,
        ..compared(TIME_PER_ITERATION, baseline, candidate, estimate, critical, verdict)
    };
    document.answers.push((&part).into());
    if let Some(change) = part.detectable {
        let most = document.detectable.entry(TIME_PER_ITERATION).or_insert(change);
        *most = most.max(change);
    }
    document.comparisons.push(part);
}

/// A comparison with an old side, and the smallest change that it would have found nine times in ten.
fn compared(
    metric: MetricId,
    baseline: u32,
    candidate: u32,
    estimate: &RatioEstimate,
    critical: f64,
    verdict: Verdict,
) -> ComparedPair {
    let change = detect::smallest_detectable(estimate.log_half_width(), critical, POWER);
    ComparedPair {
        metric,
        source: Source::Run,
        baseline,
        candidate,
        ratio: estimate.ratio,
        difference: None,
        bound: None,
        low: estimate.low,
        high: Some(estimate.high).filter(|high| high.is_finite()),
        verdict,
        within_margin: false,
        basis: Basis::Experiments,
        rounds: estimate.rounds,
        more_rounds: None,
        detectable: Some(change).filter(|change| change.is_finite()),
        machine: None,
    }
}

/// Adds the baseline as the old program of the suite.
fn put_in_suite(document: &mut Document, file: &str, entries: &[Entry]) {
    let first = document.variants.len() - entries.len();
    let number = |candidate: u32| {
        let place = entries.iter().position(|entry| entry.candidate == candidate)?;
        u32::try_from(first + place).ok()
    };
    let Some(suite) = document.suite_mut() else { return };
    let harness = suite.programs.first().map(|one| one.harness.clone()).unwrap_or_default();
    suite.programs.insert(0, SuiteProgram { name: file.to_owned(), harness });
    let of_programs = (suite.levels.iter_mut().map(|part| &mut part.program))
        .chain(suite.idle.iter_mut().map(|part| &mut part.program))
        .chain(suite.made_of.iter_mut().map(|part| &mut part.program))
        .chain(suite.dependences.iter_mut().map(|part| &mut part.program))
        .chain(suite.after.iter_mut().map(|part| &mut part.program))
        .chain(suite.waits.iter_mut().map(|part| &mut part.program))
        .chain(suite.regimes.iter_mut().map(|part| &mut part.program))
        .chain(suite.company.iter_mut().map(|part| &mut part.program));
    of_programs.for_each(|program| *program += 1);
    for benchmark in &mut suite.benchmarks {
        let candidate = benchmark.variants.first().copied().flatten();
        benchmark.variants.insert(0, candidate.and_then(number));
    }
}

/// The results of a command in one stored experiment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Side {
    /// The experiment's number.
    pub experiment: i64,
    /// The day of the experiment.
    pub date: String,
    /// The variant.
    pub part: Contender,
    /// Its readings.
    pub summaries: Vec<MetricSummary>,
}

/// The document with the stored side and its comparison with every variant. `further` are other
/// experiments of its command, `members` the metrics to judge.
#[must_use]
pub(crate) fn with_side(
    mut document: Document,
    side: &Side,
    further: &[Side],
    members: &[Member],
) -> Document {
    let stored = u32::try_from(document.variants.len()).expect("at most 2^20");
    let name = format!("stored experiment {}: {}", side.experiment, side.part.name);
    document.variants.push(Contender { name, ..side.part.clone() });
    let own = side.summaries.iter().cloned();
    document.summaries.extend(own.map(|part| MetricSummary { variant: stored, ..part }));
    let named = document.experiment.metrics.as_ref();
    let answering = match named {
        Some(named) => named.first(),
        None => members.iter().find(|member| member.decides).map(|member| &member.metric),
    };
    let answering = answering.cloned();
    for candidate in 0..stored {
        for member in members {
            let answers = answering.as_ref() == Some(&member.metric);
            let part = compare(&document, stored, candidate, further, member, answers);
            let Some(part) = part else { continue };
            if answers {
                document.answers.push((&part).into());
            }
            document.comparisons.push(part);
        }
    }
    // Within a candidate, interleaved comparisons come first.
    document.comparisons.sort_by_key(|part| part.candidate);
    let dates = || further.iter().chain([side]).map(|one| one.date.clone());
    document.notes.push(Note::StoredExperiment {
        experiment: side.experiment,
        date: side.date.clone(),
        further: further.iter().map(|one| one.experiment).collect(),
        since: dates().min().unwrap_or_default(),
        wait_share: wait_share(&document, stored).filter(|share| *share >= CONTENTION_SHARE),
    });
    document
}

/// Compares one metric; without an interval only in the metric that answers.
fn compare(
    document: &Document,
    stored: u32,
    candidate: u32,
    further: &[Side],
    member: &Member,
    answers: bool,
) -> Option<ComparedPair> {
    let metric = metric::find(&member.metric)?;
    let of = |variant: u32| timed(document.summaries_of(variant), &member.metric);
    let (old, new) = (of(stored)?, of(candidate)?);
    let others = further.iter().filter_map(|side| timed(side.summaries.iter(), &member.metric));
    let others: Vec<f64> = others.map(|part| document.figure(part)).collect();
    let exact = from_or_to_zero(new, old).filter(|_| metric.nature(Source::Run) == Nature::Counted);
    let basis = if exact.is_some() { Basis::Exact } else { Basis::Experiments };
    let estimate = match (level(document, new), level(document, old)) {
        _ if let Some(exact) = exact => Some(exact.ratio),
        (Some(new), Some(old)) => unpaired::ratio_to_stored(new, old, &others, member.alpha).ok(),
        _ => None,
    };
    let figures = [old, new].map(|part| document.figure(part));
    let difference = exact.and_then(|exact| exact.difference).map(ShiftFromZero::from);
    let difference = difference.or_else(|| {
        let is_of_zero = figures[0] != figures[1] && figures.contains(&0.0);
        is_of_zero.then(|| ShiftFromZero::between(figures[0], figures[1]))
    });
    let ratio = difference.map_or(figures[1] / figures[0], ShiftFromZero::ratio);
    let estimate = match estimate {
        None if !answers || ratio.is_nan() => return None,
        None => RatioEstimate { ratio, low: 0.0, high: f64::INFINITY, rounds: 1 },
        Some(estimate) => estimate,
    };
    let margin = document.experiment.margin;
    let waits = |variant| {
        member.metric == WALL_TIME
            && wait_share(document, variant).is_some_and(|share| share >= CONTENTION_SHARE)
    };
    // Waiting for a processor slows down any program.
    let verdict = match verdict::verdict(&estimate, metric.direction, margin) {
        Verdict::Regressed if waits(candidate) => Verdict::Inconclusive,
        Verdict::Improved if waits(stored) => Verdict::Inconclusive,
        verdict => verdict,
    };
    let critical = unpaired::critical(estimate.rounds.max(2), member.alpha);
    Some(ComparedPair {
        difference,
        within_margin: margin.holds(&estimate),
        basis,
        rounds: document.experiment.rounds as usize,
        ..compared(member.metric.clone(), stored, candidate, &estimate, critical, verdict)
    })
}

/// The effect of values that were constant in all runs of each experiment, if one of them is 0.
fn from_or_to_zero(new: &MetricSummary, old: &MetricSummary) -> Option<Effect> {
    let effect = stats::difference::exact_effect(&[old.min, old.max], &[new.min, new.max])?;
    effect.difference.map(|_| effect)
}

/// The summary of the timed runs, unless it is only an upper bound.
fn timed<'a>(
    mut parts: impl Iterator<Item = &'a MetricSummary>,
    metric: &MetricId,
) -> Option<&'a MetricSummary> {
    parts.find(|part| part.metric == *metric && part.source == Source::Run && !part.at_most)
}

/// The figure of an experiment with its error, as far as the spread of its runs shows it; `None`
/// for a single run, whose spread is unknown.
fn level(document: &Document, part: &MetricSummary) -> Option<ExperimentLevel> {
    let value = document.figure(part);
    Some(match (part.low, part.high) {
        (Some(low), Some(high)) => ExperimentLevel::of_interval(value, low, high),
        _ => ExperimentLevel::of_runs(value, part.sd?, part.n),
    })
}

/// The share of the wall time that a variant spent waiting for a processor, if known.
fn wait_share(document: &Document, variant: u32) -> Option<f64> {
    let mean =
        |metric: MetricId| timed(document.summaries_of(variant), &metric).map(|part| part.mean);
    let share = mean(CPU_WAIT)? / mean(WALL_TIME)?;
    share.is_finite().then_some(share)
}
