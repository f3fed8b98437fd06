//! How long a history measures, and how small a change it looks for.

use super::Question;
use crate::failure::Failure;
use crate::judge::stage::Stage;
use crate::judge::stopping::StoppingRule;

/// The default budget for each artefact: a history shows what is clear, and says what stays open.
const BUDGET_SECONDS_AN_ARTIFACT: f64 = 2.0;

/// The same for each benchmark of each artefact, in processes that take as long as they are told.
const BUDGET_RUNS: f64 = 20.0;

/// How long a search may measure.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli::history) struct Limit {
    /// So many seconds, and longer while there were fewer runs than the other says.
    pub(in crate::cli::history) seconds: f64,
    /// So many runs.
    pub(in crate::cli::history) runs: f64,
    /// How many rounds anything is measured at most.
    pub(in crate::cli::history) most_rounds: u32,
}

impl Question<'_> {
    /// When to stop measuring so many artefacts: a history asks what happened at each commit, not
    /// how small a change it could have seen.
    pub(in crate::cli::history) fn rule(&self, variants: usize) -> Result<StoppingRule, Failure> {
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

    /// When a search ends: the rule of its comparisons, and how long it may measure in all.
    pub(in crate::cli::history) fn search(&self) -> Result<(StoppingRule, Limit), Failure> {
        let rule = self.rule(self.commits.len())?;
        let is_asked = self.arguments.stopping.budget.is_some();
        let usual_runs = if is_asked { 0.0 } else { BUDGET_RUNS * self.commits.len() as f64 };
        let seconds = rule.budget_seconds.unwrap_or(f64::INFINITY);
        let most_rounds = rule.max_rounds;
        Ok((rule, Limit { seconds, runs: usual_runs, most_rounds }))
    }
}
