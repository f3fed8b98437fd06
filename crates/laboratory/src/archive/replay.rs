//! The stored past of an experiment, observed again.

use crate::conduct::{self, Conducted, Conductor, Design, Keeper};
use crate::watcher::nobody;
use model::failure::Failure;
use model::run::Run;
use run::ObserverError;
use store::record::Event;
use store::{ExperimentId, Store, StoreError, StoredExperiment};

/// Observes the runs of a stored experiment as if they happened now, including its looks.
///
/// # Errors
///
/// When the store cannot be read.
pub fn replay(
    store: &Store,
    id: ExperimentId,
    experiment: &StoredExperiment,
) -> Result<Conducted, Failure> {
    struct Nothing;
    impl Keeper for Nothing {
        fn keep(&mut self, _event: Event<'_>) -> Result<(), ObserverError> {
            Ok(())
        }
    }
    let design = Design { replayed: true, ..Design::new(&experiment.commission) };
    let (mut keeper, mut watcher) = (Nothing, nobody);
    let mut conductor = Conductor::new(design, &mut keeper, &mut watcher);
    let past = besides_runs(store, experiment)?;
    conductor.begin_replay(&past);
    store.for_each_run(id, &mut |run| -> Result<(), StoreError> {
        conductor.replay(&run, &past);
        Ok(())
    })?;
    Ok(conductor.finish_replay(&past))
}

fn besides_runs(store: &Store, experiment: &StoredExperiment) -> Result<conduct::Past, StoreError> {
    let id = experiment.id;
    Ok(conduct::Past {
        looks: store.looks(id)?,
        pauses: store.pauses(id)?,
        printed: store.printed(id)?,
        noted: store.noted(id)?,
        ended: experiment.ended,
    })
}

/// The past of an experiment that is continued.
#[derive(Debug, Default)]
pub struct Past {
    runs: Vec<Run>,
    besides: conduct::Past,
}

/// The past of an experiment that is resumed.
///
/// # Errors
///
/// When the store cannot be read.
pub fn past(store: &Store, experiment: &StoredExperiment) -> Result<Past, Failure> {
    let runs = runs(store, experiment.id)?;
    let besides = besides_runs(store, experiment)?;
    Ok(Past { runs, besides })
}

/// The runs of an experiment, in the order of their execution.
///
/// # Errors
///
/// When the store cannot be read.
pub fn runs(store: &Store, id: ExperimentId) -> Result<Vec<Run>, Failure> {
    let mut runs = Vec::new();
    store.for_each_run(id, &mut |run| -> Result<(), StoreError> {
        runs.push(run);
        Ok(())
    })?;
    Ok(runs)
}

impl Past {
    /// The runs, in the order of their execution.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Makes the conductor observe the past again.
    pub fn replay_into(&self, conductor: &mut Conductor<'_>) {
        conductor.begin_replay(&self.besides);
        self.runs.iter().for_each(|run| conductor.replay(run, &self.besides));
        conductor.end_replay(&self.besides);
    }
}
