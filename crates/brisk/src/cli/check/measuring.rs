//! Measuring what the expectations rest on.

use std::path::Path;

use measure::Launcher;

use super::figures::{Levels, Precision};
use super::programs::Programs;
use super::question::Question;
use crate::archive;
use crate::cli::failure::Failure;
use crate::cli::laboratory::{self, Laboratory, check_counters, run_failure};
use crate::judge::expectation::Request;
use crate::judge::stopping::StoppingRule;
use crate::report::document::{CheckPart, Document, ExpectationPart};
use crate::report::expectations::Checked;
use crate::run::Ending;
use crate::run::instrument;
use crate::run::local::LocalExecutor;
use crate::spec::Experiment;
use crate::spec::project::{Benchmark, settings};
use crate::store::{ExperimentId, Store};

/// What was measured; nothing where there was nothing to measure.
pub(super) struct Measurement {
    measured: Option<(ExperimentId, Document)>,
    /// The values of single variants.
    pub levels: Levels,
}

impl Measurement {
    /// Measures the programs until each comparison is settled, or the budget is spent.
    pub(super) fn of(
        question: &Question<'_>,
        programs: &Programs,
        requests: &[Request],
        path: &Path,
        launcher: &mut Launcher,
    ) -> Result<Self, Failure> {
        let benchmarks = question.benchmarks(programs.benchmarks.iter().copied());
        let rule = rule(question, &benchmarks, programs.benchmarks.len())?;
        let Some(experiment) = &programs.experiment else {
            return Ok(Self { measured: None, levels: Levels::default() });
        };
        let metrics = question.metrics();
        let contrasts = programs.contrasts(requests.len(), &metrics);
        let reading = settings::reading(&question.arguments.reading(), &benchmarks);
        LocalExecutor::check(experiment).map_err(|error| run_failure(&error, None))?;
        check_counters(reading.counters, launcher)?;
        let instruments = instrument::choose(&reading, experiment, Some(&metrics))
            .map_err(|error| Failure::from_error(&error).hint(error.hint()))?;
        let shown = &question.arguments.invocation;
        let measured = Laboratory {
            experiment,
            contrasts: contrasts.clone(),
            subject: Some(question.subject()),
            title: format!("check of {}", question.name()),
            rule: &rule,
            reads: reading.reads(Some(&metrics)),
            metrics: Some(metrics.clone()),
            seed: question.arguments.stopping.seed,
            shows_progress: !question.arguments.quiet && !shown.show_output,
        }
        .measure(path, launcher, instruments, None)?;
        let lone = (1.0 - rule.confidence) / requests.len().max(1) as f64;
        let precision = Precision::new(&measured.conducted, &contrasts.pairs, &metrics, lone);
        let (store, id, document) = finished(experiment, measured, path)?;
        let levels = Levels::load(&store, id, &document, &metrics, &precision)
            .map_err(|error| archive::failure(&error))?;
        Ok(Self { measured: Some((id, document)), levels })
    }

    /// The document of what was measured.
    pub(super) fn document(&self) -> Option<&Document> {
        self.measured.as_ref().map(|(_, document)| document)
    }

    /// The number under which it is stored.
    pub(super) fn id(&self) -> Option<ExperimentId> {
        self.measured.as_ref().map(|(id, _)| *id)
    }

    /// Keeps what became of the expectations with the experiment: it can be accepted later.
    pub(super) fn keep(
        mut self,
        question: &Question<'_>,
        checked: &[Checked],
        path: &Path,
    ) -> Result<Self, Failure> {
        let Some((id, document)) = &mut self.measured else { return Ok(self) };
        document.check = Some(CheckPart {
            project: question.key.clone(),
            commit: question.head.as_ref().map(|head| head.hash.clone()),
            expectations: checked.iter().map(part).collect(),
        });
        let mut store = Store::open(path).map_err(|error| archive::failure(&error))?;
        archive::finish(&mut store, *id, document)?;
        Ok(self)
    }
}

fn part(checked: &Checked) -> ExpectationPart {
    ExpectationPart {
        id: checked.id,
        that: checked.that.clone(),
        why: checked.why.clone(),
        standing: checked.standing,
        evaluation: checked.evaluation.clone(),
    }
}

/// When to stop: what is asked is how expectations stand, not how small a change could be seen.
fn rule(
    question: &Question<'_>,
    benchmarks: &[&Benchmark],
    variants: usize,
) -> Result<StoppingRule, Failure> {
    let options = settings::stopping(&question.arguments.stopping, benchmarks);
    let rule = options.rule(variants.max(1)).map_err(|error| Failure::from_error(&error))?;
    Ok(StoppingRule { resolution: 1.0, ..rule })
}

fn finished(
    experiment: &Experiment,
    measured: laboratory::Measured,
    path: &Path,
) -> Result<(Store, ExperimentId, Document), Failure> {
    let laboratory::Measured { id, ending, mut conducted } = measured;
    conducted.notes.splice(0..0, laboratory::shell_note(experiment));
    let rounds = conducted.rounds;
    let finished = laboratory::finish(path, id, conducted);
    match ending {
        Err(error) => Err(run_failure(&error, Some((id, rounds)))),
        Ok(Ending::Aborted) => Err(Failure::new(format!("interrupted after {rounds} rounds"))
            .hint((rounds > 0).then(|| format!("they are stored: `brisk show {id}`")))),
        Ok(Ending::Complete) => {
            let (store, document) = finished?;
            Ok((store, id, document))
        }
    }
}
