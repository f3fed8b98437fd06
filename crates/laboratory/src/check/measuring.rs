//! Measures the programs of the expectations, and reads the values that these name.
//!
//! A ratio is the planned comparison of the experiment, at the level of the look that settled it. A
//! level is the median with the interval of the sign test, which holds for any distribution
//! (Conover, *Practical Nonparametric Statistics*, 1999, section 3.2), at the same level; counts
//! that were equal in every run are exact.

use std::collections::HashMap;

use configuration::settings;
use findings::{Bound, CheckFinding, ComparedPair, Document, MetricSummary};
use judge::comparison::Basis;
use judge::expectation::{Figures, Lack, Request};
use judge::level::{Interval, QuantileValue, level_at};
use measure::Launcher;
use model::commission::Kind;
use model::design::contrasts::{Contrasts, Failing};
use model::design::stopping::StoppingRule;
use model::expectation::Subject;
use model::failure::Failure;
use model::json::ratio;
use model::metric::{self, Direction, MetricId, Missing, Nature, Source};
use model::note::Note;
use model::sample::Columns;
use model::spec::Experiment;
use model::spec::project::{Benchmark, Expected};
use model::spec::reading::Sources;
use model::spec::suite::Suite;
use stats::describe::{SampleSummary, summarise};
use store::record::Addition;
use store::{ExperimentId, Place, Store, StoreError};

use super::programs::{Part, Programs, RunnerKind, Seat};
use super::question::Question;
use crate::archive;
use crate::conduct::Conducted;
use crate::measured::BUDGET_RUNS;
use crate::question::{self, Asker, Site};
use crate::watcher::{Event, Watcher};

/// The measurements: the experiment of the commands, and that of benchmarks inside programs.
#[derive(Default)]
pub(super) struct Measurement {
    measured: Vec<Measured>,
}

struct Measured {
    kind: RunnerKind,
    id: ExperimentId,
    document: Document,
    /// The values of single variants.
    levels: Levels,
}

impl Measurement {
    /// Measures the programs until each comparison is settled, or the budget is spent.
    pub(super) fn from_programs(
        question: &Question<'_>,
        asker: &Asker,
        programs: &Programs,
        place: &Place,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let mut this = Self::default();
        let requests = &programs.requests;
        let measuring = Measuring { question, asker, programs, requests, place };
        for (kind, part, suite) in [
            (RunnerKind::Command, &programs.commands, None),
            (RunnerKind::Suite, &programs.suites, programs.suite.as_ref()),
        ] {
            if let Some(experiment) = &part.experiment {
                this.measured
                    .push(measuring.part(kind, part, experiment, suite, launcher, watcher)?);
            }
        }
        Ok(this)
    }

    fn of_kind(&self, kind: RunnerKind) -> Option<&Measured> {
        self.measured.iter().find(|one| one.kind == kind)
    }

    /// The document of the experiment with commands, or with benchmarks inside programs.
    fn document_of(&self, kind: RunnerKind) -> Option<&Document> {
        self.of_kind(kind).map(|one| &one.document)
    }

    /// The document of the experiment with commands, to be completed.
    pub(super) fn commands_mut(&mut self) -> Option<&mut Document> {
        let of_commands = self.measured.iter_mut().find(|one| one.kind == RunnerKind::Command);
        of_commands.map(|one| &mut one.document)
    }

    pub(super) fn level(
        &self,
        kind: RunnerKind,
        metric: &MetricId,
        variant: u32,
    ) -> Option<Interval> {
        self.of_kind(kind)?.levels.get(metric, variant)
    }

    /// The documents, each with its number in the store.
    pub(super) fn documents(&self) -> impl Iterator<Item = (ExperimentId, &Document)> {
        self.measured.iter().map(|one| (one.id, &one.document))
    }

    /// The largest share of their time that programs waited for a processor, if it deserves a note.
    pub(super) fn wait_share(&self) -> Option<f64> {
        let notes = self.measured.iter().flat_map(|one| &one.document.notes);
        let shares = notes.filter_map(|note| match note {
            Note::Contention { wait_share, .. } => Some(*wait_share),
            _ => None,
        });
        shares.reduce(f64::max)
    }

