//! A variant of a stored experiment as the other side of a comparison.
//!
//! It was not interleaved with the variants it is compared with; `stats::unpaired` describes the
//! consequences. In the document it is a variant that never ran here, after all those that did.

use stats::difference::Effect;
use stats::unpaired::{self, ExperimentLevel};
use stats::{RatioEstimate, detect};

use findings::{ComparedPair, Contender, Document, MetricSummary, ShiftFromZero};
use judge::comparison::{Basis, POWER};
use judge::diagnosis::CONTENTION_SHARE;
use model::design::Member;
use model::metric::{self, CPU_WAIT, MetricId, Nature, Source, WALL_TIME};
use model::note::Note;
use model::verdict::{self, Verdict};

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
            let pair = (stored, candidate);
            let Some(part) = compare(&document, pair, further, member, answers) else { continue };
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

/// Compares one metric. An impossible comparison is left out or, in the metric that answers,
/// inconclusive without an interval.
fn compare(
    document: &Document,
    (stored, candidate): (u32, u32),
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
    let detectable = detect::smallest_detectable(estimate.log_half_width(), critical, POWER);
    Some(ComparedPair {
        metric: member.metric.clone(),
        source: Source::Run,
        baseline: stored,
        candidate,
        ratio: estimate.ratio,
        difference,
        bound: None,
        low: estimate.low,
        high: Some(estimate.high).filter(|high| high.is_finite()),
        verdict,
        within_margin: margin.holds(&estimate),
        basis,
        rounds: document.experiment.rounds as usize,
        more_rounds: None,
        detectable: Some(detectable).filter(|change| change.is_finite()),
        machine: None,
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
