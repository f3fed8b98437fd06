//! Runs for the output of variants: untimed, after all timed runs.
//!
//! If the user redirects the output to a file, it goes there and is read from the file; otherwise
//! it goes through a named pipe and is read as it comes. So a program that skips its work when its
//! output is `/dev/null` finds a pipe here, and does not skip it.

use std::io;
use std::path::PathBuf;

use measure::outlet::Outlet;
use measure::{AllowedExits, FinishedRun, Outcome, Stdout, StopReason, Task};

use super::hooks::Ended;
use super::{LocalExecutor, last_lines, untimed};
use crate::instrument;
use crate::{Answer, Event, Observer, RunError, failed_with_us};
use model::metric::Missing;
use model::run::{Intake, ObservedOutput, Output, Printed, output_of_file};

/// The reason for missing output: the run shows it.
const SHOWN: &str = "it goes where brisk's own output goes";
/// The reason for missing output: a device cannot be read again.
const NO_FILE: &str = "the output is not a regular file";
/// The reason for missing output: it never ends.
const HELD: &str = "a process that the command left behind still has it open";

impl LocalExecutor<'_> {
    /// Runs a variant between its hooks, and reports its output.
    pub(super) fn output(
        &mut self,
        number: u32,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        let index = number as usize;
        let variant = &self.experiment.variants[index];
        if variant.run.stdout == Stdout::Inherit {
            return say(number, Err(SHOWN), observer);
        }
        if let Some(prepare) = &variant.prepare
            && let Ended::Aborted = self.hook("prepare", index, prepare, Some(&mut *observer))?
        {
            return Ok(Answer::Abort);
        }
        let (ran, printed) = match self.commands[index].run.stdout.clone() {
            Stdout::File(path) => (self.run_for_output(index, None, observer)?, Err(path)),
            _ => {
                let (ran, output) = self.run_into_outlet(index, observer)?;
                (ran, Ok(output))
            }
        };
        let Ended::Finished(finished) = ran else { return Ok(Answer::Abort) };
        if failed_with_us(self.experiment.allowed.permits(finished.outcome)) {
            return Ok(Answer::Abort);
        }
        self.refuse_failure(index, &finished)?;
        let failed = |source| RunError::Output { name: variant.name.clone(), source };
        let output = match printed {
            Ok(output) => output.ok_or(HELD),
            Err(path) => output_of_file(&path).map_err(failed)?.ok_or(NO_FILE),
        };
        if let Some(conclude) = &variant.conclude
            && let Ended::Aborted = self.hook("conclude", index, conclude, Some(&mut *observer))?
        {
            return Ok(Answer::Abort);
        }
        let outcome = finished.outcome;
        say(number, output.map(|output| ObservedOutput { outcome, output }), observer)
    }

    /// Runs a variant with its standard output going through a pipe; `None` for the output if it
    /// has no end.
    fn run_into_outlet(
        &mut self,
        index: usize,
        observer: &mut dyn Observer,
    ) -> Result<(Ended, Option<Output>), RunError> {
        let name = &self.experiment.variants[index].name;
        let failed = |source| RunError::Output { name: name.clone(), source };
        let folder =
            instrument::scratch_folder().map_err(|error| failed(io::Error::other(error)))?;
        let path = folder.path().join("printed");
        let outlet = Outlet::open(&path, Intake::default()).map_err(failed)?;
        let ran = self.run_for_output(index, Some(path), observer);
        let read = outlet.close();
        Ok((ran?, read.map_err(failed)?.map(Intake::finish)))
    }

    /// Runs a variant once, with its output redirected to `stdout` if that is given.
    fn run_for_output(
        &mut self,
        index: usize,
        stdout: Option<PathBuf>,
        observer: &mut dyn Observer,
    ) -> Result<Ended, RunError> {
        let mut command = self.commands[index].run.clone();
        if let Some(path) = stdout {
            command.stdout = Stdout::File(path);
        }
        let task = Task {
            timeout: self.experiment.timeout,
            allowed: AllowedExits::Any,
            ..untimed(0, command)
        };
        let (slice, trouble) = self.wait_for(&[task], Some(observer))?;
        if let Some(trouble) = trouble {
            return Err(RunError::Observer(trouble));
        }
        match (slice.finished.into_iter().next(), &slice.stopped) {
            (_, Some(StopReason::Aborted)) => Ok(Ended::Aborted),
            (Some(finished), _) => Ok(Ended::Finished(Box::new(finished))),
            (None, Some(reason)) => Err(self.cannot_start(index, reason)),
            (None, None) => Err(RunError::Launcher(measure::LauncherError::Malformed)),
        }
    }

    /// Treats a disallowed exit as a failure, as in a round.
    fn refuse_failure(&self, index: usize, finished: &FinishedRun) -> Result<(), RunError> {
        let outcome: Outcome = finished.outcome;
        if self.experiment.allowed.permits(outcome) {
            return Ok(());
        }
        Err(RunError::Failed {
            name: self.experiment.variants[index].name.clone(),
            how: outcome.to_string(),
            when: "a run of `--equal-work`".to_owned(),
            stderr: last_lines(&finished.stderr_tail),
            outcome,
        })
    }
}

/// Reports the output of a variant to the observer.
fn say(
    variant: u32,
    seen: Result<ObservedOutput, &str>,
    observer: &mut dyn Observer,
) -> Result<Answer, RunError> {
    let printed =
        Printed { variant, seen: seen.map_err(|reason| Missing(reason.to_owned().into())) };
    observer.on(Event::Printed(printed)).map_err(RunError::Observer)
}
