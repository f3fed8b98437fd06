//! Commands around the measured ones: setup, cleanup, and the meaning of their failures.

use measure::{FinishedRun, StopReason};

use super::{LocalExecutor, last_lines, resolve, untimed};
use crate::setup::SetupRun;
use crate::{Answer, CLEANUP, Event, Observer, RunError};
use model::spec::{Invocation, Variant};

/// The result of an untimed run.
pub(super) enum Ended {
    /// It finished.
    Finished(Box<FinishedRun>),
    /// It was ended on request.
    Aborted,
}

impl LocalExecutor<'_> {
    /// Runs one hook of a variant to its end; without an observer, until an interrupt is requested.
    pub(super) fn hook(
        &mut self,
        kind: &'static str,
        index: usize,
        invocation: &Invocation,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Ended, RunError> {
        let variant = &self.experiment.variants[index];
        let task = untimed(0, resolve(variant, invocation)?);
        let is_observed = observer.is_some();
        let (slice, error) = self.wait_for(&[task], observer)?;
        if let Some(error) = error {
            return Err(RunError::Observer(error));
        }
        if matches!(slice.stopped, Some(StopReason::Aborted)) {
            return Ok(Ended::Aborted);
        }
        if let Some(finished) = slice.finished.first() {
            self.take_left_behind(kind, variant_number(index), finished);
        }
        match slice.finished.into_iter().next() {
            Some(finished) if succeeded(&finished) => Ok(Ended::Finished(Box::new(finished))),
            Some(_) if is_observed && measure::interrupt::requested() => Ok(Ended::Aborted),
            Some(finished) => Err(hook_failed(kind, variant, &finished)),
            None => match &slice.stopped {
                Some(reason) => Err(self.cannot_start(index, reason)),
                None => Err(RunError::Launcher(measure::LauncherError::Malformed)),
            },
        }
    }

    /// Records the processes that a hook left behind: they were ended before anything else ran.
    pub(super) fn take_left_behind(
        &mut self,
        hook: &'static str,
        variant: u32,
        finished: &FinishedRun,
    ) {
        if finished.left_behind > 0 {
            *self.left_by_hooks.entry((variant, hook)).or_insert(0) +=
                u64::from(finished.left_behind);
        }
    }

    /// Runs every variant's setup command, one variant after the other, the requested number of
    /// times.
    pub(super) fn run_setups(&mut self, observer: &mut dyn Observer) -> Result<Answer, RunError> {
        let experiment = self.experiment;
        for (index, variant) in experiment.variants.iter().enumerate() {
            self.set_up = index + 1;
            let Some(setup) = &variant.setup else { continue };
            let number = variant_number(index);
            for _ in 0..experiment.setup_runs {
                match self.hook("setup", index, &setup.run, Some(&mut *observer))? {
                    Ended::Aborted => return Ok(Answer::Abort),
                    Ended::Finished(finished) => {
                        let run = SetupRun::of_finished(number, &setup.typed, &finished);
                        let answer = observer.on(Event::SetUp(&run));
                        if answer.map_err(RunError::Observer)? == Answer::Abort {
                            return Ok(Answer::Abort);
                        }
                    }
                }
            }
        }
        Ok(Answer::Continue)
    }

    /// Cleans up every variant whose setup was begun, even if the launcher has died; the first
    /// failure is reported once all were tried. A request to stop in the meantime ends it.
    pub(super) fn run_cleanups(&mut self) -> Result<(), RunError> {
        let mut first_failure = Ok(());
        let experiment = self.experiment;
        for (index, variant) in experiment.variants.iter().enumerate().take(self.set_up) {
            let Some(cleanup) = &variant.cleanup else { continue };
            self.launcher.revive()?;
            match self.hook(CLEANUP, index, cleanup, None) {
                Ok(Ended::Aborted) => {
                    let (name, stderr) = (variant.name.clone(), String::new());
                    let how = "was interrupted".to_owned();
                    let outcome = None;
                    return Err(RunError::HookFailed { hook: CLEANUP, name, how, stderr, outcome });
                }
                cleaned => first_failure = first_failure.and(cleaned.map(drop)),
            }
        }
        first_failure
    }
}

fn variant_number(index: usize) -> u32 {
    u32::try_from(index).expect("at most 2^20 variants")
}

pub(super) fn succeeded(finished: &FinishedRun) -> bool {
    finished.outcome == measure::Outcome::Exited(0)
}

pub(super) fn hook_failed(
    hook: &'static str,
    variant: &Variant,
    finished: &FinishedRun,
) -> RunError {
    RunError::HookFailed {
        hook,
        name: variant.name.clone(),
        how: finished.outcome.to_string(),
        stderr: last_lines(&finished.stderr_tail),
        outcome: Some(finished.outcome),
    }
}
