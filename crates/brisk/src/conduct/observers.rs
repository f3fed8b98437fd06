//! Who hears of an experiment while it goes on: who keeps it, and who shows how far it is.

use crate::judge::comparison::Comparison;
use crate::judge::stopping::Progress;
use crate::run::{ObserverError, Phase, Run};

/// Keeps finished runs.
pub trait Keeper {
    /// Keeps the runs; when it returns, they outlive this process.
    fn keep(&mut self, runs: &[Run]) -> Result<(), ObserverError>;

    /// Keeps that a look was taken: what it allows follows from when it was, so that an experiment
    /// that goes on another day takes the same looks again.
    fn keep_look(&mut self, look: LookTaken) -> Result<(), ObserverError>;
}

/// When a look was taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookTaken {
    /// After so many rounds.
    pub rounds: u32,
    /// The share of the budget that had passed, above 0 and at most 1.
    pub clock: f64,
    /// Seconds of measuring until then.
    pub elapsed_seconds: f64,
}

/// Is told how far it has come.
pub trait Watcher {
    /// Something happened, or a second passed.
    fn watch(&mut self, state: &State<'_>);
}

/// How far an experiment has come.
#[derive(Debug)]
pub struct State<'a> {
    /// What is being done.
    pub phase: Phase,
    /// Rounds and time.
    pub progress: Progress,
    /// The share of the budget that has passed, at most 1.
    pub clock: f64,
    /// The deciding comparison of the last candidate at the last look.
    pub latest: Option<&'a Comparison>,
}
