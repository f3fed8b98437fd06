//! What a sweep is about, as it is stored with its experiment: its parameters, what is minimised,
//! and when a point takes part no more.

use measure::Outcome;
use serde::{Deserialize, Serialize};

use crate::metric::MetricId;
use crate::run::{Run, RunPlace};
use crate::spec::parameters::Parameter;

/// What a sweep is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepRule {
    /// The command, `{name}` standing for a parameter's value, with the variables set for it.
    pub command: String,
    /// The parameters, in their order.
    pub parameters: Vec<Parameter>,
    /// Whether the first variant is what runs when nobody sets a parameter, and not just the first
    /// point.
    pub has_default: bool,
    /// What shall be small.
    pub minimized: MetricId,
    /// What shall be small beside it.
    pub beside: MetricId,
    /// What a point must keep to.
    pub limits: Vec<Limit>,
    /// Whether every point takes part in every round.
    pub is_exhaustive: bool,
    /// The exit codes with which a run counts as done; none where every end counts. A point of which
    /// a run ends otherwise takes part no more.
    pub allowed_codes: Option<Vec<i32>>,
}

impl SweepRule {
    /// Whether a run that ends like this takes its point out of the sweep.
    pub fn fails(&self, outcome: Outcome) -> bool {
        let Some(codes) = &self.allowed_codes else { return false };
        !matches!(outcome, Outcome::Exited(code) if codes.contains(&code))
    }

    /// What a point can be better in: what is minimised, and what shall be small beside it.
    pub fn objectives(&self) -> Vec<MetricId> {
        let beside = (self.beside != self.minimized).then_some(&self.beside);
        [&self.minimized].into_iter().chain(beside).cloned().collect()
    }
}

/// The most that a metric may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The metric.
    pub metric: MetricId,
    /// Below this, in the metric's own unit.
    pub below: f64,
    /// As it was written.
    pub text: String,
}

/// A variant that takes part no more.
#[derive(Debug, Clone, PartialEq)]
pub struct Withdrawal {
    /// Which.
    pub variant: u32,
    /// How many rounds it took part in.
    pub rounds: u32,
    /// Why.
    pub reason: Reason,
}

impl Withdrawal {
    /// The variant whose run this is, which failed.
    pub fn of_failed(run: &Run) -> Self {
        Self {
            variant: run.place.variant,
            rounds: if run.place.warmup { 0 } else { run.place.round },
            reason: Reason::Failed {
                place: run.place,
                outcome: run.outcome,
                stderr: run.stderr_tail.clone(),
            },
        }
    }

    /// Whether a run is not judged: the one that failed, for the others say how the variant did as
    /// long as it did.
    pub fn takes_out(&self, run: &Run) -> bool {
        matches!(self.reason, Reason::Failed { place, .. } if place == run.place)
    }
}

/// Why a variant takes part no more.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// Another one is better.
    Dominated {
        /// Which.
        by: u32,
    },
    /// It does not keep to a limit.
    OverLimit {
        /// The number of the limit.
        limit: usize,
    },
    /// A run of it failed.
    Failed {
        /// Which run: it is kept, and not judged.
        place: RunPlace,
        /// How it ended.
        outcome: Outcome,
        /// The last lines of its standard error.
        stderr: Option<String>,
    },
}
