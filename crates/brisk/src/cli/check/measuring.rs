//! Measuring what the expectations rest on.

use measure::Launcher;

use super::figures::{Levels, Precision};
use super::programs::{Part, Programs, RunnerKind};
use super::question::Question;
use crate::archive;
use crate::cli::bench::BUDGET_RUNS;
use crate::cli::laboratory::{self, Kept, Laboratory, run_failure};
use crate::cli::options::settings;
use crate::cli::output::Output;
use crate::commission;
use crate::failure::Failure;
use crate::judge::contrasts::Failing;
use crate::judge::expectation::Request;
use crate::judge::interval::Interval;
use crate::judge::stopping::StoppingRule;
use crate::metric::MetricId;
use crate::report::document::ExpectationPart;
use crate::report::document::{CheckPart, Document};
use crate::run::Ending;
use crate::spec::Experiment;
use crate::spec::project::Benchmark;
use crate::spec::reading::Sources;
use crate::spec::suite::Suite;
use crate::store::{ExperimentId, Place, Store};

/// What was measured; nothing where there was nothing to measure. Commands and the benchmarks inside
/// of programs are experiments of their own.
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
    pub(super) fn of(
        (question, output): (&Question<'_>, &Output),
        programs: &Programs,
        requests: &[Request],
        place: &Place,
        launcher: &mut Launcher,
    ) -> Result<Self, Failure> {
        let mut this = Self::default();
        let measuring = Measuring { question, output, programs, requests, place };
        if let Some(experiment) = &programs.commands.experiment {
            this.measured.push(measuring.commands(&programs.commands, experiment, launcher)?);
        }
        if let (Some(experiment), Some(suite)) = (&programs.suites.experiment, &programs.suite) {
            this.measured.push(measuring.suites(
                &programs.suites,
                (suite, experiment),
                launcher,
            )?);
        }
        Ok(this)
    }

    fn of_kind(&self, kind: RunnerKind) -> Option<&Measured> {
        self.measured.iter().find(|one| one.kind == kind)
    }

    /// The document of what was measured of commands, or of benchmarks inside of programs.
    pub(super) fn document_of(&self, kind: RunnerKind) -> Option<&Document> {
        self.of_kind(kind).map(|one| &one.document)
    }

    /// The values of single variants there.
    pub(super) fn level(
        &self,
        kind: RunnerKind,
        metric: &MetricId,
        variant: u32,
    ) -> Option<Interval> {
        self.of_kind(kind)?.levels.get(metric, variant)
    }

    /// The documents, each with the number under which it is stored.
    pub(super) fn documents(&self) -> impl Iterator<Item = (ExperimentId, &Document)> {
        self.measured.iter().map(|one| (one.id, &one.document))
    }

    /// Keeps what became of the expectations with the experiment: it can be accepted later.
    pub(super) fn keep(
        mut self,
        question: &Question<'_>,
        checked: &[ExpectationPart],
        place: &Place,
    ) -> Result<Self, Failure> {
        for Measured { id, document, .. } in &mut self.measured {
            document.check = Some(CheckPart {
                project: question.key.clone(),
                commit: question.head.as_ref().map(|head| head.hash.clone()),
                expectations: checked.to_vec(),
            });
            let mut store = Store::open(place)?;
            archive::finish(&mut store, *id, document)?;
        }
        Ok(self)
    }
}

/// What holds for both experiments.
struct Measuring<'a> {
    question: &'a Question<'a>,
    output: &'a Output,
    programs: &'a Programs,
    requests: &'a [Request],
    place: &'a Place,
}