    /// Stores the results of the expectations, so that they can be accepted later.
    pub(super) fn keep(mut self, found: &CheckFinding, place: &Place) -> Result<Self, Failure> {
        for Measured { id, document, .. } in &mut self.measured {
            Addition::Check(found.clone()).put_in(document);
            let mut store = Store::open(place)?;
            archive::finish(&mut store, *id, document)?;
        }
        Ok(self)
    }
}

struct Measuring<'a> {
    question: &'a Question<'a>,
    asker: &'a Asker,
    programs: &'a Programs,
    requests: &'a [Request],
    place: &'a Place,
}

impl Measuring<'_> {
    fn part(
        &self,
        kind: RunnerKind,
        part: &Part,
        experiment: &Experiment,
        suite: Option<&Suite>,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<Measured, Failure> {
        let (question, arguments) = (self.question, self.question.arguments);
        let benchmarks = question.benchmarks(part.benchmarks.iter().copied());
        let is_measured = |expected: &Expected| !self.programs.skips(expected);
        let is_of_kind = |subject: &Subject| self.programs.kind(subject) == Some(kind);
        let metrics = question.metrics(&is_measured, is_of_kind);
        let mut contrasts = part.contrasts(self.requests.len(), &metrics);
        contrasts.limits = self.programs.limits(kind, question.expectations());
        let rule = self.rule(part, &contrasts, suite, &benchmarks, &metrics)?;
        if experiment.outlives_failures {
            contrasts.failing = Failing::CostsTheRun;
        }
        let reading = settings::reading(&arguments.reading(), &benchmarks).sources();
        let measured = question::Question {
            project: Some(question.key.clone()),
            title: format!("check of {}", question.name()),
            suite,
            sources: if suite.is_some() { Sources::NONE } else { reading },
            metrics: Some(metrics.clone()),
            seed: arguments.stopping.seed,
            asker: self.asker.clone(),
            ..question::Question::new(Kind::Check, experiment, contrasts, &rule)
        };
        watcher.on(Event::Remark(&measured.remark()));
        let site = Site::new(question.engine.as_ref(), arguments.measuring.hold.no_wait);
        let measured = measured.measure(self.place, &site, launcher, None, watcher)?;
        let lone = (1.0 - rule.confidence) / self.requests.len().max(1) as f64;
        let precision = Precision::new(&measured.conducted, &part.pairs, &metrics, lone);
        let (store, id, document) = measured.completed(self.place, false, watcher)?;
        let levels = Levels::load(&store, id, &document, &metrics, &precision)?;
        Ok(Measured { kind, id, document, levels })
    }

    /// The stopping rule: the results are asked for, not the smallest detectable change.
    fn rule(
        &self,
        part: &Part,
        contrasts: &Contrasts,
        suite: Option<&Suite>,
        benchmarks: &[&Benchmark],
        metrics: &[MetricId],
    ) -> Result<StoppingRule, Failure> {
        let options = settings::stopping(&self.question.arguments.stopping, benchmarks);
        let usual = StoppingRule::BUDGET_SECONDS_A_VARIANT * part.benchmarks.len().max(1) as f64;
        let of_suite = suite
            .map_or(0.0, |suite| BUDGET_RUNS * suite.seconds_per_run * suite.members.len() as f64);
        let rule = options.rule_within(usual.max(of_suite))?;
        let rule = StoppingRule { resolution: 1.0, ..rule };
        Ok(options.with_enough_rounds(rule, contrasts, Some(metrics)))
    }
}

/// The order of preference among sources of a metric: counters that were asked for come first.
const SOURCES: [Source; 3] = [Source::Runtime, Source::Valgrind, Source::Run];

/// The required certainty of the level of each variant, and the rounds it is taken from.
#[derive(Debug)]
struct Precision {
    /// The probability of a false interval, by variant and metric.
    alphas: HashMap<(u32, MetricId), f64>,
    /// The probability of a false interval that no look judged.
    lone: f64,
    /// The number of rounds after which each variant's level was settled.
    rounds: HashMap<u32, usize>,
}

