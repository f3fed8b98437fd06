//! The measurements of a suite's processes, from the store.

use findings::Document;
use model::failure::Failure;
use model::metric::{CPU_WAIT, MetricId, Source, TIME_PER_ITERATION, WALL_TIME};
use report::suite::baseline::Processes;
use store::{ExperimentId, Store, StoreError};

/// The measurements of the processes in finished rounds, by variant.
pub(super) fn processes(
    store: &Store,
    id: ExperimentId,
    document: &Document,
) -> Result<Vec<Processes>, Failure> {
    let mut processes = vec![Processes::default(); document.variants.len()];
    let read = store.for_each_run(id, &mut |run| -> Result<(), StoreError> {
        let is_judged = !run.place.warmup
            && run.place.source == Source::Run
            && run.place.round < document.experiment.rounds;
        if is_judged {
            let value =
                |id: MetricId| run.readings.get(&id).and_then(|value| value.as_ref().ok()).copied();
            let of_variant = &mut processes[run.place.variant as usize];
            of_variant.times.extend(value(TIME_PER_ITERATION));
            if let (Some(waited), Some(passed)) = (value(CPU_WAIT), value(WALL_TIME)) {
                of_variant.waited_seconds += waited;
                of_variant.passed_seconds += passed;
            }
        }
        Ok(())
    });
    read?;
    Ok(processes)
}
