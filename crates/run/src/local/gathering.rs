//! The result of a slice: runs with all their readings, and the reason why measuring may have to
//! end.

use measure::{FinishedRun, Outcome};

use super::hooks::{hook_failed, succeeded};
use super::{LocalExecutor, Purpose, instrument_of};
use crate::finished;
use crate::instrument::Collected;
use crate::{Answer, Event, Observer, RunError, failed_with_us, measured};
use model::metric::Missing;
use model::run::{Run, RunPlace};

/// The result of the finished tasks of a slice.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) runs: Vec<Run>,
    pub(super) failed_run: Option<Run>,
    pub(super) failure: Option<RunError>,
    /// Set if a failure was caused by a request that brisk and its programs end.
    pub(super) is_interrupted: bool,
}

impl LocalExecutor<'_> {
    /// The result of finished tasks; `None` if an instrument wants its run repeated.
    pub(super) fn gather(
        &mut self,
        purposes: &[Purpose],
        finished: &[FinishedRun],
        observer: &mut dyn Observer,
    ) -> Result<Option<Gathered>, RunError> {
        let mut gathered = Gathered::default();
        for (index, (purpose, ended)) in purposes.iter().zip(finished).enumerate() {
            if let Purpose::Prepare(variant) | Purpose::Conclude(variant) = *purpose {
                self.take_left_behind(purpose.hook(), variant, ended);
            }
            match *purpose {
                Purpose::Timed(place) => {
                    let Some(run) = self.run_of(place, ended, &finished[index + 1..]) else {
                        return Ok(None);
                    };
                    self.tell_curves(place, ended.outcome, observer)?;
                    let permitted = self.experiment.allowed.permits(ended.outcome);
                    if permitted {
                        gathered.runs.push(run);
                    } else if failed_with_us(permitted) {
                        gathered.is_interrupted = true;
                        break;
                    } else if !self.goes_on_without(&run, &mut gathered.runs, observer)? {
                        gathered.failure = Some(self.failed(place, ended));
                        gathered.failed_run = Some(run);
                    }
                }
                Purpose::Measure(_) => {}
                Purpose::Prepare(_) | Purpose::Conclude(_) if succeeded(ended) => {}
                Purpose::Prepare(_) | Purpose::Conclude(_) if failed_with_us(false) => {
                    gathered.is_interrupted = true;
                    break;
                }
                Purpose::Prepare(variant) | Purpose::Conclude(variant) => {
                    let variant = &self.experiment.variants[variant as usize];
                    gathered.failure = Some(hook_failed(purpose.hook(), variant, ended));
                }
            }
        }
        Ok(Some(gathered))
    }

    /// True if the other variants continue despite a failed run; the observer is sent the runs
    /// before it, and the failed run.
    fn goes_on_without(
        &self,
        failed: &Run,
        before: &mut Vec<Run>,
        observer: &mut dyn Observer,
    ) -> Result<bool, RunError> {
        if !self.experiment.outlives_failures {
            return Ok(false);
        }
        observer.on(Event::Finished(before)).map_err(RunError::Observer)?;
        before.clear();
        let answer = observer.on(Event::Failed(failed)).map_err(RunError::Observer)?;
        Ok(answer == Answer::Withdraw)
    }

    /// The run with its readings, including those of the measuring commands after it; `None` if its
    /// instrument wants it repeated.
    fn run_of(
        &mut self,
        place: RunPlace,
        finished: &FinishedRun,
        after: &[FinishedRun],
    ) -> Option<Run> {
        let mut run = finished::timed_run(place, finished);
        if let Some(instrument) = instrument_of(&mut self.instruments, place.source) {
            let permitted = self.experiment.allowed.permits(finished.outcome);
            let command = &self.commands[place.variant as usize].run;
            match instrument.collect(place.variant, command, finished, permitted) {
                Collected::Readings(readings) => {
                    run.readings = readings.of_finished_processes(finished);
                }
                Collected::Again => return None,
            }
            if let Some(reason) = self.ended_otherwise(place, finished.outcome) {
                let ids = run.readings.iter().map(|(id, _)| (id.clone(), Err(reason.clone())));
                run.readings = ids.collect();
            }
        } else {
            self.note_plain(place, finished.outcome);
            let measures = &self.experiment.variants[place.variant as usize].measures;
            run.readings = run.readings.and(measured::readings(measures, finished, after));
        }
        Some(run)
    }

    /// Records the outcome of a run without an instrument.
    fn note_plain(&mut self, place: RunPlace, outcome: Outcome) {
        let outcomes = &mut self.plain_outcomes[place.variant as usize];
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    }

    /// The reason why a run under an instrument measured nothing: no run without one ended in the
    /// same way, so the program did something else.
    fn ended_otherwise(&self, place: RunPlace, outcome: Outcome) -> Option<Missing> {
        let plain = &self.plain_outcomes[place.variant as usize];
        let first = plain.first().filter(|_| !plain.contains(&outcome))?;
        let (instrumented, alone) = (outcome.to_string(), (*first).to_string());
        let reason = format!("the instrumented run {instrumented}, the plain one {alone}");
        Some(Missing(reason.into()))
    }

    /// Passes the curves of the run that was just read to the observer.
    fn tell_curves(
        &mut self,
        place: RunPlace,
        outcome: Outcome,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let instrument = instrument_of(&mut self.instruments, place.source);
        let mut curves = instrument.map(|instrument| instrument.curves()).unwrap_or_default();
        if let Some(reason) = self.ended_otherwise(place, outcome) {
            curves.iter_mut().for_each(|curve| curve.samples = Err(reason.clone()));
        }
        if !curves.is_empty() {
            observer.on(Event::Curves(place, &curves)).map_err(RunError::Observer)?;
        }
        Ok(())
    }
}