impl Precision {
    /// The precision that the looks allow; `lone` is the error of an interval that no look judged.
    pub(super) fn new(
        conducted: &Conducted,
        pairs: &[(u32, u32)],
        metrics: &[MetricId],
        lone: f64,
    ) -> Self {
        let sequence = &conducted.sequence;
        let (mut alphas, mut rounds) = (HashMap::new(), HashMap::new());
        let levels = pairs.iter().zip(&conducted.settled_at);
        for (&(variant, _), &settled) in levels.filter(|((low, high), _)| low == high) {
            if let Some(until) = settled.and_then(|look| sequence.rounds_at(look)) {
                rounds.insert(variant, until as usize);
            }
            for metric in metrics {
                let look = match settled {
                    Some(look) => sequence.level_at(look, metric),
                    None => sequence.level(metric),
                };
                if let Some(look) = look {
                    alphas.insert((variant, metric.clone()), look.nominal_alpha);
                }
            }
        }
        Self { alphas, lone, rounds }
    }

    fn alpha(&self, variant: u32, metric: &MetricId, source: Source) -> f64 {
        match self.alphas.get(&(variant, metric.clone())) {
            Some(alpha) if source == Source::Run => *alpha,
            // Instrumented runs are judged in one look.
            _ => self.lone,
        }
    }
}

/// The values of single variants.
#[derive(Debug, Default)]
pub(super) struct Levels(HashMap<(u32, MetricId), Interval>);

impl Levels {
    pub(super) fn get(&self, metric: &MetricId, variant: u32) -> Option<Interval> {
        self.0.get(&(variant, metric.clone())).copied()
    }

    fn load(
        store: &Store,
        id: ExperimentId,
        document: &Document,
        metrics: &[MetricId],
        precision: &Precision,
    ) -> Result<Self, StoreError> {
        let rounds = document.experiment.rounds;
        let mut columns = Columns::of_experiment(document.variants.len(), rounds, false);
        store.for_each_run(id, &mut |run| -> Result<(), StoreError> {
            if run.place.source != Source::Run || run.place.round < rounds {
                columns.push(&run, |read| metrics.iter().any(|id| id.is_told_from(read)));
            }
            Ok(())
        })?;
        let mut levels = HashMap::new();
        for metric in metrics {
            for (variant, _) in (0..).zip(&document.variants) {
                let Some(summary) = summary(document, variant, metric) else { continue };
                let Some(column) = columns.get(metric, summary.source) else { continue };
                let until = match summary.source {
                    Source::Run => precision.rounds.get(&variant).copied(),
                    _ => None,
                };
                let values = column.first_rounds(until.unwrap_or(usize::MAX)).of_variant(variant);
                let alpha = precision.alpha(variant, metric, summary.source);
                let level = level(metric, summary, &values, alpha);
                levels.extend(level.map(|level| ((variant, metric.clone()), level)));
            }
        }
        Ok(Self(levels))
    }
}

fn summary<'a>(
    document: &'a Document,
    variant: u32,
    metric: &MetricId,
) -> Option<&'a MetricSummary> {
    SOURCES.into_iter().find_map(|source| document.summary(variant, metric, source))
}

/// The median or quantile with its interval; a missing lower bound is 0.
fn level(
    metric: &MetricId,
    summary: &MetricSummary,
    values: &[f64],
    alpha: f64,
) -> Option<Interval> {
    let SampleSummary { n, min, max, .. } = summarise(values)?;
    let QuantileValue { value, low, high } = level_at(metric, values, alpha)?;
    let nature = metric::find(metric)?.nature(summary.source);
    let is_exact = nature == Nature::Counted && n > 1 && min == max;
    let least = if summary.at_most { Some(0.0) } else { None };
    match is_exact {
        true => Interval::new(value, least.unwrap_or(min), max),
        false => inexact(value, least.or(low).unwrap_or(0.0), high.unwrap_or(f64::INFINITY)),
    }
}

/// An interval of a value that may vary. Readings come in steps, such as pages, so its width may be
/// 0 although not every run gave the same value. It then gets the smallest possible width, because
/// an interval without width would claim that the value is exact.
fn inexact(estimate: f64, low: f64, high: f64) -> Option<Interval> {
    if low < high {
        Interval::new(estimate, low, high)
    } else {
        Interval::new(estimate, low.next_down().max(0.0), high.next_up())
    }
}

