//! The duration of a history's measurements, and the size of the changes that it looks for.

use super::Question;
use model::design::stopping::Stage;
use model::design::stopping::StoppingRule;
use model::failure::Failure;

/// The default budget for each artefact: a history shows clear changes, and reports what stays
/// open.
const BUDGET_SECONDS_AN_ARTIFACT: f64 = 2.0;

/// The same for each benchmark of each artefact, in processes of the requested length.
const BUDGET_RUNS: f64 = 20.0;

/// The limits of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    /// The maximum time in seconds, which is extended until the number of runs is reached.
    pub(crate) seconds: f64,
    /// The number of runs.
    pub(crate) runs: f64,
    /// The maximum number of rounds of any experiment.
    pub(crate) most_rounds: u32,
}

impl Question<'_> {
    /// The stopping rule for this number of artefacts: a history asks for the change at each
    /// commit, not for the smallest detectable change.
    pub(crate) fn rule(&self, variants: usize) -> Result<StoppingRule, Failure> {
        let seconds = self.budget_seconds() * variants as f64;
        let rule = self.arguments.stopping.rule_within(seconds)?;
        let resolution = self.arguments.stopping.resolution();
        let own_metrics = self.own_metrics.clone();
        Ok(StoppingRule { resolution, stage: Stage::first(), own_metrics, ..rule })
    }

    /// The default budget for each variant.
    fn budget_seconds(&self) -> f64 {
        match &self.suite {
            Some(suite) => BUDGET_RUNS * suite.seconds_per_run,
            None => BUDGET_SECONDS_AN_ARTIFACT,
        }
    }

    /// The rule of a search's comparisons, and its limits in total.
    pub(crate) fn search(&self) -> Result<(StoppingRule, Limit), Failure> {
        let rule = self.rule(self.commits.len())?;
        let is_asked = self.arguments.stopping.budget.is_some();
        let usual_runs = if is_asked { 0.0 } else { BUDGET_RUNS * self.commits.len() as f64 };
        let seconds = rule.budget_seconds.unwrap_or(f64::INFINITY);
        let most_rounds = rule.max_rounds;
        Ok((rule, Limit { seconds, runs: usual_runs, most_rounds }))
    }
}
