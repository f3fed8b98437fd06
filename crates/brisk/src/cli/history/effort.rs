//! What artefacts are measured for: a history, or a step of a search in it.

use crate::judge::stage::Stage;
use crate::judge::stopping::StoppingRule;

/// What is measured for, and so how long and how sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// All that the question asks.
    History,
    /// To find out where a search goes on: so many rounds, of which no verdict comes.
    Probe {
        /// How many.
        rounds: u32,
    },
    /// The same by counting instructions in separate runs.
    Count {
        /// How many.
        rounds: u32,
    },
    /// To tell changes of the source from those of the layout, in so many layouts.
    Layouts {
        /// How many.
        layouts: u32,
    },
    /// The finding of a search.
    Confirm {
        /// So many rounds, unless the question says how many.
        rounds: u32,
        /// Comparisons that share the permitted error.
        comparisons: usize,
    },
}

/// How often each layout runs at most: what layouts leave open, more runs of the same layouts do not
/// decide.
const MOST_RUNS_OF_A_LAYOUT: u32 = 8;

impl Effort {
    /// The question's rule, as this needs it.
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
                // The experiment as built says how large the change is.
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

    /// How many comparisons share the permitted error, these being so many.
    pub(super) fn family(self, comparisons: usize) -> usize {
        match self {
            Self::Confirm { comparisons: more, .. } => comparisons.max(more),
            Self::History | Self::Layouts { .. } | Self::Probe { .. } | Self::Count { .. } => {
                comparisons
            }
        }
    }
}