/// The measured ratio of a comparison, as an interval; the inverse if that was planned.
fn ratio_of(part: &ComparedPair, is_inverse: bool) -> Option<Interval> {
    let (low, high) = match (part.bound, part.high.unwrap_or(f64::INFINITY)) {
        (None, high) => (part.low, high),
        (Some(Bound::AtLeast), _) => (part.low, f64::INFINITY),
        (Some(Bound::AtMost), high) => (0.0, high),
    };
    let (estimate, low, high) = if is_inverse {
        (1.0 / part.ratio, 1.0 / high, 1.0 / low)
    } else {
        (part.ratio, low, high)
    };
    // An interval needs an estimate; a ratio to 0 exceeds every limit.
    let (estimate, low) = (estimate.min(ratio::INFINITE), low.min(ratio::INFINITE));
    match part.basis {
        Basis::Exact => Interval::new(estimate, low, high),
        Basis::Ratios | Basis::Differences | Basis::OneProcess | Basis::Experiments => {
            inexact(estimate, low, high)
        }
    }
}

/// True if both sides are known and exactly one is 0.
fn is_of_zero(part: &ComparedPair) -> bool {
    part.difference.is_some() && (part.ratio == 0.0 || part.ratio.is_infinite())
}

/// The measurements, by the names that expectations use.
pub(super) struct MeasuredFigures<'a> {
    pub programs: &'a Programs,
    pub measurement: &'a Measurement,
}

impl MeasuredFigures<'_> {
    /// The lack of a metric that should have been read, but was not.
    fn unread(&self, metric: &MetricId, kind: RunnerKind, variant: Option<u32>) -> Lack {
        let document = self.measurement.document_of(kind);
        let missing = document.into_iter().flat_map(|doc| &doc.missing);
        let mut of_variant =
            missing.filter(|part| part.metric == *metric && Some(part.variant) == variant);
        let told = of_variant.next().map(|part| part.reason.clone());
        Lack::Unmeasured(Missing(told.map_or("it was not read".into(), Into::into)))
    }

    /// True if a benchmark was left out because it failed repeatedly.
    fn is_given_up(&self, kind: RunnerKind, variant: Option<u32>) -> bool {
        let suite = self.measurement.document_of(kind).and_then(|document| document.suite());
        let mut given_up = suite.into_iter().flat_map(|suite| &suite.given_up);
        given_up.any(|one| Some(one.variant) == variant)
    }
}

