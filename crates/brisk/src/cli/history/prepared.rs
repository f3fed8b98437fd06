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

/// An experiment that can be run, here or elsewhere.
pub(super) struct Prepared {
    pub experiment: Experiment,
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
        let Self { experiment, contrasts, rule, metrics, sources } = self;
        let (contrasts, metrics) = (contrasts.clone(), metrics.clone());
        let laboratory = laboratory(question, experiment, contrasts, rule, metrics)?;
        Ok(Laboratory { sources: *sources, ..laboratory })
    }
}

/// What the laboratory does for a question, reading nothing of a run but what every run shows.
pub(super) fn laboratory<'a>(
    question: &'a Question<'_>,
    experiment: &'a Experiment,
    contrasts: Contrasts,
    rule: &'a StoppingRule,
    metrics: Option<Vec<MetricId>>,
) -> Result<Laboratory<'a>, Failure> {
    Ok(Laboratory {
        experiment,
        contrasts,
        kind: Kind::History,
        project: Some(question.project()),
        subject: Some(question.subject()?),
        title: question.title(),
        rule,
        suite: None,
        sources: Sources::NONE,
        samples_memory: false,
        metrics,
        seed: question.seed(),
        budget_is_asked: question.budget_is_asked(),
        shows_progress: question.shows_progress(),
        hold: question.hold(),
        engine: question.engine(),
    })
}
