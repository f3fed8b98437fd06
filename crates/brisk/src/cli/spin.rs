//! `brisk spin`: the program that `brisk doctor` measures. Hidden, because it has no other use.

use clap::Args;

use super::Done;
use super::exit::ExitCode;
use laboratory::doctor::spin;

/// Arguments of `brisk spin`.
#[derive(Debug, Args)]
pub(super) struct SpinArguments {
    /// How much to do
    #[arg(long, value_name = "N")]
    iterations: u64,
}

/// Does the work, without output.
pub(super) fn run(arguments: &SpinArguments) -> Done {
    std::hint::black_box(spin::work(arguments.iterations));
    Ok(ExitCode::Fine)
}
