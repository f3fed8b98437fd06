//! `brisk doctor`: this machine, now.

use clap::Args;

use super::Done;
use super::exit::ExitCode;
use super::output::Output;

/// Arguments of `brisk doctor`.
#[derive(Debug, Args)]
pub(super) struct DoctorArguments {}

/// Examines the machine.
pub(super) fn run(_arguments: &DoctorArguments, _output: &Output) -> Done {
    Ok(ExitCode::Fine)
}
