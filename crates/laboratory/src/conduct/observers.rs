//! Observers of a running experiment: one stores it, one shows its progress.

use super::Wait;
use judge::comparison::Comparison;
use judge::forecast::Left;
use model::commission::Commission;
use model::design::stopping::Progress;
use run::{ObserverError, Phase};
use store::record::Event;

/// Stores events.
pub trait Keeper {
    /// Stores an event; on return it is durable.
    fn keep(&mut self, event: Event<'_>) -> Result<(), ObserverError>;
}

/// Receives the progress of an experiment.
pub trait Watcher {
    /// Called once, before the first round.
    fn begin(&mut self, _commission: &Commission) {}

    /// Called on every event, and every second.
    fn watch(&mut self, state: &ConductProgress<'_>);

    /// Called while others have the machine.
    fn wait(&mut self, _wait: &Wait<'_>) {}
}

/// The progress of an experiment.
#[derive(Debug)]
pub struct ConductProgress<'a> {
    /// The current phase.
    pub phase: Phase,
    /// Rounds and time.
    pub progress: Progress,
    /// The share of the budget that has passed, at most 1.
    pub clock: f64,
    /// The time left, including everything after the rounds; `None` until it is known.
    pub left: Option<Left>,
    /// The total time of the minimum number of rounds, in seconds; `None` if unknown.
    pub least_seconds: Option<f64>,
    /// The deciding comparison of the last candidate at the last look.
    pub latest: Option<&'a Comparison>,
}