impl Figures for MeasuredFigures<'_> {
    fn level(&self, metric: &MetricId, subject: &Subject) -> Result<Interval, Lack> {
        let Seat { kind, variant, .. } = self.programs.seat(subject)?;
        if self.is_given_up(kind, variant) {
            return Err(self.unread(metric, kind, variant));
        }
        let known = variant.and_then(|variant| self.measurement.level(kind, metric, variant));
        let document = self.measurement.document_of(kind);
        let is_read = document
            .zip(variant)
            .is_some_and(|(document, variant)| summary(document, variant, metric).is_some());
        known.ok_or_else(|| match is_read {
            true => Lack::Untold(Missing("too few readings tell it".into())),
            false => self.unread(metric, kind, variant),
        })
    }

    fn ratio(
        &self,
        metric: &MetricId,
        numerator: &Subject,
        denominator: &Subject,
    ) -> Result<Interval, Lack> {
        let above = self.programs.seat(numerator)?;
        let below = self.programs.seat(denominator)?;
        if above.program == below.program {
            return Ok(Interval::exact(1.0).expect("1 is finite"));
        }
        let kind = above.kind;
        let (Some(candidate), Some(baseline)) = (above.variant, below.variant) else {
            return Err(self.unread(metric, kind, None));
        };
        for variant in [baseline, candidate] {
            if self.is_given_up(kind, Some(variant)) {
                return Err(self.unread(metric, kind, Some(variant)));
            }
        }
        let because = |why: &'static str| Err(Lack::Untold(Missing(why.into())));
        let document = self.measurement.document_of(kind);
        let compared = document.and_then(|document| {
            let of = |source| {
                let planned = document.comparison_of(baseline, candidate, metric, source);
                let inverse = document.comparison_of(candidate, baseline, metric, source);
                planned.map(|part| (part, false)).or(inverse.map(|part| (part, true)))
            };
            SOURCES.into_iter().find_map(of)
        });
        let has = |variant| document.and_then(|document| summary(document, variant, metric));
        match compared {
            // A ratio to a median that is taken as known is only compared with 1.
            Some((part, _)) if part.basis == Basis::Differences && !is_of_zero(part) => {
                because("some readings are 0, so there is no ratio")
            }
            Some((part, is_inverse)) => ratio_of(part, is_inverse)
                .ok_or_else(|| Lack::Untold(Missing("it is too large to compute".into()))),
            None => match (has(baseline), has(candidate)) {
                (None, _) => Err(self.unread(metric, kind, Some(baseline))),
                (_, None) => Err(self.unread(metric, kind, Some(candidate))),
                (Some(b), Some(c)) if b.at_most || c.at_most => {
                    because("the values are only upper bounds")
                }
                _ if metric::find(metric).is_some_and(|m| m.direction == Direction::Context) => {
                    because("less of it is neither better nor worse, so it is not compared")
                }
                _ => because("too few rounds have a value of both"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use model::metric::{ALLOCATED, PEAK_RSS};
    use model::verdict::Verdict;

    use super::*;

    fn summary(source: Source, at_most: bool) -> MetricSummary {
        MetricSummary { at_most, ..MetricSummary::of_one(0, PEAK_RSS, source, 0.0) }
    }

    fn ends(level: Option<Interval>) -> (f64, f64) {
        let level = level.expect("there are values");
        (level.low(), level.high())
    }

    #[test]
    fn the_interval_of_a_median_is_that_of_the_sign_test() {
        let values: Vec<f64> = (1..=12).map(f64::from).collect();
        let of = |alpha| ends(level(&PEAK_RSS, &summary(Source::Run, false), &values, alpha));
        // 2 * P(at most 2 of 12 heads) is 158/4096, below 0.05; at most 3, 598/4096, is above.
        assert_eq!(of(0.05), (3.0, 10.0));
        // 2 / 4096 is the smallest probability that twelve values allow.
        assert_eq!(of(0.0005), (1.0, 12.0));
        assert_eq!(of(0.0004), (0.0, f64::INFINITY));
        let at_floor = level(&PEAK_RSS, &summary(Source::Run, true), &values, 0.05);
        assert_eq!(ends(at_floor), (0.0, 10.0));
    }

    #[test]
    fn only_counts_that_never_differed_are_exact() {
        let of = |metric, source, values: &[f64]| {
            level(&metric, &summary(source, false), values, 0.05).expect("there are values")
        };
        assert!(of(ALLOCATED, Source::Runtime, &[7.0; 2]).is_exact());
        assert!(!of(ALLOCATED, Source::Runtime, &[7.0; 1]).is_exact());
        assert!(!of(PEAK_RSS, Source::Run, &[7.0; 12]).is_exact());
        let mut seldom = [7.0; 30];
        seldom[3] = 8.0;
        assert!(!of(PEAK_RSS, Source::Run, &seldom).is_exact());
    }

    fn compared(ratio: f64, low: f64, high: Option<f64>, bound: Option<Bound>) -> ComparedPair {
        ComparedPair {
            metric: PEAK_RSS,
            source: Source::Run,
            baseline: 0,
            candidate: 1,
            ratio,
            difference: None,
            bound,
            low,
            high,
            verdict: Verdict::Inconclusive,
            within_margin: false,
            basis: Basis::Ratios,
            rounds: 12,
            more_rounds: None,
            detectable: None,
            machine: None,
        }
    }

    #[test]
    fn a_ratio_is_turned_around_where_its_inverse_was_planned() {
        let plain = compared(2.0, 1.0, Some(4.0), None);
        assert_eq!(ends(ratio_of(&plain, false)), (1.0, 4.0));
        assert_eq!(ends(ratio_of(&plain, true)), (0.25, 1.0));
        let open = compared(2.0, 1.0, None, None);
        assert_eq!(ends(ratio_of(&open, true)), (0.0, 1.0));
        let at_most = compared(0.5, 0.4, Some(0.8), Some(Bound::AtMost));
        assert_eq!(ends(ratio_of(&at_most, false)), (0.0, 0.8));
        assert_eq!(ends(ratio_of(&at_most, true)), (1.25, f64::INFINITY));
        let over_zero = compared(f64::INFINITY, f64::INFINITY, None, None);
        assert_eq!(ends(ratio_of(&over_zero, false)), (ratio::INFINITE, f64::INFINITY));
        assert!(ends(ratio_of(&over_zero, true)).1 < 1e-300);
        assert!(!ratio_of(&compared(1.0, 1.0, Some(1.0), None), false).expect("finite").is_exact());
    }
}
