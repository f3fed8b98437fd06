//! A baseline saved by a harness, as the old side of a suite's comparison.
//!
//! It is a single process that cannot be measured again: `stats::unpaired` describes the
//! consequences. In the document it is a variant that never ran, after all those that did.

use stats::RatioEstimate;

use findings::{ComparedPair, Contender, Document, MetricSummary, SuiteProgram};
use judge::comparison::{Basis, POWER};
use judge::diagnosis::CONTENTION_SHARE;
use model::design;
use model::metric::{ALLOCATED_PER_ITERATION, Direction, Source, TIME_PER_ITERATION};
use model::note::Note;
use model::spec::labels::{BenchmarkLabel, Labels, SavedBaseline, SavedTime};
use model::spec::suite::Arrangement;
use model::verdict::{self, Verdict};

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
    /// The variant it is compared with.
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
                let pair = (baseline, entry.candidate);
                let detectable = detectable(&estimate, alpha);
                add_comparison(&mut document, pair, &estimate, detectable, is_busy);
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

/// The smallest change that would have been found nine times in ten, as a fraction.
fn detectable(estimate: &RatioEstimate, alpha: f64) -> Option<f64> {
    let critical = stats::unpaired::critical(estimate.rounds, alpha);
    let width = estimate.log_half_width();
    let change = stats::detect::smallest_detectable(width, critical, POWER);
    change.is_finite().then_some(change)
}

fn add_comparison(
    document: &mut Document,
    (baseline, candidate): (u32, u32),
    estimate: &RatioEstimate,
    detectable: Option<f64>,
    is_busy: bool,
) {
    let margin = document.experiment.margin;
    let verdict = match verdict::verdict(estimate, Direction::Lower, margin) {
        Verdict::Regressed if is_busy => Verdict::Inconclusive,
        verdict => verdict,
    };
    let part = ComparedPair {
        metric: TIME_PER_ITERATION,
        source: Source::Run,
        baseline,
        candidate,
        ratio: estimate.ratio,
        difference: None,
        bound: None,
        low: estimate.low,
        high: Some(estimate.high).filter(|high| high.is_finite()),
        verdict,
        within_margin: margin.holds(estimate),
        basis: Basis::OneProcess,
        rounds: estimate.rounds,
        more_rounds: None,
        detectable,
        machine: None,
    };
    document.answers.push((&part).into());
    document.comparisons.push(part);
    if let Some(change) = detectable {
        let most = document.detectable.entry(TIME_PER_ITERATION).or_insert(change);
        *most = most.max(change);
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
