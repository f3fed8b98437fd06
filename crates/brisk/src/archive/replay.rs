//! What the store has of an experiment's past, observed again.

use toolchains::harness::measurement::Measurement;

use super::failure;
use crate::cli::failure::Failure;
use crate::conduct::{Conducted, Conductor, Design, Keeper, State, Watcher};
use crate::judge::stopping::StopReason;
use crate::run::curve::Curve;
use crate::run::looks::{LookTaken, Pause};
use crate::run::setup::SetupRun;
use crate::run::{ObserverError, Place, Run};
use crate::spec::work;
use crate::store::{ExperimentId, Store, StoreError, StoredExperiment};

/// Observes a stored experiment's runs as if they happened now, looks and all.
pub(super) fn replay(
    store: &Store,
    id: ExperimentId,
    experiment: &StoredExperiment,
) -> Result<Conducted, Failure> {
    struct Nothing;
    impl Keeper for Nothing {
        fn keep(&mut self, _runs: &[Run]) -> Result<(), ObserverError> {
            Ok(())
        }

        fn keep_setup(&mut self, _run: &SetupRun) -> Result<(), ObserverError> {
            Ok(())
        }

        fn keep_curves(&mut self, _: Place, _: &[Curve]) -> Result<(), ObserverError> {
            Ok(())
        }

        fn keep_measurements(&mut self, _: Place, _: &[Measurement]) -> Result<(), ObserverError> {
            Ok(())
        }

        fn keep_look(&mut self, _look: LookTaken) -> Result<(), ObserverError> {
            Ok(())
        }

        fn keep_pause(&mut self, _pause: Pause) -> Result<(), ObserverError> {
            Ok(())
        }
    }
    impl Watcher for Nothing {
        fn watch(&mut self, _state: &State<'_>) {}
    }
    let design = Design {
        variants: u32::try_from(experiment.given.variants.len()).expect("at most 2^20"),
        scales: work::scales(experiment.given.variants.iter().map(|variant| &variant.labels)),
        contrasts: experiment.given.contrasts.clone(),
        stopping: experiment.given.rule.clone(),
        metrics: experiment.given.metrics.clone(),
        instruments: Vec::new(),
        claims_equal_work: false,
        replayed: true,
    };
    let (mut keeper, mut watcher) = (Nothing, Nothing);
    let mut conductor = Conductor::new(design, &mut keeper, &mut watcher);
    let looks = store.looks(id).map_err(|error| failure(&error))?;
    conductor.expect_pauses(&store.pauses(id).map_err(|error| failure(&error))?);
    let replayed = store.for_each_run(id, &mut |run| {
        conductor.replay(&run, &looks);
        Ok(())
    });
    replayed.map_err(|error| failure(&error))?;
    conductor.replay_looks(u32::MAX, &looks);
    Ok(conductor.finish(StopReason::Interrupted))
}

/// What an experiment that goes on has behind it.
#[derive(Debug, Default)]
pub struct Past {
    runs: Vec<Run>,
    looks: Vec<LookTaken>,
    pauses: Vec<Pause>,
}

/// The runs and looks of an experiment that is taken up again.
///
/// # Errors
///
/// When the store cannot be read.
pub fn past(store: &Store, id: ExperimentId) -> Result<Past, Failure> {
    let mut runs = Vec::new();
    let read = store.for_each_run(id, &mut |run| -> Result<(), StoreError> {
        runs.push(run);
        Ok(())
    });
    read.map_err(|error| failure(&error))?;
    let looks = store.looks(id).map_err(|error| failure(&error))?;
    let pauses = store.pauses(id).map_err(|error| failure(&error))?;
    Ok(Past { runs, looks, pauses })
}

impl Past {
    /// The runs, in the order in which they ran.
    pub fn into_runs(self) -> Vec<Run> {
        self.runs
    }

    /// Has the conductor observe it again.
    pub fn replay_into(&self, conductor: &mut Conductor<'_>) {
        conductor.expect_pauses(&self.pauses);
        self.runs.iter().for_each(|run| conductor.replay(run, &self.looks));
        conductor.replay_looks(u32::MAX, &self.looks);
    }
}
