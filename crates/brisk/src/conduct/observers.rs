//! Who hears of an experiment while it goes on: who keeps it, and who shows how far it is.

use super::Wait;
use crate::record::Event;
use judge::comparison::Comparison;
use judge::forecast::Left;
use model::design::stopping::Progress;
use run::{ObserverError, Phase};

/// Keeps what happens.
pub trait Keeper {
    /// Keeps it; when it returns, it outlives this process.
    fn keep(&mut self, event: Event<'_>) -> Result<(), ObserverError>;
}

/// Is told how far it has come.
pub trait Watcher {
    /// Something happened, or a second passed.
    fn watch(&mut self, state: &ConductProgress<'_>);

    /// Others have the machine for a while.
    fn wait(&mut self, _wait: &Wait<'_>) {}
}

/// How far an experiment has come.
#[derive(Debug)]
pub struct ConductProgress<'a> {
    /// What is being done.
    pub phase: Phase,
    /// Rounds and time.
    pub progress: Progress,
    /// The share of the budget that has passed, at most 1.
    pub clock: f64,
    /// How long it still takes, with all that comes after the rounds; none before that is known.
    pub left: Option<Left>,
    /// How long the least rounds take in all, in seconds; none where that is not known.
    pub least_seconds: Option<f64>,
    /// The deciding comparison of the last candidate at the last look.
    pub latest: Option<&'a Comparison>,
}
