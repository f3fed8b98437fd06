//! Measures the programs of the expectations.

use measure::Launcher;

use super::figures::{Levels, Precision};
use super::programs::{Part, Programs, RunnerKind};
use super::question::Question;
use crate::measured::BUDGET_RUNS;
use crate::question::{Asker, Site};
use crate::watcher::{Event, Watcher};
use crate::{archive, question};
use configuration::settings;
use findings::{CheckFinding, CheckedExpectation, Document};
use judge::expectation::Request;
use judge::level::Interval;
use model::commission::Kind;
use model::design::contrasts::{Contrasts, Failing};
use model::design::stopping::StoppingRule;
use model::failure::Failure;
use model::metric::MetricId;
use model::note::Note;
use model::spec::Experiment;
use model::spec::project::Benchmark;
use model::spec::reading::Sources;
use model::spec::suite::Suite;
use store::record::Addition;
use store::{ExperimentId, Place, Store};

/// The measurements; empty if there was nothing to measure. Commands and the benchmarks inside
/// programs are separate experiments.
#[derive(Default)]
pub(super) struct Measurement {
    measured: Vec<Measured>,
}

/// One experiment.
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
        requests: &[Request],
        place: &Place,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let mut this = Self::default();
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
    pub(super) fn document_of(&self, kind: RunnerKind) -> Option<&Document> {
        self.of_kind(kind).map(|one| &one.document)
    }

    /// The value of a single variant in that experiment.
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

    /// Stores the results of the expectations with the experiment, so that they can be accepted
    /// later.
    pub(super) fn keep(
        mut self,
        question: &Question<'_>,
        checked: &[CheckedExpectation],
        place: &Place,
    ) -> Result<Self, Failure> {
        let wait_share = self.wait_share();
        for Measured { id, document, .. } in &mut self.measured {
            let check = CheckFinding {
                wait_share,
                project: question.key.clone(),
                commit: question.head.as_ref().map(|head| head.hash.clone()),
                expectations: checked.to_vec(),
            };
            Addition::Check(check).put_in(document);
            let mut store = Store::open(place)?;
            archive::finish(&mut store, *id, document)?;
        }
        Ok(self)
    }
}

/// The common input of both experiments.
struct Measuring<'a> {
    question: &'a Question<'a>,
    asker: &'a Asker,
    programs: &'a Programs,
    requests: &'a [Request],
    place: &'a Place,
}

impl Measuring<'_> {
    /// Measures the commands, or the benchmarks inside programs.
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
        let metrics = question.metrics(|subject| self.programs.kind(subject) == Some(kind));
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

    /// The stopping rule: the question is the result of the expectations, not the smallest
    /// detectable change.
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
