//! A run whose time does not count: of a program as it is, or under an instrument.

use std::time::Duration;

use measure::{
    AllowedExits, Awaits, CommandLine, FinishedRun, Launcher, Reads, STDERR_KEPT_BYTES, Task, Wake,
};
use model::spec::Experiment;
use run::RunError;

/// A run of a command that ends with any status.
pub(crate) fn task(command: CommandLine, timeout: Option<Duration>) -> Task {
    Task {
        tag: 0,
        command,
        copies: Vec::new(),
        timeout,
        awaits: Awaits::Command,
        environment_padding_bytes: 0,
        read: Reads::default(),
        stderr_kept_bytes: STDERR_KEPT_BYTES,
        timed: false,
        allowed: AllowedExits::Any,
    }
}

/// Runs a command of a variant to its end. `None` if the user interrupts; the outcome is the
/// caller's to check.
pub(crate) fn run(
    launcher: &mut Launcher,
    experiment: &Experiment,
    variant: usize,
    command: CommandLine,
) -> Result<Option<FinishedRun>, RunError> {
    let task = task(command, experiment.timeout);
    let mut on_wait = || if measure::interrupt::requested() { Wake::Abort } else { Wake::Continue };
    let slice = launcher.execute(&[task], None, &mut on_wait).map_err(RunError::from)?;
    if measure::interrupt::requested() {
        return Ok(None);
    }
    let name = experiment.variants[variant].name.clone();
    let lost = || {
        let source = std::io::Error::other("it did not start");
        RunError::Spawn { name, doing: "execute its program", source }
    };
    slice.finished.into_iter().next().ok_or_else(lost).map(Some)
}
