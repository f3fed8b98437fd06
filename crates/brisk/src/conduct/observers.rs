//! Who hears of an experiment while it goes on: who keeps it, and who shows how far it is.

use toolchains::harness::measurement::Measurement;

use crate::forecast::Left;
use crate::judge::comparison::Comparison;
use crate::judge::stopping::Progress;
use crate::run::curve::Curve;
use crate::run::looks::{LookTaken, Pause};
use crate::run::setup::SetupRun;
use crate::run::{ObserverError, Phase, Place, Run};

/// Keeps finished runs.
pub trait Keeper {
    /// Keeps the runs; when it returns, they outlive this process.
    fn keep(&mut self, runs: &[Run]) -> Result<(), ObserverError>;

    /// Keeps what a setup command used.
    fn keep_setup(&mut self, run: &SetupRun) -> Result<(), ObserverError>;

    /// Keeps what was sampled over the time of the run at this place.
    fn keep_curves(&mut self, place: Place, curves: &[Curve]) -> Result<(), ObserverError>;

    /// Keeps what a harness measured in the run at this place.
    fn keep_measurements(
        &mut self,
        place: Place,
        measurements: &[Measurement],
    ) -> Result<(), ObserverError>;

    /// Keeps that a look was taken: what it allows follows from when it was, so that an experiment
    /// that goes on another day takes the same looks again.
    fn keep_look(&mut self, look: LookTaken) -> Result<(), ObserverError>;

    /// Keeps that measuring goes on after a pause, whose length nobody knows.
    fn keep_pause(&mut self, pause: Pause) -> Result<(), ObserverError>;
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
    /// How long it still takes, with all that comes after the rounds; none before that is known.
    pub left: Option<Left>,
    /// How long the least rounds take in all, in seconds; none where that is not known.
    pub least_seconds: Option<f64>,
    /// The deciding comparison of the last candidate at the last look.
    pub latest: Option<&'a Comparison>,
}
