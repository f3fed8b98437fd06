//! The purpose of a measurement: a history, or a step of a search in it.

use model::design::stage::Stage;
use model::design::stopping::StoppingRule;

/// The purpose of a measurement, which determines its length and certainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// The whole question.
    History,
    /// Finding the next step of a search: a fixed number of rounds, without a verdict.
    Probe {
        /// The number of rounds.
        rounds: u32,
    },
    /// The same by counting instructions in separate runs.
    Count {
        /// The number of rounds.
        rounds: u32,
    },
    /// Distinguishing changes of the source from those of the layout.
    Layouts {
        /// The number of layouts.
        layouts: u32,
    },
    /// Confirming the finding of a search.
    Confirm {
        /// The number of rounds, unless the question fixes it.
        rounds: u32,
        /// The number of comparisons that share the permitted error.
        comparisons: usize,
    },
}

/// The maximum number of runs of each layout: more runs of the same layouts do not decide what the
/// layouts leave open.
const MOST_RUNS_OF_A_LAYOUT: u32 = 8;

impl Effort {
    /// The question's rule, adapted to this purpose.
    pub(super) fn rule(self, rule: StoppingRule) -> StoppingRule {
        let fixed = |rounds: u32, rule: StoppingRule| StoppingRule {
            min_rounds: rounds,
            max_rounds: rounds,
            budget_seconds: None,
            stage: Stage::default(),
            ..rule
        };
        match self {
            Self::History => rule,
            Self::Layouts { layouts } if !rule.is_fixed() => {
                let most = layouts.saturating_mul(MOST_RUNS_OF_A_LAYOUT);
                let max_rounds = rule.max_rounds.min(most.max(rule.min_rounds));
                // The experiment with the original layout estimates the size of the change.
                StoppingRule { max_rounds, precision: 1.0, ..rule }
            }
            Self::Layouts { .. } => rule,
            Self::Probe { rounds } | Self::Count { rounds } => fixed(rounds, rule),
            Self::Confirm { .. } if rule.is_fixed() => {
                StoppingRule { stage: Stage::default(), ..rule }
            }
            Self::Confirm { rounds, .. } => fixed(rounds, rule),
        }
    }

    /// The number of comparisons that share the permitted error; `comparisons` is that of this
    /// experiment.
    pub(super) fn family(self, comparisons: usize) -> usize {
        match self {
            Self::Confirm { comparisons: more, .. } => comparisons.max(more),
            Self::History | Self::Layouts { .. } | Self::Probe { .. } | Self::Count { .. } => {
                comparisons
            }
        }
    }
}