impl Measuring<'_> {
    fn commands(
        &self,
        part: &Part,
        experiment: &Experiment,
        launcher: &mut Launcher,
    ) -> Result<Measured, Failure> {
        let question = self.question;
        let benchmarks = question.benchmarks(part.benchmarks.iter().copied());
        let metrics =
            question.metrics(|subject| self.programs.kind(subject) == Some(RunnerKind::Command));
        let rule = self.rule(part, &benchmarks, &metrics)?;
        let reading = settings::reading(&question.arguments.reading(), &benchmarks).sources();
        let laboratory = self.laboratory(part, experiment, &rule, &metrics);
        let laboratory = Laboratory { sources: reading, ..laboratory };
        self.output.message(&laboratory.remark());
        let measured = laboratory.measure(self.place, launcher, None)?;
        self.judged(RunnerKind::Command, part, (&metrics, &rule), measured)
    }

    fn suites(
        &self,
        part: &Part,
        (suite, experiment): (&Suite, &Experiment),
        launcher: &mut Launcher,
    ) -> Result<Measured, Failure> {
        let question = self.question;
        let benchmarks = question.benchmarks(part.benchmarks.iter().copied());
        let metrics =
            question.metrics(|subject| self.programs.kind(subject) == Some(RunnerKind::Suite));
        let rule = self.rule(part, &benchmarks, &metrics)?;
        let asked = settings::stopping(&question.arguments.stopping, &benchmarks);
        let seconds = BUDGET_RUNS * suite.seconds_per_run * suite.members.len() as f64;
        let budget_seconds = match rule.budget_seconds {
            Some(usual) if asked.budget.is_none() => Some(usual.max(seconds)),
            asked => asked,
        };
        let rule = StoppingRule { budget_seconds, ..rule };
        let laboratory = self.laboratory(part, experiment, &rule, &metrics);
        let laboratory = Laboratory { suite: Some(suite), ..laboratory };
        self.output.message(&laboratory.remark());
        let measured = laboratory.measure(self.place, launcher, None)?;
        self.judged(RunnerKind::Suite, part, (&metrics, &rule), measured)
    }

    /// When to stop: what is asked is how expectations stand, not how small a change could be seen.
    fn rule(
        &self,
        part: &Part,
        benchmarks: &[&Benchmark],
        metrics: &[MetricId],
    ) -> Result<StoppingRule, Failure> {
        let options = settings::stopping(&self.question.arguments.stopping, benchmarks);
        let rule = options.rule(part.benchmarks.len().max(1));
        let rule = rule?;
        let contrasts = part.contrasts(self.requests.len(), metrics);
        let members = contrasts.members(Some(metrics), &rule);
        Ok(options.with_enough_rounds(StoppingRule { resolution: 1.0, ..rule }, &members))
    }

    fn laboratory<'a>(
        &'a self,
        part: &Part,
        experiment: &'a Experiment,
        rule: &'a StoppingRule,
        metrics: &[MetricId],
    ) -> Laboratory<'a> {
        let arguments = self.question.arguments;
        let mut contrasts = part.contrasts(self.requests.len(), metrics);
        if experiment.outlives_failures {
            contrasts.failing = Failing::CostsTheRun;
        }
        Laboratory {
            experiment,
            contrasts,
            kind: commission::Kind::Check,
            project: Some(self.question.key.clone()),
            subject: None,
            title: format!("check of {}", self.question.name()),
            rule,
            suite: None,
            sources: Sources::NONE,
            samples_memory: false,
            metrics: Some(metrics.to_vec()),
            seed: arguments.stopping.seed,
            budget_is_asked: arguments.stopping.budget.is_some(),
            shows_progress: !arguments.quiet && !arguments.invocation.show_output,
            hold: arguments.hold,
            engine: self.question.engine.as_ref(),
        }
    }

    fn judged(
        &self,
        kind: RunnerKind,
        part: &Part,
        (metrics, rule): (&[MetricId], &StoppingRule),
        measured: laboratory::MeasuredExperiment,
    ) -> Result<Measured, Failure> {
        let lone = (1.0 - rule.confidence) / self.requests.len().max(1) as f64;
        let precision = Precision::new(&measured.conducted, &part.pairs, metrics, lone);
        let (store, id, document) = finished(measured, self.place)?;
        let levels = Levels::load(&store, id, &document, metrics, &precision)?;
        Ok(Measured { kind, id, document, levels })
    }
}

fn finished(
    measured: laboratory::MeasuredExperiment,
    place: &Place,
) -> Result<(Store, ExperimentId, Document), Failure> {
    let laboratory::MeasuredExperiment { id, ending, conducted } = measured;
    let rounds = conducted.rounds;
    let finished = laboratory::finish(place, id, conducted);
    match ending {
        Err(error) => Err(run_failure(&error, Some(Kept { id, rounds, goes_on: false }))),
        Ok(Ending::Aborted) => Err(Failure::new(format!("interrupted after {rounds} rounds"))
            .hint((rounds > 0).then(|| format!("they are stored: `brisk show {id}`")))),
        Ok(Ending::Complete) => {
            let (store, document) = finished?;
            Ok((store, id, document))
        }
    }
}
