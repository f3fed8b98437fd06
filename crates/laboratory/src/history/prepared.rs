//! An experiment of a history, ready to run.

use super::question::Question;
use crate::question;
use model::commission::Kind;
use model::design::contrasts::Contrasts;
use model::design::stopping::StoppingRule;
use model::failure::Failure;
use model::metric::MetricId;
use model::spec::Experiment;
use model::spec::reading::Sources;
use model::spec::suite::Suite;

/// An experiment that can be run, here or elsewhere.
pub(super) struct Prepared {
    pub experiment: Experiment,
    /// The benchmarks. None if a command is run.
    pub suite: Option<Suite>,
    pub contrasts: Contrasts,
    pub rule: StoppingRule,
    pub metrics: Option<Vec<MetricId>>,
    pub sources: Sources,
}

impl Prepared {
    /// The question that runs answer.
    pub(super) fn question<'a>(
        &'a self,
        question: &Question<'_>,
    ) -> Result<question::Question<'a>, Failure> {
        Ok(question::Question {
            project: Some(question.project()),
            subject: Some(question.subject()?),
            title: question.title(),
            suite: self.suite.as_ref(),
            sources: self.sources,
            metrics: self.metrics.clone(),
            seed: question.arguments.stopping.seed,
            asker: question.asker.clone(),
            ..question::Question::new(
                Kind::History,
                &self.experiment,
                self.contrasts.clone(),
                &self.rule,
            )
        })
    }
}
