//! An experiment of a history, ready to be run.

use super::question::Question;
use crate::cli::laboratory::Laboratory;
use crate::commission::Kind;
use crate::failure::Failure;
use crate::judge::contrasts::Contrasts;
use crate::judge::stopping::StoppingRule;
use crate::metric::MetricId;
use crate::spec::Experiment;
use crate::spec::reading::Sources;
use crate::spec::suite::Suite;

/// An experiment that can be run, here or elsewhere.
pub(super) struct Prepared {
    pub experiment: Experiment,
    /// The benchmarks; none where a command is run.
    pub suite: Option<Suite>,
    pub contrasts: Contrasts,
    pub rule: StoppingRule,
    pub metrics: Option<Vec<MetricId>>,
    pub sources: Sources,
}

impl Prepared {
    /// What runs it.
    pub(super) fn laboratory<'a>(
        &'a self,
        question: &'a Question<'_>,
    ) -> Result<Laboratory<'a>, Failure> {
        Ok(Laboratory {
            experiment: &self.experiment,
            contrasts: self.contrasts.clone(),
            kind: Kind::History,
            project: Some(question.project()),
            subject: Some(question.subject()?),
            title: question.title(),
            rule: &self.rule,
            suite: self.suite.as_ref(),
            sources: self.sources,
            samples_memory: false,
            metrics: self.metrics.clone(),
            seed: question.seed(),
            budget_is_asked: question.budget_is_asked(),
            shows_progress: question.shows_progress(),
            hold: question.hold(),
            engine: question.engine(),
        })
    }
}
