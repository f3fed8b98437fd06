//! Sweeps: one command at many points of its parameters.
//!
//! A sweep is an experiment like any other: its points are variants, and each round runs every
//! point once. Specific to sweeps is the rule stored with the experiment: the parameters, the
//! minimised metric, and when a hopeless point is withdrawn.

use crate::metric::MetricId;
use crate::run::{Run, RunPlace};
use crate::spec::parameters::Parameter;
use measure::Outcome;
use serde::{Deserialize, Serialize};

/// The rule of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepRule {
    /// The command, with `{name}` for a parameter's value, and the variables set for it.
    pub command: String,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Set if the first variant is the default, with no parameter set, rather than just the first
    /// point.
    pub has_default: bool,
    /// The metric to minimise.
    pub minimized: MetricId,
    /// The second metric to keep small.
    pub beside: MetricId,
    /// The limits that a point must keep.
    pub limits: Vec<Limit>,
    /// Set if every point takes part in every round.
    pub is_exhaustive: bool,
    /// The exit codes of a successful run; none if every outcome counts. A point with a run that
    /// ends otherwise is withdrawn.
    pub allowed_codes: Option<Vec<i32>>,
}

impl SweepRule {
    /// True if a run that ends like this withdraws its point from the sweep.
    pub fn fails(&self, outcome: Outcome) -> bool {
        let Some(codes) = &self.allowed_codes else { return false };
        !matches!(outcome, Outcome::Exited(code) if codes.contains(&code))
    }

    /// The metrics in which a point can be better: the minimised one, and the second one.
    pub fn objectives(&self) -> Vec<MetricId> {
        let beside = (self.beside != self.minimized).then_some(&self.beside);
        [&self.minimized].into_iter().chain(beside).cloned().collect()
    }
}

/// The upper limit of a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The metric.
    pub metric: MetricId,
    /// The limit, exclusive, in the metric's own unit.
    pub below: f64,
    /// The limit as written.
    pub text: String,
}

/// A withdrawn variant.
#[derive(Debug, Clone, PartialEq)]
pub struct Withdrawal {
    /// The variant.
    pub variant: u32,
    /// The number of rounds it took part in.
    pub rounds: u32,
    /// The reason.
    pub reason: Reason,
}

impl Withdrawal {
    /// The withdrawal of the variant of a failed run.
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

    /// True if a run is not judged: the one that failed. The variant's earlier runs still count.
    pub fn takes_out(&self, run: &Run) -> bool {
        matches!(self.reason, Reason::Failed { place, .. } if place == run.place)
    }
}

/// The reason that a variant is withdrawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// Another variant is better.
    Dominated {
        /// The better variant.
        by: u32,
    },
    /// It exceeds a limit.
    OverLimit {
        /// The index of the limit.
        limit: usize,
    },
    /// One of its runs failed.
    Failed {
        /// The failed run: it is kept, but not judged.
        place: RunPlace,
        /// The outcome of the run.
        outcome: Outcome,
        /// The last lines of its standard error.
        stderr: Option<String>,
    },
}
